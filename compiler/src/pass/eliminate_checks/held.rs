//! What variables of the function space hold on the way through a kernel: arrays come out of branches
//! and loops as variables, for their block, offset and strides.
//!
//! Only variables that a kernel changes by their names alone are followed. Work-group variables are not,
//! since other invocations change them, nor are private ones, since functions do.
//!
//! Behind a branch a variable holds what it does at the end of one side or of the other. In a loop it
//! holds what it did before the loop, or what a round leaves. Rounds are tried until what is known no longer
//! changes. What still changes in round [`TRIED`] becomes unknown.

use super::intervals::{Interval, Intervals, Name, either};
use crate::pass::slots::Slots;
use reference::device::syntax::{Block, Exp, I32, Kind, Place, Stm, Ty, U32};
use reference::device::visit::{self, any_stm};
use reference::kit::names::Var;
use rustc_hash::FxHashSet;

/// The number of the trial round after which whatever still changes becomes unknown.
pub(super) const TRIED: usize = 3;

/// The depth of nested trial rounds at which a loop is not tried: nothing is known of what it stores.
pub(super) const NESTED: u32 = 2;

/// How many statements, and names that loops store to, all trial rounds of a body go through at most. Loops behind that
/// are not tried either: rounds in rounds of deeply nested loops would be as many as the third power of the depth.
pub(super) const TRIES: usize = 1 << 18;

/// The variables of the function space to which nothing points.
pub(super) fn followed(body: &Block) -> Slots<bool> {
    let mut followed = Slots::default();
    let mut any = false;
    any_stm(body, &mut |kind| {
        if let Kind::Var(var, ..) = kind {
            *followed.of_mut(*var) = true;
            any = true;
        }
        false
    });
    if any {
        visit::block(body, &mut |exp| {
            if let Exp::Ref(place) = exp
                && let Some(var) = root(place)
            {
                *followed.of_mut(var) = false;
            }
        });
    }
    followed
}

/// The variable that a place is a part of.
pub(super) fn root(place: &Place) -> Option<Var> {
    match place {
        Place::Var(var) => Some(*var),
        Place::At(inner, _) | Place::Field(inner, _) => root(inner),
        Place::Deref(_) | Place::Element(..) => None,
    }
}

/// The names by which something may be known of a variable of this type.
fn names_of(ty: &Ty) -> &'static [fn(Var) -> Name] {
    match *ty {
        I32 | U32 => &[Name::Held],
        Ty::Block(_) => &[Name::HeldLength, Name::HeldBase],
        _ => &[],
    }
}

impl Intervals<'_> {
    /// A variable holds the value of `exp` from now on, or zero. With `tested` that is known of
    /// invocations only that are not poisoned.
    pub(super) fn store(&mut self, var: Var, exp: Option<&Exp>, tested: bool) {
        let zero = Some(Interval::certain((0, 0)));
        let mark = |interval: Option<Interval>| {
            interval.map(|interval| Interval { tested: tested || interval.tested, ..interval })
        };
        match *self.ty(var) {
            I32 | U32 => {
                let number = exp.map_or(zero, |exp| self.int(exp));
                self.hold(Name::Held(var), mark(number));
            }
            Ty::Block(_) => {
                let [length, base] = exp.map_or([zero, zero], |exp| self.block(exp));
                self.hold(Name::HeldLength(var), mark(length));
                self.hold(Name::HeldBase(var), mark(base));
            }
            _ => {}
        }
    }

    /// By which names something may be known of the variables among `followed` that these statements
    /// store to.
    pub(super) fn stored(&self, bodies: &[&[Stm<Kind>]], followed: &Slots<bool>) -> Vec<Name> {
        let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
        let mut note = |kind: &Kind| {
            if let Kind::Store(Place::Var(var), _) = kind
                && followed.of(*var)
                && seen.insert(*var)
            {
                found.extend(names_of(self.ty(*var)).iter().map(|name| name(*var)));
            }
            false
        };
        for body in bodies {
            any_stm(body, &mut note);
        }
        found
    }

    /// What is known by these names.
    pub(super) fn all(&self, names: &[Name]) -> Vec<Option<Interval>> {
        names.iter().map(|name| self.known(*name)).collect()
    }

    /// This is known by these names from now on.
    pub(super) fn hold_all(&mut self, names: &[Name], known: &[Option<Interval>]) {
        for (name, interval) in names.iter().zip(known) {
            self.hold(*name, *interval);
        }
    }
}

/// Joins what is known at the ends of two ways, name by name.
pub(super) fn each(a: &[Option<Interval>], b: &[Option<Interval>]) -> Vec<Option<Interval>> {
    a.iter().zip(b).map(|(a, b)| either(*a, *b)).collect()
}
