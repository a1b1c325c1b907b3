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
    /// A front of an e-graph keeps the cost of a class after a better term has come into it.
    Front,
    /// A law of rewriting is wrong in this way.
    Law(WrongLaw),
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
