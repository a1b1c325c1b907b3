//! What we and `node.cjs` say to each other, and the process that runs it.

use crate::engines::child::{Launcher, Process};
use compiler::run::bound::{Access, Bound};
use reference::kit::outcome::{Broken, Ending, Why};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, BufRead};
use std::process::Command;
use std::time::Instant;

/// Names the folder that the npm package `webgpu` is installed in, as `.ci/install-dawn` prints it.
pub const FOLDER: &str = "LOCKSTEP_DAWN";

/// The other side.
const SCRIPT: &str = include_str!("node.cjs");

/// What stands before the header of an answer, so that it is told from what Dawn prints.
const MARK: &[u8] = b"\x01lockstep ";

/// No answer is longer.
const LONGEST: u64 = 1 << 31;

/// The header of a request, with the lengths of the parts that follow it.
#[derive(Serialize)]
struct Request<'r> {
    parts: Vec<usize>,
    #[serde(flatten)]
    asks: &'r Asks,
}

/// What is asked of Dawn.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Asks {
    /// To run a shader; its parts are the shader, the words of the launch, those of the arena and those of the
    /// region of atomic blocks.
    Launch {
        launch: bool,
        /// Work groups in each dimension.
        groups: [u32; 3],
        /// Bytes of the record.
        records: usize,
    },
    /// To run a shader that somebody wrote; its parts are the shader, and the words of each of its buffers.
    Bound {
        bound: bool,
        entry: String,
        constants: BTreeMap<String, f64>,
        /// The place of each buffer, and how it is bound.
        buffers: Vec<(u32, u32, Access)>,
        /// Work groups of each dispatch.
        dispatches: Vec<[u32; 3]>,
    },
    /// To compile a shader, the only part, and no more.
    Compile {},
}

impl Asks {
    /// To run this shader.
    pub(super) fn bound(bound: &Bound) -> Self {
        let buffers = bound.buffers.iter();
        Self::Bound {
            bound: true,
            entry: bound.entry.clone(),
            constants: bound.constants.iter().cloned().collect(),
            buffers: buffers.map(|of| (of.group, of.binding, of.access)).collect(),
            dispatches: bound.dispatches.clone(),
        }
    }
}

/// What Dawn answers, and what it printed before that.
pub(super) struct Answer {
    pub(super) says: Says,
    /// The parts that follow the header, one behind the other.
    pub(super) bytes: Vec<u8>,
    pub(super) printed: String,
}

/// The header of an answer.
#[derive(Debug, Deserialize)]
struct Header {
    parts: Vec<u64>,
    #[serde(flatten)]
    says: Says,
}

/// What an answer says.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Says {
    /// First of all: it is there, with this adapter.
    Ready(Ready),
    /// First of all: it cannot serve, and why.
    Unfit(String),
    /// It did what it was asked; the bytes are the words of the arena, those of the record, and those of the
    /// region of atomic blocks; of a shader that somebody wrote those of its buffers.
    Done {},
    /// It could not, for this reason.
    Failed(Failure, String),
}

/// Kinds of failures.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Failure {
    /// Tint refuses the shader, or Dawn what is asked.
    Invalid,
    /// The device has no memory left.
    Memory,
    /// The device is lost, or Dawn has a fault.
    Lost,
}

/// What Dawn says of its adapter.
#[derive(Debug, Deserialize)]
pub(super) struct Ready {
    pub(super) name: String,
    pub(super) driver: String,
    /// Of the package.
    pub(super) version: String,
    /// Does it compute on the processor?
    pub(super) fallback: bool,
    /// Storage buffers of a stage, bytes of a binding, bytes of a buffer, invocations of a work
    /// group, the same in its first dimension, bytes of work-group memory, work groups of a
    /// dimension.
    pub(super) limits: [u64; 7],
    pub(super) f16: bool,
    pub(super) subgroups: bool,
}

/// The folder of the package.
///
/// # Errors
/// It is not known.
fn folder() -> Result<OsString, String> {
    std::env::var_os(FOLDER).filter(|folder| !folder.is_empty()).ok_or_else(|| {
        format!(
            "{FOLDER} names no folder with the npm package `webgpu`; `eval \"$(bash \
             .ci/install-dawn)\"` installs it"
        )
    })
}

/// The bytes of a request with its parts.
pub(super) fn request(asks: &Asks, parts: &[&[u8]]) -> io::Result<Vec<u8>> {
    let header = Request { parts: parts.iter().map(|part| part.len()).collect(), asks };
    let header = serde_json::to_vec(&header).map_err(io::Error::other)?;
    let length = u32::try_from(header.len()).map_err(io::Error::other)?;
    let mut bytes = length.to_le_bytes().to_vec();
    bytes.extend(header);
    parts.iter().for_each(|part| bytes.extend_from_slice(part));
    Ok(bytes)
}

/// Starts node, and waits for what it says first of all. A process that breaks meanwhile is held too:
/// it knows how it ended.
///
/// # Errors
/// Neither node nor the package is there, or the process broke.
pub(super) fn start(
    held: &mut Option<Process<Answer>>,
    launcher: &Launcher,
    toggles: &[&str],
    began: Instant,
) -> Result<Ready, Ending> {
    let unfit = |why| Ending::Unknown(Why::NoAdapter(why));
    let folder = folder().map_err(unfit)?;
    let mut command = Command::new("node");
    command.arg("-e").arg(SCRIPT).arg("--").arg(folder);
    command.arg(std::process::id().to_string()).args(toggles);
    let process = held.insert(Process::start(launcher, command, answer)?);
    match process.wait(launcher, began)?.says {
        Says::Ready(ready) => Ok(ready),
        Says::Unfit(why) => {
            *held = None;
            // The first line says what is missing. The paths that were searched do not help the user.
            let why = why.lines().next().unwrap_or_default();
            Err(unfit(format!("node and Dawn, as {FOLDER} names them: {why}")))
        }
        other => Err(out_of_turn(&other)),
    }
}

/// It answered what it was not asked.
pub(super) fn out_of_turn(says: &Says) -> Ending {
    let text = format!("answered out of turn: {says:?}");
    Ending::Broken(Broken::Crash(text))
}

/// Reads one answer; none at the end.
fn answer(from: &mut impl BufRead) -> io::Result<Option<Answer>> {
    let mut printed = Vec::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        if from.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let Some(header) = line.strip_prefix(MARK) else {
            printed.extend_from_slice(&line);
            continue;
        };
        let Header { parts, says } = serde_json::from_slice(header).map_err(io::Error::other)?;
        let length = parts.iter().fold(0u64, |sum, part| sum.saturating_add(*part));
        if length > LONGEST {
            return Err(io::Error::other("an answer of more than 2 GiB"));
        }
        let mut bytes = vec![0; length as usize];
        from.read_exact(&mut bytes)?;
        let printed = String::from_utf8_lossy(&printed).into_owned();
        return Ok(Some(Answer { says, bytes, printed }));
    }
}

#[cfg(test)]
mod tests {
    use super::{Asks, Failure, Says, answer, request};
    use std::io::BufReader;

    #[test]
    fn answers_are_told_from_what_is_printed() {
        let text = b"info:\n; SPIR-V\n\n\x01lockstep {\"done\":{},\"parts\":[3,1]}\nab\ncNoise\n\
            \x01lockstep {\"failed\":[\"invalid\",\"no\"],\"parts\":[]}\n";
        let mut from = BufReader::new(&text[..]);
        let first = answer(&mut from).expect("it reads").expect("there is one");
        assert!(matches!(first.says, Says::Done {}));
        assert_eq!(
            (&first.bytes[..], first.printed.as_str()),
            (&b"ab\nc"[..], "info:\n; SPIR-V\n\n")
        );
        let second = answer(&mut from).expect("it reads").expect("there is one");
        assert_eq!(second.printed, "Noise\n");
        assert!(matches!(second.says, Says::Failed(Failure::Invalid, text) if text == "no"));
        assert!(answer(&mut from).expect("it reads").is_none());
    }

    #[test]
    fn an_answer_that_is_cut_is_an_error() {
        let text = b"\x01lockstep {\"done\":{},\"parts\":[9]}\nabc";
        assert!(answer(&mut BufReader::new(&text[..])).is_err());
        assert!(answer(&mut BufReader::new(&b"\x01lockstep what\n"[..])).is_err());
    }

    #[test]
    fn a_request_says_how_long_its_parts_are() {
        let bytes = request(&Asks::Compile {}, &[b"ab"]).expect("it is short");
        assert_eq!(bytes, b"\x0d\0\0\0{\"parts\":[2]}ab");
    }
}
