//! How far programs that are drawn come: most reach every engine that needs no adapter. `--nocapture` shows what keeps the
//! others.
#![allow(clippy::print_stdout)]

use oracle::campaign::draw;
use oracle::check::{Depth, Examination, Tester, Verdict};
use oracle::engine::EngineId;
use oracle::generate::Weights;
use oracle::language::Lang;
use oracle::stages::Plan;
use reference::kit::outcome::Ending;
use std::collections::BTreeMap;

/// How many of the programs that the semantics gives an end are looked at, and the least percentage that reaches all.
const EXAMINED: usize = 150;
const REACH: usize = 95;

/// Does a run end, with results or stuck? That of the engine, if there is one.
fn ends(seen: &Examination, engine: &EngineId) -> Option<bool> {
    let side = seen.side(engine)?;
    Some(matches!(side.outcome.ending, Ending::Value(_) | Ending::Stuck(_)))
}

/// What kept the program from some engine, if something did.
fn came_short(seen: &Examination) -> Option<String> {
    if seen.verdict != Verdict::Agree {
        return Some(format!("{:?}", seen.verdict));
    }
    let mut engines = [EngineId::own(Lang::Device), EngineId::Spirv].into_iter();
    let missing = engines.find(|engine| ends(seen, engine) != Some(true))?;
    let said = seen.skipped.iter().find(|skipped| skipped.not_run.engine == missing);
    let said = said.map_or("no answer", |skipped| &skipped.not_run.reason);
    Some(format!("{missing}: {said}"))
}

#[test]
fn programs_reach_every_engine() {
    let mut tester = Tester::new(Vec::new(), Plan::default());
    let weights = Weights::of(Some(Lang::LambdaG));
    let mut short: BTreeMap<String, usize> = BTreeMap::new();
    let mut examined = 0;
    for number in 0.. {
        let seen = tester.examine(&draw(7, number, &weights).case, Depth::Quick);
        if ends(&seen, &EngineId::own(Lang::LambdaG)) != Some(true) {
            continue;
        }
        if let Some(reason) = came_short(&seen) {
            *short.entry(reason).or_default() += 1;
        }
        examined += 1;
        if examined == EXAMINED {
            break;
        }
    }
    for (reason, programs) in &short {
        println!("{programs} of {EXAMINED} programs: {reason}");
    }
    let everywhere = EXAMINED - short.values().sum::<usize>();
    assert!(everywhere * 100 >= REACH * EXAMINED, "{everywhere} of {EXAMINED}: {short:?}");
}
