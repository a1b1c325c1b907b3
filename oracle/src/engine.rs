//! What a case, a stage and an engine are.
//!
//! A *case* is a program with its input. Compiling it makes *stages*, each an artifact and the
//! pass that made it. An *engine* runs one kind of artifact. What two engines answer about one
//! case is held against each other by [`check`](crate::check).

use crate::language::Lang;
use crate::rolls::Rolls;
use compiler::target::Adapter;
use reference::kit::faults::Planted;
use reference::kit::language::{How, Settings};
use reference::kit::memory::Memory;
use reference::kit::outcome::{Budget, Outcome, Stats, Value};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

pub use crate::language::Artifact;

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
    /// A mutant of a campaign.
    Mutated {
        /// The seed.
        seed: u64,
        /// Which program of that seed.
        number: u64,
        /// The programs that it is made of.
        of: String,
    },
}

impl Origin {
    /// Which program of its seed it is; 0 for a file.
    pub fn number(&self) -> u64 {
        match self {
            Origin::File(_) => 0,
            Origin::Generated { number, .. } | Origin::Mutated { number, .. } => *number,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::File(path) => f.write_str(path),
            Origin::Generated { seed, number } => write!(f, "seed {seed}, program {number}"),
            Origin::Mutated { seed, number, of } => {
                write!(f, "seed {seed}, program {number}, made of {of}")
            }
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
    /// Seeds the orders of threads that a run may draw.
    pub schedule: u64,
    /// The options of the language that are set.
    pub settings: Settings,
    /// What a run may use.
    pub budget: Budget,
    /// Where it comes from.
    pub origin: Origin,
}

impl Case {
    /// A run of a stage of it by the semantics of the stage's language, in this memory.
    pub fn how<'a>(&'a self, stage: &Artifact, memory: &'a mut Memory) -> How<'a> {
        How {
            variant: stage.lang().variants()[0].name,
            schedule: self.schedule,
            budget: &self.budget,
            settings: &self.settings,
            planted: Planted::NONE,
            memory,
        }
    }
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

/// The name of the adapter that Dawn takes.
pub const DAWN: &str = "dawn";
/// The name of the executor of what Tint writes.
pub const TINT: &str = "spirv:tint";

/// The name of an engine.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EngineId {
    /// A variant of the semantics of a language, out of [`Lang::variants`].
    Semantic(Lang, &'static str),
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
    /// The semantics of a language.
    pub fn own(lang: Lang) -> Self {
        EngineId::Semantic(lang, lang.variants()[0].name)
    }

    /// The other variants of a language.
    pub fn others(lang: Lang) -> impl Iterator<Item = Self> {
        lang.variants()[1..].iter().map(move |variant| EngineId::Semantic(lang, variant.name))
    }

    /// The engines that are semantics of languages, and what each is.
    pub fn semantics() -> impl Iterator<Item = (Self, &'static str)> {
        Lang::ALL.iter().flat_map(|lang| {
            let variants = lang.variants().iter();
            variants.map(|variant| (EngineId::Semantic(*lang, variant.name), variant.about))
        })
    }

    /// The engine that an adapter is.
    pub fn of(adapter: &Adapter) -> Self {
        match adapter.backend == DAWN {
            true => EngineId::Dawn,
            false => EngineId::Wgpu(adapter.id.clone()),
        }
    }

    /// Is it an adapter?
    pub fn is_adapter(&self) -> bool {
        matches!(self, EngineId::Wgpu(_) | EngineId::Dawn)
    }
}

impl fmt::Display for EngineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineId::Semantic(lang, "") => write!(f, "{lang}"),
            EngineId::Semantic(lang, variant) => write!(f, "{lang}:{variant}"),
            EngineId::Spirv => f.write_str("spirv"),
            EngineId::Wgpu(adapter) => write!(f, "wgpu:{adapter}"),
            EngineId::Dawn => f.write_str(DAWN),
            EngineId::Tint => f.write_str(TINT),
        }
    }
}

impl FromStr for EngineId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(adapter) = text.strip_prefix("wgpu:") {
            return Ok(EngineId::Wgpu(adapter.to_owned()));
        }
        let shaders = [EngineId::Spirv, EngineId::Dawn, EngineId::Tint];
        let mut all = EngineId::semantics().map(|(id, _)| id).chain(shaders);
        let named = all.find(|id| id.to_string() == text);
        named.ok_or_else(|| {
            let near: Vec<String> = EngineId::semantics()
                .map(|(id, _)| id.to_string())
                .filter(|name| name.split(':').next() == text.split(':').next())
                .collect();
            match near[..] {
                [] => format!("no engine is called `{text}`; `lockstep engines` lists them"),
                _ => format!("no engine is called `{text}`; there are {}", near.join(", ")),
            }
        })
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
