//! Measures plans of a pool on an adapter.

use super::measured::{self, Measured, Timed};
use super::pools::Pool;
use super::priced;
use crate::engine::Artifact;
use crate::language::Listed;
use crate::stages::{CHECKED, Plan, Stages};
use compiler::run::{Gpu, Options};
use reference::axes::print;
use reference::axes::syntax::{Head, Level, Program};
use reference::cost::{Machine, Mode};
use reference::device::Device;
use reference::kit::outcome::{Budget, Ending, Outcome, Value};
use std::time::Duration;

/// What is measured.
pub struct Request<'a> {
    /// The pool.
    pub pool: &'a Pool,
    /// Sizes other than its own.
    pub sizes: Vec<(String, i32)>,
    /// How many plans.
    pub plans: usize,
    /// Which ones.
    pub seed: u64,
    /// The day.
    pub date: String,
    /// How long a plan may take, with what it takes to make it ready.
    pub limit: Duration,
    /// How long the launches of a plan may take while they are timed, all repetitions together.
    pub timed: Duration,
}

/// A plan is left out if it costs so many times as much as the cheapest of those that were drawn.
const DEARER: f64 = 400.0;
/// So many plans are drawn at most.
const MOST: usize = 4_000;
/// So many plans with a launch are drawn for each that is measured.
const DRAWN: usize = 4;

/// Draws plans, runs each, holds its results against those of the first, and times it. Tells `say` of each what it does.
///
/// # Errors
/// There is no such adapter, the sizes are none, or no plan runs.
pub fn measure(
    request: &Request<'_>,
    adapter: &str,
    say: &mut dyn FnMut(String),
) -> Result<Measured, String> {
    let options = Options { timeout: request.limit, stamps: true, ..Options::default() };
    let open = || Gpu::open(adapter, options).map_err(|no| format!("{adapter}: {no:?}"));
    let mut gpu = open()?;
    let of = gpu.adapter();
    let machine = format!("{} ({} {}, {})", of.name, of.driver, of.driver_info, of.backend);
    let searched = request.pool.search(&request.sizes)?;
    let plans = chosen(request, Pool::drawn(&searched, request.seed), say)?;
    let params = params(&searched.program);
    let mut timed: Vec<Timed> = Vec::new();
    let mut over: Vec<String> = Vec::new();
    let mut wanted: Option<Vec<Value>> = None;
    for (program, plan) in plans {
        if timed.len() == request.plans {
            break;
        }
        let term = one_line(&print::term(&program.term));
        let took = match run(&program, &plan, &mut gpu, request.timed) {
            Ok((values, took)) => {
                if *wanted.get_or_insert_with(|| values.clone()) != values {
                    return Err(format!("two plans have different results; the second is {term}"));
                }
                let Some(took) = took else {
                    say(format!("over the limit of {:?}: {term}", request.timed));
                    over.push(term);
                    continue;
                };
                took
            }
            Err(why) => {
                say(format!("left out, for {why}: {term}"));
                // A device that gave no answer in time is not asked again.
                gpu = open()?;
                continue;
            }
        };
        let ms = took.as_secs_f64() * 1e3;
        say(format!("{:>4} {ms:>12.4} ms  {term}", timed.len() + 1));
        timed.push(Timed { ms, term });
    }
    if timed.is_empty() {
        return Err("no plan ran".to_owned());
    }
    Ok(Measured {
        pool: request.pool.name.to_owned(),
        machine,
        threads: None,
        date: request.date.clone(),
        how: format!("{}: shaders by wgpu, launches alone, medians of 7", crate::VERSION),
        params,
        plans: timed,
        over,
    })
}

/// Plans that are worth a measurement: of all that are drawn those that do not cost very much more than others, in the order
/// in which they were drawn.
fn chosen(
    request: &Request<'_>,
    drawn: impl Iterator<Item = (Program, compiler::rewrite::plan::Plan)>,
    say: &mut dyn FnMut(String),
) -> Result<Vec<(Program, Artifact)>, String> {
    let machine = Machine::default();
    let mut plans = Vec::new();
    // What the host does itself is not measured.
    let launched = drawn.take(MOST).filter(|(program, _)| {
        let mut launches = false;
        program.term.walk(&mut |term| {
            launches |= matches!(term.head, Head::Level(Level::Grid | Level::Group | Level::Lane));
        });
        launches
    });
    for (program, plan) in launched.take(request.plans * DRAWN) {
        let plan = plan.artifact();
        let Ok(report) = priced(&program, &plan, &machine) else { continue };
        let umm: f64 = report.kernels.iter().map(|kernel| kernel.times.of(Mode::Umm)).sum();
        plans.push((umm, program, plan));
    }
    let least = plans.iter().map(|(umm, ..)| *umm).fold(f64::INFINITY, f64::min);
    let all = plans.len();
    plans.retain(|(umm, ..)| *umm <= DEARER * least);
    say(format!("{all} plans have a price, {} are dear beyond measure", all - plans.len()));
    if plans.is_empty() {
        return Err("no plan that was drawn can be priced".to_owned());
    }
    Ok(plans.into_iter().map(|(_, program, plan)| (program, plan)).collect())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The parameters of a program, as its text has them.
fn params(program: &Program) -> String {
    let text = print::program(program);
    let line = text.lines().find(|line| line.starts_with("param"));
    line.unwrap_or_default().to_owned()
}

/// Runs a plan: its results, and how long its launches take, if that is not more than the limit.
fn run(
    program: &Program,
    plan: &Artifact,
    gpu: &mut Gpu,
    limit: Duration,
) -> Result<(Vec<Value>, Option<Duration>), String> {
    let input = measured::input(program, plan)?;
    let stages = Stages::up_to(plan, Plan::default(), CHECKED);
    let checked = stages.list.iter().find(|stage| stage.id == CHECKED);
    let Some(checked) = checked.and_then(|stage| Device::of(&stage.artifact)) else {
        return Err("it is not compiled".to_owned());
    };
    let budget = Budget::default();
    let ended = |outcome: Outcome| match outcome.ending {
        Ending::Value(values) => Ok(values),
        other => Err(format!("{other:?}")),
    };
    let values = ended(gpu.run(checked, &input, &budget))?;
    gpu.set_timed(limit);
    let again = ended(gpu.run(checked, &input, &budget));
    let Some(times) = gpu.take_times() else { return Ok((values, None)) };
    again?;
    Ok((values, Some(times.into_iter().sum())))
}
