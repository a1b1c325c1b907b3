//! What a corpus program says of itself, in the comment lines at its top:
//!
//! ```text
//! -- Rows of a matrix, each times its number.
//! -- input: 2, 3, [[7, -4, 9], [1, 0, 5]]
//! -- result: [[7, -4, 9], [2, 0, 10]]
//! -- fires: E-KERNEL
//! -- after expand_memory: alloc in kernel 0
//! ```
//!
//! A line with a key is one whose first word, in small letters, is a key and ends in a colon; the others
//! describe. A word that is nearly a key is an error. `input:` opens a case, to which the `result:`, `any order:`,
//! `stuck:`, `race:`, `invalid:` and `unknown:` lines after it belong; a program without parameters needs none.
//! `any order:` stands for `result:` where the results depend on the order of threads though none race, see
//! [`Open`]. `rejects:` is for
//! programs that no type rule admits. The name of an option of the language is a key with its value.
//! `after device:` counts `launches` and `invocations` of the
//! compiled program on the last input.

use super::language::{Choice, Settings};
use super::outcome::Value;
use super::text::{Rejected, Span};
use super::value::{parse_values, same_elements};

/// What the comments at the top of a program say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Lines without a key.
    pub about: Vec<String>,
    /// Inputs and what is expected of each.
    pub cases: Vec<Case>,
    /// The rule that rejects the program and its premise, where one is named.
    pub rejects: Option<Failure>,
    /// Rules that must fire.
    pub fires: Vec<String>,
    /// Counted operations after a pass.
    pub after: Vec<After>,
    /// Lines of findings, see [`NOTES`], and options of the language that are set.
    pub notes: Vec<Note>,
}

/// What a finding says under one of the keys of [`NOTES`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The key.
    pub key: String,
    /// What stands behind the colon.
    pub text: String,
    /// Where that stands.
    pub span: Span,
}

/// One run of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Case {
    /// One value for each parameter.
    pub input: Vec<Value>,
    /// The values that it ends with.
    pub result: Option<Vec<Value>>,
    /// What is said of each of the values that it ends with in one of the orders of its threads.
    pub any_order: Option<Vec<Open>>,
    /// The rule that gets stuck, and its premise.
    pub stuck: Option<Failure>,
    /// The rule at which a race is seen.
    pub race: Option<String>,
    /// Words of the reason why the program is invalid (def. 3.1).
    pub invalid: Option<String>,
    /// Why there is no answer, one of [`WITHOUT_END`].
    pub unknown: Option<String>,
    /// The line of the `input:`, or of the first expectation, from 1.
    pub line: usize,
}

/// Why there is no answer: there is not enough fuel or memory; a finding may also be that the program is not well typed, or
/// that its run breaks a promise of ours.
pub const WITHOUT_END: [&str; 4] = ["fuel", "memory", "types", "broken"];

/// What is said of a result that depends on the order of threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Open {
    /// `_`: nothing.
    Any,
    /// In every order a scalar is this one, and an array has these elements, in any order: each outermost
    /// element, such as a row of a matrix, as a whole. Each result stands alone: which element of one array goes with
    /// which of another is not compared.
    Elements(Value),
}

impl Open {
    /// Is the result one that this says?
    pub fn admits(&self, found: &Value) -> bool {
        match self {
            Open::Any => true,
            Open::Elements(wanted) => wanted == found || same_elements(wanted, found),
        }
    }
}

/// A rule and the premise of it that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// For example `E-INDEX`.
    pub rule: String,
    /// For example `index`.
    pub premise: Option<String>,
}

/// What a program holds after a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct After {
    /// The pass, for example `expand_memory`.
    pub pass: String,
    /// What is counted, for example `alloc in kernel`, and how often it is there.
    pub counts: Vec<(String, u64)>,
}

/// Keys of what a finding says of its origin: most of it for people.
pub const NOTES: [&str; 18] = [
    "found",
    "seed",
    "schedule",
    "version",
    "adapter",
    "alone",
    "stage",
    "kind",
    "cause",
    "answer",
    "fault",
    "expansion",
    "style",
    "workarounds",
    "optimize",
    "chaos",
    "decisions",
    "members",
];

/// Those of them that say how a finding is run again.
const ONCE: [&str; 8] =
    ["schedule", "fault", "expansion", "style", "workarounds", "chaos", "decisions", "optimize"];

/// Keys that say what a program does.
const KEYS: [&str; 10] = [
    "input",
    "result",
    "any order",
    "stuck",
    "race",
    "invalid",
    "unknown",
    "rejects",
    "fires",
    "after",
];

/// The header of `source`, whose language has these options.
///
/// # Errors
/// Keys that are not known and values that are none. The span counts from the start of `source`.
pub fn parse(source: &str, options: &[Choice]) -> Result<Header, Rejected> {
    let mut header = Header::default();
    let mut start = 0;
    for (number, line) in source.split_inclusive('\n').enumerate() {
        let begin = start;
        start += line.len();
        let text = line.trim();
        let Some(comment) = text.strip_prefix("--") else {
            if text.is_empty() {
                continue;
            }
            break;
        };
        let begin = begin + (line.len() - line.trim_start().len()) + "--".len();
        let comment = Text { text: comment, start: begin }.trimmed();
        match comment.key() {
            Some((key, rest)) => header.entry(key, rest, number + 1, options)?,
            None if comment.text.is_empty() => {}
            None => {
                comment.is_no_option(options)?;
                header.about.push(comment.text.to_owned());
            }
        }
    }
    Ok(header)
}

/// The header of `source`, which must say what comes of each input: that of a program to judge.
///
/// # Errors
/// As [`parse`], and cases without an expectation.
pub fn judged(source: &str, options: &[Choice]) -> Result<Header, Rejected> {
    let header = parse(source, options)?;
    for case in &header.cases {
        if case.says_nothing() {
            let line = source.lines().nth(case.line - 1).unwrap_or_default();
            let start = line.as_ptr() as usize - source.as_ptr() as usize;
            let message = "an input without an expectation";
            return Err(Rejected::new(
                Span::new(start, start + line.len()),
                message,
                "what comes of it?",
            )
            .help("a `result:`, `any order:`, `stuck:`, `race:`, `invalid:` or `unknown:` line must follow"));
        }
    }
    Ok(header)
}

/// A part of the source.
#[derive(Clone, Copy)]
struct Text<'s> {
    text: &'s str,
    start: usize,
}

impl<'s> Text<'s> {
    fn trimmed(self) -> Self {
        let text = self.text.trim_start();
        Self { start: self.start + (self.text.len() - text.len()), text: text.trim_end() }
    }

    fn span(self) -> Span {
        Span::new(self.start, self.start + self.text.len())
    }

    /// The key and what follows its colon, if the text starts with a key.
    fn key(self) -> Option<(Text<'s>, Text<'s>)> {
        let (key, rest) = self.text.split_once(':')?;
        let words = key.split(' ').count();
        let small = |c: char| c.is_ascii_lowercase() || c == '_' || c == ' ';
        let is_key = key.chars().all(small)
            && (words == 1
                || key == "any order"
                || key.split(' ').next() == Some("after") && words == 2);
        // A key with capitals is one that is written wrong.
        let is_key = is_key || KEYS.contains(&&*key.to_lowercase());
        let rest = Text { text: rest, start: self.start + key.len() + 1 };
        is_key.then_some((Text { text: key, start: self.start }, rest.trimmed()))
    }

    fn values(self) -> Result<Vec<Value>, Rejected> {
        parse_values(self.text).map_err(|mut error| {
            let start = self.start as u32;
            error.span = Span { start: error.span.start + start, end: error.span.end + start };
            error
        })
    }

    /// Values with commas between them, or `_` for one of which nothing is said.
    fn open_values(self) -> Result<Vec<Open>, Rejected> {
        let mut parts = Vec::new();
        let (mut depth, mut start) = (0, 0);
        for (at, c) in self.text.char_indices() {
            match c {
                '[' | '(' | '{' => depth += 1,
                ']' | ')' | '}' => depth -= 1,
                ',' if depth == 0 => {
                    parts.push((start, at));
                    start = at + 1;
                }
                _ => {}
            }
        }
        parts.push((start, self.text.len()));
        let part = |(from, to): (usize, usize)| {
            Text { text: &self.text[from..to], start: self.start + from }.trimmed()
        };
        let mut values = Vec::new();
        for part in parts.into_iter().map(part) {
            if part.text == "_" {
                values.push(Open::Any);
                continue;
            }
            let read = part.values()?;
            if read.is_empty() {
                let label = "expected a value or `_`";
                return Err(Rejected::new(part.span(), "a result is missing", label));
            }
            values.extend(read.into_iter().map(Open::Elements));
        }
        Ok(values)
    }

    /// A line without a key is not the name of an option and one of its values.
    fn is_no_option(self, options: &[Choice]) -> Result<(), Rejected> {
        let Some((name, value)) = self.text.split_once(' ') else { return Ok(()) };
        let is_meant = |option: &&Choice| option.name == name && option.values.admit(value.trim());
        let Some(option) = options.iter().find(is_meant) else { return Ok(()) };
        let message = format!("`{}` is an option, whose key ends in a colon", option.name);
        let help = format!("write `-- {name}: {}`", value.trim());
        Err(Rejected::new(self.span(), message, "without a colon").help(help))
    }

    /// `RULE` or `RULE premise`
    fn failure(self) -> Result<Failure, Rejected> {
        let mut words = self.text.split_whitespace().map(str::to_owned);
        let (rule, premise) = (words.next(), words.next());
        match (rule, words.next()) {
            (Some(rule), None) => Ok(Failure { rule, premise }),
            _ => Err(Rejected::new(
                self.span(),
                "not a rule and a premise",
                "expected `RULE` or `RULE premise`",
            )),
        }
    }

    /// `alloc in kernel 0, copy 2`
    fn counts(self) -> Result<Vec<(String, u64)>, Rejected> {
        let parts = self.text.split(',').map(|part| {
            let (what, count) = part.trim().rsplit_once(' ')?;
            Some((what.trim().to_owned(), count.parse().ok()?))
        });
        parts.collect::<Option<_>>().ok_or_else(|| {
            let label = "expected operations, each with its number";
            Rejected::new(self.span(), "nothing that can be counted", label)
                .help("for example `after expand_memory: alloc in kernel 0`")
        })
    }
}

impl Case {
    fn says_nothing(&self) -> bool {
        self.result.is_none()
            && self.any_order.is_none()
            && self.stuck.is_none()
            && self.race.is_none()
            && self.invalid.is_none()
            && self.unknown.is_none()
    }
}

impl Header {
    /// The text of the first note of a finding under this key.
    pub fn note(&self, key: &str) -> Option<&str> {
        self.noted(key).map(|note| note.text.as_str())
    }

    /// The first note of a finding under this key.
    pub fn noted(&self, key: &str) -> Option<&Note> {
        self.notes.iter().find(|note| note.key == key)
    }

    /// The options of the language that are set.
    ///
    /// # Panics
    /// If the header was read with other options.
    pub fn settings(&self, options: &[Choice]) -> Settings {
        let mut settings = Settings::default();
        for option in options {
            if let Some(value) = self.note(option.name) {
                settings.set(options, option.name, value).expect("the header was read with it");
            }
        }
        settings
    }

    /// Is it a key that was written wrong? Else a line that begins with it describes.
    fn is_nearly_a_key(text: &str, value: &str, options: &[Choice]) -> bool {
        let names = options.iter().map(|option| option.name);
        let nearly = KEYS.into_iter().chain(NOTES).chain(names).any(|key| {
            let wrong = strsim::osa_distance(text, key);
            wrong <= if key.len() > 5 { 2 } else { 1 }
        });
        // What has a value of an option behind it may be spelled worse.
        let valued = options.iter().any(|option| {
            let nearly = strsim::osa_distance(text, option.name) <= 2 && !value.is_empty();
            nearly && option.values.admit(value)
        });
        nearly || valued
    }

    fn entry(
        &mut self,
        key: Text<'_>,
        rest: Text<'_>,
        line: usize,
        options: &[Choice],
    ) -> Result<(), Rejected> {
        match key.text {
            "input" => {
                let input = rest.values()?;
                self.cases.push(Case { input, line, ..Case::default() });
            }
            "result" => {
                let result = rest.values()?;
                once(&mut self.case(line).result, result, key)?;
            }
            "any order" => {
                let results = rest.open_values()?;
                once(&mut self.case(line).any_order, results, key)?;
            }
            "stuck" => {
                let failure = rest.failure()?;
                once(&mut self.case(line).stuck, failure, key)?;
            }
            "race" => {
                let rule = rest.failure()?.rule;
                once(&mut self.case(line).race, rule, key)?;
            }
            "invalid" => once(&mut self.case(line).invalid, rest.text.to_owned(), key)?,
            "unknown" => {
                if !WITHOUT_END.contains(&rest.text) {
                    let message = format!("`{}` is nothing that runs out", rest.text);
                    let label = "`fuel` or `memory`; in a finding also `types` or `broken`";
                    return Err(Rejected::new(rest.span(), message, label));
                }
                once(&mut self.case(line).unknown, rest.text.to_owned(), key)?;
            }
            "rejects" => once(&mut self.rejects, rest.failure()?, key)?,
            "fires" => {
                let rules = rest.text.split([',', ' ']).filter(|rule| !rule.is_empty());
                self.fires.extend(rules.map(str::to_owned));
            }
            note if NOTES.contains(&note) || options.iter().any(|option| option.name == note) => {
                let is_option = !NOTES.contains(&note);
                if (is_option || ONCE.contains(&note)) && self.noted(note).is_some() {
                    return Err(twice(key));
                }
                if is_option && let Err(text) = Settings::default().set(options, note, rest.text) {
                    return Err(Rejected::new(rest.span(), text, "no value of this option"));
                }
                let text = rest.text.to_owned();
                self.notes.push(Note { key: note.to_owned(), text, span: rest.span() });
            }
            other => match other.strip_prefix("after ") {
                Some(pass) => {
                    self.after.push(After { pass: pass.to_owned(), counts: rest.counts()? });
                }
                None if !Self::is_nearly_a_key(other, rest.text, options) => {
                    self.about.push(format!("{other}: {}", rest.text));
                }
                None => {
                    let message = format!("`{other}` is no key of a header");
                    return Err(Rejected::new(key.span(), message, "unknown key").help(format!(
                        "the keys are {}; a description has no word with a colon in front",
                        KEYS.join(", ")
                    )));
                }
            },
        }
        Ok(())
    }

    /// The case that an expectation belongs to: the last, or one without input.
    fn case(&mut self, line: usize) -> &mut Case {
        if self.cases.is_empty() {
            self.cases.push(Case { line, ..Case::default() });
        }
        self.cases.last_mut().expect("there is one now")
    }
}

/// Sets what may be said once in a case.
fn once<T>(place: &mut Option<T>, value: T, key: Text<'_>) -> Result<(), Rejected> {
    if place.is_some() {
        return Err(twice(key).help("each `input:` opens a case of its own"));
    }
    *place = Some(value);
    Ok(())
}

fn twice(key: Text<'_>) -> Rejected {
    Rejected::new(key.span(), format!("`{}` is said twice", key.text), "the second")
}

#[cfg(test)]
mod tests;
