//! Each fault that is planted in FCL's types or compiler is found without a driver, its stage is blamed, and the
//! witness is small. `--nocapture` shows when.
#![allow(clippy::print_stdout)]

use cpu_time::ThreadTime;
use oracle::campaign::draw;
use oracle::check::{Depth, Finding, Tester};
use oracle::engine::Case;
use oracle::faults::Entry;
use oracle::generate::Weights;
use oracle::language::Artifact;
use oracle::shrink::{self, Effort, Shrunk};
use oracle::stages::Plan;
use reference::kit::outcome::{Budget, Value};
use std::time::Duration;

/// Definitions and bindings of a program that shows one.
const BINDINGS: usize = 8;

/// In what time of the processor one is found.
const SOON: Duration = Duration::from_secs(60);

/// The compiler with a fault, and without.
struct Both {
    planted: Tester,
    right: Tester,
}

impl Both {
    fn of(fault: &Entry) -> Self {
        let plan = Plan { planted: fault.planted(), ..Plan::default() };
        let right = Tester::new(Vec::new(), Plan::default());
        Self { planted: Tester::new(Vec::new(), plan), right }
    }

    /// A smaller program that shows the same.
    fn shrunk(&mut self, case: &Case, found: &Finding) -> Shrunk<Artifact> {
        // A smaller program does not execute more: one that does is on its way to run for ever.
        let executed = self.right.examine(case, Depth::Whole).stats().statements;
        let fuel = case.budget.fuel.min(4 * executed + 10_000);
        let case = Case { budget: Budget { fuel, ..case.budget }, ..case.clone() };
        let mut shows = |program: Artifact, input: &[Value]| {
            let smaller = Case { program, input: input.to_vec(), ..case.clone() };
            let again = self.finding(&smaller);
            again.is_some_and(|again| (again.stage, again.kind) == (found.stage, found.kind))
        };
        let effort = Effort { tests: 1_500, ..Effort::default() };
        shrink::artifact(&case.program, &case.input, &mut shows, effort)
    }

    /// What the fault makes wrong.
    fn finding(&mut self, case: &Case) -> Option<Finding> {
        let seen = self.planted.examine(case, Depth::Quick);
        let found = seen.finding()?.clone();
        let right = self.right.examine(case, Depth::Whole);
        right.finding().is_none().then_some(found)
    }
}

/// The programs of a campaign are looked at until one shows the fault; it is made smaller, to so many
/// bindings or statements at most.
pub(super) fn is_found(id: &str, most: usize) {
    is_found_from(1, id, most);
}

/// The same of the campaign of a seed.
pub(super) fn is_found_from(seed: u64, id: &str, most: usize) {
    let fault = Entry::find(id).expect("it is on the list");
    let mut both = Both::of(fault);
    let (weights, start) = (Weights::of(fault.language), ThreadTime::now());
    let (number, case, found) = (0..)
        .find_map(|number| {
            assert!(start.elapsed() < SOON, "{id} is not found in {number} programs");
            let case = draw(seed, number, &weights).case;
            both.finding(&case).map(|found| (number, case, found))
        })
        .expect("there is always another program");
    let after = start.elapsed();
    assert_eq!(found.stage, fault.pass, "{id}: {}", found.text);
    let small = both.shrunk(&case, &found);
    let (bindings, text) = (shrink::statements(&small.program), small.program.print());
    assert!(bindings <= most, "{id} is not small:\n{text}");
    println!(
        "{id} in program {number} after {after:.1?}, shrunk to {bindings} in {:.1?}: {}\n{text}",
        start.elapsed() - after,
        found.text
    );
}

macro_rules! faults {
    ($($name:ident $id:literal)*) => {
        $(#[test] fn $name() { is_found($id, BINDINGS); })*

        /// Those that programs of a campaign show.
        pub(super) const DRAWN: &[&str] = &[$($id,)* "F18"];
    };
}

faults! {
    loops_of_groups_in_place "F1"
    loops_of_the_grid_in_place "F2"
    arrays_of_groups_that_are_cut "F3"
    quotients_that_are_folded "F4"
    shifts_of_negative_numbers "F5"
    a_quotient_of_itself "F6"
    an_order_that_is_forgotten "F7"
    one_element_for_one_invocation "F8"
    a_condition_without_a_barrier "F9"
    a_warp_without_barriers "F10"
    threads_that_share_arrays "F11"
    an_array_that_a_loop_reads "F12"
    an_incomplete_round "F13"
    the_lowest_invocation "F14"
    chunks_of_any_length "F15"
    a_context_that_is_generalised "F16"
    levels_without_successors "F17"
}

/// Of the first 1,400 programs of seed 1 none shows it.
#[test]
fn warps_without_masks() {
    is_found_from(3, "F18", BINDINGS);
}
