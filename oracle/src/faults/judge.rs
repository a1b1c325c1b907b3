//! Shaders judged wrong: what the executor does not see, or sees where nothing is. Shaders of `corpus/wgsl` show it.

use super::{Entry, JUDGE};
use crate::engine::StageId;
use reference::kit::faults::{Fault, WrongJudge};

const fn wrong(id: &'static str, cause: &'static str, wrong: WrongJudge) -> Entry {
    Entry {
        id,
        pass: StageId(JUDGE),
        reference: "none: a rule of the judge that is easily got wrong",
        cause,
        shown_by: &[JUDGE],
        language: None,
        fault: Fault::Judge(wrong),
    }
}

/// Faults of the judge.
pub(super) const FAULTS: &[Entry] = &[
    wrong("J1", "a barrier of one memory orders both", WrongJudge::BarrierOrdersBoth),
    wrong("J2", "a barrier orders no memory", WrongJudge::BarrierOrdersNothing),
    wrong(
        "J3",
        "the barriers of workgroupUniformLoad order nothing",
        WrongJudge::UniformLoadUnordered,
    ),
    wrong(
        "J4",
        "a barrier waits only for the invocations that come to it",
        WrongJudge::BarrierForSome,
    ),
    wrong("J5", "barriers order work groups too", WrongJudge::BarrierOrdersGroups),
    wrong(
        "J6",
        "a store of a component of a vector leaves the others alone",
        WrongJudge::ComponentAlone,
    ),
    wrong(
        "J7",
        "a store of a component touches the vector behind it too, as if the columns of a matrix were one vector",
        WrongJudge::ColumnsAreOne,
    ),
    wrong(
        "J8",
        "no invocation is left before it ends or waits at a barrier",
        WrongJudge::NoSwitching,
    ),
    wrong("J9", "a float that is rounded is taken for exact", WrongJudge::OpenIsExact),
    wrong(
        "J10",
        "a float that is open is taken for exact once it has been in a buffer",
        WrongJudge::ExactInMemory,
    ),
    wrong(
        "J11",
        "the value that a select chooses is taken for defined and exact",
        WrongJudge::SelectCleans,
    ),
    wrong(
        "J12",
        "a bad read that is thrown away is told as if something hung on it",
        WrongJudge::ReadsEndRuns,
    ),
    wrong("J13", "writes outside of memory are dropped", WrongJudge::WritesDropped),
    wrong("J14", "memory that nobody wrote is taken for zero", WrongJudge::UnwrittenIsZero),
    wrong(
        "J15",
        "an atomic operation orders what comes behind it, as a barrier does",
        WrongJudge::AtomicsOrder,
    ),
    wrong("J16", "atomic operations have no races with other accesses", WrongJudge::AtomicsUnseen),
    wrong("J17", "a state that comes again is not told", WrongJudge::RepeatsUnseen),
    wrong(
        "J18",
        "a state is taken for one that comes again although other invocations may change what is read",
        WrongJudge::OthersForgotten,
    ),
    wrong("J19", "writes of equal values are taken for no race", WrongJudge::EqualIsNoRace),
    wrong(
        "J20",
        "a value of WGSL where the SPIR-V has none is not told",
        WrongJudge::TranslatorUnseen,
    ),
    wrong(
        "J21",
        "subgroups have 32 invocations, whatever is asked for",
        WrongJudge::SubgroupsFixed,
    ),
    wrong(
        "J22",
        "a lane that takes no part gives the value of the one that asks",
        WrongJudge::InactiveLaneGives,
    ),
    wrong("J23", "infinities that come of finite numbers are not told", WrongJudge::InfinityUnseen),
    wrong("J24", "infinities are the same on every device", WrongJudge::InfinityIsExact),
    wrong("J25", "no order lets invocations starve", WrongJudge::NobodyStarves),
    wrong("J26", "no more than eight work groups are under way", WrongJudge::EightGroups),
];
