//! What is concluded of a case.

use super::agree::Difference;
use crate::engine::{EngineId, StageId};
use reference::kit::outcome::{Broken, Ending, Outcome, Race, Site, Stuck, Unwritten, Why};
use reference::kit::text::Span;
use reference::kit::value::Value;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What is concluded of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All that was compared agrees.
    Agree,
    /// The reference itself gives no answer that could be compared with.
    Unknown(Why),
    /// The program gives other results in another order of its threads, though none races or gets stuck. What is the
    /// same in all orders was compared, and agrees. Nobody is to blame.
    OrderDependent(OrderDependent),
    /// Something is wrong.
    Finding(Box<Finding>),
}

/// Two orders of the threads of a program that give different results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OrderDependent {
    /// The order of the semantics, and another one.
    pub ends: Box<[End; 2]>,
    /// How the second differs from the first.
    pub text: String,
}

/// What a program gives in an order of its threads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct End {
    /// The order.
    pub order: ThreadOrder,
    /// Its results.
    pub results: Vec<Value>,
}

/// An order of the threads of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ThreadOrder {
    /// The engine that runs it.
    pub engine: EngineId,
    /// What it is drawn from, if that is not the schedule of the case: a header says it as `schedule:`.
    pub schedule: Option<u64>,
}

impl From<EngineId> for ThreadOrder {
    fn from(engine: EngineId) -> Self {
        Self { engine, schedule: None }
    }
}

impl fmt::Display for ThreadOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.schedule {
            Some(schedule) => write!(f, "{} with schedule {schedule}", self.engine),
            None => write!(f, "{}", self.engine),
        }
    }
}

/// A step of an examination: go on, or stop with a verdict.
pub(super) type Step = Result<(), Verdict>;

impl From<Box<Finding>> for Verdict {
    fn from(finding: Box<Finding>) -> Self {
        Verdict::Finding(finding)
    }
}

/// Something is wrong with a stage of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The pass that is blamed.
    pub stage: StageId,
    /// The engine that showed it.
    pub engine: EngineId,
    /// What kind of thing is wrong.
    pub kind: Kind,
    /// Which half of the pass.
    pub part: Part,
    /// The place and cause, if the kind has one.
    pub site: Option<Site>,
    /// Where what is wrong got stuck, if that is another statement than where it was to.
    pub instead: Option<Span>,
    /// Of what is undefined: the instruction that made it so, and the premise that failed there. Of a plan that is wrong:
    /// the law that is.
    pub instruction: Option<String>,
    /// One sentence.
    pub text: String,
    /// The races of the run that shows it.
    pub races: Vec<Race>,
    /// The first read of memory that nothing wrote in that run.
    pub unwritten: Option<Unwritten>,
    /// Where that run gets stuck.
    pub stuck: Option<Stuck>,
}

/// Kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Results differ.
    Value,
    /// One gets stuck where the other does not, or elsewhere.
    Stuck,
    /// A pass made a race.
    Race,
    /// The check of races missed one.
    MissedRace,
    /// A pass made a read of memory that nothing wrote.
    Unwritten,
    /// A result array is not row-major over its block.
    Invalid,
    /// The order of threads can be told.
    Order,
    /// Print and parse are not inverse.
    RoundTrip,
    /// A stage is not well typed.
    Types,
    /// A promise of ours was broken.
    Panic,
    /// A process died.
    Crash,
    /// No answer in time.
    Hang,
    /// The device was lost.
    Lost,
    /// The device rejected what the compiler emitted.
    Rejected,
    /// Something outside a block was written.
    Guard,
    /// A shader does what its language leaves undefined.
    Undefined,
    /// A cost is not what it is said to be.
    Cost,
    /// A certificate of rewriting is refused.
    Certificate,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 18] = [
        Kind::Value,
        Kind::Stuck,
        Kind::Race,
        Kind::MissedRace,
        Kind::Unwritten,
        Kind::Invalid,
        Kind::Order,
        Kind::RoundTrip,
        Kind::Types,
        Kind::Panic,
        Kind::Crash,
        Kind::Hang,
        Kind::Lost,
        Kind::Rejected,
        Kind::Guard,
        Kind::Undefined,
        Kind::Cost,
        Kind::Certificate,
    ];

    /// Its name in headers.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Value => "value",
            Kind::Stuck => "stuck",
            Kind::Race => "race",
            Kind::MissedRace => "missed-race",
            Kind::Unwritten => "unwritten",
            Kind::Invalid => "invalid",
            Kind::Order => "order",
            Kind::RoundTrip => "round-trip",
            Kind::Types => "types",
            Kind::Panic => "panic",
            Kind::Crash => "crash",
            Kind::Hang => "hang",
            Kind::Lost => "lost",
            Kind::Rejected => "rejected",
            Kind::Guard => "guard",
            Kind::Undefined => "undefined",
            Kind::Cost => "cost",
            Kind::Certificate => "certificate",
        }
    }
}

impl From<&Broken> for Kind {
    fn from(broken: &Broken) -> Self {
        match broken {
            Broken::Crash(_) => Kind::Crash,
            Broken::Hang => Kind::Hang,
            Broken::Lost(_) => Kind::Lost,
            Broken::Panic(_) => Kind::Panic,
            Broken::Invalid(_) => Kind::Rejected,
            Broken::Guard(_) => Kind::Guard,
            Broken::Undefined(_) => Kind::Undefined,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which half of a pass is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// What the program computes: its value run differs.
    Computation,
    /// Where its arrays are: only its heap run differs.
    Memory,
    /// Everything: the stage has one run only.
    Whole,
}

impl Finding {
    /// Of a stage as a whole, without a place.
    pub fn of(stage: StageId, engine: EngineId, kind: Kind, text: String) -> Self {
        Self {
            stage,
            engine,
            kind,
            part: Part::Whole,
            site: None,
            instead: None,
            instruction: None,
            text,
            races: Vec::new(),
            unwritten: None,
            stuck: None,
        }
    }

    /// With what the run shows that it is about.
    pub fn shown_by(self, outcome: &Outcome) -> Self {
        let stuck = match &outcome.ending {
            Ending::Stuck(stuck) => Some(stuck.clone()),
            Ending::Value(_) | Ending::Unknown(_) | Ending::Broken(_) => None,
        };
        let (races, unwritten) = (outcome.races.clone(), outcome.unwritten.clone());
        Self { races, unwritten, stuck, ..self }
    }

    /// Of a stage as a whole, where two ends differ.
    pub fn between(
        stage: StageId,
        engine: EngineId,
        difference: &Difference,
        text: String,
    ) -> Self {
        let Difference { kind, site, instead, .. } = *difference;
        Self { site, instead, ..Self::of(stage, engine, kind, text) }
    }

    /// What has to stay the same while a finding is shrunk, and what makes two findings one:
    /// stage, kind, cause and adapter.
    pub fn signature(&self) -> Signature {
        Signature {
            stage: self.stage.0.to_owned(),
            kind: self.kind,
            cause: match self.site {
                Some(site) => Some(site.cause.name().to_owned()),
                None => self.instruction.clone(),
            },
            adapter: self.engine.is_adapter().then(|| self.engine.to_string()),
        }
    }
}

/// Stage, kind, cause and adapter of a finding. A campaign keeps it on the disk, so its names are
/// its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Signature {
    /// The pass that is blamed.
    pub stage: String,
    /// The kind.
    pub kind: Kind,
    /// The premise that failed, if that is the kind; of what is undefined with its instruction, so that
    /// two operations that a compiler writes wrongly are two findings.
    pub cause: Option<String>,
    /// The engine of the adapter that showed it, if one did: two drivers that are wrong are two findings.
    pub adapter: Option<String>,
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}", self.kind, self.stage)?;
        if let Some(cause) = &self.cause {
            write!(f, " ({cause})")?;
        }
        match &self.adapter {
            Some(adapter) => write!(f, " on {adapter}"),
            None => Ok(()),
        }
    }
}
