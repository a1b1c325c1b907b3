//! Launches of drawn programs of the device language, each judged as a shader that somebody wrote: nothing is found wrong with
//! those of a program with which the evaluator finds nothing wrong.

use oracle::campaign::draw;
use oracle::engine::Case;
use oracle::engines::spirv::{SpirvEngine, Traced};
use oracle::generate::Weights;
use oracle::judge::{Level, Report, judge};
use oracle::language::{Lang, Listed};
use oracle::stages::{CHECKED, Plan, Stages};
use reference::device::Device;
use reference::device::eval::{self, Order};
use reference::device::syntax::Program;
use reference::kit::derivation::Recorder;
use reference::kit::outcome::Ending;

/// How many programs are drawn.
const PROGRAMS: u64 = 2_000;

const SEED: u64 = 38;

/// Does the program end with the same values in each order, without a race?
fn is_right(program: &Program, case: &Case) -> bool {
    let orders = [Order::InOrder, Order::Reversed, Order::Shuffled(3), Order::Interleaved(4)];
    let ends = orders.map(|order| {
        let outcome =
            eval::run(program, &case.input, order, &case.budget, &mut Recorder::counting());
        match outcome.ending {
            Ending::Value(values) if outcome.races.is_empty() => Some(values),
            _ => None,
        }
    });
    ends[0].is_some() && ends.iter().all(|end| *end == ends[0])
}

fn judged(launch: &Traced) -> Report {
    let [x, y] = launch.grid;
    let mut judge = judge(launch.wgsl.as_str()).dispatch([x, y, 1]);
    judge.orders = 4;
    for (binding, words) in launch.before.iter().enumerate() {
        if launch.wgsl.contains(&format!("@binding({binding})")) {
            judge = judge.buffer(&format!("0.{binding}"), words);
        }
    }
    judge.run().unwrap_or_else(|no| panic!("{no:?}\n{}", launch.wgsl))
}

#[test]
fn launches_of_drawn_programs_are_judged_as_the_evaluator_says() {
    let weights = Weights::of(Some(Device::LANG));
    let mut engine = SpirvEngine::default();
    let (mut clean, mut found, mut unanswered, mut wrong) = (0, 0, 0, Vec::new());
    for number in 0..PROGRAMS {
        let case = draw(SEED, number, &weights).case;
        assert_eq!(case.program.lang(), Lang::named("device").expect("there is one"));
        let stages = Stages::ends(&case.program, Plan::default(), CHECKED);
        let checked = stages.list.last().filter(|stage| stage.id == CHECKED);
        let Some(program) = checked.and_then(|stage| Device::of(&stage.artifact)) else { continue };
        let source = Device::of(&case.program).expect("it is one");
        let right = is_right(source, &case);
        for launch in &engine.traced(program, &case).launches {
            let report = judged(launch);
            let denied = report.verdicts.iter().find(|verdict| verdict.level == Level::Deny);
            match denied {
                Some(verdict) if right => {
                    wrong.push(format!("{number}: {verdict}\n{}", launch.wgsl))
                }
                Some(_) => found += 1,
                None if report.unanswered.is_empty() => clean += 1,
                None => unanswered += 1,
            }
        }
    }
    assert!(wrong.is_empty(), "{} false findings:\n{}", wrong.len(), wrong[0]);
    // Most are judged, and in some that the evaluator finds wrong there is something to find.
    assert!(clean > 1_500 && found > 20, "{clean} clean, {found} found, {unanswered} unanswered");
    assert!(unanswered * 20 < clean, "{clean} clean, {unanswered} unanswered");
}
