//! The types of a program take time that is near linear in its length.

use cpu_time::ThreadTime;
use reference::kit::derivation::Recorder;
use reference::minias::types::Mode;
use reference::minias::{infer, parse};
use std::fmt::Write;
use std::time::Duration;

/// Functions that each call the one before.
fn calls(count: usize) -> String {
    let mut text = String::from("int f0(int *p) { return *p; }\n");
    for at in 1..count {
        let callee = at - 1;
        writeln!(text, "int f{at}(int *p) {{ int *q = p; q = p + 1; return f{callee}(q); }}")
            .expect("a string");
    }
    text + "kernel void k(global int *g) { }"
}

/// Variables that each start with the one before, and get another space.
fn copies(count: usize) -> String {
    let mut text = String::from("kernel void k(global int *g, local int *l) { int *p0 = g;\n");
    for at in 1..count {
        let of = at - 1;
        writeln!(text, "int *p{at} = p{of}; p{at} = l;").expect("a string");
    }
    text + "}"
}

/// A variable that all pointers flow to.
fn flows(count: usize) -> String {
    let mut text = String::from("kernel void k(global int *g, local int *l) { int *all;\n");
    for at in 0..count {
        writeln!(text, "int *p{at} = g + {at}; if (*l) {{ p{at} = l; }} all = p{at};")
            .expect("a string");
    }
    text + "}"
}

/// A function for all rows, called with every space.
fn instances(count: usize) -> String {
    let mut text = String::from(
        "int *id(int *p) { *p = 1; return p; } kernel void k(global int *g, local int *l) { int x;\n",
    );
    for at in 0..count {
        let of = ["g", "l", "&x"][at % 3];
        writeln!(text, "int *p{at} = id({of});").expect("a string");
    }
    text + "}"
}

/// Functions that all call each other in a circle: one component.
fn circle(count: usize) -> String {
    let mut text = String::new();
    for at in 0..count {
        let callee = (at + 1) % count;
        writeln!(text, "int f{at}(int *p) {{ if (*p) {{ return f{callee}(p + 1); }} return 0; }}")
            .expect("a string");
    }
    text + "kernel void k(global int *g) { *g = f0(g); }"
}

/// The least time of the processor that types take.
fn time(text: &str) -> Duration {
    let program = parse::program(text).expect("it is read");
    let turn = || {
        let clock = ThreadTime::now();
        let typed = infer::infer(&program, Mode::Infer, &mut Recorder::counting());
        assert!(typed.is_ok(), "{typed:?}");
        clock.elapsed()
    };
    (0..5).map(|_| turn()).min().unwrap_or_default()
}

/// A shape of programs, by their size.
type Shape = fn(usize) -> String;

/// Eight times the program takes less than 24 times as long, where quadratic time would be 64 times.
#[test]
fn inference_is_near_linear() {
    let shapes: [(&str, Shape); 5] = [
        ("calls", calls),
        ("copies", copies),
        ("flows", flows),
        ("instances", instances),
        ("circle", circle),
    ];
    for (name, shape) in shapes {
        let [few, many] = [200, 1_600].map(|count| time(&shape(count)));
        assert!(many < 24 * few, "{name}: {few:?} and {many:?}");
    }
}
