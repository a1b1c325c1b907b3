//! Integers of which the bits are looked at: addresses above all. An i32 that is added up to become the
//! place of a word is written as the u32 of the same bits from the start, if fewer of its values are
//! converted then on the way: where only its bits are looked at, or more often than all of it
//! ([`survey`](super::survey)). Sums, differences and products of either type have the same bits.
//!
//! Terse text goes further. Its words are all u32, those of the arena too, and so are its variables. What an
//! operation makes of bits alone is written of u32 then, equality is that of bits, and only what looks at a
//! sign is converted: an order, a quotient, a shift to the right.

use super::Writer;
use super::exp::{BRACKETS, is_constant, needs_no_brackets, sign};
use crate::pass::types::Types;
use reference::device::syntax::{Exp, Lit, Place, Sc};
use reference::kit::names::Var;
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
            Exp::Cast(Sc::I32, truth) if self.terse && self.types.sc(truth) == Some(Sc::Bool) => {
                self.cast(Sc::U32, truth);
            }
            Exp::Load(place) if self.holds_bits(place) => self.put_load_of_bits(place),
            Exp::Bin(op, ab) if self.is_plain() && wraps(*op, ab, self.terse) => {
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
            Exp::Bin(op, ab) if self.is_plain() && wraps(*op, ab, self.terse) => {
                self.put_operation_on_bits(*op, ab);
                self.shorten(from, BRACKETS);
            }
            _ => {
                self.put_bits(exp);
                self.unbracket(from);
            }
        }
    }

    /// Puts an operation on the bits of two i32, without brackets around it.
    fn put_operation_on_bits(&mut self, op: BinOp, [a, b]: &[Exp; 2]) {
        self.put_operand_of_bits(op, a, true);
        sign(op, Sc::U32).iter().for_each(|sign| self.held.put_sign(sign));
        match op {
            BinOp::Shl => self.put_amount(Sc::U32, b),
            _ => self.put_operand_of_bits(op, b, false),
        }
    }

    /// Puts a value that is given to a name, as what the name holds.
    pub(super) fn put_for(&mut self, var: Var, value: &Exp) {
        if self.bits.of(var) {
            self.put_bits_alone(value);
        } else {
            self.put_alone(value);
        }
    }

    /// Puts an operation on two i32 in terms of their bits, if that is the shorter text: a comparison, or
    /// what is converted only when it is there.
    pub(super) fn put_by_bits(&mut self, op: BinOp, ab: &[Exp; 2], brackets: bool) -> bool {
        let compares = matches!(op, BinOp::Eq | BinOp::Ne);
        let constant = ab.iter().all(is_constant);
        if !self.terse || constant || !(compares || wraps(op, ab, true)) {
            return false;
        }
        if self.types.sc(&ab[0]) != Some(Sc::I32) {
            return false;
        }
        let of_name = |var| if self.bits.of(var) { OF_BITS } else { OF_NUMBER };
        if !are_better_as_bits(op, of_operands(op, ab, self.types, true, &of_name)) {
            return false;
        }
        let begin = match (compares, brackets) {
            (false, _) => self.conversion(Sc::I32),
            (true, true) => "(",
            (true, false) => "",
        };
        self.held.put(begin);
        self.put_operation_on_bits(op, ab);
        self.held.put(if begin.is_empty() { "" } else { ")" });
        true
    }

    /// Are the bits of an i32 in this place?
    fn holds_bits(&self, place: &Place) -> bool {
        match place {
            Place::Var(var) => self.bits.of(*var),
            Place::Element(block, _) => self.terse && self.types.element(block) == Sc::I32,
            _ => false,
        }
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
/// WGSL they are not added up: the sum must not overflow. Only terse text asks for more than sums.
pub(super) fn wraps(op: BinOp, [a, b]: &[Exp; 2], terse: bool) -> bool {
    let wraps = match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul => true,
        BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl => terse,
        _ => false,
    };
    wraps && !(is_constant(a) && is_constant(b))
}

/// How many conversions it takes to write an i32.
#[derive(Clone, Copy)]
pub(super) struct Conversions {
    /// As the u32 of its bits.
    pub(super) to_bits: u32,
    /// As what it is.
    pub(super) to_number: u32,
}

/// Of what is the same text as either, but for one letter.
pub(super) const OF_EITHER: Conversions = Conversions { to_bits: 0, to_number: 0 };
/// Of what is written as the u32 of its bits.
pub(super) const OF_BITS: Conversions = Conversions { to_bits: 0, to_number: 1 };
/// Of what is written as an i32.
pub(super) const OF_NUMBER: Conversions = Conversions { to_bits: 1, to_number: 0 };

/// How many it takes where names are written like this.
pub(super) fn conversions(
    exp: &Exp,
    types: &Types,
    terse: bool,
    of_name: &impl Fn(Var) -> Conversions,
) -> Conversions {
    match exp {
        Exp::Lit(_) => OF_EITHER,
        Exp::Var(var) => of_name(*var),
        Exp::Cast(Sc::I32, from) | Exp::Bitcast(Sc::I32, from) => match types.sc(from) {
            Some(Sc::U32) => OF_BITS,
            Some(Sc::Bool) if terse => OF_EITHER,
            _ => OF_NUMBER,
        },
        Exp::Load(place) if terse => match &**place {
            Place::Var(var) => of_name(*var),
            Place::Element(..) => OF_BITS,
            _ => OF_NUMBER,
        },
        Exp::Bin(op, ab) if wraps(*op, ab, terse) => of_operands(*op, ab, types, terse, of_name),
        _ => OF_NUMBER,
    }
}

/// How many the operands of an operation on two i32 take. The amount of a shift is a u32 either way.
pub(super) fn of_operands(
    op: BinOp,
    [a, b]: &[Exp; 2],
    types: &Types,
    terse: bool,
    of_name: &impl Fn(Var) -> Conversions,
) -> Conversions {
    let a = conversions(a, types, terse, of_name);
    if op == BinOp::Shl {
        return a;
    }
    let b = conversions(b, types, terse, of_name);
    Conversions { to_bits: a.to_bits + b.to_bits, to_number: a.to_number + b.to_number }
}

/// Is an operation on two i32, which take so many conversions, better written of their bits? Its result
/// is converted then, unless it tells whether they are equal.
pub(super) fn are_better_as_bits(op: BinOp, operands: Conversions) -> bool {
    match op {
        BinOp::Eq | BinOp::Ne => operands.to_bits <= operands.to_number,
        _ => operands.to_bits + 1 < operands.to_number,
    }
}
