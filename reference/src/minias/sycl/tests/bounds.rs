//! Small programs that grow while they are elaborated are refused at a bound, soon.

use super::super::{Sycl, parse};
use crate::kit::derivation::Recorder;
use crate::kit::language::Language;
use crate::kit::text::Limit;
use std::time::{Duration, Instant};

/// The message, the text at its place, and the advice.
#[track_caller]
fn beyond(source: &str, wanted: [&str; 3]) {
    let program = parse::program(source).expect("it is read");
    let start = Instant::now();
    let no = Sycl::check(&program, &mut Recorder::counting()).expect_err("it is refused");
    // Without a bound it takes for ever; a build without optimisation on a machine at work takes less than this.
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(no.limit, Some(Limit::Types), "{no:?}");
    let at = &source[no.span.start as usize..no.span.end as usize];
    assert_eq!([&no.message, at, no.help.as_deref().unwrap_or_default()], wanted);
}

#[test]
fn structs_of_structs() {
    let structs: String = (1..30)
        .map(|level| format!("struct S{level} {{ S{0} a; S{0} b; }};\n", level - 1))
        .collect();
    let source = format!(
        "struct S0 {{ int a; int b; }};\n{structs}kernel void k(global_ptr<int> g) {{ S29 s; }}"
    );
    let wanted = [
        "`S10` consists of 2048 ints and pointers",
        "b",
        "a struct or a lambda consists of at most 1024",
    ];
    beyond(&source, wanted);
    // Those that fit are elaborated.
    let fits = source.replace("S29 s;", "S9 s; s.a.a.a.a.a.a.a.a.a.a = 1;");
    let program = parse::program(&fits).expect("it is read");
    assert_eq!(Sycl::check(&program, &mut Recorder::counting()), Ok(()));
}

#[test]
fn templates_that_call_themselves() {
    let kernel = "kernel void k(global_ptr<int> g) { int a; f(a); }";
    let wanted = ["more than 64 instances within one another", "f", ""];
    for body in ["return f(&a);", "return f(a) + f(&a);", "P<T> p; return f(p);"] {
        let source = format!(
            "template<typename T> struct P {{ T v; }};\ntemplate<typename T> int f(T a) {{ {body} }}\n{kernel}"
        );
        beyond(&source, wanted);
    }
}

#[test]
fn types_of_parameters_that_call_the_function() {
    let source = "int f(decltype(f(1)) a) { return a; }
kernel void k(global_ptr<int> g) { f(1); }";
    beyond(source, ["more than 64 instances within one another", "f", ""]);
}

#[test]
fn stars_behind_the_stars_of_another_type() {
    let source = "template<typename T> int f(T a) { T******** p; return f(p); }
kernel void k(global_ptr<int> g) { int a; f(a); }";
    beyond(source, ["a type of 257 stars", "T********", "a type has at most 256 stars"]);
}

/// A chain of functions that the text has is as long as it likes; one of templates is not.
#[test]
fn chains_of_functions() {
    let chain = |generic: &str| {
        let calls: String = (1..100)
            .rev()
            .map(|n| format!("{generic} int f{n}(int a) {{ return f{}(a); }}\n", n - 1))
            .collect();
        let first = format!("{generic} int f0(int a) {{ return a; }}\n");
        first + &calls + "kernel void k(global_ptr<int> g) { *g = f99(1); }"
    };
    let program = parse::program(&chain("")).expect("it is read");
    assert_eq!(Sycl::check(&program, &mut Recorder::counting()), Ok(()));
    let generic = chain("template<typename T>").replace("(int a)", "(T a)");
    beyond(&generic, ["more than 64 instances within one another", "f35", ""]);
}
