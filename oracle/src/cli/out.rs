//! What a command writes: lines or JSON to standard output, messages to standard error. A reader
//! that closes its end (`| head`) is no error.

use super::problem::Problem;
use serde::Serialize;
use std::io::{self, IsTerminal, Write};

/// The two outputs.
pub(super) struct Out {
    closed: bool,
}

impl Out {
    pub(super) fn new() -> Self {
        Self { closed: false }
    }

    /// Writes a line.
    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        self.text(&format!("{}\n", text.as_ref()));
    }

    /// Writes text as it is.
    pub(super) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Writes bytes as they are.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        if self.closed {
            return;
        }
        let mut output = io::stdout().lock();
        self.closed = output.write_all(bytes).and_then(|()| output.flush()).is_err();
    }

    /// Writes an object of JSON on a line of its own.
    pub(super) fn json(&mut self, value: &impl Serialize) {
        match serde_json::to_string(value) {
            Ok(text) => self.line(text),
            Err(error) => self.message(&format!("this cannot be written as JSON: {error}")),
        }
    }

    /// Writes a message to standard error.
    pub(super) fn message(&mut self, text: &str) {
        let _ = writeln!(io::stderr().lock(), "{text}");
    }

    /// Writes what is wrong with an input to standard error.
    pub(super) fn problem(&mut self, problem: &Problem) {
        self.message(problem.text(io::stderr().is_terminal()).trim_end());
    }
}
