//! The device language is run by our evaluator; of the stage in which all checks stand in the kernels the shaders
//! are run, by the executor of SPIR-V and by adapters.

use super::judge::{Judge, is_asked};
use super::look::Look;
use super::tester::{Depth, Tester};
use super::verdict::{Part, Step};
use super::{adapters, emit, race, round_trip, spirv, types, unwritten};
use crate::engine::{EngineId, Stage};
use crate::language::Listed;
use crate::stages::{CHECKED, Stages};
use reference::device::Device;

impl Judge for Device {
    fn race(tester: &mut Tester, look: &mut Look) -> Step {
        spirv::races(tester, look)
    }

    /// Orders of invocations are looked at before, where atomic operations let them differ ([`super::orders`]); of a
    /// program that cannot tell them one stands for all.
    fn source(_: &mut Tester, _: &mut Look, _: &Stage) -> Step {
        Ok(())
    }

    fn stage(tester: &mut Tester, look: &mut Look, stages: &Stages<'_>, number: usize) -> Step {
        let last = stages.last(Device::LANG) == Some(number);
        if look.depth == Depth::Whole || last {
            evaluated(tester, look, stages, number)?;
        }
        if let Some(shaders) = &stages.shaders
            && last
        {
            emit::check(shaders, &mut tester.spirv)?;
        }
        // What the passes behind it make is known to be right by now, where all stages are looked at.
        let Some(stage) = stages.list.iter().find(|stage| last && stage.id == CHECKED) else {
            return Ok(());
        };
        if look.depth == Depth::Whole {
            spirv::launch_facts(tester, look, stage)?;
        }
        spirv::judge(tester, look, stage)?;
        if look.depth == Depth::Whole {
            spirv::judge_tint(tester, look, stage)?;
        }
        adapters::judge(tester, look, stage)
    }
}

/// Runs a stage with the evaluator, and holds it against the end of the program.
fn evaluated(tester: &mut Tester, look: &mut Look, stages: &Stages<'_>, number: usize) -> Step {
    let stage = &stages.list[number];
    if !is_asked::<Device>(tester, look, stage) {
        return Ok(());
    }
    let own = EngineId::own(Device::LANG);
    // Every pass to this language validates what it made; the roll counts these.
    if look.depth == Depth::Whole {
        types::check(stage, own.clone(), &mut tester.rolls, look.seen)?;
        if round_trip::is_tried(look.case, &stages.list, number) {
            round_trip::check(stage, own.clone(), look.seen)?;
        }
    }
    let at = Device::execute(tester, look, stage);
    if look.gives_results() {
        race::check(tester, look, stage, at)?;
    }
    look.hold(stage, at, Part::Whole)?;
    unwritten::check(look, stage, at)
}
