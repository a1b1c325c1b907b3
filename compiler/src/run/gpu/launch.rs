//! Launches: pipeline, arguments, dispatch, and what comes back.

use super::connection::DeviceError;
use super::memory::{LABELS, Mirror, REGIONS, byte, bytes, words};
use super::{Connection, Gpu, Held};
use crate::recent::Recent;
use crate::run::launcher::Dispatch;
use reference::device::arena::{GUARD, guard};
use reference::device::host::Halt;
use reference::kit::names::Names;
use reference::kit::outcome::{Broken, Why};
use std::time::{Duration, Instant};
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
                entries: &[entry(0, false), entry(1, true), entry(2, false), entry(3, false)],
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
        let region = |label| Self::buffer(&connection, label, 1 << 12, storage);
        Ok(Self {
            regions: [region(LABELS[0])?, region(LABELS[1])?],
            launch: Self::buffer(&connection, "launch", ARGUMENTS, storage)?,
            records: Self::buffer(&connection, "records", 1 << 10, storage)?,
            readback: Self::buffer(&connection, "readback", 1 << 12, readback)?,
            layout,
            pipeline_layout,
            pipelines: Recent::new(MAX_PIPELINES, MAX_TEXTS),
            records_told: false,
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
                entries: &[
                    entry(0, &self.regions[0]),
                    entry(1, &self.launch),
                    entry(2, &self.records),
                    entry(3, &self.regions[1]),
                ],
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

/// Stretches of memory that come back, first address and how many words.
struct Back(Vec<(u32, u32)>);

impl Back {
    fn words(&self) -> u64 {
        self.0.iter().map(|(_, words)| u64::from(*words)).sum()
    }
}

impl Gpu {
    /// Brings to the device what changed here, runs a shader, and takes back what changed there. The answer is
    /// the first word of the record, 0 if there is none.
    pub(super) fn dispatch(&mut self, dispatch: &Dispatch<'_>, names: &Names) -> Result<u32, Halt> {
        self.adapter.takes(dispatch.form.needs(), dispatch.form.group)?;
        let back = self.what_comes_back();
        let changed: Vec<_> = match &mut self.mirror {
            Mirror::Whole { words, changed } => REGIONS
                .iter()
                .zip(changed)
                .map(|((region, start), changed)| {
                    let range = std::mem::replace(changed, 0..0);
                    let (at, words) = (start + range.start as u32, words.of(*region));
                    (*region, at, words[range].to_vec(), words.len() as u64)
                })
                .collect(),
            Mirror::Device(_) => {
                self.with_pages(|held, pages| std::mem::take(pages).flush(held))?;
                Vec::new()
            }
        };
        let mut came = self.with(|held| {
            for (region, at, new, whole) in &changed {
                held.reserve(*region, *whole)?;
                if !new.is_empty() {
                    let (buffer, at) = held.at(*at);
                    held.connection.attempt(|to| to.queue.write_buffer(buffer, at, &bytes(new)))?;
                }
            }
            held.dispatch(dispatch, &back)
        })?;
        let first = if dispatch.record > 0 { came.pop().unwrap_or(0) } else { 0 };
        if let Some(left) = self.timed.as_ref().map(|timing| timing.left) {
            let (took, spent) = self.with(|held| held.time(dispatch, left))?;
            let timing = self.timed.as_mut().expect("it was there");
            timing.left = timing.left.saturating_sub(spent);
            timing.took.extend(took);
            if took.is_none() {
                timing.over = true;
                let why =
                    format!("its launches take longer than the limit; the last took {spent:?}");
                return Err(Halt::Unknown(Why::Refused(why)));
            }
        }
        self.take_back(&back, &came, names)?;
        Ok(first)
    }

    /// Everything, or the guards.
    fn what_comes_back(&self) -> Back {
        if let Mirror::Whole { words, .. } = &self.mirror {
            let all = REGIONS.map(|(region, start)| (start, words.of(region).len() as u32));
            return Back(all.into_iter().filter(|(_, words)| *words > 0).collect());
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
        Back(stretches)
    }

    /// Verifies the guards and keeps what else came.
    fn take_back(&mut self, back: &Back, came: &[u32], names: &Names) -> Result<(), Halt> {
        let mut broken = None;
        if let Mirror::Whole { words, .. } = &mut self.mirror {
            let (plain, atomic) = came.split_at(words.plain.len());
            words.plain.copy_from_slice(plain);
            words.atomic.copy_from_slice(atomic);
            broken = words.broken(&self.placed);
        } else {
            let mut at = 0;
            for (start, count) in &back.0 {
                for address in *start..start + count {
                    if came[at] != guard(address) {
                        broken = broken.or(Some(address));
                    }
                    at += 1;
                }
            }
        }
        match broken {
            Some(at) => Err(Halt::Broken(Broken::Guard(self.placed.broken(at, names)))),
            None => Ok(()),
        }
    }
}

impl Held {
    /// Runs a shader and brings the stretches back, and behind them the first word of the record, if there is
    /// one.
    fn dispatch(&mut self, dispatch: &Dispatch<'_>, back: &Back) -> Result<Vec<u32>, DeviceError> {
        let has_record = dispatch.record > 0;
        let words_back = back.words() + u64::from(has_record);
        self.reserve_launch(dispatch.launch.len() as u64)?;
        self.reserve_readback(words_back)?;
        self.reserve_records(dispatch.record.into())?;
        let pipeline = self.pipeline(&dispatch.form.wgsl)?;
        let group = self.bind_group()?;
        let [x, y] = dispatch.grid;
        let clears = has_record && self.records_told;
        let commands = self.connection.attempt(|to| {
            to.queue.write_buffer(&self.launch, 0, &bytes(dispatch.launch));
            let mut encoder = to.device.create_command_encoder(&Default::default());
            if clears {
                encoder.clear_buffer(&self.records, 0, None);
            }
            {
                let mut pass = encoder.begin_compute_pass(&Default::default());
                pass.set_pipeline(&pipeline);
                pass.set_bind_group(0, &group, &[]);
                pass.dispatch_workgroups(x, y, 1);
            }
            let mut at = 0;
            for (start, count) in &back.0 {
                let ((buffer, from), size) = (self.at(*start), byte(*count));
                encoder.copy_buffer_to_buffer(buffer, from, &self.readback, at, size);
                at += size;
            }
            if has_record {
                encoder.copy_buffer_to_buffer(&self.records, 0, &self.readback, at, 4);
            }
            encoder.finish()
        })?;
        let read = |all: &[u8]| words(all).collect::<Vec<u32>>();
        let came =
            self.connection.submit_and_read(commands, &self.readback, words_back * 4, read)?;
        if has_record {
            // Most launches leave zeros, and the next one needs no others.
            self.records_told = came.last() != Some(&0);
        }
        Ok(came)
    }

    /// How long the shader takes that was dispatched last, as [`Connection::time`] has it.
    fn time(
        &mut self,
        dispatch: &Dispatch<'_>,
        limit: Duration,
    ) -> Result<(Option<Duration>, Duration), DeviceError> {
        let pipeline = self.pipeline(&dispatch.form.wgsl)?;
        let group = self.bind_group()?;
        self.connection.time(&Timed { pipeline, group, grid: dispatch.grid }, limit)
    }
}

/// A launch that is ready to be made, any number of times.
pub(super) struct Timed {
    pub(super) pipeline: wgpu::ComputePipeline,
    pub(super) group: wgpu::BindGroup,
    pub(super) grid: [u32; 2],
}

impl Timed {
    /// One more launch, between timestamps if there are any.
    pub(super) fn encode(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        stamps: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        let [x, y] = self.grid;
        let pass = wgpu::ComputePassDescriptor { label: None, timestamp_writes: stamps };
        let mut pass = encoder.begin_compute_pass(&pass);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.dispatch_workgroups(x, y, 1);
    }
}

impl Connection {
    /// How long a launch takes, and how long all runs took of which this is the median: none is begun after the limit, and
    /// then there is no median. Without timestamps it is the time without what it takes to submit a run and to wait for it,
    /// as far as a number of runs in a row tells.
    pub(super) fn time(
        &self,
        launch: &Timed,
        limit: Duration,
    ) -> Result<(Option<Duration>, Duration), DeviceError> {
        if let Some(timed) = self.time_by_stamps(launch, limit)? {
            return Ok(timed);
        }
        let mut spent = Duration::ZERO;
        let mut run = |times: u32| -> Result<Option<Duration>, DeviceError> {
            if spent > limit {
                return Ok(None);
            }
            let commands = self.attempt(|to| {
                let mut encoder = to.device.create_command_encoder(&Default::default());
                (0..times).for_each(|_| launch.encode(&mut encoder, None));
                encoder.finish()
            })?;
            let start = Instant::now();
            let submitted = self.attempt(|to| to.queue.submit([commands]))?;
            self.wait(submitted)?;
            let took = start.elapsed();
            spent += took;
            Ok(Some(took))
        };
        let took = median_of_runs(&mut run)?;
        Ok((took.filter(|_| spent <= limit), spent))
    }
}

/// How long one run takes, by the medians of single ones and of several in a row. `run` runs so many, or none any more.
fn median_of_runs<E>(
    run: &mut impl FnMut(u32) -> Result<Option<Duration>, E>,
) -> Result<Option<Duration>, E> {
    let mut median = |of: usize, times: u32| -> Result<Option<Duration>, E> {
        let took = (0..of).map(|_| run(times)).collect::<Result<Option<Vec<_>>, E>>()?;
        Ok(took.map(|mut took| {
            took.sort_unstable();
            took[took.len() / 2]
        }))
    };
    let Some(first) = median(1, 1)? else { return Ok(None) };
    if first > LONG {
        return Ok(Some(first));
    }
    let Some(once) = median(RUNS, 1)? else { return Ok(None) };
    let more = (IN_A_ROW.as_secs_f64() / once.as_secs_f64().max(1e-6)).ceil();
    let more = more.clamp(1.0, 512.0) as u32;
    let Some(many) = median(RUNS, 1 + more)? else { return Ok(None) };
    // A clock that does not tell them apart says what one run takes, the wait included.
    Ok(Some(many.checked_sub(once).map_or(once, |took| took / more)))
}

/// A run that takes so long is timed once: what it takes to submit it is nothing beside it.
pub(super) const LONG: Duration = Duration::from_millis(500);
/// How long runs in a row take that are timed together, roughly.
pub(super) const IN_A_ROW: Duration = Duration::from_millis(20);
/// How often the same is timed.
pub(super) const RUNS: usize = 7;

#[cfg(test)]
mod tests {
    use super::{Duration, median_of_runs};

    /// Runs that each take so long, until they have taken a second.
    fn timed(each: Duration) -> (Option<Duration>, u32) {
        let (mut spent, mut runs) = (Duration::ZERO, 0);
        let took = median_of_runs(&mut |times| -> Result<_, ()> {
            if spent > Duration::from_secs(1) {
                return Ok(None);
            }
            runs += times;
            spent += each * times;
            Ok(Some(each * times))
        });
        (took.expect("nothing fails"), runs)
    }

    #[test]
    fn a_launch_that_takes_long_is_repeated_less_often_or_not_at_all() {
        let ms = Duration::from_millis;
        assert_eq!(timed(ms(1)), (Some(ms(1)), 1 + 7 + 7 * 21));
        assert_eq!(timed(ms(600)), (Some(ms(600)), 1));
        assert_eq!(timed(ms(300)), (None, 4));
    }
}
