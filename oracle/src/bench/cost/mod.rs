//! How well the cost semantics tells measured times: plans that were measured are priced, and both are compared.

pub mod fit;
pub mod measure;
pub mod measured;
pub mod pools;
pub mod statistics;
pub mod whole;

use crate::engine::Artifact;
use crate::pricing::{Pricing, Sample};
use compiler::rewrite::plan::Plan;
use measured::{Measured, input};
use reference::axes::syntax::Program;
use reference::cost::{Calibrated, Counted, Machine, Mode, Report, World};
use reference::kit::faults::Planted;
use reference::kit::language::{How, Settings};
use reference::kit::memory::Memory;
use reference::kit::outcome::Budget;
use serde::Serialize;

/// Statements that the host and the threads that are executed of a plan may execute: many times what a plan of some
/// launches takes.
const FUEL: u64 = 60_000_000;

/// Prices a plan by a part of its run.
///
/// # Errors
/// Why there is no price.
pub fn priced(program: &Program, plan: &Artifact, machine: &Machine) -> Result<Report, String> {
    let input = input(program, plan)?;
    let pricing =
        Pricing { machine: machine.clone(), world: World::Device, sample: Sample::Always };
    let how = How {
        variant: plan.lang().variants()[0].name,
        schedule: 0,
        budget: &Budget { fuel: FUEL, ..Budget::default() },
        settings: &Settings::default(),
        planted: Planted::NONE,
        memory: &mut Memory::default(),
    };
    let priced = pricing.price(plan, &input, how);
    priced.price().cloned()
}

/// A measured plan with its price: what its launches take, without the host and what is brought there and back.
#[derive(Clone, Debug)]
pub struct Point {
    /// Milliseconds.
    pub ms: f64,
    /// By each mode.
    pub prices: [f64; 3],
    /// Launches, and what is counted of them.
    pub launches: u64,
    /// What has a price in `cal`.
    pub counted: Counted,
}

/// Prices the plans of a pool.
///
/// # Errors
/// A plan that cannot be priced.
pub fn points(of: &Measured, machine: &Machine) -> Result<Vec<Point>, String> {
    let point = |(nth, timed): (usize, &measured::Timed)| {
        let wrong = |why: String| format!("plan {nth} of {}: {why}", of.pool);
        let program = of.program(timed).map_err(|no| wrong(no.to_string()))?;
        let plan = Plan::of(&program).map_err(|no| wrong(no.to_string()))?;
        let report = priced(&program, &plan.artifact(), machine).map_err(wrong)?;
        Ok(self::point(&report, timed.ms))
    };
    of.plans.iter().enumerate().map(point).collect()
}

/// What took so many milliseconds, with its price.
pub fn point(report: &Report, ms: f64) -> Point {
    let sum = |mode| report.kernels.iter().map(|kernel| kernel.times.of(mode)).sum();
    let mut counted = Counted::default();
    for kernel in &report.kernels {
        let Counted { requests, waits, group_requests, units, misses } = kernel.counted;
        counted.requests += requests;
        counted.waits += waits;
        counted.group_requests += group_requests;
        counted.units += units;
        counted.misses += misses;
    }
    let launches = report.kernels.iter().map(|kernel| kernel.launches).sum();
    Point { ms, prices: Mode::ALL.map(sum), launches, counted }
}

/// How well a mode tells the times of a pool, or of all.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    /// The pool and its machine, or what is pooled.
    pub pool: String,
    /// The machine, if it is one.
    pub machine: Option<String>,
    /// How many plans.
    pub plans: usize,
    /// `paper`, `umm` or `cal`, or `fitted`: `cal` with the prices that fit best.
    pub mode: &'static str,
    /// Kendall's tau-b of prices and times; nothing if all prices are equal.
    pub tau_b: Option<f64>,
    /// Spearman's rank correlation.
    pub spearman: Option<f64>,
    /// The median of how far the scaled prices are from the times, as a part of the time.
    pub median_error: Option<f64>,
    /// The time of the plan of the least price over the least time: the mean over equal prices, and the worst. Of several
    /// pools, the median of the means and their ninth decile.
    pub regret: Option<[f64; 2]>,
}

/// What is compared of a point by a mode: its price, and what tells equal prices apart.
fn keys(points: &[Point], mode: Mode, fitted: Option<&Calibrated>) -> (Vec<f64>, Vec<f64>) {
    let at = Mode::ALL.iter().position(|other| *other == mode).unwrap_or(0);
    let price = |point: &Point| match fitted {
        Some(prices) => estimated(point, prices),
        None => point.prices[at],
    };
    let prices: Vec<f64> = points.iter().map(price).collect();
    let ties = |point: &Point| match mode {
        Mode::Umm => point.counted.misses as f64,
        Mode::Paper | Mode::Cal => 0.0,
    };
    let pairs: Vec<[f64; 2]> = prices.iter().zip(points).map(|(p, of)| [*p, ties(of)]).collect();
    (prices, statistics::places(&pairs))
}

/// How well each mode tells the times of each pool, and of all pools together.
pub fn judged(pools: &[(Measured, Vec<Point>)], fitted: Option<&Calibrated>) -> Vec<Judged> {
    let modes = Mode::ALL.map(|mode| (mode.name(), mode, None));
    let fitted = fitted.map(|prices| ("fitted", Mode::Cal, Some(prices)));
    let mut all = Vec::new();
    let modes: Vec<_> = modes.into_iter().chain(fitted).collect();
    for (measured, points) in pools {
        for (name, mode, prices) in &modes {
            let (prices, places) = keys(points, *mode, *prices);
            let times: Vec<f64> = points.iter().map(|point| point.ms).collect();
            all.push(Judged {
                pool: measured.pool.clone(),
                machine: Some(measured.machine.clone()),
                plans: points.len(),
                mode: name,
                tau_b: statistics::tau_b(&places, &times),
                spearman: statistics::spearman(&places, &times),
                median_error: statistics::median_error(&prices, &times),
                regret: statistics::regret(&places, &times),
            });
        }
    }
    if pools.len() < 2 {
        return all;
    }
    let points: Vec<Point> = pools.iter().flat_map(|(_, points)| points.clone()).collect();
    let times: Vec<f64> = points.iter().map(|point| point.ms).collect();
    for (name, mode, prices) in &modes {
        let (prices, places) = keys(&points, *mode, *prices);
        let of_mode = all.iter().filter(|judged| judged.mode == *name);
        let regrets: Vec<f64> = of_mode.filter_map(|judged| Some(judged.regret?[0])).collect();
        let quantiles = [0.5, 0.9].map(|share| statistics::quantile(&regrets, share));
        all.push(Judged {
            pool: "all".to_owned(),
            machine: None,
            plans: points.len(),
            mode: name,
            tau_b: statistics::tau_b(&places, &times),
            spearman: statistics::spearman(&places, &times),
            median_error: statistics::median_error(&prices, &times),
            regret: quantiles[0].zip(quantiles[1]).map(|(median, most)| [median, most]),
        });
    }
    all
}

/// What is counted of a point, in the order of [`values`].
fn features(point: &Point) -> [f64; 6] {
    let Counted { requests, waits, group_requests, units, misses } = point.counted;
    [point.launches, requests, waits, group_requests, units, misses].map(|n| n as f64)
}

/// What is counted of a point, at these prices.
pub fn estimated(point: &Point, prices: &Calibrated) -> f64 {
    features(point).iter().zip(values(prices)).map(|(n, price)| n * price).sum()
}

fn values(prices: &Calibrated) -> [f64; 6] {
    let Calibrated { launch, request, wait, group_request, unit, miss } = *prices;
    [launch, request, wait, group_request, unit, miss]
}

/// The prices, in nanoseconds and none of them negative, with the least squares of errors relative to the times.
pub fn fitted(points: &[Point]) -> Calibrated {
    let row = |point: &Point| features(point).iter().map(|n| n / (point.ms * 1e6)).collect();
    let rows: Vec<Vec<f64>> = points.iter().map(row).collect();
    let found = fit::least_squares(&rows, &vec![1.0; rows.len()]);
    let [launch, request, wait, group_request, unit, miss] =
        [0, 1, 2, 3, 4, 5].map(|at| found.get(at).copied().unwrap_or(0.0));
    Calibrated { launch, request, wait, group_request, unit, miss }
}
