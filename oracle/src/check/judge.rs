//! What is asked of the programs of a language: which engines run a stage of it, and how their
//! ends are held against the end of the program.
//!
//! The defaults are those of a language with nothing but a semantics, perhaps in several variants.

use super::examine::Examination;
use super::tester::{Depth, Step, Tester, unanswered};
use super::verdict::Part;
use super::{order, race, round_trip, types};
use crate::engine::{Case, EngineId, Stage, StageId};
use crate::language::Listed;
use crate::stages::Stages;
use reference::kit::outcome::Ending;

/// The case that is looked at, and what was seen of it so far.
pub(crate) struct Look<'a> {
    /// The case.
    pub case: &'a Case,
    /// How much of it is looked at.
    pub depth: Depth,
    /// The side that all others are held against: the program itself, by its semantics.
    pub expected: usize,
    /// What was seen.
    pub seen: &'a mut Examination,
}

/// The judge of a language.
pub(crate) trait Judge: Listed {
    /// The pass after which the memory of a program is judged by `lockstep check`.
    const MEMORY: StageId = StageId::SOURCE;

    /// Runs a stage by the semantics; the number of the side.
    fn execute(tester: &mut Tester, look: &mut Look, stage: &Stage) -> usize {
        tester.run_variant(EngineId::own(Self::LANG), stage, look)
    }

    /// The program has run, and its threads race.
    ///
    /// # Errors
    /// What is wrong.
    fn race(_: &mut Tester, look: &mut Look) -> Step {
        let passes = EngineId::own(Self::LANG);
        look.seen.skip(StageId::SOURCE, passes, "the program races");
        Ok(())
    }

    /// The program has run to an end, without races: its other runs are held against that.
    ///
    /// # Errors
    /// What is wrong.
    fn source(tester: &mut Tester, look: &mut Look, stage: &Stage) -> Step {
        let at = look.expected;
        EngineId::others(Self::LANG).try_for_each(|other| variant(tester, look, stage, other, at))
    }

    /// Judges a stage behind the source.
    ///
    /// # Errors
    /// What is wrong.
    fn stage(tester: &mut Tester, look: &mut Look, stages: &Stages<'_>, number: usize) -> Step {
        let stage = &stages.list[number];
        if look.depth == Depth::Quick && stages.last(Self::LANG) != Some(number)
            || !is_asked::<Self>(tester, look, stage)
        {
            return Ok(());
        }
        well_formed::<Self>(tester, look, stage)?;
        let at = Self::execute(tester, look, stage);
        // A thread that fails stops, the others run on: they may race behind it.
        if matches!(look.seen.sides[look.expected].outcome.ending, Ending::Value(_)) {
            race::check(stage, EngineId::own(Self::LANG), &look.seen.sides[at].outcome)?;
        }
        tester.hold(stage, at, Part::Whole, look)
    }
}

/// Is the semantics of the language asked? If not, that is counted.
pub(super) fn is_asked<L: Listed>(tester: &Tester, look: &mut Look, stage: &Stage) -> bool {
    let own = EngineId::own(L::LANG);
    let asked = tester.asked(&own);
    if !asked {
        look.seen.skip(stage.id, own, "not asked for");
    }
    asked
}

/// Where all is looked at: the stage is well typed, and what is printed of it is read back.
pub(super) fn well_formed<L: Listed>(tester: &mut Tester, look: &mut Look, stage: &Stage) -> Step {
    if look.depth == Depth::Whole {
        types::check(stage, EngineId::own(L::LANG), &mut tester.rolls, look.seen)?;
        round_trip::check(stage, EngineId::own(L::LANG), look.seen)?;
    }
    Ok(())
}

/// Runs another variant, which is another order of threads, and holds it against the first.
pub(super) fn variant(
    tester: &mut Tester,
    look: &mut Look,
    stage: &Stage,
    engine: EngineId,
    first: usize,
) -> Step {
    if !tester.asked(&engine) {
        return Ok(());
    }
    let at = tester.run_variant(engine.clone(), stage, look);
    if unanswered(stage, at, look.seen) {
        return Ok(());
    }
    let (first, other) = (&look.seen.sides[first].outcome, &look.seen.sides[at].outcome);
    Ok(order::check(stage, engine, first, other)?)
}
