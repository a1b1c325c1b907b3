//! What a case, a stage and an engine are.
//!
//! A *case* is a program with its input. Compiling it makes *stages*, each an artifact and the
//! pass that made it. An *engine* runs one kind of artifact. What two engines answer about one
//! case is held against each other by [`check`](crate::check).

use crate::engines::{SEMANTIC, dawn};
use crate::language::Lang;
use crate::rolls::Rolls;
use compiler::target::Adapter;
use reference::fun::syntax::Fun;
use reference::funmem::syntax::FunMem;
use reference::kit::outcome::{Budget, Outcome, Stats, Value};
use reference::{device, fun, imp};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// A program of any language.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Artifact {
    /// FUN.
    Fun(fun::syntax::Program<Fun>),
    /// FUNMEM.
    FunMem(fun::syntax::Program<FunMem>),
    /// IMP.
    Imp(imp::syntax::Program),
    /// The device language.
    Device(device::syntax::Program),
}

impl Artifact {
    /// Its language.
    pub fn lang(&self) -> Lang {
        match self {
            Artifact::Fun(_) => Lang::Fun,
            Artifact::FunMem(_) => Lang::FunMem,
            Artifact::Imp(_) => Lang::Imp,
            Artifact::Device(_) => Lang::Device,
        }
    }
}

/// Where a case comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Origin {
    /// A file.
    File(String),
    /// A generator: the seed of the campaign and the number of the program.
    Generated {
        /// The seed.
        seed: u64,
        /// Which program of that seed.
        number: u64,
    },
}

impl Origin {
    /// Which program of its seed it is; 0 for a file.
    pub fn number(&self) -> u64 {
        match self {
            Origin::File(_) => 0,
            Origin::Generated { number, .. } => *number,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::File(path) => f.write_str(path),
            Origin::Generated { seed, number } => write!(f, "seed {seed}, program {number}"),
        }
    }
}

/// A program with its input: all that a verdict depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// The program.
    pub program: Artifact,
    /// What it is run on.
    pub input: Vec<Value>,
    /// Seeds the orders of threads that the runs of IMP choose.
    pub schedule: u64,
    /// What a run may use.
    pub budget: Budget,
    /// Where it comes from.
    pub origin: Origin,
}

/// The name of a stage: that of the pass that made it, or `source`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct StageId(pub &'static str);

impl StageId {
    /// The program as it was written or generated.
    pub const SOURCE: StageId = StageId("source");
}

impl fmt::Display for StageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A stage of a compilation.
#[derive(Clone, Debug)]
pub struct Stage<'p> {
    /// Its name, which is that of the pass that made it.
    pub id: StageId,
    /// What the pass made; the source is the program of the case itself.
    pub artifact: Cow<'p, Artifact>,
}

/// The name of an engine.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EngineId {
    /// FUN, by values.
    Fun,
    /// FUNMEM with the memory removed (fig. 9), by values.
    Values,
    /// FUNMEM by heap, with traces.
    FunMem,
    /// IMP with its threads in an order.
    Imp(Threads),
    /// Our evaluator of the device language.
    Device,
    /// The executor of the shaders' SPIR-V.
    Spirv,
    /// An adapter through wgpu.
    Wgpu(String),
    /// The adapter of Dawn.
    Dawn,
    /// The executor of what Tint writes of the shaders.
    Tint,
}

impl EngineId {
    /// The engine that an adapter is.
    pub fn of(adapter: &Adapter) -> Self {
        match adapter.backend == dawn::NAME {
            true => EngineId::Dawn,
            false => EngineId::Wgpu(adapter.id.clone()),
        }
    }

    /// Is it an adapter?
    pub fn is_adapter(&self) -> bool {
        matches!(self, EngineId::Wgpu(_) | EngineId::Dawn)
    }
}

/// The orders in which IMP's threads are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Threads {
    /// The order of the semantics.
    InOrder,
    /// From the last to the first.
    Reversed,
    /// A permutation drawn from the case's schedule.
    Shuffled,
    /// By small steps, drawn from the case's schedule.
    Interleaved,
}

impl Threads {
    /// Every order.
    pub const ALL: [Threads; 4] =
        [Threads::InOrder, Threads::Reversed, Threads::Shuffled, Threads::Interleaved];

    fn name(self) -> &'static str {
        match self {
            Threads::InOrder => "in-order",
            Threads::Reversed => "reversed",
            Threads::Shuffled => "shuffled",
            Threads::Interleaved => "interleaved",
        }
    }
}

impl fmt::Display for EngineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineId::Fun => f.write_str("fun"),
            EngineId::Values => f.write_str("funmem:values"),
            EngineId::FunMem => f.write_str("funmem"),
            EngineId::Imp(threads) => write!(f, "imp:{}", threads.name()),
            EngineId::Device => f.write_str("device"),
            EngineId::Spirv => f.write_str("spirv"),
            EngineId::Wgpu(adapter) => write!(f, "wgpu:{adapter}"),
            EngineId::Dawn => f.write_str(dawn::NAME),
            EngineId::Tint => f.write_str(dawn::TINT),
        }
    }
}

impl FromStr for EngineId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(adapter) = text.strip_prefix("wgpu:") {
            return Ok(EngineId::Wgpu(adapter.to_owned()));
        }
        for id in [EngineId::Dawn, EngineId::Tint] {
            if id.to_string() == text {
                return Ok(id);
            }
        }
        let named = |(id, _): &(EngineId, &str)| id.to_string() == text;
        match SEMANTIC.into_iter().find(named) {
            Some((id, _)) => Ok(id),
            None => Err(format!("no engine is called `{text}`")),
        }
    }
}

impl serde::Serialize for EngineId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for EngineId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Why an engine was not asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct NotRun {
    /// The engine.
    pub engine: EngineId,
    /// The reason, in words that many programs share, so that they can be counted by it.
    pub reason: String,
}

/// Something that runs the artifacts of one language.
pub trait Engine {
    /// Its name.
    fn id(&self) -> EngineId;

    /// Can it run the stage and be trusted? `stats` is what a semantic engine counted for the
    /// same case.
    ///
    /// # Errors
    /// Why not.
    fn admits(&self, stage: &Stage, case: &Case, stats: &Stats) -> Result<(), NotRun>;

    /// Runs the stage on the case's input.
    fn run(&mut self, stage: &Stage, case: &Case, rolls: &mut Rolls) -> Outcome;
}
