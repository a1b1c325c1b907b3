//! Tests of MiniSYCL's syntax.

mod bounds;
mod verdicts;

use super::syntax::{Item, Program};
use super::{Sycl, parse, print};
use crate::kit::derivation::Recorder;
use crate::kit::dice::Dice;
use crate::kit::language::Language;
use crate::kit::outcome::Value;
use crate::kit::same::same;
use crate::kit::text::{MAX_NESTING, Second};
use expect_test::{Expect, expect};

fn read(source: &str) -> Program {
    parse::program(source).unwrap_or_else(|no| panic!("{no:?}\n{source}"))
}

/// What is printed is read as the same program, and printed alike.
fn round(program: &Program) -> String {
    let text = print::program(program);
    let again = read(&text);
    assert!(same(program, &again), "{text}");
    assert_eq!(print::program(&again), text);
    text
}

/// Everything that the grammar has, and each example of the seed.
const SOURCES: [&str; 6] = [
    "template<typename T> struct Foo { T i; };
template<typename T> void funcCall(T i) { static_assert(std::is_same<T, int*>::value && \"Invalid type T\"); }
template<typename T> void deref(T* i) { T t = *i; }
kernel void k(cl::sycl::global_ptr<int> g, sycl::local_ptr<int> l, constant_ptr<int> c) {
    int *i = g; auto f = [i]() {}; f(); decltype(i) j = l; auto F = [=](decltype(i)) {}; F(l);
    Foo<decltype(i)> A = {i}; Foo<decltype(i)> foo{i}; funcCall(i); deref<int>(i); *foo.i = 1; }",
    "kernel void k(global_ptr<int> g) { const int n = 3; int a[2] = {1, 2}; bool b = n < 4 && !a[1]; int &r = *g; r = -n - -2;
    auto h = [&](int x, auto) { r = x; return x << 1 >> 2; }; if (b) r = h(1, g); else if (int *q = g) { *q = 2; } else ;
    if ((int *q = g) != nullptr) { } for (int i = 0; i < n; i = i + 1) { while (i) { } } for (; 1; ) return; barrier(local); }",
    "typename int *id(multi_ptr<int, generic_space> p, private_ptr<const int> q) {
    auto a = address_space_cast<private_space>(p); auto b = dynamic_addrspace_cast<local_space>(p);
    int *c = dynamic_cast<int *>(p); return (int *) (c + 1) == NULL ? &*a : &b[2]; }",
    "template<typename A, typename B> struct Two { A one; B *two; };
int f(Two<int, Two<int, int>> t, Two<int *, bool> u) { return t.two[0].one >> (u.one > &t.one); }",
    "/* a comment * of ** C */ int f() { static_assert(std::is_same<int, const int &>::value, \"no\"); return get_global_id(0); }",
    "int f(int a) { return ((a - 1) - (2 - a)) * ~(a + 1) & a | -(-1) - - -a; } // done",
];

#[test]
fn every_construct_is_printed_as_it_is_read() {
    SOURCES.iter().for_each(|source| drop(round(&read(source))));
    expect![[r#"
        kernel void k(global_ptr<int> g) {
            const int n = 3;
            int a[2] = {1, 2};
            bool b = n < 4 && !a[1];
            int &r = *g;
            r = -n - -2;
            auto h = [&](int x, auto) {
                r = x;
                return x << 1 >> 2;
            };
            if (b) r = h(1, g); else if (int *q = g) {
                *q = 2;
            } else ;
            if (int *q = g) {}
            for (int i = 0; i < n; i = i + 1) {
                while (i) {}
            }
            for (; 1; ) return;
            barrier(local);
        }
    "#]]
    .assert_eq(&round(&read(SOURCES[1])));
}

#[test]
fn names_decide_how_a_text_is_read() {
    // Without a template of this name, `<` compares.
    let text = round(&read("int f(int g, int a, int b) { return g < a > (b); }"));
    assert!(text.contains("return g < a > b;"), "{text}");
    let source =
        "template<typename T> int g(int b) { return b; } int f(int b) { return g<int>(b); }";
    assert!(round(&read(source)).contains("return g<int>(b);"));
    // Lists of types close one by one, and `>>` is a shift only where its halves touch.
    let refused = parse::program("int f(int a) { return a > > 1; }").expect_err("it is no shift");
    assert_eq!(refused.message, "`>` is not expected here");
}

#[test]
fn places_point_into_the_text() {
    let source = "struct S { int i; };\nint f(sycl::global_ptr<int> p) { return p[1]; }";
    let program = read(source);
    let Item::Function(function) = &program.items[1] else { panic!("{program:?}") };
    let text = |span: crate::kit::text::Span| &source[span.start as usize..span.end as usize];
    assert_eq!(text(function.span), "int f(sycl::global_ptr<int> p)");
    assert_eq!(text(function.params[0].ty.span), "global_ptr<int>");
    assert_eq!(text(function.body[0].span), "return p[1];");
}

fn refused(source: &str, expected: Expect) {
    let no = parse::program(source).expect_err(source);
    let at = source.get(no.span.start as usize..no.span.end as usize).unwrap_or_default();
    let help = no.help.map_or(String::new(), |help| format!("; {help}"));
    expected.assert_eq(&format!("`{at}`: {}: {}{help}", no.message, no.label));
}

#[test]
fn refusals_of_types_are_in_words_of_cpp() {
    let refused = |body: &str, wanted: &str| {
        let text = format!(
            "kernel void k(global_ptr<int> g, local_ptr<int> l, constant_ptr<int> c) {{ {body} }}"
        );
        let no = Sycl::check(&read(&text), &mut Recorder::counting()).expect_err(&text);
        let labels = Second::all(no.second.as_deref()).map(|second| &*second.label);
        let labels: Vec<&str> = std::iter::once(&*no.label).chain(labels).collect();
        assert_eq!(format!("{} [{}]", no.message, labels.join("; ")), wanted);
    };
    refused(
        "int *t = g; t = l;",
        "`t` gets local here and global there; `space=inferred` allows one [local; global]",
    );
    refused(
        "int *t = g; t = c;",
        "`t` gets constant here and global there [it gets constant; it gets global]",
    );
    refused(
        "int *t = c; t = g;",
        "`global int *` does not go where `constant int *` is wanted: it does not point to global \
         [`global int *`; `constant int *`; constant comes in here]",
    );
    refused(
        "int *t = g; local_ptr<int> p = t;",
        "`global int *` does not go where `local int *` is wanted: it does not point to global \
         [`global int *`; `local int *`; global comes in here]",
    );
}

#[test]
fn an_array_of_bools_has_zeros_and_ones() {
    let program = read("kernel void k(global_ptr<bool> g, global_ptr<int> h) { }");
    let input = |bools: Vec<i32>| vec![Value::ints(vec![2], bools), Value::ints(vec![1], vec![5])];
    assert_eq!(Sycl::fit(&program, input(vec![0, 1])), Ok(input(vec![0, 1])));
    let no = Sycl::fit(&program, input(vec![1, 5])).expect_err("5 is no bool");
    assert_eq!(no.message, "an array of bools has the element 5");
}

/// The place of the assignment or the conversion, and that which says the type.
#[test]
fn refusals_of_const_show_both_places() {
    let refused = |source: &str, wanted: [&str; 3]| {
        let no = Sycl::check(&read(source), &mut Recorder::counting()).expect_err(source);
        let at = |span: crate::kit::text::Span| &source[span.start as usize..span.end as usize];
        let second = no.second.as_deref().map_or("", |second| at(second.span));
        assert_eq!([&*no.message, at(no.span), second], wanted);
        assert_eq!(no.help.is_some(), source.contains("[="), "{:?}", no.help);
    };
    let kernel = |before: &str, body: &str| {
        format!("{before} kernel void k(global_ptr<int> g) {{ {body} }}")
    };
    let pair = "struct C { int a; const int b; };";
    refused(&kernel(pair, "const C c = {1, 2}; c.a = 3;"), ["`c.a` is const", "c.a", "c"]);
    refused(&kernel(pair, "C d = {1, 2}; d.b = 3;"), ["`d.b` is const", "d.b", "b"]);
    refused(
        &kernel(pair, "C d = {1, 2}; C e = d; d = e;"),
        ["`d` is not assigned to: its field `b` is const", "d", "b"],
    );
    refused(
        &kernel(pair, "const C c = {1, 2}; int *p = &c.a;"),
        ["what is const does not become what is not", "&c.a", "c"],
    );
    refused(&kernel("", "const int *p = nullptr; p[1] = 2;"), ["`p[1]` is const", "p[1]", "p"]);
    refused(
        &kernel("", "int x = 1; auto f = [=]() { x = 2; }; f();"),
        ["`x` is const", "x", "[=]() { x = 2; }"],
    );
}

#[test]
fn what_is_no_program_is_refused() {
    refused(
        "",
        expect![
            "``: the source is empty: expected a function or a kernel; for example `kernel void k(global_ptr<int> g) { int *p = g; *p = 1; }`"
        ],
    );
    refused(
        "int f();",
        expect![
            "`;`: `;` is not expected here: expected `{` and the body of the function; MiniSYCL has no prototypes: any order will do"
        ],
    );
    refused(
        "int f(int) { do { } while (1); }",
        expect![
            "`do`: MiniSYCL has no `do`: not a statement; loops are `while (e) s` and `for (s; e; s) s`"
        ],
    );
    refused("int f() { Bar x; }", expect!["`x`: the name `x` is not expected here: expected `;`"]);
    refused(
        "int f(Bar x) { }",
        expect!["`Bar`: the name `Bar` is not expected here: expected the type of a parameter"],
    );
    refused(
        "template<typename T> kernel void k() { }",
        expect!["`kernel`: a kernel is no template: of a template; call a template from a kernel"],
    );
    refused(
        "template<> int f() { }",
        expect!["`>`: `>` is not expected here: expected `typename` and a name"],
    );
    refused("kernel int k() { }", expect!["`int`: a kernel has no result: expected `void`"]);
    refused(
        "int f(generic_ptr<int> p) { }",
        expect![
            "`generic_ptr`: the name `generic_ptr` is not expected here: expected a type; it is `multi_ptr<int, generic_space>`"
        ],
    );
    refused(
        "int f(multi_ptr<int, global> p) { }",
        expect![
            "`global`: the name `global` is not expected here: expected a space, for example `global_space`"
        ],
    );
    for source in [
        "int f(foo_ptr<int> p) { }",
        "int f() { foo_ptr<int> p = 0; }",
        "int f(int *p) { p = address_space_cast<foo_space>(p); }",
    ] {
        let no = parse::program(source).expect_err(source);
        assert_eq!(no.message, "there is no space `foo`", "{source}");
    }
    refused(
        "int f(int &*p) { }",
        expect!["`*`: there is nothing behind a reference: a pointer or reference to one"],
    );
    refused(
        "int f(int p) { auto g = [&p]() {}; }",
        expect![
            "`p`: the name `p` is not expected here: expected `]`; `[&]` captures all by reference, `[x]` copies one"
        ],
    );
    refused(
        "int f(int p) { p += 1; }",
        expect!["`=`: `=` is not expected here: expected an expression"],
    );
    refused(
        "int f(int p) { static_assert(1); }",
        expect!["`1`: a number is not expected here: expected `std::is_same<type, type>::value`"],
    );
    refused(
        "int f(int p) { static_assert(std::is_same<int, int>::value, no); }",
        expect!["`no`: the name `no` is not expected here: expected a text in quotes"],
    );
    refused(
        "int f() { return get_global_id(1); }",
        expect![
            "`1`: `get_global_id` takes the dimension 0: not the literal 0; launches have one dimension (reading M1)"
        ],
    );
    refused(
        "int f() { int a[0]; }",
        expect!["`0`: an array without elements: expected at least 1"],
    );
    refused(
        "int f() { int a[2] = {}; }",
        expect!["`}`: an initialiser without values: expected an expression"],
    );
    refused(
        "int f() { if (int *q) { } }",
        expect![
            "`int *q`: a condition that declares says what its variable starts with: no value of a condition; for example `if (int *q = p)`"
        ],
    );
    refused(
        "int f() { \"text",
        expect![[r#"`"`: the character `"` means nothing here: not understood"#]],
    );
    refused("int f() { /* no end", expect!["`/*`: a comment without an end: starts here"]);
    refused(
        "int f() { return 2147483648; }",
        expect![
            "`2147483648`: a number out of range: does not fit; ints go from -2147483648 to 2147483647"
        ],
    );
    refused(
        "int f() { barrier(private); }",
        expect!["`private`: the name `private` is not expected here: expected `local` or `global`"],
    );
}

#[test]
fn what_nests_too_deeply_is_refused() {
    let deep = |open: &str, close: &str, count: usize| {
        let source =
            format!("int f(int a) {{ return {}a{}; }}", open.repeat(count), close.repeat(count));
        parse::program(&source).map(|program| round(&program))
    };
    for (open, close) in
        [("- ", ""), ("(", ")"), ("1 + (", ")"), ("", " + a"), ("f(", ")"), ("", ".x")]
    {
        assert!(deep(open, close, 60).is_ok(), "{open}");
        let no = deep(open, close, 100 * MAX_NESTING).expect_err(open);
        assert!(no.message.contains("256"), "{no:?}");
    }
    // The heights of lambdas and of types in them are those of what is in them.
    let mut source = "a".to_owned();
    for _ in 0..20 {
        source = format!("[=](decltype({source}{}) x) {{ return 1; }}", " + a".repeat(100));
    }
    let no =
        parse::program(&format!("int f(int a) {{ auto g = {source}; }}")).expect_err("too tall");
    assert!(no.message.contains("256 operators"), "{no:?}");
}

/// Words that a change may put in.
const WORDS: [&str; 16] = [
    "int", "auto", "decltype", "<", ">", ">>", "*", "&", "(", "{", "}", "[", "=", "typename",
    "Foo", "const",
];

#[test]
fn changed_programs_are_read_without_a_panic() {
    let mut dice = Dice::new(5);
    let mut accepted = 0;
    for round_number in 0..20_000 {
        let source = SOURCES[round_number % SOURCES.len()];
        let mut words: Vec<&str> = source.split_inclusive(|c: char| !c.is_alphanumeric()).collect();
        for _ in 0..=dice.below(2) {
            let at = dice.below(words.len() as u64) as usize;
            let other = dice.below(words.len() as u64) as usize;
            match dice.below(4) {
                0 => words[at] = "",
                1 => words[at] = WORDS[dice.below(WORDS.len() as u64) as usize],
                2 => words.swap(at, other),
                _ => words.insert(at, words[other]),
            }
        }
        let Ok(program) = parse::program(&words.concat()) else { continue };
        round(&program);
        accepted += 1;
    }
    assert!(accepted > 1_000, "{accepted}");
}
