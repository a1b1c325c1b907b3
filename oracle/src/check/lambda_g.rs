//! λG has one semantics. The laws of its programs are held against each: it ends alike with and without the device and
//! however costs are counted, all regions are there, no two values have one place, and costs are within bounds. Without
//! its annotations it does the same.

use super::judge::Judge;
use super::look::Look;
use super::tester::Tester;
use super::verdict::{Finding, Kind, Step};
use crate::engine::{EngineId, Stage, StageId};
use crate::language::Listed;
use crate::panics::catch;
use reference::kit::outcome::Budget;
use reference::lambda_g::LambdaG;
use reference::lambda_g::laws::{self, Broken};

/// What each run of a law may use at most.
const FUEL: u64 = 1_000_000;

impl Judge for LambdaG {
    fn source(tester: &mut Tester, look: &mut Look, stage: &Stage) -> Step {
        let Some(program) = LambdaG::of(&stage.artifact) else { return Ok(()) };
        let Budget { fuel, memory } = look.case.budget;
        let budget = Budget { fuel: fuel.min(FUEL), memory };
        let planted = tester.plan.planted;
        let input = &look.case.input;
        let held = catch(|| {
            laws::hold(program, input, &budget, planted)?;
            laws::hold_without_annotations(program, input, &budget, planted)
        });
        let (kind, text) = match held {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(Broken::Ends(text))) => (Kind::Value, text),
            Ok(Err(Broken::Costs(text))) => (Kind::Cost, text),
            Err(text) => (Kind::Panic, text),
        };
        let own = EngineId::own(LambdaG::LANG);
        Err(Box::new(Finding::of(StageId::SOURCE, own, kind, text)).into())
    }
}
