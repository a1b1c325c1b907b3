//! How a GPU is used.

use crate::pass::poison_checks::Detail;
use crate::route::KernelOptions;
use std::time::Duration;

/// How a GPU is used.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How long a program may take. In the second half of this time the host starts nothing more,
    /// and the program is out of fuel: a launch that still has no answer when it is over hangs.
    pub timeout: Duration,
    /// Whether such a launch is waited for all the same. In a process of its own that is right:
    /// the process that started it sees better whether it hangs, and ends it.
    pub waits: bool,
    /// How kernels are compiled.
    pub kernels: KernelOptions,
    /// Which forms are launched first. Full forms are launched after a failed check in any case.
    pub first: Detail,
    /// Whether launches that are timed are timed by timestamps of the device, if it takes any.
    pub stamps: bool,
}

impl Default for Options {
    fn default() -> Self {
        let timeout = Duration::from_secs(20);
        let kernels = KernelOptions::default();
        Self { timeout, waits: false, kernels, first: Detail::Flag, stamps: false }
    }
}
