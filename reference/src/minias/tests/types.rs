//! Principal types, and what is said where there is none.

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

/// The message with both places, and the help.
fn refused(mode: Mode, source: &str, expected: Expect) {
    let program = parse::program(source).expect("it is read");
    let no = infer::infer(&program, mode, &mut Recorder::counting()).expect_err("it is refused");
    let at = |span: crate::kit::text::Span| &source[span.start as usize..span.end as usize];
    let mut text = format!("{}\n  `{}`: {}\n", no.message, at(no.span), no.label);
    for second in crate::kit::text::Second::all(no.second.as_deref()) {
        text += &format!("  `{}`: {}\n", at(second.span), second.label);
    }
    if let Some(help) = &no.help {
        text += &format!("  {help}\n");
    }
    expected.assert_eq(&text);
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

#[test]
fn refusals_say_both_places_and_the_modes_that_accept() {
    refused(
        Mode::Single,
        "void bar(global int *g, local int *l) { int *t; t = g; t = l; *t = 1; }",
        expect![[r#"
            `t` gets local here and global there; `single` allows one
              `l`: local
              `g`: global
              the modes `infer` and `generic` accept the program
        "#]],
    );
    refused(
        Mode::Infer,
        "void f(global int *g, local int *l) { g = l; }",
        expect![[r#"
            `{local} int *` does not go where `{global} int *` is wanted: a row is closed that has no local
              `l`: `{local} int *`
              `global int *g`: `{global} int *`
        "#]],
    );
    refused(
        Mode::Private,
        "void f(global int *g) { int *t; t = g; }",
        expect![[r#"
            `{global} int *` does not go where `{private} int *` is wanted: a row is closed that has no global
              `g`: `{global} int *`
              `int *t`: `{private} int *`
              the modes `infer`, `single` and `generic` accept the program
        "#]],
    );
    refused(
        Mode::Infer,
        "constant int t[1] = {1}; void st(int *p) { *p = 1; } kernel void k() { st(t); }",
        expect![[r#"
            constant memory is stored to
              `t`: it gets constant
              `*p`: stored to here
        "#]],
    );
    refused(
        Mode::Infer,
        "void f(global int *g, constant int *c) { int *t; t = g; t = c; }",
        expect![[r#"
            `t` gets constant here and global there
              `c`: it gets constant
              `g`: it gets global
              nothing converts to or from constant
        "#]],
    );
    refused(
        Mode::Infer,
        "void f(global int *g, constant int *c) { int *t; t = c; t = g; }",
        expect![[r#"
            `{global} int *` does not go where `{constant} int *` is wanted: a row is closed that has no global
              `g`: `{global} int *`
              `int *t`: `{constant} int *`
              `c`: constant comes in here
        "#]],
    );
    refused(
        Mode::Infer,
        "void f(global int *g, local int *l) { int *t = g; t = l; global int *u = t; }",
        expect![[r#"
            `{global, local | r} int *` does not go where `{global} int *` is wanted: a row is closed that has no local
              `t`: `{global, local | r} int *`
              `global int *`: `{global} int *`
              `l`: local comes in here
        "#]],
    );
    refused(
        Mode::Infer,
        "void f(ASpace {global | r} int *a, ASpace r int *b, global int *g) { b = g; }",
        expect![[r#"
            a row that lacks global gets it
              `g`: it gets global
              `ASpace {global | r}`: written with global
        "#]],
    );
    refused(
        Mode::Infer,
        "void f(constant int *c) { global int *g = (global int *) c; }",
        expect![[r#"
            a pointer to constant memory is cast to global
              `c`: it gets constant
              `global int *`: cast to global
        "#]],
    );
    refused(
        Mode::Infer,
        "kernel void k() { int * local a[2]; int x; a[0] = &x; }",
        expect![[r#"
            a pointer to private memory is kept in local memory
              `&x`: it gets private
              `int * local a[2]`: kept here
              no item sees the private memory of another one
        "#]],
    );
    refused(
        Mode::Infer,
        "void f(ASpace {global | r} int *a, ASpace {local | r} int *b) { a = b; }",
        expect![[r#"
            `{local | r} int *` does not go where `{global | r} int *` is wanted: two rows with other names have one end
              `b`: `{local | r} int *`
              `ASpace {global | r} int *a`: `{global | r} int *`
        "#]],
    );
    refused(
        Mode::Infer,
        "kernel void k(int *p) { }",
        expect![[r#"
        a kernel takes ints, and int pointers to global, local or constant memory
          `int *p`: no such parameter
          name the space, as in `global int *p`: a kernel has no caller that says it
    "#]],
    );
    refused(
        Mode::Generic,
        "int f(int n, local int *l, global int *g) { return *(n ? l : g); }",
        expect![[r#"
            the arms of `?:` point to local and to global
              `g`: global
              `l`: local
              the mode `infer` accepts the program
        "#]],
    );
    refused(
        Mode::Infer,
        "int f(local int *p) { return p == 0; }",
        expect![[r#"
        a pointer and an int are not compared
          `0`: no pointer
          `p`: a pointer
          compare with `NULL`, or with `*p`
    "#]],
    );
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
