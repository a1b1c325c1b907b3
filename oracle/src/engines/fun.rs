//! `fun`: the semantics of FUN, by values.

use super::{not_its_language, only};
use crate::engine::{Artifact, Case, Engine, EngineId, NotRun, Stage};
use crate::language::Lang;
use crate::panics::guarded;
use crate::rolls::Rolls;
use reference::fun;
use reference::kit::outcome::{Outcome, Stats};

/// The reference semantics of FUN.
pub struct FunEngine;

impl Engine for FunEngine {
    fn id(&self) -> EngineId {
        EngineId::Fun
    }

    fn admits(&self, stage: &Stage, _: &Case, _: &Stats) -> Result<(), NotRun> {
        only(self, Lang::Fun, stage.artifact.lang())
    }

    fn run(&mut self, stage: &Stage, case: &Case, rolls: &mut Rolls) -> Outcome {
        let Artifact::Fun(program) = &*stage.artifact else {
            return not_its_language(self, stage.artifact.lang());
        };
        guarded(|| fun::eval::run(program, &case.input, &case.budget, &mut rolls.fun))
    }
}
