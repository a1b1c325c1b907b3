//! `imp:ORDER`: the semantics of IMP, its threads in one of four orders.

use super::{not_its_language, only};
use crate::engine::{Artifact, Case, Engine, EngineId, NotRun, Stage, Threads};
use crate::language::Lang;
use crate::panics::guarded;
use crate::rolls::Rolls;
use reference::imp::eval::{self, Order};
use reference::kit::memory::Memory;
use reference::kit::outcome::{Outcome, Stats};

/// The reference semantics of IMP.
pub struct ImpEngine {
    threads: Threads,
    memory: Memory,
}

impl ImpEngine {
    /// The engine with its threads in this order.
    pub fn new(threads: Threads) -> Self {
        Self::in_memory(Memory::default(), threads)
    }

    /// The engine in the memory of runs before.
    pub fn in_memory(memory: Memory, threads: Threads) -> Self {
        Self { threads, memory }
    }

    /// What another engine may run in.
    pub fn into_memory(self) -> Memory {
        self.memory
    }
}

impl Engine for ImpEngine {
    fn id(&self) -> EngineId {
        EngineId::Imp(self.threads)
    }

    fn admits(&self, stage: &Stage, _: &Case, _: &Stats) -> Result<(), NotRun> {
        only(self, Lang::Imp, stage.artifact.lang())
    }

    fn run(&mut self, stage: &Stage, case: &Case, rolls: &mut Rolls) -> Outcome {
        let Artifact::Imp(program) = &*stage.artifact else {
            return not_its_language(self, stage.artifact.lang());
        };
        let order = match self.threads {
            Threads::InOrder => Order::InOrder,
            Threads::Reversed => Order::Reversed,
            Threads::Shuffled => Order::Shuffled(case.schedule),
            Threads::Interleaved => Order::Interleaved(case.schedule),
        };
        let memory = &mut self.memory;
        guarded(|| eval::run_in(memory, program, &case.input, order, &case.budget, &mut rolls.imp))
    }
}
