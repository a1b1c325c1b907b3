//! Times of micro programs on an adapter.

use super::programs::{self, Micro};
use crate::bench::cost::whole::{compiled, has_results, price, whole};
use crate::bench::cost::{Point, point};
use crate::engine::Artifact;
use crate::language::Listed;
use crate::pricing::{Pricing, Sample};
use compiler::run::Gpu;
use reference::cost::{Machine, Mode, World};
use reference::device::Device;
use reference::kit::faults::Planted;
use reference::kit::language::{How, Language, Settings};
use reference::kit::memory::Memory;
use reference::kit::outcome::Budget;
use reference::lambda_g::LambdaG;
use std::time::Duration;

/// What was timed: pairs of how much and of nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct Timings {
    /// Steps of the host.
    pub host: Vec<(f64, f64)>,
    /// Words that are allocated.
    pub allocate: Vec<(f64, f64)>,
    /// Words that are brought to the device.
    pub to_device: Vec<(f64, f64)>,
    /// Words that come back.
    pub to_host: Vec<(f64, f64)>,
    /// Launches that are waited for.
    pub launches: Vec<(f64, f64)>,
    /// Launches alone, each with the constant that it is meant for.
    pub kernels: Vec<(&'static str, Point)>,
}

/// How often a batch is repeated; the quickest counts, since other work only adds time.
const BATCHES: usize = 7;
/// Powers of two of words that are moved.
const MOVED: std::ops::RangeInclusive<u32> = 4..=20;
/// How long the launches of a program may take while they are timed.
const TIMED: Duration = Duration::from_secs(5);

/// Takes times on an adapter. Tells `say` what it does.
///
/// # Errors
/// A micro program has no result there, or no time.
pub fn take(gpu: &mut Gpu, class: &Machine, say: &mut dyn FnMut(&str)) -> Result<Timings, String> {
    let mut timings = Timings::default();
    say("times of the host, and of launches that are waited for");
    let host = LambdaG::artifact(LambdaG::parse(programs::HOST).map_err(|no| no.message)?);
    // What is compiled does one thing after the other there.
    let alone = Machine { processors: 1, ..Machine::default() };
    for size in [32, 64, 128, 256, 512] {
        let input = host.sized(&[("xs".to_owned(), size)]).map_err(|no| no.message)?;
        let steps = price(&host, &input, &alone, Mode::Cal)?;
        timings.host.push((steps as f64, nanoseconds(whole(&host, &input, gpu)?)));
    }
    for count in [1, 2, 4, 8, 16, 32, 64] {
        let program = read(&programs::launches(count))?;
        timings.launches.push((f64::from(count), nanoseconds(whole(&program, &[], gpu)?)));
    }
    say("times of what is allocated and brought to and fro");
    for words in MOVED.map(|power| 1 << power) {
        let batch = (1 << 20 >> words_log(words)).clamp(2, 64);
        let mut least: Option<[Duration; 3]> = None;
        for _ in 0..BATCHES {
            let moves = gpu.time_moves(words, batch).map_err(|no| format!("{no:?}"))?;
            let new = [moves.allocate, moves.to_device, moves.to_host];
            let old = least.unwrap_or(new);
            least = Some([0, 1, 2].map(|at| old[at].min(new[at])));
        }
        let to = [&mut timings.allocate, &mut timings.to_device, &mut timings.to_host];
        for (to, took) in to.into_iter().zip(least.unwrap_or_default()) {
            to.push((f64::from(words), nanoseconds(took)));
        }
    }
    say("times of kernels");
    for micro in programs::kernels(u32::try_from(class.width).unwrap_or(32)) {
        // One that takes too long tells nothing that others do not.
        if let Some(point) = kernel(&micro, gpu, class)? {
            timings.kernels.push((micro.meant, point));
        }
    }
    Ok(timings)
}

fn words_log(words: u32) -> u32 {
    words.max(1).ilog2()
}

/// A time that is more than none.
fn nanoseconds(took: Duration) -> f64 {
    (took.as_secs_f64() * 1e9).max(1.0)
}

fn read(text: &str) -> Result<Artifact, String> {
    Ok(Device::artifact(Device::parse(text).map_err(|no| no.message)?))
}

/// A launch with what is counted of it, unless it takes too long to be timed.
fn kernel(micro: &Micro, gpu: &mut Gpu, class: &Machine) -> Result<Option<Point>, String> {
    let program = read(&micro.text)?;
    let words = micro.words as i32;
    let input = program.sized(&[("n".to_owned(), words)]).map_err(|no| no.message)?;
    let budget = Budget::default();
    let (outcome, times) = compiled(&program, gpu, |checked, gpu| {
        gpu.set_timed(TIMED);
        let outcome = gpu.run(checked, &input, &budget);
        (outcome, gpu.take_times())
    })?;
    let Some(times) = times else { return Ok(None) };
    has_results(&outcome)?;
    let ms = nanoseconds(times.into_iter().sum()) / 1e6;
    let pricing = Pricing { machine: class.clone(), world: World::Device, sample: Sample::Always };
    let how = How {
        variant: program.lang().variants()[0].name,
        schedule: 0,
        budget: &budget,
        settings: &Settings::default(),
        planted: Planted::NONE,
        memory: &mut Memory::default(),
    };
    let priced = pricing.price(&program, &input, how);
    Ok(Some(point(priced.price()?, ms)))
}
