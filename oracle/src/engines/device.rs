//! `device`: our evaluator of the device language.

use super::{not_its_language, only};
use crate::engine::{Artifact, Case, Engine, EngineId, NotRun, Stage};
use crate::language::Lang;
use crate::panics::guarded;
use crate::rolls::Rolls;
use reference::device::eval::{self, Order};
use reference::kit::outcome::{Outcome, Stats};

/// The reference semantics of the device language.
pub struct DeviceEngine;

impl Engine for DeviceEngine {
    fn id(&self) -> EngineId {
        EngineId::Device
    }

    fn admits(&self, stage: &Stage, _: &Case, _: &Stats) -> Result<(), NotRun> {
        only(self, Lang::Device, stage.artifact.lang())
    }

    fn run(&mut self, stage: &Stage, case: &Case, rolls: &mut Rolls) -> Outcome {
        let Artifact::Device(program) = &*stage.artifact else {
            return not_its_language(self, stage.artifact.lang());
        };
        guarded(|| eval::run(program, &case.input, Order::InOrder, &case.budget, &mut rolls.device))
    }
}
