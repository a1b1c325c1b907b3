//! What is timed computes what it should, as far as that is seen without a driver.

use super::{FEWEST, WORKS, read};
use crate::engine::{Case, Engine, Origin};
use crate::engines::SpirvEngine;
use crate::rolls::Rolls;
use crate::stages::{CHECKED, Stages};
use compiler::emit::spirv;
use compiler::run::{Pass, Passes};
use reference::kit::language::Settings;
use reference::kit::outcome::{Budget, Ending, Value};

/// Each program has the result that is computed here.
#[test]
fn programs_have_the_results_that_they_are_held_against() {
    for work in &WORKS {
        let (program, plan) = read(work).expect("it is well typed");
        let yardstick = (work.at)(FEWEST);
        let stages = Stages::up_to(&program, plan, CHECKED);
        let checked = stages.list.iter().find(|stage| stage.id == CHECKED);
        let checked = checked.unwrap_or_else(|| panic!("{}: {:?}", work.name, stages.end));
        let case = Case {
            program: program.clone(),
            input: yardstick.input,
            schedule: 1,
            settings: Settings::default(),
            budget: Budget::default(),
            origin: Origin::File(work.name.to_owned()),
        };
        let outcome = SpirvEngine::default().run(checked, &case, &mut Rolls::default());
        let wanted = Value::ints(vec![yardstick.wanted.len()], yardstick.wanted);
        assert_eq!(outcome.ending, Ending::Value(vec![wanted]), "{}", work.name);
    }
}

/// The shaders are valid, and use the buffers that they are given.
#[test]
fn shaders_written_by_hand_are_valid() {
    for work in &WORKS {
        let Passes { buffers, passes, result } = (work.at)(FEWEST).by_hand;
        assert!(result < buffers.len() && buffers.iter().all(|words| !words.is_empty()));
        for Pass { wgsl, buffers, groups } in passes {
            let validated = spirv::validate(wgsl);
            let (module, _) = validated.unwrap_or_else(|no| panic!("{}: {no:?}", work.name));
            let bound = module.global_variables.iter().filter(|(_, var)| var.binding.is_some());
            assert_eq!(bound.count(), buffers.len(), "{}", work.name);
            assert!(groups.iter().all(|groups| (1..=65_535).contains(groups)), "{groups:?}");
        }
    }
}
