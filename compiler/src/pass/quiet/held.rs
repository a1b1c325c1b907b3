//! What variables of the function space hold on the way through a kernel that is proved bare: arrays
//! come out of branches and loops as variables, for their block, offset and strides.
//!
//! Behind a branch a variable holds what it does on one side or the other. In a loop it holds what it did
//! before, or what a round leaves: rounds are tried until that says nothing new, or else nothing is
//! known. Who stores through pointers has none of this.

use super::intervals::{Interval, Intervals, Name, either};
use crate::pass::walk::any_stm;
use reference::device::syntax::{Exp, I32, Kind, Place, Stm, Ty, U32};
use reference::kit::names::Var;

/// Rounds of a loop that are tried, after which what is still new is given up.
pub(super) const TRIED: usize = 3;

/// Loops around a loop whose rounds are tried.
pub(super) const NESTED: u32 = 2;

/// May the statement itself change a variable otherwise than by its name?
pub(super) fn goes_by_pointer(stm: &Kind) -> bool {
    fn leads(place: &Place) -> bool {
        match place {
            Place::Var(_) | Place::Element(..) => false,
            Place::Deref(_) => true,
            Place::At(inner, _) | Place::Field(inner, _) => leads(inner),
        }
    }
    match stm {
        Kind::Store(place, _) | Kind::Atomic { place, .. } => leads(place),
        Kind::Call { .. } => true,
        _ => false,
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
    /// A variable of this type holds the value of `exp` from now on, or zero.
    pub(super) fn store(&mut self, var: Var, ty: &Ty, exp: Option<&Exp>) {
        let zero = Some(Interval::plain((0, 0)));
        match *ty {
            I32 | U32 => self.hold(Name::Held(var), exp.map_or(zero, |exp| self.int(exp))),
            Ty::Block(_) => {
                let [length, base] = exp.map_or([zero, zero], |exp| self.block(exp));
                self.hold(Name::HeldLength(var), length);
                self.hold(Name::HeldBase(var), base);
            }
            _ => {}
        }
    }

    /// By which names something may be known of the variables that these statements store to.
    pub(super) fn stored(&self, bodies: &[&[Stm<Kind>]]) -> Vec<Name> {
        let mut found = Vec::new();
        let mut note = |kind: &Kind| {
            if let Kind::Store(Place::Var(var), _) = kind {
                for name in names_of(self.ty(*var)) {
                    let name = name(*var);
                    if !found.contains(&name) {
                        found.push(name);
                    }
                }
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

/// What is known on one way or another.
pub(super) fn each(a: &[Option<Interval>], b: &[Option<Interval>]) -> Vec<Option<Interval>> {
    a.iter().zip(b).map(|(a, b)| either(*a, *b)).collect()
}
