//! A plan as a program of λG, which its checker takes and which gives what the original gives.

use super::{Request, differs, timed};
use crate::optimize::said::Unsaid;
use compiler::rewrite::lambda_g::{Border, text};
use reference::axes::syntax::{Head, Level, Program as Term};
use reference::kit::derivation::Recorder;
use reference::kit::language::Language;
use reference::kit::outcome::{Cause, Ending, Value};
use reference::lambda_g::syntax::Program;
use reference::lambda_g::types::facts;
use reference::lambda_g::{LambdaG, types};

/// A plan as λG says it.
#[derive(Clone, Debug)]
pub struct Said {
    /// The program.
    pub program: Program,
    /// What it costs by its cost graph, or why that is not known.
    pub time: Result<u64, String>,
    /// Did it give the results of the original? Not if a run did not end within the budget.
    pub compared: bool,
}

/// Words of the region that the device uses, until they are enough.
const WORDS: [u32; 3] = [1 << 12, 1 << 16, 1 << 20];

/// What a program takes and gives.
///
/// # Errors
/// It has no type.
pub fn border(program: &Program) -> Result<Border, String> {
    let facts = facts(program).map_err(|no| no.message)?;
    let names = program.params.iter().map(|param| program.names.text(param.var).to_owned());
    Ok(Border { params: names.zip(facts.params).collect(), result: facts.result })
}

/// The plan of a term as a program of λG, run beside the original on this input: without `on`, and with `on` around what is
/// launched; the one of them that costs less.
///
/// # Errors
/// λG cannot say it, or what is written is ill typed or gives other results.
pub fn said(
    term: &Term,
    original: &Program,
    input: &[Value],
    request: &Request,
) -> Result<Said, Unsaid> {
    let border = border(original).map_err(Unsaid::Wrong)?;
    let wanted = timed(original, input, request, request.budget).ending;
    let mut best = one(term, &border, None, (input, &wanted), request)?
        .ok_or_else(|| Unsaid::Wrong("without `on` no region is full".to_owned()))?;
    if launches(term) {
        for words in WORDS {
            if let Some(other) = one(term, &border, Some(words), (input, &wanted), request)? {
                let cost = |said: &Said| said.time.clone().unwrap_or(u64::MAX);
                if cost(&other) < cost(&best) {
                    best = other;
                }
                break;
            }
        }
    }
    Ok(best)
}

fn launches(term: &Term) -> bool {
    let mut found = false;
    term.term.walk(&mut |of| found |= of.head == Head::Level(Level::Grid));
    found
}

/// The program with a region of so many words, or none; `None` if a region is full.
fn one(
    term: &Term,
    border: &Border,
    words: Option<u32>,
    (input, wanted): (&[Value], &Ending),
    request: &Request,
) -> Result<Option<Said>, Unsaid> {
    let text = text(term, border, words).map_err(|no| Unsaid::Beyond(no.0))?;
    let wrong = |why: String| Unsaid::Wrong(format!("{why}:\n{text}"));
    let program = LambdaG::parse(&text).map_err(|no| wrong(no.message))?;
    types::check(&program, &mut Recorder::counting()).map_err(|no| wrong(no.message))?;
    let run = timed(&program, input, request, request.budget);
    if matches!(&run.ending, Ending::Stuck(stuck) if stuck.site.cause == Cause::RegionFull) {
        return Ok(None);
    }
    match differs(wanted, &run.ending) {
        Some(why) => Err(wrong(why)),
        None => {
            let ended = |ending: &Ending| !matches!(ending, Ending::Unknown(_));
            let compared = ended(wanted) && ended(&run.ending);
            Ok(Some(Said { program, time: run.time, compared }))
        }
    }
}
