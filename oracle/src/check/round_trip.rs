//! Print and parse are inverse: what the printer writes, the parser reads as the same core.
//!
//! Spans and numbers of names may differ, so programs are compared as they are printed.

use super::verdict::{Finding, Kind, Part};
use crate::engine::{EngineId, Stage};
use crate::language::{self, Lang};
use crate::panics::catch;
use crate::rolls::Rolls;

/// Prints a stage, reads it back, and holds it against the type rules.
///
/// # Errors
/// What is not the same.
pub fn check(stage: &Stage, engine: EngineId) -> Result<(), Box<Finding>> {
    let lang = stage.artifact.lang();
    let outcome = catch(|| {
        let printed = language::print(&stage.artifact);
        let read = lang.parse(&printed).map_err(|error| {
            format!("the parser of {lang} refuses what its printer wrote: {}", error.message)
        })?;
        language::types(&read, &mut Rolls::new()).map_err(|error| {
            format!("what the printer of {lang} wrote is not well typed: {}", error.message)
        })?;
        let again = language::print(&read);
        match printed.lines().zip(again.lines()).find(|(one, two)| one != two) {
            Some((one, two)) => Err(format!("`{one}` is read and printed as `{two}`")),
            None if printed.lines().count() == again.lines().count() => Ok(()),
            None => Err("lines are lost".to_owned()),
        }
    });
    let (kind, text) = match outcome {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(text)) => (Kind::RoundTrip, text),
        Err(text) => (Kind::Panic, text),
    };
    Err(Box::new(Finding { stage: stage.id, engine, kind, part: Part::Whole, site: None, text }))
}

/// Reads a text and, if it is a program, prints it and reads it again.
///
/// # Errors
/// What is not the same. A text that is no program is none.
pub fn text(lang: Lang, text: &str) -> Result<(), String> {
    let Ok(program) = lang.parse(text) else { return Ok(()) };
    let printed = language::print(&program);
    match lang.parse(&printed) {
        Ok(again) if language::print(&again) == printed => Ok(()),
        Ok(_) => Err(format!("{lang} prints what it read in two ways:\n{printed}")),
        Err(error) => {
            Err(format!("{lang} cannot read what it printed: {}\n{printed}", error.message))
        }
    }
}
