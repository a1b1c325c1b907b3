//! Which law is to blame that a plan computes something else.

use super::certificate::differs;
use compiler::rewrite::explain::chain;
use compiler::rewrite::search::{Limits, Searched};
use reference::axes::syntax::Program;
use reference::kit::outcome::{Budget, Value};
use std::time::Duration;

/// Walks from the program of a search to one that it found: each term on the way is run on this input, with its plan,
/// and the first that differs names the law before it. `None` if all are equal.
pub fn blamed(
    searched: &Searched,
    limits: &Limits,
    wanted: &Program,
    input: &[Value],
    budget: &Budget,
) -> Option<String> {
    let steps = match chain(searched, limits, wanted, Duration::ZERO) {
        Ok(steps) => steps,
        Err(why) => return Some(format!("no certificate: {why}")),
    };
    let terms = steps.iter().map(|link| &link.term);
    let terms: Vec<Program> = std::iter::once(&searched.program.term)
        .chain(terms)
        .map(|term| Program { params: searched.program.params.clone(), term: term.clone() })
        .collect();
    let (nth, why) = differs(&terms, input, budget)?;
    let of = steps.len();
    Some(match nth.checked_sub(1).and_then(|nth| steps.get(nth)) {
        Some(link) => format!("law {} is to blame, step {nth} of {of}: {why}", link.step),
        None => format!("no law is to blame: {why}"),
    })
}
