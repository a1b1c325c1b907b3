//! Validity (def. 3.1): memory changes nothing. The run with the memory removed and the run by
//! heap give the same, and each result array is row-major over the whole of its block.

use super::verdict::{Finding, Kind, Part};
use crate::engine::{EngineId, Stage};
use crate::language::Listed;
use reference::funmem::FunMem;
use reference::funmem::validity::{Invalid, difference};
use reference::kit::outcome::Outcome;

/// Why a FUNMEM program is invalid on an input, from its two runs and from the array of the
/// results that stands wrong, if any. `None` where one of the runs has no answer.
pub fn judge(values: &Outcome, heap: &Outcome, layout: Option<Invalid>) -> Option<Invalid> {
    difference(&values.ending, &heap.ending).or(layout)
}

/// What a pass made is valid.
///
/// # Errors
/// Why it is not.
pub fn check(stage: &Stage, invalid: Option<Invalid>) -> Result<(), Box<Finding>> {
    let Some(invalid) = invalid else { return Ok(()) };
    let text = format!("the memory of {} is invalid: {invalid}", stage.id);
    let finding = Finding::of(stage.id, EngineId::own(FunMem::LANG), Kind::Invalid, text);
    Err(Box::new(Finding { part: Part::Memory, ..finding }))
}
