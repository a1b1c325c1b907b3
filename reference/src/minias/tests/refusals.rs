//! What is said of a program that has no types: both places and both spaces, and the modes that accept it.

use crate::kit::derivation::Recorder;
use crate::minias::infer;
use crate::minias::parse;
use crate::minias::types::Mode;
use expect_test::{Expect, expect};

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
              `constant int t[1] = {1};`: written with constant
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

#[test]
fn where_spaces_came_in_by_calls() {
    refused(
        Mode::Infer,
        "int *id(int *p) { return p; } void f(constant int *c, local int *l) { int *a; a = id(c); a = id(l); }",
        expect![[r#"
            `{local | r} int *` does not go where `{constant} int *` is wanted: a row is closed that has no local
              `id(l)`: `{local | r} int *`
              `int *a`: `{constant} int *`
              `l`: local comes in here
              `id(c)`: constant comes in here
        "#]],
    );
    refused(
        Mode::Infer,
        "int *id(int *p) { return p; } void f(constant int *c, local int *l) { int *a; a = id(l); a = id(c); }",
        expect![[r#"
            `a` gets constant here and local there
              `id(c)`: it gets constant
              `l`: it gets local
              `c`: constant comes in here
              nothing converts to or from constant
        "#]],
    );
    refused(
        Mode::Infer,
        "int *to(local int *l) { return l; } void f(constant int *c, local int *l) { int *a; a = to(l); a = c; }",
        expect![[r#"
            `a` gets constant here and local there
              `c`: it gets constant
              `l`: it gets local
              `to(l)`: local comes in here
              nothing converts to or from constant
        "#]],
    );
    refused(
        Mode::Infer,
        "int *id(int *p) { return p; } void f(global int *g, local int *l) { global int *a = g; int *b = id(l); a = b; }",
        expect![[r#"
            `{local | r} int *` does not go where `{global} int *` is wanted: a row is closed that has no local
              `b`: `{local | r} int *`
              `global int *a = g`: `{global} int *`
              `id(l)`: local comes in here
        "#]],
    );
    refused(
        Mode::Infer,
        "int *id(int *p) { return p; } void f(global int *g, local int *l) { global int *a = g; a = id(l); }",
        expect![[r#"
            `{local | r} int *` does not go where `{global} int *` is wanted: a row is closed that has no local
              `id(l)`: `{local | r} int *`
              `global int *a = g`: `{global} int *`
              `l`: local comes in here
        "#]],
    );
    refused(
        Mode::Infer,
        "void put(int **to, int *p) { *to = p; } void f(global int *g, local int *l) { int *a = NULL; put(&a, l); global int *b = a; }",
        expect![[r#"
            `{local | r} int *` does not go where `{global} int *` is wanted: a row is closed that has no local
              `a`: `{local | r} int *`
              `global int *`: `{global} int *`
              `l`: local comes in here
        "#]],
    );
    refused(
        Mode::Infer,
        "int *pick(int n, int *p, int *q) { return n ? p : q; } void f(constant int *c, local int *l) { pick(1, l, c); }",
        expect![[r#"
            a pointer gets constant here and local there
              `c`: it gets constant
              `l`: it gets local
              nothing converts to or from constant
        "#]],
    );
    refused(
        Mode::Infer,
        "int *mix(int n, int *p, global int *g) { if (n) { return g; } return p; } void f(constant int *c, global int *g) { int *a; a = c; mix(1, a, g); }",
        expect![[r#"
            a pointer gets constant here and global there
              `a`: it gets constant
              `g`: it gets global
              `c`: constant comes in here
              nothing converts to or from constant
        "#]],
    );
}

#[test]
fn where_spaces_came_in_by_assignments() {
    refused(
        Mode::Infer,
        "void f(global int *g, local int *l) { int *s; s = l; int *t = g; t = s; global int *u = t; }",
        expect![[r#"
            `{global, local | r} int *` does not go where `{global} int *` is wanted: a row is closed that has no local
              `t`: `{global, local | r} int *`
              `global int *`: `{global} int *`
              `s`: local comes in here
        "#]],
    );
    refused(
        Mode::Infer,
        "void f(constant int *c) { int *a; a = c; *a = 1; }",
        expect![[r#"
        constant memory is stored to
          `a`: it gets constant
          `*a`: stored to here
          `c`: constant comes in here
    "#]],
    );
    refused(
        Mode::Infer,
        "void f(constant int *c) { int *a; *a = 1; c = a; }",
        expect![[r#"
            constant memory is stored to
              `a`: it gets constant
              `*a`: stored to here
              `constant int *c`: written with constant
        "#]],
    );
    refused(
        Mode::Infer,
        "void f(constant int *c, global int *g) { int *a; a = c; g = (global int *) a; }",
        expect![[r#"
            a pointer to constant memory is cast to global
              `a`: it gets constant
              `global int *`: cast to global
              `c`: constant comes in here
        "#]],
    );
    refused(
        Mode::Infer,
        "kernel void k() { int * local a[2]; int x; int *p = &x; a[0] = p; }",
        expect![[r#"
            a pointer to private memory is kept in local memory
              `p`: it gets private
              `int * local a[2]`: kept here
              `&x`: private comes in here
              no item sees the private memory of another one
        "#]],
    );
    refused(
        Mode::Infer,
        "void f(global int *g, local int *l) { int *t; t = l; local int *u = t; t = g; }",
        expect![[r#"
            `{global} int *` does not go where `{local} int *` is wanted: a row is closed that has no global
              `g`: `{global} int *`
              `int *t`: `{local} int *`
              `l`: local comes in here
              `t`: local, and no other, from here on
        "#]],
    );
    refused(
        Mode::Infer,
        "void f(global int * private *gg, local int *l) { int *a = l; gg = &a; }",
        expect![[r#"
            `{local | r} int * {private} *` does not go where `{global} int * {private} *` is wanted: a row is closed that has no local
              `&a`: `{local | r} int * {private} *`
              `global int * private *gg`: `{global} int * {private} *`
              `l`: local comes in here
        "#]],
    );
    refused(
        Mode::Infer,
        "void f(constant int *c, global int *g) { int *a; a = c; int *b; b = g; int **p = &a; p = &b; }",
        expect![[r#"
            `{global | r} int * {private} *` does not go where `{constant} int * {private | s} *` is wanted: a row is closed that has no global
              `&b`: `{global | r} int * {private} *`
              `int **p = &a`: `{constant} int * {private | s} *`
              `g`: global comes in here
              `&a`: constant comes in here
        "#]],
    );
}

/// In `single` the first space may have come in before.
#[test]
fn where_one_space_is_allowed_both_are_told() {
    refused(
        Mode::Single,
        "void f(global int *g, local int *l) { int *a = g; int *b = l; b = a; }",
        expect![[r#"
            `b` gets global here and local there; `single` allows one
              `a`: global
              `l`: local
              `g`: global comes in here
              the modes `infer` and `generic` accept the program
        "#]],
    );
    refused(
        Mode::Single,
        "int *id(int *p) { return p; } void f(global int *g, local int *l) { int *a = id(g); a = id(l); }",
        expect![[r#"
            `a` gets local here and global there; `single` allows one
              `id(l)`: local
              `g`: global
              `l`: local comes in here
              the modes `infer` and `generic` accept the program
        "#]],
    );
    refused(
        Mode::Single,
        "int *id(int *p) { return p; } void f(global int *g, local int *l) { int *a; a = id(g); local int *b = a; }",
        expect![[r#"
            `{global | r} int *` does not go where `{local} int *` is wanted: a row is closed that has no global
              `a`: `{global | r} int *`
              `local int *`: `{local} int *`
              `id(g)`: global comes in here
        "#]],
    );
}

#[test]
fn prototypes_of_another_type_say_both() {
    refused(
        Mode::Infer,
        "int f(global int *p); int f(local int *p) { return *p; }",
        expect![[r#"
        the prototype of `f` has another type
          `local int *p`: `{local} int *`
          `global int *p`: `{global} int *`
    "#]],
    );
    refused(
        Mode::Infer,
        "global int *f(int *p); local int *f(local int *q) { return q; }",
        expect![[r#"
            the prototype of `f` has another type
              `local int *`: `{local} int *`
              `global int *`: `{global} int *`
        "#]],
    );
    refused(
        Mode::Infer,
        "int f(int *p, int n); int f(int *p) { return *p; }",
        expect![[r#"
        the prototype of `f` has another type
          `int f(int *p)`: 1 parameter
          `int f(int *p, int n)`: the prototype, 2 parameters
    "#]],
    );
    refused(
        Mode::Infer,
        "void k(global int *g); kernel void k(global int *g) { }",
        expect![[r#"
            the prototype of `k` has another type
              `kernel void k(global int *g)`: a kernel has no prototype
              `void k(global int *g)`: the prototype, 1 parameter
        "#]],
    );
    refused(
        Mode::Infer,
        "int f(global int *p); void g(local int *l) { f(l); } int f(int *p) { return *p; }",
        expect![[r#"
            `{local} int *` does not go where `{global} int *` is wanted: a row is closed that has no local
              `l`: `{local} int *`
              `global int *p`: `{global} int *`
        "#]],
    );
}

/// Constant memory is stored to: where the store is, and where the pointer got the space, if that is said elsewhere.
#[test]
fn where_constant_came_in() {
    let refused = |source: &str, expected| refused(Mode::Infer, source, expected);
    refused(
        "void f(constant int *c) { c[1] = 1; }",
        expect![[r#"
        constant memory is stored to
          `c[1]`: it gets constant
          `c[1]`: stored to here
          `constant int *c`: written with constant
    "#]],
    );
    refused(
        "constant int t[2] = {1, 2}; kernel void k() { *(1 + t) = 1; }",
        expect![[r#"
        constant memory is stored to
          `(1 + t)`: it gets constant
          `*(1 + t)`: stored to here
          `constant int t[2] = {1, 2};`: written with constant
    "#]],
    );
    refused(
        "constant int t[2] = {1, 2}; void st(int *p) { *p = 1; } kernel void k() { st(t + 1); }",
        expect![[r#"
            constant memory is stored to
              `t + 1`: it gets constant
              `*p`: stored to here
              `constant int t[2] = {1, 2};`: written with constant
        "#]],
    );
    refused(
        "constant int t[2] = {1, 2}; constant int *at(int n) { return t + n; } kernel void k() { *at(1) = 1; }",
        expect![[r#"
            constant memory is stored to
              `at(1)`: it gets constant
              `*at(1)`: stored to here
              `constant int *`: written with constant
        "#]],
    );
    refused(
        "constant int t[2] = {1, 2}; void st(int *p) { *p = 1; } kernel void k() { int *a = t; int *b; b = a; st(b); }",
        expect![[r#"
            constant memory is stored to
              `b`: it gets constant
              `*p`: stored to here
              `a`: constant comes in here
        "#]],
    );
    refused(
        "void f(int *p) { *(constant int *) p = 1; }",
        expect![[r#"
        constant memory is stored to
          `(constant int *) p`: it gets constant
          `*(constant int *) p`: stored to here
          `constant int *`: written with constant
    "#]],
    );
}

/// An int where a pointer is wanted, and the other way around: what is found, what is wanted, and where each comes from.
#[test]
fn pointers_and_ints_are_told_apart() {
    let refused = |source: &str, expected| refused(Mode::Infer, source, expected);
    refused(
        "void f(int x) { int *p; p = x; }",
        expect![[r#"
        `int` does not go where `{| r} int *` is wanted: an int is no pointer
          `x`: `int`
          `int *p`: `{| r} int *`
          `int x`: its type comes from here
    "#]],
    );
    refused(
        "void f(global int *g) { int x; x = g + 1; }",
        expect![[r#"
        `{global} int *` does not go where `int` is wanted: a pointer is no int
          `g + 1`: `{global} int *`
          `int x`: `int`
          `global int *g`: its type comes from here
    "#]],
    );
    refused(
        "void f(global int *g) { int x = *g; *x = 1; }",
        expect![[r#"
        `x` is an int, and a pointer is wanted
          `x`: `int`
          `int x = *g`: its type comes from here
    "#]],
    );
    refused(
        "void n() { } void f() { int x = n(); }",
        expect![[r#"
        `void` does not go where `int` is wanted: it has no value
          `n()`: `void`
          `int`: `int`
          `void`: its type comes from here
    "#]],
    );
    refused(
        "void n() { } int f() { return *n(); }",
        expect![[r#"
        `n()` has no value, and a pointer is wanted
          `n()`: `void`
          `void`: its type comes from here
    "#]],
    );
    refused(
        "int f(int *p) { return *p; } int h(int *p) { return f(&p); }",
        expect![[r#"
        `{| r} int * {private} *` does not go where `{private | s} int *` is wanted: it points to a pointer, and not to an int
          `&p`: `{| r} int * {private} *`
          `int *p`: `{private | s} int *`
          `int *p`: its type comes from here
    "#]],
    );
    refused(
        "int f(int **p) { return **p; } int h(int *p) { return f(p); }",
        expect![[r#"
        `{| r} int *` does not go where `{| s} int * {| r} *` is wanted: it points to an int, and not to a pointer
          `p`: `{| r} int *`
          `int **p`: `{| s} int * {| r} *`
          `int *p`: its type comes from here
    "#]],
    );
    refused(
        "int f(int *p) { return p * 2; }",
        expect![[r#"
        `*` takes ints, and `p` is `{| r} int *`
          `p`: `{| r} int *`
          `int *p`: its type comes from here
    "#]],
    );
    refused(
        "int f(int *p, int *q) { return *(p + q); }",
        expect![[r#"
        what is added to a pointer or taken from one is an int, and `q` is `{| r} int *`
          `q`: `{| r} int *`
          `int *q`: its type comes from here
    "#]],
    );
    refused(
        "int f(int *p) { return *(2 - p); }",
        expect![[r#"
        what is added to a pointer or taken from one is an int, and `p` is `{| r} int *`
          `p`: `{| r} int *`
          `int *p`: its type comes from here
    "#]],
    );
    refused(
        "void n() { } int f(int *p) { return p && n(); }",
        expect![[r#"
        `&&` takes ints and pointers, and `n()` is `void`
          `n()`: `void`
          `void`: its type comes from here
    "#]],
    );
    refused(
        "void n() { } int f(int *p) { return 1 ? n() : n(); }",
        expect![[r#"
        an arm of `?:` has a value, and `n()` is `void`
          `n()`: `void`
          `void`: its type comes from here
    "#]],
    );
    refused(
        "void n() { } void f() { if (n()) { } }",
        expect![[r#"
        `n()` is no condition
          `n()`: neither int nor pointer
          `void`: its type comes from here
    "#]],
    );
}
