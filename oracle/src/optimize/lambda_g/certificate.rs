//! Certificates of programs of λG: the steps from a program to a cheaper one, which something else than the search checks.

use super::{Found, Link, Request};
use crate::generate::digest;
use reference::cost::graph::Greedy;
use reference::cost::{Machine, Mode};
use reference::kit::language::Language;
use reference::kit::outcome::Value;
use reference::lambda_g::rewriting::{BOOK, Law};
use reference::lambda_g::syntax::Program;
use reference::lambda_g::{LambdaG, print};
use serde::{Deserialize, Serialize};

/// A certificate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The version that wrote it.
    pub lockstep: String,
    /// The language of its programs, `lambda_g`: of another certificate it says nothing.
    pub language: String,
    /// A digest of its law book.
    pub laws: String,
    /// The program that the steps lead from.
    pub program: String,
    /// What leads to the cheaper one.
    pub steps: Vec<Certified>,
    /// A digest of the last program, so that a certificate that lost its last steps is one of nothing.
    pub goal: String,
    /// What both cost.
    pub costs: Claim,
}

/// A step, and the program behind it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certified {
    /// The law.
    pub law: String,
    /// The number of the expression that it is applied to, outer ones before what is in them.
    pub position: usize,
    /// The region that the law takes, if it takes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// The guard of the law, which holds there; none if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<String>,
    /// The program behind it.
    pub program: String,
}

/// Costs that are claimed: times of a run by its cost graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The cost model.
    pub mode: Mode,
    /// The machine.
    pub machine: Machine,
    /// The order in which its processors take what is ready.
    pub schedule: Schedule,
    /// What both programs are run on, a text for each parameter.
    pub input: Vec<String>,
    /// What the program costs.
    pub before: u64,
    /// What the last one costs.
    pub after: u64,
}

/// A schedule of processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// What comes first in the sequential order.
    DepthFirst,
    /// What was ready first.
    BreadthFirst,
}

impl Schedule {
    /// As the cost graph takes it.
    pub fn greedy(self) -> Greedy {
        match self {
            Schedule::DepthFirst => Greedy::DepthFirst,
            Schedule::BreadthFirst => Greedy::BreadthFirst,
        }
    }

    fn of(greedy: Greedy) -> Self {
        match greedy {
            Greedy::DepthFirst => Schedule::DepthFirst,
            Greedy::BreadthFirst => Schedule::BreadthFirst,
        }
    }
}

impl Claim {
    /// What is claimed, in one sentence.
    pub fn text(&self) -> String {
        let Claim { mode, machine, before, after, .. } = self;
        format!(
            "{before} before and {after} after in {} on machine `{}`",
            mode.name(),
            machine.name
        )
    }
}

impl Certificate {
    /// That of a search on this input.
    pub fn of(found: &Found, input: &[Value], request: &Request) -> Self {
        let last = found.chain.last();
        Certificate {
            lockstep: crate::VERSION.to_owned(),
            language: LambdaG::NAME.to_owned(),
            laws: book(),
            program: print::program(&found.original),
            steps: found.chain.iter().map(certified).collect(),
            goal: goal(last.map_or(&found.original, |link| &link.program)),
            costs: Claim {
                mode: request.mode,
                machine: request.machine.clone(),
                schedule: Schedule::of(request.greedy),
                input: input.iter().map(ToString::to_string).collect(),
                before: found.before,
                after: last.map_or(found.before, |link| link.time),
            },
        }
    }
}

fn certified(link: &Link) -> Certified {
    Certified {
        law: link.law.name.to_owned(),
        position: link.number,
        region: link.region.clone(),
        guard: guard(link.law),
        program: print::program(&link.program),
    }
}

/// The guard of a law, if it has one.
pub(super) fn guard(law: &Law) -> Option<String> {
    (!law.guard.is_empty()).then(|| law.guard.to_owned())
}

/// A digest of a program.
pub(super) fn goal(program: &Program) -> String {
    format!("{:016x}", digest(&print::program(program)))
}

/// A digest of the law book: another book has another.
pub fn book() -> String {
    let laws = BOOK.iter().map(|law| {
        let Law { name, left, right, both, class, guard, .. } = law;
        format!("{name} {left} {right} {both} {class:?} {guard}\n")
    });
    format!("{:016x}", digest(&laws.collect::<String>()))
}
