//! Whole runs of programs on an adapter, beside the prices of their cost graphs.

use super::{Judged, statistics};
use crate::engine::Artifact;
use crate::language::Listed;
use crate::pricing::graph;
use crate::stages::{CHECKED, Plan, Stages};
use compiler::run::Gpu;
use reference::cost::graph::Greedy;
use reference::cost::{Machine, Mode};
use reference::device::Device;
use reference::kit::language::Language;
use reference::kit::outcome::{Budget, Ending, Outcome, Value};
use reference::lambda_g::LambdaG;
use reference::lambda_g::eval::Setting;
use reference::lambda_g::report::Asked;
use serde::Serialize;
use std::time::Duration;

/// How often a program runs; the quickest run counts, since other work only adds time.
const RUNS: usize = 7;
/// No run is begun when those before took so long together.
const LIMIT: Duration = Duration::from_secs(10);

/// A program that ran, with its prices.
#[derive(Clone, Debug, Serialize)]
pub struct Ran {
    /// Its file.
    pub file: String,
    /// The shape of each parameter.
    pub input: Vec<String>,
    /// Milliseconds of the quickest run, transfers and what the host does included.
    pub ms: f64,
    /// By `paper`, `umm` and `cal`.
    pub prices: [u64; 3],
}

/// What runs of a program on a device.
///
/// # Errors
/// The compiler refuses it.
pub fn compiled<T>(
    program: &Artifact,
    gpu: &mut Gpu,
    run: impl FnOnce(&<Device as Language>::Program, &mut Gpu) -> T,
) -> Result<T, String> {
    let plan = Plan::default().fit(gpu.adapter());
    gpu.set_kernels(plan.kernels());
    let stages = Stages::up_to(program, plan, CHECKED);
    let last = stages.list.iter().find(|stage| stage.id == CHECKED);
    match last.and_then(|stage| Device::of(&stage.artifact)) {
        Some(checked) => Ok(run(checked, gpu)),
        None => Err("it is not compiled".to_owned()),
    }
}

/// Has a run results?
///
/// # Errors
/// It has none.
pub fn has_results(outcome: &Outcome) -> Result<(), String> {
    match &outcome.ending {
        Ending::Value(_) => Ok(()),
        other => Err(format!("it has no results: {other:?}")),
    }
}

/// How long whole runs take: the quickest one, without what is compiled.
///
/// # Errors
/// It has no results.
pub fn whole(program: &Artifact, input: &[Value], gpu: &mut Gpu) -> Result<Duration, String> {
    let budget = Budget::default();
    let run = |checked: &_, gpu: &mut Gpu| gpu.run_times(checked, input, &budget, RUNS, LIMIT);
    let (outcome, took) = compiled(program, gpu, run)?;
    has_results(&outcome)?;
    took.into_iter().min().ok_or_else(|| "it was not timed".to_owned())
}

/// The price of a program of λG by one mode: the time of the greedy schedule, depth-first.
///
/// # Errors
/// There is none.
pub fn price(
    program: &Artifact,
    input: &[Value],
    machine: &Machine,
    mode: Mode,
) -> Result<u64, String> {
    let program = LambdaG::of(program).ok_or("it has no cost graph")?;
    let setting = Setting { machine: machine.clone(), mode, ..Setting::default() };
    let asked = Asked::Greedy(Greedy::DepthFirst);
    let priced = graph::price(program, input, &setting, &Budget::default(), asked);
    let report = priced.report.ok_or("it has no price")?;
    Ok(report.schedules.first().map_or(0, |schedule| schedule.scheduled.time))
}

/// The time of a program and its price by each mode.
///
/// # Errors
/// It has no price, or no results on the adapter.
pub fn priced(
    program: &Artifact,
    input: &[Value],
    machine: &Machine,
    gpu: &mut Gpu,
) -> Result<(f64, [u64; 3]), String> {
    let mut prices = [0; 3];
    for (price, mode) in prices.iter_mut().zip(Mode::ALL) {
        *price = self::price(program, input, machine, mode)?;
    }
    Ok((whole(program, input, gpu)?.as_secs_f64() * 1e3, prices))
}

/// How well each mode tells the times of programs.
pub fn ranked(pool: &str, adapter: &str, ran: &[Ran]) -> Vec<Judged> {
    let times: Vec<f64> = ran.iter().map(|of| of.ms).collect();
    let judged = |(at, mode): (usize, Mode)| {
        let prices: Vec<f64> = ran.iter().map(|of| of.prices[at] as f64).collect();
        Judged {
            pool: pool.to_owned(),
            machine: Some(adapter.to_owned()),
            plans: ran.len(),
            mode: mode.name(),
            tau_b: statistics::tau_b(&prices, &times),
            spearman: statistics::spearman(&prices, &times),
            median_error: statistics::median_error(&prices, &times),
            // Programs do not stand for each other.
            regret: None,
        }
    };
    Mode::ALL.into_iter().enumerate().map(judged).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Prices that rise with times have a tau of 1, in the mode whose prices they are.
    #[test]
    fn modes_are_ranked_by_their_own_prices() {
        let ran = |ms: f64, prices| Ran { file: String::new(), input: Vec::new(), ms, prices };
        let all = [ran(1.0, [5, 1, 3]), ran(2.0, [4, 2, 3]), ran(3.0, [3, 3, 3])];
        let judged = ranked("some", "none", &all);
        let taus: Vec<Option<f64>> = judged.iter().map(|of| of.tau_b).collect();
        assert_eq!(taus, [Some(-1.0), Some(1.0), None]);
        assert_eq!(judged[1].median_error, Some(0.0));
    }
}
