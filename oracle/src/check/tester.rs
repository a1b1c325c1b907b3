//! The tester: the engines at hand, and what it does with a case.
//!
//! The stages are run from the first to the last, and each is held against the end of the first,
//! so that the first difference names the pass. A stage of FUNMEM has two runs: if the one with
//! the memory removed differs, what the pass computes is wrong; if only the one by heap does, its
//! memory is.

use super::agree::{StuckPolicy, agree};
use super::examine::{Examination, Share, Side};
use super::verdict::{Finding, Kind, Part, Verdict};
use super::{emit, order, race, round_trip, types, validity};
use crate::engine::{Artifact, Case, Engine, EngineId, Stage, StageId, Threads};
use crate::engines::{
    AdapterEngine, DeviceEngine, FunEngine, HeapEngine, ImpEngine, SpirvEngine, ValuesEngine,
};
use crate::language::Lang;
use crate::profiles::reason;
use crate::rolls::Rolls;
use crate::stages::{CHECKED, End, LAST, Plan, Stages, TO_IMP};
use reference::kit::memory::Memory;
use reference::kit::outcome::{Cause, Ending, Outcome};
use std::borrow::Cow;
use std::mem::take;
use std::time::Instant;

/// How much of a case is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Every run of every stage, its types and its printed form.
    Whole,
    /// One run a language: the last stage of each. A difference is then looked at whole. Where
    /// the semantics alone are asked, no pass but insertion and translation is run.
    Quick,
}

/// The engines at hand and the rolls that they fire.
pub struct Tester {
    /// What has fired so far.
    pub rolls: Rolls,
    /// The executor of SPIR-V, with the modules that it has made.
    pub spirv: SpirvEngine,
    /// The same of what Tint writes, where Dawn is among the adapters.
    pub tint: Option<SpirvEngine>,
    /// The adapters, each in its child process.
    pub adapters: Vec<AdapterEngine>,
    /// How programs are compiled.
    pub plan: Plan,
    /// The engines that are asked, by name or by the part before the colon; empty for all. The
    /// engine of a program's own language is always asked.
    pub only: Vec<String>,
    /// Why the adapters are left out for now, if they are.
    pub rest: Option<String>,
    /// What FUNMEM and IMP run in.
    memory: Memory,
}

/// A step of an examination: go on, or stop with a verdict.
pub(super) type Step = Result<(), Verdict>;

impl From<Box<Finding>> for Verdict {
    fn from(finding: Box<Finding>) -> Self {
        Verdict::Finding(finding)
    }
}

impl Tester {
    /// A tester with these adapters.
    pub fn new(adapters: Vec<AdapterEngine>, plan: Plan) -> Self {
        let spirv = SpirvEngine::default();
        let tint = adapters.iter().find_map(AdapterEngine::tint).map(SpirvEngine::of);
        let (rolls, memory) = (Rolls::new(), Memory::default());
        Self { rolls, spirv, tint, adapters, plan, only: Vec::new(), rest: None, memory }
    }

    /// Puts a case through all checks. A finding of a quick look is looked at whole, so that the
    /// first stage that differs is blamed.
    pub fn examine(&mut self, case: &Case, depth: Depth) -> Examination {
        let mut seen = Examination::default();
        if let Err(verdict) = self.stages(case, depth, &mut seen) {
            seen.verdict = verdict;
        }
        if depth == Depth::Quick && matches!(seen.verdict, Verdict::Finding(_)) {
            let whole = self.examine(case, Depth::Whole);
            if matches!(whole.verdict, Verdict::Finding(_)) {
                return whole;
            }
        }
        seen
    }

    /// Is the engine among those that are asked?
    pub fn asked(&self, engine: &EngineId) -> bool {
        let name = engine.to_string();
        let room = name.split(':').next().unwrap_or_default();
        self.only.is_empty() || self.only.iter().any(|only| *only == name || only == room)
    }

    /// Are the semantics of FUN, FUNMEM and IMP the only ones that are asked?
    fn only_semantics(&self) -> bool {
        let adapters = self.adapters.iter().map(AdapterEngine::id);
        ![EngineId::Device, EngineId::Spirv, EngineId::Tint]
            .into_iter()
            .chain(adapters)
            .any(|engine| self.asked(&engine))
    }

    pub(super) fn run(
        &mut self,
        engine: &mut dyn Engine,
        stage: &Stage,
        case: &Case,
        seen: &mut Examination,
    ) -> usize {
        let start = Instant::now();
        let outcome = engine.run(stage, case, &mut self.rolls);
        let took = start.elapsed();
        seen.sides.push(Side { engine: engine.id(), stage: stage.id, outcome, took });
        seen.sides.len() - 1
    }

    fn stages(&mut self, case: &Case, depth: Depth, seen: &mut Examination) -> Step {
        let source = Stage { id: StageId::SOURCE, artifact: Cow::Borrowed(&case.program) };
        let own = match case.program {
            Artifact::Fun(_) => EngineId::Fun,
            Artifact::FunMem(_) => EngineId::FunMem,
            Artifact::Imp(_) => EngineId::Imp(Threads::InOrder),
            Artifact::Device(_) => EngineId::Device,
        };
        types::check(&source, own.clone(), &mut self.rolls, seen)?;
        if depth == Depth::Whole {
            round_trip::check(&source, own, seen)?;
        }
        let expected = self.source(&source, case, seen)?;
        if seen.share == Share::Race {
            if matches!(case.program, Artifact::Device(_)) {
                return self.races_in_shaders(case, seen);
            }
            seen.skip(source.id, EngineId::Imp(Threads::InOrder), "the program races");
            return Ok(());
        }
        let stages = self.compiled(&case.program, depth, &seen.share);
        seen.passes.extend(stages.took.iter().copied());
        self.compare(&stages, case, depth, expected, seen)?;
        self.end_of_passes(stages.end, seen)
    }

    /// The stages of a program that are looked at.
    fn compiled<'p>(&self, program: &'p Artifact, depth: Depth, share: &Share) -> Stages<'p> {
        match (share, depth) {
            // Memory that is wrong may read what no pass promises to keep; but IMP reads the same.
            (Share::Invalid, _) => Stages::translated(program, self.plan),
            // Nobody would run what the other passes make.
            (_, Depth::Quick) if self.only_semantics() => Stages::translated(program, self.plan),
            // Who runs the shaders writes what it launches; all are looked at where all is.
            (_, Depth::Quick) => Stages::ends(program, self.plan, self.last_of_quick()),
            (_, Depth::Whole) => Stages::of(program, self.plan),
        }
    }

    /// The last pass that a quick look needs. The executor of SPIR-V compiles on what it launches; adapters
    /// want whole programs.
    fn last_of_quick(&self) -> StageId {
        let adapters = self.adapters.iter().any(|adapter| self.asked(&adapter.id()));
        if self.asked(&EngineId::Spirv) && !adapters { CHECKED } else { LAST }
    }

    /// Holds the stages that follow the source against what is expected.
    fn compare(
        &mut self,
        stages: &Stages<'_>,
        case: &Case,
        depth: Depth,
        expected: usize,
        seen: &mut Examination,
    ) -> Step {
        let last_funmem = stages.last(Lang::FunMem);
        let last_device = stages.last(Lang::Device);
        for (number, stage) in stages.list.iter().enumerate().skip(1) {
            match &*stage.artifact {
                Artifact::FunMem(_) => {
                    if depth == Depth::Whole || last_funmem == Some(number) {
                        self.on_funmem(stage, case, depth, expected, seen)?;
                    }
                }
                Artifact::Imp(_) => self.on_imp(stage, case, depth, expected, seen)?,
                Artifact::Device(_) => {
                    let last = last_device == Some(number);
                    if depth == Depth::Whole || last {
                        let printed = round_trip::is_tried(case, &stages.list, number);
                        self.on_device(stage, case, (depth, printed), expected, seen)?;
                    }
                    if let Some(shaders) = &stages.shaders
                        && last
                    {
                        emit::check(shaders, &mut self.spirv)?;
                    }
                    if stage.id == CHECKED && depth == Depth::Quick {
                        self.on_spirv(stage, case, depth, expected, seen)?;
                    }
                    if last && stage.id == LAST {
                        self.on_spirv(stage, case, depth, expected, seen)?;
                        if depth == Depth::Whole {
                            self.on_tint(stage, case, expected, seen)?;
                        }
                        self.on_adapters(stage, case, expected, seen)?;
                    }
                }
                Artifact::Fun(_) => {}
            }
        }
        // What the passes behind it make is known to be right by now, and they compile kernels here too.
        let checked = stages.list.iter().find(|stage| stage.id == CHECKED);
        match checked.filter(|_| depth == Depth::Whole) {
            Some(stage) => self.on_spirv(stage, case, depth, expected, seen),
            None => Ok(()),
        }
    }

    /// Runs the program in its own language; the number of the side that all others are held
    /// against.
    fn source(
        &mut self,
        source: &Stage,
        case: &Case,
        seen: &mut Examination,
    ) -> Result<usize, Verdict> {
        let mut heap = HeapEngine::new(self.plan.planted);
        let own: &mut dyn Engine = match *source.artifact {
            Artifact::Fun(_) => &mut FunEngine,
            Artifact::FunMem(_) => &mut heap,
            Artifact::Imp(_) => &mut ImpEngine::new(Threads::InOrder),
            Artifact::Device(_) => &mut DeviceEngine,
        };
        let at = self.run(own, source, case, seen);
        let own = own.id();
        let outcome = &seen.sides[at].outcome;
        seen.share = Share::of(&outcome.ending);
        match &outcome.ending {
            Ending::Unknown(why) => return Err(Verdict::Unknown(why.clone())),
            Ending::Broken(broken) => {
                let text = format!("{own} broke: {broken:?}");
                let finding = Finding::of(source.id, own, broken.into(), text);
                return Err(Verdict::Finding(Box::new(finding)));
            }
            Ending::Value(_) | Ending::Stuck(_) => {}
        }
        if !outcome.races.is_empty() {
            seen.share = Share::Race;
            return Ok(at);
        }
        match *source.artifact {
            Artifact::FunMem(_) => {
                let values = self.run(&mut ValuesEngine, source, case, seen);
                let (values, by_heap) = (&seen.sides[values].outcome, &seen.sides[at].outcome);
                if let Ending::Broken(broken) = &values.ending {
                    let text = format!("the run with the memory removed broke: {broken:?}");
                    let finding = Finding::of(source.id, EngineId::Values, broken.into(), text);
                    let part = Part::Computation;
                    return Err(Verdict::Finding(Box::new(Finding { part, ..finding })));
                }
                seen.invalid = validity::judge(values, by_heap, heap.layout());
                if seen.invalid.is_some() {
                    seen.share = Share::Invalid;
                }
            }
            Artifact::Imp(_) => {
                for threads in [Threads::Reversed, Threads::Shuffled, Threads::Interleaved] {
                    self.in_order(source, case, threads, at, seen)?;
                }
            }
            _ => {}
        }
        Ok(at)
    }

    fn on_funmem(
        &mut self,
        stage: &Stage,
        case: &Case,
        depth: Depth,
        expected: usize,
        seen: &mut Examination,
    ) -> Step {
        if !self.asked(&EngineId::FunMem) {
            seen.skip(stage.id, EngineId::FunMem, "not asked for");
            return Ok(());
        }
        let mut values = None;
        if depth == Depth::Whole {
            types::check(stage, EngineId::FunMem, &mut self.rolls, seen)?;
            round_trip::check(stage, EngineId::FunMem, seen)?;
            let at = self.run(&mut ValuesEngine, stage, case, seen);
            self.hold(stage, at, expected, Part::Computation, seen)?;
            values = Some(at);
        }
        let mut engine = HeapEngine::in_memory(take(&mut self.memory), self.plan.planted);
        let heap = self.run(&mut engine, stage, case, seen);
        let layout = engine.layout();
        self.memory = engine.into_memory();
        race::check(stage, EngineId::FunMem, &seen.sides[heap].outcome)?;
        self.hold(stage, heap, expected, Part::Memory, seen)?;
        let invalid = match values {
            Some(values) => {
                validity::judge(&seen.sides[values].outcome, &seen.sides[heap].outcome, layout)
            }
            None => layout,
        };
        Ok(validity::check(stage, invalid)?)
    }

    fn on_imp(
        &mut self,
        stage: &Stage,
        case: &Case,
        depth: Depth,
        expected: usize,
        seen: &mut Examination,
    ) -> Step {
        let in_order = EngineId::Imp(Threads::InOrder);
        if !self.asked(&in_order) {
            seen.skip(stage.id, in_order, "not asked for");
            return Ok(());
        }
        if let Ending::Stuck(stuck) = &seen.sides[expected].outcome.ending
            && [Cause::Annotation, Cause::NoBlock].contains(&stuck.site.cause)
        {
            seen.skip(stage.id, in_order, "IMP reads annotations only");
            return Err(Verdict::Agree);
        }
        if depth == Depth::Whole {
            types::check(stage, in_order.clone(), &mut self.rolls, seen)?;
            round_trip::check(stage, in_order.clone(), seen)?;
        }
        let at = self.imp(Threads::InOrder, stage, case, seen);
        let conflicts = |seen: &Examination| {
            // Where a copy leaves its block FUNMEM stops before its first element, IMP at the
            // element: what raced on the way is seen by IMP alone.
            if leaves_block(&seen.sides[expected].outcome) {
                return Ok(());
            }
            race::check_the_check(in_order.clone(), &seen.sides[at].outcome)
        };
        // A translation that is wrong may make conflicts, so the end is looked at before them;
        // but not where a conflict that FUNMEM's check missed may be why the ends differ.
        if race::may_change_the_end(&seen.sides[at].outcome) {
            conflicts(seen)?;
        }
        self.hold(stage, at, expected, Part::Whole, seen)?;
        conflicts(seen)?;
        if matches!(seen.sides[at].outcome.ending, Ending::Unknown(_)) {
            return Ok(());
        }
        let others = &Threads::ALL[1..];
        match depth {
            Depth::Whole => {
                for threads in others {
                    self.in_order(stage, case, *threads, at, seen)?;
                }
                Ok(())
            }
            Depth::Quick => {
                let threads = others[(case.schedule % others.len() as u64) as usize];
                self.in_order(stage, case, threads, at, seen)
            }
        }
    }

    /// Runs IMP with its threads in this order; the number of the side.
    fn imp(
        &mut self,
        threads: Threads,
        stage: &Stage,
        case: &Case,
        seen: &mut Examination,
    ) -> usize {
        let mut engine = ImpEngine::in_memory(take(&mut self.memory), threads);
        let at = self.run(&mut engine, stage, case, seen);
        self.memory = engine.into_memory();
        at
    }

    /// Runs IMP with its threads in another order, and holds it against that in order.
    fn in_order(
        &mut self,
        stage: &Stage,
        case: &Case,
        threads: Threads,
        in_order: usize,
        seen: &mut Examination,
    ) -> Step {
        let engine = EngineId::Imp(threads);
        if !self.asked(&engine) {
            return Ok(());
        }
        let at = self.imp(threads, stage, case, seen);
        if unanswered(stage, at, seen) {
            return Ok(());
        }
        let (in_order, other) = (&seen.sides[in_order].outcome, &seen.sides[at].outcome);
        Ok(order::check(stage, engine, in_order, other)?)
    }

    fn on_device(
        &mut self,
        stage: &Stage,
        case: &Case,
        (depth, printed): (Depth, bool),
        expected: usize,
        seen: &mut Examination,
    ) -> Step {
        if !self.asked(&EngineId::Device) {
            seen.skip(stage.id, EngineId::Device, "not asked for");
            return Ok(());
        }
        // Every pass to this language validates what it made; the roll counts these.
        if depth == Depth::Whole {
            types::check(stage, EngineId::Device, &mut self.rolls, seen)?;
            if printed {
                round_trip::check(stage, EngineId::Device, seen)?;
            }
        }
        let at = self.run(&mut DeviceEngine, stage, case, seen);
        // A thread that fails stops, the others run on: they may race behind it.
        if matches!(seen.sides[expected].outcome.ending, Ending::Value(_)) {
            race::check(stage, EngineId::Device, &seen.sides[at].outcome)?;
        }
        self.hold(stage, at, expected, Part::Whole, seen)
    }

    /// Holds a side against the one that all are held against.
    fn hold(
        &mut self,
        stage: &Stage,
        at: usize,
        expected: usize,
        part: Part,
        seen: &mut Examination,
    ) -> Step {
        if unanswered(stage, at, seen) {
            return Ok(());
        }
        let engine = seen.sides[at].engine.clone();
        let (expected, found) = (&seen.sides[expected].outcome, &seen.sides[at].outcome);
        agree(expected, found, policy(expected)).map_err(|difference| {
            let what = match part {
                Part::Computation => "what it computes is wrong",
                Part::Memory => "its memory is wrong",
                Part::Whole => "it is wrong",
            };
            let text = format!("after {}, {what}: {}", stage.id, difference.text);
            let finding = Finding::between(stage.id, engine, &difference, text);
            Verdict::Finding(Box::new(Finding { part, ..finding }))
        })
    }

    /// A pass that panicked is a finding; one that refused is counted.
    pub(super) fn end_of_passes(
        &self,
        end: Option<(StageId, End)>,
        seen: &mut Examination,
    ) -> Step {
        match end {
            None => Ok(()),
            Some((stage, End::Refused(refused))) => {
                let reason = format!("{stage} refused: {}", refused.reason);
                if stage == TO_IMP {
                    seen.skip(stage, EngineId::Imp(Threads::InOrder), reason.clone());
                }
                for engine in [EngineId::Device, EngineId::Spirv]
                    .into_iter()
                    .chain(self.adapters.iter().map(AdapterEngine::id))
                {
                    seen.skip(stage, engine, reason.clone());
                }
                Ok(())
            }
            Some((stage, End::Panicked(text))) => {
                Err(broken_pass(stage, Kind::Panic, format!("{stage} panicked: {text}")))
            }
            Some((stage, End::Invalid(text))) => {
                let text = format!("{stage} made an ill typed program: {text}");
                Err(broken_pass(stage, Kind::Types, text))
            }
        }
    }
}

/// Has the side no answer? Then that is counted, and nothing compared.
pub(super) fn unanswered(stage: &Stage, at: usize, seen: &mut Examination) -> bool {
    let Side { engine, outcome, .. } = &seen.sides[at];
    let Ending::Unknown(why) = &outcome.ending else { return false };
    let (engine, reason) = (engine.clone(), reason(why));
    seen.skip(stage.id, engine, reason);
    true
}

/// A pass that made nothing that could be run.
fn broken_pass(stage: StageId, kind: Kind, text: String) -> Verdict {
    Verdict::Finding(Box::new(Finding::of(stage, EngineId::Device, kind, text)))
}

/// What every pass keeps of a place that gets stuck. A machine reports the lowest thread of a
/// launch, as the semantics do.
pub(super) fn policy(expected: &Outcome) -> StuckPolicy {
    if leaves_block(expected) { StuckPolicy::Element } else { StuckPolicy::Same }
}

/// Did the run end with an access outside a block? Only invalid programs do.
fn leaves_block(outcome: &Outcome) -> bool {
    matches!(&outcome.ending, Ending::Stuck(stuck) if stuck.site.cause == Cause::OutsideBlock)
}
