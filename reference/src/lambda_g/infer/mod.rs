//! Inference: a program that leaves out regions, effects, types and `letregion`s becomes one that has them.
//!
//! It is an elaboration without rules of its own: what it comes to is a program as any other, and the rules of
//! [`types`](super::types) judge it. What is written is left as it is.
//!
//! [`walk`] unifies the types of values that meet, with their regions and effects; [`place`] finds where regions are bound and
//! what functions do; [`fill`] writes both into the program, in which a [`hole`](super::hole) stands for what is left out.
//! [`erase`] is the way back. No function is polymorphic in a region unless it is written as an `rfn`.

mod arena;
pub mod erase;
mod fill;
mod place;
mod refusals;
mod walk;

use super::syntax::{Exp, Program};
use super::{types, visit};
use crate::kit::derivation::Recorder;
use crate::kit::text::{Rejected, Span};
use place::Failed;

/// The words of a region that is left out and that the device uses, where regions do not grow.
pub const DEVICE_WORDS: u32 = 4096;

/// The whole program for one that leaves something out.
///
/// # Errors
/// What cannot be found, or what the type rules say of what was found, with a place in the program as it was written.
pub fn whole(mut program: Program) -> Result<Program, Rejected> {
    let found = walk::walk(&program);
    let body = program.body.span;
    if found.arena.deep {
        return Err(refusals::too_large(body));
    }
    let places = place::solve(found).map_err(|failed| match failed {
        Failed::Cyclic(number) => refusals::within_itself(span(&program.body, number)),
        Failed::Turns => refusals::too_many_turns(body),
    })?;
    let made = fill::fill(&mut program, &places)?;
    program.inferred = true;
    match types::check(&program, &mut Recorder::counting()) {
        Ok(_) => Ok(program),
        Err(refused) => {
            let apart = places.found.arena.apart;
            Err(refusals::of_checker(&program.names, refused, apart, &made))
        }
    }
}

/// The place of an expression by its number.
fn span(body: &Exp, number: u32) -> Span {
    fn find(e: &Exp, next: &mut u32, number: u32) -> Option<Span> {
        *next += 1;
        if *next == number {
            return Some(e.span);
        }
        visit::parts(e).into_iter().find_map(|part| find(part, next, number))
    }
    find(body, &mut 0, number).unwrap_or(body.span)
}
