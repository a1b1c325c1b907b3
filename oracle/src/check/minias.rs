//! MiniAS by its semantics in several orders, and its translations by evidence in both readings: all end alike. Of some
//! programs a premise is broken besides, whose rule must be the one that refuses what comes of it.

use super::judge::Judge;
use super::look::Look;
use super::tester::Tester;
use super::verdict::{Finding, Kind, Step};
use crate::engine::{EngineId, StageId};
use crate::generate::ill_typed::{Broken, premise};
use crate::generate::minias::ill_typed::broken;
use crate::language::{Lang, Listed};
use reference::kit::derivation::Recorder;
use reference::kit::text::Rejected;
use reference::minias::types::MODE;
use reference::minias::{Minias, infer};

impl Judge for Minias {
    fn behind(tester: &mut Tester, look: &mut Look) -> Step {
        let Some(program) = Minias::of(&look.case.program) else { return Ok(()) };
        let Some(seed) = premise(look.case.schedule) else { return Ok(()) };
        broken(program, seed).map_or(Ok(()), |broken| refused(tester, &broken))
    }
}

/// The program is refused by the rule whose premise it breaks.
fn refused(tester: &Tester, broken: &Broken) -> Step {
    let Broken { text, settings, rule, premise } = broken;
    let planted = tester.plan.planted;
    let checked = broken.program::<Minias>().and_then(|program| {
        infer::with_planted(&program, program.options.mode, planted, &mut Recorder::counting())
    });
    let text = format!("-- mode: {}\n{text}", settings.get(&MODE));
    refusal(Minias::LANG, checked.map(drop), (rule, premise), &text)
}

/// What is said of a program of which a premise of a rule is broken, if another rule refuses it or none does.
pub(super) fn refusal(
    lang: Lang,
    checked: Result<(), Rejected>,
    (rule, premise): (&'static str, &'static str),
    text: &str,
) -> Step {
    let told = match checked {
        Err(no) if no.rule == Some((rule, premise)) => return Ok(()),
        Err(no) => match no.rule {
            Some((rule, premise)) => format!("{rule} {premise} refuses it instead"),
            None => format!("it is refused: {}", no.message),
        },
        Ok(()) => "it is accepted".to_owned(),
    };
    let text = format!("{rule} does not refuse by {premise}, where {told}, the program\n{text}");
    Err(Box::new(Finding::of(StageId::SOURCE, EngineId::own(lang), Kind::Types, text)).into())
}
