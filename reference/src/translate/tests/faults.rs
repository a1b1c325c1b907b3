//! The planted faults of these passes do harm, each in its own pass.

use super::{good, parse_values};
use crate::fun;
use crate::funmem;
use crate::imp;
use crate::kit::decisions::Decisions;
use crate::kit::derivation::Recorder;
use crate::kit::faults::{Fault, Planted};
use crate::kit::outcome::{Budget, Ending};
use crate::translate::expand_memory::{Form, expand};
use crate::translate::fun_to_funmem::transform_program;
use crate::translate::funmem_to_imp::translate;

/// A program with three copies of what a fault may spoil, and its endings by FUN, by heap after
/// insertion and expansion, and by IMP.
fn endings(source: &str, input: &str, fault: Fault, form: Form) -> (Ending, [bool; 3]) {
    let program = good(fun::parse::program(source), source);
    let input = good(parse_values(input), input);
    let budget = Budget::default();
    let planted = Planted::new(fault);
    let want = fun::eval::run(&program, &input, &budget, &mut Recorder::counting()).ending;
    let heap = |program: &_| {
        let recorder = &mut Recorder::counting();
        let outcome = funmem::eval::run(program, &input, &budget, recorder, Planted::NONE);
        outcome.ending == want && outcome.races.is_empty()
    };
    let inserted = transform_program(&program, planted);
    let inserted_right = heap(&inserted);
    let expanded = expand(inserted, form, planted, &mut Decisions::default()).expect("it expands");
    let expanded_right = heap(&expanded);
    let low = translate(&expanded, planted);
    let order = imp::eval::Order::InOrder;
    let outcome = imp::eval::run(&low, &input, order, &budget, &mut Recorder::counting());
    let imp_right = outcome.ending == want && outcome.races.is_empty();
    (want, [inserted_right, expanded_right, imp_right])
}

#[test]
fn strides_of_a_transposed_array() {
    let source = "param (n : int) (m : int) (a : [n][m])
        let (t : [m][n]) = transpose a
        in (t)";
    let input = "2, 3, [[1, 2, 3], [4, 5, 6]]";
    let (_, right) = endings(source, input, Fault::L3, Form::Paper);
    assert!(!right[0]);
}

#[test]
fn base_offset_of_a_slice() {
    let source = "param (n : int) (a : [n])
        let (s : [4]) = a[2 : 4]
        let (t : [2]) = s[2 : 2]
        in (t)";
    let (_, right) = endings(source, "6, [1, 2, 3, 4, 5, 6]", Fault::L1, Form::Paper);
    assert!(!right[0]);
}

#[test]
fn share_of_a_thread() {
    let source = "param (n : int)
        let (r : [n]) = kernel i <= n do
            let (a : [3]) = replicate 3 i
            let (x : int) = a[2]
            in (x)
        in (r)";
    for form in [Form::Paper, Form::Coalesced] {
        let (_, right) = endings(source, "5", Fault::X1, form);
        assert!(right[0] && !right[1]);
    }
}

#[test]
fn carried_values_one_after_the_other() {
    let source = "param (n : int)
        let (a : int) (b : int) = loop (a : int = 1) (b : int = 2) for i <= n do in (b, a)
        in (a, b)";
    let (want, right) = endings(source, "3", Fault::D2, Form::Paper);
    assert_eq!(want, Ending::Value(parse_values("2, 1").expect("values")));
    assert_eq!(right, [true, true, false]);
}
