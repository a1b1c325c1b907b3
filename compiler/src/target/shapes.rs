//! Shapes of shaders that some driver is known to compile wrongly ([`defects`](super::defects)).

use serde::{Deserialize, Serialize};

/// A shape of a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    /// A 64-bit integer is compared with a literal, but for equality.
    I64Literals,
    /// There are private variables, which start as zero, and vectors of which `|` or `^` is taken.
    VectorBits,
}
