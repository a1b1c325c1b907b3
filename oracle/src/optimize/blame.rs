//! Which law is to blame that a plan computes something else.

use super::certificate::differs;
use compiler::rewrite::explain::Link;
use reference::axes::syntax::Program;
use reference::kit::outcome::{Budget, Value};

/// Walks a chain of steps from a program: each term on the way is run on this input, with its plan, and the first
/// that differs names the law before it. `None` if all are equal.
pub fn blamed(
    from: &Program,
    chain: Result<Vec<Link>, String>,
    input: &[Value],
    budget: &Budget,
) -> Option<String> {
    let steps = match chain {
        Ok(steps) => steps,
        Err(why) => return Some(format!("no certificate: {why}")),
    };
    let terms = steps.iter().map(|link| &link.term);
    let terms: Vec<Program> = std::iter::once(&from.term)
        .chain(terms)
        .map(|term| Program { params: from.params.clone(), term: term.clone() })
        .collect();
    let (nth, why) = differs(&terms, input, budget)?;
    let of = steps.len();
    Some(match nth.checked_sub(1).and_then(|nth| steps.get(nth)) {
        Some(link) => format!("law {} is to blame, step {nth} of {of}: {why}", link.step),
        None => format!("no law is to blame: {why}"),
    })
}
