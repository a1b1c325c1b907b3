//! IMP is run with its threads in several orders. Its access log is held against FUNMEM's check of
//! races.

use super::judge::{Judge, is_asked, variant, well_formed};
use super::look::{Look, leaves_block};
use super::tester::{Depth, Tester};
use super::verdict::{Part, Step, Verdict};
use super::{order, race, unwritten};
use crate::engine::EngineId;
use crate::language::Listed;
use crate::stages::Stages;
use reference::imp::Imp;
use reference::kit::outcome::{Cause, Ending};

impl Judge for Imp {
    fn stage(tester: &mut Tester, look: &mut Look, stages: &Stages<'_>, number: usize) -> Step {
        let stage = &stages.list[number];
        if !is_asked::<Imp>(tester, look, stage) {
            return Ok(());
        }
        let in_order = EngineId::own(Imp::LANG);
        if let Ending::Stuck(stuck) = &look.wanted().ending
            && [Cause::Annotation, Cause::NoBlock].contains(&stuck.site.cause)
        {
            look.seen.skip(stage.id, in_order, "IMP reads annotations only");
            return Err(Verdict::Agree);
        }
        well_formed::<Imp>(tester, look, stage)?;
        let at = Imp::execute(tester, look, stage);
        let conflicts = |tester: &Tester, look: &Look| {
            // Where a copy leaves its block FUNMEM stops before its first element, IMP at the
            // element: what raced on the way is seen by IMP alone.
            if leaves_block(look.wanted()) {
                return Ok(());
            }
            race::check_the_check(tester, look, stage, at)
        };
        // A translation that is wrong may make conflicts, so the end is looked at before them;
        // but not where a conflict that FUNMEM's check missed may be why the ends differ.
        if race::may_change_the_end(look.outcome(at)) {
            conflicts(tester, look)?;
        }
        look.hold(stage, at, Part::Whole)?;
        conflicts(tester, look)?;
        unwritten::check(look, stage, at)?;
        if matches!(look.outcome(at).ending, Ending::Unknown(_)) {
            return Ok(());
        }
        let mut others: Vec<EngineId> = EngineId::others(Imp::LANG).collect();
        if look.depth == Depth::Quick {
            others = vec![others.swap_remove((look.case.schedule % others.len() as u64) as usize)];
        }
        others.into_iter().try_for_each(|other| {
            let Some(found) = variant(tester, look, stage, other) else { return Ok(()) };
            // The access log tells whose fault a difference is: where it has a conflict, FUNMEM's check of races
            // should have seen it. In order a stuck thread ends the run, so threads behind it may race unseen.
            if matches!(look.outcome(at).ending, Ending::Value(_)) {
                race::check_the_check(tester, look, stage, found)?;
            }
            Ok(order::check(tester, look, stage, (at, found))?)
        })
    }
}
