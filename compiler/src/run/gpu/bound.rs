//! Runs shaders that others wrote, with bind groups of their own.

use super::connection::{Connection, DeviceError};
use super::memory::{bytes, words};
use super::{Gpu, Held};
use crate::emit::enabled::without_enable;
use crate::run::bound::{Access, Bound, BoundBuffer};
use reference::device::host::Halt;
use wgpu::BufferUsages as Usage;

impl Gpu {
    /// Runs a shader that somebody wrote, and gives the words that its buffers hold then.
    ///
    /// # Errors
    /// The device rejects it, has no memory for it, or breaks.
    pub fn run_bound(&mut self, bound: &Bound) -> Result<Vec<Vec<u32>>, Halt> {
        self.starts();
        self.with(|held| held.connection.run_bound(bound))
    }
}

impl Connection {
    fn run_bound(&self, bound: &Bound) -> Result<Vec<Vec<u32>>, DeviceError> {
        let made = bound.buffers.iter().map(|buffer| self.bound_buffer(buffer));
        let buffers: Vec<wgpu::Buffer> = made.collect::<Result<_, DeviceError>>()?;
        let groups = bound.buffers.iter().map(|buffer| buffer.group + 1).max().unwrap_or(0);
        let layouts = (0..groups).map(|group| self.layout_of(bound, group));
        let layouts: Vec<Option<wgpu::BindGroupLayout>> = layouts.collect::<Result<_, _>>()?;
        let pipeline = self.bound_pipeline(bound, &layouts)?;
        let sets = (0..).zip(&layouts).filter_map(|(group, layout)| {
            Some((group, self.bind_group_of(bound, &buffers, group, layout.as_ref()?)))
        });
        let sets: Vec<(u32, wgpu::BindGroup)> = sets
            .map(|(group, made)| made.map(|made| (group, made)))
            .collect::<Result<_, DeviceError>>()?;
        let room: usize = bound.buffers.iter().map(BoundBuffer::room).sum();
        let size = 4 * room as u64;
        let readback = Usage::MAP_READ | Usage::COPY_DST;
        let readback = Held::buffer(self, "bound", room.max(1) as u64, readback)?;
        let commands = self.attempt(|to| {
            let mut encoder = to.device.create_command_encoder(&Default::default());
            {
                let mut pass = encoder.begin_compute_pass(&Default::default());
                pass.set_pipeline(&pipeline);
                sets.iter().for_each(|(group, set)| pass.set_bind_group(*group, set, &[]));
                bound.dispatches.iter().for_each(|[x, y, z]| pass.dispatch_workgroups(*x, *y, *z));
            }
            let mut at = 0;
            for buffer in &buffers {
                encoder.copy_buffer_to_buffer(buffer, 0, &readback, at, buffer.size());
                at += buffer.size();
            }
            encoder.finish()
        })?;
        let read = |all: &[u8]| words(all).collect::<Vec<u32>>();
        let came = self.submit_and_read(commands, &readback, size.max(4), read)?;
        let mut rest = &came[..];
        let taken = bound.buffers.iter().map(|buffer| {
            let (own, behind) = rest.split_at(buffer.room());
            rest = behind;
            own[..buffer.words.len()].to_vec()
        });
        Ok(taken.collect())
    }

    fn bound_buffer(&self, buffer: &BoundBuffer) -> Result<wgpu::Buffer, DeviceError> {
        let usage = match buffer.access {
            Access::Uniform => Usage::UNIFORM,
            Access::Read | Access::Write => Usage::STORAGE,
        };
        let usage = usage | Usage::COPY_SRC | Usage::COPY_DST;
        let made = Held::buffer(self, "bound", buffer.room() as u64, usage)?;
        self.attempt(|to| to.queue.write_buffer(&made, 0, &bytes(&buffer.words)))?;
        Ok(made)
    }

    /// The layout of a group; none of one that the shader does not use.
    fn layout_of(
        &self,
        bound: &Bound,
        group: u32,
    ) -> Result<Option<wgpu::BindGroupLayout>, DeviceError> {
        let entry = |buffer: &BoundBuffer| wgpu::BindGroupLayoutEntry {
            binding: buffer.binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: match buffer.access {
                    Access::Uniform => wgpu::BufferBindingType::Uniform,
                    access => {
                        wgpu::BufferBindingType::Storage { read_only: access == Access::Read }
                    }
                },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        };
        let own = bound.buffers.iter().filter(|buffer| buffer.group == group);
        let entries: Vec<_> = own.map(entry).collect();
        if entries.is_empty() {
            return Ok(None);
        }
        let described = wgpu::BindGroupLayoutDescriptor { label: Some("bound"), entries: &entries };
        self.attempt(|to| Some(to.device.create_bind_group_layout(&described)))
    }

    fn bound_pipeline(
        &self,
        bound: &Bound,
        layouts: &[Option<wgpu::BindGroupLayout>],
    ) -> Result<wgpu::ComputePipeline, DeviceError> {
        let module = self.attempt(|to| {
            to.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some("bound"),
                source: wgpu::ShaderSource::Wgsl(without_enable(&bound.wgsl).into()),
            })
        })?;
        let layouts: Vec<_> = layouts.iter().map(Option::as_ref).collect();
        let layout = self.attempt(|to| {
            to.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("bound"),
                bind_group_layouts: &layouts,
                immediate_size: 0,
            })
        })?;
        let constants: Vec<(&str, f64)> =
            bound.constants.iter().map(|(key, value)| (key.as_str(), *value)).collect();
        self.attempt(|to| {
            to.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some("bound"),
                layout: Some(&layout),
                module: &module,
                entry_point: Some(&bound.entry),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants: &constants,
                    ..Default::default()
                },
                cache: None,
            })
        })
    }

    fn bind_group_of(
        &self,
        bound: &Bound,
        buffers: &[wgpu::Buffer],
        group: u32,
        layout: &wgpu::BindGroupLayout,
    ) -> Result<wgpu::BindGroup, DeviceError> {
        let own = bound.buffers.iter().zip(buffers).filter(|(buffer, _)| buffer.group == group);
        let entries: Vec<_> = own
            .map(|(buffer, made)| wgpu::BindGroupEntry {
                binding: buffer.binding,
                resource: made.as_entire_binding(),
            })
            .collect();
        self.attempt(|to| {
            to.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("bound"),
                layout,
                entries: &entries,
            })
        })
    }
}
