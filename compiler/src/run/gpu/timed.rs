//! Times by the clock on the wall: of whole runs, and of what the host orders of a device.

use super::connection::{Connection, DeviceError};
use super::memory::{bytes, words};
use super::{Gpu, Held, Run};
use crate::run::forms::Forms;
use crate::run::launcher;
use crate::run::timed::Moves;
use reference::device::host::Halt;
use reference::device::syntax::Program;
use reference::kit::outcome::{Budget, Ending, Outcome, Value};
use std::time::{Duration, Instant};
use wgpu::BufferUsages as Usage;

impl Gpu {
    /// Runs a program of the stage [`CHECKED`](crate::pipeline::CHECKED) so often, once more before, and at least once: how it
    /// ended, and how long each run took but the first. Shaders are compiled in the first one. No run is begun when those
    /// before took longer than the limit together, and one without results is the last.
    pub fn run_times(
        &mut self,
        program: &Program,
        input: &[Value],
        budget: &Budget,
        times: usize,
        limit: Duration,
    ) -> (Outcome, Vec<Duration>) {
        let forms = Forms::of(program, self.options.kernels);
        let first = self.options.first;
        let mut took = Vec::new();
        loop {
            let start = self.starts();
            let mut run = Run { gpu: self, names: &program.names };
            let outcome = launcher::run(&forms, input, &mut run, first, budget);
            took.push(start.elapsed());
            let long = took.len() > 1 && took.iter().sum::<Duration>() > limit;
            if long || took.len() > times.max(1) || !matches!(outcome.ending, Ending::Value(_)) {
                return (outcome, took.split_off(1));
            }
        }
    }

    /// How long it takes to allocate so many words, to bring them to the device and to bring them back: each of a batch of so
    /// many, one after the other, at the end of which the device is waited for. What comes back is waited for each time.
    ///
    /// # Errors
    /// The device has no memory for them, or breaks.
    pub fn time_moves(&mut self, words: u32, batch: u32) -> Result<Moves, Halt> {
        self.starts();
        self.with(|held| held.connection.time_moves(words, batch.max(1)))
    }

    /// What is run from now on has the time that a program may take.
    pub(super) fn starts(&mut self) -> Instant {
        let start = Instant::now();
        self.last_start = start + self.options.timeout / 2;
        self.steps = 0;
        if let Some(held) = &mut self.held {
            let until = start + self.options.timeout;
            held.connection.until = (!self.options.waits).then_some(until);
        }
        start
    }
}

impl Connection {
    fn time_moves(&self, size: u32, batch: u32) -> Result<Moves, DeviceError> {
        let usage = Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST;
        let count = u64::from(size.max(1));
        let new = |usage| Held::buffer(self, "timed", count, usage);
        let readback = new(Usage::MAP_READ | Usage::COPY_DST)?;
        let data: Vec<u32> = (0..size.max(1)).collect();
        let start = Instant::now();
        let mut buffer = new(usage)?;
        for number in 0..batch {
            if number > 0 {
                buffer = new(usage)?;
            }
            self.attempt(|to| {
                let mut encoder = to.device.create_command_encoder(&Default::default());
                encoder.clear_buffer(&buffer, 0, None);
                to.queue.submit([encoder.finish()])
            })?;
        }
        self.empties()?;
        let allocate = start.elapsed() / batch;
        let start = Instant::now();
        for _ in 0..batch {
            self.attempt(|to| {
                to.queue.write_buffer(&buffer, 0, &bytes(&data));
                to.queue.submit([])
            })?;
        }
        self.empties()?;
        let to_device = start.elapsed() / batch;
        let start = Instant::now();
        for _ in 0..batch {
            let commands = self.attempt(|to| {
                let mut encoder = to.device.create_command_encoder(&Default::default());
                encoder.copy_buffer_to_buffer(&buffer, 0, &readback, 0, count * 4);
                encoder.finish()
            })?;
            let read = |all: &[u8]| words(all).collect::<Vec<u32>>();
            self.submit_and_read(commands, &readback, count * 4, read)?;
        }
        Ok(Moves { allocate, to_device, to_host: start.elapsed() / batch })
    }

    /// Waits for all that was submitted.
    fn empties(&self) -> Result<(), DeviceError> {
        let last = self.attempt(|to| to.queue.submit([]))?;
        self.wait(last)
    }
}
