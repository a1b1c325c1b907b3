//! Unwritten memory: what was allocated and nothing wrote is zero by definition, so a pass that forgets to
//! initialise gives the right result as long as that is zero. A run can keep beside memory what was written
//! ([`Tester::watches`](super::Tester)); then a read of memory that nothing wrote is blamed on the first pass that
//! makes one, as a race is.
//!
//! In a program that is itself written with memory such a read is right: it reads zeros. Passes may keep it, so
//! nothing is compared there, and `lockstep check` tells of it.

use super::examine::Class;
use super::look::Look;
use super::race::path;
use super::verdict::{Finding, Kind, Part, Step, Verdict};
use crate::engine::Stage;
use reference::kit::outcome::Unwritten;

/// Behind a program that reads nothing unwritten, no stage does.
///
/// # Errors
/// The first such read.
pub(super) fn check(look: &Look, stage: &Stage, at: usize) -> Step {
    let Some(read) = &look.outcome(at).unwritten else { return Ok(()) };
    // Where a thread is stuck others run on; memory that is wrong may be read anywhere.
    let told = look.gives_results() && look.seen.class != Class::Invalid;
    if !told || look.wanted().unwritten.is_some() {
        return Ok(());
    }
    let text = format!("{} made a read of memory that nothing wrote: {}", stage.id, describe(read));
    let engine = look.seen.sides[at].engine.clone();
    let finding = Finding::of(stage.id, engine, Kind::Unwritten, text);
    let finding = finding.shown_by(look.outcome(at));
    Err(Verdict::Finding(Box::new(Finding { part: Part::Memory, ..finding })))
}

/// `thread 2 reads offset 1 of a_mem`
pub fn describe(read: &Unwritten) -> String {
    let who = match read.thread.as_slice() {
        [] => "the program".to_owned(),
        thread => format!("thread {}", path(thread)),
    };
    format!("{who} reads offset {} of {}", read.offset, read.block)
}
