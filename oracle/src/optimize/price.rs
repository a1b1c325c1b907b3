//! What a run of an IMP program costs.

use super::Request;
use crate::profiles::reason;
use reference::cost::{Mode, Pricer, Times, World};
use reference::kit::faults::Planted;
use reference::kit::language::{How, Settings};
use reference::kit::memory::Memory;
use reference::kit::outcome::{Ending, Value};
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

/// Runs an IMP program, and prices the run.
///
/// # Errors
/// The run does not end with results, or is too large to be priced.
pub fn price(
    program: &Artifact,
    input: &[Value],
    request: &Request,
) -> Result<(Cost, Vec<Value>), String> {
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
    let pricer = Pricer::new(request.machine.clone(), World::Device);
    let (outcome, pricer) = program.price(input, how, pricer);
    let results = match outcome.ending {
        Ending::Value(results) => results,
        ended => return Err(no_results(&ended)),
    };
    let report = pricer
        .report(outcome.stats.statements)
        .map_err(|large| format!("its run is too large to be priced: {}", large.why))?;
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
    };
    Ok((cost, results))
}

/// That a run does not end with results, and how it ends.
pub fn no_results(ended: &Ending) -> String {
    let ended = match ended {
        Ending::Value(_) => "with results".to_owned(),
        Ending::Stuck(stuck) => format!("stuck: {}", stuck.sentence()),
        Ending::Unknown(why) => reason(why),
        Ending::Broken(broken) => format!("it broke: {broken:?}"),
    };
    format!("its run does not end with results: {ended}")
}
