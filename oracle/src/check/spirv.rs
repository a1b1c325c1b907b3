//! The SPIR-V of the shaders of the last stage, executed. Our evaluator runs that stage as well,
//! so that it is known which side of the device language is wrong:
//!
//! - it differs too: the passes, as far as they were looked at;
//! - it agrees, and the shader does what WGSL leaves to the program, a race or an access that
//!   leaves its buffer: what was emitted;
//! - it agrees, and the shader does what no WGSL asks for, such as an undefined value that matters:
//!   naga's writing of it;
//! - it agrees, and only the end differs: what was emitted, until somebody shows that the WGSL is
//!   right.

use super::adapters::Evaluator;
use super::agree::{Difference, agree};
use super::examine::Examination;
use super::race;
use super::stages::EMIT;
use super::tester::{Depth, Step, Tester, policy, unanswered};
use super::verdict::{Finding, Kind, Part, Verdict};
use crate::engine::{Artifact, Case, EngineId, Stage, StageId};
use crate::engines::spirv::{Fault, Maker};
use reference::kit::outcome::Ending;

/// What writes SPIR-V of our WGSL, which is blamed like a pass.
pub const NAGA: StageId = StageId("naga");

impl Tester {
    /// Holds the shaders, executed, against the end of the program: both forms of each kernel, or
    /// on a quick look one of them.
    pub(super) fn on_spirv(
        &mut self,
        stage: &Stage,
        case: &Case,
        depth: Depth,
        expected: usize,
        seen: &mut Examination,
    ) -> Step {
        if !self.asked(&EngineId::Spirv) {
            seen.skip(stage.id, EngineId::Spirv, "not asked for");
            return Ok(());
        }
        let two = match &stage.artifact {
            Artifact::Device(program) => program.kernels.iter().any(|k| k.record.is_some()),
            _ => false,
        };
        let forms: &[bool] = match (two, depth) {
            (false, _) => &[false],
            (true, Depth::Whole) => &[true, false],
            (true, Depth::Quick) if case.schedule.is_multiple_of(2) => &[true],
            (true, Depth::Quick) => &[false],
        };
        for quiet_first in forms {
            let Some((at, faults)) = self.executed(stage, case, *quiet_first, seen) else {
                continue;
            };
            self.hold_spirv(stage, case, (at, &faults), expected, seen)?;
        }
        Ok(())
    }

    /// The side of the executor, if it answered, and what was wrong with the shaders.
    pub(super) fn executed(
        &mut self,
        stage: &Stage,
        case: &Case,
        quiet_first: bool,
        seen: &mut Examination,
    ) -> Option<(usize, Vec<Fault>)> {
        let mut engine = std::mem::take(&mut self.spirv);
        engine.options.writing = self.plan.writing();
        engine.options.quiet_first = quiet_first;
        let at = self.run(&mut engine, stage, case, seen);
        let faults = engine.faults().to_vec();
        self.spirv = engine;
        (!unanswered(stage, at, seen)).then_some((at, faults))
    }

    fn hold_spirv(
        &mut self,
        stage: &Stage,
        case: &Case,
        (at, faults): (usize, &[Fault]),
        expected: usize,
        seen: &mut Examination,
    ) -> Step {
        let (wanted, found) = (&seen.sides[expected].outcome, &seen.sides[at].outcome);
        // A thread that fails stops, the others run on: they may race behind it.
        let races = matches!(wanted.ending, Ending::Value(_)) && !found.races.is_empty();
        let broke = matches!(found.ending, Ending::Broken(_));
        let difference = match agree(wanted, found, policy(wanted)) {
            Err(difference) => difference,
            Ok(()) if races => Difference { kind: Kind::Race, site: None, text: String::new() },
            Ok(()) => return Ok(()),
        };
        if race::behind_stuck(wanted, seen, difference.kind) {
            seen.skip(stage.id, EngineId::Spirv, race::BEHIND_STUCK);
            return Ok(());
        }
        let fault = match (races, broke) {
            (true, _) => faults.first(),
            (false, true) => faults.last(),
            (false, false) => None,
        };
        let evaluator = self.evaluator(stage, None, case, expected, seen);
        Err(Verdict::Finding(Box::new(blame(stage, difference, fault, evaluator))))
    }
}

/// Who is blamed for a fault.
pub(super) fn whose(maker: Maker) -> StageId {
    match maker {
        Maker::Compiler => EMIT,
        Maker::Naga => NAGA,
    }
}

/// The finding of shaders that are wrong: whose they are, and why.
fn blame(
    stage: &Stage,
    difference: Difference,
    fault: Option<&Fault>,
    evaluator: Evaluator,
) -> Finding {
    let agrees = format!("the evaluator agrees after {}", stage.id);
    let (blamed, because) = match (evaluator, fault.map(|fault| fault.maker)) {
        (Evaluator::Differs, _) => {
            (stage.id, format!("the evaluator differs after {} as well", stage.id))
        }
        (Evaluator::NoAnswer, _) => {
            (stage.id, format!("the evaluator gives no answer after {}", stage.id))
        }
        (Evaluator::Agrees, Some(Maker::Compiler)) => {
            (whose(Maker::Compiler), format!("{agrees}, so our compiler emits a wrong shader"))
        }
        (Evaluator::Agrees, Some(Maker::Naga)) => (
            whose(Maker::Naga),
            format!("{agrees}, and no WGSL asks for this, so naga writes wrong SPIR-V"),
        ),
        (Evaluator::Agrees, None) => (
            EMIT,
            format!("{agrees}, so our compiler emits a wrong shader, or naga writes wrong SPIR-V"),
        ),
    };
    let text = fault.map_or(difference.text, |fault| fault.text.clone());
    Finding {
        stage: blamed,
        engine: EngineId::Spirv,
        kind: difference.kind,
        part: Part::Whole,
        site: difference.site,
        text: format!("the shaders are wrong: {text}; {because}"),
    }
}
