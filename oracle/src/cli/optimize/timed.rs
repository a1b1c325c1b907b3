//! `--run`: plans and the original timed on an engine, in turns.

use super::Told;
use crate::cli::options::{Expansion, Limit};
use crate::cli::out::Out;
use crate::cli::problem::Problem;
use crate::cli::run::{Ready, ready};
use crate::engine::{Case, EngineId};
use crate::optimize::Priced;
use reference::kit::outcome::Ending;
use reference::languages::Artifact;
use serde::Serialize;
use std::time::{Duration, Instant};

/// How often each program is run, after a first run that is not counted.
const ROUNDS: usize = 11;
/// No more rounds are begun after this time, if there were [`FEWEST`].
const LONG: Duration = Duration::from_secs(20);
/// Rounds that are run, however long they take.
const FEWEST: usize = 3;
/// How many plans are timed.
const PLANS: usize = 5;

/// What a program took.
#[derive(Serialize)]
pub(super) struct Timed {
    what: String,
    engine: EngineId,
    median_ns: u64,
    rounds: usize,
    /// The original's median over this one.
    factor: f64,
}

/// Times the original, the program that is handed out and, where the whole program is one segment, the next
/// plans too.
pub(super) fn timed(
    told: &Told<'_>,
    engine: &EngineId,
    case: &Case,
) -> Result<Vec<Timed>, Problem> {
    let found = &told.found;
    let compile = crate::stages::Plan::default();
    let mut programs: Vec<(String, Artifact)> =
        vec![("original".to_owned(), found.original.program.clone())];
    programs.extend(found.best.iter().map(|best| ("plan 1".to_owned(), best.program.clone())));
    if let [segment] = &found.segments[..] {
        for (nth, priced) in segment.front.iter().enumerate().take(PLANS).skip(1) {
            let plans: [Option<&Priced>; 1] = [Some(priced)];
            let whole = found.with(&told.program, &plans, &compile).map_err(Problem::new)?;
            programs.push((format!("plan {}", nth + 1), whole));
        }
    }
    let mut ready_ones = Vec::new();
    let mut wanted = None;
    for (what, program) in programs {
        let is_source = program == told.program.artifact();
        let input = if is_source { case.input.clone() } else { told.program.given(&case.input) };
        let case = Case { program, input, ..case.clone() };
        let mut one = match ready(&case, engine, (Expansion::Coalesced, Limit::default()))? {
            Ok(one) => one,
            Err(outcome) => return Err(unanswered(&what, engine, &outcome.ending)),
        };
        let mut ending = one.run(&case).ending;
        if let (Ending::Value(results), true) = (&ending, is_source) {
            let results = told.program.as_of_plans(results.clone());
            ending = results.map_or(ending, Ending::Value);
        }
        if !matches!(ending, Ending::Value(_)) {
            return Err(unanswered(&what, engine, &ending));
        }
        if *wanted.get_or_insert_with(|| ending.clone()) != ending {
            return Err(Problem::new(format!("{what} gives other results on {engine}")));
        }
        ready_ones.push((what, case, one, Vec::new()));
    }
    rounds(&mut ready_ones);
    let medians = ready_ones.iter_mut().map(|(what, _, _, took)| {
        took.sort_unstable();
        (what.clone(), took.len(), took[took.len() / 2])
    });
    let medians: Vec<(String, usize, Duration)> = medians.collect();
    let first = medians.first().map_or(0.0, |(_, _, took)| took.as_secs_f64());
    let timed = medians.into_iter().map(|(what, rounds, took)| Timed {
        what,
        engine: engine.clone(),
        median_ns: u64::try_from(took.as_nanos()).unwrap_or(u64::MAX),
        rounds,
        factor: first / took.as_secs_f64().max(1e-9),
    });
    Ok(timed.collect())
}

/// Runs all in turns, so that what slows the machine for a while slows all of them.
fn rounds(programs: &mut [(String, Case, Ready, Vec<Duration>)]) {
    let start = Instant::now();
    for round in 0..ROUNDS {
        if round >= FEWEST && start.elapsed() > LONG {
            break;
        }
        for (_, case, ready, took) in programs.iter_mut() {
            let begun = Instant::now();
            let outcome = ready.run(case);
            took.push(begun.elapsed());
            drop(outcome);
        }
    }
}

fn unanswered(what: &str, engine: &EngineId, ending: &Ending) -> Problem {
    let why = crate::pricing::no_results(ending);
    Problem::new(format!("{what} on {engine}: {why}"))
}

/// The table.
pub(super) fn text(timed: &[Timed], out: &mut Out) {
    let Some(first) = timed.first() else { return };
    let rounds = first.rounds;
    out.line(format!("\ntimes on {}, medians of {rounds} runs in turns:", first.engine));
    for Timed { what, median_ns, factor, .. } in timed {
        let ms = *median_ns as f64 / 1e6;
        out.line(format!(
            "  {what:<10}{ms:>14.3} ms   {factor:>6.2} times as fast as the original"
        ));
    }
}
