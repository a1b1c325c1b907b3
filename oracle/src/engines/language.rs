//! The semantics of every language: one engine, for any variant that the table names.

use super::{not_its_language, only};
use crate::engine::{Case, Engine, EngineId, NotRun, Stage};
use crate::language::{Lang, Listed};
use crate::panics::guarded;
use crate::rolls::Rolls;
use reference::kit::faults::Planted;
use reference::kit::language::How;
use reference::kit::memory::Memory;
use reference::kit::outcome::{Outcome, Stats};

/// A variant of the semantics of a language.
pub struct LanguageEngine {
    lang: Lang,
    variant: &'static str,
    planted: Planted,
    memory: Memory,
    /// What seeds the orders of threads, if that is not the schedule of the case.
    seed: Option<u64>,
}

impl LanguageEngine {
    /// The engine of a variant out of [`Lang::variants`].
    pub fn new(lang: Lang, variant: &'static str) -> Self {
        Self { lang, variant, planted: Planted::NONE, memory: Memory::default(), seed: None }
    }

    /// The semantics of a language.
    pub fn own(lang: Lang) -> Self {
        Self::new(lang, lang.variants()[0].name)
    }

    /// The semantics of the language `L`.
    pub fn of<L: Listed>() -> Self {
        Self::own(L::LANG)
    }

    /// The same with a fault that the semantics carry, in the memory of earlier runs.
    pub fn with(self, planted: Planted, memory: Memory) -> Self {
        Self { planted, memory, ..self }
    }

    /// The same, whose orders of threads are drawn from this seed.
    pub fn seeded(self, seed: u64) -> Self {
        Self { seed: Some(seed), ..self }
    }

    /// The memory, for the next engine.
    pub fn into_memory(self) -> Memory {
        self.memory
    }
}

impl Engine for LanguageEngine {
    fn id(&self) -> EngineId {
        EngineId::Semantic(self.lang, self.variant)
    }

    fn admits(&self, stage: &Stage, _: &Case, _: &Stats) -> Result<(), NotRun> {
        only(self, self.lang, stage.artifact.lang())
    }

    fn run(&mut self, stage: &Stage, case: &Case, rolls: &mut Rolls) -> Outcome {
        if stage.artifact.lang() != self.lang {
            return not_its_language(self, stage.artifact.lang());
        }
        let how = How {
            variant: self.variant,
            schedule: self.seed.unwrap_or(case.schedule),
            budget: &case.budget,
            settings: &case.settings,
            planted: self.planted,
            memory: &mut self.memory,
        };
        guarded(|| stage.artifact.run(&case.input, how, rolls))
    }
}
