//! Which checks, branches and loops are eliminated, and which facts must not do it.

use super::{Facts, Known, goes_on};
use crate::pass::poison_checks::Detail;
use crate::pass::types::Types;
use crate::pipeline::{self, CHECKED};
use crate::route::{Artifact, Plan};
use reference::device::syntax::{Program, Ty};
use reference::device::{parse, print, validate};
use reference::kit::decisions::Decisions;
use reference::kit::derivation::Recorder;

/// The program with one kernel of this body, made by the pass `simplify`.
fn program(body: &str) -> Program {
    let source = format!(
        "fn set(p : ptr[private, i32], x : i32) {{ *p = x; }}
         kernel k(xs : block[i32], ys : block[i32], n : i32) group 4 {{\n{body}\n}}\n\
         param a : [8];\nparam b : [8];\nparam n : i32;\nlaunch k(a, b, n) for 4;"
    );
    let program = parse::program(&source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let stages = pipeline::stages(Artifact::Device(program), &Plan::default());
    match stages.by(CHECKED).map(|stage| &stage.artifact) {
        Some(Artifact::Device(program)) => program.clone(),
        _ => panic!("{:?}", stages.stop),
    }
}

/// The kernel with this body in four invocations, without the checks that hold, and how many rounds its
/// counted loops have; `xs` and `ys` have so many elements, and `n` is that number too.
fn form(body: &str, length: u32, detail: Detail) -> (String, Vec<u32>) {
    let mut program = program(body);
    let kernel = &program.kernels[0];
    let words = |ty: &Ty| match ty {
        Ty::Block(_) => vec![8, length],
        _ => vec![length],
    };
    let args: Vec<u32> = kernel.params.iter().flat_map(|(_, ty)| words(ty)).collect();
    let facts = Facts::of(kernel, kernel.group, 4, &args);
    let types = Types::of(&program);
    let known = Known { types: &types, sites: &program.sites, facts: &facts };
    let (form, counted) = known.eliminate(kernel, goes_on(kernel, detail));
    program.kernels[0] = form;
    validate::check(&program, &mut Recorder::counting()).expect("it is valid");
    let mut counted: Vec<u32> = counted.into_values().collect();
    counted.sort_unstable();
    let text = print::program(&program);
    let kernel = text.split("kernel k").nth(1).and_then(|text| text.split("\nparam").next());
    (kernel.unwrap_or(&text).to_owned(), counted)
}

fn flag(body: &str, length: u32) -> String {
    form(body, length, Detail::Flag).0
}

/// Are all of its checks eliminated?
fn proved(body: &str, length: u32) -> bool {
    !flag(body, length).contains("check")
}

/// All of its checks are eliminated where the blocks have `enough` elements, and not where they have one less.
#[track_caller]
fn check(body: &str, enough: u32) {
    assert!(proved(body, enough), "{body}");
    assert!(!proved(body, enough - 1), "{body}");
}

/// A number of 64 bits is followed through sums and products, and through what a 0 excludes.
#[test]
fn a_number_that_fits_32_bits_is_proved() {
    let checked = |number: &str, n| {
        let body = format!("check width({number}); xs.[0] = n;");
        proved(&body, n)
    };
    assert!(checked("i64(n) * i64 300000000", 7) && !checked("i64(n) * i64 300000000", 8));
    assert!(checked("i64(n) * i64 300000000 - i64 400000000", 8));
    assert!(!checked("i64 0 - i64(n) * i64 300000000", 8));
    let unless_zero = "select(n - 7 == 0, i64 0, i64(n) * i64(2147483647 + n * 0))";
    assert!(checked(unless_zero, 7) && !checked(unless_zero, 8));
    // Beyond 64 bits nothing is known.
    assert!(!checked("i64(n) * i64 9223372036854775807 - i64(n) * i64 9223372036854775807", 7));
}

#[test]
fn what_the_length_proves_is_eliminated() {
    check("xs.[3] = 7;", 4);
    check("if global_id < u32 3 { xs.[i32(global_id)] = ys.[0]; }", 3);
}

/// Behind a check that is left it held, to the end of the block it stands in, and no more is known.
#[test]
fn what_nothing_proves_is_left() {
    let checks = |body: &str| flag(body, 4).matches("check").count();
    let once = "let i : i32 = ys.[0]; xs.[i] = 1;";
    assert_eq!(checks(once), 1);
    assert_eq!(checks(&format!("{once} xs.[i] = 2; let j : i32 = i - 3; ys.[j + 3] = 1;")), 1);
    assert_eq!(checks("let i : i32 = ys.[0]; if n == 4 { xs.[i] = 1; } else { xs.[9] = 1; }"), 1);
    assert_eq!(checks("let i : i32 = ys.[0]; if i != 5 { xs.[i] = 1; } xs.[i] = 2;"), 2);
    assert_eq!(checks("let i : i32 = ys.[0]; check division(n, i); if i < 0 { ys.[1] = 7; }"), 1);
    // Where a check fails an invocation gets stuck.
    assert_eq!(checks("xs.[4] = 1;"), 1);
}

/// Where a failed check ends the invocation, just what the check made sure of decides branches.
#[test]
fn a_check_decides_branches_where_it_ends_the_invocation() {
    for (check, least, most) in [
        ("xs.[i] = 1;", 0, 3),
        ("check index(i, 4);", 1, 4),
        ("check size(i);", 0, i32::MAX),
        ("check division(n, i); check index(i, 4);", 1, 4),
    ] {
        let branch = |cond: String, rest: &str, detail| {
            let body = format!("let i : i32 = ys.[0]; {check} if {cond} {{ ys.[1] = 7; }} {rest}");
            form(&body, 4, detail).0.contains("if")
        };
        assert!(!branch(format!("i >= {least}"), "", Detail::Flag), "{check}");
        assert!(!branch(format!("i <= {most}"), "", Detail::Flag), "{check}");
        assert!(branch(format!("i > {least}"), "", Detail::Flag), "{check}");
        assert!(most == i32::MAX || branch(format!("i < {most}"), "", Detail::Flag), "{check}");
        // An invocation that goes on may have anything.
        assert!(branch(format!("i >= {least}"), "", Detail::Site), "{check}");
        assert!(branch(format!("i >= {least}"), "barrier storage;", Detail::Flag), "{check}");
    }
}

/// What a check made sure of decides no branch where invocations go on, by way of a float neither.
#[test]
fn a_float_of_a_tested_number_decides_no_branch() {
    let branch = |rest: &str| {
        let floats =
            "let f : f32 = f32(i) * 2.0; if f < 100.0 { ys.[1] = 7; } else { ys.[2] = 7; }";
        let body = format!("let i : i32 = ys.[0]; check index(i, 8); {floats} {rest}");
        flag(&body, 4).contains("if")
    };
    assert!(!branch(""));
    assert!(branch("barrier storage;"));
}

/// A condition that names another twice, and that one another, is followed once a name.
#[test]
fn names_of_conditions_are_followed_once() {
    let mut body = "let c0 : bool = n == 4;".to_owned();
    for k in 1..60 {
        let before = k - 1;
        body += &format!(" let c{k} : bool = c{before} & (c{before} | ys.[{}] < 3);", k % 4);
    }
    check(&format!("{body} if c59 {{ xs.[n - 1] = 1; }}"), 4);
}

/// A check may be eliminated by one before it even where a poisoned invocation goes on: it is poisoned
/// already.
#[test]
fn a_check_eliminates_others_where_invocations_go_on() {
    let body = "let i : i32 = ys.[0]; xs.[i] = 1; xs.[min(i, 2)] = 2; barrier storage; ys.[i] = 3;";
    for detail in [Detail::Flag, Detail::Site] {
        assert_eq!(form(body, 4, detail).0.matches("check").count(), 1);
    }
}

/// A poisoned invocation has zero for what it could not compute.
#[test]
fn what_the_poisoned_do_not_compute_decides_nothing() {
    let body = |rest: &str| {
        format!(
            "let x : i32 = ys.[0] | 1; let y : i32 = max(7 / x, 1); if y >= 1 {{ ys.[1] = 2; }} {rest}"
        )
    };
    let folds = |rest, detail| !form(&body(rest), 4, detail).0.contains("if");
    assert!(folds("", Detail::Flag));
    assert!(!folds("barrier storage;", Detail::Flag));
    assert!(!folds("", Detail::Site));
}

/// In a case the value is its literal, behind the switch a variable holds what it does at the end of one of
/// the cases, and a case is gone to which the value cannot belong.
#[test]
fn a_case_knows_the_value() {
    check("let x : i32 = xs.[0]; switch x { 2 { ys.[x] = 1; } 6 { ys.[x - 2] = 1; } }", 5);
    check("var o : i32 = 1; switch xs.[0] { 0 { o = 3; } 1 { o = 6; } } ys.[o] = 1;", 7);
    let impossible =
        flag("let x : i32 = xs.[0] & 3; switch x { 4 { ys.[0] = 1; } 3 { xs.[0] = 2; } }", 4);
    assert!(!impossible.contains("ys.[0] = 1;"), "{impossible}");
}

/// An array that comes out of a branch is one of two, at one of two places.
#[test]
fn a_variable_holds_what_it_does_on_either_side() {
    check(
        "var b : block[i32]; var o : i32 = 4;
         if global_id < u32 2 { b = xs; o = 1; } else { b = ys; }
         xs.[0] = b.[o];",
        5,
    );
    check("var o : i32 = 2; if global_id < u32 2 { o = 6; } xs.[o] = 1;", 7);
}

/// Behind its declaration it holds zero, and no block has no elements.
#[test]
fn a_variable_starts_as_zero() {
    check("var o : i32; if n == 9 { o = 1; } xs.[o] = 1;", 1);
    assert!(!proved("var b : block[i32]; if n == 9 { b = xs; } xs.[0] = b.[0];", 8));
}

#[test]
fn a_variable_of_a_loop_holds_what_any_round_leaves() {
    let rounds = |body: &str, n: u32| {
        format!(
            "var o : i32 = 1;
             loop (r : u32 = u32 0) while r < u32 {n} {{ xs.[o] = 1; {body} }} next (r + u32 1);
             ys.[o] = 2;"
        )
    };
    check(&rounds("o = 4 - o;", 3), 4);
    // It grows, and how often is not counted.
    assert!(!proved(&rounds("o = o + 1;", 3), 64));
    check(&rounds("o = o + 4;", 0), 2);
}

/// Loops around loops: what the inner one leaves the outer one starts from.
#[test]
fn a_variable_of_nested_loops_is_followed() {
    check(
        "var o : i32 = 0; var p : i32 = 3;
         loop (r : u32 = u32 0) while r < u32 3 {
           loop (s : u32 = u32 0) while s < u32 2 { let old : i32 = o; o = p; p = old; } next (s + u32 1);
           xs.[p] = o;
         } next (r + u32 1);",
        4,
    );
}

/// Rounds of loops too deep are not tried, so nothing is known of what they store, nor is around them.
#[test]
fn what_is_not_tried_is_not_known() {
    let body = "var x : i32 = 0; var y : i32 = 0;
        loop (i : u32 = u32 0) while i < u32(n) {
          xs.[x] = 5;
          loop (j : u32 = u32 0) while j < u32(n) {
            x = 7; y = 0;
            loop (k : u32 = u32 0) while k < u32(n) { xs.[y] = 1; y = i32(k); } next (k + u32 1);
          } next (j + u32 1);
        } next (i + u32 1);";
    assert!(!proved(body, 5));
}

/// What other invocations or functions change is not followed, nor is what a pointer leads to.
#[test]
fn only_what_is_changed_by_its_name_is_followed() {
    let own = "var o : i32 = 0; var q : i32 = 1; o = q - 1;";
    assert!(proved(&format!("{own} xs.[o] = 1;"), 1));
    let pointer = "let p : ptr[function, i32] = &o; *p = 9;";
    assert!(!proved(&format!("{own} {pointer} xs.[o] = 1;"), 8));
    // The other variable is followed still.
    assert!(proved(
        &format!("var z : i32 = 0; if n == 8 {{ z = 7; }} {own} {pointer} xs.[z] = 1;"),
        8
    ));
    let shared = "workgroup w : i32; w = 0; barrier workgroup; xs.[w] = 1;";
    assert!(!proved(shared, 8));
    let private = "private p : i32; p = 0; call set(&p, 9); xs.[p] = 1;";
    assert!(!proved(private, 8));
}

/// Kernels with barriers and calls are proved as others are.
#[test]
fn barriers_and_calls_are_no_obstacle() {
    check(
        "private p : i32; call set(&p, 9); xs.[i32(local_id)] = p; barrier storage; ys.[3] = p;",
        4,
    );
}

#[test]
fn counted_loops_are_known() {
    let counted = |head: &str, n| {
        let body =
            format!("loop (r : u32 = u32 0) while {head} {{ xs.[0] = 1; }} next (r + u32 1);");
        form(&body, n, Detail::Flag).1
    };
    assert_eq!(counted("r < u32(n)", 7), [7]);
    assert_eq!(counted("r < u32(n) & global_id == u32 0", 7), [7]);
    assert_eq!(counted("u32(n) > r", 7), Vec::<u32>::new());
    // What is loaded may change between the rounds.
    let body = "loop (r : u32 = u32 0, s : u32 = u32 9) while r < s { xs.[0] = 1; } next (r + u32 1, s + u32 1);";
    assert_eq!(form(body, 7, Detail::Flag).1, Vec::<u32>::new());
}

/// What only a check bounds counts no rounds where a poisoned invocation goes on.
#[test]
fn a_tested_bound_counts_no_rounds() {
    let body = |rest: &str| {
        format!(
            "let m : i32 = ys.[0]; xs.[m] = 1;
             loop (r : u32 = u32 0) while r < u32(m) {{ ys.[1] = 1; }} next (r + u32 1); {rest}"
        )
    };
    assert_eq!(form(&body(""), 4, Detail::Flag).1, [3]);
    assert_eq!(form(&body("barrier storage;"), 4, Detail::Flag).1, [u32::MAX]);
    assert_eq!(form(&body(""), 4, Detail::Site).1, [u32::MAX]);
}

/// What a loop counts up to may not be what a variable holds before it.
#[test]
fn a_bound_that_rounds_change_is_not_counted() {
    for bound in ["select(x != 0, u32 2, u32 1)", "select(x < 5, u32 1, u32(n))", "u32(x) + u32 1"]
    {
        let body = format!(
            "var x : i32;
             loop (r : u32 = u32 0) while r < {bound} {{ xs.[x] = 1; x = 1; }} next (r + u32 1);"
        );
        assert_eq!(form(&body, 8, Detail::Flag).1, Vec::<u32>::new(), "{body}");
    }
}

#[test]
fn a_loop_without_rounds_is_gone() {
    let body = "loop (r : u32 = u32 0) while r < u32(n) { xs.[0 - 1] = 1; } next (r + u32 1); ys.[i32(r)] = 1;";
    assert!(!flag(body, 0).contains("loop") && flag(body, 1).contains("loop"));
}

#[test]
fn a_guard_in_an_integer_is_known() {
    check(
        "let i : i32 = ys.[0];
         let inside : i32 = i32(i >= 2) & i32(i <= 5);
         if inside != 0 { xs.[i] = 1; }",
        6,
    );
    let one_side = "let i : i32 = ys.[0]; let some : i32 = i32(i >= 2) | i32(i <= 5);
                    if some != 0 { xs.[i] = 1; }";
    assert!(!proved(one_side, 64));
}

#[test]
fn a_divisor_that_a_guard_excludes_is_not_zero() {
    let divided = "let x : i32 = ys.[0]; if x != 0 { xs.[0] = 7 / x; }";
    assert!(proved(divided, 1));
    let behind = "let x : i32 = ys.[0]; if x != 0 { xs.[0] = 1; } xs.[0] = 7 / x;";
    assert!(!proved(behind, 1));
    let other = "let x : i32 = ys.[0]; if x != 0 { xs.[0] = 1; } else { xs.[0] = 7 / x; }";
    assert!(!proved(other, 1));
}

/// Without facts of the launch the text alone says what holds.
#[test]
fn nothing_is_known_of_any_launch() {
    let checks = |body: &str| {
        let program =
            super::eliminate_checks(program(body), Detail::Flag, &mut Decisions::default());
        print::program(&program).matches("check").count()
    };
    assert_eq!(checks("xs.[3] = 7;"), 1);
    assert_eq!(checks("if length(xs) > u32 3 { xs.[3] = 7; }"), 0);
    assert_eq!(
        checks("let i : u32 = local_id; let j : i32 = i32(i) + 1; check index(j, 4); xs.[0] = 1;"),
        1
    );
    assert_eq!(checks("let i : u32 = local_id; let j : i32 = i32(i) + 1; check index(j, 4);"), 0);
}
