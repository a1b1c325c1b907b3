//! Random members of the class of a program that have plans: other terms than the cheapest ones.

use super::chaos;
use super::plan::Plan;
use super::search::Searched;
use reference::axes::print;
use reference::axes::syntax::Program;
use reference::kit::dice::Dice;
use std::collections::BTreeSet;

/// Draws terms of the program's class that have a plan, each a different one. The same seed draws the same ones.
pub struct Drawn<'s> {
    searched: &'s Searched,
    seed: u64,
    nth: u64,
    seen: BTreeSet<String>,
}

/// After so many draws of terms that were seen, or that have no plan, there is nothing more.
const IN_VAIN: usize = 1_000;

impl<'s> Drawn<'s> {
    /// From this search.
    pub fn new(searched: &'s Searched, seed: u64) -> Self {
        Self { searched, seed, nth: 0, seen: BTreeSet::new() }
    }
}

impl Iterator for Drawn<'_> {
    /// A term, and its plan.
    type Item = (Program, Plan);

    fn next(&mut self) -> Option<Self::Item> {
        for _ in 0..IN_VAIN {
            self.nth += 1;
            let Some(program) = chaos::member(self.searched, Dice::at(self.seed, self.nth)) else {
                continue;
            };
            if !self.seen.insert(print::term(&program.term)) {
                continue;
            }
            let Ok(plan) = Plan::of(&program) else { continue };
            return Some((program, plan));
        }
        None
    }
}
