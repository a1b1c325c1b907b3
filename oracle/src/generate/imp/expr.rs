//! Expressions: values, which may be anything and never get stuck, and offsets within a part of a block.

use super::super::range::Range;
use super::scope::{Block, Builder, sum};
use reference::fun::syntax::{Atom, Se};
use reference::kit::scalar::BinOp;

impl Builder<'_, '_> {
    /// An int in scope or a constant.
    pub(super) fn leaf(&mut self) -> Atom {
        let ints = self.fixed.len() + self.wild.len();
        if ints == 0 || self.draw.chance(20) {
            return Atom::Const(self.corner());
        }
        let at = self.draw.below(ints);
        let var = self.fixed.get(at).map_or_else(|| self.wild[at - self.fixed.len()], |int| int.0);
        var.into()
    }

    /// A value, nested `depth` deep at most.
    pub(super) fn value(&mut self, depth: usize) -> Se {
        if depth == 0 || self.draw.chance(15) {
            return self.leaf().into();
        }
        let op = self.draw.pick(&BinOp::ALL);
        let (a, b) = (self.value(depth - 1), self.value(depth - 1));
        if !op.is_partial() {
            return Se::bin(op, a, b);
        }
        match b {
            // A divisor that is known not to be 0 stays.
            Se::Atom(atom) if !self.may_be_zero(atom) => Se::bin(op, a, b),
            _ => Se::bin(op, a, Se::bin(BinOp::Or, b, 1)),
        }
    }

    fn may_be_zero(&self, atom: Atom) -> bool {
        match atom {
            Atom::Const(k) => k == 0,
            Atom::Var(var) => {
                let known = self.fixed.iter().find(|(fixed, _)| *fixed == var);
                known.is_none_or(|(_, range)| range.has(0))
            }
        }
    }

    /// An offset within the part of the block that may be touched, which has an element.
    pub(super) fn offset(&mut self, block: &Block) -> Se {
        let within = self.below(block.width);
        sum(block.base.clone(), within)
    }

    /// An expression in `0..width`; `width` is positive.
    fn below(&mut self, width: i64) -> Se {
        let ranged: Vec<(Atom, Range)> =
            self.fixed.iter().map(|(var, range)| (Atom::from(*var), *range)).collect();
        let from_one: Vec<Atom> = ranged
            .iter()
            .filter(|(_, range)| range.lo >= 1 && range.hi <= width)
            .map(|(atom, _)| *atom)
            .collect();
        let last = (width - 1) as i32;
        match self.draw.below(8) {
            0..=3 if !from_one.is_empty() => {
                let index = self.draw.pick(&from_one);
                match self.draw.chance(25) {
                    // Backwards.
                    true => {
                        let from = self.known(width);
                        Se::bin(BinOp::Sub, from, index)
                    }
                    false => Se::bin(BinOp::Sub, index, 1),
                }
            }
            4 => {
                let wild = self.leaf();
                let floor = Se::bin(BinOp::Max, wild, 0);
                Se::bin(BinOp::Min, floor, last)
            }
            5 => {
                let mask = width.ilog2();
                Se::bin(BinOp::And, self.leaf(), (1 << mask) - 1)
            }
            6 => {
                let natural: Vec<Atom> = ranged
                    .iter()
                    .filter(|(_, range)| range.lo >= 0)
                    .map(|(atom, _)| *atom)
                    .collect();
                match natural.is_empty() {
                    true => Se::from(last),
                    false => {
                        let by = self.known(width);
                        Se::bin(BinOp::Rem, self.draw.pick(&natural), by)
                    }
                }
            }
            _ => Se::from(self.draw.between(0, last.into()) as i32),
        }
    }
}
