//! Changing what stands in a program, wherever it stands.

use super::parts::{ExpPartMut, PartsMut, Statement, StmPartMut};
use super::syntax::{Exp, Place, Program, Stm, Ty};
use crate::kit::names::Var;

/// What is changed on the way over everything that a program is made of, in the order of its text. The
/// walk goes on with what was put where it is visited.
pub trait Visitor {
    /// An expression, before its parts. Are its parts visited too?
    fn exp(&mut self, _: &mut Exp) -> bool {
        true
    }

    /// A place, before its parts. Are its parts visited too?
    fn place(&mut self, _: &mut Place) -> bool {
        true
    }

    /// A variable where it is used: in an expression, as a place, or assigned to by the host.
    fn uses(&mut self, _: &mut Var) {}

    /// A variable where it is bound.
    fn binds(&mut self, _: &mut Var) {}

    /// A type that is written down, before its parts.
    fn ty(&mut self, _: &mut Ty) {}
}

/// Visits a program.
pub fn program(program: &mut Program, to: &mut impl Visitor) {
    program.parts_mut(&mut |part| in_part(part, to));
}

/// Visits statements and those in them.
pub fn block<K: Statement>(body: &mut [Stm<K>], to: &mut impl Visitor) {
    body.iter_mut().for_each(|stm| kind(&mut stm.kind, to));
}

/// Visits a statement and those in it.
pub fn kind<K: Statement>(stm: &mut K, to: &mut impl Visitor) {
    stm.parts_mut(&mut |part| in_part(part, to));
}

fn in_part<K: Statement>(part: StmPartMut<'_, K>, to: &mut impl Visitor) -> bool {
    match part {
        StmPartMut::Exp(e) => exp(e, to),
        StmPartMut::Place(at) => place(at, to),
        StmPartMut::Uses(var) => to.uses(var),
        StmPartMut::Binds(var) => to.binds(var),
        StmPartMut::Ty(of) => ty(of, to),
        StmPartMut::Block(inner) => block(inner, to),
        StmPartMut::Body(inner) => block(inner, to),
    }
    false
}

/// Visits an expression and what is inside.
pub fn exp(e: &mut Exp, to: &mut impl Visitor) {
    if to.exp(e) {
        e.parts_mut(&mut |part| in_exp(part, to));
    }
}

/// Visits a place and what is inside.
pub fn place(at: &mut Place, to: &mut impl Visitor) {
    if to.place(at) {
        at.parts_mut(&mut |part| in_exp(part, to));
    }
}

fn in_exp(part: ExpPartMut<'_>, to: &mut impl Visitor) -> bool {
    match part {
        ExpPartMut::Exp(e) => exp(e, to),
        ExpPartMut::Place(at) => place(at, to),
        ExpPartMut::Uses(var) => to.uses(var),
        ExpPartMut::Ty(of) => ty(of, to),
    }
    false
}

/// Visits a type and the types that it is made of.
pub fn ty(of: &mut Ty, to: &mut impl Visitor) {
    to.ty(of);
    match of {
        Ty::Array(part, _) | Ty::Ptr(_, part) => ty(part, to),
        Ty::Scalar(_) | Ty::Vector(..) | Ty::Struct(_) | Ty::Block(_) | Ty::Atomic(_) => {}
    }
}

/// Changes the statements of a body, each before those in what was put in its place.
pub fn stms<K: Statement>(body: &mut [Stm<K>], change: &mut impl FnMut(&mut Stm<K>)) {
    for stm in body {
        change(stm);
        stm.kind.blocks_mut().into_iter().for_each(|inner| stms(inner, change));
    }
}

/// Changes an expression and every expression in it, inner ones first.
#[inline]
pub fn change_exp(e: &mut Exp, change: &mut impl FnMut(&mut Exp)) {
    if !e.is_leaf() {
        change_parts(e, change);
    }
    change(e);
}

fn change_parts(e: &mut Exp, change: &mut impl FnMut(&mut Exp)) {
    e.parts_mut(&mut |part| change_in_exp(part, change));
}

/// Changes every expression in a place, inner ones first.
pub fn change_place(at: &mut Place, change: &mut impl FnMut(&mut Exp)) {
    at.parts_mut(&mut |part| change_in_exp(part, change));
}

#[inline]
fn change_in_exp(part: ExpPartMut<'_>, change: &mut impl FnMut(&mut Exp)) -> bool {
    match part {
        ExpPartMut::Exp(e) => change_exp(e, change),
        ExpPartMut::Place(at) => change_place(at, change),
        ExpPartMut::Uses(_) | ExpPartMut::Ty(_) => {}
    }
    false
}

/// Changes every expression of statements and of those in them, inner ones first.
pub fn change_block<K: Statement>(body: &mut [Stm<K>], change: &mut impl FnMut(&mut Exp)) {
    for stm in body {
        stm.kind.parts_mut(&mut |part| {
            match part {
                StmPartMut::Block(inner) => change_block(inner, change),
                StmPartMut::Body(inner) => change_block(inner, change),
                other => return change_own_part(other, change),
            }
            false
        });
    }
}

/// Changes the expressions of a statement that are evaluated before any statement in it, inner ones first.
pub fn change_own<K: PartsMut>(stm: &mut K, change: &mut impl FnMut(&mut Exp)) {
    stm.parts_mut(&mut |part| change_own_part(part, change));
}

/// Changes the expressions of a part. Is it a block?
#[inline]
fn change_own_part<K>(part: StmPartMut<'_, K>, change: &mut impl FnMut(&mut Exp)) -> bool {
    match part {
        StmPartMut::Exp(e) => change_exp(e, change),
        StmPartMut::Place(at) => change_place(at, change),
        StmPartMut::Block(_) | StmPartMut::Body(_) => return true,
        StmPartMut::Uses(_) | StmPartMut::Binds(_) | StmPartMut::Ty(_) => {}
    }
    false
}
