//! Evidence: what engines of ours say of a stage whose shaders something else ran, so that it is known who is
//! wrong.

use super::look::Look;
use super::spirv::executed;
use super::tester::Tester;
use crate::engine::{EngineId, Stage};
use crate::engines::LanguageEngine;
use crate::language::Listed;
use crate::stages::Plan;
use compiler::pass::poison_checks::Detail;
use reference::device::Device;
use reference::kit::outcome::Ending;

/// What an engine of ours says of the stage whose shaders something else ran.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Agreement {
    /// It ends as the program does.
    Agrees,
    /// It ends in another way.
    Differs,
    /// It did not come to an end.
    Unknown,
}

impl Agreement {
    /// That of a side.
    fn of(look: &Look, at: usize) -> Self {
        match (&look.outcome(at).ending, look.agree(at)) {
            (_, Err(_)) => Agreement::Differs,
            (Ending::Unknown(_), Ok(())) => Agreement::Unknown,
            (_, Ok(())) => Agreement::Agrees,
        }
    }

    /// That of a side, if there is one.
    pub(super) fn of_side(look: &Look, at: Option<usize>) -> Self {
        at.map_or(Agreement::Unknown, |at| Self::of(look, at))
    }
}

/// What the evaluator of the device language says of a stage. It is asked now if it was not asked before.
pub(super) fn evaluator(tester: &mut Tester, look: &mut Look, stage: &Stage) -> Agreement {
    let mut engine = LanguageEngine::of::<Device>();
    let at =
        evaluated(look, stage).unwrap_or_else(|| look.run(&mut engine, stage, &mut tester.rolls));
    Agreement::of(look, at)
}

/// What the executor says of naga's SPIR-V of the shaders; of those that were compiled as `fitted` says, if
/// that is given. It is asked now if it was not asked before.
pub(super) fn executor(
    tester: &mut Tester,
    look: &mut Look,
    stage: &Stage,
    fitted: Option<Plan>,
) -> Agreement {
    let ran = look.seen.sides.iter().position(|side| side.engine == EngineId::Spirv);
    let at = ran.filter(|_| fitted.is_none()).or_else(|| {
        let plan = fitted.unwrap_or(tester.plan);
        executed(tester, look, stage, Detail::Flag, plan).map(|(at, _)| at)
    });
    Agreement::of_side(look, at)
}

/// The side of the evaluator of the device language, if it was asked for this stage.
pub(super) fn evaluated(look: &Look, stage: &Stage) -> Option<usize> {
    let mut sides = look.seen.sides.iter();
    sides.position(|side| side.engine == EngineId::own(Device::LANG) && side.stage == stage.id)
}
