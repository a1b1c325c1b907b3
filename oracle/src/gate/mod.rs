//! The gate of the laws: instances of each, both sides run as the FUN programs that they mean. A
//! law enters if both sides of each instance give equal values, or both get stuck. A law with a
//! guard has a twin, the law without it, which some instance refutes: so the guard is needed. That
//! instance is made smaller by making its bytes fewer and less.

pub mod lambda_g;
mod sides;
mod smaller;
mod twin;

pub use sides::{Difference, Refuted, difference};
pub use twin::Twin;

use crate::generate::axes::{Instance, instance};
use crate::generate::{bytes_of, digest};
use arbitrary::Unstructured;
use reference::axes::apply;
use reference::axes::laws::Law;
use reference::axes::types;
use sides::Sides;

/// How much is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    /// Instances of each law whose sides are run.
    pub instances: u64,
    /// What seeds them.
    pub seed: u64,
    /// Are instances looked for that refute twins?
    pub twins: bool,
}

/// What the gate says of a law.
#[derive(Clone, Debug)]
pub struct Passed {
    /// Instances whose sides are equal.
    pub held: u64,
    /// Programs that were drawn for them.
    pub drawn: u64,
    /// An instance whose sides differ: the law is wrong.
    pub refuted: Option<Refuted>,
    /// The instance that refutes the twin of a law with a guard, made smaller.
    pub twin: Option<Refuted>,
}

/// The bytes of a program.
const BYTES: usize = 320;

/// Programs that are drawn for an instance, and for a twin at least, before the gate gives up.
const DRAWN: u64 = 60;
const DRAWN_AT_LEAST: u64 = 20_000;

impl Gate {
    /// Draws instances of a law. The same seed draws the same ones.
    pub fn judge(&self, law: &Law) -> Passed {
        let mut sides = Sides::default();
        let mut passed = Passed { held: 0, drawn: 0, refuted: None, twin: None };
        let mut twin = Twin::new(law);
        let wants_twin = |twin: &Twin<'_>| self.twins && twin.is_wanted();
        let most = (self.instances * DRAWN).max(DRAWN_AT_LEAST);
        while passed.drawn < most && (passed.held < self.instances || wants_twin(&twin)) {
            let bytes = self.bytes(law, passed.drawn);
            passed.drawn += 1;
            match met(law, &bytes, &mut sides) {
                Met::Holds if passed.held < self.instances => passed.held += 1,
                Met::Holds | Met::Nothing => {}
                Met::Differs(_) => {
                    passed.refuted = smaller::law(law, bytes, &mut sides);
                    return passed;
                }
                Met::Unguarded(_) if !self.twins => {}
                Met::Unguarded(instance) => twin.look(&instance, &bytes, &mut sides),
            }
        }
        passed.twin = twin.smaller(&mut sides);
        passed
    }

    fn bytes(&self, law: &Law, nth: u64) -> Vec<u8> {
        bytes_of(self.seed ^ digest(law.name), nth, 2, BYTES)
    }
}

impl Passed {
    /// Did the law pass: instances held, none differed, and its twin is refuted if it has a guard?
    pub fn is_right(&self, law: &Law, instances: u64) -> bool {
        self.held >= instances
            && self.refuted.is_none()
            && (law.guard.is_empty() || self.twin.is_some())
    }
}

/// What became of a drawn program.
enum Met {
    /// The law does not apply, or no answer came.
    Nothing,
    /// Both sides are equal.
    Holds,
    /// They are not.
    Differs(Refuted),
    /// The guard does not hold.
    Unguarded(Instance),
}

fn met(law: &Law, bytes: &[u8], sides: &mut Sides) -> Met {
    let Some(instance) = instance(law, &mut Unstructured::new(bytes)) else { return Met::Nothing };
    let Some(left) = instance.program.term.at_position(&instance.position) else {
        return Met::Nothing;
    };
    let Ok(mut scope) = types::check(&instance.program) else { return Met::Nothing };
    let rights = apply::rights(law, instance.parameter, left, &mut scope);
    if rights.is_empty() {
        return Met::Unguarded(instance);
    }
    let mut met = Met::Nothing;
    for right in rights {
        match sides.differ(&instance, right) {
            Some(Some(refuted)) => return Met::Differs(refuted),
            Some(None) => met = Met::Holds,
            None => return Met::Nothing,
        }
    }
    met
}
