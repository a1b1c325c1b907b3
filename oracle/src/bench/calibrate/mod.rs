//! The constants of a machine, from times on an adapter: micro programs are timed in batches, and prices that are not negative
//! are fitted to the times.

mod programs;
mod timings;

pub use timings::{Timings, take};

use super::cost::fit::least_squares;
use super::cost::statistics::quantile;
use super::cost::{Point, estimated, fitted};
use compiler::target::Adapter;
use reference::cost::{Calibrated, Linear, Machine, NAMED, Unit, machine_of};
use serde::Serialize;

/// A constant, with how well it tells the times that it was fitted to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Constant {
    /// Its keys in the machine file, from the outside.
    pub key: &'static str,
    /// Nanoseconds; of `words_per_unit` words in a nanosecond.
    pub value: f64,
    /// The median of how far fitted times are from measured ones, as a part of these.
    pub residual: f64,
    /// Times that it was fitted to.
    pub times: usize,
}

/// A machine with the constants that were measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Calibration {
    /// The adapter.
    pub adapter: String,
    /// The constants.
    pub constants: Vec<Constant>,
    /// The machine that they make.
    pub machine: Machine,
}

/// A time of so much, and how much each of two things counts in it: `x` of `base + x · each`.
type Times = [(f64, f64)];

/// `base` and `each` of `base + x · each`, none negative, with the least squares of errors relative to the times; and the
/// median of the errors.
fn line(times: &Times) -> ([f64; 2], f64) {
    let rows: Vec<Vec<f64>> = times.iter().map(|(x, ns)| vec![1.0 / ns, x / ns]).collect();
    let found = least_squares(&rows, &vec![1.0; rows.len()]);
    let [base, each] = [0, 1].map(|at| found.get(at).copied().unwrap_or(0.0));
    let errors: Vec<f64> =
        times.iter().map(|(x, ns)| ((base + x * each) / ns - 1.0).abs()).collect();
    ([base, each], quantile(&errors, 0.5).unwrap_or(0.0))
}

/// Fits the constants of a machine of this class to times.
pub fn calibration(timings: &Timings, adapter: String, class: &Machine) -> Calibration {
    let mut constants = Vec::new();
    let mut told = |key, value, (residual, times): (f64, usize)| {
        constants.push(Constant { key, value, residual, times });
    };
    let ([_, step], own) = line(&timings.host);
    // A host that takes no time has no step, and a nanosecond is as good as any.
    let step = if step > 0.0 { step } else { 1.0 };
    told("unit", step, (own, timings.host.len()));
    let units = |ns: f64| (ns / step).round().clamp(0.0, MOST) as u64;
    let mut linear = |keys: [&'static str; 2], times: &Times| {
        let ([base, word], own) = line(times);
        let of = (own, times.len());
        told(keys[0], base, of);
        told(keys[1], if word > 0.0 { 1.0 / word } else { MOST }, of);
        let words_per_unit = if word > 0.0 { (step / word).clamp(1e-9, MOST) } else { MOST };
        Linear { base: units(base), words_per_unit }
    };
    let allocate = linear(["allocate.base", "allocate.words_per_unit"], &timings.allocate);
    let to_device = linear(["to_device.base", "to_device.words_per_unit"], &timings.to_device);
    let to_host = linear(["to_host.base", "to_host.words_per_unit"], &timings.to_host);
    let ([_, launch], own) = line(&timings.launches);
    told("calibrated.launch", launch, (own, timings.launches.len()));
    let points: Vec<Point> = timings.kernels.iter().map(|(_, point)| point.clone()).collect();
    let prices = fitted(&points);
    let of_kernels = |key: &'static str| {
        let key = if key == "calibrated.miss" { "calibrated.request" } else { key };
        let own = timings.kernels.iter().filter(|(meant, _)| *meant == key);
        let errors: Vec<f64> = own
            .map(|(_, point)| (estimated(point, &prices) / (point.ms * 1e6) - 1.0).abs())
            .collect();
        (quantile(&errors, 0.5).unwrap_or(0.0), errors.len())
    };
    let of = [
        ("calibrated.request", prices.request),
        ("calibrated.wait", prices.wait),
        ("calibrated.group_request", prices.group_request),
        ("calibrated.unit", prices.unit),
        // Lines that are not at hand are requests.
        ("calibrated.miss", prices.miss),
    ];
    of.into_iter().for_each(|(key, value)| told(key, value, of_kernels(key)));
    let machine = Machine {
        name: adapter.clone(),
        unit: Unit::Nanoseconds(step),
        // What is compiled does one thing after the other on the host.
        processors: 1,
        latency: units(prices.request + prices.wait).max(1),
        group_latency: units(prices.group_request).max(1),
        merge: 1,
        gather: 1,
        allocate,
        to_device,
        to_host,
        calibrated: Calibrated {
            // A launch is waited for.
            launch: launch / step,
            request: prices.request / step,
            wait: prices.wait / step,
            group_request: prices.group_request / step,
            unit: prices.unit / step,
            miss: prices.miss / step,
        },
        ..class.clone()
    };
    Calibration { adapter, constants, machine }
}

/// The most that a constant of a machine may be.
const MOST: f64 = (1_u64 << 31) as f64;

/// The machine of the class of an adapter. A driver that runs on the host's processors has warps as wide as their vectors, as
/// far as its name tells, and a thread for each element of the vectors of all processors.
pub fn class(adapter: &Adapter, processors: u64) -> Machine {
    let name = match adapter.device_type.as_str() {
        "cpu" => "software",
        "integrated" => "integrated",
        _ => "discrete",
    };
    let text = NAMED.iter().find(|(of, _)| *of == name).map_or("", |(_, text)| text);
    let class = machine_of(text).unwrap_or_default();
    if name != "software" {
        return class;
    }
    let bits = adapter.name.split_whitespace().zip(adapter.name.split_whitespace().skip(1));
    let bits = bits.filter(|(_, unit)| unit.starts_with("bits"));
    let bits = bits.filter_map(|(bits, _)| bits.parse::<u64>().ok()).next();
    let width = bits.map_or(4, |bits| (bits / 32).clamp(1, 64));
    // Work groups of 64 threads, those of the programs that are timed.
    Machine { width, warps: 64 / width, threads: (processors * width).max(64), ..class }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reference::cost::Counted;

    fn times(base: f64, each: f64) -> Vec<(f64, f64)> {
        (1..12).map(|power| f64::from(1 << power)).map(|x| (x, base + x * each)).collect()
    }

    /// Of times that were made of constants these come back, in units of the host's step, and nothing is left over.
    #[test]
    fn constants_of_made_up_times_come_back() {
        let kernel = |meant, n: u64, at: usize| {
            let mut counts = [3 * n, 2 * n, 5 * n, 7 * n];
            counts[at] *= 50;
            let [requests, waits, group_requests, units] = counts;
            let ns = 2.0 * requests as f64
                + 30.0 * waits as f64
                + 4.0 * group_requests as f64
                + 0.5 * units as f64;
            let counted = Counted { requests, waits, group_requests, units, ..Counted::default() };
            (meant, Point { ms: ns / 1e6, prices: [0.0; 3], launches: 1, counted })
        };
        let keys = ["request", "wait", "group_request", "unit"].map(|_| "calibrated.request");
        let kernels = (1..5)
            .flat_map(|n| keys.iter().enumerate().map(move |(at, key)| kernel(*key, n * n, at)));
        let timings = Timings {
            host: times(5_000.0, 50.0),
            allocate: times(100.0, 2.0),
            to_device: times(1_000.0, 4.0),
            to_host: times(20_000.0, 100.0),
            launches: times(0.0, 7_000.0),
            kernels: kernels.collect(),
        };
        let Calibration { machine, constants, .. } =
            calibration(&timings, "made up".to_owned(), &Machine::default());
        assert_eq!(machine.check(), Ok(()));
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-6 * b, "{a} is not {b}");
        let Unit::Nanoseconds(step) = machine.unit else { panic!("{machine:?}") };
        near(step, 50.0);
        assert_eq!(
            (machine.allocate.base, machine.to_device.base, machine.to_host.base),
            (2, 20, 400)
        );
        near(machine.allocate.words_per_unit, 25.0);
        near(machine.to_device.words_per_unit, 12.5);
        near(machine.to_host.words_per_unit, 0.5);
        near(machine.calibrated.launch, 140.0);
        near(machine.calibrated.request, 0.04);
        near(machine.calibrated.wait, 0.6);
        near(machine.calibrated.group_request, 0.08);
        near(machine.calibrated.unit, 0.01);
        assert_eq!((machine.latency, machine.group_latency, machine.processors), (1, 1, 1));
        assert!(constants.iter().all(|of| of.residual < 1e-6), "{constants:?}");
        assert_eq!(constants.len(), 13);
    }

    /// Times that fall with size have no price for a word, and those that are nothing make a machine all the same.
    #[test]
    fn what_tells_nothing_makes_a_machine() {
        let falling: Vec<(f64, f64)> =
            times(0.0, 1.0).into_iter().map(|(x, ns)| (x, 1e6 / ns)).collect();
        let timings = Timings { to_host: falling, ..Timings::default() };
        let made = calibration(&timings, "none".to_owned(), &Machine::default()).machine;
        assert_eq!(made.check(), Ok(()));
        assert_eq!(made.to_host.words_per_unit, MOST);
        let text = serde_json::to_string(&made).expect("JSON");
        assert_eq!(machine_of(&text), Ok(made));
    }
}
