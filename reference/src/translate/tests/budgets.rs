//! What a run of each language pays for besides its statements.

use super::good;
use crate::fun;
use crate::funmem;
use crate::imp;
use crate::imp::eval::Order;
use crate::kit::derivation::Recorder;
use crate::kit::faults::Planted;
use crate::kit::outcome::{Budget, Ending, Outcome, Value, Why};

/// Far more than the statements take, and less than the cells.
const BUDGET: Budget = Budget { fuel: 1_000_000, memory: 1 << 20 };

const OUT_OF_FUEL: Ending = Ending::Unknown(Why::Fuel);

/// Cells take time: some thousand statements, and a hundred million cells that they make.
#[test]
fn cells_are_paid_for() {
    let source = "let (xs : [10000]) = iota 10000
        let (s : int) = loop (a : int = 0) for i <= 10000 do
            let (m : [2][10000]) = kernel j <= 2 do in (xs)
            in (a)
        in (s)";
    let program = good(fun::parse::program(source), source);
    let outcome = fun::eval::run(&program, &[], &BUDGET, &mut Recorder::counting());
    assert_eq!(outcome.ending, OUT_OF_FUEL);

    let source = "let (s : int) = loop (a : int = 0) for i <= 10000 do
            let (m : mem) = alloc 10000
            in (a)
        in (s)";
    let program = good(funmem::parse::program(source), source);
    let mut recorder = Recorder::counting();
    let outcome = funmem::eval::run(&program, &[], &BUDGET, &mut recorder, Planted::NONE);
    assert_eq!(outcome.ending, OUT_OF_FUEL);

    let source = "kernel i <= 10000 do var m : mem; m <- alloc 10000 done";
    let program = good(imp::parse::program(source), source);
    let whole = Budget { memory: 1 << 30, ..BUDGET };
    for order in super::ORDERS {
        let outcome = imp::eval::run(&program, &[], order, &whole, &mut Recorder::counting());
        assert_eq!(outcome.ending, OUT_OF_FUEL, "{order:?}");
    }
}

fn why(outcome: &Outcome) -> Option<&Why> {
    match &outcome.ending {
        Ending::Unknown(why) => Some(why),
        _ => None,
    }
}

/// Each result is a copy, also where the program has one array only.
#[test]
fn results_are_held_against_the_memory() {
    let source = |results: usize| {
        let results = vec!["xs"; results].join(", ");
        format!("param (n : int) let (xs : [n]) = iota n in ({results})")
    };
    // A mebibyte holds the array, of 80,000 bytes, and two copies of it, in each language.
    let budget = Budget { fuel: 10_000_000, ..BUDGET };
    for (results, fits) in [(1, true), (2, true), (60, false)] {
        let source = source(results);
        let input = [Value::from(20_000)];
        let answers = |outcome: Outcome| {
            let why = why(&outcome);
            assert_eq!(matches!(outcome.ending, Ending::Value(_)), fits, "{results}: {why:?}");
        };
        let program = good(fun::parse::program(&source), &source);
        answers(fun::eval::run(&program, &input, &budget, &mut Recorder::counting()));
        let program = super::transform_program(&program, Planted::NONE);
        let mut recorder = Recorder::counting();
        answers(funmem::eval::run(&program, &input, &budget, &mut recorder, Planted::NONE));
        let program = super::translate(&program, Planted::NONE);
        let mut recorder = Recorder::counting();
        answers(imp::eval::run(&program, &input, Order::InOrder, &budget, &mut recorder));
    }
}

/// What races are seen by is memory too: of a block that threads of kernels in one another reach
/// it is more than the block.
#[test]
fn shadows_stay_within_the_memory() {
    let open: String = (0..20).map(|at| format!("kernel i{at} <= 1 do ")).collect();
    let close = "done ".repeat(20);
    let source = format!("var m : mem; m <- alloc 10000; {open} m[5] <- 1 {close}");
    let program = good(imp::parse::program(&source), &source);
    let run = |memory| {
        let budget = Budget { memory, ..BUDGET };
        imp::eval::run(&program, &[], Order::InOrder, &budget, &mut Recorder::counting()).ending
    };
    assert_eq!(run(1 << 20), Ending::Unknown(Why::Memory(3_200_000)));
    assert_eq!(run(1 << 22), Ending::Value(Vec::new()));
}

/// In small steps threads of kernels in one another live side by side, each with an environment.
#[test]
fn threads_stay_within_the_memory() {
    let open: String = (0..6).map(|at| format!("kernel i{at} <= 32 do ")).collect();
    let source = format!("{open} skip {}", "done ".repeat(6));
    let program = good(imp::parse::program(&source), &source);
    let run = |order| imp::eval::run(&program, &[], order, &BUDGET, &mut Recorder::counting());
    let ending = run(Order::Interleaved(1)).ending;
    assert!(matches!(ending, Ending::Unknown(Why::Memory(_))), "{ending:?}");
    assert_eq!(run(Order::InOrder).ending, OUT_OF_FUEL);
}

/// In small steps each thread has an environment, which has a place for each name of the program.
#[test]
fn environments_are_paid_for() {
    let names: String = (0..20_000).map(|at| format!("var x{at} : int; ")).collect();
    let source = format!("{names} kernel i <= 10000 do skip done");
    let program = good(imp::parse::program(&source), &source);
    let whole = Budget { memory: 1 << 30, ..BUDGET };
    let run = |order| imp::eval::run(&program, &[], order, &whole, &mut Recorder::counting());
    assert_eq!(run(Order::Interleaved(1)).ending, OUT_OF_FUEL);
    assert_eq!(run(Order::InOrder).ending, Ending::Value(Vec::new()));
}
