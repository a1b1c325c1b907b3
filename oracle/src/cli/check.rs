//! `lockstep check`

use super::input::Source;
use super::options::{Expansion, Programs, Running};
use super::out::Out;
use super::{Answer, Status, show};
use crate::check::stages::{INSERT_MEMORY, Stages};
use crate::check::{race, validity};
use crate::engine::Threads;
use crate::engine::{Artifact, Case, Engine, Stage};
use crate::engines::{HeapEngine, ImpEngine, ValuesEngine};
use crate::language;
use crate::rolls::Rolls;
use reference::kit::faults::Planted;
use reference::kit::outcome::{Ending, Outcome};
use serde::Serialize;

#[derive(clap::Args)]
#[command(after_help = "Example: lockstep check corpus/funmem/race/shift.funmem")]
pub(super) struct Args {
    #[command(flatten)]
    programs: Programs,
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
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    let mut worst = Status::Clean;
    for path in args.programs.files()? {
        let ended = one(args, &path, out);
        worst = worst.max(match ended {
            Ok(status) => status,
            Err(problem) => {
                out.problem(&problem);
                Status::Unusable
            }
        });
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
        || language::takes_nothing(&source.program)
    {
        for case in source.cases(given, args.running.budget())? {
            let judgement = judge(&source, &case);
            if judgement.valid == Some(false) || judgement.race_free == Some(false) {
                worst = Status::Wrong;
            }
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
    let input = crate::campaign::finding::values(&case.input);
    let input = if input.is_empty() { "no input".to_owned() } else { input };
    let rolls = &mut Rolls::new();
    let stages = Stages::of(&case.program, Expansion::Coalesced.plan());
    let memory = stages.list.iter().find(|stage| matches!(stage.artifact, Artifact::FunMem(_)));
    let judgement = |valid, race_free, text| Judgement { input, valid, race_free, text };
    let Some(stage) = memory else { return imp(source, &stages.list[0], case, judgement) };
    let mut engine = HeapEngine::new(Planted::NONE);
    let heap = engine.run(stage, case, rolls);
    if let Some(race) = heap.races.first() {
        let text = if stage.id == INSERT_MEMORY {
            format!("memory is inserted so that it races: {}", race::describe(race))
        } else {
            show::outcome(source, &heap)
        };
        return judgement(None, Some(false), text);
    }
    if let Ending::Unknown(why) = &heap.ending {
        return judgement(None, None, show::unknown(why));
    }
    let values = ValuesEngine.run(stage, case, rolls);
    let stuck = match &heap.ending {
        Ending::Stuck(stuck) => format!(" (stuck: {})", show::sentence(stuck)),
        _ => String::new(),
    };
    match validity::judge(&values, &heap, engine.layout()) {
        None => judgement(Some(true), Some(true), format!("valid, race-free{stuck}")),
        Some(invalid) => {
            judgement(Some(false), Some(true), format!("race-free, but invalid: {invalid}{stuck}"))
        }
    }
}

/// IMP and the device language have no run by values: race-freedom alone.
fn imp(
    source: &Source,
    stage: &Stage,
    case: &Case,
    judgement: impl FnOnce(Option<bool>, Option<bool>, String) -> Judgement,
) -> Judgement {
    let rolls = &mut Rolls::new();
    let outcome: Outcome = match &stage.artifact {
        Artifact::Imp(_) => ImpEngine(Threads::InOrder).run(stage, case, rolls),
        _ => crate::engines::DeviceEngine.run(stage, case, rolls),
    };
    if outcome.races.is_empty() {
        return judgement(None, Some(true), "race-free".to_owned());
    }
    judgement(None, Some(false), show::outcome(source, &outcome))
}
