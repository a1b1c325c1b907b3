//! What the host knows of a launch before it launches.

use super::intervals::{Interval, Name};
use crate::pass::types::words;
use reference::device::syntax::{Builtin, Kernel, Sc, Ty};

/// What the host knows of a launch: a kernel of which checks are eliminated by these serves launches of
/// equal facts. The default is a launch of which nothing is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts(pub(super) Vec<(Name, Interval)>);

impl Facts {
    /// Of a launch of `kernel` with so many invocations, of which so many are in a work group, and with these
    /// words of its arguments: the values of its integers of 32 bits, the lengths of its blocks, and which blocks
    /// exist. Addresses of blocks are left out.
    pub fn of(kernel: &Kernel, group: u32, invocations: u32, args: &[u32]) -> Self {
        let exactly = |k: i64| Interval::certain((k, k));
        // Of a block two things are known.
        let mut facts = Vec::with_capacity(3 + 2 * kernel.params.len());
        let groups = invocations.div_ceil(group);
        let ids = i64::from(groups) * i64::from(group);
        let mut below = |builtin, count: i64| {
            facts.push((Name::Builtin(builtin), Interval::certain((0, count.max(1) - 1))));
        };
        below(Builtin::GlobalId, ids.min(1 << 32));
        below(Builtin::GroupId, groups.into());
        facts.push((Name::Builtin(Builtin::Invocations), exactly(i64::from(invocations))));
        let mut at = 0;
        for (var, ty) in &kernel.params {
            match ty {
                Ty::Scalar(Sc::I32) => {
                    facts.push((Name::Var(*var), exactly(i64::from(args[at] as i32))));
                }
                Ty::Scalar(Sc::U32) => facts.push((Name::Var(*var), exactly(args[at].into()))),
                Ty::Block(_) => {
                    let least = i64::from(args[at] != 0);
                    let most = least * i64::from(u32::MAX);
                    facts.push((Name::Base(*var), Interval::certain((least, most))));
                    facts.push((Name::Length(*var), exactly(args[at + 1].into())));
                }
                _ => {}
            }
            at += words(ty);
        }
        Self(facts)
    }
}
