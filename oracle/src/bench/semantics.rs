//! Rows 1 and 2: what the semantic engines take for a statement, and for a program with all that
//! a campaign does around them.

use super::measured::Measured;
use super::rounds::{Quickest, nanoseconds, until};
use super::{Row, SEED, cases, weights};
use crate::campaign::draw;
use crate::check::agree::{StuckPolicy, agree};
use crate::engine::{Case, Engine, Stage};
use crate::engines::LanguageEngine;
use crate::rolls::Rolls;
use crate::stages::{CHECKED, Plan, Stages};
use cpu_time::ThreadTime;
use reference::device::Device;
use reference::fun::Fun;
use reference::funmem::FunMem;
use reference::imp::Imp;
use std::collections::BTreeMap;
use std::time::Duration;

/// Programs of a round of row 1, and how often each is run in it.
const RUN: usize = 400;
const TIMES: u32 = 8;

/// Programs drawn in a round of row 2, a third of which are not meant to run.
const DRAWN: u64 = 2_000;

/// The statements that a run of a program of rows 2 and 3 executes, on the mean over the three.
pub(super) const SIZE: std::ops::RangeInclusive<u64> = 400..=900;

/// The three stages that are counted: the program, with memory inserted, translated to IMP.
fn stages(case: &Case) -> Option<[Stage<'_>; 3]> {
    Stages::translated(&case.program, Plan::default()).list.try_into().ok()
}

/// The three engines that are counted.
pub(super) fn engines() -> [Box<dyn Engine>; 3] {
    [
        Box::new(LanguageEngine::of::<Fun>()),
        Box::new(LanguageEngine::of::<FunMem>()),
        Box::new(LanguageEngine::of::<Imp>()),
    ]
}

/// Row 1: nanoseconds of an executed statement, in the three engines and in that of the device
/// language, which runs what the programs are compiled to.
pub(super) fn statements(time: Duration) -> Vec<Row> {
    let cases: Vec<Case> = cases().take(RUN).collect();
    let programs: Vec<_> = cases
        .iter()
        .filter_map(|case| {
            let mut compiled = Stages::ends(&case.program, Plan::default(), CHECKED);
            let last = compiled.list.pop().filter(|stage| stage.id == CHECKED)?;
            let [fun, funmem, imp] = stages(case)?;
            Some(([fun, funmem, imp, last], case))
        })
        .collect();
    let [fun, funmem, imp] = engines();
    let mut engines: [Box<dyn Engine>; 4] =
        [fun, funmem, imp, Box::new(LanguageEngine::of::<Device>())];
    let mut rolls = Rolls::default();
    let mut sizes = BTreeMap::new();
    for (stages, case) in &programs {
        let executed = engines[0].run(&stages[0], case, &mut rolls).stats.statements;
        *sizes.entry(executed.max(1).ilog2()).or_default() += 1;
    }
    let mut quickest: [Quickest<()>; 4] = Default::default();
    until(time, || {
        for (at, (engine, quickest)) in engines.iter_mut().zip(&mut quickest).enumerate() {
            let mut executed = 0;
            let clock = ThreadTime::now();
            for (stages, case) in &programs {
                for _ in 0..TIMES {
                    executed += engine.run(&stages[at], case, &mut rolls).stats.statements;
                }
            }
            quickest.add(clock.elapsed(), executed, ());
        }
    });
    engines
        .iter()
        .zip(quickest)
        .map(|(engine, quickest)| {
            let ((), figure, rounds) = quickest.ends(nanoseconds).unwrap_or_default();
            Row {
                what: format!("an executed statement, {}", engine.id()),
                figure,
                unit: "ns",
                wanted: Some(30.0),
                more: false,
                rounds: Some(rounds),
                sizes: sizes.clone(),
            }
        })
        .collect()
}

/// Row 2: generate, type, run the three, compare. The row is that of the programs of about 600
/// statements among those that a campaign would draw and that are meant to run; beside it stands
/// the figure of all of them.
pub(super) fn programs(time: Duration) -> [Row; 2] {
    let mut engines = engines();
    let mut rolls = Rolls::default();
    let [sized, all] = Measured::quickest(time, || round(&mut engines, &mut rolls));
    [
        row(sized, "programs of about 600 statements", Some(10_000.0)),
        row(all, "every program from FUN", None),
    ]
}

/// The programs of about 600 statements, and all.
fn round(engines: &mut [Box<dyn Engine>; 3], rolls: &mut Rolls) -> (Measured, Measured) {
    let mut sized = Measured::default();
    let mut all = Measured::default();
    let weights = weights();
    for number in 0..DRAWN {
        let clock = ThreadTime::now();
        let drawn = draw(SEED, number, &weights);
        // The others are not of this row, and neither is what they cost.
        if !drawn.meant_to_run {
            continue;
        }
        let case = drawn.case;
        let drawn = clock.elapsed();
        let typed = case.program.check(rolls).is_ok();
        let checked = clock.elapsed();
        let stages = stages(&case);
        let translated = clock.elapsed();
        let Some(stages) = stages.filter(|_| typed) else {
            all.disagree += 1;
            continue;
        };
        let outcomes: [_; 3] = std::array::from_fn(|at| engines[at].run(&stages[at], &case, rolls));
        let same = |other| agree(&outcomes[0], other, StuckPolicy::Same).is_ok();
        let agreed = outcomes[1..].iter().all(same);
        let [fun, heap, imp] = outcomes.each_ref().map(|outcome| outcome.stats.statements);
        drop((stages, outcomes));
        drop(case);
        let took = [drawn, checked - drawn, translated - checked, clock.elapsed() - translated];
        let mean = (fun + heap + imp) / 3;
        all.add(mean, took, [fun, heap, imp, 0], agreed);
        if SIZE.contains(&mean) {
            sized.add(mean, took, [fun, heap, imp, 0], agreed);
        }
    }
    (sized, all)
}

/// Row 2 of these programs.
fn row(rounds: Quickest<Measured>, what: &str, wanted: Option<f64>) -> Row {
    Measured::row(rounds, wanted, |programs| {
        let [draw, types, translate, run] = programs.micros();
        let [fun, heap, imp, _] = programs.statements();
        let mean = (fun + heap + imp) / 3.0;
        format!(
            "{what}: generate {draw:.0} µs, type {types:.0} µs, insert and translate \
             {translate:.0} µs, run three and compare {run:.0} µs ({mean:.0} statements a run on \
             the mean: {fun:.0}, {heap:.0} and {imp:.0}"
        )
    })
}
