//! Planted faults of arithmetic: what the implementation of 2017 folded, and is not the same.

use super::{Lower, fold};
use reference::device::syntax::Exp;
use reference::fcl::syntax::Op;
use reference::kit::faults::WrongFcl;
use reference::kit::scalar::BinOp;

impl Lower<'_> {
    /// What a planted fault makes of a quotient or a remainder, if it is planted and applies.
    pub(super) fn wrong_quotient(&self, op: Op, a: &Exp, b: &Exp) -> Option<Exp> {
        if self.has(WrongFcl::QuotientOfItself) && op == Op::Div && a == b {
            return Some(Exp::i32(1));
        }
        let power = fold::literal(b).filter(|by| *by > 1 && by.count_ones() == 1)?;
        if !self.has(WrongFcl::SignedShift) {
            return None;
        }
        Some(match op {
            Op::Div => Exp::bin(BinOp::Shr, a.clone(), Exp::i32(power.trailing_zeros() as i32)),
            _ => fold::bin(BinOp::And, a.clone(), Exp::i32(power - 1)),
        })
    }

    /// What a planted fault makes of a product, if it is planted and applies: `a / (c / d)` of `(a / c) * d`.
    pub(super) fn wrong_product(&self, op: Op, a: &Exp, b: &Exp) -> Option<Exp> {
        if op != Op::Mul || !self.has(WrongFcl::QuotientFolded) {
            return None;
        }
        let by = fold::literal(b).filter(|by| *by != 0)?;
        let Exp::Var(var) = a else { return None };
        let Exp::Bin(BinOp::Div, parts) = self.definitions.get(var)? else { return None };
        let [dividend, divisor] = &**parts;
        let divisor = BinOp::Div.checked(fold::literal(divisor)?, by).filter(|by| *by != 0)?;
        Some(fold::bin(BinOp::Div, dividend.clone(), Exp::i32(divisor)))
    }
}
