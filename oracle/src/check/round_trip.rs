//! Print and parse are inverse: what the printer writes, the parser reads as the same core.
//!
//! Spans and numbers of names may differ: what is read is compared by [`same`].

use super::verdict::{Finding, Kind};
use crate::engine::{Artifact, EngineId, Stage};
use crate::language::{self, Lang};
use crate::panics::catch;
use crate::rolls::Rolls;
use reference::kit::same::same;

/// Prints a stage, reads it back, and holds it against the type rules.
///
/// # Errors
/// What is not the same.
pub fn check(stage: &Stage, engine: EngineId) -> Result<(), Box<Finding>> {
    let outcome = catch(|| keeps(&stage.artifact, &language::print(&stage.artifact)));
    let (kind, text) = match outcome {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(text)) => (Kind::RoundTrip, text),
        Err(text) => (Kind::Panic, text),
    };
    Err(Box::new(Finding::of(stage.id, engine, kind, text)))
}

/// Is `printed` read as the program, and well typed?
fn keeps(program: &Artifact, printed: &str) -> Result<(), String> {
    let lang = program.lang();
    let read = lang.parse(printed).map_err(|error| {
        format!("the parser of {lang} refuses what its printer wrote: {}", error.message)
    })?;
    language::types(&read, &mut Rolls::new()).map_err(|error| {
        format!("what the printer of {lang} wrote is not well typed: {}", error.message)
    })?;
    let again = language::print(&read);
    match printed.lines().zip(again.lines()).find(|(one, two)| one != two) {
        Some((one, two)) => Err(format!("`{one}` is read and printed as `{two}`")),
        None if printed.lines().count() != again.lines().count() => {
            Err("lines are lost".to_owned())
        }
        None if !same(program, &read) => {
            Err(format!("the printer of {lang} wrote another program: parentheses are lost"))
        }
        None => Ok(()),
    }
}

/// Reads a text and, if it is a program, prints it and reads it again.
///
/// # Errors
/// What is not the same. A text that is no program is none.
pub fn text(lang: Lang, text: &str) -> Result<(), String> {
    let Ok(program) = lang.parse(text) else { return Ok(()) };
    let printed = language::print(&program);
    match lang.parse(&printed) {
        Ok(again) if same(&program, &again) => Ok(()),
        Ok(_) => Err(format!("{lang} reads what it printed as another program:\n{printed}")),
        Err(error) => {
            Err(format!("{lang} cannot read what it printed: {}\n{printed}", error.message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::keeps;
    use crate::language::{Lang, print};

    /// A printer that drops parentheses, in each language: what it writes is well typed, and is
    /// printed as it was read.
    #[test]
    fn lost_parentheses_are_seen() {
        let programs = [
            (Lang::Fun, "param (x : int)\nin (x - (x - 1))\n"),
            (Lang::FunMem, "param (x : int)\nin (x - (x - 1))\n"),
            (Lang::Imp, "param (x : int)\nvar y : int;\ny <- x - (x - 1)\nresults (y)\n"),
            (Lang::Device, "param x : i32;\nlet y : i32 = x - (x - 1);\nresult y;\n"),
        ];
        for (lang, source) in programs {
            let program = lang.parse(source).expect("it is a program");
            let right = print(&program);
            assert_eq!(keeps(&program, &right), Ok(()), "{lang}");
            let wrong = right.replace("(x - 1)", "x - 1");
            assert_ne!(right, wrong, "{lang}");
            let error = keeps(&program, &wrong).expect_err("the text is of another program");
            assert!(error.contains("parentheses are lost"), "{lang}: {error}");
        }
    }
}
