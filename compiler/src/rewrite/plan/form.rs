//! Which language the plan of a term is in.

use super::{NoPlan, device};
use reference::axes::levels;
use reference::axes::syntax::Program;
use reference::device::Device;
use reference::imp::Imp;
use reference::languages::{Artifact, Listed};

/// A plan.
#[derive(Clone, Debug)]
pub enum Plan {
    /// Threads that know nothing of each other.
    Imp(reference::imp::syntax::Program),
    /// Work groups.
    Device(reference::device::syntax::Program),
}

impl Plan {
    /// The plan of a term: in the device language if something in it is for work groups, else in IMP.
    ///
    /// # Errors
    /// As [`super::plan`] and [`device::plan`].
    pub fn of(program: &Program) -> Result<Plan, NoPlan> {
        match levels::has_groups(program) {
            true => device::plan(program).map(Plan::Device),
            false => super::plan(program).map(Plan::Imp),
        }
    }

    /// The plan as a program of its language.
    pub fn artifact(self) -> Artifact {
        match self {
            Plan::Imp(plan) => Imp::artifact(plan),
            Plan::Device(plan) => Device::artifact(plan),
        }
    }
}
