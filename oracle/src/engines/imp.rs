//! `imp:ORDER`: the semantics of IMP, its threads in one of four orders.

use super::{not_its_language, only};
use crate::engine::{Artifact, Case, Engine, EngineId, NotRun, Stage, Threads};
use crate::language::Lang;
use crate::panics::guarded;
use crate::rolls::Rolls;
use reference::imp::eval::{self, Order};
use reference::kit::outcome::{Outcome, Stats};

/// The reference semantics of IMP.
pub struct ImpEngine(pub Threads);

impl Engine for ImpEngine {
    fn id(&self) -> EngineId {
        EngineId::Imp(self.0)
    }

    fn admits(&self, stage: &Stage, _: &Case, _: &Stats) -> Result<(), NotRun> {
        only(self, Lang::Imp, stage.artifact.lang())
    }

    fn run(&mut self, stage: &Stage, case: &Case, rolls: &mut Rolls) -> Outcome {
        let Artifact::Imp(program) = &*stage.artifact else {
            return not_its_language(self, stage.artifact.lang());
        };
        let order = match self.0 {
            Threads::InOrder => Order::InOrder,
            Threads::Reversed => Order::Reversed,
            Threads::Shuffled => Order::Shuffled(case.schedule),
            Threads::Interleaved => Order::Interleaved(case.schedule),
        };
        guarded(|| eval::run(program, &case.input, order, &case.budget, &mut rolls.imp))
    }
}
