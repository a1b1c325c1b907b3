//! What a campaign keeps on the disk, beside its findings, so that it can go on in another process:
//! `campaign.json`. It is written every few seconds, with each finding, and at the end.

use super::cases::fingerprint;
use super::causes::{self, Alike};
use super::file;
use super::numbering::Position;
use super::run::{Kept, Settings};
use super::tally::Tally;
use crate::VERSION;
use crate::generate::Weights;
use crate::language::Lang;
use crate::mutate::Origins;
use reference::kit::language;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;
use std::{fmt, fs};

/// The name of the file.
pub const FILE: &str = "campaign.json";

/// The form of the file. It changes with every field below.
const FORMAT: u64 = 8;

/// The largest count and the most seconds that are read: no campaign comes near, and sums of them
/// do not overflow.
const LARGEST: u64 = 1 << 53;

/// Bytes of the longest file that is read: none is a hundredth as long.
const LONGEST: u64 = 64 << 20;

/// A campaign, as it is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    format: u64,
    version: String,
    /// What its programs and verdicts depend on.
    pub options: Options,
    /// How far it has come.
    pub position: Position,
    /// How long it has run.
    pub elapsed: Duration,
    /// Everything counted, of the programs that count.
    pub tally: Tally,
    /// The findings that were kept and are told, or will be before anything else is.
    pub kept: Vec<Known>,
    /// Panics outside of any engine.
    pub lost: Vec<String>,
}

/// A finding that is in the folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// The name of its file.
    pub file: String,
    /// What it has in common with findings that are alike.
    pub alike: Alike,
    /// What tells its program from theirs.
    pub smallest: String,
    /// How many programs were shrunk to this one, itself among them; in a summary how many show it.
    pub members: u64,
    /// How many statements its program has.
    pub statements: usize,
    /// The finding, in one sentence.
    pub text: String,
}

impl From<&Kept> for Known {
    fn from(kept: &Kept) -> Self {
        Known {
            file: kept.record.file_name(),
            alike: Alike::of(&kept.record.finding),
            smallest: causes::smallest(&kept.record.case.program),
            members: kept.members,
            statements: kept.record.statements(),
            text: kept.record.finding.text.clone(),
        }
    }
}

/// What the programs of a campaign and their verdicts depend on, in the words of the command line.
/// A campaign goes on with the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// The seed.
    pub seed: u64,
    /// The engines that are asked; empty for all.
    pub engines: Vec<String>,
    /// The adapters, each with its driver.
    pub adapters: Vec<String>,
    /// The language that programs are drawn in, if it is told.
    pub language: Option<Lang>,
    /// The options of that language that are set.
    pub settings: language::Settings,
    /// The style of all shaders, if it is told.
    pub style: Option<String>,
    /// Which bugs of the toolchain shaders work around.
    pub workarounds: String,
    /// The seed of all decisions of passes, if it is told.
    pub chaos: Option<u64>,
    /// How many decisions passes make of all that they may leave undone, if it is told.
    pub decisions: Option<u64>,
    /// The percentage of programs that are rewritten by laws first.
    pub optimize: u32,
    /// What mutants are made of.
    pub sources: Origins,
    /// What the generator draws, as a digest: the version of a build does not tell.
    pub draws: String,
}

impl Options {
    /// Those of a campaign.
    pub fn of(settings: &Settings) -> Self {
        let adapters = settings.adapters.iter();
        Self {
            seed: settings.seed,
            engines: settings.only.clone(),
            adapters: adapters
                .map(|adapter| format!("{} ({})", adapter.id, adapter.driver_info))
                .collect(),
            language: settings.language,
            settings: settings.options.clone(),
            style: settings.style.map(|style| style.to_string()),
            workarounds: settings.plan.workarounds.name().to_owned(),
            chaos: settings.plan.decisions.chaos,
            decisions: settings.plan.decisions.limit,
            optimize: settings.optimize,
            sources: settings.sources.origins().clone(),
            draws: fingerprint(),
        }
    }
}

/// Why a campaign cannot go on.
#[derive(Debug)]
pub enum Unusable {
    /// None was there.
    Missing,
    /// The file cannot be read.
    Unreadable(io::Error),
    /// The file is not what was written: the place and what is wrong there.
    Damaged(String),
    /// It is of this version, not of ours.
    Version(String),
    /// It is of a build that draws other programs.
    Draws,
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unusable::Missing => f.write_str("it is not there"),
            Unusable::Unreadable(error) => write!(f, "it cannot be read: {error}"),
            Unusable::Damaged(text) => write!(f, "it is damaged: {text}"),
            Unusable::Version(theirs) => {
                write!(f, "it is of {theirs}, and this is {VERSION}, format {FORMAT}")
            }
            Unusable::Draws => f.write_str("it is of a build that draws other programs"),
        }
    }
}

impl State {
    /// A campaign that is kept now.
    pub(super) fn new(
        options: Options,
        position: Position,
        elapsed: Duration,
        tally: Tally,
        kept: Vec<Known>,
        lost: Vec<String>,
    ) -> Self {
        let version = VERSION.to_owned();
        Self { format: FORMAT, version, options, position, elapsed, tally, kept, lost }
    }

    /// Writes it into the folder.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        file::write(folder, FILE, &serde_json::to_string(self)?).map(|_| ())
    }

    /// Reads the one in the folder.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn read(folder: &Path) -> Result<State, Unusable> {
        let path = folder.join(FILE);
        let told = |error: io::Error| match error.kind() {
            ErrorKind::NotFound => Unusable::Missing,
            _ => Unusable::Unreadable(error),
        };
        if fs::metadata(&path).map_err(told)?.len() > LONGEST {
            return Err(Unusable::Damaged(format!("more than {} MiB", LONGEST >> 20)));
        }
        State::parse(&fs::read(&path).map_err(told)?)
    }

    fn parse(bytes: &[u8]) -> Result<State, Unusable> {
        let damaged = |error: serde_json::Error| Unusable::Damaged(error.to_string());
        // Its version first: another one may have other fields.
        let version: Version = serde_json::from_slice(bytes).map_err(damaged)?;
        if version.format != FORMAT || version.version != VERSION {
            let Version { format, version } = version;
            return Err(Unusable::Version(format!("{version}, format {format}")));
        }
        let state: State = serde_json::from_slice(bytes).map_err(damaged)?;
        let numbers: Value = serde_json::from_slice(bytes).map_err(damaged)?;
        match state.contradiction(&numbers) {
            Some(text) => Err(Unusable::Damaged(text.to_owned())),
            None if state.options.draws != fingerprint() => Err(Unusable::Draws),
            None => Ok(state),
        }
    }

    /// What no campaign writes, in words. `written` is the same state.
    fn contradiction(&self, written: &Value) -> Option<&'static str> {
        let Position { first, next, open, weights } = &self.position;
        if first > next || open.iter().any(|number| !(first..next).contains(&number)) {
            return Some("programs are open that were never drawn");
        }
        // A program whose generator broke was drawn and is not counted.
        if self.tally.programs > next - first - open.len() as u64 {
            return Some("more programs are counted than were drawn");
        }
        let members =
            self.kept.iter().map(|known| known.members).chain(self.tally.alike.values().copied());
        let (members, found) = (members.fold(0, u64::saturating_add), self.tally.found());
        if members > found {
            return Some("findings have more members than were found");
        }
        if !["elapsed", "tally"].iter().all(|key| is_small(&written[*key])) {
            return Some("a count is too large for any campaign");
        }
        let unsteered = Weights::of(self.options.language);
        let steered =
            weights.as_ref().is_none_or(|weights| weights.may_be_steered_from(&unsteered));
        (!steered).then_some("steering makes no such weights")
    }
}

/// Are all numbers in it at most [`LARGEST`]?
fn is_small(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_u64().is_some_and(|number| number <= LARGEST),
        Value::Array(values) => values.iter().all(is_small),
        Value::Object(values) => values.values().all(is_small),
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    }
}

#[derive(Deserialize)]
struct Version {
    format: u64,
    version: String,
}

#[cfg(test)]
mod tests {
    use super::{Alike, Known, Options, Position, State, Unusable, fingerprint};
    use crate::campaign::{Flakes, Tally};
    use crate::check::{Class, Kind, Signature};
    use crate::engine::EngineId;
    use crate::engines::child::End;
    use crate::generate::Weights;
    use crate::mutate::Origins;
    use reference::kit::outcome::{Cause, Why};
    use std::time::Duration;
    use tempfile::TempDir;

    fn state() -> State {
        let signature = Signature {
            stage: "adapter".to_owned(),
            kind: Kind::Stuck,
            cause: Some(Cause::Index.name().to_owned()),
            adapter: Some("evaluator".to_owned()),
        };
        let mut tally = Tally { programs: 12, ..Tally::default() };
        tally.shares.insert(Class::Stuck(Cause::Slice), 2);
        tally.shares.insert(Class::Unknown(Why::Memory(0)), 1);
        let adapter = EngineId::Wgpu("evaluator".to_owned());
        tally.skipped.insert((adapter.clone(), "reason: \"so\"".to_owned()), 3);
        tally.engines.entry(adapter.clone()).or_default().add(Duration::from_millis(3), 4, true);
        tally.ends.insert((adapter.clone(), End::Outside), 2);
        tally.flakes.insert(signature.clone(), Flakes { programs: 1, shown: 2, tries: 3 });
        tally.sizes.insert(9, 12);
        tally.findings.insert(signature.clone(), 4);
        let alike = Alike { signature, engine: adapter.clone() };
        tally.alike.insert(alike.clone(), 1);
        let known = Known {
            file: "adapter-stuck-index-1-9.fun".to_owned(),
            alike,
            smallest: "0123456789abcdef".to_owned(),
            members: 3,
            statements: 3,
            text: "result 1 is 2 instead of 1".to_owned(),
        };
        let options = Options {
            seed: u64::MAX,
            engines: vec!["fun".to_owned()],
            adapters: Vec::new(),
            language: None,
            settings: reference::kit::language::Settings::default(),
            style: None,
            workarounds: "all".to_owned(),
            chaos: Some(u64::MAX),
            decisions: None,
            optimize: 5,
            sources: Origins::default(),
            draws: fingerprint(),
        };
        let position = Position { next: 14, open: [9, 11].into(), ..Position::start(0) };
        let elapsed = Duration::from_millis(1500);
        State::new(options, position, elapsed, tally, vec![known], Vec::new())
    }

    #[test]
    fn a_state_is_read_as_it_was_written() {
        let folder = TempDir::new().expect("a folder");
        assert!(matches!(State::read(folder.path()), Err(Unusable::Missing)));
        let written = state();
        written.write(folder.path()).expect("it can be written");
        let read = State::read(folder.path()).expect("it is whole");
        assert_eq!(format!("{read:?}"), format!("{written:?}"));
    }

    /// Whatever is cut off, what is left is no state; and no byte can be put in that is none of
    /// JSON's.
    #[test]
    fn a_damaged_state_is_told() {
        let text = serde_json::to_string(&state()).expect("it can be written");
        let no = |text: &str| match State::parse(text.as_bytes()) {
            Err(Unusable::Damaged(said)) => said,
            other => panic!("{other:?}: {text}"),
        };
        for at in (0..text.len()).step_by(97).chain([text.len() - 1]) {
            no(&text[..at]);
        }
        assert!(no(&text.replace("\"open\":[9", "\"open\":[99")).contains("never drawn"));
        assert!(no(&text.replace("\"E-LOOP\"", "\"E-LOOPS\"")).contains("no rule E-LOOPS"));
        assert!(no(&text.replace("\"next\"", "\"nest\"")).contains("nest"));
        no(&text.replace("adapter", "\u{0}"));
        let large = no(&text.replace("\"secs\":1,", &format!("\"secs\":{},", u64::MAX)));
        assert!(large.contains("too large"), "{large}");
        let large = no(&text.replace("\"9\":12", &format!("\"9\":{}", u64::MAX)));
        assert!(large.contains("too large"), "{large}");
        let many = no(&text.replace("\"members\":3", "\"members\":4"));
        assert!(many.contains("more members"), "{many}");
        let many = no(&text.replace("\"programs\":12", "\"programs\":13"));
        assert!(many.contains("than were drawn"), "{many}");
        let mut steered = state();
        let mut weights = Weights::default();
        weights.steer(&[("fun", "E-KERNEL size")]);
        steered.position.weights = Some(weights.clone());
        let text = serde_json::to_string(&steered).expect("it can be written");
        State::parse(text.as_bytes()).expect("steering makes these");
        let kernel = |weight: u32| format!("\"kernel\":{weight}");
        for wrong in [0, u32::MAX] {
            let wrong = no(&text.replace(&kernel(weights.kernel), &kernel(wrong)));
            assert!(wrong.contains("steering"), "{wrong}");
        }
    }

    #[test]
    fn a_state_of_another_version_is_told() {
        let text = serde_json::to_string(&state()).expect("it can be written");
        for (from, to) in
            [("\"format\":8", "\"format\":9,\"more\":6"), ("lockstep 0", "lockstep 9")]
        {
            match State::parse(text.replace(from, to).as_bytes()) {
                Err(Unusable::Version(_)) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn a_state_of_other_programs_is_told() {
        let mut other = state();
        other.options.draws = format!("{}0", other.options.draws);
        let text = serde_json::to_string(&other).expect("it can be written");
        assert!(matches!(State::parse(text.as_bytes()), Err(Unusable::Draws)));
    }
}
