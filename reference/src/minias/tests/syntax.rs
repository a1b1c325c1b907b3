//! What is read and printed, and what is refused.

use crate::kit::same::same;
use crate::kit::text::MAX_NESTING;
use crate::minias::{parse, print};
use expect_test::{Expect, expect};

/// What is printed of the source is read as the same program.
fn printed(source: &str) -> String {
    let program = parse::program(source).unwrap_or_else(|no| panic!("{no:?}\n{source}"));
    let text = print::program(&program);
    let again = parse::program(&text).unwrap_or_else(|no| panic!("{no:?}\n{text}"));
    assert!(same(&program, &again), "{text}");
    assert_eq!(print::program(&again), text);
    text
}

fn check(source: &str, expected: Expect) {
    expected.assert_eq(&printed(source));
}

/// The refusal: rule and premise, message, what stands at the place, help.
fn refused(source: &str, expected: Expect) {
    let no = parse::program(source).expect_err("it is refused");
    let rule = no.rule.map_or(String::new(), |(rule, premise)| format!("{rule} {premise}: "));
    let at = source.get(no.span.start as usize..no.span.end as usize).unwrap_or("?");
    let help = no.help.as_deref().map_or(String::new(), |help| format!("; {help}"));
    expected.assert_eq(&format!("{rule}{} at `{at}`: {}{help}", no.message, no.label));
}

#[test]
fn every_construct_is_printed_as_it_is_read() {
    check(
        "constant int t[2] = {3, -5}; constant int one = 1;
         int f(int *, ASpace {global, local | r} int * local *q);
         int f(generic int *p, ASpace {local, global | r} int * local *q) { return *p; }
         kernel void k(global int *g, local int *l, int n) {
           int a[4] = {1, 2}; local int v; int *x = NULL; int **y = &x;
           if ((global int *z = dynamic_cast<global int *>(x)) != NULL) x = z; else { x = l; }
           for (int i = 0; i < n; i = i + 1) a[i] = f(g + i, NULL);
           for (; 1; ) ; while (n) { barrier(local); barrier(global); return; }
           g[get_global_id(0)] = n ? *(int *) x : n ? -(3) : - -n; // a comment
           *y = &a[2]; a[0] = !n && ~n || n & &x == y; f(&*x, NULL);
         }",
        expect![[r#"
            constant int t[2] = {3, -5};
            constant int one = 1;
            int f(int *, ASpace {global, local | r} int * local *q);
            int f(generic int *p, ASpace {global, local | r_1} int * local *q_1) {
                return *p;
            }
            kernel void k(global int *g, local int *l, int n) {
                int a[4] = {1, 2};
                local int v;
                int *x = NULL;
                int **y = &x;
                if (global int *z = dynamic_cast<global int *>(x))
                    x = z;
                else
                {
                    x = l;
                }
                for (int i = 0; i < n; i = i + 1)
                    a[i] = f(g + i, NULL);
                for (; 1; )
                    ;
                while (n)
                {
                    barrier(local);
                    barrier(global);
                    return;
                }
                g[get_global_id(0)] = n ? *(int *) x : n ? -(3) : - -n;
                *y = &a[2];
                a[0] = !n && ~n || n & &x == y;
                f(&*x, NULL);
            }
        "#]],
    );
}

#[test]
fn operators_bind_as_in_c() {
    let body = |exp: &str| {
        let text = printed(&format!("int f(int a, int b, int *p) {{ return {exp}; }}"));
        let line = text.lines().nth(1).expect("it has a body").trim();
        line.trim_start_matches("return ").trim_end_matches(';').to_owned()
    };
    for same in [
        "a || b && a",
        "(a || b) && a",
        "a | b ^ a & b",
        "a == b < a",
        "(a == b) < a",
        "a << b + a * b",
        "(a << b) + a",
        "a - (b - a)",
        "a - b - a",
        "a * -b",
        "a - -5",
        "- - -a",
        "-(2147483647)",
        "-2147483648",
        "-p[1]",
        "- -1",
        "(a ? b : a) ? a : b",
        "a ? b : a ? b : a",
        "(a ? b : a) + 1",
        "(*p)[a]",
        "*p[a]",
        "(p + a)[b]",
        "& &p == NULL",
        "(int *) p + 1",
        "(int *) (p + 1)",
        "*(private int *) p",
        "a + 5[p]",
        "1[p]",
    ] {
        assert_eq!(body(same), same);
    }
    assert_eq!(body("a/ *p"), "a / *p");
    assert_eq!(body("(((a)))"), "a");
    assert_eq!(body("*(p + a)"), "p[a]");
    assert_eq!(body("a < b < a"), "a < b < a");
}

#[test]
fn names_that_hide_others_are_told_apart() {
    check(
        "int x() { return 1; } int f(int x) { { int x = x + 1; return x; } }
         int g(ASpace r int *p, ASpace r int *q) { int r = 0; return r; }",
        expect![[r#"
            int x() {
                return 1;
            }
            int f(int x_1) {
                {
                    int x_2 = x_1 + 1;
                    return x_2;
                }
            }
            int g(ASpace r int *p, ASpace r int *q) {
                int r_1 = 0;
                return r_1;
            }
        "#]],
    );
}

#[test]
fn the_order_of_stars_is_that_of_c() {
    refused(
        "kernel void k(global * int g) { }",
        expect![
            "a star stands before `int` at `*`: not here; as in C, it is `global int *` (reading M1)"
        ],
    );
    refused(
        "void f(void *p) { }",
        expect![
            "there is no `void *`: pointees are int or pointers at `*`: a pointer to nothing; write `int *` (reading M2)"
        ],
    );
    refused(
        "void f() { bool b = 1; }",
        expect![
            "`bool` is no type of MiniAS at `bool`: expected `int`; conditions are int or pointers (reading M1)"
        ],
    );
    refused(
        "void f() { void x; }",
        expect![
            "`void` is the type of a result only at `void`: of a variable; a variable is an int or a pointer"
        ],
    );
    refused(
        "void f(ASpace {global local} int *p) { }",
        expect![
            "the keyword `local` is not expected here at `local`: expected a space, `|` or `}`"
        ],
    );
    refused(
        "void f(ASpace {global, x} int *p) { }",
        expect![
            "the name `x` is not expected here at `x`: expected `global`, `local`, `private` or `constant`"
        ],
    );
    refused(
        "int * local f() { return NULL; }",
        expect![
            "a result lies in no space at `local`: before the name of a function; a space before a star says where that star points"
        ],
    );
}

#[test]
fn what_is_no_program_is_refused() {
    refused(
        "",
        expect![
            "the source is empty at ``: expected a function or a kernel; for example `kernel void k(global int *g) { g[get_global_id(0)] = 1; }`"
        ],
    );
    refused("void f() {", expect!["the source ends too early at `{`: expected a statement or `}`"]);
    refused(
        "void f() { int a[0]; }",
        expect!["an array without elements at `0`: expected at least 1"],
    );
    refused(
        "void f() { x = 3000000000; }",
        expect![
            "a number out of range at `3000000000`: does not fit; ints go from -2147483648 to 2147483647"
        ],
    );
    refused(
        "int f() { return 3000000000; }",
        expect![
            "a number out of range at `3000000000`: does not fit; ints go from -2147483648 to 2147483647"
        ],
    );
    refused(
        "int f() { return 2147483648; }",
        expect![
            "a number out of range at `2147483648`: does not fit; ints go from -2147483648 to 2147483647"
        ],
    );
    refused(
        "int f() { return 3x; }",
        expect![
            "a number runs into a name at `3x`: neither a number nor a name; a name starts with a letter; put a space behind a number"
        ],
    );
    refused(
        "int f() { return get_global_id(1); }",
        expect![
            "`get_global_id` takes the dimension 0 at `1`: not the literal 0; launches have one dimension (reading M1)"
        ],
    );
    refused(
        "void f(int *) { }",
        expect![
            "a parameter without a name at `int *`: of a function with a body; only prototypes leave names out"
        ],
    );
    refused(
        "void f(int a[3]) { }",
        expect![
            "a parameter is no array at `[`: not here; pass a pointer to its first element: `int *p`"
        ],
    );
    refused("kernel int k() { }", expect!["a kernel has no result at `int`: expected `void`"]);
    refused(
        "kernel void k();",
        expect!["`;` is not expected here at `;`: expected `{` and the body of the kernel"],
    );
    refused(
        "void f() { if (int *p) { } }",
        expect![
            "a condition that declares says what its variable starts with at `int *p`: no value of a condition; for example `if (local int *q = dynamic_cast<local int *>(p))`"
        ],
    );
    refused(
        "void f() { do { } while (1); }",
        expect![
            "MiniAS has no `do` at `do`: not a statement; loops are `while (e) s` and `for (s; e; s) s`"
        ],
    );
    refused(
        "/* */ void f() { }",
        expect![
            "MiniAS has no comments in brackets at `/*`: starts here; a comment goes from `//` or `--` to the end of its line"
        ],
    );
    refused(
        "void get_local_id() { }",
        expect!["`get_local_id` is built in at `get_local_id`: declared here; call it otherwise"],
    );
    refused(
        "void f() { 1 ? 2; }",
        expect!["`;` is not expected here at `;`: expected `:` and what holds otherwise"],
    );
    refused(
        "void f() { for (int i; i < 2; int j = 1) ; }",
        expect!["the keyword `int` is not expected here at `int`: expected an assignment"],
    );
    refused(
        "void f() { barrier(private); }",
        expect![
            "the keyword `private` is not expected here at `private`: expected `local` or `global`"
        ],
    );
    refused(
        "void f() { int x = {}; }",
        expect!["an initialiser without values at `}`: expected an expression"],
    );
    refused("§", expect!["the character `§` means nothing here at `§`: not understood"]);
}

#[test]
fn names_are_bound_once_and_known() {
    refused(
        "int f(int *pointer) { return *pointr; }",
        expect![
            "T-VAR scope: `pointr` is not in scope at `pointr`: not declared here; there is `pointer`"
        ],
    );
    refused(
        "int f() { return g(1); }",
        expect!["T-APP function: `g` is not in scope at `g`: not declared here"],
    );
    refused(
        "int f() { { int x; } return x; }",
        expect!["T-VAR scope: `x` is not in scope at `x`: not declared here"],
    );
    refused(
        "int f() { int x = x; return x; }",
        expect!["T-VAR scope: `x` is not in scope at `x`: not declared here"],
    );
    refused(
        "void f() { int x; int x; }",
        expect!["T-DECL once: `x` is declared twice in one block at `x`: the second time"],
    );
    refused(
        "void f(int x) { int x; }",
        expect!["T-DECL once: `x` is declared twice in one block at `x`: the second time"],
    );
    refused(
        "void f(int x, int x) { }",
        expect!["T-FUNCTION once: `x` is declared twice in one block at `x`: the second time"],
    );
    refused(
        "void f() { } void f() { }",
        expect![
            "T-PROGRAM once: `f` is declared twice at `f`: the second time; a name has at most one prototype and one definition"
        ],
    );
    refused(
        "constant int f = 1; void f() { }",
        expect![
            "T-PROGRAM once: `f` is declared twice at `f`: the second time; a name has at most one prototype and one definition"
        ],
    );
}

#[test]
fn constants_are_literals_and_nothing_else_stands_outside() {
    refused(
        "global int a = 0;",
        expect![
            "T-CONST constant: `a` is not a constant int at `global int`: outside of functions there are constants only; for example `constant int t[2] = {3, 5};`"
        ],
    );
    refused(
        "constant int a;",
        expect![
            "T-CONST constant: the constant `a` has no value at `a`: declared here; for example `constant int t[2] = {3, 5};`"
        ],
    );
    refused(
        "constant int a = 1; constant int b = a;",
        expect![
            "T-CONST constant: the constant `b` starts with what is not a literal at `a`: not a number; for example `constant int t[2] = {3, 5};`"
        ],
    );
    refused(
        "constant int a[1] = {1, 2};",
        expect![
            "T-CONST constant: the values of `a` are not those that it has room for at `2`: one value for an int, at most as many as elements for an array; for example `constant int t[2] = {3, 5};`"
        ],
    );
}

/// What nests up to the limit is read and printed, and one level more is refused.
#[test]
fn what_nests_too_deeply_is_refused() {
    type Make = fn(usize) -> String;
    let cases: [(&str, Make); 7] = [
        ("brackets", |n| format!("int f(int x) {{ return {}x{}; }}", "(".repeat(n), ")".repeat(n))),
        ("minus", |n| format!("int f(int x) {{ return {}x; }}", "- ".repeat(n))),
        ("sums", |n| format!("int f(int x) {{ return x{}; }}", " + x".repeat(n))),
        ("blocks", |n| format!("void f() {{ {}{} }}", "{".repeat(n), "}".repeat(n))),
        ("else", |n| format!("void f(int x) {{ {} ; }}", "if (x) ; else ".repeat(n))),
        ("stars", |n| format!("void f(int {} x) {{ }}", "*".repeat(n))),
        ("conditionals", |n| format!("int f(int x) {{ return {}x; }}", "x ? x : ".repeat(n))),
    ];
    for (what, make) in cases {
        printed(&make(MAX_NESTING - 5));
        for n in [MAX_NESTING + 1, 5_000] {
            let no = parse::program(&make(n)).expect_err(what);
            assert!(no.limit.is_some(), "{what}: {no:?}");
        }
    }
}
