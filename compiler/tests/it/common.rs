//! Runs a program through every stage and on every adapter.
#![allow(unreachable_pub, dead_code)] // Each file of tests uses what it needs.

use compiler::pass::poison_checks::Detail;
use compiler::pipeline::{self, CHECKED, Stages, Stop};
use compiler::route::{Artifact, Plan};
use compiler::run::{Gpu, Options, adapters};
use reference::device::eval::{self, Order};
use reference::device::syntax::Program;
use reference::kit::derivation::Recorder;
use reference::kit::outcome::{Budget, Ending, Outcome, Stuck, Value};
use reference::kit::value::{agree_all, parse_values};
use std::sync::{Mutex, PoisonError};

/// Sets of open adapters that no test uses now. A set is never dropped: wgpu must not be dropped while a thread ends.
static GPUS: Mutex<Vec<Vec<Gpu>>> = Mutex::new(Vec::new());

/// A set of adapters that one test uses. It goes back to [`GPUS`], also if the test fails.
struct Lent(Vec<Gpu>);

impl Lent {
    fn all() -> Self {
        let open = |id: &str| Gpu::open(id, Options::default()).expect("it was just listed");
        let known = GPUS.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Self(known.unwrap_or_else(|| adapters().iter().map(|it| open(&it.id)).collect()))
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        GPUS.lock().unwrap_or_else(PoisonError::into_inner).push(std::mem::take(&mut self.0));
    }
}

/// Did the run end with these results? Floats agree by value: all NaN, and zeros of either sign.
pub fn ends_with(outcome: &Outcome, expected: &[Value]) -> bool {
    match &outcome.ending {
        Ending::Value(found) => agree_all(expected, found, [&[], &outcome.tolerances]).is_ok(),
        _ => false,
    }
}

/// Calls `run` with each adapter; says so where there is none.
#[allow(clippy::print_stderr)] // A test must say what it did not compare.
pub fn on_each_adapter(what: &str, mut run: impl FnMut(&mut Gpu)) {
    let mut gpus = Lent::all();
    if gpus.0.is_empty() {
        eprintln!("not compared, there is no adapter: {what}");
    }
    gpus.0.iter_mut().for_each(&mut run);
}

/// All stages from an IMP program on.
pub fn compile(source: &str, cx: &Plan) -> Stages {
    let program = reference::imp::parse::program(source).expect("the test's program parses");
    pipeline::stages(Artifact::Imp(program), cx)
}

/// All stages from a device program on.
pub fn compile_device(source: &str) -> Stages {
    let program = reference::device::parse::program(source).expect("the test's program parses");
    pipeline::stages(Artifact::Device(program), &Plan::default())
}

/// The program that forms of kernels are made of.
pub fn checked(stages: &Stages) -> &Program {
    match stages.by(CHECKED).map(|stage| &stage.artifact) {
        Some(Artifact::Device(program)) => program,
        _ => panic!("it compiles: {:?}", stages.stop),
    }
}

/// Runs every stage and every adapter and hands each outcome to `judge`.
pub fn run_all(stages: &Stages, input: &str, judge: impl FnMut(&str, &Outcome)) {
    run_from(stages, &Plan::default(), "source", input, judge);
}

/// The same from the stage on that this pass made; kernels for adapters are made by the plan of the stages.
pub fn run_from(
    stages: &Stages,
    plan: &Plan,
    first: &str,
    input: &str,
    mut judge: impl FnMut(&str, &Outcome),
) {
    assert_eq!(stages.stop, None, "the program compiles");
    let input = parse_values(input).expect("the test's input parses");
    let budget = Budget::default();
    for stage in stages.stages.iter().skip_while(|stage| stage.by() != first) {
        if let Artifact::Device(program) = &stage.artifact {
            let mut recorder = Recorder::counting();
            judge(stage.by(), &eval::run(program, &input, Order::InOrder, &budget, &mut recorder));
        }
    }
    let program = checked(stages);
    on_each_adapter("the program on a device", |gpu| {
        gpu.set_kernels(plan.kernels());
        for first in [Detail::Site, Detail::Flag] {
            gpu.set_first(first);
            let outcome = gpu.run(program, &input, &budget);
            judge(&format!("{}, {first:?}", gpu.adapter().id), &outcome);
        }
    });
}

/// The program gives these values, at every stage and on every adapter.
pub fn gives(source: &str, input: &str, result: &str) {
    let result = parse_values(result).expect("the test's result parses");
    run_all(&compile(source, &Plan::default()), input, |stage, outcome| {
        assert_eq!(outcome.ending, Ending::Value(result.clone()), "after {stage}");
    });
}

/// The program gets stuck for this reason, in this thread, with these operands, at the first
/// statement in which `place` stands, at every stage and on every adapter.
pub fn gets_stuck(
    source: &str,
    input: &str,
    (cause, place): (&str, &str),
    thread: &[i32],
    operands: &[i64],
) {
    let start = source.find(place).expect("the place stands in the program") as u32;
    run_all(&compile(source, &Plan::default()), input, |stage, outcome| {
        let Ending::Stuck(Stuck { site, thread: path, operands: values, .. }) = &outcome.ending
        else {
            panic!("after {stage}: {:?}", outcome.ending);
        };
        assert_eq!(site.cause.name(), cause, "after {stage}");
        assert_eq!(path, thread, "after {stage}");
        assert_eq!(values, operands, "after {stage}");
        let span = site.span;
        assert!(span.start <= start && start < span.end, "after {stage}: {span:?}, not {start}");
    });
}

/// Compilation stops in this pass with a refusal; the statement and the reason.
pub fn is_refused(source: &str, pass: &str) -> (String, String) {
    match compile(source, &Plan::default()).stop {
        Some(Stop::Refused(by, refused)) if by == pass => (refused.statement, refused.reason),
        other => panic!("not refused by {pass}: {other:?}"),
    }
}

/// An array of rank 1.
pub fn array(data: Vec<i32>) -> Value {
    Value::ints(vec![data.len()], data)
}
