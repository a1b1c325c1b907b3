//! Rounds over the same programs, of which the quickest counts: a core that shares its units with
//! another one, or whose clock was lowered for a while, has the same programs take up to half as
//! long again.

use serde::Serialize;
use std::time::{Duration, Instant};

/// How a figure was measured.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Rounds {
    /// How many rounds there were.
    pub count: u32,
    /// What the figure would be in the mean of them.
    pub mean: f64,
}

/// The quickest round so far.
pub(super) struct Quickest<M> {
    /// Seconds of a unit of it, and what was measured.
    best: Option<(f64, M)>,
    /// Seconds of a unit, over all of them.
    sum: f64,
    count: u32,
}

impl<M> Default for Quickest<M> {
    fn default() -> Self {
        Self { best: None, sum: 0.0, count: 0 }
    }
}

impl<M> Quickest<M> {
    /// One more round, of so many units. A round of no units is ignored.
    pub(super) fn add(&mut self, took: Duration, units: u64, measured: M) {
        if units == 0 {
            return;
        }
        let each = took.as_secs_f64() / units as f64;
        self.sum += each;
        self.count += 1;
        if self.best.as_ref().is_none_or(|(best, _)| each < *best) {
            self.best = Some((each, measured));
        }
    }

    /// What the quickest round measured, and, both from the seconds of a unit by `figure`, its
    /// figure and that of the mean; nothing if there was no round.
    pub(super) fn ends(self, figure: impl Fn(f64) -> f64) -> Option<(M, f64, Rounds)> {
        let (each, measured) = self.best?;
        let mean = figure(self.sum / f64::from(self.count));
        Some((measured, figure(each), Rounds { count: self.count, mean }))
    }
}

/// Nanoseconds, for [`Quickest::ends`].
pub(super) fn nanoseconds(each: f64) -> f64 {
    each * 1e9
}

/// How many in a second, for [`Quickest::ends`].
pub(super) fn in_a_second(each: f64) -> f64 {
    each.max(1e-9).recip()
}

/// As many rounds as fit into this time, but one at least.
pub(super) fn until(time: Duration, mut round: impl FnMut()) {
    let start = Instant::now();
    loop {
        round();
        if start.elapsed() >= time {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Quickest, in_a_second};
    use std::time::Duration;

    #[test]
    fn the_quickest_round_counts() {
        let mut rounds = Quickest::default();
        for (seconds, units, name) in [(4, 2, "a"), (3, 3, "b"), (0, 0, "none"), (6, 1, "c")] {
            rounds.add(Duration::from_secs(seconds), units, name);
        }
        let (measured, figure, rounds) = rounds.ends(in_a_second).expect("there were rounds");
        assert_eq!((measured, figure, rounds.count), ("b", 1.0, 3));
        assert!((rounds.mean - 1.0 / 3.0).abs() < 1e-9);
        assert!(Quickest::<()>::default().ends(in_a_second).is_none());
    }
}
