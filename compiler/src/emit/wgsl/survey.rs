//! What has to be known of a kernel before anything of it is written, found in one look at all of it.

use super::bits::{
    Conversions, OF_BITS, OF_EITHER, are_better_as_bits, conversions, of_operands, wraps,
};
use crate::pass::slots::Slots;
use crate::pass::types::Types;
use reference::device::syntax::{Block, Builtin, Exp, I32, Kernel, Kind, Place, Sc, Space, Ty};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;

/// Goes through a kernel from its end, so that all looks at a name come before what binds it.
pub(super) struct Survey<'t> {
    types: &'t Types,
    /// The parameter that is the record.
    record: Option<Var>,
    /// Is the text terse?
    terse: bool,
    /// How often names are looked at, found so far.
    looks: Slots<Looks>,
    /// The variables of i32 to which pointers are made.
    pointed_to: Slots<bool>,
    /// The parameters, let-bound names and, in terse text, variables of i32 that take fewer conversions as
    /// the u32 of the same bits, as [`Writer::put_bits`](super::Writer::put_bits) writes them.
    pub(super) bits: Slots<bool>,
    /// Does an atomic operation work on an element of a block other than the record?
    pub(super) has_atomic_elements: bool,
    /// Are the elements of all blocks that it makes, and is given, i32?
    pub(super) all_signed: bool,
    /// Does it call functions?
    pub(super) calls: bool,
    /// How often is the number of the invocation looked at?
    pub(super) ids: u32,
    /// Does it look at which group it is, or which invocation of it?
    pub(super) asks_for_group: bool,
}

/// How often is a name of i32 looked at?
#[derive(Clone, Copy, Default)]
struct Looks {
    /// At its bits only.
    bits: u32,
    /// At all of it.
    numbers: u32,
}

impl Looks {
    /// Is it better off as a u32? It takes so many conversions to have it as one, or else as an i32.
    fn are_at_bits(self, takes: Conversions) -> bool {
        self.numbers == 0 || self.numbers + takes.to_bits < self.bits + takes.to_number
    }
}

impl<'t> Survey<'t> {
    /// Of a kernel, of which that parameter is the record.
    pub(super) fn of(kernel: &Kernel, record: Option<Var>, types: &'t Types, terse: bool) -> Self {
        let mut survey = Self {
            types,
            record,
            terse,
            looks: Slots::default(),
            pointed_to: Slots::default(),
            bits: Slots::default(),
            has_atomic_elements: false,
            all_signed: true,
            calls: false,
            ids: 0,
            asks_for_group: false,
        };
        survey.block(&kernel.body);
        for (var, ty) in kernel.params.iter().filter(|(var, _)| Some(*var) != record) {
            survey.all_signed &= are_signed(ty);
            if *ty == I32 && survey.looks.of(*var).are_at_bits(OF_BITS) {
                *survey.bits.of_mut(*var) = true;
            }
        }
        survey
    }
}

/// Are its elements i32, if it is a block?
pub(super) fn are_signed(ty: &Ty) -> bool {
    !matches!(ty, Ty::Block(sc) if *sc != Sc::I32)
}

impl Survey<'_> {
    fn block(&mut self, body: &Block) {
        body.iter().rev().for_each(|stm| self.stm(&stm.kind));
    }

    fn stm(&mut self, kind: &Kind) {
        match kind {
            Kind::Let(var, I32, exp) => {
                if self.looks.of(*var).are_at_bits(self.conversions(exp)) {
                    *self.bits.of_mut(*var) = true;
                    self.bits(exp);
                } else {
                    self.number(exp);
                }
            }
            Kind::Let(_, _, exp) => self.number(exp),
            Kind::Var(var, ty, init) => {
                init.iter().for_each(|exp| self.variable(*var, ty, exp));
                self.declare(*var, ty);
            }
            Kind::Store(Place::Var(var), exp) => self.variable(*var, self.types.var(*var), exp),
            Kind::Store(place @ Place::Element(block, _), exp)
                if self.terse && self.types.element(block) == Sc::I32 =>
            {
                self.place(place);
                self.bits(exp);
            }
            Kind::Store(place, exp) => {
                self.place(place);
                self.number(exp);
            }
            Kind::Atomic { place, operands, .. } => {
                self.has_atomic_elements |= self.is_element(place);
                self.place(place);
                operands.iter().for_each(|exp| self.number(exp));
            }
            Kind::If(branch) => {
                self.block(&branch.orelse);
                self.block(&branch.then);
                self.number(&branch.cond);
            }
            Kind::Loop(rounds) => {
                for (carried, next) in rounds.carried.iter().zip(&rounds.next) {
                    self.variable(carried.var, &carried.ty, next);
                }
                self.block(&rounds.body);
                rounds.fuel.iter().chain([&rounds.cond]).for_each(|exp| self.number(exp));
                for carried in &rounds.carried {
                    self.variable(carried.var, &carried.ty, &carried.init);
                    self.declare(carried.var, &carried.ty);
                }
            }
            Kind::Call { args, .. } => {
                self.calls = true;
                args.iter().for_each(|exp| self.number(exp));
            }
            Kind::Check(check) => check.operands.iter().for_each(|exp| self.number(exp)),
            Kind::Barrier(_) | Kind::Par(_) => {}
        }
    }

    /// Is a variable of this type the u32 of the bits of an i32? All are in terse text, unless a pointer is
    /// made to them.
    fn is_of_bits(&self, var: Var, ty: &Ty) -> bool {
        self.terse && *ty == I32 && !self.pointed_to.of(var)
    }

    /// A variable is declared: all that is done with it was looked at.
    fn declare(&mut self, var: Var, ty: &Ty) {
        if self.is_of_bits(var, ty) {
            *self.bits.of_mut(var) = true;
        }
    }

    /// A variable is given a value.
    fn variable(&mut self, var: Var, ty: &Ty, value: &Exp) {
        if self.is_of_bits(var, ty) {
            self.bits(value);
        } else {
            self.number(value);
        }
    }

    /// All of a value is looked at.
    fn number(&mut self, exp: &Exp) {
        match exp {
            Exp::Var(var) => self.looks.of_mut(*var).numbers += 1,
            Exp::Builtin(Builtin::GlobalId) => self.ids += 1,
            Exp::Builtin(Builtin::LocalId | Builtin::GroupId) => self.asks_for_group = true,
            Exp::Lit(_) | Exp::Builtin(Builtin::Invocations) => {}
            Exp::Ref(place) => {
                if let Place::Var(var) = **place {
                    *self.pointed_to.of_mut(var) = true;
                }
                self.place(place);
            }
            Exp::Load(place) => self.place(place),
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
            Exp::Block(sc, parts) => {
                self.all_signed &= *sc == Sc::I32;
                parts.iter().for_each(|part| self.number(part));
            }
            Exp::Bin(BinOp::Shl | BinOp::Shr, ab) => {
                self.number(&ab[0]);
                self.amount(&ab[1]);
            }
            Exp::Bin(op, ab) if self.goes_by_bits(*op, ab) => {
                ab.iter().for_each(|part| self.bits(part));
            }
            Exp::Bin(_, parts) | Exp::At(parts) => {
                parts.iter().for_each(|part| self.number(part));
            }
            Exp::Select(parts) => parts.iter().for_each(|part| self.number(part)),
            Exp::Make(made) => made.1.iter().for_each(|part| self.number(part)),
        }
    }

    /// Is an operation better written of the bits of its operands, as far as their names are not looked
    /// at?
    fn goes_by_bits(&self, op: BinOp, ab: &[Exp; 2]) -> bool {
        self.terse
            && (matches!(op, BinOp::Eq | BinOp::Ne) || wraps(op, ab, true))
            && self.types.sc(&ab[0]) == Some(Sc::I32)
            && are_better_as_bits(op, of_operands(op, ab, self.types, true, &|_| OF_EITHER))
    }

    /// Only the bits of an i32 are looked at.
    fn bits(&mut self, exp: &Exp) {
        match exp {
            Exp::Var(var) => self.looks.of_mut(*var).bits += 1,
            Exp::Bin(BinOp::Shl, ab) if self.terse && wraps(BinOp::Shl, ab, true) => {
                self.bits(&ab[0]);
                self.amount(&ab[1]);
            }
            Exp::Bin(op, ab) if wraps(*op, ab, self.terse) => {
                ab.iter().for_each(|part| self.bits(part));
            }
            other => self.number(other),
        }
    }

    /// How many conversions an i32 takes, as far as its names are not looked at.
    fn conversions(&self, exp: &Exp) -> Conversions {
        conversions(exp, self.types, self.terse, &|_| OF_EITHER)
    }

    /// Is it an element of a block other than the record?
    fn is_element(&self, place: &Place) -> bool {
        match place {
            Place::Element(Exp::Var(block), _) => Some(*block) != self.record,
            Place::Element(..) => true,
            Place::Deref(pointer) => {
                matches!(self.types.exp(pointer), Ty::Ptr(Space::Storage, _))
            }
            _ => false,
        }
    }

    /// Of the amount of a shift only the bits count.
    fn amount(&mut self, amount: &Exp) {
        match self.types.sc(amount) {
            Some(Sc::I32) => self.bits(amount),
            _ => self.number(amount),
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
