//! The SPIR-V of the shaders, executed: of the fast and the full forms of the kernels, which are made of the
//! stage in which all checks stand in these. Our evaluator runs that stage as well, so that it is known which
//! side of the device language is wrong:
//!
//! - it differs too: the passes, as far as they were looked at;
//! - it agrees, and the shader does what WGSL leaves to the program, a race or an access that
//!   leaves its buffer: what was emitted;
//! - it agrees, and the shader does what no WGSL asks for, such as an undefined value that matters:
//!   naga's writing of it;
//! - it agrees, and only the end differs: what was emitted, until the WGSL is shown to be
//!   right.
//!
//! Where Dawn is here, what Tint writes is executed as well, of programs that are looked at whole. If
//! naga's ends rightly, an end that differs is Tint's.

use super::agree::Difference;
use super::evidence::{Agreement, evaluator, executor};
use super::examine::Answer;
use super::excuse::excuse;
use super::look::Look;
use super::tester::{Depth, Tester};
use super::verdict::{self, Finding, Part, Step, Verdict};
use super::{orders, race};
use crate::engine::{EngineId, Stage, StageId};
use crate::engines::spirv::{Fault, Maker};
use crate::engines::{LanguageEngine, SpirvEngine, launch_facts};
use crate::language::Listed;
use crate::panics::guarded;
use crate::rolls::Rolls;
use crate::stages::{CHECKED, ELIMINATE_CHECKS, EMIT, LAST, Plan, Stages};
use compiler::emit::style::Style;
use compiler::pass::poison_checks::Detail;
use reference::device::Device;
use reference::kit::decisions::Policy;
use reference::kit::outcome::{Ending, Outcome};
use std::borrow::Cow;
use std::time::Instant;

/// What writes SPIR-V of our WGSL, which is blamed like a pass.
pub const NAGA: StageId = StageId("naga");
/// What does so in Dawn.
pub const TINT: StageId = StageId("tint");

/// One quick look in so many launches the full forms of kernels, whose modules are some times as large as those
/// of the fast forms. The others launch the fast forms first, and so the full ones where a check fails.
const FULL: u64 = 4;

/// Which forms are launched first, for each run of the shaders.
fn forms(depth: Depth, schedule: u64) -> &'static [Detail] {
    match depth {
        Depth::Whole => &[Detail::Flag, Detail::Site],
        Depth::Quick => match on_quick_look(schedule) {
            Detail::Flag => &[Detail::Flag],
            Detail::Site => &[Detail::Site],
        },
    }
}

/// Which forms a quick look at a program launches first.
pub fn on_quick_look(schedule: u64) -> Detail {
    // High bits: a campaign compiles every second program otherwise, which goes with the low one.
    if (schedule >> 32).is_multiple_of(FULL) { Detail::Site } else { Detail::Flag }
}

/// Holds the evaluator, with kernels of which checks are eliminated by the facts of each launch, against the
/// end of the program.
pub(super) fn launch_facts(tester: &Tester, look: &mut Look, stage: &Stage) -> Step {
    let engine = EngineId::own(Device::LANG);
    let Some(program) = Device::of(&stage.artifact) else { return Ok(()) };
    if !tester.asked(&engine) {
        return Ok(());
    }
    let options = tester.plan.kernels();
    let start = Instant::now();
    let outcome = guarded(|| launch_facts::run(program, look.case, options));
    let stage = Stage { id: ELIMINATE_CHECKS, artifact: Cow::Borrowed(&*stage.artifact) };
    let at = look.side(Answer { engine, stage: stage.id, outcome, took: start.elapsed() });
    look.hold(&stage, at, Part::Whole)
}

/// Holds the shaders, executed, against the end of the program: both forms of the kernels, or on a quick
/// look one of them.
pub(super) fn judge(tester: &mut Tester, look: &mut Look, stage: &Stage) -> Step {
    if !is_asked(tester, look, stage, EngineId::Spirv) {
        return Ok(());
    }
    for first in forms(look.depth, look.case.schedule) {
        let Some((at, faults)) = executed(tester, look, stage, *first, tester.plan) else {
            continue;
        };
        hold(tester, look, stage, (at, &faults))?;
    }
    Ok(())
}

/// Holds what Tint writes of the shaders, executed, against the end of the program.
pub(super) fn judge_tint(tester: &mut Tester, look: &mut Look, stage: &Stage) -> Step {
    if tester.tint.is_none() || !is_asked(tester, look, stage, EngineId::Tint) {
        return Ok(());
    }
    match executed_of_tint(tester, look, stage) {
        Some((at, faults)) => hold(tester, look, stage, (at, &faults)),
        None => Ok(()),
    }
}

/// A program that races by the evaluator, also after the passes, races as shaders too. Until the
/// first race every order of invocations does the same, and what synchronises them is not by chance, so
/// that each run shows a race; where an old value of an atomic decides, other orders are run before the shaders are
/// blamed. The full forms are launched, whose kernels are those of the last stage: a
/// fast one may look at less. The text is plain and every decision is made, since a style may evaluate
/// less, such as one side of a `select` only, and so may a kernel that is compiled at its launch.
pub(super) fn races(tester: &mut Tester, look: &mut Look) -> Step {
    let plan = Plan { style: Style::PLAIN, decisions: Policy::default(), ..tester.plan };
    let stages = Stages::up_to(&look.case.program, plan, LAST);
    let [.., stage] = stages.list.as_slice() else { return Ok(()) };
    let checked = stages.list.iter().find(|stage| stage.id == CHECKED);
    let Some(checked) = checked.filter(|_| stage.id == LAST) else {
        return tester.end_of_passes(&stages, look);
    };
    if !is_asked(tester, look, stage, EngineId::Spirv) {
        return Ok(());
    }
    let at = look.run(&mut LanguageEngine::of::<Device>(), stage, &mut tester.rolls);
    let ran = |outcome: &Outcome| matches!(outcome.ending, Ending::Value(_));
    let evaluated = look.outcome(at);
    let Some(race) = evaluated.races.first().filter(|_| ran(evaluated)) else { return Ok(()) };
    let (race, evaluated) = (race::describe(race), at);
    let Some((at, _)) = executed(tester, look, checked, Detail::Site, plan) else { return Ok(()) };
    if !ran(look.outcome(at)) || !look.outcome(at).races.is_empty() {
        return Ok(());
    }
    let source = Stage { id: StageId::SOURCE, artifact: Cow::Borrowed(&look.case.program) };
    if orders::may_not_race(&source, look.case, look.wanted()) {
        look.seen.skip(
            stage.id,
            EngineId::Spirv,
            "in another order of its threads it does not race",
        );
        return Ok(());
    }
    let text = format!(
        "the evaluator sees a race after {}, and the executor of the shaders none: {race}",
        stage.id
    );
    let finding = Finding::of(EMIT, EngineId::Spirv, verdict::Kind::MissedRace, text);
    let finding = finding.shown_by(&race::located(tester, look, stage, evaluated));
    Err(Verdict::Finding(Box::new(finding)))
}

/// Is the engine asked? If not, that is counted.
fn is_asked(tester: &Tester, look: &mut Look, stage: &Stage, engine: EngineId) -> bool {
    let asked = tester.asked(&engine);
    if !asked {
        look.seen.skip(stage.id, engine, "not asked for");
    }
    asked
}

/// The side of the executor, if it answered, and what was wrong with the shaders. They are compiled as `plan`
/// says, and the forms `first` are launched before the others.
pub(super) fn executed(
    tester: &mut Tester,
    look: &mut Look,
    stage: &Stage,
    first: Detail,
    plan: Plan,
) -> Option<(usize, Vec<Fault>)> {
    executed_by(&mut tester.spirv, &mut tester.rolls, look, stage, (first, plan))
}

/// The same of what Tint writes, if it is here.
pub(super) fn executed_of_tint(
    tester: &mut Tester,
    look: &mut Look,
    stage: &Stage,
) -> Option<(usize, Vec<Fault>)> {
    let options = (Detail::Flag, tester.plan);
    executed_by(tester.tint.as_mut()?, &mut tester.rolls, look, stage, options)
}

fn executed_by(
    engine: &mut SpirvEngine,
    rolls: &mut Rolls,
    look: &mut Look,
    stage: &Stage,
    (first, plan): (Detail, Plan),
) -> Option<(usize, Vec<Fault>)> {
    engine.options.plan = plan;
    engine.options.first = first;
    let at = look.run(engine, stage, rolls);
    (!look.unanswered(stage, at)).then(|| (at, engine.faults().to_vec()))
}

/// Holds a side of the executor against the end of the program.
fn hold(
    tester: &mut Tester,
    look: &mut Look,
    stage: &Stage,
    (at, faults): (usize, &[Fault]),
) -> Step {
    let broke = matches!(look.outcome(at).ending, Ending::Broken(_));
    let raced = |look: &Look| look.gives_results() && !look.outcome(at).races.is_empty();
    if raced(look) && look.wrong_in_an_order() && look.gives_results() {
        let engine = look.seen.sides[at].engine.clone();
        look.seen.skip(stage.id, engine, "in another order of its threads the program races");
        return Ok(());
    }
    let races = raced(look);
    let difference = match look.differs(at) {
        Err(difference) => difference,
        Ok(()) if races => Difference::new(verdict::Kind::Race, String::new()),
        Ok(()) => return Ok(()),
    };
    let fault = match (races, broke) {
        (true, _) => faults.first(),
        (false, true) => faults.last(),
        (false, false) => None,
    };
    let engine = look.seen.sides[at].engine.clone();
    // It sees whether the program itself races behind a thread that is stuck.
    let evaluator = evaluator(tester, look, stage);
    if let Some(reason) = excuse(look.wanted(), look.seen, difference.kind) {
        look.seen.skip(stage.id, engine, reason);
        return Ok(());
    }
    let right =
        engine == EngineId::Tint && executor(tester, look, stage, None) == Agreement::Agrees;
    let finding = blame(stage, engine, difference, fault, (evaluator, right));
    Err(Verdict::Finding(Box::new(finding.shown_by(look.outcome(at)))))
}

/// The stage that is blamed for a fault.
pub(super) fn whose(maker: Maker) -> StageId {
    match maker {
        Maker::Compiler => EMIT,
        Maker::Naga => NAGA,
        Maker::Tint => TINT,
    }
}

/// The finding of shaders that are wrong: whose they are, and why. With what the evaluator says goes
/// whether what naga writes of the same shaders ends rightly, if this is about another's.
fn blame(
    stage: &Stage,
    engine: EngineId,
    difference: Difference,
    fault: Option<&Fault>,
    (evaluator, naga_is_right): (Agreement, bool),
) -> Finding {
    let agrees = format!("the evaluator agrees after {}", stage.id);
    let (blamed, because) = match (evaluator, fault.map(|fault| fault.maker)) {
        (Agreement::Differs, _) => {
            (stage.id, format!("the evaluator differs after {} as well", stage.id))
        }
        (Agreement::Unknown, _) => {
            (stage.id, format!("the evaluator gives no answer after {}", stage.id))
        }
        (Agreement::Agrees, Some(Maker::Compiler)) => {
            (whose(Maker::Compiler), format!("{agrees}, so our compiler emits a wrong shader"))
        }
        (Agreement::Agrees, Some(maker)) => (
            whose(maker),
            format!("{agrees}, and no WGSL asks for this, so {} writes wrong SPIR-V", maker.name()),
        ),
        (Agreement::Agrees, None) if naga_is_right => (
            TINT,
            format!("{agrees}, and what naga writes ends rightly, so Tint writes wrong SPIR-V"),
        ),
        (Agreement::Agrees, None) => {
            let other = if engine == EngineId::Tint { Maker::Tint } else { Maker::Naga }.name();
            let or = format!("our compiler emits a wrong shader, or {other} writes wrong SPIR-V");
            (EMIT, format!("{agrees}, so {or}"))
        }
    };
    let text = fault.map_or(&difference.text, |fault| &fault.text);
    let text = format!("the shaders are wrong: {text}; {because}");
    let undefined =
        fault.filter(|_| difference.kind == verdict::Kind::Undefined).and_then(Fault::undefined);
    let instruction = undefined.map(|(instruction, premise)| match premise {
        Some(premise) => format!("{instruction} {premise}"),
        None => instruction,
    });
    Finding { instruction, ..Finding::between(blamed, engine, &difference, text) }
}

#[cfg(test)]
mod tests {
    use super::{Depth, Detail, FULL, forms};
    use crate::campaign::draw;
    use crate::generate::Weights;

    /// Of the programs of either expansion, since a campaign has every second one in the other.
    #[test]
    fn one_quick_look_of_four_launches_full_kernels() {
        let weights = Weights::default();
        for parity in 0..2 {
            let schedules = (0..400).map(|nth| draw(7, 2 * nth + parity, &weights).case.schedule);
            let full = schedules.filter(|of| forms(Depth::Quick, *of) == [Detail::Site]).count();
            let wanted = 400 / FULL as usize;
            assert!(full.abs_diff(wanted) < wanted / 3, "{full} of 400, parity {parity}");
        }
        assert_eq!(forms(Depth::Whole, 1), [Detail::Flag, Detail::Site]);
    }
}
