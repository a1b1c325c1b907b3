//! What has to be known of a kernel before anything of it is written, found in one look at all of it.

use super::bits::wraps;
use crate::pass::slots::Slots;
use crate::pass::types::Types;
use reference::device::syntax::{Block, Exp, I32, Kernel, Kind, Place, Sc, Space, Ty};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;

/// Goes through a kernel from its end, so that all looks at a name come before what binds it.
pub(super) struct Survey<'t> {
    types: &'t Types,
    /// The parameter that is the record.
    record: Option<Var>,
    /// How often names are looked at, found so far.
    looks: Slots<Looks>,
    /// The parameters and let-bound names of i32 that take fewer conversions as the u32 of the same bits, as
    /// [`Writer::put_bits`](super::Writer::put_bits) writes them.
    pub(super) bits: Slots<bool>,
    /// Does an atomic operation work on an element of a block other than the record?
    pub(super) has_atomic_elements: bool,
    /// Are the elements of all blocks that it makes, and is given, i32?
    pub(super) all_signed: bool,
    /// Does it call functions?
    pub(super) calls: bool,
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
    fn are_at_bits(self, of_bits: u32, of_number: u32) -> bool {
        self.numbers == 0 || self.numbers + of_bits < self.bits + of_number
    }
}

impl<'t> Survey<'t> {
    /// Of a kernel, of which that parameter is the record.
    pub(super) fn of(kernel: &Kernel, record: Option<Var>, types: &'t Types) -> Self {
        let mut survey = Self {
            types,
            record,
            looks: Slots::default(),
            bits: Slots::default(),
            has_atomic_elements: false,
            all_signed: true,
            calls: false,
        };
        survey.block(&kernel.body);
        for (var, ty) in kernel.params.iter().filter(|(var, _)| Some(*var) != record) {
            survey.all_signed &= are_signed(ty);
            if *ty == I32 && survey.looks.of(*var).are_at_bits(0, 1) {
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
                let (of_bits, of_number) = self.conversions(exp);
                if self.looks.of(*var).are_at_bits(of_bits, of_number) {
                    *self.bits.of_mut(*var) = true;
                    self.bits(exp);
                } else {
                    self.number(exp);
                }
            }
            Kind::Let(_, _, exp) => self.number(exp),
            Kind::Var(_, _, init) => init.iter().for_each(|exp| self.number(exp)),
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
                rounds.next.iter().for_each(|exp| self.number(exp));
                self.block(&rounds.body);
                let inits = rounds.carried.iter().map(|carried| &carried.init);
                inits.chain(&rounds.fuel).chain([&rounds.cond]).for_each(|exp| self.number(exp));
            }
            Kind::Call { args, .. } => {
                self.calls = true;
                args.iter().for_each(|exp| self.number(exp));
            }
            Kind::Check(check) => check.operands.iter().for_each(|exp| self.number(exp)),
            Kind::Barrier(_) | Kind::Par(_) => {}
        }
    }

    /// All of a value is looked at.
    fn number(&mut self, exp: &Exp) {
        match exp {
            Exp::Var(var) => self.looks.of_mut(*var).numbers += 1,
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
            Exp::Block(sc, parts) => {
                self.all_signed &= *sc == Sc::I32;
                parts.iter().for_each(|part| self.number(part));
            }
            Exp::Bin(BinOp::Shl | BinOp::Shr, ab) if self.types.sc(&ab[1]) == Some(Sc::I32) => {
                self.number(&ab[0]);
                self.bits(&ab[1]);
            }
            Exp::Bin(_, parts) | Exp::At(parts) => {
                parts.iter().for_each(|part| self.number(part));
            }
            Exp::Select(parts) => parts.iter().for_each(|part| self.number(part)),
            Exp::Make(made) => made.1.iter().for_each(|part| self.number(part)),
        }
    }

    fn bits(&mut self, exp: &Exp) {
        match exp {
            Exp::Var(var) => self.looks.of_mut(*var).bits += 1,
            Exp::Bin(op, ab) if wraps(*op, ab) => ab.iter().for_each(|part| self.bits(part)),
            other => self.number(other),
        }
    }

    /// How many conversions it takes to write an i32 as the u32 of its bits, and as what it is, as far as its
    /// names are not looked at.
    fn conversions(&self, exp: &Exp) -> (u32, u32) {
        match exp {
            Exp::Lit(_) | Exp::Var(_) => (0, 0),
            Exp::Cast(Sc::I32, word) | Exp::Bitcast(Sc::I32, word)
                if self.types.sc(word) == Some(Sc::U32) =>
            {
                (0, 1)
            }
            Exp::Bin(op, ab) if wraps(*op, ab) => {
                let [a, b] = [&ab[0], &ab[1]].map(|part| self.conversions(part));
                (a.0 + b.0, a.1 + b.1)
            }
            _ => (1, 0),
        }
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
