//! What naga says against a text of WGSL, with its places.

use naga::back::pipeline_constants::PipelineConstantError;
use naga::front::wgsl::ParseError;
use naga::valid::ValidationError;
use naga::{Span, WithSpan};
use std::error::Error;
use std::fmt;
use std::ops::Range;

/// Why naga does not take a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// In a sentence.
    pub message: String,
    /// Where, as bytes of the text, and what is there; the first one is the place.
    pub places: Vec<(Range<usize>, String)>,
    /// What it is about, or what may help.
    pub help: Option<String>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)?;
        match self.places.first() {
            Some((place, _)) => write!(f, " (byte {})", place.start),
            None => Ok(()),
        }
    }
}

impl Refused {
    /// Without a place.
    pub(super) fn new(message: String) -> Self {
        Self { message, places: Vec::new(), help: None }
    }

    /// By the parser.
    pub(super) fn of_text(error: &ParseError) -> Self {
        let notes: Vec<_> = error.notes().collect();
        Self {
            message: error.message().to_owned(),
            places: places(error.labels()),
            help: (!notes.is_empty()).then(|| notes.join("\n")),
        }
    }

    /// By the validator: the innermost reason, and what it is about.
    pub(super) fn of_module(error: &WithSpan<ValidationError>) -> Self {
        let mut reasons = reasons(error.as_inner());
        // Expressions have no names.
        reasons.retain(|reason| {
            !(reason.starts_with("Expression [") && reason.ends_with("is invalid"))
        });
        let message = reasons.pop().unwrap_or_default();
        let label = |label: &str| {
            if label.starts_with("naga::") { "here".to_owned() } else { label.to_owned() }
        };
        let places = places(error.spans().map(|(span, label)| (*span, label.as_str())));
        let places = places.into_iter().map(|(place, text)| (place, label(&text))).collect();
        Self { message, places, help: (!reasons.is_empty()).then(|| reasons.join(": ")) }
    }

    /// Under the values of its constants.
    pub(super) fn of_constants(error: &PipelineConstantError) -> Self {
        match error {
            PipelineConstantError::ValidationError(error) => Self::of_module(error),
            error => Self::new(chain(error)),
        }
    }
}

fn places<'l>(labels: impl Iterator<Item = (Span, &'l str)>) -> Vec<(Range<usize>, String)> {
    labels.filter_map(|(span, label)| Some((span.to_range()?, label.to_owned()))).collect()
}

/// The error and its causes, the innermost last; what repeats is left out.
fn reasons(error: &dyn Error) -> Vec<String> {
    let mut reasons: Vec<String> = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let reason = error.to_string();
        if reasons.last() != Some(&reason) {
            reasons.push(reason);
        }
        next = error.source();
    }
    reasons
}

/// The error and its causes in a line.
pub(super) fn chain(error: &dyn Error) -> String {
    reasons(error).join(": ")
}
