//! Rewriting a program of λG to another one of λG, priced by the cost graph of its run.
//!
//! Laws are applied to whole programs, and not in an e-graph: a law that moves an `on` or a region asks the types of the whole
//! program, and a region, a function or a variable is named by what is bound around it, which a class of an e-graph does not
//! know. So it is a best-first search: of all programs that were priced, the cheapest whose neighbours were not is next.

pub mod certificate;
pub mod replay;
pub mod said;

use crate::pricing::graph::{Timed, time};
use rayon::prelude::*;
use reference::cost::graph::Greedy;
use reference::cost::{Machine, Mode};
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::language::Language;
use reference::kit::names::Var;
use reference::kit::outcome::{Budget, Cause, Ending, Value};
use reference::kit::text::Span;
use reference::lambda_g::eval::Setting;
use reference::lambda_g::rewriting::{Law, book, regions_at};
use reference::lambda_g::syntax::{Exp, Kind, Program};
use reference::lambda_g::visit::parts;
use reference::lambda_g::{LambdaG, print, types};
use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, Instant};

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// By which mode programs are compared.
    pub mode: Mode,
    /// The machine that they are priced for.
    pub machine: Machine,
    /// How its processors schedule a run.
    pub greedy: Greedy,
    /// The most programs that are priced.
    pub programs: usize,
    /// No program is priced after this time.
    pub time: Duration,
    /// What the run of the original may use. The others may take [`TIMES`] its steps.
    pub budget: Budget,
    /// The fault that the laws carry.
    pub planted: Planted,
}

impl Default for Request {
    fn default() -> Self {
        Request {
            mode: Mode::Umm,
            machine: Machine::default(),
            greedy: Greedy::DepthFirst,
            programs: 1000,
            time: Duration::from_secs(60),
            budget: Budget::default(),
            planted: Planted::NONE,
        }
    }
}

/// A program may take this many times the steps of the original.
const TIMES: u64 = 2;
/// Steps of all runs together: some minutes of a core at most.
const ALL: u64 = 1 << 31;
/// Programs that are priced however long their runs are.
const FEWEST: usize = 32;
/// Of a larger program, the expressions from this number on are left as they are.
const LARGEST: usize = 4096;

/// A step by a law, and the program behind it.
#[derive(Clone, Debug)]
pub struct Link {
    /// The law.
    pub law: &'static Law,
    /// The number of its left side among the expressions of the program before, outer ones before what is in them.
    pub number: usize,
    /// Where the left side stands in the text of the program before.
    pub span: Span,
    /// The region that the law takes, as the program before names it.
    pub region: Option<String>,
    /// The program behind it, as its text is read.
    pub program: Program,
    /// What it costs.
    pub time: u64,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// All programs that the laws lead to were priced.
    Whole,
    /// So many were.
    Programs,
    /// Their runs took so many steps.
    Steps,
    /// The time was up.
    Time,
}

impl Stop {
    /// It, in words.
    pub fn text(self) -> &'static str {
        match self {
            Stop::Whole => "all programs that the laws lead to were priced",
            Stop::Programs => "as many programs as may be were priced",
            Stop::Steps => "the runs of all programs took as many steps as may be",
            Stop::Time => "the time was up",
        }
    }
}

/// What came of a search.
#[derive(Clone, Debug)]
pub struct Found {
    /// The program, as its text is read: from it the steps lead.
    pub original: Program,
    /// What it costs.
    pub before: u64,
    /// The steps to the cheapest program; none if nothing costs less.
    pub chain: Vec<Link>,
    /// The steps to a program that gives something else: the last law is wrong.
    pub wrong: Option<(Vec<Link>, String)>,
    /// Programs that were priced, the original among them.
    pub priced: usize,
    /// Why the search ended.
    pub stop: Stop,
}

impl Found {
    /// The cheapest program, if it costs less than the original, and what it costs.
    pub fn best(&self) -> Option<(&Program, u64)> {
        self.chain.last().map(|link| (&link.program, link.time))
    }
}

/// A program that was priced, and how it was come by.
struct Seen {
    program: Program,
    /// From which one, and by which step.
    from: Option<(usize, Link)>,
}

/// A program that is next to one.
struct Near {
    law: &'static Law,
    number: usize,
    span: Span,
    region: Option<String>,
    program: Program,
    text: String,
}

/// Searches for what costs less than the program on this input, which fits.
///
/// # Errors
/// Why the original has no price.
pub fn search(program: &Program, input: &[Value], request: &Request) -> Result<Found, String> {
    let original = read(program)?;
    let start = Instant::now();
    let of_original = timed(&original, input, request, request.budget);
    let before = of_original.time.clone()?;
    let fuel = of_original.steps.saturating_mul(TIMES).min(request.budget.fuel);
    let budget = Budget { fuel, ..request.budget };
    let room = usize::try_from(ALL / of_original.steps.max(1)).unwrap_or(usize::MAX).max(FEWEST);
    let mut texts = HashSet::from([print::program(&original)]);
    let mut seen = vec![Seen { program: original.clone(), from: None }];
    let mut open = BTreeSet::from([(before, 0)]);
    let (mut best, mut wrong) = ((before, 0), None);
    let mut stop = Stop::Whole;
    'search: while let Some((_, at)) = open.pop_first() {
        let mut near = near(&seen[at].program, request.planted);
        near.retain(|near| texts.insert(near.text.clone()));
        let left = request.programs.min(room).saturating_sub(seen.len());
        if near.len() > left {
            near.truncate(left);
            stop = if room < request.programs { Stop::Steps } else { Stop::Programs };
        }
        let runs: Vec<Timed> = near
            .par_iter()
            .map(|near| match start.elapsed() < request.time {
                true => timed(&near.program, input, request, budget),
                false => Timed::none(),
            })
            .collect();
        for (near, run) in near.into_iter().zip(runs) {
            let Near { law, number, span, region, program, .. } = near;
            let differs = differs(&of_original.ending, &run.ending);
            let time = run.time.unwrap_or(u64::MAX);
            let link = Link { law, number, span, region, program: program.clone(), time };
            seen.push(Seen { program, from: Some((at, link)) });
            let own = seen.len() - 1;
            if let Some(why) = differs {
                wrong = Some((own, why));
                break 'search;
            }
            if time < u64::MAX {
                open.insert((time, own));
                best = best.min((time, own));
            }
        }
        if start.elapsed() >= request.time {
            stop = Stop::Time;
        }
        if stop != Stop::Whole {
            break;
        }
    }
    let wrong = wrong.map(|(at, why)| (chain(&seen, at), why));
    let priced = seen.len();
    Ok(Found { original, before, chain: chain(&seen, best.1), wrong, priced, stop })
}

/// The program as its text is read, so that places are those of the text.
///
/// # Errors
/// The text is not read, or its program has no type, which is a bug.
pub(crate) fn read(program: &Program) -> Result<Program, String> {
    let text = print::program(program);
    let again = LambdaG::parse(&text).map_err(|no| format!("{} in\n{text}", no.message))?;
    types::check(&again, &mut Recorder::counting()).map_err(|no| no.message)?;
    Ok(again)
}

pub(crate) fn timed(
    program: &Program,
    input: &[Value],
    request: &Request,
    budget: Budget,
) -> Timed {
    let setting =
        Setting { machine: request.machine.clone(), mode: request.mode, ..Setting::default() };
    time(program, input, &setting, &budget, request.greedy)
}

/// What is not equal of two ends, if anything. A region that is full on one side may have room on the other one: laws
/// change what lies in it. A run without an end shows nothing.
pub(crate) fn differs(one: &Ending, other: &Ending) -> Option<String> {
    let is_full = |ending: &Ending| matches!(ending, Ending::Stuck(stuck) if stuck.site.cause == Cause::RegionFull);
    match (one, other) {
        (Ending::Unknown(_), _) | (_, Ending::Unknown(_)) => None,
        (Ending::Value(one), Ending::Value(other)) if one == other => None,
        (Ending::Stuck(_), Ending::Stuck(_)) => None,
        (one, other) if is_full(one) || is_full(other) => None,
        (Ending::Value(_), Ending::Value(_)) => Some("it gives other results".to_owned()),
        (_, Ending::Stuck(stuck)) => Some(format!("it gets stuck: {}", stuck.sentence())),
        (Ending::Stuck(_), _) => Some("it does not get stuck".to_owned()),
        (_, other) => Some(crate::pricing::no_results(other)),
    }
}

/// The steps from the first program to this one.
fn chain(seen: &[Seen], mut at: usize) -> Vec<Link> {
    let mut links = Vec::new();
    while let Some((from, link)) = &seen[at].from {
        links.push(link.clone());
        at = *from;
    }
    links.reverse();
    links
}

/// A left side of a law in a program, by the number of the expression and its place.
type Left = (&'static Law, usize, Span);

/// The programs that a law leads to in one step, each with a type.
fn near(program: &Program, planted: Planted) -> Vec<Near> {
    lefts(program, planted).into_par_iter().filter_map(|left| behind(program, left)).collect()
}

fn lefts(program: &Program, planted: Planted) -> Vec<Left> {
    let mut lefts = Vec::new();
    walk(&program.body, &mut Walk { number: 0, in_on: false, planted }, &mut |left| {
        lefts.push(left);
    });
    lefts
}

/// The program with the right side in the place of a left one, if it has a type.
fn behind(program: &Program, (law, number, span): Left) -> Option<Near> {
    let regions: Vec<Option<Var>> = match law.takes_region() {
        // The youngest one first: what is in an `on` needs it most often.
        true => regions_at(program, number).into_iter().rev().map(Some).collect(),
        false => vec![None],
    };
    regions.into_iter().find_map(|region| {
        let behind = law.applied(program, number, region)?;
        let behind = read(&behind).ok()?;
        let region = region.map(|var| program.names.text(var).to_owned());
        let text = print::program(&behind);
        Some(Near { law, number, span, region, program: behind, text })
    })
}

/// So many steps from a program, as its text is read, each by a law and at a place that are drawn from a seed, whatever the
/// programs cost: what a campaign runs. No program comes twice.
///
/// # Errors
/// As [`read`].
pub fn some_steps(
    program: &Program,
    (steps, seed): (usize, u64),
    planted: Planted,
) -> Result<(Program, Vec<Link>), String> {
    let original = read(program)?;
    let mut texts = HashSet::from([print::program(&original)]);
    let mut links: Vec<Link> = Vec::new();
    let mut state = seed | 1;
    for _ in 0..steps {
        let last = links.last().map_or(&original, |link| &link.program);
        let mut lefts = lefts(last, planted);
        let next = std::iter::from_fn(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(seed | 1);
            let at = (state >> 33) as usize % lefts.len().max(1);
            (!lefts.is_empty()).then(|| lefts.swap_remove(at))
        });
        let mut next = next.filter_map(|left| behind(last, left));
        let Some(near) = next.find(|near| texts.insert(near.text.clone())) else { break };
        let Near { law, number, span, region, program, .. } = near;
        links.push(Link { law, number, span, region, program, time: u64::MAX });
    }
    Ok((original, links))
}

/// Where a walk over a program is.
struct Walk {
    number: usize,
    in_on: bool,
    planted: Planted,
}

/// Tells each left side of a law. `on` is put around what has work for threads, and not in another one.
fn walk(e: &Exp, at: &mut Walk, tell: &mut impl FnMut(Left)) {
    let number = at.number;
    if number >= LARGEST {
        return;
    }
    at.number += 1;
    for law in book(at.planted) {
        let may = !law.takes_region() || !at.in_on && has_work(e);
        if may && law.is_left(e) {
            tell((law, number, e.span));
        }
    }
    let around = at.in_on;
    at.in_on |= matches!(e.kind, Kind::On(..));
    parts(e).into_iter().for_each(|part| walk(part, at, tell));
    at.in_on = around;
}

/// Is there something in it of which a device may make much?
fn has_work(e: &Exp) -> bool {
    let own = match e.kind {
        Kind::Fn(_) | Kind::RegionFn(_) | Kind::Fix(..) => return false,
        Kind::Par(..) | Kind::ParMap(..) | Kind::App(_) | Kind::Iota(..) => true,
        _ => false,
    };
    own || parts(e).into_iter().any(has_work)
}
