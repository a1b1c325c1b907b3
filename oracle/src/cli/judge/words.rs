//! The options in the first comments of a shader, word by word, so that the word is underlined that is wrong.

use super::super::problem::Problem;
use super::flags::{Flags, header};
use crate::judge::Unfit;
use clap::error::{ContextKind, ContextValue};
use reference::kit::text::{Rejected, Span};
use std::ops::Range;

/// The words behind `// judge:`, in all lines of it.
pub(super) struct Words<'t> {
    name: &'t str,
    text: &'t str,
    words: Vec<Range<usize>>,
}

impl<'t> Words<'t> {
    /// Those of the text of this name.
    pub(super) fn of(text: &'t str, name: &'t str) -> Self {
        let said = header(text, "judge:").flat_map(|(_, line)| line.split_whitespace());
        let words = said.map(|word| {
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            start..start + word.len()
        });
        Self { name, text, words: words.collect() }
    }

    /// They.
    pub(super) fn iter(&self) -> impl Iterator<Item = &'t str> {
        self.words.iter().map(|word| &self.text[word.clone()])
    }

    /// Values of an option.
    fn values(&self, option: &str) -> impl DoubleEndedIterator<Item = Range<usize>> {
        let option = format!("--{}", option.trim_start_matches('-'));
        (0..self.words.len()).filter_map(move |number| {
            let word = self.words[number].clone();
            match self.text[word.clone()].strip_prefix(&option)? {
                "" => self.words.get(number + 1).cloned(),
                value => value.strip_prefix('=').map(|value| word.end - value.len()..word.end),
            }
        })
    }

    /// The last value of an option that has this part.
    fn find(&self, option: &str, part: &str) -> Option<Range<usize>> {
        self.values(option).rev().find_map(|value| self.part(value, part))
    }

    /// A part of a value, between what parts them.
    fn part(&self, value: Range<usize>, part: &str) -> Option<Range<usize>> {
        let text = &self.text[value.clone()];
        let parts = |c: char| !(c.is_alphanumeric() || "._-+%@".contains(c));
        let whole = |(at, _): &(usize, &str)| {
            let (before, behind) = (&text[..*at], &text[at + part.len()..]);
            before.chars().next_back().is_none_or(parts) && behind.chars().next().is_none_or(parts)
        };
        let (at, _) = text.match_indices(part).filter(|_| !part.is_empty()).find(whole)?;
        Some(value.start + at..value.start + at + part.len())
    }

    /// Why they are no options, as clap has it.
    pub(super) fn refused(&self, error: &clap::Error) -> Problem {
        let text = error.render().to_string();
        let mut paragraphs = text.split("\n\n").map(str::trim);
        let message = paragraphs.next().unwrap_or_default();
        let message = message.strip_prefix("error: ").unwrap_or(message);
        let said = |part: &&str| {
            !part.is_empty() && !part.starts_with("Usage:") && !part.starts_with("For more")
        };
        let help: Vec<&str> = paragraphs
            .filter(said)
            .map(|part| part.strip_prefix("tip: ").unwrap_or(part))
            .collect();
        let stray =
            known(error, ContextKind::InvalidArg).is_some_and(|word| !word.starts_with('-'));
        let help = match help.as_slice() {
            [] if stray => "the value of an option has no blanks in it".to_owned(),
            [] => "`lockstep judge --help` says which options there are, and what they take"
                .to_owned(),
            help => help.join("\n"),
        };
        let span = self.wrong(error, message).or_else(|| self.words.first().cloned());
        let problem = Problem::new(message).help(help);
        match span {
            Some(Range { start, end }) => problem.at(Span::new(start, end), self.name, self.text),
            None => problem,
        }
    }

    /// The word that clap does not take.
    fn wrong(&self, error: &clap::Error, message: &str) -> Option<Range<usize>> {
        let option = known(error, ContextKind::InvalidArg)?;
        let option = option.split([' ', '=', '<']).next().unwrap_or(option);
        if let Some(value) =
            known(error, ContextKind::InvalidValue).filter(|value| !value.is_empty())
        {
            let whole = self.values(option).find(|range| self.text[range.clone()] == *value);
            let found = whole.or_else(|| self.find(option, value))?;
            let quoted = message.rsplit_once("': ").and_then(|(_, why)| why.split('`').nth(1));
            return Some(quoted.and_then(|part| self.part(found.clone(), part)).unwrap_or(found));
        }
        let is_it = |word: &&Range<usize>| {
            let word = &self.text[(*word).clone()];
            word == option || word.starts_with(&format!("{option}="))
        };
        self.words.iter().rev().find(is_it).cloned()
    }

    /// A problem with this value of an option, where it stands, unless the command line says it.
    pub(super) fn placed(
        &self,
        no: Problem,
        line: &Flags,
        (option, value): (&'static str, &str),
    ) -> Problem {
        match self.find(option, value).filter(|_| line.asks(option, value).is_none()) {
            Some(Range { start, end }) => no.at(Span::new(start, end), self.name, self.text),
            None => no,
        }
    }

    /// What is asked and cannot be done: at the word that asks it, unless the command line does, which then is quoted.
    pub(super) fn unfit(&self, unfit: &Unfit, line: &Flags) -> Problem {
        let span = |place: &Range<usize>| Span::new(place.start, place.end);
        let mut why = unfit.why.clone();
        let mut places: Vec<(Span, &str)> =
            unfit.places.iter().map(|(place, label)| (span(place), label.as_str())).collect();
        if let Some((option, value)) = &unfit.said {
            let asks = line.asks(option, value);
            let word = ["outcomes"].into_iter().filter(|_| *option == "dump");
            let words = [*option].into_iter().chain(word);
            match words
                .clone()
                .find_map(|option| self.find(option, value))
                .filter(|_| asks.is_none())
            {
                Some(place) => places.insert(0, (span(&place), "here")),
                None => why = format!("--{} {value}: {why}", asks.unwrap_or(option)),
            }
        }
        let problem = match places.split_first() {
            Some(((place, label), others)) => {
                let rejected = Rejected::new(*place, why, *label);
                let with =
                    |rejected: Rejected, (span, label): &(Span, &str)| rejected.with(*span, *label);
                Problem::rejected(others.iter().fold(rejected, with), self.name, self.text)
            }
            None if self.name.is_empty() => Problem::new(why),
            None => Problem::new(format!("{}: {why}", self.name)),
        };
        unfit.help.iter().fold(problem, |problem, help| problem.help(help))
    }
}

/// What clap says of a word.
fn known(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text),
        ContextValue::Strings(texts) => texts.first().map(String::as_str),
        _ => None,
    }
}
