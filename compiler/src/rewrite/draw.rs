//! Random members of the class of a program: other terms than the cheapest ones, to be measured.

use super::node::Node;
use super::plan;
use super::search::Searched;
use egg::Id;
use reference::axes::print;
use reference::axes::syntax::{Program, Term};
use reference::imp;
use reference::kit::dice::Dice;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Draws terms of the program's class that have a plan, each a different one. The same seed draws the same ones.
pub struct Drawn<'s> {
    searched: &'s Searched,
    dice: Dice,
    seen: BTreeSet<String>,
    /// Classes and their nodes, with numbers for classes.
    classes: Vec<(Id, Vec<(&'s Node, Vec<usize>)>)>,
    root: usize,
}

/// After so many draws of terms that were seen, or that have no plan, there is nothing more.
const IN_VAIN: usize = 1_000;

impl<'s> Drawn<'s> {
    /// From this search.
    pub fn new(searched: &'s Searched, seed: u64) -> Self {
        let graph = &searched.graph;
        let mut ids: Vec<Id> = graph.classes().map(|class| class.id).collect();
        ids.sort_unstable();
        let number: FxHashMap<Id, usize> =
            ids.iter().enumerate().map(|(nth, id)| (*id, nth)).collect();
        let args = |node: &Node| node.args.iter().map(|id| number[&graph.find(*id)]).collect();
        let nodes = |id: &Id| graph[*id].nodes.iter().map(|node| (node, args(node))).collect();
        let classes = ids.iter().map(|id| (*id, nodes(id))).collect();
        let root = number[&graph.find(searched.root)];
        Self { searched, dice: Dice::new(seed), seen: BTreeSet::new(), classes, root }
    }

    /// Each node has a random weight, and a class the node whose weight and parts weigh least: so no term contains
    /// itself.
    fn term(&mut self) -> Option<Term> {
        let weights: Vec<Vec<u64>> = self
            .classes
            .iter()
            .map(|(_, nodes)| nodes.iter().map(|_| 1 + self.dice.below(64)).collect())
            .collect();
        let mut least: Vec<Option<(u64, usize)>> = vec![None; self.classes.len()];
        loop {
            let mut changed = false;
            for (class, (_, nodes)) in self.classes.iter().enumerate() {
                for (nth, (_, args)) in nodes.iter().enumerate() {
                    let parts = args.iter().map(|arg| least[*arg].map(|(weight, _)| weight));
                    let Some(parts) = parts.sum::<Option<u64>>() else { continue };
                    let weight = weights[class][nth].saturating_add(parts);
                    if least[class].is_none_or(|(other, _)| weight < other) {
                        least[class] = Some((weight, nth));
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        let mut made: FxHashMap<usize, Term> = FxHashMap::default();
        self.made(self.root, &least, &mut made)
    }

    fn made(
        &self,
        class: usize,
        least: &[Option<(u64, usize)>],
        made: &mut FxHashMap<usize, Term>,
    ) -> Option<Term> {
        if let Some(term) = made.get(&class) {
            return Some(term.clone());
        }
        let (_, nth) = least[class]?;
        let (node, args) = &self.classes[class].1[nth];
        let args: Option<Vec<Term>> = args.iter().map(|arg| self.made(*arg, least, made)).collect();
        let term = Term::new(node.head.clone(), args?);
        made.insert(class, term.clone());
        Some(term)
    }
}

impl Iterator for Drawn<'_> {
    /// A term, and its plan.
    type Item = (Program, imp::syntax::Program);

    fn next(&mut self) -> Option<Self::Item> {
        for _ in 0..IN_VAIN {
            let term = self.term()?;
            if !self.seen.insert(print::term(&term)) {
                continue;
            }
            let program = Program { params: self.searched.program.params.clone(), term };
            let Ok(plan) = plan::plan(&program) else { continue };
            return Some((program, plan));
        }
        None
    }
}
