//! Race-freedom: a race that an earlier stage did not have is blamed on the pass that made it.
//! One that IMP's own access log shows where FUNMEM saw none is blamed on FUNMEM's check.

use super::examine::Examination;
use super::look::Look;
use super::tester::Tester;
use super::verdict::{Finding, Kind, Part};
use crate::engine::{Engine, EngineId, Stage, StageId};
use crate::engines::LanguageEngine;
use crate::rolls::Rolls;
use reference::kit::memory::Memory;
use reference::kit::outcome::{Ending, Outcome, Race, Side};

/// FUNMEM's check of race-freedom, which is blamed like a pass.
pub const RACE_CHECK: StageId = StageId("race_check");

/// No stage of a race-free program races.
///
/// # Errors
/// The first race.
pub(super) fn check(
    tester: &Tester,
    look: &Look,
    stage: &Stage,
    at: usize,
) -> Result<(), Box<Finding>> {
    let Some(race) = look.outcome(at).races.first() else { return Ok(()) };
    let text = format!("{} made a race: {}", stage.id, describe(race));
    let finding = Finding::of(stage.id, look.seen.sides[at].engine.clone(), Kind::Race, text);
    let finding = finding.shown_by(&located(tester, look, stage, at));
    Err(Box::new(Finding { part: Part::Memory, ..finding }))
}

/// IMP's access log shows no conflict in what FUNMEM called race-free.
///
/// # Errors
/// The first conflict.
pub(super) fn check_the_check(
    tester: &Tester,
    look: &Look,
    stage: &Stage,
    at: usize,
) -> Result<(), Box<Finding>> {
    let Some(race) = look.outcome(at).races.first() else { return Ok(()) };
    let text = format!("FUNMEM saw no race, but IMP's access log shows one: {}", describe(race));
    let engine = look.seen.sides[at].engine.clone();
    let finding = Finding::of(RACE_CHECK, engine, Kind::MissedRace, text);
    Err(Box::new(finding.shown_by(&located(tester, look, stage, at))))
}

/// The outcome of a side of the semantics, whose races know both statements. A run that keeps these takes a table of
/// all accesses, so it is made only where there is something to tell.
pub(super) fn located(tester: &Tester, look: &Look, stage: &Stage, at: usize) -> Outcome {
    let side = &look.seen.sides[at];
    let mut outcome = side.outcome.clone();
    if let EngineId::Semantic(lang, variant) = side.engine {
        let engine = LanguageEngine::new(lang, variant);
        let mut engine = engine.with(tester.plan.planted, Memory::default());
        outcome.races = engine.run(stage, look.case, &mut Rolls::locating()).races;
    }
    outcome
}

/// May the end of a device depend on the order of its threads, though the program counts as free of
/// races? A thread that is stuck ends the run of the semantics, and on a device only itself: what
/// the others do behind it was not found free of races, and it may change its operands.
pub fn behind_stuck(expected: &Outcome, seen: &Examination, kind: Kind) -> bool {
    matches!(expected.ending, Ending::Stuck(_))
        && matches!(kind, Kind::Value | Kind::Stuck)
        && seen
            .sides
            .iter()
            .any(|side| above_shaders(&side.engine) && !side.outcome.races.is_empty())
}

/// A race that only executed shaders show is no race of the program, and excuses nothing.
fn above_shaders(engine: &EngineId) -> bool {
    !matches!(engine, EngineId::Spirv | EngineId::Tint | EngineId::Wgpu(_) | EngineId::Dawn)
}

/// What is said of such an end.
pub const BEHIND_STUCK: &str = "threads race behind one that is stuck";

/// Can the races of IMP be why it ends otherwise than FUNMEM, both in order? FUNMEM copies an array
/// at once and IMP element by element, so one of a read and a write can. Two writes come in the
/// same order in both.
pub fn may_change_the_end(outcome: &Outcome) -> bool {
    outcome.races.iter().any(|race| !(race.first.wrote && race.second.wrote))
}

/// `2` or `2, 1`
pub(super) fn path(thread: &[i32]) -> String {
    thread.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// `threads [1] (wrote) and [2] (read) at offset 0 of a_mem`
pub fn describe(race: &Race) -> String {
    let side =
        |side: &Side| format!("{:?} ({})", side.thread, if side.wrote { "wrote" } else { "read" });
    format!(
        "threads {} and {} at offset {} of {}",
        side(&race.first),
        side(&race.second),
        race.offset,
        race.block
    )
}

#[cfg(test)]
mod tests {
    use super::behind_stuck;
    use crate::check::examine::{Answer, Class, Examination};
    use crate::check::{Kind, Verdict};
    use crate::engine::{EngineId, StageId};
    use crate::language::Lang;
    use reference::kit::outcome::{Cause, Ending, Outcome, Race, Side, Site, Stuck};
    use reference::kit::text::Span;
    use std::time::Duration;

    fn stuck() -> Outcome {
        let site = Site { span: Span::default(), cause: Cause::Index };
        let stuck =
            Stuck { site, rule: "E-INDEX".to_owned(), thread: vec![1], operands: vec![2, 1] };
        Ending::Stuck(stuck).into()
    }

    /// A race that this engine saw behind the thread that is stuck.
    fn seen_by(engine: EngineId) -> Examination {
        let side = |thread| Side { thread: vec![thread], wrote: true, span: None };
        let (first, second) = (side(2), side(3));
        let race = Race { span: Span::default(), first, second, block: "m".to_owned(), offset: 0 };
        let outcome = Outcome { races: vec![race], ..stuck() };
        let stage = StageId("poison_checks");
        let side = Answer { engine, stage, outcome, took: Duration::ZERO };
        Examination {
            verdict: Verdict::Agree,
            class: Class::Value,
            invalid: None,
            orders: None,
            sides: vec![side],
            skipped: Vec::new(),
            passes: Vec::new(),
        }
    }

    /// A race of the program excuses an end that depends on the order of threads. What only its shaders
    /// show is a fault of theirs.
    #[test]
    fn races_of_shaders_excuse_nothing() {
        let excuses = |engine| behind_stuck(&stuck(), &seen_by(engine), Kind::Value);
        for (engine, _) in EngineId::semantics() {
            assert!(excuses(engine.clone()), "{engine}");
        }
        let adapter = EngineId::Wgpu("evaluator".to_owned());
        for engine in [EngineId::Spirv, EngineId::Tint, EngineId::Dawn, adapter] {
            assert!(!excuses(engine.clone()), "{engine}");
        }
    }

    #[test]
    fn only_other_ends_behind_one_that_is_stuck_are_excused() {
        let seen = seen_by(EngineId::own(Lang::Device));
        assert!(behind_stuck(&stuck(), &seen, Kind::Stuck));
        assert!(!behind_stuck(&stuck(), &seen, Kind::Crash));
        let value = Outcome { ending: Ending::Value(Vec::new()), ..stuck() };
        assert!(!behind_stuck(&value, &seen, Kind::Value));
    }
}
