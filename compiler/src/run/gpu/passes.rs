//! Runs shaders that were written by hand.

use super::connection::{Connection, DeviceError};
use super::launch::Timed;
use super::memory::{bytes, words};
use super::{Gpu, Held};
use crate::run::passes::{Pass, Passes};
use reference::device::host::Halt;
use std::time::{Duration, Instant};
use wgpu::BufferUsages as Usage;

impl Gpu {
    /// Runs shaders that were written by hand: the words of the result and, if a limit is said, how long all launches take,
    /// each timed as [`Gpu::set_timed`] has it; `None` if they take longer than the limit.
    ///
    /// # Errors
    /// The device rejects them, has no memory for them, or breaks.
    pub fn run_passes(
        &mut self,
        work: &Passes<'_>,
        limit: Option<Duration>,
    ) -> Result<(Vec<u32>, Option<Duration>), Halt> {
        let until = Instant::now() + self.options.timeout;
        let until = (!self.options.waits).then_some(until);
        self.with(|held| {
            held.connection.until = until;
            held.connection.run_passes(work, limit)
        })
    }
}

impl Connection {
    fn run_passes(
        &self,
        work: &Passes<'_>,
        limit: Option<Duration>,
    ) -> Result<(Vec<u32>, Option<Duration>), DeviceError> {
        let usage = Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST;
        let made = work.buffers.iter().map(|words| {
            let buffer = Held::buffer(self, "by hand", words.len() as u64, usage)?;
            self.attempt(|to| to.queue.write_buffer(&buffer, 0, &bytes(words)))?;
            Ok(buffer)
        });
        let buffers: Vec<wgpu::Buffer> = made.collect::<Result<_, DeviceError>>()?;
        let ready = work.passes.iter().map(|pass| self.ready(pass, &buffers));
        let ready: Vec<Timed> = ready.collect::<Result<_, _>>()?;
        let result = &buffers[work.result];
        let readback = Usage::MAP_READ | Usage::COPY_DST;
        let readback = Held::buffer(self, "by hand", result.size() / 4, readback)?;
        let commands = self.attempt(|to| {
            let mut encoder = to.device.create_command_encoder(&Default::default());
            ready.iter().for_each(|launch| launch.encode(&mut encoder, None));
            encoder.copy_buffer_to_buffer(result, 0, &readback, 0, result.size());
            encoder.finish()
        })?;
        let read = |all: &[u8]| words(all).collect::<Vec<u32>>();
        let came = self.submit_and_read(commands, &readback, result.size(), read)?;
        let Some(mut left) = limit else { return Ok((came, None)) };
        let mut all = Some(Duration::ZERO);
        for launch in &ready {
            let (took, spent) = self.time(launch, left)?;
            left = left.saturating_sub(spent);
            all = all.zip(took).map(|(all, took)| all + took);
            if all.is_none() {
                break;
            }
        }
        Ok((came, all))
    }

    /// A launch with its pipeline and its buffers.
    fn ready(&self, pass: &Pass<'_>, buffers: &[wgpu::Buffer]) -> Result<Timed, DeviceError> {
        let module = self.attempt(|to| {
            to.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some("by hand"),
                source: wgpu::ShaderSource::Wgsl(pass.wgsl.into()),
            })
        })?;
        let pipeline = self.attempt(|to| {
            to.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some("by hand"),
                layout: None,
                module: &module,
                entry_point: Some("main"),
                compilation_options: Default::default(),
                cache: None,
            })
        })?;
        let entry = |(binding, buffer): (u32, &usize)| wgpu::BindGroupEntry {
            binding,
            resource: buffers[*buffer].as_entire_binding(),
        };
        let entries: Vec<_> = (0..).zip(&pass.buffers).map(entry).collect();
        let group = self.attempt(|to| {
            to.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("by hand"),
                layout: &pipeline.get_bind_group_layout(0),
                entries: &entries,
            })
        })?;
        Ok(Timed { pipeline, group, grid: pass.groups })
    }
}
