//! Integers of which the bits are looked at: addresses above all. An i32 that is added up to become the
//! place of a word is written as the u32 of the same bits from the start, if fewer of its values are
//! converted then on the way: where only its bits are looked at, or more often than all of it
//! ([`survey`](super::survey)). Sums, differences and products of either type have the same bits.

use super::Writer;
use super::exp::{BRACKETS, is_constant, needs_no_brackets};
use reference::device::syntax::{Exp, Lit, Sc};
use reference::kit::scalar::BinOp;

impl Writer<'_> {
    /// Puts the u32 that has the bits of an i32.
    pub(super) fn put_bits(&mut self, exp: &Exp) {
        match exp {
            Exp::Lit(Lit::I32(k)) => {
                self.held.put_number(*k as u32);
                self.held.put("u");
            }
            Exp::Var(var) if self.bits.of(*var) => self.put_name(*var),
            Exp::Cast(Sc::I32, word) | Exp::Bitcast(Sc::I32, word)
                if self.types.sc(word) == Some(Sc::U32) =>
            {
                self.put(word);
            }
            Exp::Bin(op, ab) if self.is_plain() && wraps(*op, ab) => {
                let from = self.held.mark();
                self.held.put("(");
                self.put_operation_on_bits(*op, ab);
                self.held.put(")");
                self.shorten(from, 0);
            }
            other => {
                self.held.put(self.conversion(Sc::U32));
                self.put_argument_of(other);
                self.held.put(")");
            }
        }
    }

    /// The same where nothing stands beside it.
    pub(super) fn put_bits_alone(&mut self, exp: &Exp) {
        let from = self.held.mark();
        match exp {
            Exp::Cast(Sc::I32, word) | Exp::Bitcast(Sc::I32, word)
                if self.types.sc(word) == Some(Sc::U32) =>
            {
                self.put_alone(word);
            }
            Exp::Bin(op, ab) if self.is_plain() && wraps(*op, ab) => {
                self.put_operation_on_bits(*op, ab);
                self.shorten(from, BRACKETS);
            }
            _ => {
                self.put_bits(exp);
                self.unbracket(from);
            }
        }
    }

    fn put_operation_on_bits(&mut self, op: BinOp, [a, b]: &[Exp; 2]) {
        self.put_operand_of_bits(op, a, true);
        self.held.put_sign(match op {
            BinOp::Add => " + ",
            BinOp::Sub => " - ",
            _ => " * ",
        });
        self.put_operand_of_bits(op, b, false);
    }

    fn put_operand_of_bits(&mut self, outer: BinOp, exp: &Exp, on_the_left: bool) {
        if needs_no_brackets(outer, before_conversion(exp), on_the_left) {
            self.put_bits_alone(exp);
        } else {
            self.put_bits(exp);
        }
    }
}

/// Is the text of these bits a sum, a difference or a product? Another word is added to it without
/// brackets.
pub(super) fn is_sum_of_bits(exp: &Exp) -> bool {
    matches!(before_conversion(exp), Exp::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul, ..))
}

/// What an i32 was converted from.
fn before_conversion(exp: &Exp) -> &Exp {
    match exp {
        Exp::Cast(Sc::I32, word) | Exp::Bitcast(Sc::I32, word) => word,
        other => other,
    }
}

/// Do the bits of the operands make those of the result, signed or not? Where both are constants of
/// WGSL they are not added up: the sum must not overflow.
pub(super) fn wraps(op: BinOp, [a, b]: &[Exp; 2]) -> bool {
    matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul) && !(is_constant(a) && is_constant(b))
}
