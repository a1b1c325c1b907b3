//! Programs keep their meaning through the translations.

use super::expand_memory::{Form, expand, hoist_allocations};
use super::fun_to_funmem::transform_program;
use super::funmem_to_imp::translate;
use crate::fun;
use crate::funmem;
use crate::funmem::syntax::{Body, Exp, FunMem, MemExp, Stm};
use crate::imp;
use crate::imp::eval::Order;
use crate::kit::decisions::Decisions;
use crate::kit::derivation::Recorder;
use crate::kit::faults::Planted;
use crate::kit::outcome::{Budget, Ending, Outcome, Why};
use crate::kit::same::same as core_is_same;
use crate::kit::text::Rejected;
use crate::kit::value::parse_values;

mod budgets;
mod expansion;
#[cfg(feature = "faults")]
mod faults;
mod programs;

/// Every order in which IMP runs.
const ORDERS: [Order; 6] = [
    Order::InOrder,
    Order::Reversed,
    Order::Shuffled(1),
    Order::Shuffled(2),
    Order::Interleaved(3),
    Order::Interleaved(4),
];

fn same(what: &str, source: &str, want: &Outcome, have: &Outcome) {
    let same = match (&want.ending, &have.ending) {
        (Ending::Stuck(want), Ending::Stuck(have)) => want.agrees(have),
        // How much more was wanted is the languages' own.
        (Ending::Unknown(Why::Memory(_)), Ending::Unknown(Why::Memory(_))) => true,
        (want, have) => want == have,
    };
    assert!(same, "{what}: {:?}\nbut FUN: {:?}\n{source}", have.ending, want.ending);
}

fn good<T>(result: Result<T, Rejected>, source: &str) -> T {
    result.unwrap_or_else(|error| panic!("{error:?}\n{source}"))
}

/// Insertion, expansion and translation keep the ending of a FUN program for this input.
fn keeps(source: &str, input: &str) {
    let program = good(fun::parse::program(source), source);
    good(fun::types::check(&program, &mut Recorder::counting()), source);
    let input = good(fun::eval::fit(&program, good(parse_values(input), input)), input);
    let budget = Budget::default();
    let want = fun::eval::run(&program, &input, &budget, &mut Recorder::counting());

    let inserted = transform_program(&program, Planted::NONE);
    let hoisted = hoist_allocations(inserted.clone(), &mut Decisions::default());
    let mut stages = vec![("inserted", inserted.clone()), ("hoisted", hoisted.clone())];
    for form in [Form::Paper, Form::Coalesced] {
        for from in [&inserted, &hoisted] {
            let expanded = expand(from.clone(), form, Planted::NONE, &mut Decisions::default())
                .unwrap_or_else(|why| panic!("{why}\n{}", funmem::print::program(from)));
            let text = funmem::print::program(&expanded);
            assert_eq!(allocations_in_kernels(&expanded.body, false), 0, "{text}");
            let again = good(funmem::parse::program(&text), &text);
            assert!(core_is_same(&expanded, &again), "{text}");
            stages.push(("expanded", expanded));
        }
    }
    for (stage, program) in stages {
        let text = format!("{source}\n{}", funmem::print::program(&program));
        good(funmem::types::check(&program, &mut Recorder::counting()), &text);
        let mut recorder = Recorder::counting();
        let judged =
            funmem::validity::judge(&program, &input, &budget, &mut recorder, Planted::NONE);
        same(&format!("{stage}, by values"), &text, &want, &judged.value);
        same(&format!("{stage}, by heap"), &text, &want, &judged.heap);
        assert!(judged.invalid.is_none(), "{stage}: {:?}\n{text}", judged.invalid);
        assert_eq!(judged.heap.races, [], "{stage}\n{text}");
        let low = translate(&program, Planted::NONE);
        let text = imp::print::program(&low);
        good(imp::types::check(&low, &mut Recorder::counting()), &text);
        let again = good(imp::parse::program(&text), &text);
        assert!(core_is_same(&low, &again), "{text}");
        let text = format!("{source}\n{}\n{text}", funmem::print::program(&program));
        for order in ORDERS {
            let have = imp::eval::run(&low, &input, order, &budget, &mut Recorder::counting());
            same(&format!("{stage}, {order:?}"), &text, &want, &have);
            assert_eq!(have.races, [], "{stage}, {order:?}\n{text}");
        }
    }
}

/// How many `alloc` there are inside kernels.
fn allocations_in_kernels(body: &Body<FunMem>, inside: bool) -> usize {
    let count = |stm: &Stm<FunMem>| {
        let own = inside && matches!(stm.exp, Exp::Extra(MemExp::Alloc(_)));
        let within = inside || matches!(stm.exp, Exp::Kernel { .. });
        let inner = stm.exp.bodies().into_iter();
        usize::from(own) + inner.map(|body| allocations_in_kernels(body, within)).sum::<usize>()
    };
    body.stms.iter().map(count).sum()
}
