//! A program by its own semantics: how it ends, whether its memory is valid, and what other orders of its threads
//! show. `check`, `explain` and `run` all ask here, so that they say the same of a program.

use crate::check::{Depth, OrderDependent, ThreadOrder, orders};
use crate::engine::{Case, Engine, EngineId, Stage, StageId};
use crate::engines::LanguageEngine;
use crate::panics::guarded;
use crate::rolls::Rolls;
use reference::kit::language::{Invalid, Judged, Language};
use reference::kit::memory::Memory;
use reference::kit::outcome::{Ending, Outcome, Race};
use reference::with_language;
use std::borrow::Cow;

/// What a program does by its own semantics.
pub(super) struct Own {
    /// The order of the semantics.
    order: EngineId,
    /// Its end in that order.
    pub(super) outcome: Outcome,
    /// Is its memory valid? Of a run that ends, and of which no order races or gets stuck that ends well in order.
    pub(super) validity: Option<Result<(), Invalid>>,
    /// Another order, in which threads race or one gets stuck though the order of the semantics ends well, and its end.
    pub(super) other: Option<(ThreadOrder, Outcome)>,
    /// Two orders that give different results, though none races or gets stuck.
    pub(super) order_dependent: Option<OrderDependent>,
}

/// Does more hold of the program than one run by any engine shows?
pub(super) fn is_asked(case: &Case) -> bool {
    case.program.is_open_to_order() || with_language!(case.program.lang(), |L| L::JUDGES_MEMORY)
}

impl Own {
    /// Runs a stage in the order of the semantics and, if its end may depend on that, in the others.
    pub(super) fn of(stage: &Stage, case: &Case) -> Self {
        let Judged { outcome, validity } = judged(stage, case);
        let answered = matches!(outcome.ending, Ending::Value(_) | Ending::Stuck(_));
        let whole = answered && outcome.races.is_empty();
        let orders = match whole {
            true => orders::run(stage, case, &outcome, Depth::Whole, &mut Rolls::default()),
            false => None,
        };
        let wrong = orders.as_ref().and_then(|orders| orders.wrong(&outcome));
        let other = wrong.map(|(order, end)| match end.races.is_empty() {
            true => (order.clone(), end.clone()),
            false => (order.clone(), located(order, stage, case)),
        });
        let order = EngineId::own(stage.artifact.lang());
        let order_dependent = orders
            .as_ref()
            .filter(|_| other.is_none())
            .and_then(|orders| orders.differ(order.clone(), &outcome));
        let validity = validity.filter(|_| whole && other.is_none());
        Self { order, outcome, validity, other, order_dependent }
    }

    /// The races in the order of the semantics, or else those in the other one.
    pub(super) fn races(&self) -> &[Race] {
        match (&self.other, self.outcome.races.as_slice()) {
            (Some((_, outcome)), []) => &outcome.races,
            (_, races) => races,
        }
    }

    /// What is wrong in the order of the semantics or in another one, where a run by this engine ends well.
    pub(super) fn wrong_elsewhere(
        &self,
        engine: &EngineId,
        outcome: &Outcome,
    ) -> Option<(ThreadOrder, &Outcome)> {
        if !is_well(outcome) {
            return None;
        }
        let other = || self.other.as_ref().map(|(order, end)| (order.clone(), end));
        match is_well(&self.outcome) || *engine == self.order {
            true => other(),
            false => Some((self.order.clone().into(), &self.outcome)),
        }
    }

    /// Why the memory of a run that gives results is not valid, if it is not.
    pub(super) fn invalid(&self) -> Option<Invalid> {
        let results = matches!(self.outcome.ending, Ending::Value(_));
        self.validity.clone().filter(|_| results).and_then(Result::err)
    }
}

/// Did the run end with results, and without a race?
pub(super) fn is_well(outcome: &Outcome) -> bool {
    matches!(outcome.ending, Ending::Value(_)) && outcome.races.is_empty()
}

/// The program as it was written.
pub(super) fn source_of(case: &Case) -> Stage<'_> {
    Stage { id: StageId::SOURCE, artifact: Cow::Borrowed(&case.program) }
}

/// Runs a stage of a case as its language judges it.
fn judged(stage: &Stage, case: &Case) -> Judged {
    let mut validity = None;
    let outcome = guarded(|| {
        let memory = &mut Memory::default().watched(true);
        let how = case.how(&stage.artifact, memory);
        let judged = stage.artifact.judge(&case.input, how);
        validity = judged.validity;
        judged.outcome
    });
    if outcome.races.is_empty() {
        return Judged { outcome, validity };
    }
    let own = EngineId::own(stage.artifact.lang());
    Judged { outcome: located(&own.into(), stage, case), validity }
}

/// Runs a stage by one of its semantics once more. Where both accesses of a race stand takes a table of all accesses.
fn located(order: &ThreadOrder, stage: &Stage, case: &Case) -> Outcome {
    let mut engine = match &order.engine {
        EngineId::Semantic(lang, variant) => LanguageEngine::new(*lang, variant),
        _ => LanguageEngine::own(stage.artifact.lang()),
    };
    if let Some(schedule) = order.schedule {
        engine = engine.seeded(schedule);
    }
    engine.run(stage, case, &mut Rolls::locating())
}
