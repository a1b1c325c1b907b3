//! What parent and child say to each other: frames of a length (four bytes, little-endian) and
//! that many bytes of JSON.

use compiler::run::Adapter;
use reference::device::syntax::Program;
use reference::kit::outcome::{Budget, Outcome, Value};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};

/// What the parent asks.
#[derive(Debug, Serialize, Deserialize)]
pub enum Request {
    /// Run a program.
    Run {
        /// The program.
        program: Box<Program>,
        /// Its input.
        input: Vec<Value>,
        /// What it may use.
        budget: Budget,
    },
    /// Break on purpose: how the tests see what the parent makes of it.
    Misbehave(Misbehaviour),
}

/// Ways to break.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Misbehaviour {
    /// Ends the process by a signal.
    Abort,
    /// Never answers.
    Hang,
    /// Takes memory without end.
    Exhaust,
    /// Panics as a broken promise does.
    Panic,
}

/// What the child answers.
#[derive(Debug, Serialize, Deserialize)]
pub enum Answer {
    /// First of all: it is there, with this adapter; `None` is our own evaluator.
    Ready(Option<Box<Adapter>>),
    /// First of all: it cannot serve, and why.
    Unfit(String),
    /// First and last: the adapters of this machine, from a child that was asked for none.
    Adapters(Vec<Adapter>),
    /// To [`Request::Run`].
    Outcome(Box<Outcome>),
}

/// The name under which a child serves our evaluator of the device language in the place of an
/// adapter, so that the tests of this protocol need no driver.
pub const EVALUATOR: &str = "evaluator";

/// No frame is longer.
const LONGEST: u32 = 1 << 30;

/// Writes one frame.
///
/// # Errors
/// The other side is gone, or the message is too long.
pub(super) fn send<T: Serialize>(to: &mut impl Write, message: &T) -> io::Result<()> {
    to.write_all(&frame(message)?)?;
    to.flush()
}

/// The bytes of one frame.
///
/// # Errors
/// The message is too long.
pub(super) fn frame<T: Serialize>(message: &T) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; 4];
    serde_json::to_writer(&mut bytes, message)?;
    let length = u32::try_from(bytes.len() - 4).ok().filter(|length| *length <= LONGEST);
    let length = length.ok_or_else(|| io::Error::other("the message is longer than 1 GiB"))?;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    Ok(bytes)
}

/// Reads one frame; `None` at the end.
///
/// # Errors
/// The other side is gone in the middle of a frame, or what it says is not a message.
pub(super) fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u32::from_le_bytes(length);
    if length > LONGEST {
        return Err(io::Error::other("a frame of more than 1 GiB"));
    }
    let mut bytes = vec![0; length as usize];
    from.read_exact(&mut bytes)?;
    Ok(Some(serde_json::from_slice(&bytes)?))
}
