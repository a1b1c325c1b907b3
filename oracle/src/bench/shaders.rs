//! Row 3: what row 2 does, with the fast or the full forms of kernels compiled, through naga, and executed as
//! SPIR-V; and how many instructions of SPIR-V are executed.

use super::measured::Measured;
use super::rounds::{Quickest, in_a_second, until};
use super::semantics::{SIZE, engines};
use super::{Row, SEED, weights};
use crate::campaign::draw;
use crate::check::agree::{StuckPolicy, agree};
use crate::engine::{Case, Engine, Origin};
use crate::engines::SpirvEngine;
use crate::engines::spirv::Options;
use crate::language::{Lang, Listed};
use crate::rolls::Rolls;
use crate::stages::{CHECKED, Plan, Stages};
use compiler::pass::poison_checks::Detail;
use cpu_time::ThreadTime;
use reference::device::Device;
use reference::fun::Fun;
use reference::funmem::FunMem;
use reference::imp::Imp;
use reference::kit::language::Settings;
use reference::kit::outcome::{Budget, Outcome, Value};
use std::collections::BTreeMap;
use std::time::Duration;

/// Programs drawn in a round, a third of which are not meant to run.
const DRAWN: u64 = 600;

/// The two rows of the programs that row 2 is of, one for each form of kernels, and beside each the figure of
/// all.
pub(super) fn programs(time: Duration) -> Vec<Row> {
    let forms = [
        (
            Detail::Flag,
            ["the same with fast forms", "every program from FUN with fast forms"],
            2_000.0,
        ),
        (
            Detail::Site,
            ["the same with full forms", "every program from FUN with full forms"],
            1_000.0,
        ),
    ];
    let mut engines = engines();
    let mut rolls = Rolls::default();
    let mut rows = Vec::new();
    for (first, [sized_row, all_row], wanted) in forms {
        let [sized, all] = Measured::quickest(time / 2, || round(first, &mut engines, &mut rolls));
        rows.push(row(sized, sized_row, Some(wanted)));
        rows.push(row(all, all_row, None));
    }
    rows
}

/// Generate, type, run the three, emit, let naga write SPIR-V, execute it, compare. Whatever is
/// kept from one program for another is made anew in each round.
fn round(
    first: Detail,
    engines: &mut [Box<dyn Engine>; 3],
    rolls: &mut Rolls,
) -> (Measured, Measured) {
    let mut spirv = SpirvEngine::new(Options { first, ..Options::default() });
    let mut sized = Measured::default();
    let mut all = Measured::default();
    let weights = weights();
    for number in 0..DRAWN {
        let clock = ThreadTime::now();
        let drawn = draw(SEED, number, &weights);
        if !drawn.meant_to_run {
            continue;
        }
        let case = drawn.case;
        let typed = case.program.check(rolls).is_ok();
        let drawn = clock.elapsed();
        let stages = Stages::ends(&case.program, Plan::default(), CHECKED);
        let compiled = clock.elapsed();
        let stage = |lang: Lang| stages.list.iter().find(|stage| stage.artifact.lang() == lang);
        let last = stages.list.last().filter(|stage| stage.id == CHECKED);
        let (Some(funmem), Some(imp), Some(device), true) =
            (stage(FunMem::LANG), stage(Imp::LANG), last, typed)
        else {
            continue;
        };
        let three: Vec<Outcome> = engines
            .iter_mut()
            .zip([&stages.list[0], funmem, imp])
            .map(|(engine, stage)| engine.run(stage, &case, rolls))
            .collect();
        let ran = clock.elapsed();
        let executed = spirv.run(device, &case, rolls);
        let same = |other| agree(&three[0], other, StuckPolicy::Same).is_ok();
        let agreed = three[1..].iter().chain([&executed]).all(same);
        let instructions = executed.stats.statements;
        let mean = three.iter().map(|outcome| outcome.stats.statements).sum::<u64>() / 3;
        let statements = [0, 0, 0, instructions];
        drop((stages, three, executed));
        drop(case);
        let took = [drawn, compiled - drawn, ran - compiled, clock.elapsed() - ran];
        all.add(mean, took, statements, agreed);
        if SIZE.contains(&mean) {
            sized.add(mean, took, statements, agreed);
        }
    }
    (sized, all)
}

/// Row 3 of these programs.
fn row(rounds: Quickest<Measured>, what: &str, wanted: Option<f64>) -> Row {
    Measured::row(rounds, wanted, |programs| {
        let [draw, passes, three, spirv] = programs.micros();
        let instructions = programs.statements()[3];
        format!(
            "{what}: generate and type {draw:.0} µs, passes {passes:.0} µs, run three {three:.0} \
             µs, emit, naga and run SPIR-V {spirv:.0} µs ({instructions:.0} instructions on the mean"
        )
    })
}

/// 2,000 rounds in each of 2,000 threads: what a launch costs besides is no part of the figure.
const ROUNDS: &str = "param (n : int)
let (ys : [n]) = kernel i <= n do
  let (s : int) = loop (x : int = i) for j <= n do
    in (x * 3 + j)
  in (s)
in (ys)
";

/// Millions of instructions of SPIR-V that are executed in a second, in a loop.
pub(super) fn instructions(time: Duration) -> Option<Row> {
    let program = Fun::LANG.parse(ROUNDS).ok()?;
    let input = vec![Value::from(2_000)];
    let origin = Origin::File(String::new());
    let case = Case {
        program,
        input,
        schedule: 0,
        settings: Settings::default(),
        budget: Budget::default(),
        origin,
    };
    let mut stages = Stages::up_to(&case.program, Plan::default(), CHECKED);
    let last = stages.last(Device::LANG)?;
    let stage = stages.list.swap_remove(last);
    let mut engine = SpirvEngine::default();
    let mut rolls = Rolls::default();
    let mut quickest = Quickest::default();
    until(time, || {
        let clock = ThreadTime::now();
        let executed = engine.run(&stage, &case, &mut rolls).stats.statements;
        quickest.add(clock.elapsed(), executed, ());
    });
    let ((), figure, rounds) = quickest.ends(|each| in_a_second(each) / 1e6)?;
    Some(Row {
        what: "executed instructions of SPIR-V".to_owned(),
        figure,
        unit: "million/s",
        wanted: Some(60.0),
        more: true,
        rounds: Some(rounds),
        sizes: BTreeMap::new(),
    })
}
