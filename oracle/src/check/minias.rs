//! MiniAS by its semantics in several orders, and its translations by evidence in both readings: all end alike. Of some
//! programs a premise is broken besides, whose rule must be the one that refuses what comes of it.

use super::judge::Judge;
use super::look::Look;
use super::tester::Tester;
use super::verdict::{Finding, Kind, Step};
use crate::engine::{EngineId, StageId};
use crate::generate::minias::ill_typed::{Broken, broken, premise};
use crate::language::Listed;
use reference::kit::derivation::Recorder;
use reference::kit::language::Language;
use reference::minias::types::Mode;
use reference::minias::{Minias, infer};

impl Judge for Minias {
    fn behind(tester: &mut Tester, look: &mut Look) -> Step {
        let Some(program) = Minias::of(&look.case.program) else { return Ok(()) };
        let premise = premise(look.case.schedule);
        let Some(premise) = premise.filter(|_| program.options.mode == Mode::Infer) else {
            return Ok(());
        };
        let broken = broken(program.clone(), &premise);
        broken.map_or(Ok(()), |broken| refused(tester, &broken))
    }
}

/// The program is refused by the rule whose premise it breaks.
fn refused(tester: &Tester, Broken { program, rule, premise }: &Broken) -> Step {
    let planted = tester.plan.planted;
    let checked = infer::with_planted(program, Mode::Infer, planted, &mut Recorder::counting());
    let told = match checked {
        Err(no) if no.rule == Some((rule, premise)) => return Ok(()),
        Err(no) => match no.rule {
            Some((rule, premise)) => format!("{rule} {premise} refuses it instead"),
            None => format!("it is refused: {}", no.message),
        },
        Ok(_) => "it is accepted".to_owned(),
    };
    let text = Minias::print(program);
    let text = format!("{rule} does not refuse by {premise}, where {told}, the program\n{text}");
    let own = EngineId::own(Minias::LANG);
    Err(Box::new(Finding::of(StageId::SOURCE, own, Kind::Types, text)).into())
}
