//! A look at a case: what is known of it so far, and how an end is held against that of the program.

use super::agree::{Difference, StuckPolicy, agree};
use super::examine::{Answer, Examination};
use super::orders::Orders;
use super::tester::Depth;
use super::verdict::{Finding, Part, Step, Verdict};
use crate::engine::{Case, Engine, Stage, StageId};
use crate::profiles::reason;
use crate::rolls::Rolls;
use compiler::run::launcher::is_unconfirmed;
use reference::kit::outcome::{Cause, Ending, Outcome};
use std::borrow::Cow;
use std::time::Instant;

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

impl Look<'_> {
    /// Runs a stage; the number of the side.
    pub(crate) fn run(
        &mut self,
        engine: &mut dyn Engine,
        stage: &Stage,
        rolls: &mut Rolls,
    ) -> usize {
        let start = Instant::now();
        let outcome = engine.run(stage, self.case, rolls);
        self.side(Answer { engine: engine.id(), stage: stage.id, outcome, took: start.elapsed() })
    }

    /// Keeps a side; its number.
    pub(crate) fn side(&mut self, side: Answer) -> usize {
        self.seen.sides.push(side);
        self.seen.sides.len() - 1
    }

    /// What the program itself did.
    pub(crate) fn wanted(&self) -> &Outcome {
        self.outcome(self.expected)
    }

    /// What a side did.
    pub(crate) fn outcome(&self, at: usize) -> &Outcome {
        &self.seen.sides[at].outcome
    }

    /// Did the program give results in each order of its threads that was run? If a thread of it fails, the others run on,
    /// and may race behind it.
    pub(crate) fn gives_results(&self) -> bool {
        let wrong = self.seen.orders.as_ref().and_then(|orders| orders.wrong(self.wanted()));
        let ends = [Some(self.wanted()), wrong.map(|(_, outcome)| outcome)];
        ends.into_iter().flatten().all(|outcome| matches!(outcome.ending, Ending::Value(_)))
    }

    /// Has the side no answer? Then that is counted, and nothing is compared. Two forms of a kernel that
    /// contradict each other are compared.
    pub(crate) fn unanswered(&mut self, stage: &Stage, at: usize) -> bool {
        let Answer { engine, outcome, .. } = &self.seen.sides[at];
        let Ending::Unknown(why) = &outcome.ending else { return false };
        if is_unconfirmed(&outcome.ending) {
            return false;
        }
        let (engine, reason) = (engine.clone(), reason(why));
        self.seen.skip(stage.id, engine, reason);
        true
    }

    /// Does a side end as the program does? Where that may depend on the order of threads, it is held against
    /// what the orders share that were run.
    ///
    /// # Errors
    /// How it differs.
    pub(crate) fn agree(&self, at: usize) -> Result<(), Difference> {
        let (wanted, found) = (self.wanted(), self.outcome(at));
        match &self.seen.orders {
            Some(orders) => orders.agree(wanted, found),
            None => agree(wanted, found, policy(wanted)),
        }
    }

    /// The same, where somebody is blamed if they differ: further orders are run before.
    ///
    /// # Errors
    /// How they differ.
    pub(crate) fn differs(&mut self, at: usize) -> Result<(), Difference> {
        self.until(|look, orders| orders.agree(look.wanted(), look.outcome(at)).is_ok());
        self.agree(at)
    }

    /// Does the program race or get stuck in some order of its threads? Where that may depend on the order, further orders
    /// are run: asked before shaders are blamed for a race.
    pub(crate) fn wrong_in_an_order(&mut self) -> bool {
        self.until(|look, orders| orders.wrong(look.wanted()).is_some())
    }

    /// Do the orders of the program show something? Further ones are run until they do, or until enough were.
    fn until(&mut self, shown: impl Fn(&Self, &Orders) -> bool) -> bool {
        let source = Stage { id: StageId::SOURCE, artifact: Cow::Borrowed(&self.case.program) };
        let Some(mut orders) = self.seen.orders.take() else { return false };
        let look = &*self;
        let found = orders.until(&source, look.case, look.wanted(), |orders| shown(look, orders));
        self.seen.orders = Some(orders);
        found
    }

    /// Holds a side against the end of the program.
    ///
    /// # Errors
    /// The finding, if they differ.
    pub(crate) fn hold(&mut self, stage: &Stage, at: usize, part: Part) -> Step {
        if self.unanswered(stage, at) {
            return Ok(());
        }
        self.differs(at).map_err(|difference| {
            let what = match part {
                Part::Computation => "what it computes is wrong",
                Part::Memory => "its memory is wrong",
                Part::Whole => "it is wrong",
            };
            let text = format!("after {}, {what}: {}", stage.id, difference.text);
            let engine = self.seen.sides[at].engine.clone();
            let finding = Finding::between(stage.id, engine, &difference, text);
            Verdict::Finding(Box::new(Finding { part, ..finding.shown_by(self.outcome(at)) }))
        })
    }
}

/// What every pass keeps of a place that gets stuck. A machine reports the lowest thread of a
/// launch, as the semantics do.
pub(super) fn policy(expected: &Outcome) -> StuckPolicy {
    if leaves_block(expected) { StuckPolicy::Element } else { StuckPolicy::Same }
}

/// Did the run end with an access outside a block? Only invalid programs do.
pub(super) fn leaves_block(outcome: &Outcome) -> bool {
    matches!(&outcome.ending, Ending::Stuck(stuck) if stuck.site.cause == Cause::OutsideBlock)
}
