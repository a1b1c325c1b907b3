//! Rewriting by laws, scored by cost: a term over named axes is put into an e-graph, the laws of
//! [`reference::axes`] add what is equal to it, and what is cheapest comes out as a plan in IMP
//! or, with work groups, in the device language.
//!
//! Nothing here runs a program: who searches hands over what a plan costs.

pub mod chaos;
pub mod draw;
mod estimate;
pub mod explain;
pub mod fcl;
mod front;
pub mod groups;
pub mod import;
pub mod lambda_g;
mod node;
pub mod optimal;
pub mod plan;
pub mod search;
pub mod sketch;
pub mod whole;

use estimate::Around;
pub use estimate::Estimate;
use front::{Fronts, Keep};
use reference::axes::syntax::{Program, Term};
use reference::cost::Machine;
use reference::kit::faults::Planted;
use search::Searched;

/// A term that came out of a search.
#[derive(Clone, Debug)]
pub struct Found {
    /// The program.
    pub program: Program,
    /// What it is estimated to cost.
    pub estimate: Estimate,
    /// Its plan.
    pub plan: plan::Plan,
}

/// What is asked of the terms that come out of a search.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// How many terms a class keeps, of those with as many launches and arrays that are made first.
    pub keep: usize,
    /// The machine that they are estimated for.
    pub machine: Machine,
    /// The fault that the fronts carry, if any.
    pub planted: Planted,
}

impl Default for Wanted {
    fn default() -> Self {
        Wanted { keep: 8, machine: Machine::default(), planted: Planted::NONE }
    }
}

/// The best programs of a search by the estimate, the cheapest first: at most [`Wanted::keep`] a class on
/// the way, and those of which there is a plan. Where a pattern is given, something in each of them
/// matches it.
pub fn extract(searched: &Searched, wanted: &Wanted, under: Option<&Term>) -> Vec<Found> {
    let around = Around { scope: searched.scope(), machine: &wanted.machine, as_tree: false };
    let keep = Keep { around, most: wanted.keep, by_kind: true, planted: wanted.planted };
    let fronts = Fronts::new(&searched.graph, keep);
    let best = match under {
        Some(pattern) => fronts.under(pattern, searched.root),
        None => fronts.best(searched.root).to_vec(),
    };
    let found = best.into_iter().filter_map(|of| {
        let estimate = of.total(around);
        let program = Program { params: searched.program.params.clone(), term: of.term };
        let plan = plan::Plan::of(&program).ok()?;
        Some(Found { program, estimate, plan })
    });
    found.collect()
}

/// What a program of a search is estimated to cost, by its term alone: what the fronts said of it is to be the same.
/// `None` if a plan cannot say it.
pub fn estimated(searched: &Searched, wanted: &Wanted, program: &Program) -> Option<Estimate> {
    let around = Around { scope: searched.scope(), machine: &wanted.machine, as_tree: false };
    Some(estimate::of_term(&program.term, around)?.total(around))
}

/// A random program of a search that has a plan, the same one for the same seed. `None` if none of those that
/// were drawn has a plan.
pub fn drawn(searched: &Searched, wanted: &Wanted, seed: u64) -> Option<Found> {
    draw::Drawn::new(searched, seed).find_map(|(program, plan)| {
        let estimate = estimated(searched, wanted, &program)?;
        Some(Found { program, estimate, plan })
    })
}
