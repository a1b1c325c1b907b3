//! Order-independence: a race-free program gives the same in every order of its threads.
//!
//! If an order disagrees, IMP's own access log decides: a conflict there blames FUNMEM's check of
//! races, which had called the program race-free; none blames the translation.

use super::agree::{StuckPolicy, agree};
use super::race;
use super::verdict::{Finding, Kind};
use crate::engine::{EngineId, Stage};
use reference::kit::outcome::{Ending, Outcome};

/// Holds the end of another order against the end in order.
///
/// # Errors
/// How they differ, and what is blamed.
pub fn check(
    stage: &Stage,
    engine: EngineId,
    in_order: &Outcome,
    other: &Outcome,
) -> Result<(), Box<Finding>> {
    // In order a stuck thread ends the run, so threads behind it may race unseen.
    let stuck = matches!(in_order.ending, Ending::Stuck(_));
    if !other.races.is_empty() {
        return if stuck { Ok(()) } else { race::check_the_check(engine, other) };
    }
    agree(in_order, other, StuckPolicy::Same).map_err(|difference| {
        let kind = match difference.kind {
            Kind::Value | Kind::Stuck => Kind::Order,
            broken => broken,
        };
        let text = format!("the order of threads can be told: {}", difference.text);
        let finding = Finding::between(stage.id, engine, &difference, text);
        Box::new(Finding { kind, ..finding })
    })
}
