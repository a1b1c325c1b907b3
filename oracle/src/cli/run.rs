//! `lockstep run`

use super::input::{Source, name_of};
use super::options::{Adapters, Expansion, Limit, Programs, Running};
use super::out::Out;
use super::own::{self, Own};
use super::problem::Problem;
use super::{Answer, Status, data, rewriting, show};
use crate::campaign::{order_dependent, values};
use crate::engine::{Case, Engine, EngineId, Stage, StageId};
use crate::engines::{self, AdapterEngine, SpirvEngine};
use crate::language::{Lang, Listed};
use crate::optimize::subject::Subject;
use crate::profiles;
use crate::rolls::Rolls;
use crate::stages::{self, End, Plan, Stages};
use reference::device::Device;
use reference::kit::outcome::{Ending, Outcome, Race, Stats, Value, Why};
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
    /// The engine, by a name of `lockstep engines`, such as fun, imp:in-order, spirv or wgpu:ADAPTER, or
    /// wgpu for the first adapter that is no processor, if any; else the semantics of the program's language. An
    /// adapter does not see races: `lockstep check` does
    #[arg(long)]
    engine: Option<Named>,
    #[command(flatten)]
    limit: Limit,
    /// How memory is expanded where the program is compiled for the engine
    #[arg(long, default_value = "coalesced")]
    expansion: Expansion,
    /// Rewrite the program by laws first, to the plan that costs least for the sizes of the input, and run that, on
    /// imp:in-order without --engine (docs/optimize.md)
    #[arg(long)]
    optimize: bool,
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
    /// Two orders of threads that give different results, though none races or gets stuck.
    order_dependent: Option<data::Orders>,
    /// Where this run ends well: another order, in which threads race or one gets stuck.
    other_order: Option<data::Ordered>,
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
        let case = match args.optimize {
            true => optimized(&source, case, (several, args.expansion), out)?,
            false => case,
        };
        let named = args.engine.as_ref().map(Named::engine).transpose()?;
        let id = named.unwrap_or_else(|| EngineId::own(case.program.lang()));
        let Run { outcome, own } = of(&case, &id, (args.expansion, args.limit))?;
        let invalid = own.as_ref().and_then(Own::invalid);
        let other = own.as_ref().and_then(|own| own.wrong_elsewhere(&id, &outcome));
        let found = own.as_ref().and_then(|own| own.order_dependent.as_ref());
        let wrong = invalid.is_some() || other.is_some();
        worst = worst.max(show::status(&outcome)).max(Status::wrong_if(wrong));
        if args.programs.json {
            let (input, end) = (data::texts(&case.input), data::End::of(&source, &outcome));
            let file = source.name();
            let order_dependent = found.map(data::Orders::of);
            let other_order = other.map(|(order, end)| data::Ordered::of(&source, &order, end));
            let invalid = data::Invalid::of(&source, invalid.as_ref());
            let engine = &id;
            out.json(&Line { file, input, engine, invalid, end, order_dependent, other_order });
        } else {
            if several {
                out.line(format!("-- input: {}", values(&case.input)));
            }
            show::outcome(out, &source, &outcome, args.running.races());
            if let Some(invalid) = &invalid {
                show::invalid(out, &source, invalid);
            }
            if let Some(found) = found {
                out.message(&order_dependent(found));
            }
            if let Some((order, end)) = other {
                show::in_order(out, &source, &order, end, args.running.races());
            }
        }
    }
    Ok(worst)
}

/// The case with the plan of its program, if one costs less.
fn optimized(
    source: &Source,
    case: Case,
    (several, expansion): (bool, Expansion),
    out: &mut Out,
) -> Result<Case, Problem> {
    let (given, budget, compile) = (Some(&case.input[..]), case.budget, expansion.plan());
    let wanted = rewriting::Wanted { size: &[], given, several, budget, compile };
    let made = rewriting::plan(source, wanted, out)?;
    Ok(match made {
        Some((program, _)) => {
            let subject = Subject::of(&case.program, &case.settings);
            let input = subject.map_or_else(|| case.input.clone(), |of| of.given(&case.input));
            Case { program, input, ..case }
        }
        None => case,
    })
}

/// A run by an engine, and what the semantics of the program say of it, where these are asked.
struct Run {
    outcome: Outcome,
    own: Option<Own>,
}

fn of(case: &Case, id: &EngineId, how: (Expansion, Limit)) -> Result<Run, Problem> {
    let source = own::source_of(case);
    if *id == EngineId::own(case.program.lang()) {
        let own = Own::of(&source, case);
        return Ok(Run { outcome: own.outcome.clone(), own: Some(own) });
    }
    let mut outcome = on(case, id, how)?;
    let lacks = outcome.races.iter().any(lacks_statements);
    let own = (lacks || own::is_asked(case)).then(|| Own::of(&source, case));
    if let Some(own) = own.as_ref().filter(|_| lacks) {
        outcome.races = told_by(own.races(), &outcome.races);
    }
    Ok(Run { outcome, own })
}

/// Does it not say which statements race? Shaders have lines of their own, and other names for memory of a work group.
fn lacks_statements(race: &Race) -> bool {
    race.first.span.is_none() || race.second.span.is_none()
}

/// These races of shaders, each as the program's own run tells it: as the races of the same kernel, or else of the same
/// block. One that the program's own run does not have is left as it is.
fn told_by(own: &[Race], races: &[Race]) -> Vec<Race> {
    let mut told: Vec<Race> = Vec::new();
    for race in races {
        let same_kernel = |one: &&Race| one.span == race.span;
        let same_block = |one: &&Race| one.block == race.block;
        let mut known: Vec<&Race> = own.iter().filter(same_kernel).collect();
        if known.is_empty() {
            known = own.iter().filter(same_block).collect();
        }
        if known.is_empty() || !lacks_statements(race) {
            known = vec![race];
        }
        for race in known {
            if !told.contains(race) {
                told.push(race.clone());
            }
        }
    }
    told
}

/// Compiles a case as far as the engine wants it, and runs it there.
pub(super) fn on(case: &Case, id: &EngineId, how: (Expansion, Limit)) -> Result<Outcome, Problem> {
    match ready(case, id, how)? {
        Ok(mut ready) => Ok(ready.run(case)),
        Err(outcome) => Ok(outcome),
    }
}

/// An engine with a case that was compiled for it.
pub(super) struct Ready {
    engine: Of,
    stage: Stage<'static>,
}

enum Of {
    Semantic(Box<dyn Engine>),
    Adapter(Box<AdapterEngine>),
}

impl Ready {
    /// Runs the case that it was made for.
    pub(super) fn run(&mut self, case: &Case) -> Outcome {
        match &mut self.engine {
            Of::Semantic(engine) => {
                let outcome = engine.run(&self.stage, case, &mut Rolls::default());
                if outcome.races.is_empty() {
                    return outcome;
                }
                // Where both accesses of a race stand takes a table of all accesses.
                engine.run(&self.stage, case, &mut Rolls::locating())
            }
            Of::Adapter(engine) => {
                let mut outcome = engine.run(&self.stage, case, &mut Rolls::default());
                if let Ending::Unknown(why) = outcome.ending {
                    outcome.ending = Ending::Unknown(profiles::gave_up(engine.adapter(), why));
                }
                outcome
            }
        }
    }
}

/// Compiles a case as far as the engine wants it; or why that is not possible, as the end of a run.
pub(super) fn ready(
    case: &Case,
    id: &EngineId,
    (expansion, limit): (Expansion, Limit),
) -> Result<Result<Ready, Outcome>, Problem> {
    let plan = expansion.plan().with(&case.settings);
    let semantic = match id {
        EngineId::Tint => {
            let tint = adapter(id, limit)?.tint().map(SpirvEngine::of);
            tint.map(|engine| Box::new(engine) as Box<dyn Engine>)
        }
        id => engines::semantic(id),
    };
    let Some(engine) = semantic else {
        return on_adapter(case, adapter(id, limit)?, plan);
    };
    let admitted = |stage: &&Stage| engine.admits(stage, case, &Stats::default()).is_ok();
    // The source itself if it is of the engine's language, else the last stage that is.
    let mut stages = Stages::up_to(&case.program, plan, StageId::SOURCE);
    if stages.list.first().filter(admitted).is_none() {
        stages = Stages::up_to(&case.program, plan, last_for(id, case.program.lang()));
    }
    if let Some(stage) = stages.list.iter().rev().find(admitted) {
        let stage = Stage { id: stage.id, artifact: Cow::Owned((*stage.artifact).clone()) };
        return Ok(Ok(Ready { engine: Of::Semantic(engine), stage }));
    }
    not_compiled(case, id, stages.end).map(Err)
}

/// The last pass that has to be run for an engine, for a program of this language.
fn last_for(id: &EngineId, source: Lang) -> StageId {
    let lang = match id {
        EngineId::Semantic(lang, _) => *lang,
        EngineId::Spirv | EngineId::Tint | EngineId::Wgpu(_) | EngineId::Dawn => Device::LANG,
    };
    stages::last_of(lang, source)
}

/// Compiles a case for an adapter.
fn on_adapter(
    case: &Case,
    mut engine: AdapterEngine,
    plan: Plan,
) -> Result<Result<Ready, Outcome>, Problem> {
    // It gives up before a known defect would spoil its result.
    let plan = plan.fit(engine.adapter());
    engine.set_options(plan.kernels());
    let stage = match profiles::compiled(&case.program, plan) {
        Ok(stage) => stage,
        Err(end) => return not_compiled(case, &engine.id(), end).map(Err),
    };
    let stage = Stage { id: stage.id, artifact: Cow::Owned((*stage.artifact).clone()) };
    Ok(Ok(Ready { engine: Of::Adapter(Box::new(engine)), stage }))
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

fn adapter(id: &EngineId, limit: Limit) -> Result<AdapterEngine, Problem> {
    let only = Adapters::only(vec![id.to_string()], limit);
    Ok(only.open(&only.find()?, &Arc::default())?.remove(0))
}

/// An engine that is named: one, or `wgpu`, which is the first adapter that is no processor, else the first.
#[derive(Clone, Debug)]
pub(super) enum Named {
    First,
    One(EngineId),
}

impl std::str::FromStr for Named {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "wgpu" => Ok(Named::First),
            other => other.parse().map(Named::One),
        }
    }
}

impl Named {
    /// The engine.
    ///
    /// # Errors
    /// There is no adapter.
    pub(super) fn engine(&self) -> Result<EngineId, Problem> {
        let Named::One(id) = self else {
            let found = Adapters::only(vec!["wgpu".to_owned()], Limit::default()).find()?.adapters;
            let mut all = found.iter();
            let first = all.clone().find(|of| of.device_type != "cpu").or_else(|| all.next());
            return first.map(EngineId::of).ok_or_else(|| Problem::new("there is no adapter here"));
        };
        Ok(id.clone())
    }
}
