//! Planted faults: how the tester is tested. A fault reaches its own pass or rule as an
//! argument ([`Planted`]), never through a global; without the feature `faults` nothing can
//! carry one.

use serde::{Deserialize, Serialize};

/// The faults that can be planted. The list with their histories is the oracle's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Fault {
    /// Memory expansion leaves the thread's share out of the offset.
    X1,
    /// Insertion of memory swaps the strides of a transposed LMAD back.
    L3,
    /// Insertion of memory forgets the offset of the array that a slice is taken of.
    L1,
    /// The check of race-freedom ignores reads.
    R1,
    /// The translation to IMP assigns a loop's carried values one after the other.
    D2,
    /// The translation to IMP leaves out a kernel's results that are 0.
    U1,
    /// Lowering to the device language drops the bounds check of an index.
    B1,
    /// A check that fails in a function of a shader sets no flag of the launch.
    W1,
    /// A front of an e-graph keeps the cost of a class after a better term has come into it.
    Front,
    /// A law of rewriting is wrong in this way.
    Law(WrongLaw),
    /// FCL is typed or compiled wrong in this way.
    Fcl(WrongFcl),
    /// MiniAS is typed, translated or compiled wrong in this way.
    Minias(WrongMinias),
    /// λG is typed or run wrong in this way.
    LambdaG(WrongLambdaG),
    /// Shaders are judged wrong in this way.
    Judge(WrongJudge),
}

/// How a law over named axes can be wrong: most are a guard that is not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum WrongLaw {
    /// `split-red` where the tile does not divide the size.
    SplitRed,
    /// `split-build` where the tile does not divide the size.
    SplitBuild,
    /// `seq-split` whose tiles each begin with the start of the loop.
    SeqSplit,
    /// `red-const` of a reduction of no round.
    RedConst,
    /// `inline` of a body that may get stuck, or at indices that are outside.
    InlinePartial,
    /// `unit` with 0 as the identity of every operator.
    Unit,
    /// `factor` of what depends on the axis: a name leaves its binder.
    Factor,
    /// `halve-red` of an odd number of rounds.
    HalveRed,
    /// `peel-red` that does not move the index of the other rounds.
    PeelRed,
    /// `comm` of an operator that does not commute.
    Comm,
    /// `layout-2` that leaves the indices where they are.
    Layout,
}

/// How the types or the compiler of FCL can be wrong. The first nine are faults of the implementation of 2017.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum WrongFcl {
    /// A `while` below the grid writes over the array that it reads.
    GroupLoopInPlace,
    /// A `while` at the grid writes over the array that it reads.
    GridLoopInPlace,
    /// Arrays of a work group have room for 2,048 bytes, however long they are.
    GroupArraysCut,
    /// `(a / c) * d` becomes `a / (c / d)`.
    QuotientFolded,
    /// `/` and `%` by a power of two become a shift and a mask, of negative numbers too.
    SignedShift,
    /// `e / e` becomes 1.
    QuotientOfItself,
    /// `mapPush` over `interleave` puts elements where `concat` would.
    MapForgetsOrder,
    /// An array of a group with one element is the first invocation's alone.
    OneElementPrivate,
    /// What all invocations of a loop are steered by, where that is content of arrays, is passed on without a barrier.
    ConditionWithoutBarrier,
    /// No barrier orders accesses to arrays that are no longer than a warp.
    WarpWithoutBarrier,
    /// The arrays of all threads are at the same place.
    ThreadsShareArrays,
    /// An array that a loop reads in each round lives until the end of the round only.
    BackEdge,
    /// The last round of elements, if it is incomplete, is left out.
    IncompleteRound,
    /// The failure of the lowest invocation is told, not that of the lowest element.
    LowestInvocation,
    /// The lengths of the chunks of a `concat` are not tested.
    NoLengthTest,
    /// A `let` is generalised over the variables of its context too, as rule 25 is printed.
    GeneralisesContext,
    /// Levels are the same whatever `1 +` is before them.
    LevelsWithoutSuccessor,
    /// Warps that differ run without masks: each does what one of them does.
    WithoutMasks,
}

/// How the types, the translations by evidence or the compiler of MiniAS can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum WrongMinias {
    /// A row variable is bound to a row that it ends.
    NoOccurs,
    /// Rows with other names before one end are taken for the same.
    NoTail,
    /// What a variable lacks is forgotten where another one takes its place.
    PredicateLost,
    /// The row of a variable that is assigned to is opened, as that of its value is.
    WritesOpened,
    /// What stands behind a name may be constant.
    ConstantInRow,
    /// Each use of a local variable has a row of its own.
    LocalsGeneralised,
    /// The row of a variable ends with what it starts with.
    ClosedEarly,
    /// `e` and `e + 1` of fig. 9 have changed places.
    PlacesSwapped,
    /// A pointer of several spaces keeps its tag where its row is opened.
    NoRetag,
    /// A row table has its spaces in the order of their names turned round.
    TableUnsorted,
    /// A cast to a space does not test.
    CastUntested,
    /// A `dynamic_cast` to another space keeps the pointer.
    DynamicKeeps,
    /// The first case of the switch over spaces falls to the last.
    SwitchFalls,
    /// Arrays of private memory overlap.
    PrivateOverlaps,
    /// An array of local memory overlaps those of the parameters.
    LocalOverlaps,
    /// A barrier of local memory orders global memory.
    BarrierScope,
    /// All calls of a function are of one clone.
    OneClone,
}

/// How the types, the semantics or the compiler of λG can be wrong. Of the first fourteen most are what the paper says
/// literally, the others are of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum WrongLambdaG {
    /// A value leaves a word free behind it (fig. 3 as it is printed).
    SkipsWord,
    /// A region of the host grows by a word too few.
    GrowsTooLittle,
    /// The body of a function is evaluated in the environment of the application (fig. 5 as it is printed).
    DynamicScope,
    /// The closure of a `fix` does not know itself.
    FixForgetsItself,
    /// All branches of the host start from one configuration table (fig. 6 as it is printed).
    OneTable,
    /// No words are reserved for what the device makes (def. 4.3 as it is printed).
    NothingReserved,
    /// A merge loses the last value that the device made.
    MergeLoses,
    /// A merge brings the first two values of one size back in each other's place.
    MergeReorders,
    /// A region of the device grows where it is full.
    DeviceGrows,
    /// What a function does that an `on` applies is not looked at where regions are pushed.
    LatentNotPushed,
    /// Regions that outlive those of an effect are not pushed.
    OlderNotPushed,
    /// The type of a function has no effects.
    LatentForgotten,
    /// Of several threads that fail the last one is told.
    LastThread,
    /// The results of the threads of a `parmap` are turned round.
    ThreadsReversed,
    /// Only the first new word of a region is brought back from the device.
    MergesFirst,
    /// The environment of a closure is read from a word too far on.
    EnvironmentShifted,
    /// What waited on the stack is read again in reverse order.
    FrameReversed,
    /// What a thread allocates begins with the last word of what was allocated before.
    ThreadsOverlap,
    /// The index of `!` is not tested.
    IndexUnchecked,
    /// Nobody notices that a region of the device is full.
    FullUnnoticed,
    /// Behind threads, the kernel that asked for them goes on with the stack that it began with.
    StackForgotten,
    /// The last word of a region is not copied to the device.
    CopyShort,
    /// A region of the host that grows loses what is in it.
    GrowthLoses,
    /// The law `par-seq` lets the branches change places.
    BranchesSwapped,
}

/// How the executor of SPIR-V can be wrong as a judge of shaders: what it does not see, or sees where nothing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum WrongJudge {
    /// A barrier of one memory orders both.
    BarrierOrdersBoth,
    /// A barrier orders no memory.
    BarrierOrdersNothing,
    /// The barriers of `workgroupUniformLoad` order nothing.
    UniformLoadUnordered,
    /// A barrier waits only for the invocations that come to it.
    BarrierForSome,
    /// Barriers order work groups too.
    BarrierOrdersGroups,
    /// A store of a component of a vector leaves the others alone.
    ComponentAlone,
    /// A store of a component touches the vector behind it too, as if the columns of a matrix were one vector.
    ColumnsAreOne,
    /// No invocation is left before it ends or waits at a barrier.
    NoSwitching,
    /// A float that is rounded is taken for exact.
    OpenIsExact,
    /// A float that is open is taken for exact once it has been in a buffer.
    ExactInMemory,
    /// The value that a `select` chooses is taken for defined and exact.
    SelectCleans,
    /// An index outside of an array is told as if something hung on what is read.
    ReadsEndRuns,
    /// Writes outside of memory are dropped, as by a device that guards them.
    WritesDropped,
    /// Memory that nobody wrote is taken for zero.
    UnwrittenIsZero,
    /// An atomic operation orders what comes behind it, as a barrier does.
    AtomicsOrder,
    /// Atomic operations have no races with other accesses.
    AtomicsUnseen,
    /// A state that comes again is not told.
    RepeatsUnseen,
    /// A state is taken for one that comes again although other invocations may change what is read.
    OthersForgotten,
    /// Writes of equal values are taken for no race.
    EqualIsNoRace,
    /// A value of WGSL where the SPIR-V has none is not told.
    TranslatorUnseen,
    /// Subgroups have 32 invocations, whatever is asked for.
    SubgroupsFixed,
    /// A lane that takes no part gives the value of the one that asks.
    InactiveLaneGives,
    /// Infinities that come of finite numbers are not told.
    InfinityUnseen,
    /// Infinities and NaN are taken to be what they are on every device.
    InfinityIsExact,
    /// No order lets invocations starve.
    NobodyStarves,
    /// No more than eight work groups are under way, whatever they wait for.
    EightGroups,
}

/// The fault that a run carries, if any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Planted {
    #[cfg(feature = "faults")]
    fault: Option<Fault>,
}

impl Planted {
    /// No fault.
    pub const NONE: Planted = Planted {
        #[cfg(feature = "faults")]
        fault: None,
    };

    /// Carries `fault`.
    #[cfg(feature = "faults")]
    pub fn new(fault: Fault) -> Self {
        Self { fault: Some(fault) }
    }

    /// Is this the fault that is planted?
    #[inline]
    pub fn is(self, fault: Fault) -> bool {
        #[cfg(feature = "faults")]
        return self.fault == Some(fault);
        #[cfg(not(feature = "faults"))]
        {
            let _ = fault;
            false
        }
    }
}
