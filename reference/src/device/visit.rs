//! Looking at what stands in a body: each statement before those in it, each expression before its
//! parts, those inside of places too.

use super::parts::{ExpPart, Statement, StmPart};
use super::syntax::{Block, Exp, Kind, Place, Program, Stm};

/// Visits the expressions of a program.
pub fn program<'p>(program: &'p Program, visit: &mut impl FnMut(&'p Exp)) {
    program.parts(&mut |part| in_part(part, visit));
}

/// Visits the expressions of a body.
pub fn block<'p, K: Statement>(body: &'p [Stm<K>], visit: &mut impl FnMut(&'p Exp)) {
    for stm in body {
        kind(&stm.kind, visit);
    }
}

/// Visits the expressions of a statement, and of those in it.
pub fn kind<'p, K: Statement>(stm: &'p K, visit: &mut impl FnMut(&'p Exp)) {
    stm.parts(&mut |part| in_part(part, visit));
}

fn in_part<'p, K: Statement>(part: StmPart<'p, K>, visit: &mut impl FnMut(&'p Exp)) -> bool {
    match part {
        StmPart::Exp(e) => exp(e, visit),
        StmPart::Place(at) => place(at, visit),
        StmPart::Block(inner) => block(inner, visit),
        StmPart::Body(inner) => block(inner, visit),
        StmPart::Uses(_) | StmPart::Binds(_) | StmPart::Ty(_) => {}
    }
    false
}

/// Visits an expression and what is inside.
#[inline]
pub fn exp<'p>(e: &'p Exp, visit: &mut impl FnMut(&'p Exp)) {
    any_exp(e, &mut |e| {
        visit(e);
        false
    });
}

/// Visits the expressions inside of a place.
pub fn place<'p>(at: &'p Place, visit: &mut impl FnMut(&'p Exp)) {
    any_in_place(at, &mut |e| {
        visit(e);
        false
    });
}

/// Is the expression, or one in it or in its places, one that `is` asked for?
#[inline]
pub fn any_exp<'p>(e: &'p Exp, is: &mut impl FnMut(&'p Exp) -> bool) -> bool {
    is(e) || !e.is_leaf() && any_part(e, is)
}

fn any_part<'p>(e: &'p Exp, is: &mut impl FnMut(&'p Exp) -> bool) -> bool {
    e.parts(&mut |part| in_exp(part, is))
}

/// Is an expression inside of a place one that `is` asked for?
pub fn any_in_place<'p>(at: &'p Place, is: &mut impl FnMut(&'p Exp) -> bool) -> bool {
    at.parts(&mut |part| in_exp(part, is))
}

#[inline]
fn in_exp<'p>(part: ExpPart<'p>, is: &mut impl FnMut(&'p Exp) -> bool) -> bool {
    match part {
        ExpPart::Exp(e) => any_exp(e, is),
        ExpPart::Place(at) => any_in_place(at, is),
        ExpPart::Uses(_) | ExpPart::Ty(_) => false,
    }
}

/// Visits the statements of a body and those in them.
pub fn stms<'p, K: Statement>(body: &'p [Stm<K>], visit: &mut impl FnMut(&'p Stm<K>)) {
    for stm in body {
        visit(stm);
        stm.kind.parts(&mut |part| {
            part.block().into_iter().for_each(|inner| stms(inner, visit));
            false
        });
    }
}

/// Does `body` hold a statement that `is` asked for, at any depth?
pub fn any_stm<'p, K: Statement>(body: &'p [Stm<K>], is: &mut impl FnMut(&'p K) -> bool) -> bool {
    body.iter().any(|stm| {
        is(&stm.kind)
            || stm.kind.parts(&mut |part| part.block().is_some_and(|inner| any_stm(inner, is)))
    })
}

/// Does a barrier stand in `body`?
pub fn has_barrier(body: &Block) -> bool {
    any_stm(body, &mut |kind| matches!(kind, Kind::Barrier(_) | Kind::UniformLoad { .. }))
}
