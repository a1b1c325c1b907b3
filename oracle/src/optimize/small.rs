//! Rewriting programs of a campaign: a search with small limits, whose plan is taken whether it costs less
//! or not, and the law that is to blame where the plan computes something else.

use super::blame;
use super::regions::{self, Original, Region};
use crate::stages::Plan;
use compiler::rewrite::explain::chain;
use compiler::rewrite::plan::Plan as Planned;
use compiler::rewrite::search::{Limits, Searched, search};
use compiler::rewrite::{Wanted, extract};
use reference::axes::syntax::Program;
use reference::fun::syntax::{self as fun, Fun};
use reference::imp::Imp;
use reference::imp::syntax::Program as Plans;
use reference::kit::outcome::{Budget, Value};
use reference::languages::{Artifact, Listed};
use std::time::Duration;

/// What such a search may do. Its nodes end it long before its time does.
fn limits() -> Limits {
    Limits {
        nodes: 300,
        time: Duration::from_secs(10),
        rounds: 3,
        budget: 100,
        tiles: vec![2, 4],
        ..Limits::default()
    }
}

/// A class keeps one term.
fn wanted() -> Wanted {
    Wanted { keep: 1, ..Wanted::default() }
}

/// A region, its search, and the plan that is taken.
struct Taken {
    region: Region,
    searched: Searched,
    program: Program,
    plan: Plans,
}

fn taken(program: &fun::Program<Fun>, input: &[Value]) -> Option<Vec<Taken>> {
    let sizes = regions::sizes(program, input);
    let (regions, _) = regions::regions(program, &sizes).ok()?;
    let taken = regions.into_iter().filter_map(|region| {
        let searched = search(&region.term, &limits()).ok()?;
        let mut found = extract(&searched, &wanted(), None).into_iter();
        let (program, plan) = found.find_map(|found| match found.plan {
            Planned::Imp(plan) => Some((found.program, plan)),
            Planned::Device(_) => None,
        })?;
        Some(Taken { region, searched, program, plan })
    });
    Some(taken.collect())
}

/// The program with plans for what enters of it. `None` if it is no FUN program, or nothing of it has a
/// plan.
pub fn rewritten(program: &Artifact, input: &[Value], compile: &Plan) -> Option<Artifact> {
    let program = Fun::of(program)?;
    let taken = taken(program, input)?;
    if taken.is_empty() {
        return None;
    }
    let chosen: Vec<_> = taken.iter().map(|taken| (&taken.region, &taken.plan)).collect();
    let sizes = regions::sizes(program, input);
    let original = Original::new(program, compile).ok()?;
    Some(Imp::artifact(original.with(program, &chosen, &sizes, compile).ok()?))
}

/// Which law is to blame that the plans of [`rewritten`] compute something else.
pub fn blamed(program: &Artifact, input: &[Value], budget: &Budget) -> Option<String> {
    let program = Fun::of(program)?;
    let taken = taken(program, input)?;
    taken.into_iter().find_map(|Taken { region, searched, program: wanted, .. }| {
        let values = region.values(program, input, budget).ok()?;
        let steps = chain(&searched, &limits(), &wanted, Duration::ZERO);
        blame::blamed(&searched.program, steps, &values.of_term, budget)
    })
}
