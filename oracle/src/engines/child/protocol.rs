//! What parent and child say to each other: frames of a length (four bytes, little-endian) and
//! that many bytes of postcard. It is short, and has no limit of depth: a program of the deepest
//! nesting is a message like any other, so its reader needs the stack for it
//! ([`STACK`](crate::STACK)).

use compiler::route::KernelOptions;
use compiler::run::bound::Bound;
use compiler::target::Adapter;
use reference::device::syntax::Program;
use reference::kit::outcome::{Budget, Outcome, Value};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};

/// What the parent asks.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Request {
    /// To run a program.
    Program {
        /// The program.
        program: Box<Program>,
        /// Its input.
        input: Vec<Value>,
        /// What it may use.
        budget: Budget,
        /// How its kernels are compiled.
        options: KernelOptions,
    },
    /// To run a shader that somebody wrote.
    Shader(Bound),
}

/// What the child answers.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    /// First of all: it is there, with this adapter; `None` is our own evaluator.
    Ready(Option<Box<Adapter>>),
    /// First of all: it cannot serve, and why.
    Unfit(String),
    /// First and last: the adapters of this machine, from a child that was asked for none.
    Adapters(Vec<Adapter>),
    /// To a program, and to a shader that did not run to its end.
    Outcome(Box<Outcome>),
    /// To a shader: what its buffers hold.
    Words(Vec<Vec<u32>>),
}

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
    let mut bytes = postcard::to_extend(message, vec![0; 4]).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len() - 4).ok().filter(|length| *length <= LONGEST);
    let length = length.ok_or_else(|| io::Error::other("the message is longer than 1 GiB"))?;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    Ok(bytes)
}

/// Reads one frame; `None` at the end. A frame that is whole and yet no message is told apart:
/// the next one may be.
///
/// # Errors
/// The other side is gone in the middle of a frame, or what it says is none.
pub(super) fn receive<T: DeserializeOwned>(
    from: &mut impl Read,
) -> io::Result<Option<Result<T, postcard::Error>>> {
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
    Ok(Some(postcard::from_bytes(&bytes)))
}
