//! Which of several failures is told.

use super::stuck;
use crate::device::parse;
use crate::device::print;
use crate::kit::value::Value;

/// Runs a kernel of groups of four for eight invocations. Who is told?
fn told(body: &str) -> (Vec<i32>, Vec<i64>) {
    let source = format!(
        "kernel k() group 4 {{
  let i : i32 = i32(global_id);
  {body}
}}
launch k() for 8;"
    );
    let none: [Value; 0] = [];
    let stuck = stuck(&source, &none);
    (stuck.thread, stuck.operands)
}

/// The path of a check with an order is the whole thread.
#[test]
fn the_least_order_is_told() {
    assert_eq!(told("check size(-1 - i) at (9);"), (vec![1, 9], vec![-1]));
    assert_eq!(told("check size(-1 - i) at (9) order (5 - i);"), (vec![9], vec![-4]));
    assert_eq!(told("check size(-1 - i) order (5 - i);"), (vec![], vec![-4]));
    assert_eq!(told("check size(-1 - i) at (i) order (i & 1, 0 - i);"), (vec![2], vec![-3]));
}

/// Of equal orders the lowest invocation's is told, and in any case one of the lowest work group that has a failure.
#[test]
fn groups_are_before_orders_and_orders_before_invocations() {
    assert_eq!(told("check size(-1 - i) order (7);").1, [-1]);
    assert_eq!(told("check size(-1 - i) order ();").1, [-1]);
    assert_eq!(told("if i != 0 { check size(-1 - i) order (i / 4 * -9); }").1, [-2]);
    assert_eq!(told("if i > 3 { check size(-1 - i) order (0 - i); }").1, [-8]);
}

/// What has no order has the empty one, which is before every other, as each order is before those that it begins.
#[test]
fn shorter_orders_are_before_longer_ones() {
    let pair = |first: &str, last: &str| {
        told(&format!(
            "if i == 1 {{ check size(-1){first}; }} if i == 3 {{ check size(-3){last}; }}"
        ))
    };
    assert_eq!(pair(" order (4)", "").1, [-3]);
    assert_eq!(pair(" order (4)", "").0, [4]);
    assert_eq!(pair(" order (4)", " order ()").0, Vec::<i32>::new());
    assert_eq!(pair(" order (4, 1)", " order (4)").1, [-3]);
    assert_eq!(pair(" order (4, -2147483648)", " order (4)").1, [-3]);
    assert_eq!(pair(" order (4)", " order (4, -2147483648)").1, [-1]);
    assert_eq!(pair(" order (3, 9)", " order (4)").1, [-1]);
    assert_eq!(pair(" order (2147483647)", " order (-2147483648, 5)").1, [-3]);
}

/// An array element outside, which no check tests, is as a check without an order.
#[test]
fn what_no_check_tests_has_no_order() {
    let of_division =
        "if i == 2 { let x : i32 = i / (i - 2); } if i != 2 { check size(-1) order (-5); }";
    assert_eq!(told(of_division), (vec![3], vec![2, 0]));
}

/// An invocation fails once, whatever the order of what comes behind.
#[test]
fn the_first_failure_of_an_invocation_counts() {
    let twice = "check size(-1 - i) order (5, i); barrier workgroup; check size(-9) order (0);";
    assert_eq!(told(twice).1, [-1]);
}

#[test]
fn orders_are_printed_and_parsed() {
    let text = "kernel k() group 1 {
  check size(1) at (2) order (3, i32(global_id));
  check size(1) order ();
}
";
    let program = parse::program(text).expect("it parses");
    let printed = print::program(&program);
    assert!(printed.contains("check size(1) at (2) order (3, i32(global_id));"), "{printed}");
    assert!(printed.contains("check size(1) order ();"), "{printed}");
    assert_eq!(parse::program(&printed).map(|again| print::program(&again)), Ok(printed));
}
