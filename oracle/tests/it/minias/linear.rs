//! The types of a program, and reading the SPIR-V that comes of a long one, take time that is near linear in its length.

use cpu_time::ThreadTime;
use reference::kit::derivation::Recorder;
use reference::minias::types::Mode;
use reference::minias::{infer, parse};
use reference::spirv;
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

/// The least time of the processor that something takes.
fn least(run: impl Fn()) -> Duration {
    let turn = || {
        let clock = ThreadTime::now();
        run();
        clock.elapsed()
    };
    (0..5).map(|_| turn()).min().unwrap_or_default()
}

/// The least time that types take.
fn time(text: &str) -> Duration {
    let program = parse::program(text).expect("it is read");
    least(|| {
        let typed = infer::infer(&program, Mode::Infer, &mut Recorder::counting());
        assert!(typed.is_ok(), "{typed:?}");
    })
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

/// Code without loops that chooses by one tag again and again, as an access to several spaces does: a selector that stands
/// far before, and blocks each of which dominates all that follow.
fn switches(count: usize) -> String {
    let mut text = String::from(
        "OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"main\"
        OpExecutionMode %main LocalSize 1 1 1
        %void = OpTypeVoid
        %u = OpTypeInt 32 0
        %one = OpConstant %u 1
        %fn = OpTypeFunction %void
        %main = OpFunction %void None %fn
        %entry = OpLabel
        OpBranch %first
        %first = OpLabel
        %tag = OpIAdd %u %one %one
        OpBranch %b0
        %b0 = OpLabel\n",
    );
    for at in 0..count {
        let next = at + 1;
        writeln!(
            text,
            "OpSelectionMerge %b{next} None\nOpSwitch %tag %b{next} 1 %c{at}\n%c{at} = OpLabel
            %x{at} = OpIAdd %u %tag %one\nOpBranch %b{next}\n%b{next} = OpLabel"
        )
        .expect("a string");
    }
    text + "OpReturn\nOpFunctionEnd"
}

#[test]
fn reading_spirv_is_near_linear() {
    let [few, many] = [500, 4_000].map(|count| {
        let words = spirv::assemble::assemble(&switches(count)).expect("it is SPIR-V");
        least(|| {
            drop(
                spirv::parse::load(&words, "main", &mut Recorder::counting())
                    .expect("it is a module"),
            )
        })
    });
    assert!(many < 24 * few, "{few:?} and {many:?}");
}
