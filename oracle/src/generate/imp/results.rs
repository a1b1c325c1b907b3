//! What is observed of a program at its end.

use super::scope::{Block, Builder};
use reference::fun::syntax::{Atom, Se};
use reference::imp::syntax::Output;
use reference::kit::scalar::BinOp;

impl Builder<'_, '_> {
    /// One to four results, the latest blocks first.
    pub(super) fn results(&mut self) -> Vec<Output> {
        let number = 1 + self.draw.weighed(&[3, 4, 3, 1]);
        let mut blocks: Vec<Block> = self.blocks.iter().rev().cloned().collect();
        let mut results = Vec::with_capacity(number);
        for _ in 0..number {
            if blocks.is_empty() || self.draw.chance(18) {
                results.push(Output::Int(self.leaf()));
            } else {
                let at = self.draw.below(blocks.len().min(3));
                let block = blocks.remove(at);
                results.push(self.array(&block));
            }
        }
        if self.trouble > 0 && self.trouble_in_results {
            let stuck = self.stuck_result();
            results.insert(0, stuck);
        }
        results
    }

    /// The block in order, backwards, every other element, or as a matrix by rows or columns.
    fn array(&mut self, block: &Block) -> Output {
        let length = block.length;
        let (shape, offset, strides) = match self.draw.below(8) {
            0 if length > 0 => {
                let last = Se::bin(BinOp::Sub, self.known(length), 1);
                (vec![length], last, vec![Se::from(-1)])
            }
            1 if length > 1 => (vec![(length + 1) / 2], Se::from(0), vec![Se::from(2)]),
            2 if length > 0 => (vec![length, 2], Se::from(0), vec![Se::from(1), Se::from(0)]),
            3 | 4 if length > 3 => {
                let rows = self.draw.between(2, length / 2);
                let columns = length / rows;
                let width = Se::from(self.known(columns));
                match self.draw.chance(50) {
                    true => (vec![rows, columns], Se::from(0), vec![width, 1.into()]),
                    false => (vec![columns, rows], Se::from(0), vec![1.into(), width]),
                }
            }
            _ => (vec![length], Se::from(0), vec![Se::from(1)]),
        };
        let shape: Vec<Atom> = shape.into_iter().map(|size| self.known(size)).collect();
        Output::Array { block: block.var, shape, offset, strides }
    }
}
