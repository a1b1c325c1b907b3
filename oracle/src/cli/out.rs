//! What a command writes: lines or JSON to standard output, messages to standard error. A reader
//! that closes its end (`| head`) is no error.

use super::look::Look;
use super::problem::{Problem, render};
use super::{Answer, Status};
use serde::Serialize;
use std::io::{self, Write};

/// The two outputs.
pub(super) struct Out {
    /// Is standard output read by a machine?
    json: bool,
    /// How it looks.
    look: Look,
    /// Is nothing written to either output?
    quiet: bool,
    closed: bool,
    failed: Option<io::Error>,
}

impl Out {
    /// For a person, or for a machine that reads an object of JSON on each line.
    pub(super) fn new(json: bool, look: Look) -> Self {
        Self { json, look, quiet: false, closed: false, failed: None }
    }

    /// The same for nobody.
    pub(super) fn quiet(self) -> Self {
        Self { quiet: true, ..self }
    }

    /// A command line that is none.
    pub(super) fn usage(&mut self, error: &clap::Error) {
        if self.json {
            self.json(&Problem::usage(error).json());
        }
        if !self.quiet {
            let _ = error.print();
        }
    }

    /// A text of clap that was asked for.
    pub(super) fn asked(&mut self, text: &clap::Error) {
        if !self.quiet {
            self.wrote(text.print());
        }
    }

    /// How it looks.
    pub(super) fn look(&self) -> Look {
        self.look
    }

    /// Has the reader of standard output gone, or can nothing be written to it?
    pub(super) fn is_closed(&self) -> bool {
        self.closed || !self.quiet && reader_is_gone()
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
        if self.closed || self.quiet {
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
        if !self.quiet {
            let _ = writeln!(io::stderr().lock(), "{text}");
        }
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
        self.diagnostic(problem);
    }

    /// Shows a diagnostic, with its source, on standard error.
    pub(super) fn diagnostic(&mut self, diagnostic: &dyn miette::Diagnostic) {
        self.message(render(diagnostic, self.look).trim_end());
    }
}

/// Is standard output a pipe whose other end is closed? Writing to it would tell that too, and long work writes seldom.
#[cfg(unix)]
fn reader_is_gone() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let output = io::stdout();
    let mut asked = [PollFd::new(&output, PollFlags::empty())];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    let gone = PollFlags::ERR | PollFlags::HUP;
    poll(&mut asked, Some(&at_once)).is_ok() && asked[0].revents().intersects(gone)
}

/// Elsewhere the next line tells.
#[cfg(not(unix))]
fn reader_is_gone() -> bool {
    false
}
