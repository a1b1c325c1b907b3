//! `lockstep run`

use super::check::judged;
use super::input::name_of;
use super::options::{Adapters, Expansion, Programs, Running};
use super::out::Out;
use super::problem::Problem;
use super::{Answer, Status, data, show};
use crate::campaign::{order_dependent, values};
use crate::check::{Depth, OrderDependent, orders};
use crate::engine::{Case, Engine, EngineId, Stage, StageId};
use crate::engines::{self, AdapterEngine, SpirvEngine};
use crate::language::{Lang, Listed};
use crate::profiles;
use crate::rolls::Rolls;
use crate::stages::{self, End, Plan, Stages};
use reference::device::Device;
use reference::kit::language::{Invalid, Judged, Language};
use reference::kit::outcome::{Ending, Outcome, Stats, Value, Why};
use reference::with_language;
use serde::Serialize;
use std::borrow::Cow;
use std::sync::Arc;

#[derive(clap::Args)]
#[command(after_help = "Example: lockstep run corpus/fun/pass/matrix_product.fun\n         \
    lockstep run corpus/fun/pass/sum.fun --input \"3, [7, -4, 9]\" --engine device\n         \
    lockstep compile corpus/fun/pass/sum.fun --emit funmem | lockstep run - --language funmem \
    --input-file sum.txt")]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) programs: Programs,
    #[command(flatten)]
    running: Running,
    /// The engine, by a name of `lockstep engines`, such as fun, imp:in-order, spirv or wgpu:ADAPTER; else the
    /// semantics of the program's language. An adapter does not see races: `lockstep check` does
    #[arg(long)]
    engine: Option<EngineId>,
    /// How memory is expanded where the program is compiled for the engine
    #[arg(long, default_value = "coalesced")]
    expansion: Expansion,
}

#[derive(Serialize)]
struct Line<'a> {
    file: String,
    input: Vec<String>,
    engine: &'a EngineId,
    /// Why its memory is not valid.
    #[serde(flatten)]
    invalid: data::Invalid,
    #[serde(flatten)]
    end: data::End,
    /// Two orders of threads that end differently, though none race.
    order_dependent: Option<data::Orders>,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    let mut worst = Status::Clean;
    let files = args.programs.files();
    let given = args.running.input.read(&args.programs.paths)?;
    for path in &files {
        if files.len() > 1 && !args.programs.json {
            out.line(format!("-- file: {}", name_of(path)));
        }
        let ended = one(args, path, given.as_deref(), out);
        worst = worst.max(out.status(ended));
    }
    Ok(worst)
}

fn one(args: &Args, path: &std::path::Path, given: Option<&[Value]>, out: &mut Out) -> Answer {
    let source = args.programs.open(path)?;
    let cases = source.cases(given, args.running.budget())?;
    let mut worst = Status::Clean;
    let several = cases.len() > 1;
    for case in cases {
        let id = args.engine.clone().unwrap_or_else(|| EngineId::own(case.program.lang()));
        let (outcome, invalid) = match id == EngineId::own(case.program.lang()) {
            true => of_its_own(judged(&source_of(&case), &case)),
            false => (on(&case, &id, args.expansion)?, invalid(&case)),
        };
        let found = in_other_orders(&case, &id, &outcome);
        let status = if invalid.is_some() { Status::Wrong } else { show::status(&outcome) };
        worst = worst.max(status);
        if args.programs.json {
            let (input, end) = (data::texts(&case.input), data::End::of(&source, &outcome));
            let file = source.name();
            let order_dependent = found.map(|found| data::Orders::of(&source.text, &found));
            let invalid = data::Invalid::of(&source, invalid.as_ref());
            out.json(&Line { file, input, engine: &id, invalid, end, order_dependent });
        } else {
            if several {
                out.line(format!("-- input: {}", values(&case.input)));
            }
            show::outcome(out, &source, &outcome, args.running.races());
            if let Some(invalid) = &invalid {
                show::invalid(out, &source, invalid);
            }
            if let Some(found) = found {
                out.message(&order_dependent(&found));
            }
        }
    }
    Ok(worst)
}

/// A run of a program by its own semantics, and why its memory is not valid, if it is not. That is of a run that
/// ends and does not race.
fn of_its_own(judged: Judged) -> (Outcome, Option<Invalid>) {
    let Judged { outcome, validity } = judged;
    let ended = matches!(outcome.ending, Ending::Value(_)) && outcome.races.is_empty();
    (outcome, validity.filter(|_| ended).and_then(Result::err))
}

/// Why the memory of the program is not valid, if it is not: whichever engine runs it, that holds of what it prints.
pub(super) fn invalid(case: &Case) -> Option<Invalid> {
    let judges_memory = with_language!(case.program.lang(), |L| L::JUDGES_MEMORY);
    judges_memory.then(|| of_its_own(judged(&source_of(case), case)).1)?
}

/// Does the program end otherwise in another order of its threads, though none race? `outcome` is its end by this engine.
pub(super) fn in_other_orders(
    case: &Case,
    id: &EngineId,
    outcome: &Outcome,
) -> Option<OrderDependent> {
    let told = |outcome: &Outcome| {
        matches!(outcome.ending, Ending::Value(_) | Ending::Stuck(_)) && outcome.races.is_empty()
    };
    if !told(outcome) {
        return None;
    }
    let source = source_of(case);
    let orders = orders::run(&source, case, Depth::Whole, &mut Rolls::default())?;
    let own = EngineId::own(case.program.lang());
    if *id == own {
        return orders.differ(own, outcome);
    }
    let in_order = judged(&source, case).outcome;
    told(&in_order).then(|| orders.differ(own, &in_order))?
}

/// The program as it was written.
pub(super) fn source_of(case: &Case) -> Stage<'_> {
    Stage { id: StageId::SOURCE, artifact: Cow::Borrowed(&case.program) }
}

/// Compiles a case as far as the engine wants it, and runs it there.
pub(super) fn on(case: &Case, id: &EngineId, expansion: Expansion) -> Result<Outcome, Problem> {
    let plan = expansion.plan();
    let semantic = match id {
        EngineId::Tint => {
            let tint = adapter(id)?.tint().map(SpirvEngine::of);
            tint.map(|engine| Box::new(engine) as Box<dyn Engine>)
        }
        id => engines::semantic(id),
    };
    let Some(mut engine) = semantic else {
        return on_adapter(case, adapter(id)?, plan);
    };
    let admitted =
        |stage: &&crate::engine::Stage| engine.admits(stage, case, &Stats::default()).is_ok();
    // The source itself if it is of the engine's language, else the last stage that is.
    let mut stages = Stages::up_to(&case.program, plan, StageId::SOURCE);
    if stages.list.first().filter(admitted).is_none() {
        stages = Stages::up_to(&case.program, plan, last_for(id, case.program.lang()));
    }
    if let Some(stage) = stages.list.iter().rev().find(admitted) {
        let outcome = engine.run(stage, case, &mut Rolls::default());
        if outcome.races.is_empty() {
            return Ok(outcome);
        }
        // Where both accesses of a race stand takes a table of all accesses.
        return Ok(engine.run(stage, case, &mut Rolls::locating()));
    }
    not_compiled(case, id, stages.end)
}

/// The last pass that has to be run for an engine, for a program of this language.
fn last_for(id: &EngineId, source: Lang) -> StageId {
    let lang = match id {
        EngineId::Semantic(lang, _) => *lang,
        EngineId::Spirv | EngineId::Tint | EngineId::Wgpu(_) | EngineId::Dawn => Device::LANG,
    };
    stages::last_of(lang, source)
}

/// Compiles a case for an adapter, and runs it there.
fn on_adapter(case: &Case, mut engine: AdapterEngine, plan: Plan) -> Result<Outcome, Problem> {
    // It gives up before a known defect would spoil its result.
    let plan = plan.fit(engine.adapter());
    engine.set_options(plan.kernels());
    let stage = match profiles::compiled(&case.program, plan) {
        Ok(stage) => stage,
        Err(end) => return not_compiled(case, &engine.id(), end),
    };
    let mut outcome = engine.run(&stage, case, &mut Rolls::default());
    if let Ending::Unknown(why) = outcome.ending {
        outcome.ending = Ending::Unknown(profiles::gave_up(engine.adapter(), why));
    }
    Ok(outcome)
}

/// What to say where no stage is one of the engine's language.
fn not_compiled(
    case: &Case,
    id: &EngineId,
    end: Option<(StageId, End)>,
) -> Result<Outcome, Problem> {
    match end {
        Some((_, End::Refused(refused))) => {
            let why = Why::Refused(format!("{}: {}", refused.statement, refused.reason));
            let stopped = Some(refused.span);
            Ok(Outcome { stopped, ..Ending::Unknown(why).into() })
        }
        Some((pass, End::Panicked(text) | End::Invalid(text))) => {
            Err(Problem::new(format!("{pass} has a bug: {text}")))
        }
        None => Err(Problem::new(format!(
            "{id} does not run programs of {}, and no pass translates them to what it runs",
            case.program.lang()
        ))),
    }
}

fn adapter(id: &EngineId) -> Result<AdapterEngine, Problem> {
    let only = Adapters::only(vec![id.to_string()]);
    Ok(only.open(&only.find()?, &Arc::default())?.remove(0))
}
