//! λG, lowered: it ends as the semantics says, at every stage down to the shaders.

use crate::common::{checked, on_each_adapter};
use compiler::emit::spirv;
use compiler::lower::lambda_g::{DEPTH, Limits, lower};
use compiler::pipeline::{self, Stages};
use compiler::route::{Artifact, Plan};
use reference::device::eval::{self as device, Order};
use reference::device::syntax::Program as Device;
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::header;
use reference::kit::language::Language;
use reference::kit::outcome::{Budget, Ending, Outcome, Stuck, Value, Why};
use reference::kit::value::parse_values;
use reference::lambda_g::LambdaG;
use reference::lambda_g::eval::{Setting, run};
use reference::lambda_g::syntax::Program;
use std::path::Path;

/// The end of a run, without what stuck runs need not agree in (L64).
fn end(ending: &Ending) -> String {
    match ending {
        Ending::Stuck(Stuck { site, .. }) if site.cause.is_met_by_anyone() => {
            format!("stuck: {}", site.cause.name())
        }
        Ending::Stuck(Stuck { site, thread, operands, .. }) => {
            format!("stuck: {} of {operands:?} at {:?} in {thread:?}", site.cause.name(), site.span)
        }
        Ending::Value(values) => format!("{values:?}"),
        other => format!("{other:?}"),
    }
}

fn parsed(source: &str) -> Program {
    let program = LambdaG::parse(source).unwrap_or_else(|no| panic!("{source}\n{no:?}"));
    LambdaG::check(&program, &mut Recorder::counting())
        .unwrap_or_else(|no| panic!("{source}\n{no:?}"));
    program
}

/// What differs from the semantics, for each input: lowered, in several orders, and after each pass.
fn differences(source: &str, inputs: &[Vec<Value>], limits: Limits) -> Vec<String> {
    let program = parsed(source);
    let lowered =
        lower(&program, limits, Planted::NONE).unwrap_or_else(|no| panic!("{source}\n{no:?}"));
    let stages = compiled(&lowered, source);
    let mut wrong = Vec::new();
    for input in inputs {
        let input = LambdaG::fit(&program, input.clone()).expect("the test's input fits");
        let (budget, setting) = (Budget::default(), Setting::default());
        let wanted = run(&program, &input, &setting, &budget, &mut Recorder::counting());
        let wanted = end(&wanted.ending);
        ends(&lowered, &stages, &input, |what, outcome| {
            let found = end(&outcome.ending);
            if found != wanted || !outcome.races.is_empty() {
                let races = &outcome.races;
                wrong.push(format!("with {input:?}, {what}: {found} {races:?}, and not {wanted}"));
            }
        });
    }
    wrong
}

/// The program ends as the semantics says, for each input.
fn agrees(source: &str, inputs: &[&str]) {
    let inputs = inputs.iter().map(|input| parse_values(input).expect("the test's input parses"));
    let wrong = differences(source, &inputs.collect::<Vec<_>>(), Limits::default());
    assert!(wrong.is_empty(), "{source}\n{}", wrong.join("\n"));
}

fn compiled(lowered: &Device, source: &str) -> Stages {
    let stages = pipeline::stages(Artifact::Device(lowered.clone()), &Plan::default());
    let text = || reference::device::print::program(lowered);
    assert_eq!(stages.stop, None, "{source}\n{}", text());
    let last = stages.stages.last().map(|stage| &stage.artifact);
    let Some(Artifact::Shaders(shaders)) = last else { panic!("{source} has no shaders") };
    for shader in shaders {
        spirv::validate(&shader.wgsl).unwrap_or_else(|no| panic!("{}\n{no:?}", text()));
    }
    stages
}

/// Calls with how each run ends.
fn ends(lowered: &Device, stages: &Stages, input: &[Value], mut judge: impl FnMut(&str, Outcome)) {
    let budget = Budget::default();
    for order in [Order::InOrder, Order::Reversed, Order::Shuffled(7), Order::Interleaved(3)] {
        let ran = device::run(lowered, input, order, &budget, &mut Recorder::counting());
        judge(&format!("{order:?}"), ran);
    }
    let program = checked(stages);
    let ran = device::run(program, input, Order::InOrder, &budget, &mut Recorder::counting());
    judge("compiled", ran);
    on_each_adapter("a program of λG", |gpu| {
        let outcome = gpu.run(program, input, &budget);
        // Launches are given some seconds, and a slow machine may need more; our evaluators have answered.
        if outcome.ending != Ending::Unknown(Why::Fuel) {
            judge(&gpu.adapter().id.clone(), outcome);
        }
    });
}

#[test]
fn the_corpus() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/lambda_g");
    let (mut count, mut wrong) = (0, Vec::new());
    for folder in ["pass", "stuck"] {
        for entry in corpus.join(folder).read_dir().expect("the corpus has the folder") {
            let path = entry.expect("it can be listed").path();
            let source = std::fs::read_to_string(&path).expect("it can be read");
            let header = header::parse(&source, &[]).expect("the header parses");
            let inputs: Vec<Vec<Value>> =
                header.cases.iter().map(|case| case.input.clone()).collect();
            let found = differences(&source, &inputs, Limits::default());
            wrong.extend(found.into_iter().map(|text| format!("{}: {text}", path.display())));
            count += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 40, "{count} programs");
}

/// Calls that are not tail calls, on both sides; a stack that is too small for them is said.
#[test]
fn functions_that_call_themselves() {
    let source = "param n : (int, r0);
         let sum = fix f : ((int, r0) -> {r0} (int, r0), r0) .
           fn (i : (int, r0)) ! {r0} =>
             if i < 1 at r0 then 0 at r0 else i + f (i - 1 at r0 at r0) at r0
           at r0
         in (sum n, on parmap sum [n, 3 at r0] at r0 at r0) at r0";
    agrees(source, &["10", "0", "100"]);
    let few = Limits { device_stack: 64, ..Limits::default() };
    gives_up_at(source, few, 100);
}

/// The stack of the host becomes deeper where calls take more of it, up to what is stated.
#[test]
fn the_stack_of_the_host_grows() {
    let source = "param n : (int, r0);
         let sum = fix f : ((int, r0) -> {r0} (int, r0), r0) .
           fn (i : (int, r0)) ! {r0} =>
             if i < 1 at r0 then 0 at r0 else i + f (i - 1 at r0 at r0) at r0
           at r0
         in sum n";
    agrees(source, &["1000"]);
    gives_up_at(source, Limits { host_stack: 128, ..Limits::default() }, 100);
}

/// The stack is not deep enough for this input, whoever runs the program.
fn gives_up_at(source: &str, few: Limits, input: i32) {
    let program = parsed(source);
    let lowered = lower(&program, few, Planted::NONE).expect("it has a type");
    let stages = compiled(&lowered, source);
    let deep = Ending::Unknown(DEPTH.gives_up().expect("it is no premise"));
    ends(&lowered, &stages, &[input.into()], |what, outcome| {
        assert_eq!(outcome.ending, deep, "{what}");
    });
}

/// A thread that goes through many states goes on in the next launch.
#[test]
fn threads_that_take_several_launches() {
    let source = "param n : (int, r0);
         on parmap (fix f : ((int, r0) -> {r0} (int, r0), r0) .
           fn (i : (int, r0)) ! {r0} =>
             if n <= i then i else f (i + 3 at r0 at r0)
           at r0) (iota n at r0) at r0 at r0";
    let inputs: Vec<Vec<Value>> = vec![vec![9.into()], vec![30.into()]];
    let few = Limits { rounds: 3, ..Limits::default() };
    assert_eq!(differences(source, &inputs, few), [""; 0]);
}

/// Of branches in branches the pair that fails is told, and a full region before all others.
#[test]
fn branches_of_branches_that_fail() {
    agrees(
        "param n : (int, r0);
         on parmap (fn (i : (int, r0)) ! {r0} =>
           parmap (fn (j : (int, r0)) ! {r0} => 100 at r0 / (i + j at r0 - n at r0) at r0 at r0)
             (iota i at r0) at r0
         at r0) (iota (5 at r0) at r0) at r0 at r0",
        &["9", "0", "2", "4", "5"],
    );
    agrees(
        "param n : (int, r0);
         letregion q of 12 in
         let v = on parmap (fn (i : (int, r0)) ! {q, r0} =>
           parmap (fn (j : (int, r0)) ! {q, r0} =>
             if j < n then 1 at q / 0 at q at r0 else [i, j, j] at q ! 0 at r0
           at r0) [1 at r0, 2 at r0] at r0
         at r0) [3 at r0, 4 at r0] at r0 at r0 in n",
        &["0", "2", "3"],
    );
}

/// Values of every shape go in and come out.
#[test]
fn values_at_the_border() {
    let shapes = [
        ("bool", "true"),
        ("(int, r0)", "-7"),
        ("(Vec bool, r0)", "[true, false, true]"),
        ("(Vec (int, r0), r0)", "[3, 4]"),
        ("((int, r0) * bool, r0)", "(3, true)"),
        ("(Vec (Vec bool, r0), r0)", "{[true], [false, true]}"),
        ("(Vec ((int, r0) * (Vec (int, r0), r0), r0), r0)", "{(1, [2, 3]), (4, [5])}"),
        ("(Vec (Vec (int, r0), r0), r0)", "[[1, 2], [3, 4]]"),
    ];
    for (ty, value) in shapes {
        agrees(&format!("param x : {ty}; x"), &[value]);
        agrees(&format!("param x : {ty}; on (x, x) at r0 at r0"), &[value]);
    }
    agrees("fn (x : bool) ! {} => x at r0", &[""]);
}
