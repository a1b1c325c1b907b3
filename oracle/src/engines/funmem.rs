//! `funmem:values` and `funmem`: the two runs of a FUNMEM program, with its memory removed and
//! by heap with traces.

use super::{not_its_language, only};
use crate::engine::{Artifact, Case, Engine, EngineId, NotRun, Stage};
use crate::language::Lang;
use crate::panics::guarded;
use crate::rolls::Rolls;
use reference::funmem;
use reference::funmem::validity::{self, Invalid};
use reference::kit::faults::Planted;
use reference::kit::memory::Memory;
use reference::kit::outcome::{Outcome, Stats};

/// FUNMEM with the memory removed (fig. 9): what the program computes.
pub struct ValuesEngine;

impl Engine for ValuesEngine {
    fn id(&self) -> EngineId {
        EngineId::Values
    }

    fn admits(&self, stage: &Stage, _: &Case, _: &Stats) -> Result<(), NotRun> {
        only(self, Lang::FunMem, stage.artifact.lang())
    }

    fn run(&mut self, stage: &Stage, case: &Case, rolls: &mut Rolls) -> Outcome {
        let Artifact::FunMem(program) = &*stage.artifact else {
            return not_its_language(self, stage.artifact.lang());
        };
        guarded(|| funmem::unmem::value_run(program, &case.input, &case.budget, &mut rolls.fun))
    }
}

/// FUNMEM by heap: where the program's arrays are, and whether its threads race.
pub struct HeapEngine {
    /// The fault that the check of races carries.
    planted: Planted,
    /// Why the last run that ended with a result is invalid wherever its arrays stand.
    layout: Option<Invalid>,
    memory: Memory,
}

impl HeapEngine {
    /// The engine; `planted` may be a fault of its check of races.
    pub fn new(planted: Planted) -> Self {
        Self::in_memory(Memory::default(), planted)
    }

    /// The engine in the memory of runs before.
    pub fn in_memory(memory: Memory, planted: Planted) -> Self {
        Self { planted, layout: None, memory }
    }

    /// What another engine may run in.
    pub fn into_memory(self) -> Memory {
        self.memory
    }

    /// Which array of the last run's results is not row-major over the whole of its block.
    pub fn layout(&mut self) -> Option<Invalid> {
        self.layout.take()
    }
}

impl Engine for HeapEngine {
    fn id(&self) -> EngineId {
        EngineId::FunMem
    }

    fn admits(&self, stage: &Stage, _: &Case, _: &Stats) -> Result<(), NotRun> {
        only(self, Lang::FunMem, stage.artifact.lang())
    }

    fn run(&mut self, stage: &Stage, case: &Case, rolls: &mut Rolls) -> Outcome {
        let Artifact::FunMem(program) = &*stage.artifact else {
            return not_its_language(self, stage.artifact.lang());
        };
        self.layout = None;
        guarded(|| {
            let recorder = &mut rolls.funmem;
            let (memory, planted) = (&mut self.memory, self.planted);
            let (outcome, layout) =
                validity::heap(memory, program, &case.input, &case.budget, recorder, planted);
            self.layout = layout;
            outcome
        })
    }
}
