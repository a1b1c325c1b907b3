//! Scalar expressions: every operator, hashes, and the corner cases of the scalar table. None
//! gets stuck.

use super::builder::Builder;
use super::types::Range;
use reference::fun::syntax::{Atom, Se};
use reference::kit::scalar::BinOp;

/// Constants at which arithmetic is special.
const CORNERS: [i32; 14] =
    [1, 2, -1, 0, 3, i32::MIN, i32::MAX, 31, 32, 33, -7, 255, 0x5bd1_e995, 16];

/// Odd constants with bits everywhere, by which hashes multiply.
const HASHES: [i32; 4] =
    [0x9e37_79b1_u32 as i32, 0x85eb_ca6b_u32 as i32, 0xc2b2_ae35_u32 as i32, 0x27d4_eb2f];

impl Builder<'_, '_> {
    /// An int in scope or a constant.
    pub(super) fn leaf(&mut self) -> Atom {
        if self.draw.chance(78)
            && let Some(var) = self.any_int()
        {
            return var.into();
        }
        Atom::Const(self.draw.pick(&CORNERS))
    }

    /// An expression that is nested `depth` deep at most, and what it may be.
    pub(super) fn expression(&mut self, depth: usize) -> (Se, Range) {
        if depth == 0 {
            let atom = self.leaf();
            return (atom.into(), self.range(atom));
        }
        match self.draw.below(8) {
            0 => self.expression(0),
            1..=4 => {
                let op = self.draw.pick(&BinOp::ALL);
                let a = self.expression(depth - 1);
                let b = self.expression(depth - 1);
                self.operation(op, a, b)
            }
            // What a compiler adds up.
            5 => {
                let op = self.draw.pick(&[BinOp::Add, BinOp::Sub, BinOp::Add, BinOp::Mul]);
                let by = self.draw.pick(&[1, 2, 5, -1, 3, 7]);
                let (a, b) = (self.expression(0), (by.into(), Range::exactly(by.into())));
                self.operation(op, a, b)
            }
            _ => (self.hash(), Range::FULL),
        }
    }

    /// `a ⊕ b`, where a divisor that might be 0 is made odd.
    fn operation(&mut self, op: BinOp, a: (Se, Range), b: (Se, Range)) -> (Se, Range) {
        let (divisor, range) = b;
        if op.is_partial() && range.has(0) {
            let odd = if range == Range::exactly(0) {
                Se::from(-1)
            } else {
                Se::bin(BinOp::Or, divisor, 1)
            };
            let range = if op == BinOp::Rem { a.1.union(Range::exactly(0)) } else { Range::FULL };
            let range = if a.1 == Range::exactly(i32::MIN.into()) { Range::FULL } else { range };
            return (Se::bin(op, a.0, odd), range);
        }
        (Se::bin(op, a.0, divisor), Range::of(op, a.1, range))
    }

    /// A hash of what is in scope: a value that is 1, 2 or 3 by chance only.
    pub(super) fn hash(&mut self) -> Se {
        let (a, b) = (self.leaf(), self.leaf());
        let by = self.draw.pick(&HASHES);
        let product = Se::bin(BinOp::Mul, a, by);
        match self.draw.below(3) {
            0 => Se::bin(BinOp::Xor, product, b),
            1 => Se::bin(BinOp::Add, product, b),
            _ => Se::bin(BinOp::Xor, product, Se::bin(BinOp::Shr, b, 3)),
        }
    }

    /// A hash of what was made since `mark` and that nothing looked at yet, ints and elements of
    /// arrays, so that a fault anywhere shows in the results. `None` if there is nothing.
    pub(super) fn digest(&mut self, mark: usize) -> Option<Se> {
        for _ in 0..2 {
            let unused = self.choose(|builder, array| {
                !array.used && array.var.slot() >= mark && builder.is_inhabited(&array.shape)
            });
            match unused {
                Some(array) => self.read_of(&array),
                None => break,
            };
        }
        let mut digest: Option<Se> = None;
        for at in (0..self.ints.len()).rev().take(8) {
            let var = self.ints[at];
            if var.slot() < mark || self.fact(var).used {
                continue;
            }
            self.set_used(var);
            digest = Some(match digest {
                None => var.into(),
                Some(others) => {
                    let by = self.draw.pick(&HASHES);
                    let op = self.draw.pick(&[BinOp::Xor, BinOp::Add, BinOp::Sub]);
                    Se::bin(op, Se::bin(BinOp::Mul, others, by), var)
                }
            });
        }
        digest
    }

    /// An int that an `if` asks for. It is often not known before the run.
    pub(super) fn condition(&mut self) -> Atom {
        let thread = self.threads.last().copied();
        let se = match (self.draw.below(6), thread) {
            (0 | 1, Some(thread)) => Se::bin(BinOp::And, thread.var, 1),
            (2, Some(thread)) => {
                let most = self.range(thread.count).hi.clamp(1, 64);
                let limit = self.draw.between(1, most) as i32;
                let op = self.draw.pick(&[BinOp::Lt, BinOp::Eq, BinOp::Ge, BinOp::Le]);
                Se::bin(op, thread.var, limit)
            }
            (3, _) => return self.leaf(),
            (4, _) => {
                let (a, b) = (self.leaf(), self.leaf());
                let op = self.draw.pick(&[BinOp::Lt, BinOp::Gt, BinOp::Ne, BinOp::Eq]);
                Se::bin(op, a, b)
            }
            _ => {
                let a = self.leaf();
                Se::bin(BinOp::And, a, self.draw.pick(&[1, 2, 4, 5]))
            }
        };
        self.named(se, Range::new(0, 5), None)
    }
}
