//! `lockstep check`

use super::input::Source;
use super::options::{Denied, Denying, Expansion, Programs, Running};
use super::out::Out;
use super::{Answer, Status, show};
use crate::campaign::{order_dependent, values};
use crate::check::{Depth, Judge, OrderDependent, orders, race};
use crate::engine::{Case, Engine, EngineId, StageId};
use crate::engines::LanguageEngine;
use crate::panics::guarded;
use crate::rolls::Rolls;
use crate::stages::Stages;
use reference::kit::faults::Planted;
use reference::kit::language::How;
use reference::kit::memory::Memory;
use reference::kit::outcome::{Ending, Outcome};
use reference::with_language;
use serde::Serialize;

#[derive(clap::Args)]
#[command(after_help = "Example: lockstep check corpus/funmem/race/reverse_in_place.funmem")]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) programs: Programs,
    #[command(flatten)]
    running: Running,
    #[command(flatten)]
    denying: Denying,
}

#[derive(Serialize)]
struct Line {
    file: String,
    types: &'static str,
    memory: Vec<Judgement>,
}

/// What the memory of a program does on one input.
#[derive(Serialize)]
struct Judgement {
    input: String,
    valid: Option<bool>,
    race_free: Option<bool>,
    /// Two orders of threads that end differently, though none race.
    order_dependent: Option<OrderDependent>,
    text: String,
    #[serde(skip)]
    status: Status,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    let mut worst = Status::Clean;
    for path in args.programs.files() {
        let ended = one(args, &path, out);
        worst = worst.max(out.status(ended));
    }
    Ok(worst)
}

fn one(args: &Args, path: &std::path::Path, out: &mut Out) -> Answer {
    let source = args.programs.open(path)?;
    let given = args.running.input.as_deref();
    let mut memory = Vec::new();
    let mut worst = Status::Clean;
    // Without an input there is nothing that could be run, and the types stand alone.
    if given.is_some() || !source.header.cases.is_empty() || source.program.parameters().is_empty()
    {
        for case in source.cases(given, args.running.budget())? {
            let judgement = judge(args, &source, &case);
            worst = worst.max(judgement.status);
            memory.push(judgement);
        }
    }
    let line = Line { file: source.name(), types: "well typed", memory };
    if args.programs.json {
        out.json(&line);
        return Ok(worst);
    }
    out.line(format!("{}: well typed", line.file));
    for binding in source.program.bindings() {
        out.line(format!("  {binding}"));
    }
    for judgement in &line.memory {
        out.line(format!("  on {}: {}", judgement.input, judgement.text.trim_end()));
    }
    if line.memory.is_empty() {
        out.line("  no input: validity and race-freedom are of a run, so give one with --input");
    }
    Ok(worst)
}

/// Runs the program and says whether threads race and, in a language with memory, whether that is
/// valid. A language without it may have a pass that inserts memory, and is judged behind that.
fn judge(args: &Args, source: &Source, case: &Case) -> Judgement {
    let memory = with_language!(case.program.lang(), |L| L::MEMORY);
    let stages = Stages::up_to(&case.program, Expansion::Coalesced.plan(), memory);
    let stage = stages.list.iter().find(|stage| stage.id == memory).unwrap_or(&stages.list[0]);
    let mut validity = None;
    let outcome = guarded(|| {
        let how = How {
            variant: stage.artifact.lang().variants()[0].name,
            schedule: case.schedule,
            budget: &case.budget,
            settings: &case.settings,
            planted: Planted::NONE,
            memory: &mut Memory::default(),
        };
        let judged = stage.artifact.judge(&case.input, how);
        validity = judged.validity;
        judged.outcome
    });
    if let Some(race) = outcome.races.first() {
        let text = match stage.id {
            StageId::SOURCE => {
                let mut engine = LanguageEngine::own(case.program.lang());
                show::outcome(source, &engine.run(stage, case, &mut Rolls::locating()))
            }
            _ => format!("after insert_memory the program races: {}", race::describe(race)),
        };
        return judgement(case, &outcome, (None, Some(false)), text);
    }
    if let Some(text) = no_answer(source, &outcome) {
        return judgement(case, &outcome, (None, None), text);
    }
    let (valid, said) = match &validity {
        None => (None, "race-free".to_owned()),
        Some(Ok(())) => (Some(true), "valid, race-free".to_owned()),
        Some(Err(invalid)) => (Some(false), format!("race-free, but invalid: {invalid}")),
    };
    let text = format!("{said}{}", stuck(&outcome));
    let orders = orders::run(stage, case, Depth::Whole, &mut Rolls::default());
    if let Some((_, raced)) = orders.as_ref().and_then(|orders| orders.raced(&outcome)) {
        let text = show::outcome(source, raced);
        return judgement(case, raced, (None, Some(false)), text);
    }
    let own = EngineId::own(stage.artifact.lang());
    let found = orders.and_then(|orders| orders.differ(own, &outcome));
    let Some(found) = found else {
        return judgement(case, &outcome, (valid, Some(true)), text);
    };
    let text = format!("{text}, {}", order_dependent(&found));
    let judged = judgement(case, &outcome, (valid, Some(true)), text);
    let stuck = if found.gets_stuck() { Status::Wrong } else { Status::Clean };
    let status = judged.status.max(stuck).max(args.denying.status(Denied::OrderDependent));
    Judgement { status, order_dependent: Some(found), ..judged }
}

fn judgement(
    case: &Case,
    outcome: &Outcome,
    (valid, race_free): (Option<bool>, Option<bool>),
    text: String,
) -> Judgement {
    let input = values(&case.input);
    let input = if input.is_empty() { "no input".to_owned() } else { input };
    let wrong = [valid, race_free].contains(&Some(false));
    let status = show::status(outcome).max(if wrong { Status::Wrong } else { Status::Clean });
    Judgement { input, valid, race_free, order_dependent: None, text, status }
}

/// Why a run says nothing of the program.
fn no_answer(source: &Source, outcome: &Outcome) -> Option<String> {
    match &outcome.ending {
        Ending::Unknown(_) | Ending::Broken(_) => Some(show::outcome(source, outcome)),
        Ending::Value(_) | Ending::Stuck(_) => None,
    }
}

fn stuck(outcome: &Outcome) -> String {
    match &outcome.ending {
        Ending::Stuck(stuck) => format!(" (stuck: {})", stuck.sentence()),
        _ => String::new(),
    }
}
