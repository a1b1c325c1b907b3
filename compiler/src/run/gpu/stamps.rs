//! Times of launches by timestamps of the device.

use super::connection::{Connection, DeviceError};
use super::launch::{IN_A_ROW, LONG, RUNS, Timed};
use std::time::{Duration, Instant};
use wgpu::BufferUsages as Usage;

/// Most launches of a submission: each has two timestamps.
const MOST: u32 = 64;

impl Connection {
    /// What [`Connection::time`] tells, if timestamps tell it: the median of launches in a row, behind a first one.
    pub(super) fn time_by_stamps(
        &self,
        launch: &Timed,
        limit: Duration,
    ) -> Result<Option<(Option<Duration>, Duration)>, DeviceError> {
        let start = Instant::now();
        let Some(first) = self.stamped(launch, 1)? else { return Ok(None) };
        let spent = start.elapsed();
        if spent > limit {
            return Ok(Some((None, spent)));
        }
        if spent > LONG {
            return Ok(Some((first.first().copied(), spent)));
        }
        let times = IN_A_ROW.as_nanos() / spent.as_nanos().max(1);
        let times = u32::try_from(times).unwrap_or(MOST).clamp(RUNS as u32, MOST);
        let Some(mut took) = self.stamped(launch, times)? else { return Ok(None) };
        let spent = start.elapsed();
        took.sort_unstable();
        let median = took.get(took.len() / 2).copied();
        Ok(Some((median.filter(|_| spent <= limit), spent)))
    }

    /// How long each of some launches in a row takes, from its first timestamp to its second: none, if the device takes no
    /// timestamps, or some that stand still or go back.
    fn stamped(&self, launch: &Timed, times: u32) -> Result<Option<Vec<Duration>>, DeviceError> {
        let Some(period) = self.stamps else { return Ok(None) };
        let times = times.clamp(1, MOST);
        let size = u64::from(times) * 16;
        let (commands, readback) = self.attempt(|to| {
            let queries = to.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("timestamps"),
                ty: wgpu::QueryType::Timestamp,
                count: 2 * times,
            });
            let buffer = |usage| {
                to.device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some("timestamps"),
                    size,
                    usage,
                    mapped_at_creation: false,
                })
            };
            let resolved = buffer(Usage::QUERY_RESOLVE | Usage::COPY_SRC);
            let readback = buffer(Usage::MAP_READ | Usage::COPY_DST);
            let mut encoder = to.device.create_command_encoder(&Default::default());
            for time in 0..times {
                let writes = wgpu::ComputePassTimestampWrites {
                    query_set: &queries,
                    beginning_of_pass_write_index: Some(2 * time),
                    end_of_pass_write_index: Some(2 * time + 1),
                };
                launch.encode(&mut encoder, Some(writes));
            }
            encoder.resolve_query_set(&queries, 0..2 * times, &resolved, 0);
            encoder.copy_buffer_to_buffer(&resolved, 0, &readback, 0, size);
            (encoder.finish(), readback)
        })?;
        let read = |all: &[u8]| {
            let stamps = all.as_chunks().0.iter();
            stamps.map(|stamp| u64::from_le_bytes(*stamp)).collect::<Vec<u64>>()
        };
        let stamps = self.submit_and_read(commands, &readback, size, read)?;
        Ok(between(&stamps, period))
    }
}

/// The times between the stamps of each pair, of which a unit is so many nanoseconds; none, if a pair is no time.
fn between(stamps: &[u64], period: f32) -> Option<Vec<Duration>> {
    let time = |pair: &[u64]| {
        let units = pair[1].checked_sub(pair[0]).filter(|units| *units > 0)?;
        Duration::try_from_secs_f64(units as f64 * f64::from(period) * 1e-9).ok()
    };
    stamps.chunks_exact(2).map(time).collect()
}

#[cfg(test)]
mod tests {
    use super::{Duration, between};

    #[test]
    fn stamps_that_stand_still_or_go_back_tell_no_time() {
        let ns = Duration::from_nanos;
        assert_eq!(between(&[10, 30, 30, 31], 2.0), Some(vec![ns(40), ns(2)]));
        assert_eq!(between(&[10, 30, 30, 30], 1.0), None);
        assert_eq!(between(&[10, 30, 30, 29], 1.0), None);
        assert_eq!(between(&[0, 1], f32::NAN), None);
    }
}
