//! Makes an instance smaller: its bytes fewer and less, for the least byte draws the simplest.

use super::sides::{Refuted, Sides};
use super::{Met, met, twin};
use crate::generate::axes::instance;
use arbitrary::Unstructured;
use reference::axes::laws::Law;
use reference::axes::syntax::Head;
use std::collections::BTreeSet;

/// Trials.
const TRIALS: usize = 600;

/// A smaller instance that refutes a law.
pub(super) fn law(law: &Law, bytes: Vec<u8>, sides: &mut Sides) -> Option<Refuted> {
    let small = shrink(bytes, |bytes| match met(law, bytes, sides) {
        Met::Differs(refuted) => Some(refuted),
        Met::Nothing | Met::Holds | Met::Unguarded(_) => None,
    });
    small.map(without_unused)
}

/// A smaller instance that refutes a twin and says as much.
pub(super) fn twin(law: &Law, bytes: Vec<u8>, rank: u8, sides: &mut Sides) -> Option<Refuted> {
    let small = shrink(bytes, |bytes| {
        let instance = instance(law, &mut Unstructured::new(bytes))?;
        let refuted = twin::refuted(law, &instance, sides)?;
        (twin::rank_of(&refuted) >= rank).then_some(refuted)
    });
    small.map(without_unused)
}

/// Without the parameters that neither side mentions.
fn without_unused(mut refuted: Refuted) -> Refuted {
    let mut used = BTreeSet::new();
    for program in [&refuted.left, &refuted.right] {
        program.term.walk(&mut |term| {
            if let Head::Scalar(name) | Head::Array(name) = &term.head {
                used.insert(name.clone());
            }
        });
    }
    let kept: Vec<bool> =
        refuted.left.params.iter().map(|param| used.contains(&param.name)).collect();
    let mut nth = kept.iter();
    refuted.input.retain(|_| nth.next() == Some(&true));
    for program in [&mut refuted.left, &mut refuted.right] {
        program.params.retain(|param| used.contains(&param.name));
    }
    refuted
}

/// How large an instance is.
fn weight(refuted: &Refuted) -> (usize, usize) {
    let text = reference::axes::print::program(&refuted.left);
    (refuted.left.term.nodes() + 2 * refuted.left.params.len(), text.len())
}

/// The smallest found: of bytes without some, then with smaller ones.
fn shrink(mut bytes: Vec<u8>, mut test: impl FnMut(&[u8]) -> Option<Refuted>) -> Option<Refuted> {
    let mut best = test(&bytes)?;
    let mut trials = 0;
    let mut changed = true;
    while changed && trials < TRIALS {
        changed = false;
        let mut chunk = bytes.len().max(1);
        while chunk > 0 && trials < TRIALS {
            let mut at = 0;
            while at < bytes.len() && trials < TRIALS {
                let end = (at + chunk).min(bytes.len());
                let mut without = bytes.clone();
                without.drain(at..end);
                let mut zeroed = bytes.clone();
                zeroed[at..end].fill(0);
                let mut halved = bytes.clone();
                halved[at..end].iter_mut().for_each(|byte| *byte /= 2);
                let mut taken = false;
                for trial in [without, zeroed, halved] {
                    if trial == bytes {
                        continue;
                    }
                    trials += 1;
                    let Some(refuted) = test(&trial) else { continue };
                    if weight(&refuted) > weight(&best) {
                        continue;
                    }
                    changed |= weight(&refuted) < weight(&best) || trial.len() < bytes.len();
                    (bytes, best, taken) = (trial, refuted, true);
                    break;
                }
                at = if taken { at } else { end };
            }
            chunk /= 2;
        }
    }
    Some(best)
}
