//! The twin of a law with a guard: the law without it.

use super::sides::{Difference, Refuted, Sides};
use super::smaller;
use crate::generate::axes::Instance;
use reference::axes::apply;
use reference::axes::laws::Law;
use reference::axes::types;

/// Looks for an instance that refutes a twin.
pub struct Twin<'l> {
    law: &'l Law,
    /// The best so far, and its bytes.
    found: Option<(Refuted, Vec<u8>)>,
    /// Programs that were looked at since.
    since: u32,
}

/// How long a better instance is looked for.
const LONGER: u32 = 500;

/// How much an instance says: one that runs says more than one whose right side is no term.
fn rank(difference: &Difference) -> u8 {
    match difference {
        Difference::NoTerm(_) => 0,
        Difference::Ends(..) => 1,
    }
}

impl<'l> Twin<'l> {
    /// The twin of a law.
    pub fn new(law: &'l Law) -> Self {
        Twin { law, found: None, since: 0 }
    }

    /// Is a better instance looked for?
    pub(super) fn is_wanted(&self) -> bool {
        let best = self.found.as_ref().map(|(refuted, _)| rank(&refuted.difference));
        !self.law.guard.is_empty() && best < Some(1) && self.since < LONGER
    }

    /// Takes a program in which the law does not apply.
    pub(super) fn look(&mut self, instance: &Instance, bytes: &[u8], sides: &mut Sides) {
        if !self.is_wanted() {
            return;
        }
        let Some(refuted) = refuted(self.law, instance, sides) else { return };
        self.since += u32::from(self.found.is_some());
        let best = self.found.as_ref().map(|(refuted, _)| rank(&refuted.difference));
        if best < Some(rank(&refuted.difference)) {
            self.found = Some((refuted, bytes.to_vec()));
        }
    }

    /// The instance that refutes the twin, made smaller.
    pub(super) fn smaller(self, sides: &mut Sides) -> Option<Refuted> {
        let (refuted, bytes) = self.found?;
        let wanted = rank(&refuted.difference);
        smaller::twin(self.law, bytes, wanted, sides).or(Some(refuted))
    }
}

/// The instance with the right side of the twin, if its guard does not hold and the sides differ.
pub(super) fn refuted(law: &Law, instance: &Instance, sides: &mut Sides) -> Option<Refuted> {
    let left = instance.program.term.at_position(&instance.position)?;
    let mut scope = types::check(&instance.program).ok()?;
    if !apply::rights(law, instance.parameter, left, &mut scope).is_empty() {
        return None;
    }
    let rights = apply::unguarded(law, instance.parameter, left, &mut scope);
    rights.into_iter().find_map(|right| sides.differ(instance, right).flatten())
}

/// As [`rank`], of an instance.
pub(super) fn rank_of(refuted: &Refuted) -> u8 {
    rank(&refuted.difference)
}
