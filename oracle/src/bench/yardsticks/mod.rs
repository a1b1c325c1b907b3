//! Yardsticks: work that a program of ours and shaders written by hand do, timed side by side on an adapter.
//!
//! The program goes through the usual pipeline. Both results are held against one that is computed here before
//! anything is timed. Then both are timed in turns, launch by launch, each launch after a first one that is no part of
//! its time: what is compared is what the launches take, without what the host does between them:
//! by timestamps of the device, or else by the clock on the wall.

#[cfg(test)]
mod tests;
mod works;

pub use works::{ELEMENTS, FEWEST, MOST, WORKS, Work};

use crate::engine::Artifact;
use crate::language::Listed;
use crate::stages::{CHECKED, End, Plan, Stages};
use compiler::run::{Gpu, Options, Passes};
use compiler::target::Adapter;
use reference::device::Device;
use reference::kit::header;
use reference::kit::outcome::{Budget, Ending, Value};
use serde::Serialize;
use std::time::Duration;

/// Work at one size.
pub struct Yardstick {
    /// What is worked on, as `1024 x 1024`.
    pub size: String,
    /// What the program takes.
    pub input: Vec<Value>,
    /// The same by hand.
    pub by_hand: Passes<'static>,
    /// The result of both.
    pub wanted: Vec<i32>,
    /// Bytes of what has to be read and written once.
    pub bytes: u64,
}

/// How long both took.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// The adapter and its driver.
    pub adapter: String,
    /// The work.
    pub work: &'static str,
    /// What is worked on.
    pub size: String,
    /// Bytes of what has to be read and written once.
    pub bytes: u64,
    /// Milliseconds of the program's launches.
    pub ms: f64,
    /// How many launches there are.
    pub launches: usize,
    /// Milliseconds of the shaders written by hand.
    pub hand_ms: f64,
    /// How many launches there are.
    pub hand_launches: usize,
    /// What the paper tells of such a program (figure 2).
    pub paper: &'static str,
}

impl Measured {
    /// Gigabytes that the program reads and writes in a second.
    pub fn rate(&self) -> f64 {
        self.bytes as f64 / self.ms / 1e6
    }

    /// The same of the shaders written by hand.
    pub fn hand_rate(&self) -> f64 {
        self.bytes as f64 / self.hand_ms / 1e6
    }
}

/// Why work has no time.
pub enum Unmeasured {
    /// A result is not right.
    Wrong(String),
    /// There is none.
    Unknown(String),
}

/// How often both are timed in turns; the median counts.
const TURNS: usize = 3;

/// How long the launches of one may take while they are timed, all repetitions together.
const TIMED: Duration = Duration::from_secs(30);

/// Opens an adapter to measure on.
///
/// # Errors
/// Why it gives no device.
pub fn open(adapter: &Adapter) -> Result<Gpu, String> {
    // The host may start launches in the first half of this time.
    let options = Options { timeout: 8 * TIMED, stamps: true, ..Options::default() };
    Gpu::open(&adapter.id, options).map_err(|no| format!("{no:?}"))
}

/// Both of a work of so many elements, held against what is right and timed on this adapter.
///
/// # Errors
/// What is wrong, or why there is no result or no time.
pub fn measure(work: &Work, elements: u32, gpu: &mut Gpu) -> Result<Measured, Unmeasured> {
    let unknown = |text: String| Unmeasured::Unknown(text);
    let (program, plan) = read(work).map_err(unknown)?;
    let plan = plan.fit(gpu.adapter());
    gpu.set_kernels(plan.kernels());
    let yardstick = (work.at)(elements);
    let stages = Stages::up_to(&program, plan, CHECKED);
    let last = stages.list.iter().find(|stage| stage.id == CHECKED);
    let Some(device) = last.and_then(|stage| Device::of(&stage.artifact)) else {
        let why =
            stages.end.map_or_else(String::new, |(pass, end)| format!(": {pass}: {}", said(&end)));
        return Err(unknown(format!("the program is not compiled{why}")));
    };
    let usual = Budget::default();
    let budget = Budget { fuel: 100 * usual.fuel, ..usual };
    let Yardstick { size, input, by_hand, wanted, bytes } = yardstick;
    let right = vec![Value::ints(vec![wanted.len()], wanted.clone())];
    match gpu.run(device, &input, &budget).ending {
        Ending::Value(values) if values == right => {}
        Ending::Value(_) => {
            return Err(Unmeasured::Wrong("the program has a wrong result".to_owned()));
        }
        other => return Err(unknown(format!("the program has no result: {other:?}"))),
    }
    let by_hand_once = |gpu: &mut Gpu, limit| {
        gpu.run_passes(&by_hand, limit).map_err(|no| unknown(format!("by hand: {no:?}")))
    };
    let (words, _) = by_hand_once(gpu, None)?;
    if !words.iter().map(|word| *word as i32).eq(wanted.iter().copied()) {
        return Err(Unmeasured::Wrong(
            "the shaders written by hand have a wrong result".to_owned(),
        ));
    }
    let mut both: [Vec<Duration>; 2] = Default::default();
    let mut launches = 0;
    for _ in 0..TURNS {
        gpu.set_timed(TIMED);
        let ending = gpu.run(device, &input, &budget).ending;
        let times = gpu.take_times().ok_or_else(|| unknown(over()))?;
        if !matches!(ending, Ending::Value(_)) {
            return Err(unknown(format!("the program has no result when it is timed: {ending:?}")));
        }
        launches = times.len();
        both[0].push(times.into_iter().sum());
        let (_, took) = by_hand_once(gpu, Some(TIMED))?;
        both[1].push(took.ok_or_else(|| unknown(over()))?);
    }
    let [ms, hand_ms] = both.map(|mut all| {
        all.sort_unstable();
        1e3 * all[all.len() / 2].as_secs_f64()
    });
    let Adapter { name, driver, driver_info, .. } = gpu.adapter();
    let driver = format!("{driver} {driver_info}");
    Ok(Measured {
        adapter: format!("{name} ({})", driver.trim()),
        work: work.name,
        size,
        bytes,
        ms,
        launches,
        hand_ms,
        hand_launches: by_hand.passes.len(),
        paper: work.paper,
    })
}

fn over() -> String {
    format!("launches take longer than {TIMED:?}, with their repetitions")
}

fn said(end: &End) -> String {
    match end {
        End::Refused(why) => why.to_string(),
        End::Invalid(text) | End::Panicked(text) => text.clone(),
    }
}

/// The program of a work, and how its header has it compiled.
fn read(work: &Work) -> Result<(Artifact, Plan), String> {
    let lang = work.lang;
    let rejected = |no: reference::kit::text::Rejected| no.message;
    let header = header::parse(work.program, lang.options()).map_err(rejected)?;
    let program = lang.parse(work.program).map_err(rejected)?;
    program.check(&mut crate::rolls::Rolls::default()).map_err(rejected)?;
    Ok((program, Plan::default().with(&header.settings(lang.options()))))
}
