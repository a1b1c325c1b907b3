//! What was seen of a case, and how that grows while its stages are run one after the other.

use super::orders::Orders;
use super::verdict::{Finding, ThreadOrder, Verdict};
use crate::engine::{EngineId, NotRun, StageId};
use crate::profiles::reason;
use reference::funmem::validity::Invalid;
use reference::kit::outcome::{Cause, Ending, Outcome, Stats, Why};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What was seen of a case.
#[derive(Debug)]
pub struct Examination {
    /// What is concluded.
    pub verdict: Verdict,
    /// How the program ends in its own language.
    pub class: Class,
    /// Why it is invalid, if it is ([`Class::Invalid`]).
    pub invalid: Option<Invalid>,
    /// How it ended in other orders of its threads, if its end may depend on these.
    pub orders: Option<Orders>,
    /// What each engine answered, in the order of the stages.
    pub sides: Vec<Answer>,
    /// Which engines were not asked, or gave no answer to compare, and why.
    pub skipped: Vec<Skipped>,
    /// How long each pass took.
    pub passes: Vec<(StageId, Duration)>,
}

/// What an engine answered.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The engine.
    pub engine: EngineId,
    /// The stage that it ran.
    pub stage: StageId,
    /// Its answer.
    pub outcome: Outcome,
    /// How long it took.
    pub took: Duration,
}

/// An engine that was not compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The stage that it would have run.
    pub stage: StageId,
    /// The engine and the reason.
    pub not_run: NotRun,
}

/// How a program ends in its own language.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Class {
    /// With a result.
    Value,
    /// Stuck, for this premise, in some order of its threads.
    Stuck(Cause),
    /// With a race in some order of its threads, whatever the end.
    Race,
    /// With a result that depends on the order of threads, though none race.
    OrderDependent,
    /// Its memory changes what it computes, or it overwrites an array that is still read (FUNMEM only).
    Invalid,
    /// Without an answer.
    Unknown(Why),
    /// It is no program of its language, or its engine broke.
    Broken,
}

impl Class {
    /// What is counted and printed.
    pub fn name(&self) -> String {
        match self {
            Class::Value => "value".to_owned(),
            Class::Stuck(cause) => format!("stuck ({})", cause.name()),
            Class::Race => "race".to_owned(),
            Class::OrderDependent => "order-dependent".to_owned(),
            Class::Invalid => "invalid".to_owned(),
            Class::Unknown(why) => format!("unknown ({})", reason(why)),
            Class::Broken => "broken".to_owned(),
        }
    }

    /// The share of an end, races left aside.
    pub fn of(ending: &Ending) -> Class {
        match ending {
            Ending::Value(_) => Class::Value,
            Ending::Stuck(stuck) => Class::Stuck(stuck.site.cause),
            Ending::Unknown(Why::Memory(_)) => Class::Unknown(Why::Memory(0)),
            Ending::Unknown(why) => Class::Unknown(why.clone()),
            Ending::Broken(_) => Class::Broken,
        }
    }
}

impl Default for Examination {
    fn default() -> Self {
        Self {
            verdict: Verdict::Agree,
            class: Class::Broken,
            invalid: None,
            orders: None,
            sides: Vec::new(),
            skipped: Vec::new(),
            passes: Vec::new(),
        }
    }
}

impl Examination {
    /// The finding, if there is one.
    pub fn finding(&self) -> Option<&Finding> {
        match &self.verdict {
            Verdict::Finding(finding) => Some(finding),
            _ => None,
        }
    }

    /// The order of its threads in which the program races or gets stuck, if it ends well in that of its semantics.
    pub fn wrong_order(&self) -> Option<&(ThreadOrder, Outcome)> {
        self.orders.as_ref()?.wrong(&self.sides.first()?.outcome)
    }

    /// What the engine answered, at whatever stage.
    pub fn side(&self, engine: &EngineId) -> Option<&Answer> {
        self.sides.iter().find(|side| side.engine == *engine)
    }

    /// The highest counts of all engines: the claim that an adapter is held to.
    pub fn stats(&self) -> Stats {
        let mut most = Stats::default();
        for side in &self.sides {
            let stats = &side.outcome.stats;
            most.statements = most.statements.max(stats.statements);
            most.threads = most.threads.max(stats.threads);
            most.rounds = most.rounds.max(stats.rounds);
            most.elements = most.elements.max(stats.elements);
            most.launches = most.launches.max(stats.launches);
            most.invocations = most.invocations.max(stats.invocations);
            most.open_floats |= stats.open_floats;
        }
        most
    }

    pub(super) fn skip(&mut self, stage: StageId, engine: EngineId, reason: impl Into<String>) {
        let not_run = NotRun { engine, reason: reason.into() };
        self.skipped.push(Skipped { stage, not_run });
    }
}
