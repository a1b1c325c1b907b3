//! How fast the tester is: the rows of the speed table, one core each, measured here
//! and now. Counted are one FUN run, one heap run and one in-order run of IMP for each program.
//!
//! What runs on this thread alone is measured by the time that the thread has had a core for, so
//! that other work on the machine is no part of the figure, and in [rounds] over the same programs.
//! What an adapter has a part in is measured by the clock on the wall, since a driver has threads
//! of its own.

mod adapters;
pub mod calibrate;
pub mod cost;
pub mod evidence;
pub mod front;
pub mod judge;
pub mod languages;
mod measured;
mod rounds;
mod semantics;
mod shaders;
pub mod yardsticks;

use crate::campaign::draw;
use crate::check::{Class, Depth, Tester};
use crate::engine::{Artifact, Case, EngineId};
use crate::engines::AdapterEngine;
use crate::engines::child::Launcher;
use crate::generate::{Generate, Weights};
use crate::language::Listed;
use crate::shrink::{self, Effort};
use crate::stages::Plan;
use compiler::target::Adapter;
use reference::fun::Fun;
use reference::funmem::FunMem;
use reference::kit::outcome::Ending;
use rounds::Rounds;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A row of the table.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What is measured.
    pub what: String,
    /// The figure.
    pub figure: f64,
    /// Its unit.
    pub unit: &'static str,
    /// What is to be reached, if the table says so.
    pub wanted: Option<f64>,
    /// More is better.
    pub more: bool,
    /// How it was measured, if in rounds.
    pub rounds: Option<Rounds>,
    /// Programs measured, by the binary logarithm of the statements that they execute.
    pub sizes: BTreeMap<u32, u64>,
}

impl Row {
    /// Is it as fast as the table wants it, undisturbed?
    pub fn reached(&self) -> bool {
        self.reaches(self.figure)
    }

    /// The same of this figure.
    fn reaches(&self, figure: f64) -> bool {
        self.wanted.is_none_or(|wanted| match self.more {
            true => figure >= wanted,
            false => figure <= wanted,
        })
    }

    /// The row as a line.
    pub fn line(&self) -> String {
        let wanted = match self.wanted {
            None => String::new(),
            Some(wanted) => {
                let in_the_mean = self.rounds.as_ref().is_none_or(|all| self.reaches(all.mean));
                let reached = match (self.reached(), in_the_mean) {
                    (true, true) => "reached",
                    (true, false) => "reached in the quickest",
                    (false, _) => "MISSED",
                };
                let bound = if self.more { "at least" } else { "at most" };
                format!("  ({bound} {wanted}: {reached})")
            }
        };
        let rounds = match &self.rounds {
            None => String::new(),
            Some(Rounds { count: 1, .. }) => " in one round".to_owned(),
            Some(Rounds { count, mean }) => {
                format!(" in the quickest of {count} rounds, {mean:.1} in the mean one")
            }
        };
        format!("{}: {:.1} {}{rounds}{wanted}", self.what, self.figure, self.unit)
    }
}

/// The seed of what is measured: the same programs on every machine.
const SEED: u64 = 600;

/// Measures every row and hands each over when it is there.
pub fn rows(time: Duration, adapters: &[Adapter], launcher: &Launcher, each: &mut dyn FnMut(&Row)) {
    semantics::statements(time).iter().for_each(&mut *each);
    semantics::programs(time).iter().for_each(&mut *each);
    shaders::programs(time).iter().for_each(&mut *each);
    if let Some(row) = shaders::instructions(time) {
        each(&row);
    }
    for adapter in adapters {
        each(&adapters::kernels(time, adapter, launcher));
    }
    each(&shrinking("shrink, median, semantic stages", time, Vec::new(), 2.0));
    for adapter in adapters {
        let what = format!("shrink, median, with {}", EngineId::of(adapter));
        let engine = AdapterEngine::new(adapter, launcher);
        each(&shrinking(&what, time, vec![engine], 30.0));
    }
}

/// What is measured starts from FUN and FUNMEM, and is not steered.
fn weights() -> Weights {
    Weights { shares: [(FunMem::LANG, FunMem::SHARE)].into(), ..Weights::default() }
}

/// The cases that a campaign would draw and that end with a result.
fn cases() -> impl Iterator<Item = Case> {
    let weights = weights();
    (0..)
        .map(move |number| draw(SEED, number, &weights))
        .filter(|drawn| drawn.meant_to_run)
        .map(|drawn| drawn.case)
}

/// Row 5: seconds to shrink a program that gets stuck in a kernel, as long as it does, every
/// candidate through all stages. A finding costs the same for each candidate.
fn shrinking(what: &str, time: Duration, adapters: Vec<AdapterEngine>, wanted: f64) -> Row {
    let mut tester = Tester::new(adapters, Plan::default());
    let weights = weights();
    let mut seconds = Vec::new();
    let mut left = Vec::new();
    let mut sizes = BTreeMap::new();
    let start = Instant::now();
    for number in 0.. {
        if start.elapsed() >= time && seconds.len() >= 3 {
            break;
        }
        let case = draw(SEED, number, &weights).case;
        if case.program.lang() != Fun::LANG {
            continue;
        }
        let cause = |tester: &mut Tester, case: &Case| {
            let seen = tester.examine(case, Depth::Quick);
            match (&seen.class, &seen.sides.first()?.outcome.ending) {
                (Class::Stuck(cause), Ending::Stuck(stuck)) if !stuck.thread.is_empty() => {
                    Some(*cause)
                }
                _ => None,
            }
        };
        let Some(wanted) = cause(&mut tester, &case) else { continue };
        let begin = Instant::now();
        let mut test = |program: Artifact, input: &[_]| {
            let case = Case { program, input: input.to_vec(), ..case.clone() };
            cause(&mut tester, &case) == Some(wanted)
        };
        let small = shrink::artifact(&case.program, &case.input, &mut test, Effort::default());
        seconds.push(begin.elapsed().as_secs_f64());
        left.push(shrink::statements(&small.program));
        *sizes.entry(shrink::statements(&case.program).max(1).ilog2()).or_default() += 1;
    }
    seconds.sort_by(f64::total_cmp);
    left.sort_unstable();
    let median = left.get(left.len() / 2).copied().unwrap_or(0);
    Row {
        what: format!("{what} (to {median} statements, median of {})", left.len()),
        figure: seconds.get(seconds.len() / 2).copied().unwrap_or(0.0),
        unit: "s",
        wanted: Some(wanted),
        more: false,
        rounds: None,
        sizes,
    }
}
