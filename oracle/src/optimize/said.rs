//! A plan as a program of FCL, which its checker takes and which gives what the original gives.

use super::subject::Subject;
use crate::rolls::Rolls;
use compiler::rewrite::fcl::text;
use reference::axes::syntax::Program;
use reference::fcl::Fcl;
use reference::kit::language::Settings;
use reference::kit::outcome::{Budget, Ending, Value};
use reference::languages::{Artifact, Listed};

/// A plan as FCL says it.
pub struct Said {
    /// The program.
    pub program: Artifact,
    /// Did it give the results of the original? Not if a run did not end within the budget.
    pub compared: bool,
}

/// Why there is no such program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsaid {
    /// FCL cannot say the plan.
    Beyond(String),
    /// What was written is wrong.
    Wrong(String),
}

/// The plan of a term as a program of FCL, run beside the original on this input.
///
/// # Errors
/// FCL cannot say it, or what is written is ill typed or gives other results.
pub fn said(
    term: &Program,
    original: &Subject,
    input: &[Value],
    budget: &Budget,
) -> Result<Said, Unsaid> {
    let text = text(term).map_err(|no| Unsaid::Beyond(no.0))?;
    let wrong = |why: String| Unsaid::Wrong(format!("{why}:\n{text}"));
    let program = Fcl::LANG.parse(&text).map_err(|no| wrong(no.message))?;
    program.check(&mut Rolls::default()).map_err(|no| wrong(no.message))?;
    let Some(said) = Subject::of(&program, &Settings::default()) else {
        return Err(wrong("it is no program of FCL".to_owned()));
    };
    match [original.run(input, budget), said.run(input, budget)] {
        [Ending::Unknown(_), _] | [_, Ending::Unknown(_)] => Ok(Said { program, compared: false }),
        [before, after] if before == after => Ok(Said { program, compared: true }),
        _ => Err(wrong("it gives other results than the original".to_owned())),
    }
}
