//! The device language is run by our evaluator; of the stage in which all checks stand in the kernels the shaders
//! are run, by the executor of SPIR-V and by adapters.

use super::judge::{Judge, Look, is_asked};
use super::tester::{Depth, Step, Tester};
use super::verdict::Part;
use super::{emit, race, round_trip, types};
use crate::engine::{EngineId, Stage};
use crate::language::Listed;
use crate::stages::{CHECKED, Stages};
use reference::device::Device;
use reference::kit::outcome::Ending;

impl Judge for Device {
    fn race(tester: &mut Tester, look: &mut Look) -> Step {
        tester.races_in_shaders(look.case, look.seen)
    }

    /// Atomic operations may take part in what a program computes in any order, so that orders of
    /// invocations are not held against each other.
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
            tester.on_launch_facts(stage, look)?;
        }
        tester.on_spirv(stage, look.case, look.depth, look.expected, look.seen)?;
        if look.depth == Depth::Whole {
            tester.on_tint(stage, look.case, look.expected, look.seen)?;
        }
        tester.on_adapters(stage, look.case, look.expected, look.seen)
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
    // A thread that fails stops, the others run on: they may race behind it.
    if matches!(look.seen.sides[look.expected].outcome.ending, Ending::Value(_)) {
        race::check(stage, own, &look.seen.sides[at].outcome)?;
    }
    tester.hold(stage, at, Part::Whole, look)
}
