//! What a program of FCL is compiled for.

use reference::fcl::doubles::Format;
use reference::fcl::location::Machine;

/// What a program of FCL is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fcl {
    /// The location that it runs at.
    pub machine: Machine,
    /// The format that doubles are computed in.
    pub doubles: Format,
    /// Bytes of work-group memory that a kernel may have.
    pub group_memory: u32,
}

impl Default for Fcl {
    /// Every adapter has so much work-group memory.
    fn default() -> Self {
        Self { machine: Machine::default(), doubles: Format::default(), group_memory: 16_384 }
    }
}
