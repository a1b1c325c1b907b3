//! A GPU as a machine of the device language.
//!
//! All blocks lie in two buffers, one for each region of memory, with guard words around each. While they are
//! small, the host keeps a copy: what a program does between two launches goes to the device at once, and
//! comes back at once, guards and all, with the one wait that a launch needs anyway. Above
//! [`SMALL`] words blocks stay on the device, and of a launch only the guards come back, until the host asks for more.

mod bound;
mod connection;
mod found;
mod launch;
mod memory;
mod pages;
mod passes;
mod stamps;
mod timed;

pub use found::adapters;

use super::forms::Forms;
use super::launcher::{self, Device, Dispatch};
use super::options::Options;
use crate::pass::poison_checks::Detail;
use crate::recent::Recent;
use crate::route::KernelOptions;
use crate::target::Adapter;
use connection::{Connection, DeviceError};
use found::open_all;
use memory::Mirror;
use reference::device::arena::{Arena, Where};
use reference::device::host::Halt;
use reference::device::syntax::{Element, Program};
use reference::kit::names::{Names, Var};
use reference::kit::outcome::{Broken, Budget, Outcome, Value, Why};
use std::time::{Duration, Instant};

/// Words up to which the host keeps a copy of memory.
const SMALL: u32 = 1 << 16;

/// After so many steps of the host the clock is looked at.
const SOME_STEPS: u32 = 1 << 10;

/// What belongs to the device and must not be dropped once it hangs.
struct Held {
    connection: Connection,
    layout: wgpu::BindGroupLayout,
    pipeline_layout: wgpu::PipelineLayout,
    /// Pipelines by their WGSL.
    pipelines: Recent<wgpu::ComputePipeline>,
    /// The regions of memory, in the order of [`Region`].
    regions: [wgpu::Buffer; 2],
    /// The words of a launch, the records of a launch, and where words come back.
    launch: wgpu::Buffer,
    records: wgpu::Buffer,
    readback: wgpu::Buffer,
    /// May the records hold anything but zeros?
    records_told: bool,
    /// Of the buffers as they are; made anew when one of them grows.
    group: Option<wgpu::BindGroup>,
}

/// An open adapter.
pub struct Gpu {
    adapter: Adapter,
    options: Options,
    /// Always there until it is dropped.
    held: Option<Held>,
    /// Why it can no longer be used.
    broken: Option<Broken>,
    placed: Arena,
    mirror: Mirror,
    /// When the host starts nothing more.
    last_start: Instant,
    /// What the host has done, in statements and rounds.
    steps: u32,
    /// How long each launch took since this was asked last, if launches are timed.
    timed: Option<Timing>,
}

/// Launches that are timed.
struct Timing {
    /// How long each took.
    took: Vec<Duration>,
    /// How long all that is repeated may take from here on.
    left: Duration,
    /// Did it take longer?
    over: bool,
}

impl Drop for Gpu {
    fn drop(&mut self) {
        if self.broken == Some(Broken::Hang) {
            // Dropping a device waits for it, here for ever.
            std::mem::forget(self.held.take());
        }
    }
}

impl Gpu {
    /// Opens the adapter with this short name.
    ///
    /// # Errors
    /// There is none, or it gives no device.
    pub fn open(id: &str, options: Options) -> Result<Self, Halt> {
        let found = open_all().into_iter().find(|(adapter, _)| adapter.id == id);
        let Some((adapter, handle)) = found else {
            let text = format!("no adapter is called `{id}`");
            return Err(Halt::Unknown(Why::NoAdapter(text)));
        };
        let held = Connection::open(&handle, options.stamps).and_then(Held::new);
        let held = held.map_err(|error| halt(&error))?;
        Ok(Self {
            adapter,
            options,
            held: Some(held),
            broken: None,
            placed: Arena::new(),
            mirror: Mirror::default(),
            last_start: Instant::now(),
            steps: 0,
            timed: None,
        })
    }

    /// The adapter.
    pub fn adapter(&self) -> &Adapter {
        &self.adapter
    }

    /// Are launches timed by timestamps of the device? Otherwise by the clock on the wall.
    pub fn has_stamps(&self) -> bool {
        self.held.as_ref().is_some_and(|held| held.connection.stamps.is_some())
    }

    /// Launches these forms of kernels first from now on.
    pub fn set_first(&mut self, first: Detail) {
        self.options.first = first;
    }

    /// Compiles kernels like this from now on.
    pub fn set_kernels(&mut self, kernels: KernelOptions) {
        self.options.kernels = kernels;
    }

    /// Times the launches of what is run from now on: each is repeated, over the memory that it left. So results are not
    /// those of the program. A run whose launches take longer than the limit, repetitions included, ends there.
    pub fn set_timed(&mut self, limit: Duration) {
        self.timed = Some(Timing { took: Vec::new(), left: limit, over: false });
    }

    /// How long each launch took on the device since this was asked last, and ends the timing; `None` if they took longer
    /// than the limit. None were timed without [`Gpu::set_timed`].
    pub fn take_times(&mut self) -> Option<Vec<Duration>> {
        match self.timed.take() {
            None => Some(Vec::new()),
            Some(timing) => (!timing.over).then_some(timing.took),
        }
    }

    /// Runs a program of the stage [`CHECKED`](crate::pipeline::CHECKED).
    pub fn run(&mut self, program: &Program, input: &[Value], budget: &Budget) -> Outcome {
        self.starts();
        let forms = Forms::of(program, self.options.kernels);
        let first = self.options.first;
        let mut run = Run { gpu: self, names: &program.names };
        launcher::run(&forms, input, &mut run, first, budget)
    }

    /// May the host start something?
    fn in_time(&self) -> Result<(), Halt> {
        if Instant::now() < self.last_start { Ok(()) } else { Err(Halt::Unknown(Why::Fuel)) }
    }

    /// Runs `work` on the device, unless that broke before; a failure is kept.
    fn with<T>(
        &mut self,
        work: impl FnOnce(&mut Held) -> Result<T, DeviceError>,
    ) -> Result<T, Halt> {
        if let Some(broken) = &self.broken {
            return Err(Halt::Broken(broken.clone()));
        }
        let Some(held) = &mut self.held else {
            return Err(Halt::Broken(Broken::Lost("the device is gone".to_owned())));
        };
        work(held).map_err(|error| {
            let halt = halt(&error);
            // What was rejected leaves the device as it was; anything else does not.
            if let (Halt::Broken(broken), false) = (&halt, matches!(error, DeviceError::Invalid(_)))
            {
                self.broken = Some(broken.clone());
            }
            halt
        })
    }
}

/// What the failure of a device means for the run.
fn halt(error: &DeviceError) -> Halt {
    match error {
        DeviceError::Invalid(text) => Halt::Broken(Broken::Invalid(text.clone())),
        DeviceError::Lost(text) => Halt::Broken(Broken::Lost(text.clone())),
        DeviceError::Hang => Halt::Broken(Broken::Hang),
        DeviceError::OutOfMemory => {
            Halt::Unknown(Why::NoAdapter("the device has no memory left".to_owned()))
        }
    }
}

/// The adapter with the program at hand.
struct Run<'r> {
    gpu: &'r mut Gpu,
    names: &'r Names,
}

impl Device for Run<'_> {
    fn largest_group(&self) -> u32 {
        self.gpu.adapter.largest_group()
    }

    fn longest_grid(&self) -> u32 {
        self.gpu.adapter.limits.groups
    }

    fn clear(&mut self) {
        self.gpu.placed = Arena::new();
        self.gpu.mirror = Mirror::default();
    }

    fn alloc(&mut self, block: (Var, Where), element: Element, words: u64) -> Result<u32, Halt> {
        self.gpu.place((block, self.names), element, words)
    }

    fn free(&mut self, base: u32) -> Result<(), Halt> {
        if self.gpu.placed.remove(base) {
            return Ok(());
        }
        Err(Halt::Broken(Broken::Panic(format!("no block lies at {base}"))))
    }

    fn write(&mut self, at: u32, words: &[u32]) -> Result<(), Halt> {
        self.gpu.write_words(at, words)
    }

    fn read(&mut self, at: u32, count: u32) -> Result<Vec<u32>, Halt> {
        self.gpu.read_words(at, count)
    }

    fn copy(&mut self, from: u32, to: u32, words: u32) -> Result<(), Halt> {
        self.gpu.copy_words(from, to, words)
    }

    fn has_room(&self, record: u64) -> Result<(), Halt> {
        let adapter = &self.gpu.adapter;
        match record <= adapter.words() {
            true => Ok(()),
            false => Err(Halt::Unknown(Why::NoAdapter(adapter.no_room("record", record, 0)))),
        }
    }

    fn dispatch(&mut self, dispatch: &Dispatch<'_>) -> Result<u32, Halt> {
        // A launch is long next to a statement.
        self.gpu.in_time()?;
        self.gpu.dispatch(dispatch, self.names)
    }

    fn record(&mut self, at: u32, words: u32) -> Result<Vec<u32>, Halt> {
        self.gpu.with(|held| held.read_record(at, words))
    }

    fn go_on(&mut self) -> Result<(), Halt> {
        let gpu = &mut self.gpu;
        gpu.steps = gpu.steps.wrapping_add(1);
        if gpu.steps.is_multiple_of(SOME_STEPS) { gpu.in_time() } else { Ok(()) }
    }
}
