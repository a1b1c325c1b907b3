//! What the executor does wrong where a fault is planted. Without the feature `faults` none can be, and the compiler takes
//! all of this out.

use super::Running;
use crate::kit::faults::{Fault, Planted, WrongJudge};
use crate::kit::groups::Access;
use crate::kit::schedule::Schedule;
use crate::spirv::syntax::Op;
use crate::spirv::values::{Launch, Remark};

/// Is it this fault?
#[inline]
fn is(planted: Planted, wrong: WrongJudge) -> bool {
    planted.is(Fault::Judge(wrong))
}

/// Is an invocation left where it could go on?
pub(super) fn preempts(launch: &Launch, schedule: &dyn Schedule) -> bool {
    schedule.preempts() && !is(launch.planted, WrongJudge::NoSwitching)
}

/// Invocations of a subgroup.
pub(super) fn subgroup(launch: &Launch) -> u32 {
    if is(launch.planted, WrongJudge::SubgroupsFixed) { 32 } else { launch.subgroup }
}

impl Running<'_> {
    /// Is this fault planted?
    #[inline]
    pub(super) fn wrong(&self, wrong: WrongJudge) -> bool {
        is(self.planted, wrong)
    }

    /// Does a barrier order the memory of the group, and buffers?
    pub(super) fn ordered(&self, at: usize, orders: (bool, bool)) -> (bool, bool) {
        if self.wrong(WrongJudge::BarrierOrdersBoth) {
            return (true, true);
        }
        let nothing = self.wrong(WrongJudge::BarrierOrdersNothing)
            || self.wrong(WrongJudge::UniformLoadUnordered) && self.is_of_uniform_load(at);
        if nothing { (false, false) } else { orders }
    }

    /// Does the barrier stand in one line with a load of the group's memory, as those of `workgroupUniformLoad` do?
    fn is_of_uniform_load(&self, at: usize) -> bool {
        let module = self.module;
        let loads = |other: usize| {
            matches!(module.code.get(other), Some(Op::LoadGroup { .. }))
                && module.sites[other].line == module.sites[at].line
        };
        loads(at + 1) || at > 0 && loads(at - 1)
    }

    /// Is such a remark not told?
    pub(super) fn is_blind_to(&self, remark: Remark) -> bool {
        match remark {
            Remark::Translator => self.wrong(WrongJudge::TranslatorUnseen),
            Remark::NotFinite => self.wrong(WrongJudge::InfinityUnseen),
            _ => false,
        }
    }

    /// Is such an access not looked at?
    #[inline]
    pub(super) fn is_unseen(&self, access: Access) -> bool {
        matches!(access, Access::AtomicRead | Access::AtomicWrite)
            && self.wrong(WrongJudge::AtomicsUnseen)
    }

    /// So many components of a vector does a store of one touch.
    pub(super) fn touched(&self, count: u32) -> u32 {
        if self.wrong(WrongJudge::ComponentAlone) {
            return 0;
        }
        if self.wrong(WrongJudge::ColumnsAreOne) { 2 * count } else { count }
    }

    /// An atomic operation took place.
    pub(super) fn behind_atomic(&mut self) {
        if self.wrong(WrongJudge::AtomicsOrder) {
            self.epochs = self.epochs.map(|epoch| epoch + 1);
        }
    }
}
