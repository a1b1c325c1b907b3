//! How far generated programs come: most reach every engine that needs no adapter. `--nocapture` shows what keeps the others.
#![allow(clippy::print_stdout)]

use oracle::campaign::draw;
use oracle::check::{Answer, Depth, Examination, Tester, Verdict};
use oracle::engine::EngineId;
use oracle::generate::Weights;
use oracle::language::Lang;
use oracle::stages::Plan;
use reference::kit::outcome::Ending;
use std::collections::BTreeMap;

/// How many of the programs that are meant to run are looked at, and the least percentage that reaches all.
const EXAMINED: usize = 500;
const REACH: usize = 80;

/// The engines that a program of the language is to reach.
fn engines(lang: Lang) -> Vec<EngineId> {
    let through = [lang, Lang::Minias, Lang::Device].map(EngineId::own);
    EngineId::others(lang).chain(through).chain([EngineId::Spirv]).collect()
}

/// What kept the program from some engine, if something did.
fn came_short(lang: Lang, seen: &Examination) -> Option<String> {
    if seen.verdict != Verdict::Agree {
        return Some(format!("{:?}", seen.verdict));
    }
    let ran = |side: &Answer| matches!(side.outcome.ending, Ending::Value(_));
    let missing = engines(lang).into_iter().find(|engine| !seen.side(engine).is_some_and(ran))?;
    let said = seen.skipped.iter().find(|skipped| skipped.not_run.engine == missing);
    let said = said.map_or("no answer", |skipped| &skipped.not_run.reason);
    // The reason, without the names and numbers of this program.
    let said: String = said.chars().filter(|c| !c.is_ascii_digit()).take(120).collect();
    Some(format!("{missing}: {said}"))
}

fn reach(lang: Lang) {
    let mut tester = Tester::new(Vec::new(), Plan::default());
    let weights = Weights::of(Some(lang));
    let mut short: BTreeMap<String, usize> = BTreeMap::new();
    let drawn = (0..).map(|number| draw(7, number, &weights)).filter(|drawn| drawn.meant_to_run);
    for drawn in drawn.take(EXAMINED) {
        let mut case = drawn.case;
        case.program = case.program.under(&case.settings);
        let seen = tester.examine(&case, Depth::Whole);
        if let Some(reason) = came_short(lang, &seen) {
            *short.entry(reason).or_default() += 1;
        }
    }
    for (reason, programs) in &short {
        println!("{programs} of {EXAMINED} programs of {}: {reason}", lang.name());
    }
    let everywhere = EXAMINED - short.values().sum::<usize>();
    assert!(everywhere * 100 >= REACH * EXAMINED, "{everywhere} of {EXAMINED}: {short:?}");
}

#[test]
fn programs_of_minias_reach_every_engine() {
    reach(Lang::Minias);
}

#[test]
fn programs_of_minisycl_reach_every_engine() {
    reach(Lang::Sycl);
}
