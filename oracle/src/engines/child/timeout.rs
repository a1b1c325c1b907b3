//! How long an answer is waited for, and when a process that gives none counts as hanging. On a busy
//! machine a driver may be slow, and that is no hang.

use std::time::{Duration, Instant};

/// So many times its limit is waited for at most.
const MOST: u32 = 10;
/// A process that wants a processor gets this part of one, however busy the machine is; one that waits for something
/// else and looks now and then whether it is there takes less.
const PART: u32 = 100;

/// The wait for an answer.
pub(super) struct Timeout {
    /// What was asked of the process began then.
    start: Instant,
    /// How long it may take.
    limit: Duration,
    /// The processor time that the process had had when it was first looked at.
    first: Option<Duration>,
    /// What it had had when it had last had its part of half of its limit, and when that was seen.
    last: (Duration, Instant),
}

impl Timeout {
    /// With what began at `start` and may take `limit`.
    pub(super) fn new(start: Instant, limit: Duration) -> Self {
        Self { start, limit, first: None, last: (Duration::ZERO, Instant::now()) }
    }

    /// Does the process hang? It is `now`, and it has had `processor` time so far, if the system
    /// says so. Past its limit it does if it has had its limit of processor time too, or if it has had
    /// less than a hundredth of a processor for half of its limit: it does not want any. Else it wants
    /// one and finds none, and has longer.
    pub(super) fn is_over(&mut self, now: Instant, processor: Option<Duration>) -> bool {
        let waited = now.saturating_duration_since(self.start);
        let Some(processor) = processor else { return waited >= self.limit };
        let first = *self.first.get_or_insert(processor);
        // The system tells hundredths of a second.
        let part = (self.limit / 2 / PART).max(Duration::from_millis(10));
        if processor.saturating_sub(self.last.0) >= part {
            self.last = (processor, now);
        }
        let had = processor.saturating_sub(first);
        let idle = now.saturating_duration_since(self.last.1);
        waited >= self.limit
            && (had >= self.limit
                || idle >= self.limit / 2
                || waited >= self.limit.saturating_mul(MOST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(20);

    /// The seconds after which a process hangs that has had so much processor time by each of them.
    fn over(had: impl Fn(u64) -> Option<u64>) -> Option<u64> {
        let start = Instant::now();
        let mut timeout = Timeout::new(start, LIMIT);
        (0..1000).find(|&second| {
            let processor = had(second).map(Duration::from_millis);
            timeout.is_over(start + Duration::from_secs(second), processor)
        })
    }

    #[test]
    fn what_wants_no_processor_hangs_at_its_limit() {
        assert_eq!(over(|_| Some(0)), Some(20));
        assert_eq!(over(|_| Some(123_450)), Some(20), "what it had before does not count");
        assert_eq!(over(|second| Some(900 * second.min(9))), Some(20));
        assert_eq!(over(|second| Some(900 * second.min(15))), Some(25), "it worked up to then");
    }

    #[test]
    fn what_only_looks_now_and_then_wants_no_processor() {
        assert_eq!(over(|second| Some(second * 4)), Some(20));
        assert_eq!(over(|second| Some(second / 9 * 10)), Some(20), "a tick in nine seconds");
        assert_eq!(over(|second| Some(second * 9)), Some(22), "ten seconds after 100 ms of it");
    }

    #[test]
    fn what_has_had_its_limit_of_processor_time_hangs() {
        assert_eq!(over(|second| Some(second * 1000)), Some(20));
        assert_eq!(over(|second| Some(second * 2000)), Some(20), "threads side by side");
        assert_eq!(over(|second| Some(second * 500)), Some(40), "half of a processor");
    }

    #[test]
    fn what_finds_no_processor_has_longer_and_not_for_ever() {
        assert_eq!(over(|second| Some(second * 20)), Some(200));
    }

    #[test]
    fn where_the_system_does_not_say_it_hangs_at_its_limit() {
        assert_eq!(over(|_| None), Some(20));
    }
}
