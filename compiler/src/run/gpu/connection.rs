//! A connection to one adapter: what is asked of it, and how its failures come back as values.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Why the device did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DeviceError {
    /// It rejected a shader, a pipeline or a command.
    Invalid(String),
    /// It was lost, or its driver gave up.
    Lost(String),
    /// It had no memory left.
    OutOfMemory,
    /// It gave no answer in time. What holds a hung device must not be dropped: dropping waits
    /// for it.
    Hang,
}

/// What went wrong since this was last asked. wgpu reports from within the calls and,
/// when a device is lost, from other threads.
#[derive(Clone, Default)]
struct Reports(Arc<Mutex<Option<DeviceError>>>);

impl Reports {
    fn put(&self, error: DeviceError) {
        // A report that poisoned the lock was made whole or not at all.
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(error);
    }

    fn take(&self) -> Result<(), DeviceError> {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

/// An open device.
pub(super) struct Connection {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    reports: Reports,
    /// What has no answer then counts as hung. Without it, nothing does.
    pub(super) until: Option<Instant>,
    /// Nanoseconds of a unit of its timestamps, if it takes any and they are wanted.
    pub(super) stamps: Option<f32>,
}

impl Connection {
    /// Opens the device of `adapter` with all its limits, and with timestamps if they are wanted.
    pub(super) fn open(adapter: &wgpu::Adapter, stamps: bool) -> Result<Self, DeviceError> {
        let stamp = if stamps { wgpu::Features::TIMESTAMP_QUERY } else { wgpu::Features::empty() };
        let wanted = wgpu::Features::SHADER_INT64
            | wgpu::Features::SHADER_F64
            | wgpu::Features::SHADER_F16
            | wgpu::Features::SUBGROUP
            | stamp;
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("lockstep"),
            required_features: adapter.features() & wanted,
            required_limits: adapter.limits(),
            // Programs are small and many; the arena grows on its own.
            memory_hints: wgpu::MemoryHints::MemoryUsage,
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))
            .map_err(|error| DeviceError::Lost(format!("no device: {error}")))?;
        let reports = Reports::default();
        let errors = reports.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            errors.put(match error {
                wgpu::Error::OutOfMemory { .. } => DeviceError::OutOfMemory,
                wgpu::Error::Validation { description, .. } => DeviceError::Invalid(description),
                wgpu::Error::Internal { description, .. } => DeviceError::Lost(description),
            });
        }));
        let losses = reports.clone();
        device.set_device_lost_callback(move |reason, message| {
            if reason != wgpu::DeviceLostReason::Destroyed {
                losses.put(DeviceError::Lost(message));
            }
        });
        let stamps = device.features().contains(wgpu::Features::TIMESTAMP_QUERY);
        let stamps = stamps.then(|| queue.get_timestamp_period());
        Ok(Self { device, queue, reports, until: None, stamps })
    }

    /// Runs `work`, which asks something of the device, and gives what it made or what the
    /// device said against it.
    pub(super) fn attempt<T>(&self, work: impl FnOnce(&Self) -> T) -> Result<T, DeviceError> {
        let made = work(self);
        self.reports.take()?;
        Ok(made)
    }

    /// Submits `commands`, of which the last copies into `readback`, waits, and hands the first
    /// `bytes` of `readback` to `read`.
    pub(super) fn submit_and_read<T>(
        &self,
        commands: wgpu::CommandBuffer,
        readback: &wgpu::Buffer,
        bytes: u64,
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, DeviceError> {
        let answer = Arc::new(Mutex::new(None));
        let slot = Arc::clone(&answer);
        let submitted = self.attempt(|to| {
            let submitted = to.queue.submit([commands]);
            readback.map_async(wgpu::MapMode::Read, ..bytes, move |result| {
                *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            });
            submitted
        })?;
        self.wait(submitted)?;
        let mapped = answer.lock().unwrap_or_else(PoisonError::into_inner).take();
        match mapped {
            Some(Ok(())) => {}
            Some(Err(error)) => return Err(DeviceError::Lost(format!("reading back: {error}"))),
            None => return Err(DeviceError::Lost("a finished copy was not mapped".to_owned())),
        }
        let view = readback
            .get_mapped_range(..bytes)
            .map_err(|error| DeviceError::Lost(format!("reading back: {error}")))?;
        let result = read(&view);
        drop(view);
        readback.unmap();
        Ok(result)
    }

    /// Waits for what was submitted.
    pub(super) fn wait(&self, submitted: wgpu::SubmissionIndex) -> Result<(), DeviceError> {
        let polled = self.device.poll(wgpu::PollType::Wait {
            submission_index: Some(submitted),
            timeout: self.until.map(|until| until.saturating_duration_since(Instant::now())),
        });
        self.reports.take()?;
        match polled {
            Ok(_) => Ok(()),
            Err(wgpu::PollError::Timeout) => Err(DeviceError::Hang),
            Err(error @ wgpu::PollError::WrongSubmissionIndex(..)) => {
                Err(DeviceError::Lost(error.to_string()))
            }
        }
    }
}
