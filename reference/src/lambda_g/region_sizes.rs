//! How many words a `letregion` has to say, so that what runs on the device does not fill its region.

use super::eval::{Setting, Wanted, run_with_graph};
use super::syntax::{Exp, Kind, Program};
use super::visit::{parts, parts_mut};
use crate::kit::derivation::Recorder;
use crate::kit::names::Var;
use crate::kit::outcome::{Budget, Ending, Value};
use std::collections::BTreeMap;

/// Words of each region while it is found out what is needed.
const LARGE: u32 = 1 << 24;

/// The regions that are too small for a run that found `full` to be so, with the words that they need, the outermost first.
/// Nothing, if no `letregion` makes `full`, or the run has no result with regions of [`LARGE`] words either.
///
/// # Panics
/// If the program has no type.
pub fn needed(
    program: &Program,
    full: Var,
    input: &[Value],
    setting: &Setting,
    budget: &Budget,
) -> Vec<(Var, u64)> {
    let mut said = Vec::new();
    made(&program.body, &mut |var, words| said.push((var, words)));
    if said.iter().all(|(var, _)| *var != full) {
        return Vec::new();
    }
    let mut large = program.clone();
    enlarge(&mut large.body);
    let mut to = Recorder::counting();
    let run = run_with_graph(&large, input, setting, budget, &mut to, Wanted::Nothing);
    if !matches!(run.outcome.ending, Ending::Value(_)) {
        return Vec::new();
    }
    let mut ends: BTreeMap<Var, u64> = BTreeMap::new();
    for merged in run.merged {
        let [from, words] = merged.device;
        // What is pushed again while branches run lies behind what the region had at first, and does not need it larger.
        if from < u64::from(LARGE) {
            let end = ends.entry(merged.region).or_default();
            *end = (*end).max(from + words);
        }
    }
    let too_small = |(var, words): (Var, Option<u32>)| {
        let has = words.map_or(setting.machine.block, u64::from);
        ends.get(&var).filter(|end| **end > has).map(|end| (var, *end))
    };
    said.into_iter().filter_map(too_small).collect()
}

fn enlarge(e: &mut Exp) {
    if let Kind::LetRegion(_, said, _) = &mut e.kind {
        *said = Some(LARGE);
    }
    parts_mut(e).into_iter().for_each(enlarge);
}

/// Tells each `letregion` with what it says.
fn made(e: &Exp, tell: &mut impl FnMut(Var, Option<u32>)) {
    if let Kind::LetRegion(binder, said, _) = &e.kind {
        tell(binder.var, *said);
    }
    parts(e).into_iter().for_each(|part| made(part, tell));
}
