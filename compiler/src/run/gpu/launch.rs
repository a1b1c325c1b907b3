//! Launches: pipeline, arguments, dispatch, and what comes back.

use super::connection::DeviceError;
use super::memory::{Mirror, byte, bytes, words};
use super::{Connection, Gpu, Held};
use crate::emit::copy;
use crate::emit::wgsl::Shaders;
use crate::recent::Recent;
use reference::device::arena::{Arena, GUARD, guard};
use reference::device::host::{Dim, Halt};
use reference::kit::names::Names;
use reference::kit::outcome::{Broken, Why};
use reference::kit::text::Refused;
use wgpu::BufferUsages as Usage;

/// Words that the buffer of a launch's arguments has at first.
const ARGUMENTS: u64 = 256;

impl Held {
    pub(super) fn new(connection: Connection) -> Result<Self, DeviceError> {
        let entry = |binding: u32, read_only: bool| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Storage { read_only },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        };
        let (layout, pipeline_layout) = connection.attempt(|to| {
            let layout = to.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some("kernel"),
                entries: &[entry(0, false), entry(1, true), entry(2, false)],
            });
            let pipeline_layout =
                to.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                    label: Some("kernel"),
                    bind_group_layouts: &[Some(&layout)],
                    immediate_size: 0,
                });
            (layout, pipeline_layout)
        })?;
        let storage = Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST;
        let readback = Usage::MAP_READ | Usage::COPY_DST;
        Ok(Self {
            arena: Self::buffer(&connection, "arena", 1 << 12, storage)?,
            launch: Self::buffer(&connection, "launch", ARGUMENTS, storage)?,
            records: Self::buffer(&connection, "records", 1 << 10, storage)?,
            readback: Self::buffer(&connection, "readback", 1 << 12, readback)?,
            layout,
            pipeline_layout,
            pipelines: Recent::new(MAX_PIPELINES, MAX_TEXTS),
            group: None,
            connection,
        })
    }

    fn reserve_launch(&mut self, words: u64) -> Result<(), DeviceError> {
        if self.launch.size() / 4 < words {
            let usage = self.launch.usage();
            self.launch =
                Self::buffer(&self.connection, "launch", words.next_power_of_two(), usage)?;
            self.group = None;
        }
        Ok(())
    }

    /// The pipeline of a shader, made once.
    fn pipeline(&mut self, wgsl: &str) -> Result<wgpu::ComputePipeline, DeviceError> {
        if let Some(pipeline) = self.pipelines.get(wgsl) {
            return Ok(pipeline);
        }
        let module = self.connection.attempt(|to| {
            to.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some("kernel"),
                source: wgpu::ShaderSource::Wgsl(wgsl.into()),
            })
        })?;
        let pipeline = self.connection.attempt(|to| {
            to.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some("kernel"),
                layout: Some(&self.pipeline_layout),
                module: &module,
                entry_point: Some("main"),
                compilation_options: Default::default(),
                cache: None,
            })
        })?;
        self.pipelines.insert(wgsl.to_owned(), pipeline.clone());
        Ok(pipeline)
    }

    fn bind_group(&mut self) -> Result<wgpu::BindGroup, DeviceError> {
        if let Some(group) = &self.group {
            return Ok(group.clone());
        }
        fn entry(binding: u32, buffer: &wgpu::Buffer) -> wgpu::BindGroupEntry<'_> {
            wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() }
        }
        let group = self.connection.attempt(|to| {
            to.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("kernel"),
                layout: &self.layout,
                entries: &[entry(0, &self.arena), entry(1, &self.launch), entry(2, &self.records)],
            })
        })?;
        self.group = Some(group.clone());
        Ok(group)
    }
}

/// Pipelines that are kept at most: a campaign makes ever new ones.
const MAX_PIPELINES: usize = 1024;
/// Bytes of their shaders.
const MAX_TEXTS: usize = 8 << 20;

/// Work groups in each dimension of the grid, at most `most` in one.
fn fold(groups: u32, most: u32) -> (u32, u32) {
    if groups <= most { (groups, 1) } else { (most, groups.div_ceil(most)) }
}

/// A kernel that cannot be emitted.
fn refused(refused: Refused) -> Halt {
    Halt::Unknown(Why::Refused(refused.to_string()))
}

/// The record of a launch: address and words of its block in the arena.
#[derive(Clone, Copy)]
struct Record {
    base: u32,
    words: u32,
}

/// Stretches of the arena that come back, first word and how many.
struct Back(Vec<(u32, u32)>);

impl Back {
    fn words(&self) -> u64 {
        self.0.iter().map(|(_, words)| u64::from(*words)).sum()
    }
}

impl Gpu {
    pub(super) fn launch_kernel(
        &mut self,
        shaders: &Shaders,
        number: usize,
        invocations: u32,
        args: &[u32],
    ) -> Result<(), Halt> {
        let group = shaders.group(number);
        let groups = invocations.div_ceil(group);
        let record = shaders.record(number);
        let record = record.map(|at| Record { base: args[at], words: args[at + 1] });
        let mut launch = vec![invocations, groups];
        launch.extend_from_slice(args);
        let most = self.adapter.limits.groups;
        let grid = (groups, most);
        if let (Mirror::Whole { words, .. }, Some(record)) = (&self.mirror, record)
            && self.options.quiet_first
            && let Some(quiet) = shaders.quiet(number, invocations, args).map_err(refused)?
        {
            // Most launches have no failed check, so first comes the shader that only tells
            // whether there was one. What was before comes back for the one that tells which.
            let before = words.clone();
            self.adapter.takes(quiet.needs(), group)?;
            self.dispatch(&quiet.wgsl, grid, &launch, Some(record), shaders.names())?;
            match &mut self.mirror {
                Mirror::Whole { words, changed } if words[record.base as usize] != 0 => {
                    *changed = 0..before.len();
                    *words = before;
                }
                _ => return Ok(()),
            }
        }
        let form = shaders.full(number).map_err(refused)?;
        self.adapter.takes(form.needs(), group)?;
        self.dispatch(&form.wgsl, grid, &launch, record, shaders.names())
    }

    /// Copies words, by the shader for that.
    pub(super) fn launch_copy(
        &mut self,
        names: &Names,
        dims: &[Dim],
        (from, to): (u32, u32),
    ) -> Result<(), Halt> {
        let Some((invocations, args)) = copy::launch(dims, from, to) else {
            return Err(Halt::Unknown(Why::Fuel));
        };
        let form = copy::form();
        self.adapter.takes(form.needs(), form.group)?;
        let groups = invocations.div_ceil(form.group);
        let mut launch = vec![invocations, groups];
        launch.extend(args);
        self.dispatch(&form.wgsl, (groups, self.adapter.limits.groups), &launch, None, names)
    }

    /// Brings to the device what changed here, runs the kernel, and takes back what changed
    /// there.
    fn dispatch(
        &mut self,
        wgsl: &str,
        grid: (u32, u32),
        launch: &[u32],
        record: Option<Record>,
        names: &Names,
    ) -> Result<(), Halt> {
        let back = self.what_comes_back(record);
        let changed = match &mut self.mirror {
            Mirror::Whole { words, changed } => {
                let range = std::mem::replace(changed, 0..0);
                Some((range.start as u32, words[range].to_vec(), words.len() as u64))
            }
            Mirror::Device => None,
        };
        let came = self.with(|held| {
            if let Some((at, new, whole)) = &changed {
                held.reserve_arena(*whole)?;
                if !new.is_empty() {
                    held.connection
                        .attempt(|to| to.queue.write_buffer(&held.arena, byte(*at), &bytes(new)))?;
                }
            }
            held.dispatch(wgsl, grid, launch, record, &back)
        })?;
        self.take_back(&back, record, &came, names)
    }

    /// Everything, or the guards and the header of the record.
    fn what_comes_back(&self, record: Option<Record>) -> Back {
        if let Mirror::Whole { words, .. } = &self.mirror {
            return Back(vec![(0, words.len() as u32)]);
        }
        let mut stretches: Vec<(u32, u32)> = Vec::new();
        for (base, placed) in self.placed.blocks() {
            for start in [base - GUARD, base + placed.words] {
                match stretches.last_mut() {
                    Some((last, count)) if *last + *count == start => *count += GUARD,
                    _ => stretches.push((start, GUARD)),
                }
            }
        }
        stretches.extend(record.map(|record| (record.base, 1)));
        Back(stretches)
    }

    /// Verifies the guards and keeps what else came.
    fn take_back(
        &mut self,
        back: &Back,
        record: Option<Record>,
        came: &[u32],
        names: &Names,
    ) -> Result<(), Halt> {
        let mut broken = None;
        if let Mirror::Whole { words, .. } = &mut self.mirror {
            words.copy_from_slice(came);
            for (base, placed) in self.placed.blocks() {
                let mut guards = Arena::guards(base, placed.words);
                broken = broken.or(guards.find(|at| came[*at as usize] != guard(*at)));
            }
        } else {
            let mut at = 0;
            let guards = back.0.len() - usize::from(record.is_some());
            for (start, count) in &back.0[..guards] {
                for address in *start..start + count {
                    if came[at] != guard(address) {
                        broken = broken.or(Some(address));
                    }
                    at += 1;
                }
            }
            if let Some(record) = record {
                self.headers.insert(record.base, came[at]);
            }
        }
        match broken {
            Some(at) => Err(Halt::Broken(Broken::Guard(self.placed.broken(at, names)))),
            None => Ok(()),
        }
    }
}

impl Held {
    /// Runs the kernel and brings the stretches back.
    fn dispatch(
        &mut self,
        wgsl: &str,
        (groups, most): (u32, u32),
        launch: &[u32],
        record: Option<Record>,
        back: &Back,
    ) -> Result<Vec<u32>, DeviceError> {
        self.reserve_launch(launch.len() as u64)?;
        self.reserve_readback(back.words())?;
        if let Some(record) = record {
            self.reserve_records(record.words.into())?;
        }
        let pipeline = self.pipeline(wgsl)?;
        let group = self.bind_group()?;
        let (x, y) = fold(groups, most);
        let commands = self.connection.attempt(|to| {
            to.queue.write_buffer(&self.launch, 0, &bytes(launch));
            let mut encoder = to.device.create_command_encoder(&Default::default());
            if let Some(record) = record {
                encoder.clear_buffer(&self.records, 0, Some(byte(record.words)));
            }
            {
                let mut pass = encoder.begin_compute_pass(&Default::default());
                pass.set_pipeline(&pipeline);
                pass.set_bind_group(0, &group, &[]);
                pass.dispatch_workgroups(x, y, 1);
            }
            if let Some(Record { base, words }) = record {
                let size = byte(words);
                encoder.copy_buffer_to_buffer(&self.records, 0, &self.arena, byte(base), size);
            }
            let mut at = 0;
            for (start, count) in &back.0 {
                let (from, size) = (byte(*start), byte(*count));
                encoder.copy_buffer_to_buffer(&self.arena, from, &self.readback, at, size);
                at += size;
            }
            encoder.finish()
        })?;
        let read = |all: &[u8]| words(all).collect();
        self.connection.submit_and_read(commands, &self.readback, back.words() * 4, read)
    }
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn long_grids_are_folded() {
        assert_eq!(fold(65_535, 65_535), (65_535, 1));
        assert_eq!(fold(65_536, 65_535), (65_535, 2));
        let (x, y) = fold(1 << 26, 65_535);
        assert!(x <= 65_535 && y <= 65_535 && u64::from(x) * u64::from(y) >= 1 << 26);
    }
}
