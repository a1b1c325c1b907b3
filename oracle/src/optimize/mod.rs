//! Rewriting a FUN program by laws to one that costs less, and why each step is right.
//!
//! The compiler searches; here plans are run and priced by the cost semantics, as the original is. What is
//! handed out gave the same results as the program, and its certificate was replayed.

pub mod certificate;

use crate::stages::{self, Plan, Stages};
use compiler::rewrite::explain::Link;
use compiler::rewrite::search::{Limits, Profile, Stop};
use compiler::rewrite::sketch::{Astray, Sketch, led};
use compiler::rewrite::{Estimate, Wanted, import};
use reference::axes::syntax::Program;
use reference::cost::{Machine, Mode, Pricer, Times, World};
use reference::fun::syntax::{self as fun, Fun};
use reference::imp::Imp;
use reference::kit::faults::Planted;
use reference::kit::language::{How, Settings};
use reference::kit::memory::Memory;
use reference::kit::outcome::{Budget, Ending, Scalar, Value};
use reference::kit::text::Rejected;
use reference::languages::{Artifact, Listed};
use std::time::Duration;

/// What is asked for.
pub struct Request {
    /// By which mode plans are compared.
    pub mode: Mode,
    /// The machine that they are priced for.
    pub machine: Machine,
    /// What the search may do.
    pub limits: Limits,
    /// What plans are like: a search is led from one to the next, and the last one restricts what comes out.
    pub sketches: Vec<Sketch>,
    /// How many terms a class keeps.
    pub keep: usize,
    /// How many plans are priced, the cheapest by the estimate first.
    pub plans: usize,
    /// What a run of a plan may use.
    pub budget: Budget,
    /// How long a certificate may be made shorter.
    pub shorten: Duration,
}

/// A plan with what it costs.
pub struct Priced {
    /// The term.
    pub program: Program,
    /// The plan in IMP.
    pub plan: Artifact,
    /// What the search estimated.
    pub estimate: Estimate,
    /// What the cost semantics says.
    pub cost: Cost,
}

/// What the cost semantics says of a run.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Cost {
    /// By each mode.
    pub times: Times,
    /// Operations and accesses.
    pub work: u64,
    /// The longest chain of them.
    pub depth: u64,
    /// Words that are alive at once.
    pub peak_words: u64,
}

/// What came out.
pub struct Optimized {
    /// The program as a term.
    pub term: Program,
    /// What the program costs as it is compiled without rewriting.
    pub original: Cost,
    /// Plans with what they cost, the cheapest first.
    pub front: Vec<Priced>,
    /// Plans whose results differ: a law is wrong, or its plan.
    pub wrong: Vec<Priced>,
    /// From the term to the cheapest plan, if that is cheaper than the original.
    pub chain: Result<Vec<Link>, String>,
    /// Nodes and classes of the e-graph.
    pub size: (usize, usize),
    /// Why the search ended.
    pub stop: Stop,
    /// What each law did.
    pub profile: Vec<Profile>,
}

/// Why nothing is optimized.
pub enum No {
    /// A statement cannot enter.
    StaysOut(Rejected),
    /// The original or its run is not what can be priced.
    Unpriced(String),
    /// A sketch is wrong, or is not reached.
    Astray(Astray),
}

impl Optimized {
    /// The cheapest plan, if it costs less than the original.
    pub fn best(&self, mode: Mode) -> Option<&Priced> {
        let first = self.front.first()?;
        (first.cost.times.of(mode) < self.original.times.of(mode)).then_some(first)
    }
}

/// Searches for what costs less than the program on this input, by the sizes of the input.
///
/// # Errors
/// What cannot enter, or why the original has no price.
pub fn optimize(
    program: &fun::Program<Fun>,
    input: &[Value],
    request: &Request,
) -> Result<Optimized, No> {
    let sizes = sizes(program, input);
    let term = import::import(program, &sizes).map_err(|no| No::StaysOut(no.into()))?;
    let source = Fun::artifact(program.clone());
    let (original, results) = original(&source, input, request).map_err(No::Unpriced)?;
    let wanted = Wanted { keep: request.keep, machine: request.machine.clone() };
    let led = led(&term, &request.sketches, &request.limits, &wanted).map_err(No::Astray)?;
    let searched = &led.last;
    let mut front = Vec::new();
    let mut wrong = Vec::new();
    for found in led.extract(&wanted).into_iter().take(request.plans) {
        let plan = Imp::artifact(found.plan);
        let Ok((cost, own)) = price(&plan, input, request) else { continue };
        let to = if own == results { &mut front } else { &mut wrong };
        to.push(Priced { program: found.program, plan, estimate: found.estimate, cost });
    }
    let of = |priced: &Priced| priced.cost.times.of(request.mode);
    front.sort_by(|a, b| of(a).total_cmp(&of(b)));
    let mut optimized = Optimized {
        term,
        original,
        front,
        wrong,
        chain: Ok(Vec::new()),
        size: searched.size(),
        stop: searched.stop,
        profile: searched.profile.clone(),
    };
    if let Some(best) = optimized.best(request.mode) {
        optimized.chain = led.chain(&request.limits, &best.program, request.shorten);
    }
    Ok(optimized)
}

/// The int parameters that sizes depend on, with their values.
fn sizes(program: &fun::Program<Fun>, input: &[Value]) -> Vec<(String, i32)> {
    let needed = import::size_params(program);
    let names = program.params.iter().map(|param| program.names.written(param.var).to_owned());
    let ints = names.zip(input).filter_map(|(name, value)| match value {
        Value::Scalar(Scalar::I32(k)) => Some((name, *k)),
        _ => None,
    });
    ints.filter(|(name, _)| needed.contains(name)).collect()
}

/// What the program costs as it is compiled, and its results.
fn original(
    source: &Artifact,
    input: &[Value],
    request: &Request,
) -> Result<(Cost, Vec<Value>), String> {
    let last = stages::last_of(Imp::LANG, source.lang());
    let stages = Stages::up_to(source, Plan::default(), last);
    let stage = stages.list.iter().rev().find(|stage| stage.artifact.lang() == Imp::LANG);
    let stage = stage.ok_or("the program is not compiled to IMP")?;
    price(&stage.artifact, input, request)
}

/// Runs an IMP program, and prices the run.
fn price(
    program: &Artifact,
    input: &[Value],
    request: &Request,
) -> Result<(Cost, Vec<Value>), String> {
    let memory = &mut Memory::default();
    let settings = Settings::default();
    let how = How {
        variant: program.lang().variants()[0].name,
        schedule: 0,
        budget: &request.budget,
        settings: &settings,
        planted: Planted::NONE,
        memory,
    };
    let pricer = Pricer::new(request.machine.clone(), World::Device);
    let (outcome, pricer) = program.price(input, how, pricer);
    let Ending::Value(results) = outcome.ending else {
        return Err(format!("its run ends otherwise than with results: {:?}", outcome.ending));
    };
    let report = pricer
        .report(outcome.stats.statements)
        .map_err(|large| format!("its run is too large to be priced: {}", large.why))?;
    let cost = Cost {
        times: report.times,
        work: report.work,
        depth: report.depth,
        peak_words: report.peak,
    };
    Ok((cost, results))
}
