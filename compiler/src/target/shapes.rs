//! Shapes of shaders that some driver is known to compile wrongly ([`defects`](super::defects)).

use serde::{Deserialize, Serialize};

/// A shape of a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    /// A 64-bit integer is compared with a constant, but for equality.
    I64Literals,
    /// There are private variables, which start as zero, and vectors of which `|` or `^` is taken.
    VectorBits,
    /// A component of a vector in a private array is read at a run-time index, and the same component, which
    /// is not the first, is stored to at a constant index afterwards.
    StoredComponents,
    /// The maximum of a value and of a maximum with a negation, or the same with minima.
    NegatedExtrema,
    /// A function has an array of structures with arrays for a parameter, which it indexes by its own elements,
    /// and a call passes what is read from work-group memory.
    IndexedArguments,
    /// Two elements of values that are arrays of arrays of arrays, one of them at an index that is read from a
    /// private variable that nothing stores to.
    NestedValues,
    /// In a kernel with work-group variables, a store behind a loop to an array or vector of an invocation that
    /// is read at a run-time index and accessed at a constant one.
    StoredBehindLoops,
    /// More than 80 branches stand in each other, where each case of a `switch` counts as one, and what is behind a check
    /// that leaves the kernel stands in a branch.
    DeepBranches,
}
