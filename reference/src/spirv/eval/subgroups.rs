//! Subgroup operations: all invocations of a subgroup that have reached the same one execute it together.

use super::rounding::NOT_FINITE;
use super::{Invocation, Running, State};
use crate::kit::faults::WrongJudge;
use crate::spirv::syntax::{At, Op, Scan, Subgroup, SubgroupKind};
use crate::spirv::values::{Remark, Slot};

impl Running<'_> {
    /// In each subgroup, executes one operation for the invocations that have reached it. If they have reached
    /// several, it is the first one in the module, under the same calls: the others come after it. True if
    /// there was any.
    pub(super) fn subgroups(&mut self, invocations: &mut [Invocation]) -> bool {
        let mut any = false;
        for (number, lanes) in (0..).zip(invocations.chunks_mut(self.subgroup as usize)) {
            let places: Vec<Option<Vec<usize>>> =
                lanes.iter().map(|lane| self.stands(lane)).collect();
            let Some(place) = places.iter().flatten().min() else { continue };
            any = true;
            let stand = |n: &usize| places[*n].as_ref() == Some(place);
            let active: Vec<usize> = (0..lanes.len()).filter(stand).collect();
            let first = self.first.wrapping_add(number * self.subgroup);
            self.invocation = first.wrapping_add(active[0] as u32);
            self.operate(lanes, &active, *place.last().unwrap_or(&0));
            active.iter().for_each(|n| lanes[*n].state = State::Ready);
        }
        any
    }

    /// Where an invocation waits for others of its subgroup, if it does: its calls, and the operation.
    fn stands(&self, lane: &Invocation) -> Option<Vec<usize>> {
        let State::Waiting(at) = lane.state else { return None };
        let Op::Subgroup(_) = self.module.code[at] else { return None };
        Some(lane.calls.iter().map(|call| call.next).chain([at]).collect())
    }

    /// `OpGroupNonUniformShuffle` and `OpGroupNonUniformBroadcast`
    ///
    /// ```text
    /// the invocation that is asked is among those that do it  (active)
    /// ────────────────────────────────────────────────────────────────
    /// its value
    /// ```
    ///
    /// The others take no lane that may be missing, so they have no premise. An inactive lane has no
    /// part in any of them.
    fn operate(&mut self, lanes: &mut [Invocation], active: &[usize], at: usize) {
        let Op::Subgroup(number) = self.module.code[at] else { return };
        let Subgroup { kind, to, value, lane, count } = self.module.subgroups[number as usize];
        let slot = |n: usize, at: At| lanes[n].registers[lanes[n].frame + at as usize];
        let origin = |at: At| active.iter().map(|n| slot(*n, at).origin).max().unwrap_or(0);
        let (mut missing, mut overflows) = (None, false);
        let mut results: Vec<(usize, At, Slot)> = Vec::new();
        let same = |result: Slot| active.iter().map(move |n| (*n, to, result));
        match kind {
            SubgroupKind::Elect => results
                .extend(active.iter().map(|n| (*n, to, Slot::new(u64::from(*n == active[0]))))),
            SubgroupKind::All | SubgroupKind::Any => {
                let mut truths = active.iter().map(|n| slot(*n, value).bits != 0);
                let holds = match kind {
                    SubgroupKind::All => truths.all(|truth| truth),
                    _ => truths.any(|truth| truth),
                };
                results.extend(same(Slot { bits: holds.into(), origin: origin(value) }));
            }
            SubgroupKind::Ballot => {
                for word in 0..4 {
                    let of = active.iter().filter(|n| **n / 32 == word as usize);
                    let set = of.filter(|n| slot(**n, value).bits != 0);
                    let bits = set.fold(0, |bits, n| bits | 1 << (n % 32));
                    let result = Slot { bits, origin: origin(value) };
                    results.extend(active.iter().map(|n| (*n, to + word, result)));
                }
            }
            SubgroupKind::First => {
                for part in 0..count {
                    let result = slot(active[0], value + part);
                    results.extend(active.iter().map(|n| (*n, to + part, result)));
                }
            }
            SubgroupKind::From(source, rule) => {
                for n in active {
                    let asked = slot(*n, lane);
                    let from = source(*n as u32, asked.bits as u32) as usize;
                    let there = !asked.is_undefined() && active.contains(&from);
                    for part in 0..count {
                        let result = match there {
                            true => slot(from, value + part),
                            false if asked.is_undefined() => asked,
                            false if self.wrong(WrongJudge::InactiveLaneGives) => {
                                slot(*n, value + part)
                            }
                            false => Slot::undefined_at(at),
                        };
                        results.push((*n, to + part, result));
                    }
                    missing = missing.or((!there && !asked.is_undefined()).then_some(rule));
                }
            }
            SubgroupKind::Fold { f, identity, scan, float } => {
                let is_finite = |slot: Slot| float.is_none_or(|float| float(slot.bits).is_finite());
                for part in 0..count {
                    let mut sum = Slot::new(identity);
                    let mut finite = true;
                    for n in active {
                        let one = slot(*n, value + part);
                        let (before, were) = (sum, finite);
                        finite &= is_finite(one);
                        let bits = if *n == active[0] { one.bits } else { f(sum.bits, one.bits) };
                        sum = Slot { bits, origin: sum.origin.max(one.origin) };
                        if finite && !is_finite(sum) {
                            sum = Slot::open_at(bits, at, f64::INFINITY);
                        }
                        match scan {
                            Scan::Exclusive => results.push((*n, to + part, before)),
                            Scan::Inclusive => results.push((*n, to + part, sum)),
                            Scan::Reduce => {}
                        }
                        overflows |= match scan {
                            Scan::Exclusive => were && !is_finite(before),
                            _ => finite && !is_finite(sum),
                        };
                    }
                    if scan == Scan::Reduce {
                        results.extend(active.iter().map(|n| (*n, to + part, sum)));
                    }
                }
            }
        }
        for (n, at, result) in results {
            let place = lanes[n].frame + at as usize;
            lanes[n].registers[place] = result;
        }
        if overflows {
            self.note(Remark::NotFinite, at, 0, NOT_FINITE.to_owned());
        }
        if let Some(rule) = missing {
            self.undefined(at, rule, 1);
        }
    }
}
