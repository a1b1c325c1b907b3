//! What a run of a plan or of a whole program costs.

use super::Request;
use crate::pricing::{Pricing, Sample};
use reference::cost::{Mode, Times, World};
use reference::kit::faults::Planted;
use reference::kit::language::{How, Settings};
use reference::kit::memory::Memory;
use reference::kit::outcome::Value;
use reference::languages::Artifact;

/// What the cost semantics says of a run.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Cost {
    /// By each mode.
    pub times: Times,
    /// The part of it that the host takes.
    pub host: Times,
    /// The part of it that transfers take.
    pub transfers: Times,
    /// Operations and accesses.
    pub work: u64,
    /// The longest chain of them.
    pub depth: u64,
    /// Requests to memory of the device.
    pub requests: u64,
    /// How often a kernel is launched.
    pub launches: u64,
    /// Words that are alive at once.
    pub peak_words: u64,
    /// Did threads race? Then it is the cost of one order of them.
    pub raced: bool,
}

impl Cost {
    /// The part that kernels take.
    pub fn kernels(&self, mode: Mode) -> f64 {
        self.times.of(mode) - self.host.of(mode) - self.transfers.of(mode)
    }

    /// What a front compares: work, depth, requests, words and launches.
    pub fn parts(&self) -> [u64; 5] {
        [self.work, self.depth, self.requests, self.peak_words, self.launches]
    }

    /// Is it nowhere worse than another one, and somewhere better?
    pub fn covers(&self, other: &Cost) -> bool {
        let (own, other) = (self.parts(), other.parts());
        own != other && own.iter().zip(other).all(|(a, b)| *a <= b)
    }
}

/// Runs a program, and prices the run: its results, if all of it was executed.
///
/// # Errors
/// The run does not end with results, or is too large to be priced.
pub fn price(
    program: &Artifact,
    input: &[Value],
    request: &Request,
    sample: Sample,
) -> Result<(Cost, Option<Vec<Value>>), String> {
    let memory = &mut Memory::default();
    let settings = Settings::default();
    let how = How {
        variant: program.lang().variants()[0].name,
        schedule: 0,
        budget: &request.budget,
        settings: &settings,
        planted: Planted::NONE,
        memory,
    };
    let machine = request.machine.clone();
    let pricing = Pricing { machine, world: World::Device, sample };
    let priced = pricing.price(program, input, how);
    let report = priced.price()?;
    let of_kernels = |count: fn(&reference::cost::Kernel) -> u64| -> u64 {
        report.kernels.iter().map(count).fold(0, u64::saturating_add)
    };
    let cost = Cost {
        times: report.times,
        host: report.host,
        transfers: report.transfers.times,
        work: report.work,
        depth: report.depth,
        requests: of_kernels(|kernel| kernel.accesses.requests),
        launches: of_kernels(|kernel| kernel.launches),
        peak_words: report.peak,
        raced: !priced.outcome.races.is_empty(),
    };
    Ok((cost, priced.results().map(<[Value]>::to_vec)))
}
