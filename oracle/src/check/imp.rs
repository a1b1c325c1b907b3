//! IMP is run with its threads in several orders. Its access log is held against FUNMEM's check of
//! races.

use super::judge::{Judge, Look, is_asked, variant, well_formed};
use super::race;
use super::tester::{Depth, Step, Tester, leaves_block};
use super::verdict::{Part, Verdict};
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
        if let Ending::Stuck(stuck) = &look.seen.sides[look.expected].outcome.ending
            && [Cause::Annotation, Cause::NoBlock].contains(&stuck.site.cause)
        {
            look.seen.skip(stage.id, in_order, "IMP reads annotations only");
            return Err(Verdict::Agree);
        }
        well_formed::<Imp>(tester, look, stage)?;
        let at = Imp::execute(tester, look, stage);
        let conflicts = |look: &Look| {
            // Where a copy leaves its block FUNMEM stops before its first element, IMP at the
            // element: what raced on the way is seen by IMP alone.
            if leaves_block(&look.seen.sides[look.expected].outcome) {
                return Ok(());
            }
            race::check_the_check(in_order.clone(), &look.seen.sides[at].outcome)
        };
        // A translation that is wrong may make conflicts, so the end is looked at before them;
        // but not where a conflict that FUNMEM's check missed may be why the ends differ.
        if race::may_change_the_end(&look.seen.sides[at].outcome) {
            conflicts(look)?;
        }
        tester.hold(stage, at, Part::Whole, look)?;
        conflicts(look)?;
        if matches!(look.seen.sides[at].outcome.ending, Ending::Unknown(_)) {
            return Ok(());
        }
        let mut others: Vec<EngineId> = EngineId::others(Imp::LANG).collect();
        if look.depth == Depth::Quick {
            others = vec![others.swap_remove((look.case.schedule % others.len() as u64) as usize)];
        }
        others.into_iter().try_for_each(|other| variant(tester, look, stage, other, at))
    }
}
