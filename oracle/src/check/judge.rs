//! What is asked of the programs of a language: which engines run a stage of it, and how their
//! ends are held against the end of the program.
//!
//! The defaults are those of a language with nothing but a semantics, perhaps in several variants.

use super::look::Look;
use super::tester::{Depth, Tester};
use super::verdict::{Part, Step};
use super::{order, race, round_trip, types, unwritten};
use crate::engine::{EngineId, Stage, StageId};
use crate::language::Listed;
use crate::stages::Stages;

/// The judge of a language.
pub(crate) trait Judge: Listed {
    /// The pass after which the memory of a program is judged by `lockstep check`.
    #[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "only the command line asks"))]
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
        EngineId::others(Self::LANG).try_for_each(|other| {
            match variant(tester, look, stage, other.clone()) {
                Some(at) => Ok(order::check(tester, look, stage, (look.expected, at))?),
                None => Ok(()),
            }
        })
    }

    /// All stages of the program agree: what else is held against its end.
    ///
    /// # Errors
    /// What is wrong.
    fn behind(_: &mut Tester, _: &mut Look) -> Step {
        Ok(())
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
        if look.gives_results() {
            race::check(tester, look, stage, at)?;
        }
        look.hold(stage, at, Part::Whole)?;
        unwritten::check(look, stage, at)
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

/// Runs another variant, such as another order of threads; the number of the side, if it is asked and answers.
pub(super) fn variant(
    tester: &mut Tester,
    look: &mut Look,
    stage: &Stage,
    engine: EngineId,
) -> Option<usize> {
    if !tester.asked(&engine) {
        return None;
    }
    let at = tester.run_variant(engine, stage, look);
    (!look.unanswered(stage, at)).then_some(at)
}
