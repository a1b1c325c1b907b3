//! Validity (def. 3.1): memory changes nothing. The run with the memory removed and the run by
//! heap give the same, and each result array is row-major over the whole of its block. What is right by luck, with an
//! array overwritten that is read thereafter, is not taken for valid.

use super::verdict::{Finding, Kind, Part};
use crate::engine::{EngineId, Stage};
use crate::language::Listed;
use reference::funmem::FunMem;
use reference::funmem::validity::Invalid;
use reference::kit::outcome::Outcome;

/// Why a FUNMEM program is invalid on an input, from its two runs and from what is wrong with the memory of the
/// one by heap, if anything. That alone where one of the runs has no answer.
pub fn judge(values: &Outcome, heap: &Outcome, of_heap: Option<Invalid>) -> Option<Invalid> {
    Invalid::against(of_heap, &values.ending, &heap.ending)
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
