//! Principal types.

use crate::kit::derivation::Recorder;
use crate::minias::infer;
use crate::minias::parse;
use crate::minias::types::Mode;
use expect_test::{Expect, expect};

fn check(source: &str, expected: Expect) {
    let program = parse::program(source).expect("it is read");
    let typed = infer::infer(&program, Mode::Infer, &mut Recorder::counting());
    let typed = typed.unwrap_or_else(|no| panic!("{no:?}\n{source}"));
    expected.assert_eq(&(typed.lines(&program.names).join("\n") + "\n"));
}

#[test]
fn principal_types_are_printed() {
    check(
        "int *pick(int n, global int *g, local int *l) { if (n) { return g; } return l; }
         int load(int *p) { return *p; } void store(int *p) { *p = 1; }
         void copy(int *to, int *from) { *to = *from; }
         int *same(int *p) { return p; } int none() { return 1; }
         int *first(int **p) { return *p; }
         void point(int **p, private int *x) { *p = x; }
         int *either(int n, int *p, int *q) { return n ? p : q; }
         global int *is(int *p) { return dynamic_cast<global int *>(p); }
         global int *down(int *p) { return (global int *) p; }
         void two(ASpace {global | r} int *a, ASpace r int *b) { }
         kernel void k(global int *g, constant int *c, int n) { int *p = g; *p = load(c); }",
        expect![[r#"
            pick : forall r. r\global, r\local, r\constant => int, {global} int *, {local} int * -> {global, local | r} int *
            load : forall r. {| r} int * -> int
            store : forall r. r\constant => {| r} int * -> void
            copy : forall r s. r\constant => {| r} int *, {| s} int * -> void
            same : forall r. {| r} int * -> {| r} int *
            none : () -> int
            first : forall r s. {| r} int * {| s} * -> {| r} int *
            point : forall r s. r\private, r\constant, s\constant => {private | r} int * {| s} *, {private} int * -> void
            either : forall r. int, {| r} int *, {| r} int * -> {| r} int *
            is : forall r. r\global, r\constant => {global | r} int * -> {global} int *
            down : forall r. r\global, r\constant => {global | r} int * -> {global} int *
            two : forall r. r\global, r\constant => {global | r} int *, {| r} int * -> void
            k : {global} int *, {constant} int *, int -> void
        "#]],
    );
}

#[test]
fn functions_that_call_each_other_have_one_type_inside() {
    check(
        "int even(int *p, int n) { if (n == 0) { return *p; } return odd(p, n - 1); }
         int odd(int *q, int n) { if (n == 0) { return 0; } return even(q, n - 1); }
         int grow(int *p, local int *l, int n) { if (n) { return grow(l, l, n - 1); } return *p; }
         kernel void k(global int *g, local int *l) { *g = even(g, 2) + odd(l, 3); }",
        expect![[r#"
            even : forall r. {| r} int *, int -> int
            odd : forall r. {| r} int *, int -> int
            grow : forall r. r\local, r\constant => {local | r} int *, {local} int *, int -> int
            k : {global} int *, {local} int * -> void
        "#]],
    );
}

/// In `single`, what stands behind a name closes (reading M14).
#[test]
fn single_closes_what_stands_behind_a_name() {
    let source = "int *same(int *p) { return p; } int *to(local int *l) { int *p = l; return p; }";
    let program = parse::program(source).expect("it is read");
    let typed =
        infer::infer(&program, Mode::Single, &mut Recorder::counting()).expect("it has types");
    let lines =
        ["same : forall r. {| r} int * -> {| r} int *", "to : {local} int * -> {local} int *"];
    assert_eq!(typed.lines(&program.names), lines);
}

/// A program that writes every space keeps no predicate (2.2, reading M13).
#[test]
fn written_spaces_leave_no_predicate() {
    for mode in Mode::ALL {
        let source = "int f(global int *p, local int * private *q) { *p = **q; return p[1]; }
             kernel void k(global int *g, local int *l) { local int * private t[2] = {l, l}; f(g, t); }";
        let program = parse::program(source).expect("it is read");
        let typed = infer::infer(&program, mode, &mut Recorder::counting()).expect("it has types");
        let open = typed
            .schemes
            .iter()
            .any(|(_, scheme)| !scheme.rows.is_empty() || !scheme.lacks.is_empty());
        assert!(!open, "{:?}", typed.lines(&program.names));
    }
}

/// Inference is near linear, and deep calls are no deep recursion.
#[test]
fn long_programs_have_types() {
    use std::fmt::Write;
    let mut source = String::from("int f0(int *p) { return *p; }\n");
    for at in 1..5_000 {
        let before = at - 1;
        writeln!(source, "int f{at}(int *p) {{ int *q = p; q = p + 1; return f{before}(q); }}")
            .expect("a string");
    }
    source += "kernel void k(global int *g) {\n";
    for at in 0..5_000 {
        writeln!(
            source,
            "int *p{at} = {}; p{at} = g + {at};",
            if at == 0 { "g".to_owned() } else { format!("p{}", at - 1) }
        )
        .expect("a string");
    }
    source += "}\n";
    let program = parse::program(&source).expect("it is read");
    let typed =
        infer::infer(&program, Mode::Infer, &mut Recorder::counting()).expect("it has types");
    assert_eq!(typed.variable(&program.names, "p4999").as_deref(), Some("{global} int *"));
}
