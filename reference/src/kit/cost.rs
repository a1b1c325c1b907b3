//! What a run costs by a model of a machine. No engine fills it in yet.

use serde::{Deserialize, Serialize};

/// The cost of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// Operations in all threads together.
    pub work: u64,
    /// Operations on the longest chain of which each waits for the one before.
    pub span: u64,
}
