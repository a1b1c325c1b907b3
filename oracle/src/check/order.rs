//! Order-independence: a race-free program gives the same in every order of its threads.

use super::agree::{StuckPolicy, agree};
use super::race::describe;
use super::verdict::{Finding, Kind};
use crate::engine::{EngineId, Stage};
use reference::kit::outcome::{Ending, Outcome};

/// Holds the end of another order against the end in order, which had no race.
///
/// # Errors
/// How they differ, and what is blamed.
pub fn check(
    stage: &Stage,
    engine: EngineId,
    in_order: &Outcome,
    other: &Outcome,
) -> Result<(), Box<Finding>> {
    if let Some(race) = other.races.first() {
        // In order a stuck thread ends the run, so threads behind it may race unseen.
        if matches!(in_order.ending, Ending::Stuck(_)) {
            return Ok(());
        }
        let text = format!("a race that the run in order did not show: {}", describe(race));
        return Err(Box::new(Finding::of(stage.id, engine, Kind::MissedRace, text)));
    }
    agree(in_order, other, StuckPolicy::Same).map_err(|difference| {
        let kind = match difference.kind {
            Kind::Value | Kind::Stuck => Kind::Order,
            broken => broken,
        };
        let text = format!("the result depends on the order of threads: {}", difference.text);
        let finding = Finding::between(stage.id, engine, &difference, text);
        Box::new(Finding { kind, ..finding })
    })
}
