//! Which law is to blame that a plan computes something else.

use super::replay::differs;
use compiler::rewrite::explain::Link;
use reference::axes::syntax::{Program, Term};
use reference::axes::types;
use reference::kit::outcome::{Budget, Value};

/// What is to blame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blame {
    /// The name of the law, if one is.
    pub law: Option<String>,
    /// One sentence.
    pub text: String,
}

/// Walks a chain of steps from a program: each term on the way is run on this input, with its plan, and the first
/// that differs names the law before it. `None` if all are equal.
pub fn blamed(
    from: &Program,
    chain: Result<Vec<Link>, String>,
    input: &[Value],
    budget: &Budget,
) -> Option<Blame> {
    let steps = match chain {
        Ok(steps) => steps,
        Err(why) => return Some(Blame { law: None, text: format!("no certificate: {why}") }),
    };
    let program = |term: &Term| Program { params: from.params.clone(), term: term.clone() };
    // A term on the way may bind a name twice though each law is right; so the others are asked first.
    let (nth, why) = [true, false].into_iter().find_map(|terms_only| {
        let asked = |at: &usize| *at == 0 || !terms_only || is_term(&program(&steps[*at - 1].term));
        let asked: Vec<usize> = (0..=steps.len()).filter(asked).collect();
        let terms = asked.iter().map(|at| match at.checked_sub(1) {
            Some(nth) => program(&steps[nth].term),
            None => from.clone(),
        });
        let (nth, why) = differs(&terms.collect::<Vec<_>>(), input, budget)?;
        Some((asked[nth], why))
    })?;
    let of = steps.len();
    Some(match nth.checked_sub(1).and_then(|nth| steps.get(nth)) {
        Some(link) => Blame {
            law: Some(link.step.law.clone()),
            text: format!("law {} is to blame, step {nth} of {of}: {why}", link.step),
        },
        None => Blame { law: None, text: format!("no law is to blame: {why}") },
    })
}

/// Is it one? What an explanation leads through may bind a name twice.
pub(super) fn is_term(program: &Program) -> bool {
    types::check(program).is_ok()
}
