//! What a run cost.

use super::blocks::Transfers;
use super::counts::{Accesses, Counted, Executed, Priced};
use super::graph::{Graph, Scheduled};
use super::machine::{Machine, Times};
use crate::kit::tap::Launch;
use crate::kit::text::Span;
use serde::Serialize;

/// What a run cost. Times are in units of the machine, sizes in words of 32 bits.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The machine.
    pub machine: Machine,
    /// Where kernels run on the host: what its processors take, depth-first and breadth-first.
    pub schedules: Option<[Scheduled; 2]>,
    /// Were rounds of loops of the host left out, for which others stand?
    pub host_is_sampled: bool,
    /// All of it: the host, the transfers, the kernels.
    pub times: Times,
    /// The host: a unit for each statement and each access, and allocations.
    pub host: Times,
    /// What is brought from one world to the other.
    pub transfers: Transfers,
    /// Edges of all threads and of the host: statements and accesses.
    pub work: u64,
    /// Edges of the host, and of the longest thread of each launch.
    pub depth: u64,
    /// The most words that live at once. What a thread allocates counts once for each thread that runs at once.
    pub peak: u64,
    /// The words of all blocks.
    pub allocated: u64,
    /// Kernels, by place.
    pub kernels: Vec<Kernel>,
    /// Statements that access memory, by kernel and place.
    pub statements: Vec<Statement>,
    /// The cost graph, with the weights of `paper`.
    #[serde(skip)]
    pub graph: Graph,
}

impl Report {
    /// Was a part of the run executed, which stands for all?
    pub fn is_sampled(&self) -> bool {
        self.host_is_sampled || self.kernels.iter().any(Kernel::is_sampled)
    }
}

/// All launches of one kernel, or of one copy of the host.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Kernel {
    /// The statement.
    pub site: Span,
    /// How often it was launched.
    pub launches: u64,
    /// Threads of all launches, and what they make up.
    pub threads: u64,
    /// Warps.
    pub warps: u64,
    /// Work groups.
    pub groups: u64,
    /// How often as many groups as the device takes ran at once.
    pub rounds: u64,
    /// How often a work group waits for all of its threads, over all work groups.
    pub barriers: u64,
    /// Words of the memory of a work group.
    pub group_words: u32,
    /// What of it was executed.
    pub executed: Executed,
    /// Edges of all threads.
    pub work: u64,
    /// Edges of the longest thread.
    pub longest: u64,
    /// Accesses of all threads.
    pub accesses: Accesses,
    /// What has a price in `cal`.
    pub counted: Counted,
    /// How long the launches take, without transfers.
    pub times: Times,
}

/// A statement of a kernel that accesses memory.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Statement {
    /// The kernel.
    pub kernel: Span,
    /// The statement.
    pub site: Span,
    /// Its accesses.
    pub accesses: Accesses,
    /// Its part of the kernel's time in `umm`: of each step that waits for memory the part of its requests.
    pub time: f64,
}

impl Kernel {
    /// Was a part of it executed, which stands for all?
    pub fn is_sampled(&self) -> bool {
        let all = self.accesses.global + self.accesses.group;
        self.executed.warps < self.warps || self.executed.accesses < all
    }

    pub(super) fn new(site: Span) -> Self {
        Self {
            site,
            launches: 0,
            threads: 0,
            warps: 0,
            groups: 0,
            rounds: 0,
            barriers: 0,
            group_words: 0,
            executed: Executed::default(),
            work: 0,
            longest: 0,
            accesses: Accesses::default(),
            counted: Counted::default(),
            times: Times::default(),
        }
    }

    pub(super) fn add(&mut self, launch: &Launch, priced: &Priced) {
        self.launches += 1;
        self.threads += launch.threads;
        self.group_words = self.group_words.max(launch.group_words);
        self.warps += priced.warps;
        self.groups += priced.groups;
        self.rounds += priced.rounds;
        self.barriers += priced.barriers;
        self.executed.warps += priced.executed.warps;
        self.executed.accesses += priced.executed.accesses;
        self.work += priced.work;
        self.longest = self.longest.max(priced.longest);
        self.accesses += priced.accesses;
        let Counted { requests, waits, group_requests, units, misses } = priced.counted;
        self.counted.requests += requests;
        self.counted.waits += waits;
        self.counted.group_requests += group_requests;
        self.counted.units += units;
        self.counted.misses += misses;
        self.times += priced.times;
    }
}
