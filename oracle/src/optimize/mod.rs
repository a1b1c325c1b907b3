//! Rewriting a program of FUN, FCL or λG by laws to one that costs less, and why each step is right.
//!
//! The compiler searches; here plans are run and priced by the cost semantics, as the original is. What is
//! handed out gave the same results as the program, and its certificate was replayed.
//!
//! A program that cannot enter as a whole is cut into segments, each of which is searched for itself. What
//! is handed out is one program in IMP: it tests the sizes, and runs the original for others. Only a plan of
//! work groups is by itself, in the device language: it is taken where all of the program is one segment. A program
//! of FCL or λG enters as a whole or not at all, and what is handed out is its plan, for these sizes alone.

pub mod blame;
pub mod certificate;
pub mod claim;
pub mod lambda_g;
pub mod price;
pub mod regions;
pub mod replay;
pub mod said;
pub mod small;
pub mod subject;

use crate::pricing::Sample;
use crate::stages::Plan;
use blame::Blame;
use compiler::rewrite::explain::Link;
use compiler::rewrite::import::StaysOut;
use compiler::rewrite::plan::Plan as Planned;
use compiler::rewrite::search::{Limits, Profile, Stop};
use compiler::rewrite::sketch::{Astray, Led, Sketch, led};
use compiler::rewrite::{Estimate, Found, Wanted, drawn};
use price::Cost;
use reference::axes::syntax::Program;
use reference::cost::{Machine, Mode};
use reference::imp::Imp;
use reference::kit::outcome::{Budget, Value};
use reference::kit::text::Rejected;
use reference::languages::{Artifact, Listed};
use regions::{Original, Region};
use std::time::Duration;
use subject::Subject;

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
    /// A seed: a random program that was found is taken, whatever it costs.
    pub chaos: Option<u64>,
    /// How many terms a class keeps.
    pub keep: usize,
    /// How many plans of a segment are priced, the cheapest by the estimate first.
    pub plans: usize,
    /// Is a part of a run executed to price it? Then results are not compared.
    pub sample: Sample,
    /// What a run of a plan may use.
    pub budget: Budget,
    /// How long a certificate may be made shorter.
    pub shorten: Duration,
    /// How what stays as it is is compiled to IMP.
    pub compile: Plan,
}

impl Default for Request {
    fn default() -> Self {
        Request {
            mode: Mode::Umm,
            machine: Machine::default(),
            limits: Limits::default(),
            keep: 8,
            plans: 16,
            budget: Budget::default(),
            sketches: Vec::new(),
            chaos: None,
            sample: Sample::Auto,
            shorten: Duration::from_secs(10),
            compile: Plan::default(),
        }
    }
}

/// A plan with what it costs.
pub struct Priced {
    /// The term.
    pub program: Program,
    /// The plan, for these sizes only: in IMP, or in the device language if work groups run it.
    pub plan: Artifact,
    /// What the search estimated.
    pub estimate: Estimate,
    /// What the cost semantics says.
    pub cost: Cost,
}

/// A run of outermost statements that was searched, perhaps all of them.
pub struct Segment {
    /// Where it stands.
    pub region: Region,
    /// What it costs as it is compiled without rewriting, alone.
    pub original: Cost,
    /// Was a plan asked for whatever it costs: one like a sketch, or a random one?
    pub asked_for: bool,
    /// Plans with what they cost, the cheapest first.
    pub front: Vec<Priced>,
    /// Plans whose results differ: a law is wrong, or its plan.
    pub wrong: Vec<Priced>,
    /// Were plans of work groups left out, for they are no part of a program in IMP?
    pub groups_left_out: bool,
    /// Cheaper plans that were left out, since the steps to them lead through what is no term.
    pub unexplained: usize,
    /// From the term to the cheapest plan, if that costs less than the segment or was asked for.
    pub chain: Result<Vec<Link>, String>,
    /// Nodes and classes of the e-graph.
    pub size: (usize, usize),
    /// Why the search ended.
    pub stop: Stop,
    /// What each law did.
    pub profile: Vec<Profile>,
    led: Led,
    /// What its term is run on.
    input: Vec<Value>,
}

impl Segment {
    /// The cheapest plan, if it costs less than the segment does, or was asked for.
    pub fn best(&self, mode: Mode) -> Option<&Priced> {
        let first = self.front.first()?;
        let is_cheaper = first.cost.times.of(mode) < self.original.times.of(mode);
        (self.asked_for || is_cheaper).then_some(first)
    }

    /// Why the search found nothing else.
    pub fn ended(&self) -> String {
        let stop = self.stop.text();
        match self.groups_left_out {
            true => format!(
                "{stop}; plans of work groups were left out: what stands beside it stays in IMP, which has none"
            ),
            false => stop.to_owned(),
        }
    }

    /// Finds the steps to the cheapest plan that has a certificate.
    fn explain(&mut self, request: &Request) {
        while let Some(best) = self.best(request.mode) {
            let best = best.program.clone();
            self.chain = self.led.chain(&request.limits, &best, request.shorten);
            if self.chain.is_ok() || self.asked_for && self.front.len() == 1 {
                return;
            }
            self.front.remove(0);
            self.unexplained += 1;
        }
    }
}

/// A program that does what the original does: in IMP for sizes of all kinds, or in the device language for
/// these.
pub struct Whole {
    /// The program.
    pub program: Artifact,
    /// What it costs with these sizes.
    pub cost: Cost,
}

/// What came out.
pub struct Optimized {
    /// The sizes that plans hold for.
    pub sizes: Vec<(String, i32)>,
    /// The program without rewriting: of FUN as it is compiled to IMP.
    pub original: Whole,
    /// What could enter.
    pub segments: Vec<Segment>,
    /// What could not, and why.
    pub outside: Vec<StaysOut>,
    /// The program with the cheapest plan of each segment, if it costs less than the original or was asked for.
    pub best: Option<Whole>,
    /// It, where it gives other results than the program: a law is wrong, or its plan.
    pub wrong: Option<Artifact>,
    /// Were results compared? They are not if the run is priced by a part of it.
    pub compared: bool,
}

/// Why nothing is optimized.
pub enum No {
    /// Nothing of the program can enter: why its first statement that does not, and the others.
    StaysOut(Box<Rejected>, Vec<StaysOut>),
    /// The original or its run is not what can be priced.
    Unpriced(String),
    /// A sketch is wrong, or is not reached.
    Astray(Astray),
}

impl Optimized {
    /// A plan that gave other results than what it is a plan of, and which law is to blame.
    pub fn wrong_plan(&self, request: &Request) -> Option<(&Priced, Blame)> {
        let mut wrong = self
            .segments
            .iter()
            .flat_map(|segment| segment.wrong.iter().map(move |priced| (segment, priced)));
        let (segment, priced) = wrong.next()?;
        let Segment { region, led, input, .. } = segment;
        let steps = led.chain(&request.limits, &priced.program, Duration::ZERO);
        let blamed = blame::blamed(&region.term, steps, input, &request.budget);
        let nobody = || Blame {
            law: None,
            text: "no law is to blame, so its translation to a plan is wrong".to_owned(),
        };
        Some((priced, blamed.unwrap_or_else(nobody)))
    }

    /// The program with these plans of its segments, each a segment's or none. A plan of work groups is all of
    /// it.
    ///
    /// # Errors
    /// A statement that stays as it is is not compiled.
    pub fn with(
        &self,
        program: &Subject,
        plans: &[Option<&Priced>],
        compile: &Plan,
    ) -> Result<Artifact, String> {
        let of_groups = |priced: &&&Priced| Imp::of(&priced.plan).is_none();
        if let Some(alone) = plans.iter().flatten().find(of_groups) {
            return Ok(alone.plan.clone());
        }
        let Subject::Fun(program) = program else {
            let mut plans = plans.iter().flatten().map(|priced| priced.plan.clone());
            return plans.next().ok_or_else(|| "it has no plan".to_owned());
        };
        let both = self.segments.iter().zip(plans);
        let chosen = both.filter_map(|(segment, plan)| {
            let plan = Imp::of(&plan.as_ref()?.plan)?;
            Some((&segment.region, plan))
        });
        let chosen: Vec<_> = chosen.collect();
        let whole =
            Original::new(program, compile)?.with(program, &chosen, &self.sizes, compile)?;
        regions::read_again(&whole)
    }

    /// Does the program that is handed out cost less than the original?
    pub fn is_cheaper(&self, mode: Mode) -> bool {
        let before = self.original.cost.times.of(mode);
        self.best.as_ref().is_some_and(|best| best.cost.times.of(mode) < before)
    }

    /// Is a plan of the segment in the program that is handed out?
    pub fn is_used(&self, segment: &Segment, mode: Mode) -> bool {
        self.best.is_some() && segment.best(mode).is_some()
    }
}

/// Searches for what costs less than the program on this input, by the sizes of the input.
///
/// # Errors
/// What cannot enter, or why the original has no price.
pub fn optimize(program: &Subject, input: &[Value], request: &Request) -> Result<Optimized, No> {
    let sizes = program.sizes(input);
    let (found, outside) = program.regions(&sizes)?;
    let original = program.original(&request.compile).map_err(No::Unpriced)?;
    let priced = program.price(&original, input, request, request.sample);
    let (cost, wanted) = priced.map_err(No::Unpriced)?;
    let mut segments = Vec::new();
    let mut astray = None;
    for region in found {
        let values = program.values(&region, input, &request.budget).map_err(No::Unpriced)?;
        let (alone, results) = match program.is_whole(&region) {
            true => (cost.clone(), wanted.clone()),
            false => program.alone(&region, (input, &values), request).map_err(No::Unpriced)?,
        };
        // A sketch is one of the segments that have its names, and a term that is like it.
        let led = led(&region.term, &request.sketches, &request.limits, &wanted_of(request));
        let led = match led {
            Ok(led) => led,
            Err(Astray::NoTerm(why)) => return Err(No::Unpriced(why)),
            Err(why) => {
                astray.get_or_insert(why);
                continue;
            }
        };
        let wanted = (alone, results.as_deref());
        let mut found = segment(program, region, led, &values.of_term, wanted, request);
        found.explain(request);
        segments.push(found);
    }
    if let Some(why) = astray.filter(|_| segments.is_empty()) {
        return Err(No::Astray(why));
    }
    let mut optimized = Optimized {
        sizes,
        original: Whole { program: original, cost },
        segments,
        outside,
        best: None,
        wrong: None,
        compared: wanted.is_some(),
    };
    let plans = optimized.segments.iter().map(|segment| segment.best(request.mode));
    let plans: Vec<Option<&Priced>> = plans.collect();
    if plans.iter().all(Option::is_none) {
        return Ok(optimized);
    }
    let whole = optimized.with(program, &plans, &request.compile).map_err(No::Unpriced)?;
    let sample = sample(request, wanted.is_some());
    let priced = program.price(&whole, &program.given(input), request, sample);
    let (cost, results) = priced.map_err(No::Unpriced)?;
    if results.zip(wanted).is_some_and(|(own, wanted)| own != wanted) {
        optimized.wrong = Some(whole);
    } else if cost.times.of(request.mode) < optimized.original.cost.times.of(request.mode)
        || optimized.segments.iter().any(|segment| segment.asked_for)
    {
        optimized.best = Some(Whole { program: whole, cost });
    }
    Ok(optimized)
}

/// What is not compared need not be executed whole.
fn sample(request: &Request, is_compared: bool) -> Sample {
    if is_compared { request.sample } else { Sample::Always }
}

/// What is asked of terms.
fn wanted_of(request: &Request) -> Wanted {
    Wanted { keep: request.keep, machine: request.machine.clone(), ..Wanted::default() }
}

/// Prices the plans of a segment that was searched. One of work groups is no part of a program in IMP, so it
/// is left out unless the segment is all of the program.
fn segment(
    program: &Subject,
    region: Region,
    led: Led,
    values: &[Value],
    (original, wanted): (Cost, Option<&[Value]>),
    request: &Request,
) -> Segment {
    let sample = sample(request, wanted.is_some());
    let mut front = Vec::new();
    let mut wrong = Vec::new();
    let found: Vec<Found> = match request.chaos {
        Some(seed) => drawn(&led.last, &wanted_of(request), seed).into_iter().collect(),
        None => led.extract(&wanted_of(request)),
    };
    let is_whole = program.is_whole(&region);
    let fits = |found: &Found| is_whole || matches!(found.plan, Planned::Imp(_));
    let (found, left_out): (Vec<Found>, Vec<Found>) = found.into_iter().partition(fits);
    for found in found.into_iter().take(request.plans) {
        let plan = found.plan.artifact();
        let priced = program.price(&plan, values, request, sample);
        let Ok((cost, results)) = priced else { continue };
        let differs = results.zip(wanted).is_some_and(|(own, wanted)| own != *wanted);
        let to = if differs { &mut wrong } else { &mut front };
        to.push(Priced { program: found.program, plan, estimate: found.estimate, cost });
    }
    let of = |priced: &Priced| priced.cost.times.of(request.mode);
    front.sort_by(|a, b| of(a).total_cmp(&of(b)));
    Segment {
        region,
        original,
        asked_for: request.chaos.is_some() || !request.sketches.is_empty(),
        front,
        wrong,
        groups_left_out: !left_out.is_empty(),
        unexplained: 0,
        chain: Ok(Vec::new()),
        size: led.last.size(),
        stop: led.last.stop,
        profile: led.last.profile.clone(),
        led,
        input: values.to_vec(),
    }
}
