//! What IMP promises, as functions that hold for every well-typed program and input, and say how
//! they fail if one does not keep them.

use super::eval::{Order, run};
use super::syntax::Program;
use super::{parse, print, step};
use crate::kit::derivation::Recorder;
use crate::kit::outcome::{Budget, Ending, Outcome, Value};
use crate::kit::same::same;

/// In order the small steps end as the big step does, in the same races and counts.
///
/// # Errors
/// What the big step and the small steps come to.
pub fn steps_equal_the_big_step(
    program: &Program,
    input: &[Value],
    budget: &Budget,
) -> Result<(), String> {
    let big = run(program, input, Order::InOrder, budget, &mut Recorder::counting());
    let mut recorder = Recorder::counting();
    let mut small = step::run(program, input, Order::InOrder, budget, &mut recorder);
    // Blocks of a thread that has ended are freed by the big step only.
    small.stats.elements = big.stats.elements;
    if matches!(big.ending, Ending::Stuck(_)) {
        // In order a run stops where a thread gets stuck; the small steps count the rounds of a
        // kernel when it ends, and those around the stuck thread never do.
        small.stats.rounds = big.stats.rounds;
    }
    if big == small { Ok(()) } else { Err(format!("big step {big:?}, small steps {small:?}")) }
}

/// Without a race every order ends alike (reading IMP 1): values up to the names of labels,
/// which no result shows, and stuck at the same place in the same thread.
///
/// # Errors
/// The two ends that differ.
pub fn orders_agree(
    program: &Program,
    input: &[Value],
    orders: &[Order],
    budget: &Budget,
) -> Result<(), String> {
    let run = |order| run(program, input, order, budget, &mut Recorder::counting());
    let first = run(Order::InOrder);
    if !first.races.is_empty() {
        return Ok(());
    }
    for &order in orders {
        let other = run(order);
        let unknown =
            [&first, &other].iter().any(|outcome| matches!(outcome.ending, Ending::Unknown(_)));
        let agree = same_end(&first, &other) && other.races.is_empty();
        if !(unknown || agree) {
            return Err(format!("in order {first:?}, {order:?} {other:?}"));
        }
    }
    Ok(())
}

fn same_end(a: &Outcome, b: &Outcome) -> bool {
    match (&a.ending, &b.ending) {
        (Ending::Stuck(a), Ending::Stuck(b)) => a.agrees(b),
        (a, b) => a == b,
    }
}

/// What is printed parses to the same program, up to the numbering of names and to spans.
///
/// # Errors
/// The text, and why not.
pub fn print_and_parse_are_inverse(program: &Program) -> Result<(), String> {
    let text = print::program(program);
    match parse::program(&text) {
        Ok(again) if same(program, &again) => Ok(()),
        Ok(again) => Err(format!("{text}\nbecomes\n{}", print::program(&again))),
        Err(error) => Err(format!("{text}\n{error:?}")),
    }
}
