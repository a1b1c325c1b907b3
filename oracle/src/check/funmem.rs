//! FUNMEM is run by heap, and with its memory removed. If the run by values differs, what a pass
//! computes is wrong; if only the one by heap does, its memory is.

use super::judge::{Judge, is_asked, well_formed};
use super::look::Look;
use super::tester::{Depth, Tester};
use super::verdict::{Finding, Part, Step, Verdict};
use super::{Class, race, unwritten, validity};
use crate::engine::{Case, Engine, EngineId, NotRun, Stage, StageId};
use crate::language::Listed;
use crate::panics::guarded;
use crate::rolls::Rolls;
use crate::stages::Stages;
use reference::funmem::FunMem;
use reference::funmem::VALUES;
use reference::funmem::validity::{Invalid, Watch, heap};
use reference::imp::Imp;
use reference::kit::faults::Planted;
use reference::kit::memory::Memory;
use reference::kit::outcome::{Ending, Outcome, Stats};
use std::mem::take;

impl Judge for FunMem {
    fn execute(tester: &mut Tester, look: &mut Look, stage: &Stage) -> usize {
        let (at, layout) = by_heap(tester, look, stage, Watch::Lives);
        // Until the run by values says more.
        look.seen.invalid = layout;
        at
    }

    fn race(_: &mut Tester, look: &mut Look) -> Step {
        look.seen.skip(StageId::SOURCE, EngineId::own(Imp::LANG), "the program races");
        Ok(())
    }

    fn source(tester: &mut Tester, look: &mut Look, stage: &Stage) -> Step {
        let values = by_values(tester, look, stage);
        let seen = &mut *look.seen;
        let (values, heap) = (&seen.sides[values].outcome, &seen.sides[look.expected].outcome);
        if let Ending::Broken(broken) = &values.ending {
            let text = format!("the run with the memory removed broke: {broken:?}");
            let engine = EngineId::Semantic(FunMem::LANG, VALUES);
            let finding = Finding::of(stage.id, engine, broken.into(), text);
            let part = Part::Computation;
            return Err(Verdict::Finding(Box::new(Finding { part, ..finding })));
        }
        seen.invalid = validity::judge(values, heap, seen.invalid.take());
        if seen.invalid.is_some() {
            seen.class = Class::Invalid;
        }
        Ok(())
    }

    fn stage(tester: &mut Tester, look: &mut Look, stages: &Stages<'_>, number: usize) -> Step {
        let stage = &stages.list[number];
        if look.depth == Depth::Quick && stages.last(FunMem::LANG) != Some(number)
            || !is_asked::<FunMem>(tester, look, stage)
        {
            return Ok(());
        }
        well_formed::<FunMem>(tester, look, stage)?;
        let mut values = None;
        if look.depth == Depth::Whole {
            let at = by_values(tester, look, stage);
            look.hold(stage, at, Part::Computation)?;
            values = Some(at);
        }
        let watch = if look.depth == Depth::Whole { Watch::Lives } else { Watch::Nothing };
        let (heap, layout) = by_heap(tester, look, stage, watch);
        race::check(tester, look, stage, heap)?;
        look.hold(stage, heap, Part::Memory)?;
        unwritten::check(look, stage, heap)?;
        let invalid = match values {
            Some(values) => validity::judge(look.outcome(values), look.outcome(heap), layout),
            None => layout,
        };
        Ok(validity::check(stage, invalid)?)
    }
}

fn by_values(tester: &mut Tester, look: &mut Look, stage: &Stage) -> usize {
    tester.run_variant(EngineId::Semantic(FunMem::LANG, VALUES), stage, look)
}

/// Runs the stage by heap; the number of the side, and what is wrong with its memory.
fn by_heap(
    tester: &mut Tester,
    look: &mut Look,
    stage: &Stage,
    watch: Watch,
) -> (usize, Option<Invalid>) {
    let (planted, memory) = (tester.plan.planted, take(&mut tester.memory));
    let mut engine = Heap { planted, watch, memory, layout: None };
    let at = look.run(&mut engine, stage, &mut tester.rolls);
    tester.memory = engine.memory;
    (at, engine.layout)
}

/// The semantics, with what validity asks of it besides its end.
struct Heap {
    planted: Planted,
    watch: Watch,
    memory: Memory,
    /// What is wrong with its memory.
    layout: Option<Invalid>,
}

impl Engine for Heap {
    fn id(&self) -> EngineId {
        EngineId::own(FunMem::LANG)
    }

    fn admits(&self, _: &Stage, _: &Case, _: &Stats) -> Result<(), NotRun> {
        Ok(())
    }

    fn run(&mut self, stage: &Stage, case: &Case, rolls: &mut Rolls) -> Outcome {
        let program = FunMem::of(&stage.artifact).expect("a stage of FUNMEM");
        guarded(|| {
            let (memory, how) = (&mut self.memory, (self.planted, self.watch));
            let recorder = FunMem::roll(rolls);
            let (outcome, layout) = heap(memory, program, &case.input, &case.budget, recorder, how);
            self.layout = layout;
            outcome
        })
    }
}
