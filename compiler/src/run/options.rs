//! How a GPU is used.

use crate::emit::wgsl::Writing;
use std::time::Duration;

/// How a GPU is used.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How long a program may take. In the second half of this time the host starts nothing more,
    /// and the program is out of fuel: a launch that still has no answer when it is over hangs.
    pub patience: Duration,
    /// Whether such a launch is waited for all the same. In a process of its own that is right:
    /// whoever started it sees better whether it hangs, and ends it.
    pub waits: bool,
    /// How shaders are written.
    pub writing: Writing,
    /// Whether the quiet form of a kernel is launched first, where there is one.
    pub quiet_first: bool,
}

impl Default for Options {
    fn default() -> Self {
        let patience = Duration::from_secs(20);
        Self { patience, waits: false, writing: Writing::default(), quiet_first: true }
    }
}
