//! Programs of the corpus, changed at random: whatever comes of them is refused with a place, or is read again
//! from its print, with the same types.

use crate::fcl::{Fcl, lex, parse, print, types};
use crate::kit::derivation::Recorder;
use crate::kit::dice::Dice;
use crate::kit::language::Language;
use crate::kit::same::same;
use crate::kit::text::{Rejected, Span};
use std::fs;
use std::path::Path;

/// Mutations of each program.
const TRIES: u64 = 200;

fn corpus() -> Vec<String> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/fcl");
    let mut sources = Vec::new();
    for folder in ["pass", "stuck", "reject"] {
        for file in fs::read_dir(corpus.join(folder)).expect("the folder is there") {
            let path = file.expect("it is listed").path();
            sources.push(fs::read_to_string(path).expect("a program is text"));
        }
    }
    sources.sort();
    sources
}

/// The words of a program.
fn words(source: &str) -> Vec<&str> {
    let tokens = lex::tokens(source, 0).expect("it is FCL");
    let text = |span: Span| &source[span.start as usize..span.end as usize];
    tokens.into_iter().map(|(_, span)| text(span)).collect()
}

/// The program with one or two words left out, doubled, exchanged, or taken from another one.
fn mutated(words: &[&str], others: &[&str], dice: &mut Dice) -> String {
    let mut words = words.to_vec();
    for _ in 0..=dice.below(2) {
        let at = dice.below(words.len() as u64) as usize;
        match dice.below(5) {
            0 => drop(words.remove(at)),
            1 => {
                let word = words[at];
                words.insert(at, word);
            }
            2 => {
                let other = dice.below(words.len() as u64) as usize;
                words.swap(at, other);
            }
            3 => words[at] = others[dice.below(others.len() as u64) as usize],
            _ => words.insert(at, others[dice.below(others.len() as u64) as usize]),
        }
    }
    words.join(" ")
}

fn placed(refused: &Rejected, source: &str) {
    let inside = |span: Span| span.start <= span.end && span.end as usize <= source.len();
    assert!(inside(refused.span), "{refused:?}\n{source}");
    assert!(refused.second.iter().all(|second| inside(second.span)), "{refused:?}\n{source}");
}

#[test]
fn whatever_becomes_of_a_program_is_read_and_typed_alike() {
    let sources = corpus();
    let all: Vec<Vec<&str>> = sources.iter().map(|source| words(source)).collect();
    let (mut dice, mut read, mut well_typed) = (Dice::new(7), 0, 0);
    for at in 0..all.len() {
        for _ in 0..TRIES {
            let other = dice.below(all.len() as u64) as usize;
            let source = mutated(&all[at], &all[other], &mut dice);
            let program = match parse::program(&source) {
                Ok(program) => program,
                Err(refused) => {
                    placed(&refused, &source);
                    continue;
                }
            };
            read += 1;
            let text = print::program(&program);
            let again = parse::program(&text).unwrap_or_else(|no| panic!("{no:?}\n{text}"));
            assert!(same(&program, &again), "{source}\nis printed as\n{text}");
            let counted = types::infer(&program, &mut Recorder::counting());
            let told = types::infer(&program, &mut Recorder::tree(50));
            match (counted, told, types::infer(&again, &mut Recorder::counting())) {
                (Ok(one), Ok(other), Ok(printed)) => {
                    well_typed += 1;
                    let schemes = |typed: &types::Typed| {
                        let schemes = typed.schemes(&program.names);
                        schemes.into_iter().map(|(_, scheme)| scheme).collect::<Vec<_>>()
                    };
                    assert_eq!(schemes(&one), schemes(&other));
                    assert_eq!(schemes(&one), schemes(&printed), "{source}\nis printed as\n{text}");
                    Fcl::takes(&program);
                }
                (Err(one), Err(other), Err(printed)) => {
                    placed(&one, &source);
                    assert_eq!(one, other);
                    assert_eq!(one.rule, printed.rule, "{source}\nis printed as\n{text}");
                }
                (one, other, printed) => {
                    panic!("{source}\n{:?} {:?} {:?}", one.err(), other.err(), printed.err())
                }
            }
        }
    }
    assert!(read > 1000 && well_typed > 100, "{read} read, {well_typed} with types");
}
