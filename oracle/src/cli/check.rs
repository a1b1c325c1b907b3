//! `lockstep check`

use super::input::Source;
use super::options::{Expansion, Programs, Running};
use super::out::Out;
use super::{Answer, Status, show};
use crate::campaign::values;
use crate::check::{race, validity};
use crate::engine::Threads;
use crate::engine::{Artifact, Case, Engine, Stage, StageId};
use crate::engines::{DeviceEngine, HeapEngine, ImpEngine, ValuesEngine};
use crate::language;
use crate::rolls::Rolls;
use crate::stages::{INSERT_MEMORY, Stages};
use reference::kit::faults::Planted;
use reference::kit::outcome::{Ending, Outcome};
use serde::Serialize;

#[derive(clap::Args)]
#[command(after_help = "Example: lockstep check corpus/funmem/race/reverse_in_place.funmem")]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) programs: Programs,
    #[command(flatten)]
    running: Running,
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
    if given.is_some()
        || !source.header.cases.is_empty()
        || language::parameters(&source.program).is_empty()
    {
        for case in source.cases(given, args.running.budget())? {
            let judgement = judge(&source, &case);
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
    for binding in language::bindings(&source.program) {
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

/// Runs the program by values and by heap and says whether the two agree and no threads race.
/// A FUN program is judged as memory is inserted into it.
fn judge(source: &Source, case: &Case) -> Judgement {
    let rolls = &mut Rolls::new();
    let last = match case.program {
        Artifact::Fun(_) => INSERT_MEMORY,
        _ => StageId::SOURCE,
    };
    let stages = Stages::up_to(&case.program, Expansion::Coalesced.plan(), last);
    let memory = stages.list.iter().find(|stage| matches!(*stage.artifact, Artifact::FunMem(_)));
    let Some(stage) = memory else { return imp(source, &stages.list[0], case) };
    let mut engine = HeapEngine::new(Planted::NONE);
    let heap = engine.run(stage, case, rolls);
    if let Some(race) = heap.races.first() {
        let text = if stage.id == INSERT_MEMORY {
            format!("memory is inserted so that it races: {}", race::describe(race))
        } else {
            show::outcome(source, &heap)
        };
        return judgement(case, &heap, (None, Some(false)), text);
    }
    if let Some(text) = no_answer(source, &heap) {
        return judgement(case, &heap, (None, None), text);
    }
    let values = ValuesEngine.run(stage, case, rolls);
    let stuck = stuck(&heap);
    match validity::judge(&values, &heap, engine.layout()) {
        None => {
            let text = format!("valid, race-free{stuck}");
            judgement(case, &heap, (Some(true), Some(true)), text)
        }
        Some(invalid) => {
            let text = format!("race-free, but invalid: {invalid}{stuck}");
            judgement(case, &heap, (Some(false), Some(true)), text)
        }
    }
}

/// IMP and the device language have no run by values: race-freedom alone.
fn imp(source: &Source, stage: &Stage, case: &Case) -> Judgement {
    let rolls = &mut Rolls::new();
    let outcome: Outcome = match &*stage.artifact {
        Artifact::Imp(_) => ImpEngine::new(Threads::InOrder).run(stage, case, rolls),
        _ => DeviceEngine.run(stage, case, rolls),
    };
    if !outcome.races.is_empty() {
        return judgement(case, &outcome, (None, Some(false)), show::outcome(source, &outcome));
    }
    match no_answer(source, &outcome) {
        Some(text) => judgement(case, &outcome, (None, None), text),
        None => {
            let text = format!("race-free{}", stuck(&outcome));
            judgement(case, &outcome, (None, Some(true)), text)
        }
    }
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
    Judgement { input, valid, race_free, text, status }
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
