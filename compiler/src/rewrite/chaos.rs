//! A random member of the program's class: what a tester runs to see that all of them are equal.

use super::node::{Graph, Node};
use super::search::Searched;
use egg::Id;
use reference::axes::syntax::{Program, Term};
use reference::axes::types;
use reference::kit::dice::Dice;
use rustc_hash::FxHashMap;

/// How much higher than the least one a member may be.
const HIGHER: u32 = 4;
/// Nodes of a member, leaves included.
const NODES: usize = 400;

/// A member of the class of the program, drawn from a seed. `None` where what was drawn is no term, which may bind a
/// name twice, or is too large.
pub fn member(searched: &Searched, seed: u64) -> Option<Program> {
    let graph = &searched.graph;
    let heights = heights(graph);
    let root = graph.find(searched.root);
    let mut drawing = Drawing { graph, heights: &heights, dice: Dice::new(seed), left: NODES };
    let term = drawing.term(root, heights.get(&root)? + HIGHER)?;
    let program = Program { params: searched.program.params.clone(), term };
    types::check(&program).ok()?;
    Some(program)
}

/// The height of the lowest term of each class that has one: a class may be among its own arguments.
fn heights(graph: &Graph) -> FxHashMap<Id, u32> {
    let mut heights: FxHashMap<Id, u32> = FxHashMap::default();
    loop {
        let mut changed = false;
        for class in graph.classes() {
            let least = class.nodes.iter().filter_map(|node| height(node, graph, &heights)).min();
            if let Some(least) = least
                && heights.get(&class.id).is_none_or(|known| least < *known)
            {
                heights.insert(class.id, least);
                changed = true;
            }
        }
        if !changed {
            return heights;
        }
    }
}

fn height(node: &Node, graph: &Graph, heights: &FxHashMap<Id, u32>) -> Option<u32> {
    let of = node.args.iter().map(|arg| heights.get(&graph.find(*arg)).copied());
    of.collect::<Option<Vec<u32>>>().map(|of| 1 + of.into_iter().max().unwrap_or(0))
}

struct Drawing<'g> {
    graph: &'g Graph,
    heights: &'g FxHashMap<Id, u32>,
    dice: Dice,
    left: usize,
}

impl Drawing<'_> {
    /// A term of a class that is not higher than this.
    fn term(&mut self, class: Id, most: u32) -> Option<Term> {
        self.left = self.left.checked_sub(1)?;
        let (graph, heights) = (self.graph, self.heights);
        let mut nodes: Vec<&Node> = graph[class]
            .nodes
            .iter()
            .filter(|node| height(node, graph, heights).is_some_and(|height| height <= most))
            .collect();
        // In an order that does not depend on the numbers of classes.
        nodes.sort_by(|a, b| a.head.cmp(&b.head).then_with(|| a.args.cmp(&b.args)));
        let node = nodes.get(self.dice.below(nodes.len() as u64) as usize)?;
        let args = node.args.iter().map(|arg| self.term(graph.find(*arg), most.checked_sub(1)?));
        Some(Term::new(node.head.clone(), args.collect::<Option<Vec<_>>>()?))
    }
}
