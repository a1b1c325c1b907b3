//! Rewriting programs of a campaign: a search with small limits, whose plan is taken whether it costs less
//! or not, and the law that is to blame where the plan computes something else.

mod lambda_g;

use super::Request;
use super::blame::{self, Blame, is_term};
use super::certificate::Certificate;
use super::regions::{Original, Region};
use super::replay::Replay;
use super::subject::Subject;
use crate::stages::Plan;
use compiler::rewrite::explain::{chain, untested};
use compiler::rewrite::search::{Limits, Searched, search};
use compiler::rewrite::{Wanted, extract};
use reference::axes::syntax::Program;
use reference::imp::Imp;
use reference::kit::faults::Planted;
use reference::kit::outcome::{Budget, Value};
use reference::languages::{Artifact, Listed};
use std::time::Duration;

/// What such a search may do. Its nodes end it long before its time does.
fn limits(planted: Planted) -> Limits {
    Limits {
        nodes: 300,
        time: Duration::from_secs(10),
        rounds: 3,
        budget: 100,
        tiles: vec![2, 4],
        planted,
        ..Limits::default()
    }
}

/// The same for a search that explains what the first one found: its e-graph is larger.
fn explaining(planted: Planted) -> Limits {
    Limits { nodes: 2_000, ..limits(planted) }
}

/// Bytes of a certificate that is replayed, at most: a loop of FCL that is written out makes hundreds of steps between long
/// terms, each of which is read and run.
const LONG: usize = 256 << 10;

/// A class keeps one term.
fn wanted(planted: Planted) -> Wanted {
    Wanted { keep: 1, planted, ..Wanted::default() }
}

/// A region, its search, and the plan that is taken.
struct Taken {
    region: Region,
    searched: Searched,
    program: Program,
    plan: Artifact,
}

fn taken(program: &Subject, input: &[Value], planted: Planted) -> Option<Vec<Taken>> {
    let (regions, _) = program.regions(&program.sizes(input)).ok()?;
    let taken = regions.into_iter().filter_map(|region| {
        let searched = search(&region.term, &limits(planted)).ok()?;
        let mut found = extract(&searched, &wanted(planted), None).into_iter();
        let (program, plan) = found.find_map(|found| {
            let plan = found.plan.artifact();
            // What work groups run is no part of a program in IMP.
            let fits = !matches!(program, Subject::Fun(_)) || Imp::of(&plan).is_some();
            fits.then_some((found.program, plan))
        })?;
        Some(Taken { region, searched, program, plan })
    });
    Some(taken.collect())
}

/// The program with plans for what enters of it; of FCL, which enters as a whole, its plan; of λG another program of λG.
/// `None` if there is none.
pub fn rewritten(program: &Subject, input: &[Value], compile: &Plan) -> Option<Artifact> {
    if let Subject::LambdaG(of) = program {
        return lambda_g::rewritten(of, input, compile.planted);
    }
    let mut taken = taken(program, input, compile.planted)?;
    let Subject::Fun(fun) = program else { return Some(taken.pop()?.plan) };
    if taken.is_empty() {
        return None;
    }
    let chosen = taken.iter().filter_map(|taken| Some((&taken.region, Imp::of(&taken.plan)?)));
    let chosen: Vec<_> = chosen.collect();
    let original = Original::new(fun, compile).ok()?;
    Some(Imp::artifact(original.with(fun, &chosen, &program.sizes(input), compile).ok()?))
}

/// Which law is to blame that the plans of [`rewritten`] compute something else.
pub fn blamed(
    program: &Subject,
    input: &[Value],
    budget: &Budget,
    planted: Planted,
) -> Option<Blame> {
    if let Subject::LambdaG(of) = program
        && let Some(blame) = lambda_g::blamed(of, input, budget, planted)
    {
        return Some(blame);
    }
    let taken = taken(program, input, planted)?;
    taken.into_iter().find_map(|Taken { region, searched, program: wanted, .. }| {
        let values = program.values(&region, input, budget).ok()?;
        // A step that is no instance of its law is on the way too.
        let steps = untested(&searched.program, &explaining(planted), &wanted);
        blame::blamed(&searched.program, steps, &values.of_term, budget)
    })
}

/// Writes the certificates of the plans of [`rewritten`], reads them again and replays them. A plan to which the steps
/// lead through what is no term, or are not found again within the limits, has none.
///
/// # Errors
/// A certificate that is refused, and why.
pub fn certified(
    program: &Subject,
    input: &[Value],
    budget: &Budget,
    compile: &Plan,
) -> Result<usize, String> {
    // As its text is read, since that is what a certificate has.
    let artifact = program.artifact();
    let Ok(read) = artifact.lang().parse(&artifact.print()) else { return Ok(0) };
    let Some(subject) = Subject::of(&read, &program.settings()) else { return Ok(0) };
    let planted = compile.planted;
    if let Subject::LambdaG(of) = &subject
        && let Some(certified) = lambda_g::certified(of, input, budget, planted)
    {
        return certified;
    }
    let sizes = subject.sizes(input);
    let request = Request { budget: *budget, compile: *compile, ..Request::default() };
    let mut replayed = 0;
    for Taken { region, searched, program: wanted, .. } in
        taken(&subject, input, planted).unwrap_or_default()
    {
        let chain = match chain(&searched, &explaining(planted), &wanted, Duration::ZERO) {
            Ok(chain) => chain,
            Err(why) => {
                let Ok(links) = untested(&searched.program, &explaining(planted), &wanted) else {
                    continue;
                };
                let mut terms = links.iter().map(|link| Program {
                    params: searched.program.params.clone(),
                    term: link.term.clone(),
                });
                if terms.all(|term| is_term(&term)) {
                    return Err(format!("there is no certificate: {why}"));
                }
                continue;
            }
        };
        let certificate =
            Certificate::of(&region.term, &chain).from(&subject, &read.print(), &sizes, &region);
        if certificate.steps.iter().map(|step| step.term.len()).sum::<usize>() > LONG {
            continue;
        }
        // A run that is too long has no price.
        let certificate = certificate.clone().priced(input, &request, None).unwrap_or(certificate);
        let text = serde_json::to_string(&certificate).map_err(|no| no.to_string())?;
        let again: Certificate =
            serde_json::from_str(&text).map_err(|no| format!("it is not read again: {no}"))?;
        let by = Replay { budget: *budget, ..Replay::default() };
        again.replay(&by).map_err(|no| match no.step {
            0 => no.why,
            step => format!("step {step}: {}", no.why),
        })?;
        replayed += 1;
    }
    Ok(replayed)
}
