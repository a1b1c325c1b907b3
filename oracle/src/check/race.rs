//! Race-freedom: a race that an earlier stage did not have is blamed on the pass that made it.
//! One that IMP's own access log shows where FUNMEM saw none is blamed on FUNMEM's check.

use super::verdict::{Finding, Kind, Part};
use crate::engine::{EngineId, Stage, StageId};
use reference::kit::outcome::{Outcome, Race};

/// FUNMEM's check of race-freedom, which is blamed like a pass.
pub const RACE_CHECK: StageId = StageId("race_check");

/// No stage of a race-free program races.
///
/// # Errors
/// The first race.
pub fn check(stage: &Stage, engine: EngineId, outcome: &Outcome) -> Result<(), Box<Finding>> {
    let Some(race) = outcome.races.first() else { return Ok(()) };
    let text = format!("{} made a race: {}", stage.id, describe(race));
    let finding =
        Finding { stage: stage.id, engine, kind: Kind::Race, part: Part::Memory, site: None, text };
    Err(Box::new(finding))
}

/// IMP's access log shows no conflict in what FUNMEM called race-free.
///
/// # Errors
/// The first conflict.
pub fn check_the_check(engine: EngineId, outcome: &Outcome) -> Result<(), Box<Finding>> {
    let Some(race) = outcome.races.first() else { return Ok(()) };
    let text = format!("FUNMEM saw no race, but IMP's access log shows one: {}", describe(race));
    Err(Box::new(Finding {
        stage: RACE_CHECK,
        engine,
        kind: Kind::MissedRace,
        part: Part::Whole,
        site: None,
        text,
    }))
}

/// Can the races of IMP be why it ends otherwise than FUNMEM, both in order? FUNMEM copies an array
/// at once and IMP element by element, so one of a read and a write can. Two writes come in the
/// same order in both.
pub fn may_change_the_end(outcome: &Outcome) -> bool {
    outcome.races.iter().any(|race| !(race.first.1 && race.second.1))
}

/// `threads [1] (wrote) and [2] (read) at offset 0 of a_mem`
pub fn describe(race: &Race) -> String {
    let side = |(thread, wrote): &(Vec<i32>, bool)| {
        format!("{thread:?} ({})", if *wrote { "wrote" } else { "read" })
    };
    format!(
        "threads {} and {} at offset {} of {}",
        side(&race.first),
        side(&race.second),
        race.offset,
        race.block
    )
}
