//! MiniSYCL has one semantics, the MiniAS program that it is. Where all is looked at, that program is judged as one of its own:
//! in all orders, by both translations, and compiled with evidence. Of some programs a premise is broken besides, whose rule
//! must be the one that refuses what comes of it.

use super::beside;
use super::judge::Judge;
use super::look::Look;
use super::minias::refusal;
use super::tester::{Depth, Tester};
use super::verdict::Step;
use crate::engine::StageId;
use crate::generate::ill_typed::{Broken, premise};
use crate::generate::sycl::ill_typed::broken;
use crate::language::Listed;
use reference::kit::derivation::Recorder;
use reference::kit::language::Language;
use reference::minias::Minias;
use reference::sycl::{Sycl, elaborated};

/// The pass that makes a MiniAS program.
const ELABORATE: StageId = StageId("elaborate");

impl Judge for Sycl {
    fn behind(tester: &mut Tester, look: &mut Look) -> Step {
        let Some(program) = Sycl::of(&look.case.program) else { return Ok(()) };
        let broken = premise(look.case.schedule).and_then(|seed| broken(program, seed));
        broken.map_or(Ok(()), |broken| refused(&broken))?;
        match (look.depth, elaborated(program)) {
            (Depth::Whole, Ok(made)) => {
                beside::examine(tester, look, ELABORATE, Minias::artifact(made))
            }
            _ => Ok(()),
        }
    }
}

/// The program is refused by the rule whose premise it breaks.
fn refused(broken: &Broken) -> Step {
    let Broken { text, rule, premise, .. } = broken;
    let checked = broken
        .program::<Sycl>()
        .and_then(|program| Sycl::check(&program, &mut Recorder::counting()));
    refusal(Sycl::LANG, checked, (rule, premise), text)
}
