//! Places in a source text, and what every parser and type checker says when it refuses one.

use serde::{Deserialize, Serialize};

/// A half-open range of bytes in the source of a program, `start..end`.
///
/// A program that a generator made has no source: its spans are ordinals of statements
/// ([`Span::nth`]), which every pass keeps just as it keeps bytes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes `start..end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    /// The span that stands for the `n`th statement of a program without a source.
    pub fn nth(n: u32) -> Self {
        Self { start: n, end: n + 1 }
    }

    /// The smallest span over both.
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// `3:5`: line and column of a byte, from 1. A column is a byte of its line, as in diagnostics.
pub fn place(source: &str, at: u32) -> String {
    let before = &source.as_bytes()[..(at as usize).min(source.len())];
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
    format!("{line}:{column}")
}

impl From<Span> for miette::SourceSpan {
    fn from(span: Span) -> Self {
        (span.start as usize, span.end.saturating_sub(span.start) as usize).into()
    }
}

/// A program that cannot be used: what is wrong, where, and what might mend it.
///
/// The command line shows it with the source around it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Rejected {
    /// One sentence that says what is wrong.
    pub message: String,
    /// The rule that does not apply and its premise that fails, for example `T-INDEX` and
    /// `rank`; `None` for a wrong syntax.
    pub rule: Option<(&'static str, &'static str)>,
    /// The limit that the program goes beyond, if that is why.
    pub limit: Option<Limit>,
    /// The place.
    pub span: Span,
    /// What stands at the place, in a few words.
    pub label: String,
    /// The other place, where two do not go together.
    pub second: Option<Box<Second>>,
    /// What might mend it.
    pub help: Option<Box<str>>,
}

/// The other place of a refusal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Second {
    /// The place.
    pub span: Span,
    /// What stands there, in a few words.
    pub label: String,
    /// One more place.
    pub more: Option<Box<Second>>,
}

impl Second {
    /// A place, and what stands there.
    pub fn new(span: Span, label: impl Into<String>) -> Self {
        Self { span, label: label.into(), more: None }
    }

    /// This place and those behind it.
    pub fn all(this: Option<&Second>) -> impl Iterator<Item = &Second> {
        std::iter::successors(this, |second| second.more.as_deref())
    }

    /// Puts a place behind the others.
    fn push(mut this: &mut Option<Box<Second>>, last: Second) {
        while let Some(second) = this {
            this = &mut second.more;
        }
        *this = Some(Box::new(last));
    }
}

impl miette::Diagnostic for Rejected {
    fn help(&self) -> Option<Box<dyn std::fmt::Display + '_>> {
        self.help.as_ref().map(|help| Box::new(help) as _)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        let label =
            |text: &str, span| miette::LabeledSpan::new_with_span(Some(text.to_owned()), span);
        let others = Second::all(self.second.as_deref());
        let others = others.map(move |second| label(&second.label, second.span));
        Some(Box::new(std::iter::once(label(&self.label, self.span)).chain(others)))
    }
}

impl Rejected {
    /// A refusal at `span`; `label` is shown under the place.
    pub fn new(span: Span, message: impl Into<String>, label: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            rule: None,
            limit: None,
            span,
            label: label.into(),
            second: None,
            help: None,
        }
    }

    /// The same, because `premise` of the type rule `rule` fails.
    pub fn by_rule(mut self, rule: &'static str, premise: &'static str) -> Self {
        self.rule = Some((rule, premise));
        self
    }

    /// The same, because the program goes beyond a limit.
    pub fn by_limit(mut self, limit: Limit) -> Self {
        self.limit = Some(limit);
        self
    }

    /// The same, with the other place, or one more.
    pub fn with(mut self, second: Span, label: impl Into<String>) -> Self {
        Second::push(&mut self.second, Second::new(second, label));
        self
    }

    /// The same with advice.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into().into());
        self
    }
}

/// What parsers and type checkers limit, so that nothing after them has to. A program beyond a limit is
/// not used, which does not make it wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Limit {
    /// Bytes of a source ([`MAX_SOURCE`]).
    Length,
    /// Brackets and bodies in one another ([`MAX_NESTING`]).
    Nesting,
    /// Operators in one another.
    Operators,
    /// Dimensions of an array ([`MAX_RANK`]).
    Dimensions,
    /// Elements of array literals.
    Literals,
    /// Names of a program.
    Names,
    /// Types that are inferred.
    Types,
}

impl Limit {
    /// What there is too much of.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Length => "length",
            Limit::Nesting => "nesting",
            Limit::Operators => "operators in one another",
            Limit::Dimensions => "dimensions of an array",
            Limit::Literals => "elements of literals",
            Limit::Names => "names",
            Limit::Types => "size of types",
        }
    }
}

/// `1 value`, `2 values`: a number of things whose plural ends in s.
pub fn counted(number: usize, thing: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{s}")
}

/// A program that a pass cannot translate: the statement and the reason. Never a wrong program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[error("`{statement}` is refused: {reason}")]
pub struct Refused {
    /// Where the statement stands.
    pub span: Span,
    /// The statement, as its room prints it.
    pub statement: String,
    /// Why, in one clause.
    pub reason: String,
    /// Another place, where it is not the statement alone.
    pub second: Option<Box<Second>>,
}

impl Refused {
    /// The statement at `span`, and why.
    pub fn new(span: Span, statement: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { span, statement: statement.into(), reason: reason.into(), second: None }
    }

    /// The same, with the other place, or one more.
    pub fn with(mut self, second: Span, label: impl Into<String>) -> Self {
        Second::push(&mut self.second, Second::new(second, label));
        self
    }
}

/// Deepest nesting of brackets and bodies that a parser accepts. Everything after a parser
/// may recurse over a program without fear for its stack.
pub const MAX_NESTING: usize = 256;

/// Longest source that a parser accepts, in bytes.
pub const MAX_SOURCE: usize = 4 << 20;

/// Most dimensions of an array that a parser accepts.
pub const MAX_RANK: usize = 16;
