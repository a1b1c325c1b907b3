//! Adapters run the shaders of the stage in which all checks stand in the kernels. Our evaluator runs that
//! stage as well, and the executor of SPIR-V what naga writes of them, so that it is known who is
//! wrong:
//!
//! - the evaluator differs too: the passes, as far as they were looked at;
//! - it agrees, and so does the executor: the adapter, which is its driver;
//! - it agrees, the executor has no answer, and another adapter agrees, with the same shaders: the
//!   adapter, or what naga makes for it;
//! - it agrees, and nothing else that answers does: what was emitted, until somebody shows that the
//!   shaders are right.
//!
//! Dawn has a compiler of its own, Tint, whose SPIR-V is executed too. It takes less than naga does:
//! what it refuses is held to be no WGSL.

use super::agree::{Difference, agree};
use super::examine::Examination;
use super::excuse::excuse;
use super::spirv::TINT;
use super::tester::{Step, Tester, policy, unanswered};
use super::verdict::{Finding, Kind, Verdict};
use crate::engine::{Case, Engine, EngineId, NotRun, Stage, StageId};
use crate::engines::{AdapterEngine, LanguageEngine};
use crate::language::Listed;
use crate::profiles;
use crate::stages::{EMIT, Plan};
use compiler::pass::poison_checks::Detail;
use reference::device::Device;
use reference::kit::outcome::Ending;

/// What runs the shaders, which is blamed like a pass.
pub const ADAPTER: StageId = StageId("adapter");

/// What an engine of ours says of the stage whose shaders something else ran.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Evaluator {
    Agrees,
    Differs,
    NoAnswer,
}

impl Tester {
    /// Holds every adapter against the end of the program. One that differs is looked at beside
    /// the others.
    pub(super) fn on_adapters(
        &mut self,
        stage: &Stage,
        case: &Case,
        expected: usize,
        seen: &mut Examination,
    ) -> Step {
        let mut adapters = std::mem::take(&mut self.adapters);
        let mut differences: Vec<(EngineId, Option<Plan>, Difference)> = Vec::new();
        let mut right = Vec::new();
        for adapter in &mut adapters {
            let Some((at, fitted)) = self.on_adapter(adapter, stage, case, seen) else { continue };
            let (expected, found) = (&seen.sides[expected].outcome, &seen.sides[at].outcome);
            match agree(expected, found, policy(expected)) {
                Ok(()) if fitted.is_none() => right.push(adapter.id()),
                Ok(()) => {}
                Err(difference) => match excuse(expected, seen, difference.kind) {
                    Some(reason) => seen.skip(stage.id, adapter.id(), reason),
                    None => differences.push((adapter.id(), fitted, difference)),
                },
            }
        }
        self.adapters = adapters;
        for (engine, fitted, difference) in differences {
            if fitted.is_some() {
                // The others ran other shaders.
                right.clear();
            }
            let evaluator = self.evaluator(stage, case, expected, seen);
            let spirv = self.executor(stage, fitted, case, expected, seen);
            // The evaluator may have been asked only now.
            if let Some(reason) = excuse(&seen.sides[expected].outcome, seen, difference.kind) {
                seen.skip(stage.id, engine, reason);
                continue;
            }
            let finding = match engine {
                EngineId::Dawn => {
                    let tint = self.executor_of_tint(stage, case, expected, seen);
                    blame_dawn(stage, difference, evaluator, (spirv, tint))
                }
                engine => blame(stage, engine, difference, &right, (evaluator, spirv)),
            };
            return Err(Verdict::Finding(Box::new(finding)));
        }
        Ok(())
    }

    /// The side of an adapter, if it answered, and how its kernels were compiled, if they were for it.
    fn on_adapter(
        &mut self,
        adapter: &mut AdapterEngine,
        stage: &Stage,
        case: &Case,
        seen: &mut Examination,
    ) -> Option<(usize, Option<Plan>)> {
        if !self.asked(&adapter.id()) {
            seen.skip(stage.id, adapter.id(), "not asked for");
            return None;
        }
        if let Some(reason) = &self.rest {
            seen.skip(stage.id, adapter.id(), reason.clone());
            return None;
        }
        let fitted = match self.fitted(adapter, stage, case, seen) {
            Ok(fitted) => fitted,
            Err(not_run) => {
                seen.skip(stage.id, not_run.engine, not_run.reason);
                return None;
            }
        };
        adapter.set_options(fitted.unwrap_or(self.plan).kernels());
        let at = self.run(adapter, stage, case, seen);
        (!unanswered(stage, at, seen)).then_some((at, fitted))
    }

    /// How kernels are compiled for an adapter: for it alone where a defect of it depends on what a run does and
    /// nobody counted that; else as for all, if what was counted is within bounds.
    fn fitted(
        &self,
        adapter: &AdapterEngine,
        stage: &Stage,
        case: &Case,
        seen: &Examination,
    ) -> Result<Option<Plan>, NotRun> {
        if counted(stage, seen) || !profiles::wants_counts(adapter.adapter()) {
            return adapter.admits(stage, case, &seen.stats()).map(|()| None);
        }
        Ok(Some(self.plan.fit(adapter.adapter())))
    }

    /// What the evaluator says of the stage that an adapter ran. If nobody asked it before, it is
    /// asked now.
    pub(super) fn evaluator(
        &mut self,
        stage: &Stage,
        case: &Case,
        expected: usize,
        seen: &mut Examination,
    ) -> Evaluator {
        let ran = evaluated(stage, seen);
        let at =
            ran.unwrap_or_else(|| self.run(&mut LanguageEngine::of::<Device>(), stage, case, seen));
        says(at, expected, seen)
    }

    /// What the executor says of the shaders that an adapter ran, which may have been compiled for it. It is
    /// asked now if nobody asked it before.
    pub(super) fn executor(
        &mut self,
        stage: &Stage,
        fitted: Option<Plan>,
        case: &Case,
        expected: usize,
        seen: &mut Examination,
    ) -> Evaluator {
        let ran = seen.sides.iter().position(|side| side.engine == EngineId::Spirv);
        let at = match (ran, fitted) {
            (Some(at), None) => Some(at),
            _ => {
                let plan = self.plan;
                self.plan = fitted.unwrap_or(plan);
                let ran = self.executed(stage, case, Detail::Flag, seen);
                self.plan = plan;
                ran.map(|(at, _)| at)
            }
        };
        at.map_or(Evaluator::NoAnswer, |at| says(at, expected, seen))
    }

    /// What it says of Tint's SPIR-V, which only Dawn runs.
    fn executor_of_tint(
        &mut self,
        stage: &Stage,
        case: &Case,
        expected: usize,
        seen: &mut Examination,
    ) -> Evaluator {
        let at = self.executed_of_tint(stage, case, seen).map(|(at, _)| at);
        at.map_or(Evaluator::NoAnswer, |at| says(at, expected, seen))
    }
}

/// Does a side agree with the one that all are held against?
fn says(at: usize, expected: usize, seen: &Examination) -> Evaluator {
    let (expected, found) = (&seen.sides[expected].outcome, &seen.sides[at].outcome);
    match found.ending {
        Ending::Unknown(_) => Evaluator::NoAnswer,
        _ if agree(expected, found, policy(expected)).is_ok() => Evaluator::Agrees,
        _ => Evaluator::Differs,
    }
}

/// The side of the evaluator of the device language, if it was asked for this stage.
fn evaluated(stage: &Stage, seen: &Examination) -> Option<usize> {
    let mut sides = seen.sides.iter();
    sides.position(|side| side.engine == EngineId::own(Device::LANG) && side.stage == stage.id)
}

/// Did the evaluator run this stage to an end? Then what it counted says what an adapter can be
/// trusted with.
fn counted(stage: &Stage, seen: &Examination) -> bool {
    let ending = evaluated(stage, seen).map(|at| &seen.sides[at].outcome.ending);
    ending.is_some_and(|ending| !matches!(ending, Ending::Unknown(_)))
}

/// The finding of an adapter that differs: which of the stages is wrong, and why that one.
fn blame(
    stage: &Stage,
    engine: EngineId,
    difference: Difference,
    right: &[EngineId],
    (evaluator, spirv): (Evaluator, Evaluator),
) -> Finding {
    let (blamed, because) = match (evaluator, spirv, right) {
        (Evaluator::Differs, ..) => {
            (stage.id, format!("the evaluator differs after {} as well", stage.id))
        }
        (Evaluator::NoAnswer, ..) => {
            (stage.id, format!("the evaluator gives no answer after {}", stage.id))
        }
        (_, Evaluator::Agrees, _) => (
            ADAPTER,
            "the SPIR-V of its shaders, executed, ends rightly, so the driver is wrong".to_owned(),
        ),
        (_, Evaluator::Differs, _) | (_, _, []) => (
            EMIT,
            format!(
                "the evaluator agrees after {}, so the shaders are wrong, or naga or the driver",
                stage.id
            ),
        ),
        (_, Evaluator::NoAnswer, [other, ..]) => (
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
    evaluator: Evaluator,
    (spirv, tint): (Evaluator, Evaluator),
) -> Finding {
    let after = format!("after {}", stage.id);
    let (blamed, because) = match (evaluator, spirv, tint) {
        _ if difference.kind == Kind::Rejected => (
            EMIT,
            "naga takes the shader and Tint does not: what is emitted is no WGSL, or Tint is wrong"
                .to_owned(),
        ),
        (Evaluator::Differs, ..) => (stage.id, format!("the evaluator differs {after} as well")),
        (Evaluator::NoAnswer, ..) => (stage.id, format!("the evaluator gives no answer {after}")),
        (_, _, Evaluator::Agrees) => (
            ADAPTER,
            "Tint's SPIR-V of its shaders, executed, ends rightly, so the driver below Dawn is wrong"
                .to_owned(),
        ),
        (_, Evaluator::Agrees, Evaluator::Differs) => (
            TINT,
            "naga's SPIR-V of the shaders, executed, ends rightly, and Tint's does not, so Tint is \
             wrong"
                .to_owned(),
        ),
        (_, Evaluator::Agrees, Evaluator::NoAnswer) => (
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
