//! Adapters run the shaders of the stage in which all checks stand in the kernels. Our evaluator runs that
//! stage as well, and the executor of SPIR-V what naga writes of them, so that it is known who is
//! wrong:
//!
//! - the evaluator differs too: the passes, as far as they were looked at;
//! - it agrees, and so does the executor: the adapter, which is its driver;
//! - it agrees, the executor has no answer, and another adapter agrees, with the same shaders: the
//!   adapter, or what naga makes for it;
//! - it agrees, and nothing else that answers does: what was emitted, until it is shown that the
//!   shaders are right.
//!
//! Dawn has a compiler of its own, Tint, whose SPIR-V is executed too. It takes less than naga does:
//! what it refuses is held to be no WGSL.

use super::agree::Difference;
use super::evidence::{Agreement, evaluated, evaluator, executor};
use super::excuse::excuse;
use super::look::Look;
use super::spirv::{TINT, executed_of_tint};
use super::tester::Tester;
use super::verdict::{Finding, Kind, Step, Verdict};
use crate::engine::{Engine, EngineId, NotRun, Stage, StageId};
use crate::engines::AdapterEngine;
use crate::language::Listed;
use crate::profiles;
use crate::stages::{EMIT, Plan};
use reference::device::Device;
use reference::kit::outcome::{Ending, Why};

/// What runs the shaders, which is blamed like a pass.
pub const ADAPTER: StageId = StageId("adapter");

/// Holds every adapter against the end of the program. One that differs is looked at beside the others.
pub(super) fn judge(tester: &mut Tester, look: &mut Look, stage: &Stage) -> Step {
    let mut differences: Vec<(usize, Option<Plan>, Difference)> = Vec::new();
    let mut right = Vec::new();
    for number in 0..tester.adapters.len() {
        let Some((at, fitted)) = on_adapter(tester, number, look, stage) else { continue };
        let engine = tester.adapters[number].id();
        match look.differs(at) {
            Ok(()) if fitted.is_none() => right.push(engine),
            Ok(()) => {}
            Err(difference) => match excuse(look.wanted(), look.seen, difference.kind) {
                Some(reason) => look.seen.skip(stage.id, engine, reason),
                None => differences.push((at, fitted, difference)),
            },
        }
    }
    for (at, fitted, difference) in differences {
        let engine = look.seen.sides[at].engine.clone();
        if fitted.is_some() {
            // The others ran other shaders.
            right.clear();
        }
        let evaluator = evaluator(tester, look, stage);
        let spirv = executor(tester, look, stage, fitted);
        // Both may have been asked only now.
        let reason = match difference.kind {
            Kind::Hang => out_of_fuel(look, stage),
            _ => None,
        };
        let excused = || excuse(look.wanted(), look.seen, difference.kind).map(str::to_owned);
        if let Some(reason) = reason.or_else(excused) {
            look.seen.skip(stage.id, engine, reason);
            continue;
        }
        let finding = match engine {
            EngineId::Dawn => {
                let tint = executed_of_tint(tester, look, stage).map(|(at, _)| at);
                blame_dawn(stage, difference, evaluator, (spirv, Agreement::of_side(look, tint)))
            }
            engine => blame(stage, engine, difference, &right, (evaluator, spirv)),
        };
        return Err(Verdict::Finding(Box::new(finding.shown_by(look.outcome(at)))));
    }
    Ok(())
}

/// The side of an adapter, if it answered, and how its kernels were compiled, if they were for it.
fn on_adapter(
    tester: &mut Tester,
    number: usize,
    look: &mut Look,
    stage: &Stage,
) -> Option<(usize, Option<Plan>)> {
    let id = tester.adapters[number].id();
    if !tester.asked(&id) {
        look.seen.skip(stage.id, id, "not asked for");
        return None;
    }
    if let Some(reason) = &tester.rest {
        look.seen.skip(stage.id, id, reason.clone());
        return None;
    }
    let adapter = &mut tester.adapters[number];
    let fitted = match fitted(adapter, tester.plan, look, stage) {
        Ok(fitted) => fitted,
        Err(not_run) => {
            look.seen.skip(stage.id, not_run.engine, not_run.reason);
            return None;
        }
    };
    adapter.set_options(fitted.unwrap_or(tester.plan).kernels());
    let at = look.run(adapter, stage, &mut tester.rolls);
    (!look.unanswered(stage, at)).then_some((at, fitted))
}

/// Which engine of ours had no fuel left for the stage, or for its shaders, as a reason not to run it on adapters.
fn out_of_fuel(look: &Look, stage: &Stage) -> Option<String> {
    let ran = |engine: &EngineId| [EngineId::own(Device::LANG), EngineId::Spirv].contains(engine);
    let out = look.seen.sides.iter().find(|side| {
        side.stage == stage.id
            && ran(&side.engine)
            && matches!(side.outcome.ending, Ending::Unknown(Why::Fuel))
    });
    out.map(|side| format!("{} is out of fuel", side.engine))
}

/// How kernels are compiled for an adapter: for it alone where a defect of it depends on what a run does and
/// that was not counted; else as for all, if what was counted is within bounds. What the evaluator has no fuel for, or
/// the executor of the shaders, is not run: a poisoned invocation may go round a loop that it would have left.
fn fitted(
    adapter: &AdapterEngine,
    plan: Plan,
    look: &Look,
    stage: &Stage,
) -> Result<Option<Plan>, NotRun> {
    // A driver counts no fuel, and what has none left here may run for minutes there.
    if let Some(reason) = out_of_fuel(look, stage) {
        return Err(NotRun { engine: adapter.id(), reason });
    }
    // What the evaluator counted, if it came to an end, says what an adapter can be trusted with.
    let ending = evaluated(look, stage).map(|at| &look.outcome(at).ending);
    let counted = ending.is_some_and(|ending| !matches!(ending, Ending::Unknown(_)));
    let trusted = counted && profiles::trusted(adapter.adapter(), &look.seen.stats()).is_ok();
    if trusted || !profiles::wants_counts(adapter.adapter()) {
        return adapter.admits(stage, look.case, &look.seen.stats()).map(|()| None);
    }
    Ok(Some(plan.fit(adapter.adapter())))
}

/// The finding of an adapter that differs: which of the stages is wrong, and why that one.
fn blame(
    stage: &Stage,
    engine: EngineId,
    difference: Difference,
    right: &[EngineId],
    (evaluator, spirv): (Agreement, Agreement),
) -> Finding {
    let (blamed, because) = match (evaluator, spirv, right) {
        (Agreement::Differs, ..) => {
            (stage.id, format!("the evaluator differs after {} as well", stage.id))
        }
        (Agreement::Unknown, ..) => {
            (stage.id, format!("the evaluator gives no answer after {}", stage.id))
        }
        (_, Agreement::Agrees, _) => (
            ADAPTER,
            "the SPIR-V of its shaders, executed, ends rightly, so the driver is wrong".to_owned(),
        ),
        (_, Agreement::Differs, _) | (_, _, []) => (
            EMIT,
            format!(
                "the evaluator agrees after {}, so the shaders are wrong, or naga or the driver",
                stage.id
            ),
        ),
        (_, Agreement::Unknown, [other, ..]) => (
            ADAPTER,
            format!("{other} runs the same shaders rightly, so naga or the driver is wrong"),
        ),
    };
    found(engine, difference, blamed, &because)
}

/// The same of Dawn: `spirv` and `tint` are what the executor says of what naga and Tint write of
/// the shaders.
fn blame_dawn(
    stage: &Stage,
    difference: Difference,
    evaluator: Agreement,
    (spirv, tint): (Agreement, Agreement),
) -> Finding {
    let after = format!("after {}", stage.id);
    let (blamed, because) = match (evaluator, spirv, tint) {
        _ if difference.kind == Kind::Rejected => (
            EMIT,
            "naga takes the shader and Tint does not: what is emitted is no WGSL, or Tint is wrong"
                .to_owned(),
        ),
        (Agreement::Differs, ..) => (stage.id, format!("the evaluator differs {after} as well")),
        (Agreement::Unknown, ..) => (stage.id, format!("the evaluator gives no answer {after}")),
        (_, _, Agreement::Agrees) => (
            ADAPTER,
            "Tint's SPIR-V of its shaders, executed, ends rightly, so the driver below Dawn is wrong"
                .to_owned(),
        ),
        (_, Agreement::Agrees, Agreement::Differs) => (
            TINT,
            "naga's SPIR-V of the shaders, executed, ends rightly, and Tint's does not, so Tint is \
             wrong"
                .to_owned(),
        ),
        (_, Agreement::Agrees, Agreement::Unknown) => (
            ADAPTER,
            "naga's SPIR-V of the shaders, executed, ends rightly, so Tint or the driver below it is \
             wrong"
                .to_owned(),
        ),
        _ => (
            EMIT,
            format!("the evaluator agrees {after}, so the shaders are wrong, or Tint or the driver"),
        ),
    };
    found(EngineId::Dawn, difference, blamed, &because)
}

fn found(engine: EngineId, difference: Difference, blamed: StageId, because: &str) -> Finding {
    let text = format!("{engine} differs: {}; {because}", difference.text);
    Finding::between(blamed, engine, &difference, text)
}
