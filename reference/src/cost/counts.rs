//! What is counted of a launch.

use super::machine::Times;
use super::trace::At;
use rustc_hash::FxHashMap;
use serde::Serialize;

/// What is counted of the accesses of a statement, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Accesses {
    /// Accesses of global memory, by threads.
    pub global: u64,
    /// Requests to global memory: address groups, one for each that a warp accesses in a step.
    pub requests: u64,
    /// Lines that were not at hand.
    pub misses: u64,
    /// Accesses of group memory, by threads.
    pub group: u64,
    /// Requests to group memory: for each step of a warp the most words that it accesses of one bank.
    pub group_requests: u64,
    /// Of these the ones beyond the first of a step: words that wait for another word of their bank.
    pub conflicts: u64,
    /// Steps of warps in which some of their threads access memory.
    pub steps: u64,
}

impl Accesses {
    /// So many times.
    pub(super) fn times(self, times: u64) -> Self {
        let of = |n: u64| n.saturating_mul(times);
        Self {
            global: of(self.global),
            requests: of(self.requests),
            misses: of(self.misses),
            group: of(self.group),
            group_requests: of(self.group_requests),
            conflicts: of(self.conflicts),
            steps: of(self.steps),
        }
    }
}

impl std::ops::AddAssign for Accesses {
    fn add_assign(&mut self, other: Self) {
        self.global += other.global;
        self.requests += other.requests;
        self.misses += other.misses;
        self.group += other.group;
        self.group_requests += other.group_requests;
        self.conflicts += other.conflicts;
        self.steps += other.steps;
    }
}

/// What a statement of a kernel costs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Part {
    pub(super) accesses: Accesses,
    /// Its part of the time of the steps that it takes part in, in `umm`.
    pub(super) time: f64,
}

/// What a launch costs.
#[derive(Clone, Debug, Default)]
pub(super) struct Priced {
    pub(super) warps: u64,
    pub(super) groups: u64,
    /// Times that a number of groups run at once.
    pub(super) rounds: u64,
    /// How often a work group waits for all of its threads, over all work groups.
    pub(super) barriers: u64,
    /// Warps that were executed, and their accesses: fewer than there are where a price is sampled.
    pub(super) executed: Executed,
    /// Steps of warps in which some threads wait for others of their warp.
    pub(super) parted: u64,
    /// Edges of all threads, and of the longest.
    pub(super) work: u64,
    pub(super) longest: u64,
    pub(super) accesses: Accesses,
    pub(super) counted: Counted,
    pub(super) times: Times,
    pub(super) parts: FxHashMap<At, Part>,
}

/// What the prices of [`Mode::Cal`](super::Mode::Cal) are for, launches aside: their products add up to the time, as far as a
/// step waits for one thing only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// Requests to global memory.
    pub requests: u64,
    /// Steps in which some warp waits for global memory.
    pub waits: u64,
    /// Requests to group memory, of the work group that makes most, in steps that wait for nothing else.
    pub group_requests: u64,
    /// Steps without an access.
    pub units: u64,
    /// Lines that were not at hand.
    pub misses: u64,
}

/// What of a launch was executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Executed {
    /// Warps.
    pub warps: u64,
    /// Accesses of all threads.
    pub accesses: u64,
}
