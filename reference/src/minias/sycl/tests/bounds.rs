//! Small programs that grow while they are elaborated are refused at a bound, soon.

use super::super::options::Answers;
use super::super::table::{Verdict, said};
use super::super::{Sycl, accepts, parse};
use crate::kit::derivation::Recorder;
use crate::kit::language::Language;
use crate::kit::text::{Limit, Rejected};
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

/// What calls itself is refused with a message that has a place, or its type is known from its first `return` on.
#[test]
fn what_calls_itself_while_its_type_is_sought() {
    let said = |before: &str, body: &str| {
        let source = format!("{before}\nkernel void k(global_ptr<int> g) {{ {body} }}");
        let program = parse::program(&source).expect("it is read");
        let start = Instant::now();
        let checked = Sycl::check(&program, &mut Recorder::counting());
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
        let at = |no: &Rejected| source[no.span.start as usize..no.span.end as usize].to_owned();
        checked.map_err(|no| format!("{}: {}", at(&no), no.message))
    };
    let cycle = |at: &str| {
        let told = "the type of the result is not known where the function calls itself";
        Err(format!("{at}: {told}"))
    };
    let call = "*g = f(1);";
    assert_eq!(said("auto f(int n) { return f(n); }", call), cycle("f(n)"));
    assert_eq!(
        said("auto f(int n) { return h(n); } auto h(int n) { return f(n); }", call),
        cycle("f(n)")
    );
    assert_eq!(said("auto f(int n) { if (n) { return 1; } return f(n); }", call), Ok(()));
    let own =
        |body: &str| said("", &format!("auto f = [=](auto s, auto x) {{ {body} }}; f(f, 1);"));
    assert_eq!(own("return s(s, x);"), cycle("s(s, x)"));
    assert_eq!(own("if (x) { return 1; } return s(s, x);"), Ok(()));
    assert_eq!(
        own("return s(s, &x);"),
        Err("s: more than 64 instances within one another".to_owned())
    );
    let named = "f: `f` is not called";
    for captures in ["=", "&"] {
        let body = format!("auto f = [{captures}](int n) {{ return f(n); }}; *g = f(1);");
        assert_eq!(said("", &body), Err(named.to_owned()));
    }
    let missing = "f: there is no variable `f` to capture";
    assert_eq!(said("", "auto f = [f](int n) { return f(n); };"), Err(missing.to_owned()));
}

/// The body of a lambda that nothing calls is within the function that evaluates it.
#[test]
fn bodies_that_nothing_calls() {
    let source = "template<typename T> int f(T a) { auto l = [=]() { return f(&a); }; return 0; }
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
    // The bodies of functions whose results are not said are elaborated within one another.
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(chains);
    thread.expect("a thread starts").join().expect("the chains are as they should be");
}

fn chains() {
    let chain = |generic: &str, length: usize| {
        let calls: String = (1..length)
            .rev()
            .map(|n| format!("{generic} int f{n}(int a) {{ return f{}(a); }}\n", n - 1))
            .collect();
        let last = length - 1;
        format!(
            "{generic} int f0(int a) {{ return a; }}\n{calls}kernel void k(global_ptr<int> g) {{ *g = f{last}(1); }}"
        )
    };
    for plain in ["", "auto"] {
        let text = chain(plain, 100).replace("auto int", "auto");
        let program = parse::program(&text).expect("it is read");
        assert_eq!(Sycl::check(&program, &mut Recorder::counting()), Ok(()), "{plain}");
        let deduced = Answers { decltype_deduced: true, ..Answers::default() };
        assert_eq!(accepts(&program, deduced), Ok(()), "{plain}");
    }
    let program = parse::program(&chain("auto", 3000).replace("auto int", "auto"));
    let program = program.expect("it is read");
    let no = Sycl::check(&program, &mut Recorder::counting()).expect_err("it is refused");
    assert_eq!(no.message, "more than 4096 expressions and statements within one another");
    assert_eq!(no.limit, Some(Limit::Nesting));
    let generic = chain("template<typename T>", 100).replace("(int a)", "(T a)");
    beyond(&generic, ["more than 64 instances within one another", "f35", ""]);
}

/// A bound is no verdict: no option is told to accept what goes beyond it, and the table has no answer.
#[test]
fn bounds_are_no_verdicts() {
    let structs: String = (1..11)
        .map(|level| format!("struct S{level} {{ S{0} a; S{0} b; }};\n", level - 1))
        .collect();
    let first = "struct S0 { int a; int b; };\n";
    let refused = format!("{first}{structs}kernel void k() {{ S10 s; }}");
    let said = said(&refused).expect("it is read");
    assert_eq!(said.verdicts, [(String::new(), Verdict::Unknown)]);
    assert_eq!((&said.rejected_if[..], &said.unknown_if[..]), (&[][..], &[String::new()][..]));
}
