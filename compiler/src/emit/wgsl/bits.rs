//! Integers of which only the bits are looked at: addresses above all. An i32 that is added up to
//! become the place of a word is written as the u32 of the same bits from the start, so that nothing
//! is converted on the way. Sums, differences and products of either type have the same bits.

use super::Writer;
use super::exp::{BRACKETS, is_constant, needs_no_brackets};
use crate::pass::types::Types;
use reference::device::syntax::{Block, Exp, I32, Kernel, Kind, Lit, Place, Sc};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;
use rustc_hash::FxHashSet;

impl Writer<'_> {
    /// Puts the u32 that has the bits of an i32.
    pub(super) fn put_bits(&mut self, exp: &Exp) {
        match exp {
            Exp::Lit(Lit::I32(k)) => {
                self.held.put_number(*k as u32);
                self.held.put("u");
            }
            Exp::Var(var) if self.bits.contains(var) => self.put(exp),
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
fn wraps(op: BinOp, [a, b]: &[Exp; 2]) -> bool {
    matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul) && !(is_constant(a) && is_constant(b))
}

/// The parameters and let-bound names of a kernel that are i32 and of which only the bits are looked
/// at, as [`Writer::put_bits`] writes them.
pub(super) fn names_of_bits(kernel: &Kernel, types: &Types) -> FxHashSet<Var> {
    let mut looks = Looks { types, numbers: FxHashSet::default(), bits: FxHashSet::default() };
    looks.block(&kernel.body);
    let Looks { numbers, mut bits, .. } = looks;
    let params = kernel.params.iter().filter(|(_, ty)| *ty == I32).map(|(var, _)| *var);
    bits.extend(params.filter(|var| !numbers.contains(var)));
    bits
}

/// Goes through a kernel from its end, so that all looks at a name come before what binds it.
struct Looks<'t> {
    types: &'t Types,
    /// Names of which more than the bits is looked at.
    numbers: FxHashSet<Var>,
    /// Let-bound names of i32 of which it is not.
    bits: FxHashSet<Var>,
}

impl Looks<'_> {
    fn block(&mut self, body: &Block) {
        body.iter().rev().for_each(|stm| self.stm(&stm.kind));
    }

    fn stm(&mut self, kind: &Kind) {
        match kind {
            Kind::Let(var, I32, exp) if !self.numbers.contains(var) => {
                self.bits.insert(*var);
                self.bits(exp);
            }
            Kind::Let(_, _, exp) => self.number(exp),
            Kind::Var(_, _, init) => init.iter().for_each(|exp| self.number(exp)),
            Kind::Store(place, exp) => {
                self.place(place);
                self.number(exp);
            }
            Kind::Atomic { place, operands, .. } => {
                self.place(place);
                operands.iter().for_each(|exp| self.number(exp));
            }
            Kind::If(branch) => {
                self.block(&branch.orelse);
                self.block(&branch.then);
                self.number(&branch.cond);
            }
            Kind::Loop(rounds) => {
                rounds.next.iter().for_each(|exp| self.number(exp));
                self.block(&rounds.body);
                let inits = rounds.carried.iter().map(|carried| &carried.init);
                inits.chain(&rounds.fuel).chain([&rounds.cond]).for_each(|exp| self.number(exp));
            }
            Kind::Call { args, .. } => args.iter().for_each(|exp| self.number(exp)),
            Kind::Check(check) => check.operands.iter().for_each(|exp| self.number(exp)),
            Kind::Barrier(_) | Kind::Par(_) => {}
        }
    }

    /// All of a value is looked at.
    fn number(&mut self, exp: &Exp) {
        match exp {
            Exp::Var(var) => {
                self.numbers.insert(*var);
            }
            Exp::Lit(_) | Exp::Builtin(_) => {}
            Exp::Load(place) | Exp::Ref(place) => self.place(place),
            Exp::Cast(Sc::U32, a) | Exp::Bitcast(Sc::U32, a)
                if self.types.sc(a) == Some(Sc::I32) =>
            {
                self.bits(a);
            }
            Exp::Un(_, a)
            | Exp::Cast(_, a)
            | Exp::Bitcast(_, a)
            | Exp::Field(a, _)
            | Exp::Length(a)
            | Exp::Base(a) => self.number(a),
            Exp::Bin(_, parts) | Exp::At(parts) | Exp::Block(_, parts) => {
                parts.iter().for_each(|part| self.number(part));
            }
            Exp::Select(parts) => parts.iter().for_each(|part| self.number(part)),
            Exp::Make(made) => made.1.iter().for_each(|part| self.number(part)),
        }
    }

    fn bits(&mut self, exp: &Exp) {
        match exp {
            Exp::Var(_) => {}
            Exp::Bin(op, ab) if wraps(*op, ab) => ab.iter().for_each(|part| self.bits(part)),
            other => self.number(other),
        }
    }

    fn place(&mut self, place: &Place) {
        match place {
            Place::Var(_) => {}
            Place::Deref(pointer) => self.number(pointer),
            Place::Element(block, index) => {
                self.number(block);
                match self.types.sc(index) {
                    Some(Sc::I32) => self.bits(index),
                    _ => self.number(index),
                }
            }
            Place::At(array, index) => {
                self.place(array);
                self.number(index);
            }
            Place::Field(value, _) => self.place(value),
        }
    }
}
