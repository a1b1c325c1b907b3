//! Limits of adapters, and types that only some of them have.

use serde::{Deserialize, Serialize};

/// Limits of an adapter that decide whether a program runs on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Storage buffers that one stage may bind.
    pub storage_buffers: u32,
    /// Bytes of one storage binding.
    pub binding_size: u64,
    /// Bytes of one buffer.
    pub buffer_size: u64,
    /// Invocations of one work group.
    pub invocations: u32,
    /// Invocations of one work group in its first dimension.
    pub group_size: u32,
    /// Bytes of work-group memory.
    pub group_memory: u32,
    /// Work groups in one dimension of a grid; a longer grid is folded.
    pub groups: u32,
}

/// Types that only some adapters have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Features {
    /// 64-bit integers.
    pub i64: bool,
    /// 64-bit floats.
    pub f64: bool,
    /// 16-bit floats.
    pub f16: bool,
    /// Subgroup operations.
    pub subgroups: bool,
}
