//! Structured control flow.

use super::listing::{Instruction, Listing};
use super::{Valid, wrong};
use crate::spirv::rules::Rule;
use rspirv::spirv::{Op, Word};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// A block.
struct Block {
    /// The instructions behind its label, the last one its terminator.
    range: Range<usize>,
    /// The blocks that it branches to.
    next: Vec<usize>,
    /// The blocks that its merge instruction names: where what it begins ends, and of a loop where a round ends.
    merge: Option<usize>,
    again: Option<usize>,
}

/// A function.
struct Graph<'l> {
    listing: &'l Listing<'l>,
    blocks: Vec<Block>,
    /// Blocks by their labels.
    labels: FxHashMap<Word, usize>,
}

pub(super) fn check(listing: &Listing<'_>) -> Valid {
    for range in &listing.functions {
        let Some(mut graph) = Graph::of(listing, range.clone()) else { continue };
        graph.merges_stand_last()?;
        if graph.connect().is_none() {
            continue;
        }
        graph.entry_is_no_target()?;
        graph.merges_are_their_own()?;
        graph.loops_come_back()?;
        graph.selections_merge()?;
    }
    Ok(())
}

/// Does the instruction end a block?
fn ends_block(op: Op) -> bool {
    matches!(
        op,
        Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::Return
            | Op::ReturnValue
            | Op::Unreachable
            | Op::Kill
            | Op::TerminateInvocation
    )
}

impl<'l> Graph<'l> {
    /// The blocks of a function; none if they are not well formed, or there is none.
    fn of(listing: &'l Listing<'l>, function: Range<usize>) -> Option<Self> {
        let mut graph = Self { listing, blocks: Vec::new(), labels: FxHashMap::default() };
        let mut open = None;
        for at in function {
            let instruction = &listing.all[at];
            match (instruction.op, open) {
                (Op::Label, None) => {
                    graph.labels.insert(instruction.id, graph.blocks.len());
                    open = Some(at + 1);
                }
                (op, Some(start)) if ends_block(op) => {
                    let range = start..at + 1;
                    let (next, merge, again) = (Vec::new(), None, None);
                    graph.blocks.push(Block { range, next, merge, again });
                    open = None;
                }
                (Op::Label | Op::FunctionEnd, Some(_)) => return None,
                _ => {}
            }
        }
        (!graph.blocks.is_empty()).then_some(graph)
    }

    fn terminator(&self, block: &Block) -> &'l Instruction<'l> {
        &self.listing.all[block.range.end - 1]
    }

    /// The merge instruction of a block.
    fn merge_of(&self, block: &Block) -> Option<&'l Instruction<'l>> {
        let instruction = self.listing.all[block.range.clone()].iter().rev().nth(1)?;
        matches!(instruction.op, Op::SelectionMerge | Op::LoopMerge).then_some(instruction)
    }

    /// Structured Control Flow: merge instructions
    ///
    /// ```text
    /// a merge instruction stands right before its branch; that of a selection has a choice     (merge)
    /// ─────────────────────────────────────────────────────────────────────────────────────────────────
    /// the block is a header
    /// ```
    fn merges_stand_last(&self) -> Valid {
        for block in &self.blocks {
            for at in block.range.clone() {
                let op = self.listing.all[at].op;
                let branches: &[Op] = match op {
                    Op::SelectionMerge => &[Op::BranchConditional, Op::Switch],
                    Op::LoopMerge => &[Op::Branch, Op::BranchConditional],
                    _ => continue,
                };
                let last = at + 2 == block.range.end;
                if !last || !branches.contains(&self.terminator(block).op) {
                    let names: Vec<String> =
                        branches.iter().map(|op| format!("Op{op:?}")).collect();
                    let text = format!("it stands right before {}", names.join(" or "));
                    return wrong(Rule::Structured, "merge", at, text);
                }
            }
        }
        Ok(())
    }

    /// Follows the branches; none if one goes to no block of the function.
    fn connect(&mut self) -> Option<()> {
        for number in 0..self.blocks.len() {
            let block = &self.blocks[number];
            let named = |label: Word| self.labels.get(&label).copied();
            let terminator = self.terminator(block);
            let labels = self.targets(terminator);
            let next = labels.into_iter().map(named).collect::<Option<Vec<_>>>()?;
            let (merge, again) = match self.merge_of(block) {
                Some(it) if it.op == Op::LoopMerge => {
                    (Some(named(it.operand(0))?), Some(named(it.operand(1))?))
                }
                Some(it) => (Some(named(it.operand(0))?), None),
                None => (None, None),
            };
            let block = &mut self.blocks[number];
            (block.next, block.merge, block.again) = (next, merge, again);
        }
        Some(())
    }

    fn targets(&self, terminator: &Instruction<'_>) -> Vec<Word> {
        let operands = terminator.operands;
        match terminator.op {
            Op::Branch => operands.iter().take(1).copied().collect(),
            Op::BranchConditional => operands.iter().skip(1).take(2).copied().collect(),
            Op::Switch => {
                let selector = self.listing.type_of(terminator.operand(0));
                let words = if selector.is_some_and(|ty| ty.operand(0) > 32) { 2 } else { 1 };
                let cases = operands.get(2..).unwrap_or_default().chunks_exact(words + 1);
                let cases = cases.filter_map(|case| case.last().copied());
                operands.get(1).copied().into_iter().chain(cases).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Blocks
    ///
    /// ```text
    /// no branch goes to the first block of a function     (entry)
    /// ────────────────────────────────────────────────────────────
    /// the function begins there
    /// ```
    fn entry_is_no_target(&self) -> Valid {
        match self.blocks.iter().find(|block| block.next.contains(&0)) {
            Some(block) => {
                let text = "it branches to the first block of the function";
                wrong(Rule::Structured, "entry", block.range.end - 1, text)
            }
            None => Ok(()),
        }
    }

    /// Structured Control Flow: merge blocks
    ///
    /// ```text
    /// no block is the merge block of two headers     (shared)
    /// ─────────────────────────────────────────────────────────
    /// a construct ends there
    /// ```
    fn merges_are_their_own(&self) -> Valid {
        let mut known = FxHashSet::default();
        for block in &self.blocks {
            if let Some(merge) = block.merge
                && !known.insert(merge)
            {
                let text = "its merge block is that of another header too";
                return wrong(Rule::Structured, "shared", block.range.end - 2, text);
            }
        }
        Ok(())
    }

    /// The branches back, each as where it comes from and where it goes. A block is walked to from a header over its merge
    /// instruction as well, since nothing else leads to the end of a round that never ends.
    fn back_edges(&self) -> FxHashSet<(usize, usize)> {
        #[derive(Clone, Copy, PartialEq)]
        enum Seen {
            No,
            Above,
            Done,
        }
        let mut seen = vec![Seen::No; self.blocks.len()];
        let mut back = FxHashSet::default();
        for root in 0..self.blocks.len() {
            if seen[root] != Seen::No {
                continue;
            }
            seen[root] = Seen::Above;
            let mut stack = vec![(root, 0)];
            while let Some((number, edge)) = stack.pop() {
                let block = &self.blocks[number];
                let named = [block.merge, block.again];
                let mut edges = block.next.iter().copied().chain(named.into_iter().flatten());
                let Some(next) = edges.nth(edge) else {
                    seen[number] = Seen::Done;
                    continue;
                };
                stack.push((number, edge + 1));
                match seen[next] {
                    Seen::No => {
                        seen[next] = Seen::Above;
                        stack.push((next, 0));
                    }
                    Seen::Above if edge < block.next.len() => {
                        back.insert((number, next));
                    }
                    _ => {}
                }
            }
        }
        back
    }

    /// Structured Control Flow: loops
    ///
    /// ```text
    /// a branch back goes to a block with OpLoopMerge              (header)
    /// exactly one branch goes back to each block with that        (back edge)
    /// ────────────────────────────────────────────────────────────────────────
    /// it is a loop
    /// ```
    fn loops_come_back(&self) -> Valid {
        let mut back: Vec<(usize, usize)> = self.back_edges().into_iter().collect();
        back.sort_unstable();
        let mut counts = vec![0; self.blocks.len()];
        for (from, to) in back {
            counts[to] += 1;
            if self.blocks[to].again.is_none() {
                let text = "it branches back to a block without OpLoopMerge";
                return wrong(Rule::Structured, "header", self.blocks[from].range.end - 1, text);
            }
        }
        for (block, count) in self.blocks.iter().zip(counts) {
            if block.again.is_some() && count != 1 {
                let text = format!("{count} blocks branch back to the head of the loop: one does");
                return wrong(Rule::Structured, "back edge", block.range.end - 2, text);
            }
        }
        Ok(())
    }

    /// Structured Control Flow: selections
    ///
    /// ```text
    /// a branch with a choice has a merge instruction, unless one of its ways leaves a construct     (selection)
    /// ──────────────────────────────────────────────────────────────────────────────────────────────────────────
    /// it is a selection, or leaves one
    /// ```
    ///
    /// A switch always has one.
    fn selections_merge(&self) -> Valid {
        let mut ends = FxHashSet::default();
        for (number, block) in self.blocks.iter().enumerate() {
            ends.extend(block.merge);
            ends.extend(block.again);
            ends.extend(block.again.map(|_| number));
            if self.terminator(block).op == Op::Switch {
                ends.extend(&block.next);
            }
        }
        for block in self.blocks.iter().filter(|block| block.merge.is_none()) {
            let chooses = match self.terminator(block).op {
                Op::Switch => true,
                Op::BranchConditional => {
                    block.next.iter().all(|next| !ends.contains(next))
                        && block.next.first() != block.next.last()
                }
                _ => false,
            };
            if chooses {
                let text = "it chooses between blocks, and has no OpSelectionMerge before it";
                return wrong(Rule::Structured, "selection", block.range.end - 1, text);
            }
        }
        Ok(())
    }
}
