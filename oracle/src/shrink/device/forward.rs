//! What is stored or assigned, put where it is read.

use super::super::Shrinking;
use super::code::{Path, block_at, stm_at};
use super::measure::weight_of;
use super::placeholder::{forward, stored_to};
use reference::device::syntax::{Exp, Host, Kind, Place, Program};
use reference::device::types::Types;
use reference::device::visit_mut::{self, Visitor};
use reference::kit::names::Var;

/// Most values that are put where a variable is read.
const MOST_STORED: usize = 4;

/// What an expression weighs that is not written twice.
const LARGE: u64 = 60;

impl Shrinking<'_, Program> {
    /// Puts one of the values that are stored to a variable wherever it is read; `plain` is without
    /// the variable.
    pub(super) fn forward(&mut self, var: Var, plain: &Program) -> bool {
        let mut before = self.program.clone();
        let stored = stored_to(&mut before, &mut Types::of(&self.program), var);
        stored.into_iter().take(MOST_STORED).any(|stored| {
            let mut program = plain.clone();
            forward(&mut program, &mut Types::of(&self.program), var, &stored);
            self.attempt(program, self.input.clone())
        })
    }

    /// Puts what a single statement stores or assigns where it is read, up to the next such statement.
    pub(super) fn forward_stores(&mut self) {
        self.at_each::<Kind>(&mut |shrinking, path, at| {
            while shrinking.forward_store(path, at) {}
        });
        self.at_each::<Host>(&mut |shrinking, path, at| {
            while shrinking.forward_assignment(path, at) {}
        });
    }

    fn forward_assignment(&mut self, path: &Path, at: usize) -> bool {
        let (var, value) = match stm_at::<Host>(&self.program, path, at).map(|stm| &stm.kind) {
            Some(Host::Assign(pairs)) => match pairs.as_slice() {
                [(var, value)] if weight_of(value) <= LARGE => (*var, value.clone()),
                _ => return false,
            },
            _ => return false,
        };
        let mut program = self.program.clone();
        let Some(body) = block_at::<Host>(&mut program, path) else { return false };
        body.remove(at);
        let mut uses = Uses { var, value };
        for stm in &mut body[at..] {
            let assigns = |pairs: &[(Var, Exp)]| pairs.iter().any(|(other, _)| *other == var);
            let is_next = matches!(&stm.kind, Host::Assign(pairs) if assigns(pairs));
            visit_mut::kind(&mut stm.kind, &mut uses);
            if is_next {
                break;
            }
        }
        self.attempt(program, self.input.clone())
    }

    fn forward_store(&mut self, path: &Path, at: usize) -> bool {
        let (place, stored) = match stm_at::<Kind>(&self.program, path, at).map(|stm| &stm.kind) {
            Some(Kind::Store(place, stored)) if weight_of(stored) <= LARGE => (place, stored),
            _ => return false,
        };
        let mut reads = Reads { place: place.clone(), stored: stored.clone() };
        let mut program = self.program.clone();
        let Some(body) = block_at::<Kind>(&mut program, path) else { return false };
        body.remove(at);
        for stm in &mut body[at..] {
            let is_next = matches!(&stm.kind, Kind::Store(place, _) if *place == reads.place);
            visit_mut::kind(&mut stm.kind, &mut reads);
            if is_next {
                break;
            }
        }
        self.attempt(program, self.input.clone())
    }
}

/// Puts a value where a host variable is used.
struct Uses {
    var: Var,
    value: Exp,
}

impl Visitor for Uses {
    fn exp(&mut self, exp: &mut Exp) -> bool {
        let is = *exp == Exp::Var(self.var);
        if is {
            *exp = self.value.clone();
        }
        !is
    }
}

/// Puts what is stored where the place is read.
struct Reads {
    place: Place,
    stored: Exp,
}

impl Visitor for Reads {
    fn exp(&mut self, exp: &mut Exp) -> bool {
        let is = matches!(exp, Exp::Load(place) if **place == self.place);
        if is {
            *exp = self.stored.clone();
        }
        !is
    }
}
