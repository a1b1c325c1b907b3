//! Programs made of others: of the corpus, of a folder of the user's, of files. Typed mutations for most, of
//! the text for some, two programs mixed, and other inputs; in every language of the table alike.
//!
//! A mutant is well typed: what is refused is counted and made again in another way, so that a number of a
//! campaign is always one program.

mod corpus;
mod input;
mod reading;
mod sorts;
mod sources;
mod tokens;
mod typed;

pub use reading::{Unread, Why};
pub use sources::{NoSource, Origins, Sources};

use crate::generate::{Draw, bytes_of};
use crate::language::{Artifact, Lang, Listed};
use crate::panics::catch;
use arbitrary::Unstructured;
use reading::{Reader, within_limit};
use reference::kit::outcome::Value;
use reference::with_language;
use serde::{Deserialize, Serialize};
use sources::{Pool, Source};
use std::sync::Arc;

/// A program made of others.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The program, well typed.
    pub program: Artifact,
    /// An input that fits.
    pub input: Vec<Value>,
    /// What it is made of, and how.
    pub made_of: String,
}

/// What became of the tries to make mutants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tries {
    /// Mutants that were made.
    pub made: u64,
    /// Tries that the parser or the type rules refused.
    pub refused: u64,
}

/// How often something else is tried where a try is refused.
const TRIES: usize = 24;
/// How many bytes a mutant is drawn from.
const BYTES: usize = 1024;
/// How many names of a mixed program are replaced by others, one after the other.
const REPAIRS: usize = 12;

impl Sources {
    /// Program `number` of the stream of `seed`, if it is a mutant, with what became of the tries.
    ///
    /// # Errors
    /// A panic on a text that anybody might write, or one that is read without end.
    pub fn mutant(
        self: &Arc<Self>,
        seed: u64,
        number: u64,
    ) -> Result<(Option<Mutant>, Tries), Box<Unread>> {
        let bytes = bytes_of(seed, number, 2, BYTES);
        if self.is_empty() || !Draw::new(&mut Unstructured::new(&bytes)).chance(self.origins.share)
        {
            return Ok((None, Tries::default()));
        }
        let sources = Arc::clone(self);
        within_limit(move |reader| sources.drawn(&bytes, reader))
    }

    /// The mutant that these bytes draw.
    fn drawn(&self, bytes: &[u8], reader: &Reader) -> Result<(Option<Mutant>, Tries), Box<Unread>> {
        let mut tries = Tries::default();
        let mut bytes = Unstructured::new(bytes);
        let draw = &mut Draw::new(&mut bytes);
        if !draw.chance(self.origins.share) {
            return Ok((None, tries));
        }
        let mut at = draw.word() as usize % self.len();
        let mut pools = self.pools.iter();
        let (lang, pool) = loop {
            let Some((lang, pool)) = pools.next() else { return Ok((None, tries)) };
            if at < pool.sources.len() {
                break (*lang, pool);
            }
            at -= pool.sources.len();
        };
        let mutant = self.make((lang, pool), &pool.sources[at], draw, &mut tries, reader)?;
        tries.made += 1;
        Ok((Some(mutant), tries))
    }

    fn make(
        &self,
        of: (Lang, &Pool),
        source: &Source,
        draw: &mut Draw<'_, '_>,
        tries: &mut Tries,
        reader: &Reader,
    ) -> Result<Mutant, Box<Unread>> {
        let input = &source.inputs[draw.below(source.inputs.len())];
        let mut changed = None;
        for _ in 0..if self.origins.mutate { TRIES } else { 0 } {
            let tried = self.change(of, source, draw, reader)?;
            // What no input fits is of no use either.
            changed = tried.and_then(|(program, made_of)| {
                let input = crate::shrink::fitted(&program, input.clone())?;
                Some(Mutant { program, input, made_of })
            });
            if changed.is_some() {
                break;
            }
            tries.refused += 1;
        }
        let is_changed = changed.is_some();
        let mut mutant = changed.unwrap_or_else(|| Mutant {
            program: source.program.clone(),
            input: input.clone(),
            made_of: source.name.clone(),
        });
        if !is_changed || draw.chance(35) {
            mutant.input = input::changed(&mutant.program, &mutant.input, draw);
        }
        Ok(mutant)
    }

    /// Another program that is well typed, or none.
    fn change(
        &self,
        (lang, pool): (Lang, &Pool),
        source: &Source,
        draw: &mut Draw<'_, '_>,
        reader: &Reader,
    ) -> Result<Option<(Artifact, String)>, Box<Unread>> {
        let name = &source.name;
        let way = draw.weighed(&[12, 3, 3]);
        let (text, made_of) = match way {
            0 => {
                let mut tree = sources::tree(&source.program);
                for _ in 0..1 + draw.weighed(&[5, 3, 1]) {
                    if typed::mutate(&mut tree, &pool.sorts, draw).is_none() {
                        return Ok(None);
                    }
                }
                // A tree that is no program may still be read as one, which no printer can print.
                let text = catch(|| printed(lang, tree));
                let Ok(Some(text)) = text else { return Ok(None) };
                (text, name.clone())
            }
            1 => (tokens::mutate(&source.text, draw), name.clone()),
            _ => {
                let donor = &pool.sources[draw.below(pool.sources.len())];
                let Some((text, part)) = tokens::mixed(&source.text, &donor.text, draw) else {
                    return Ok(None);
                };
                let made_of = format!("{name} with {}", donor.name);
                (repaired(lang, text, part, (&made_of, reader), draw)?, made_of)
            }
        };
        let read = reader.read(lang, &text, &made_of)?;
        let changed = |program: &Artifact| program.print() != source.printed;
        Ok(read.ok().filter(changed).map(|program| (program, made_of)))
    }
}

fn printed(lang: Lang, tree: serde_json::Value) -> Option<String> {
    with_language!(lang, |L| {
        let program = serde_json::from_value(tree).ok()?;
        Some(L::artifact(program).print())
    })
}

/// A text with a part of another, in which names that are refused give way to names of the text around.
fn repaired(
    lang: Lang,
    mut text: String,
    mut part: std::ops::Range<usize>,
    (made_of, reader): (&str, &Reader),
    draw: &mut Draw<'_, '_>,
) -> Result<String, Box<Unread>> {
    for _ in 0..REPAIRS {
        let Err(rejected) = reader.read(lang, &text, made_of)? else { break };
        let (start, end) = (rejected.span.start as usize, rejected.span.end as usize);
        let inside = tokens::tokens(&text).into_iter().filter(|token| {
            part.start <= token.start
                && token.end <= part.end
                && tokens::is_word(&text[token.clone()])
        });
        let inside: Vec<_> = inside.collect();
        // The name that is refused, or one of the statement that is.
        let refused: Vec<_> =
            inside.iter().filter(|token| start <= token.start && token.end <= end).collect();
        if refused.is_empty() {
            break;
        }
        let wrong = text[refused[draw.below(refused.len())].clone()].to_owned();
        let outside: Vec<String> = tokens::tokens(&text)
            .into_iter()
            .filter(|token| token.end <= part.start || part.end <= token.start)
            .map(|token| text[token].to_owned())
            .filter(|token| tokens::is_word(token))
            .collect();
        if outside.is_empty() {
            break;
        }
        let right = outside[draw.below(outside.len())].clone();
        let mut new = text[..part.start].to_owned();
        let mut copied = part.start;
        for token in inside.into_iter().filter(|token| text[token.clone()] == wrong) {
            new.push_str(&text[copied..token.start]);
            new.push_str(&right);
            copied = token.end;
        }
        new.push_str(&text[copied..part.end]);
        let end = new.len();
        new.push_str(&text[part.end..]);
        (text, part) = (new, part.start..end);
    }
    Ok(text)
}
