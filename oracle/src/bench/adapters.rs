//! Row 4: kernels through an adapter, one process.

use super::rounds::{Quickest, in_a_second, until};
use super::{Row, cases};
use crate::check::{Depth, Tester};
use crate::engine::EngineId;
use crate::engines::AdapterEngine;
use crate::engines::child::Launcher;
use crate::stages::Plan;
use compiler::target::Adapter;
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
    until(time, || {
        let round = Round::run(adapter, launcher);
        quickest.add(round.took, round.launches, round);
    });
    // One that answers nothing launches none.
    let (round, figure, rounds) = quickest.ends(in_a_second).unwrap_or_default();
    Row {
        what: format!("kernels through {id}, one process{}", round.of_processor()),
        figure,
        unit: "kernels/s",
        wanted: match adapter.id.as_str() {
            "swiftshader" => Some(250.0),
            "lavapipe" => Some(60.0),
            _ => None,
        },
        more: true,
        rounds: Some(rounds),
        sizes: round.sizes,
    }
}

/// The same programs in a process of their own.
#[derive(Default)]
struct Round {
    launches: u64,
    took: Duration,
    /// Processor time of the process, where the system tells.
    busy: Option<Duration>,
    sizes: BTreeMap<u32, u64>,
}

/// How many cases an adapter may leave unanswered before a round ends.
const UNANSWERED: usize = 20;

impl Round {
    fn run(adapter: &Adapter, launcher: &Launcher) -> Self {
        let id = EngineId::of(adapter);
        let mut tester = Tester::new(vec![AdapterEngine::new(adapter, launcher)], Plan::default());
        let mut round = Round::default();
        // When the process was there, with a first case behind it.
        let mut started = None;
        let mut unanswered = 0;
        for case in cases() {
            if round.launches >= LAUNCHES || unanswered > UNANSWERED {
                break;
            }
            let seen = tester.examine(&case, Depth::Quick);
            let answer =
                seen.side(&id).filter(|side| matches!(side.outcome.ending, Ending::Value(_)));
            unanswered += usize::from(answer.is_none());
            let Some(side) = answer else { continue };
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
            round.busy = end.checked_sub(start);
        }
        round
    }

    /// The figure by processor time.
    fn of_processor(&self) -> String {
        let busy = self.busy.filter(|busy| !busy.is_zero());
        let figure = busy.map(|busy| self.launches as f64 / busy.as_secs_f64());
        figure.map_or_else(String::new, |figure| {
            format!(" ({figure:.0} in a second of processor time)")
        })
    }
}
