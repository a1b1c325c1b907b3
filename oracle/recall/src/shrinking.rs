//! A program that shows a fault of a release, made smaller as long as it shows that fault.

use crate::program::Program;
use crate::signature::{Signature, Wrong};
use crate::subject::{Found, Subject};
use compiler::emit::style::Style;
use oracle::campaign::values;
use oracle::engine::{Artifact, Case};
use oracle::rolls::Rolls;
use oracle::shrink::{self, Effort, Shrunk};
use reference::kit::outcome::Budget;
use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A small program that shows a fault.
#[derive(Clone, Debug, Serialize)]
pub struct Small {
    /// The program, in its own language.
    pub program: String,
    /// Its statements.
    pub statements: usize,
    /// Its input.
    pub input: String,
    /// How its shaders are written.
    pub style: String,
    /// The shader that shows the fault, or all of them where it is not known which does.
    pub wgsl: String,
    /// What was seen.
    pub text: String,
    #[serde(skip)]
    case: Case,
    #[serde(skip)]
    written: Style,
    #[serde(skip)]
    form: reference::translate::expand_memory::Form,
}

impl Small {
    fn of(program: &Program, wrong: Wrong, style: Style) -> Small {
        let wgsl = wrong.wgsl.unwrap_or_else(|| {
            let writing = compiler::emit::wgsl::Writing {
                workarounds: compiler::emit::workarounds::Workarounds::None,
                style,
                ..Default::default()
            };
            program.wgsl(writing).unwrap_or_else(|why| why)
        });
        Small {
            program: program.case.program.print(),
            statements: shrink::statements(&program.case.program),
            input: values(&program.case.input),
            style: style.to_string(),
            wgsl,
            text: wrong.text,
            case: program.case.clone(),
            written: style,
            form: program.form,
        }
    }

    /// The same program for another release, if it shows the same fault there.
    pub fn on(
        &self,
        subject: &mut Subject,
        wanted: &Signature,
        rolls: &mut Rolls,
    ) -> Option<Small> {
        let program = Program::of(self.case.clone(), self.form, rolls).ok()?;
        let wrong = subject.shows(&program, wanted, self.written)?;
        Some(Small::of(&program, wrong, self.written))
    }
}

/// Most programs that are tested for one fault.
const TESTS: usize = 2_000;

/// When shrinking ends, and what it reports to.
pub struct Limit<'a> {
    /// It takes no longer.
    pub time: Duration,
    /// It ends when this is set.
    pub stop: &'a AtomicBool,
    /// AnswerLine of each candidate before a release is shown it: a release may hang in one.
    pub begins: &'a dyn Fn(),
}

/// Makes the program smaller, within the limit.
pub fn small(
    subject: &mut Subject,
    program: &Program,
    found: &Found,
    limit: &Limit,
    rolls: &mut Rolls,
) -> Small {
    let end = Instant::now() + limit.time;
    (limit.begins)();
    let wanted = &found.signature;
    let style = match wanted.avoided {
        Some(_) => found.style,
        None => subject.plainest(program, found.wrong.clone(), found.style).0,
    };
    let form = program.form;
    // A smaller program does not execute more: one that does is on its way to run for ever.
    let executed = program.truth.stats.statements;
    let fuel = program.case.budget.fuel.min(executed.saturating_mul(4).saturating_add(10_000));
    let budget = Budget { fuel, ..program.case.budget };
    let mut again = |artifact: Artifact, input: &[_]| {
        if limit.stop.load(Ordering::Relaxed) || Instant::now() >= end {
            return false;
        }
        (limit.begins)();
        let case =
            Case { program: artifact, input: input.to_vec(), budget, ..program.case.clone() };
        let Ok(program) = Program::of(case, form, rolls) else { return false };
        subject.shows(&program, wanted, style).is_some()
    };
    let effort = Effort { tests: TESTS, ..Effort::default() };
    let input = &program.case.input;
    let Shrunk { program: artifact, input, .. } =
        shrink::artifact(&program.case.program, input, &mut again, effort);
    let case = Case { program: artifact, input, ..program.case.clone() };
    if let Ok(shrunk) = Program::of(case, form, rolls)
        && let Some(wrong) = subject.shows(&shrunk, wanted, style)
    {
        return Small::of(&shrunk, wrong, style);
    }
    Small::of(program, found.wrong.clone(), style)
}
