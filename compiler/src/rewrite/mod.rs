//! Rewriting by laws, scored by cost: a term over named axes is put into an e-graph, the laws of
//! [`reference::axes`] add what is equal to it, and what is cheapest comes out as a plan in IMP.
//!
//! Nothing here runs a program: who searches hands over what a plan costs.

pub mod explain;
mod front;
pub mod import;
mod node;
pub mod plan;
pub mod search;

pub use front::Estimate;
use front::Fronts;
use reference::axes::syntax::Program;
use reference::imp;
use search::Searched;

/// A term that came out of a search.
#[derive(Clone, Debug)]
pub struct Found {
    /// The program.
    pub program: Program,
    /// What it is estimated to cost.
    pub estimate: Estimate,
    /// Its plan.
    pub plan: imp::syntax::Program,
}

/// The best programs of a search by the estimate, the cheapest first: at most `keep` a class on the
/// way, and those of which there is a plan.
pub fn extract(searched: &Searched, keep: usize) -> Vec<Found> {
    let fronts = Fronts::new(searched, keep);
    let best = fronts.best(&searched.graph, searched.root);
    let found = best.iter().filter_map(|of| {
        let program = Program { params: searched.program.params.clone(), term: of.term.clone() };
        let plan = plan::plan(&program).ok()?;
        Some(Found { program, estimate: of.total(), plan })
    });
    found.collect()
}
