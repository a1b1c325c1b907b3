//! What is asked of a judge and cannot be done.

use std::fmt;
use std::ops::Range;

/// Why something that is asked cannot be done, what may help, and where it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// In a sentence.
    pub why: String,
    /// What may help.
    pub help: Option<String>,
    /// The option that asks for it, without its strokes, and what of its value is wrong: `groups` and `0`.
    pub said: Option<(&'static str, String)>,
    /// Places in the text of the shader, as bytes, and what is there.
    pub places: Vec<(Range<usize>, String)>,
}

impl Unfit {
    /// For this reason.
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self { why: why.into(), help: None, said: None, places: Vec::new() }
    }

    /// With advice.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// By this option.
    pub(crate) fn said(self, option: &'static str, value: impl Into<String>) -> Self {
        Self { said: Some((option, value.into())), ..self }
    }

    /// With a place in the text, if it is known.
    pub(crate) fn at(mut self, place: Option<Range<usize>>, label: impl Into<String>) -> Self {
        self.places.extend(place.map(|place| (place, label.into())));
        self
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.help {
            None => write!(f, "{}", self.why),
            Some(help) => write!(f, "{} ({help})", self.why),
        }
    }
}
