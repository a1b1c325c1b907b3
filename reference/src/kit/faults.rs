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
