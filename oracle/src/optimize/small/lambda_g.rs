//! Programs of λG in a campaign: some steps by laws from λG to λG, or the plan of its term as a program of λG.

use super::taken;
use crate::generate::digest;
use crate::optimize::blame::Blame;
use crate::optimize::lambda_g::certificate::Certificate;
use crate::optimize::lambda_g::said::border;
use crate::optimize::lambda_g::{Found, Link, Request, Stop, differs, some_steps, timed};
use crate::optimize::replay::Replay;
use crate::optimize::subject::Subject;
use compiler::rewrite::lambda_g::text;
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::language::Language;
use reference::kit::outcome::{Budget, Cause, Ending, Value};
use reference::lambda_g::eval::{Setting, run};
use reference::lambda_g::syntax::Program;
use reference::lambda_g::{LambdaG, print};
use reference::languages::{Artifact, Listed};

/// Steps by laws.
const STEPS: usize = 4;

/// Of so many programs one is rewritten by its plan, if it has one.
const PLANS: u64 = 3;

/// Words of the region that the device uses in a plan.
const WORDS: u32 = 1 << 12;

/// What a run may use by which a program is left out whose region is full.
const BUDGET: Budget = Budget { fuel: 1_000_000, memory: 64 << 20 };

/// How a program is rewritten.
enum Way {
    /// From it, as its text is read, by these steps.
    Laws(Program, Vec<Link>),
    /// To the text of its plan.
    Plan(Program),
}

/// The same way for the same text. A program in which a region is full is left out: laws change what lies in regions.
fn way(program: &Program, input: &[Value], planted: Planted) -> Option<Way> {
    let seed = digest(&print::program(program));
    if seed.is_multiple_of(PLANS)
        && let Some(plan) =
            plan(program, input, (seed / PLANS).is_multiple_of(2).then_some(WORDS), planted)
    {
        return Some(Way::Plan(plan));
    }
    let (original, mut links) = some_steps(program, (STEPS, seed), planted).ok()?;
    while links.last().is_some_and(|link| is_full(&link.program, input)) {
        links.pop();
    }
    (!links.is_empty()).then_some(Way::Laws(original, links))
}

fn plan(
    program: &Program,
    input: &[Value],
    words: Option<u32>,
    planted: Planted,
) -> Option<Program> {
    let border = border(program).ok()?;
    let subject = Subject::LambdaG(program.clone());
    let term = taken(&subject, input, planted)?.pop()?.program;
    let read = |words| {
        let text = text(&term, &border, words).ok()?;
        // What is written is wrong if it is not read.
        let program = LambdaG::parse(&text).unwrap_or_else(|no| panic!("{}: {text}", no.message));
        (!is_full(&program, input)).then_some(program)
    };
    read(words).or_else(|| read(None))
}

fn is_full(program: &Program, input: &[Value]) -> bool {
    let ending = ending(program, input, &BUDGET);
    matches!(ending, Ending::Stuck(stuck) if stuck.site.cause == Cause::RegionFull)
}

fn ending(program: &Program, input: &[Value], budget: &Budget) -> Ending {
    run(program, input, &Setting::default(), budget, &mut Recorder::counting()).ending
}

/// The program that it is rewritten to.
pub(super) fn rewritten(program: &Program, input: &[Value], planted: Planted) -> Option<Artifact> {
    Some(LambdaG::artifact(match way(program, input, planted)? {
        Way::Laws(_, mut links) => links.pop()?.program,
        Way::Plan(plan) => plan,
    }))
}

/// The law behind which a program does something else. `None` if it is rewritten by a plan, whose steps are asked then.
pub(super) fn blamed(
    program: &Program,
    input: &[Value],
    budget: &Budget,
    planted: Planted,
) -> Option<Blame> {
    let Some(Way::Laws(original, links)) = way(program, input, planted) else { return None };
    let wanted = ending(&original, input, budget);
    let of = links.len();
    links.iter().enumerate().find_map(|(nth, link)| {
        let why = differs(&wanted, &ending(&link.program, input, budget))?;
        let law = link.law.name;
        let text = format!("law {law} is to blame, step {} of {of}: {why}", nth + 1);
        Some(Blame { law: Some(law.to_owned()), text })
    })
}

/// Writes the certificate of the steps by laws, reads it again and replays it; `None` if the program is rewritten by a plan.
///
/// # Errors
/// It is refused, and why.
pub(super) fn certified(
    program: &Program,
    input: &[Value],
    budget: &Budget,
    planted: Planted,
) -> Option<Result<usize, String>> {
    let Some(Way::Laws(original, links)) = way(program, input, planted) else { return None };
    Some(replayed(original, links, input, budget))
}

fn replayed(
    original: Program,
    mut links: Vec<Link>,
    input: &[Value],
    budget: &Budget,
) -> Result<usize, String> {
    let request = Request { budget: *budget, ..Request::default() };
    let price = |program: &Program| timed(program, input, &request, *budget).time;
    let Some(last) = links.last_mut() else { return Ok(0) };
    // A run that is too long has no price, and so no certificate.
    let (Ok(before), Ok(after)) = (price(&original), price(&last.program)) else { return Ok(0) };
    last.time = after;
    let priced = links.len();
    let stop = Stop::Programs;
    let found = Found { original, before, chain: links, wrong: None, priced, stop };
    let certificate = Certificate::of(&found, input, &request);
    let text = serde_json::to_string(&certificate).map_err(|no| no.to_string())?;
    let again: Certificate =
        serde_json::from_str(&text).map_err(|no| format!("it is not read again: {no}"))?;
    let by = Replay { budget: *budget, ..Replay::default() };
    again.replay(&by).map(|_| 1).map_err(|no| match no.step {
        0 => no.why,
        step => format!("step {step}: {}", no.why),
    })
}
