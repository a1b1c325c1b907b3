//! What the programs of a round cost, in four parts.

use super::Row;
use super::rounds::{Quickest, in_a_second, until};
use std::collections::BTreeMap;
use std::time::Duration;

/// Programs, and what they took and executed.
#[derive(Default)]
pub(super) struct Measured {
    /// The parts in which they were measured.
    took: [Duration; 4],
    /// By each engine.
    executed: [u64; 4],
    /// By the binary logarithm of the statements of a run, on the mean over the semantics.
    sizes: BTreeMap<u32, u64>,
    /// Programs whose ends differ.
    pub(super) disagree: u64,
}

impl Measured {
    /// The quickest round of each of the two that `round` measures: some of its programs, and all.
    pub(super) fn quickest(
        time: Duration,
        mut round: impl FnMut() -> (Self, Self),
    ) -> [Quickest<Self>; 2] {
        let mut quickest = [Quickest::default(), Quickest::default()];
        until(time, || {
            let (some, all) = round();
            for (quickest, one) in quickest.iter_mut().zip([some, all]) {
                quickest.add(one.took(), one.count(), one);
            }
        });
        quickest
    }

    /// One more program, of so many statements on the mean.
    pub(super) fn add(&mut self, mean: u64, took: [Duration; 4], executed: [u64; 4], agreed: bool) {
        self.took.iter_mut().zip(took).for_each(|(all, one)| *all += one);
        self.executed.iter_mut().zip(executed).for_each(|(all, one)| *all += one);
        *self.sizes.entry(mean.max(1).ilog2()).or_default() += 1;
        self.disagree += u64::from(!agreed);
    }

    /// All of it.
    pub(super) fn took(&self) -> Duration {
        self.took.iter().sum()
    }

    /// How many programs.
    pub(super) fn count(&self) -> u64 {
        self.sizes.values().sum()
    }

    /// Microseconds of a program, in each part.
    pub(super) fn micros(&self) -> [f64; 4] {
        self.took.map(|took| took.as_secs_f64() * 1e6 / self.count().max(1) as f64)
    }

    /// Statements of a program, by each engine.
    pub(super) fn statements(&self) -> [f64; 4] {
        self.executed.map(|executed| executed as f64 / self.count().max(1) as f64)
    }

    /// Programs in a second, as `what` describes those of the quickest round, up to a bracket that
    /// it leaves open.
    pub(super) fn row(
        rounds: Quickest<Self>,
        wanted: Option<f64>,
        what: impl Fn(&Self) -> String,
    ) -> Row {
        let (programs, figure, rounds) = rounds.ends(in_a_second).unwrap_or_default();
        let disagree = match programs.disagree {
            0 => String::new(),
            number => format!(", {number} disagree"),
        };
        Row {
            what: format!("{}{disagree})", what(&programs)),
            figure,
            unit: "programs/s",
            wanted,
            more: true,
            rounds: Some(rounds),
            sizes: programs.sizes,
        }
    }
}
