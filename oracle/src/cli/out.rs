//! What a command writes: lines or JSON to standard output, messages to standard error. A reader
//! that closes its end (`| head`) is no error.

use super::problem::Problem;
use super::{Answer, Status};
use serde::Serialize;
use std::io::{self, IsTerminal, Write};

/// The two outputs.
pub(super) struct Out {
    /// Is standard output read by a machine?
    json: bool,
    closed: bool,
    failed: Option<io::Error>,
}

impl Out {
    /// For a person, or for a machine that reads an object of JSON on each line.
    pub(super) fn new(json: bool) -> Self {
        Self { json, closed: false, failed: None }
    }

    /// The first failure to write to standard output, if there was one.
    pub(super) fn failure(&self) -> Option<Problem> {
        let error = self.failed.as_ref()?;
        Some(Problem::new(format!("standard output cannot be written: {error}")))
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
        self.wrote(output.write_all(bytes).and_then(|()| output.flush()));
    }

    /// Keeps what came of writing: after a failure nothing more is written.
    pub(super) fn wrote(&mut self, result: io::Result<()>) {
        let Err(error) = result else { return };
        self.closed = true;
        if error.kind() != io::ErrorKind::BrokenPipe {
            self.failed.get_or_insert(error);
        }
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

    /// How something ended. What is wrong with its input is told: the rest goes on.
    pub(super) fn status(&mut self, ended: Answer) -> Status {
        ended.unwrap_or_else(|problem| {
            self.problem(&problem);
            Status::Unusable
        })
    }

    /// Writes what is wrong with an input to standard error, and tells a machine of it too.
    pub(super) fn problem(&mut self, problem: &Problem) {
        if self.json {
            self.json(&problem.json());
        }
        self.message(problem.text(io::stderr().is_terminal()).trim_end());
    }
}
