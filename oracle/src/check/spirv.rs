//! The SPIR-V of the shaders, executed: of the fast and the full forms of the kernels, which are made of the
//! stage in which all checks stand in these. Our evaluator runs that stage as well, so that it is known which
//! side of the device language is wrong:
//!
//! - it differs too: the passes, as far as they were looked at;
//! - it agrees, and the shader does what WGSL leaves to the program, a race or an access that
//!   leaves its buffer: what was emitted;
//! - it agrees, and the shader does what no WGSL asks for, such as an undefined value that matters:
//!   naga's writing of it;
//! - it agrees, and only the end differs: what was emitted, until somebody shows that the WGSL is
//!   right.
//!
//! Where Dawn is here, what Tint writes is executed as well, of programs that are looked at whole. If
//! naga's ends rightly, an end that differs is Tint's.

use super::adapters::Evaluator;
use super::agree::{Difference, agree};
use super::examine::{Examination, Side};
use super::excuse::excuse;
use super::judge::Look;
use super::race;
use super::tester::{Depth, Step, Tester, policy, unanswered};
use super::verdict::{self, Finding, Part, Verdict};
use crate::engine::{Case, EngineId, Stage, StageId};
use crate::engines::spirv::{Fault, Maker};
use crate::engines::{LanguageEngine, SpirvEngine, launch_facts};
use crate::language::Listed;
use crate::panics::guarded;
use crate::stages::{CHECKED, ELIMINATE_CHECKS, EMIT, LAST, Plan, Stages};
use compiler::emit::style::Style;
use compiler::pass::poison_checks::Detail;
use reference::device::Device;
use reference::device::syntax::{Block, Exp, Kernel, Kind, Place};
use reference::kit::decisions::Policy;
use reference::kit::outcome::Ending;
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
        // High bits: a campaign compiles every second program otherwise, which goes with the low one.
        Depth::Quick if (schedule >> 32).is_multiple_of(FULL) => &[Detail::Site],
        Depth::Quick => &[Detail::Flag],
    }
}

impl Tester {
    /// Holds the evaluator, with kernels of which checks are eliminated by the facts of each launch, against the
    /// end of the program.
    pub(super) fn on_launch_facts(&mut self, stage: &Stage, look: &mut Look) -> Step {
        let engine = EngineId::own(Device::LANG);
        let Some(program) = Device::of(&stage.artifact) else { return Ok(()) };
        if !self.asked(&engine) {
            return Ok(());
        }
        let options = self.plan.kernels();
        let start = Instant::now();
        let outcome = guarded(|| launch_facts::run(program, look.case, options));
        let stage = Stage { id: ELIMINATE_CHECKS, artifact: Cow::Borrowed(&*stage.artifact) };
        look.seen.sides.push(Side { engine, stage: stage.id, outcome, took: start.elapsed() });
        self.hold(&stage, look.seen.sides.len() - 1, Part::Whole, look)
    }

    /// Holds the shaders, executed, against the end of the program: both forms of the kernels, or on a quick
    /// look one of them.
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
        for first in forms(depth, case.schedule) {
            let Some((at, faults)) = self.executed(stage, case, *first, seen) else {
                continue;
            };
            self.hold_spirv(stage, case, (at, &faults), expected, seen)?;
        }
        Ok(())
    }

    /// A program that races by the evaluator, also after the passes, races as shaders too. Until the
    /// first race every order of invocations does the same, and what synchronises them is not by chance, so
    /// that each run shows a race. The full forms are launched, whose kernels are those of the last stage: a
    /// fast one may look at less. The text is plain and every decision is made, since a style may evaluate
    /// less, such as one side of a `select` only, and so may a kernel that is compiled at its launch.
    pub(super) fn races_in_shaders(&mut self, case: &Case, seen: &mut Examination) -> Step {
        let plan = Plan { style: Style::PLAIN, decisions: Policy::default(), ..self.plan };
        let plan = std::mem::replace(&mut self.plan, plan);
        let step = self.races_in_plain_shaders(case, seen);
        self.plan = plan;
        step
    }

    fn races_in_plain_shaders(&mut self, case: &Case, seen: &mut Examination) -> Step {
        let stages = Stages::up_to(&case.program, self.plan, LAST);
        let [.., stage] = stages.list.as_slice() else { return Ok(()) };
        let checked = stages.list.iter().find(|stage| stage.id == CHECKED);
        let Some(checked) = checked.filter(|_| stage.id == LAST) else {
            return self.end_of_passes(stages.end, seen);
        };
        if !self.asked(&EngineId::Spirv) {
            seen.skip(stage.id, EngineId::Spirv, "not asked for");
            return Ok(());
        }
        let Some(program) = Device::of(&stage.artifact) else { return Ok(()) };
        if program.kernels.iter().any(updates_blocks) {
            let reason = "a race of plain accesses where those of the shaders are atomic";
            seen.skip(stage.id, EngineId::Spirv, reason);
            return Ok(());
        }
        let at = self.run(&mut LanguageEngine::of::<Device>(), stage, case, seen);
        let ran = |seen: &Examination, at: usize| {
            matches!(seen.sides[at].outcome.ending, Ending::Value(_))
        };
        let Some(race) = seen.sides[at].outcome.races.first().filter(|_| ran(seen, at)) else {
            return Ok(());
        };
        let race = race::describe(race);
        let executed = self.executed(checked, case, Detail::Site, seen);
        let Some((at, _)) = executed else { return Ok(()) };
        if !ran(seen, at) || !seen.sides[at].outcome.races.is_empty() {
            return Ok(());
        }
        let text = format!(
            "the evaluator sees a race after {}, and the executor of the shaders none: {race}",
            stage.id
        );
        let finding = Finding::of(EMIT, EngineId::Spirv, verdict::Kind::MissedRace, text);
        Err(Verdict::Finding(Box::new(finding)))
    }

    /// Holds what Tint writes of the shaders, executed, against the end of the program.
    pub(super) fn on_tint(
        &mut self,
        stage: &Stage,
        case: &Case,
        expected: usize,
        seen: &mut Examination,
    ) -> Step {
        if self.tint.is_none() {
            return Ok(());
        }
        if !self.asked(&EngineId::Tint) {
            seen.skip(stage.id, EngineId::Tint, "not asked for");
            return Ok(());
        }
        match self.executed_of_tint(stage, case, seen) {
            Some((at, faults)) => self.hold_spirv(stage, case, (at, &faults), expected, seen),
            None => Ok(()),
        }
    }

    /// The side of the executor, if it answered, and what was wrong with the shaders.
    pub(super) fn executed(
        &mut self,
        stage: &Stage,
        case: &Case,
        first: Detail,
        seen: &mut Examination,
    ) -> Option<(usize, Vec<Fault>)> {
        let mut engine = std::mem::take(&mut self.spirv);
        let answer = self.executed_by(&mut engine, stage, case, first, seen);
        self.spirv = engine;
        answer
    }

    /// The same of what Tint writes, if it is here.
    pub(super) fn executed_of_tint(
        &mut self,
        stage: &Stage,
        case: &Case,
        seen: &mut Examination,
    ) -> Option<(usize, Vec<Fault>)> {
        let mut engine = self.tint.take()?;
        let answer = self.executed_by(&mut engine, stage, case, Detail::Flag, seen);
        self.tint = Some(engine);
        answer
    }

    fn executed_by(
        &mut self,
        engine: &mut SpirvEngine,
        stage: &Stage,
        case: &Case,
        first: Detail,
        seen: &mut Examination,
    ) -> Option<(usize, Vec<Fault>)> {
        engine.options.plan = self.plan;
        engine.options.first = first;
        let at = self.run(engine, stage, case, seen);
        let faults = engine.faults().to_vec();
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
            Ok(()) if races => Difference::new(verdict::Kind::Race, String::new()),
            Ok(()) => return Ok(()),
        };
        let fault = match (races, broke) {
            (true, _) => faults.first(),
            (false, true) => faults.last(),
            (false, false) => None,
        };
        let engine = seen.sides[at].engine.clone();
        // It sees whether the program itself races behind a thread that is stuck.
        let evaluator = self.evaluator(stage, case, expected, seen);
        if let Some(reason) = excuse(&seen.sides[expected].outcome, seen, difference.kind) {
            seen.skip(stage.id, engine, reason);
            return Ok(());
        }
        let right = engine == EngineId::Tint
            && self.executor(stage, None, case, expected, seen) == Evaluator::Agrees;
        let finding = blame(stage, engine, difference, fault, (evaluator, right));
        Err(Verdict::Finding(Box::new(finding)))
    }
}

/// Does an atomic operation of a kernel work on a block that is not its record, or through a pointer that
/// may point there?
fn updates_blocks(kernel: &Kernel) -> bool {
    fn any(body: &Block, record: Option<&Exp>) -> bool {
        body.iter().any(|stm| match &stm.kind {
            Kind::Atomic { place: Place::Element(block, _), .. } => Some(block) != record,
            Kind::Atomic { place, .. } => matches!(place, Place::Deref(_)),
            Kind::If(branch) => any(&branch.then, record) || any(&branch.orelse, record),
            Kind::Loop(rounds) => any(&rounds.body, record),
            _ => false,
        })
    }
    let last = kernel.params.last().filter(|_| kernel.record.is_some());
    let record = last.map(|(var, _)| Exp::Var(*var));
    any(&kernel.body, record.as_ref())
}

/// Who is blamed for a fault.
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
    (evaluator, naga_is_right): (Evaluator, bool),
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
        (Evaluator::Agrees, Some(maker)) => (
            whose(maker),
            format!("{agrees}, and no WGSL asks for this, so {} writes wrong SPIR-V", maker.name()),
        ),
        (Evaluator::Agrees, None) if naga_is_right => (
            TINT,
            format!("{agrees}, and what naga writes ends rightly, so Tint writes wrong SPIR-V"),
        ),
        (Evaluator::Agrees, None) => {
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
