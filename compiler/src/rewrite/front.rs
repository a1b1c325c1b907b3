//! The best terms of each class of an e-graph.

use super::estimate::{Around, Candidate, over};
use super::node::Graph;
use egg::Id;
use reference::axes::apply::matches;
use reference::axes::syntax::{Head, Term};
use reference::kit::faults::{Fault, Planted};
use rustc_hash::FxHashMap;

/// How terms are compared, and how many are kept.
#[derive(Clone, Copy)]
pub(super) struct Keep<'a> {
    /// What their costs depend on.
    pub(super) around: Around<'a>,
    /// How many a class keeps, of each [kind](Candidate::kind).
    pub(super) most: usize,
    /// Of each kind, or of all together?
    pub(super) by_kind: bool,
    /// The fault that it carries, if any.
    pub(super) planted: Planted,
}

/// The best terms of each class.
pub(super) struct Fronts<'a> {
    graph: &'a Graph,
    keep: Keep<'a>,
    /// The classes, in an order that repeats.
    ids: Vec<Id>,
    of: FxHashMap<Id, Vec<Candidate>>,
}

/// How often all classes are gone through. A cheapest term never contains its own class, so as many
/// rounds as the e-graph is deep are enough.
const ROUNDS: usize = 64;

/// How many candidates for a node with several arguments are looked at.
const PRODUCTS: usize = 4_096;

impl<'a> Fronts<'a> {
    /// The fronts of an e-graph.
    pub(super) fn new(graph: &'a Graph, keep: Keep<'a>) -> Fronts<'a> {
        let mut ids: Vec<Id> = graph.classes().map(|class| class.id).collect();
        ids.sort_unstable();
        let mut fronts = Fronts { graph, keep, ids, of: FxHashMap::default() };
        fronts.of = fronts.grown(FxHashMap::default(), |fronts, head, args, of| {
            let choices: Vec<&[Candidate]> =
                args.iter().map(|arg| of.get(arg).map_or(&[][..], Vec::as_slice)).collect();
            fronts.nodes(head, &choices)
        });
        fronts
    }

    /// Goes through all nodes, from fronts that are there, until nothing is better.
    fn grown(
        &self,
        mut of: FxHashMap<Id, Vec<Candidate>>,
        made: impl Fn(&Self, &Head, &[Id], &FxHashMap<Id, Vec<Candidate>>) -> Vec<Candidate>,
    ) -> FxHashMap<Id, Vec<Candidate>> {
        let mut changed: FxHashMap<Id, usize> = of.keys().map(|id| (*id, 0)).collect();
        for round in 1..=ROUNDS {
            let mut any = false;
            for id in &self.ids {
                let mut front = of.get(id).cloned().unwrap_or_default();
                let mut better = false;
                for node in &self.graph[*id].nodes {
                    let args: Vec<Id> = node.args.iter().map(|arg| self.graph.find(*arg)).collect();
                    let recent = |arg: &Id| changed.get(arg).is_some_and(|at| *at + 1 >= round);
                    if round > 1 && !args.iter().any(recent) || args.contains(id) {
                        continue;
                    }
                    for candidate in made(self, &node.head, &args, &of) {
                        better |= self.enter(&mut front, candidate);
                    }
                }
                if better {
                    any = true;
                    changed.insert(*id, round);
                    of.insert(*id, front);
                }
            }
            if !any {
                break;
            }
        }
        of
    }

    /// A node over each choice for its arguments.
    fn nodes(&self, head: &Head, choices: &[&[Candidate]]) -> Vec<Candidate> {
        let mut made = Vec::new();
        let mut at = vec![0; choices.len()];
        if choices.iter().any(|of| of.is_empty()) {
            return made;
        }
        for _ in 0..PRODUCTS {
            let chosen: Vec<&Candidate> =
                choices.iter().zip(&at).map(|(of, nth)| &of[*nth]).collect();
            made.extend(over(head, &chosen, self.keep.around));
            let Some(next) = (0..at.len()).find(|nth| at[*nth] + 1 < choices[*nth].len()) else {
                break;
            };
            at[next] += 1;
            at[..next].fill(0);
        }
        made
    }

    /// The best terms of a class, the cheapest first.
    pub(super) fn best(&self, class: Id) -> &[Candidate] {
        self.of.get(&self.graph.find(class)).map_or(&[], Vec::as_slice)
    }

    /// The best terms of a class in which something matches a pattern, the cheapest first.
    pub(super) fn under(&self, pattern: &Term, class: Id) -> Vec<Candidate> {
        let mut known = FxHashMap::default();
        let mut of: FxHashMap<Id, Vec<Candidate>> = FxHashMap::default();
        for id in &self.ids {
            let members = self.members(pattern, *id, &mut known);
            if !members.is_empty() {
                of.insert(*id, members);
            }
        }
        // A term with such a part: one argument has it, the others are the best of their classes.
        let of = self.grown(of, |fronts, head, args, of| {
            let mut made = Vec::new();
            for (nth, arg) in args.iter().enumerate() {
                let Some(parts) = of.get(arg) else { continue };
                let mut choices: Vec<&[Candidate]> =
                    args.iter().map(|arg| fronts.best(*arg)).collect();
                choices[nth] = parts;
                made.extend(fronts.nodes(head, &choices));
            }
            made
        });
        of.get(&self.graph.find(class)).cloned().unwrap_or_default()
    }

    /// The best terms of a class that are instances of a pattern.
    fn members(
        &self,
        pattern: &Term,
        class: Id,
        known: &mut FxHashMap<(*const Term, Id), Vec<Candidate>>,
    ) -> Vec<Candidate> {
        if let Head::Hole(_) = pattern.head {
            return self.best(class).to_vec();
        }
        let key = (std::ptr::from_ref(pattern), class);
        if let Some(members) = known.get(&key) {
            return members.clone();
        }
        let mut front = Vec::new();
        for node in &self.graph[class].nodes {
            if node.head != pattern.head || node.args.len() != pattern.args.len() {
                continue;
            }
            let args = node.args.iter().zip(pattern.args.iter());
            let choices: Vec<Vec<Candidate>> =
                args.map(|(id, of)| self.members(of, self.graph.find(*id), known)).collect();
            let choices: Vec<&[Candidate]> = choices.iter().map(Vec::as_slice).collect();
            for made in self.nodes(&node.head, &choices) {
                // A hole that stands twice is the same term.
                if matches(pattern, &made.term).is_some() {
                    self.enter(&mut front, made);
                }
            }
        }
        known.insert(key, front.clone());
        front
    }

    /// Takes a candidate into a front, if it is not worse than one that is there. Did it?
    fn enter(&self, front: &mut Vec<Candidate>, mut new: Candidate) -> bool {
        let Keep { around, most, by_kind, planted } = self.keep;
        if planted.is(Fault::Front)
            && let Some(old) = front.iter().find(|old| new.covers(old, around))
        {
            new = old.clone().called(new.term);
        }
        let cost = new.total(around);
        let kind = new.kind();
        let same = |old: &Candidate| !by_kind || old.kind() == kind;
        for old in front.iter().filter(|old| same(old)) {
            let tie = old.total(around) == cost;
            if tie && old.term == new.term || !tie && old.covers(&new, around) {
                return false;
            }
        }
        let ties = front.iter().filter(|old| same(old) && old.total(around) == cost).count();
        if ties >= TIES {
            return false;
        }
        front.retain(|old| !same(old) || !new.covers(old, around) || old.total(around) == cost);
        let time = cost.time(around.machine);
        let at = front.partition_point(|old| {
            let order = old.total(around).time(around.machine).total_cmp(&time);
            order.then_with(|| old.term.cmp(&new.term)).is_lt()
        });
        front.insert(at, new);
        let last = (0..front.len()).filter(|nth| same(&front[*nth])).nth(most);
        last.is_none_or(|last| {
            front.remove(last);
            last != at
        })
    }
}

/// How many terms of the very same cost a class keeps: what is around them may tell them apart.
const TIES: usize = 4;

#[cfg(test)]
mod tests;
