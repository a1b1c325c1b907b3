//! Row 4: kernels through an adapter, one process.

use super::rounds::{Quickest, in_a_second, until};
use super::{Row, cases};
use crate::check::stages::Plan;
use crate::check::{Depth, Tester};
use crate::engine::EngineId;
use crate::engines::AdapterEngine;
use crate::engines::child::Launcher;
use compiler::run::Adapter;
use reference::kit::outcome::Ending;
use std::collections::BTreeMap;
use std::time::Duration;

/// Kernels that are launched in a round, at least: a round starts with a process that has compiled
/// but those of the first program, so it must be long for what programs share to show.
const LAUNCHES: u64 = 300;

/// Kernels in a second, of all that is drawn and meant to run.
pub(super) fn kernels(time: Duration, adapter: &Adapter, launcher: &Launcher) -> Row {
    let id = EngineId::of(adapter);
    let mut quickest = Quickest::default();
    let mut busy = Busy::default();
    until(time, || {
        let round = Round::run(adapter, launcher, &mut busy);
        quickest.add(round.took, round.launches, round.sizes);
    });
    let (sizes, figure, rounds) = quickest.ends(in_a_second);
    Row {
        what: format!("kernels through {id}, one process{}", busy.text()),
        figure,
        unit: "kernels/s",
        wanted: match adapter.id.as_str() {
            "swiftshader" => Some(250.0),
            "lavapipe" => Some(60.0),
            _ => None,
        },
        more: true,
        rounds: Some(rounds),
        sizes,
    }
}

/// What the processes were busy with, where the system tells.
#[derive(Default)]
struct Busy {
    launches: u64,
    took: Duration,
}

impl Busy {
    fn text(&self) -> String {
        match self.took.as_secs_f64() {
            0.0 => String::new(),
            took => format!(" ({:.0} in a second of processor time)", self.launches as f64 / took),
        }
    }
}

/// The same programs in a process of their own.
#[derive(Default)]
struct Round {
    launches: u64,
    took: Duration,
    sizes: BTreeMap<u32, u64>,
}

impl Round {
    fn run(adapter: &Adapter, launcher: &Launcher, busy: &mut Busy) -> Self {
        let id = EngineId::of(adapter);
        let mut tester = Tester::new(vec![AdapterEngine::new(adapter, launcher)], Plan::default());
        let mut round = Round::default();
        // When the process was there, with a first case behind it.
        let mut started = None;
        // An adapter that answers nothing ends the round too.
        for case in cases().take(LAUNCHES as usize) {
            if round.launches >= LAUNCHES {
                break;
            }
            let seen = tester.examine(&case, Depth::Quick);
            let Some(side) = seen.side(&id) else { continue };
            if !matches!(side.outcome.ending, Ending::Value(_)) {
                continue;
            }
            if started.is_none() {
                started = Some(tester.adapters[0].processor_time());
                continue;
            }
            round.launches += side.outcome.stats.launches;
            round.took += side.took;
            let size = seen.sides[0].outcome.stats.statements.max(1).ilog2();
            *round.sizes.entry(size).or_default() += 1;
        }
        if let (Some(Some(start)), Some(end)) = (started, tester.adapters[0].processor_time()) {
            busy.launches += round.launches;
            busy.took += end.saturating_sub(start);
        }
        round
    }
}
