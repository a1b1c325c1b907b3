//! Order-independence: a race-free program gives the same in every order of its threads.

use super::agree::{StuckPolicy, agree};
use super::look::Look;
use super::race::{describe, located};
use super::tester::Tester;
use super::verdict::{Finding, Kind};
use crate::engine::Stage;
use reference::kit::outcome::Ending;

/// Holds the side of another order against the side in order, which had no race.
///
/// # Errors
/// How they differ, and what is blamed.
pub(super) fn check(
    tester: &Tester,
    look: &Look,
    stage: &Stage,
    (in_order, at): (usize, usize),
) -> Result<(), Box<Finding>> {
    let (in_order, other) = (look.outcome(in_order), look.outcome(at));
    let engine = look.seen.sides[at].engine.clone();
    if let Some(race) = other.races.first() {
        // In order a stuck thread ends the run, so threads behind it may race unseen.
        if matches!(in_order.ending, Ending::Stuck(_)) {
            return Ok(());
        }
        let text = format!("a race that the run in order did not show: {}", describe(race));
        let finding = Finding::of(stage.id, engine, Kind::MissedRace, text);
        return Err(Box::new(finding.shown_by(&located(tester, look, stage, at))));
    }
    agree(in_order, other, StuckPolicy::Same).map_err(|difference| {
        let kind = match difference.kind {
            Kind::Value | Kind::Stuck => Kind::Order,
            broken => broken,
        };
        let text = format!("the result depends on the order of threads: {}", difference.text);
        let finding = Finding::between(stage.id, engine, &difference, text);
        Box::new(Finding { kind, ..finding.shown_by(other) })
    })
}
