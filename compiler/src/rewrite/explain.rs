//! Why a term is equal to the program: a chain of steps, each an instance of a law.

use super::node::{Node, expression};
use super::search::{Limits, Searched, Stop, search_explained};
use egg::{FlatTerm, Language, TreeExplanation, TreeTerm};
use reference::axes::apply::{Step, holds};
use reference::axes::laws::{BOOK, Law};
use reference::axes::syntax::{Program, Term};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// How long an explanation is at most: nodes of all of its terms. A loop that is written out has hundreds of steps, each
/// between terms of thousands of nodes.
const MOST_NODES: u64 = 1 << 22;

/// A step, and the term behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The step.
    pub step: Step,
    /// The term.
    pub term: Term,
}

/// The steps from the program to a term that a search found.
///
/// The search is run again with explanations, at first with the laws that `searched` applied, then
/// with one less at a time, as long as the term is still reached: the e-graph with the fewest laws has
/// the shortest explanation. The first of these searches may take as long as `limits` say; the others end with
/// `time`.
///
/// # Errors
/// The term is not reached any more, or a step of the explanation is no instance of its law.
pub fn chain(
    searched: &Searched,
    limits: &Limits,
    to: &Program,
    time: Duration,
) -> Result<Vec<Link>, String> {
    let start = Instant::now();
    let mut without: Vec<String> = limits.without.clone();
    let used = |law: &Law| searched.profile.iter().any(|of| of.law == law.name && of.applied > 0);
    without.extend(BOOK.iter().filter(|law| !used(law)).map(|law| law.name.to_owned()));
    let mut best = explained(&searched.program, limits, &without, to)?;
    let left =
        || Limits { time: limits.time.min(time.saturating_sub(start.elapsed())), ..limits.clone() };
    while start.elapsed() < time {
        let in_chain = |name: &str| best.iter().any(|link| link.step.law == name);
        let idle: Vec<String> = BOOK
            .iter()
            .map(|law| law.name.to_owned())
            .filter(|name| !in_chain(name) && !without.contains(name))
            .collect();
        if !idle.is_empty() {
            let mut less = without.clone();
            less.extend(idle);
            if let Ok(chain) = explained(&searched.program, &left(), &less, to) {
                without = less;
                best = if chain.len() <= best.len() { chain } else { best };
                continue;
            }
        }
        break;
    }
    let mut tried: Vec<String> = Vec::new();
    while start.elapsed() < time {
        let next = best.iter().map(|link| link.step.law.clone()).find(|law| !tried.contains(law));
        let Some(law) = next else { break };
        tried.push(law.clone());
        let mut less = without.clone();
        less.push(law);
        if let Ok(chain) = explained(&searched.program, &left(), &less, to)
            && chain.len() <= best.len()
        {
            (without, best) = (less, chain);
        }
    }
    Ok(best)
}

fn explained(
    from: &Program,
    limits: &Limits,
    without: &[String],
    to: &Program,
) -> Result<Vec<Link>, String> {
    let limits = Limits { without: without.to_vec(), ..limits.clone() };
    let mut searched = search_explained(from, &limits).map_err(|wrong| wrong.message)?;
    if !searched.holds(&to.term) {
        return Err(match searched.stop {
            Stop::Saturated => "the laws do not reach the term".to_owned(),
            stop => {
                format!("the search with explanations does not reach the term: {}", stop.text())
            }
        });
    }
    let links = links(&mut searched, to)?;
    let mut before = from.clone();
    for (nth, Link { step, term }) in links.iter().enumerate() {
        let after = Program { params: from.params.clone(), term: term.clone() };
        holds(step, &before, &after, &limits.classes)
            .map_err(|why| format!("step {} ({step}): {why}", nth + 1))?;
        before = after;
    }
    Ok(links)
}

/// The steps from the program of a search with explanations to a term that it found, as the e-graph tells
/// them: whether each is an instance of its law is not asked.
///
/// # Errors
/// A step has no law, or the explanation is too long.
pub fn links(searched: &mut Searched, to: &Program) -> Result<Vec<Link>, String> {
    let (left, right) = (expression(&searched.program.term), expression(&to.term));
    let mut explanation = searched.graph.explain_equivalence(&left, &right);
    let (steps, nodes) = length(&explanation.explanation_trees, &mut FxHashMap::default());
    if steps.saturating_mul(nodes) > MOST_NODES {
        return Err(format!("its {steps} steps between terms of {nodes} nodes are too many"));
    }
    let flat = explanation.make_flat_explanation();
    let mut chain = Vec::new();
    for term in flat.iter().skip(1) {
        let mut position = Vec::new();
        let Some((symbol, back)) = rule(term, &mut position) else {
            return Err("a step of the explanation has no law".to_owned());
        };
        let (law, parameter) = match symbol.split_once(' ') {
            Some((law, parameter)) => (law, parameter.parse().unwrap_or(0)),
            None => (symbol.as_str(), 0),
        };
        let step = Step { law: law.to_owned(), parameter, back, position };
        chain.push(Link { step, term: plain(term) });
    }
    Ok(chain)
}

/// The steps from a program to a term that a search with these limits reaches, as [`links`] tells them: for who asks
/// which of the laws is wrong.
///
/// # Errors
/// The term is not reached any more, or a step has no law.
pub fn untested(from: &Program, limits: &Limits, to: &Program) -> Result<Vec<Link>, String> {
    let mut searched = search_explained(from, limits).map_err(|wrong| wrong.message)?;
    match searched.holds(&to.term) {
        true => links(&mut searched, to),
        false => Err("the steps to it were not found again".to_owned()),
    }
}

/// How many steps an explanation has, and how many nodes its largest term, as trees. Both may be exponential in what the
/// explanation shares, which is looked at once.
fn length(
    trees: &TreeExplanation<Node>,
    seen: &mut FxHashMap<*const TreeTerm<Node>, (u64, u64)>,
) -> (u64, u64) {
    trees.iter().fold((0, 0), |(steps, most), tree| {
        let at = Rc::as_ptr(tree);
        let (inside, nodes) = seen.get(&at).copied().unwrap_or_else(|| {
            let parts = tree.child_proofs.iter().map(|proof| length(proof, seen));
            let sum = parts.fold((0u64, 1u64), |(steps, nodes), (more, below)| {
                (steps.saturating_add(more), nodes.saturating_add(below))
            });
            seen.insert(at, sum);
            sum
        });
        let own = u64::from(tree.forward_rule.is_some() || tree.backward_rule.is_some());
        (steps.saturating_add(own).saturating_add(inside), most.max(nodes))
    })
}

/// The rule of a step, whether it goes from right to left, and where it is applied.
fn rule(term: &FlatTerm<Node>, position: &mut Vec<usize>) -> Option<(String, bool)> {
    if let Some(rule) = &term.forward_rule {
        return Some((rule.to_string(), false));
    }
    if let Some(rule) = &term.backward_rule {
        return Some((rule.to_string(), true));
    }
    for (nth, child) in term.children.iter().enumerate() {
        position.push(nth);
        if let Some(found) = rule(child, position) {
            return Some(found);
        }
        position.pop();
    }
    None
}

/// The term without what is said of rules.
fn plain(term: &FlatTerm<Node>) -> Term {
    let args: Vec<Term> = term.children.iter().map(plain).collect();
    debug_assert!(args.len() == term.node.children().len());
    Term::new(term.node.head.clone(), args)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rewrite::search::search;
    use crate::rewrite::{Found, Wanted, extract};
    use reference::axes::parse;

    fn size(term: &FlatTerm<Node>) -> u64 {
        1 + term.children.iter().map(size).sum::<u64>()
    }

    /// An explanation is measured as it would be written out.
    #[test]
    fn a_length_is_that_of_the_explanation() {
        let text = "param (xs : [64])\n(out (red + k 64 (get xs k)))";
        let from = parse::program(text).expect("the test's program parses");
        let limits = Limits { nodes: 2_000, ..Limits::default() };
        let found = search(&from, &limits).expect("it is well formed");
        let mut most = 0;
        for Found { program: to, .. } in extract(&found, &Wanted::default(), None) {
            let mut searched = search_explained(&from, &limits).expect("it is well formed");
            let (left, right) = (expression(&searched.program.term), expression(&to.term));
            let mut explanation = searched.graph.explain_equivalence(&left, &right);
            let (steps, nodes) = length(&explanation.explanation_trees, &mut FxHashMap::default());
            let flat = explanation.make_flat_explanation();
            assert_eq!(steps, flat.len() as u64 - 1);
            assert!(flat.iter().all(|term| size(term) <= nodes));
            most = most.max(steps);
        }
        assert!(most > 1);
    }
}
