//! An adapter's child process that dies, hangs, takes all memory or panics: each is reported as
//! what it is, and the next case gets a fresh process. No driver is needed: the child serves our
//! own evaluator of the device language.

use oracle::engines::child::{Child, EVALUATOR, Launcher, Misbehaviour};
use reference::device::syntax::Program;
use reference::kit::outcome::{Broken, Budget, Ending, Value, Why};
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn launcher() -> Launcher {
    let mut launcher = Launcher::of(PathBuf::from(env!("CARGO_BIN_EXE_lockstep")));
    launcher.limit = Duration::from_secs(20);
    launcher
}

/// Adds one to each element of an array.
fn program() -> Program {
    let source = "param (n : int) (xs : [n])\n\
                  let (ys : [n]) = kernel i <= n do\n  in (xs[i] + 1)\n\
                  in (ys)\n";
    let program = oracle::language::Lang::Fun.parse(source).expect("it is well formed");
    let stages = oracle::check::stages::Stages::of(&program, Default::default());
    let last = stages.list.into_iter().next_back().expect("there is the program itself");
    match last.artifact {
        oracle::engine::Artifact::Device(program) => program,
        other => panic!("it compiles to the device language, not to {}", other.lang()),
    }
}

fn works(child: &mut Child) {
    let array = |data: &[i32]| Value::Array { shape: vec![data.len()], data: data.to_vec() };
    let outcome = child.run(&program(), &[Value::Int(2), array(&[7, 9])], &Budget::default());
    assert_eq!(outcome.ending, Ending::Value(vec![array(&[8, 10])]));
}

#[test]
fn a_child_serves_one_case_after_the_other() {
    let mut child = Child::new(&launcher(), EVALUATOR);
    works(&mut child);
    works(&mut child);
    assert_eq!(child.started, 1);
}

#[test]
fn a_child_that_crashes_is_reported_and_replaced() {
    let mut child = Child::new(&launcher(), EVALUATOR);
    let outcome = child.misbehave(Misbehaviour::Abort);
    assert!(matches!(outcome.ending, Ending::Broken(Broken::Crash(_))), "{:?}", outcome.ending);
    works(&mut child);
    assert_eq!(child.started, 2);
}

#[test]
fn a_child_that_hangs_is_ended_in_time() {
    let mut launcher = launcher();
    launcher.limit = Duration::from_millis(800);
    let mut child = Child::new(&launcher, EVALUATOR);
    let start = Instant::now();
    let outcome = child.misbehave(Misbehaviour::Hang);
    assert_eq!(outcome.ending, Ending::Broken(Broken::Hang));
    assert!(start.elapsed() < Duration::from_secs(10), "it took {:?}", start.elapsed());
    works(&mut child);
    assert_eq!(child.started, 2);
}

#[test]
#[cfg(target_os = "linux")]
fn a_child_that_takes_all_memory_is_ended() {
    let mut launcher = launcher();
    launcher.memory = 256 << 20;
    let mut child = Child::new(&launcher, EVALUATOR);
    let outcome = child.misbehave(Misbehaviour::Exhaust);
    match &outcome.ending {
        Ending::Broken(Broken::Crash(text)) => assert!(text.contains("256 MiB"), "{text}"),
        other => panic!("it was not ended for its memory: {other:?}"),
    }
    works(&mut child);
}

#[test]
fn a_panic_in_a_child_is_an_answer() {
    let mut child = Child::new(&launcher(), EVALUATOR);
    let outcome = child.misbehave(Misbehaviour::Panic);
    match &outcome.ending {
        Ending::Broken(Broken::Panic(text)) => assert!(text.contains("on purpose"), "{text}"),
        other => panic!("it is no panic: {other:?}"),
    }
    works(&mut child);
    assert_eq!(child.started, 1, "a panic does not end the process");
}

#[test]
fn an_adapter_that_is_not_there_is_no_finding() {
    let mut child = Child::new(&launcher(), "no-such-adapter");
    let outcome = child.run(&program(), &[], &Budget::default());
    assert!(matches!(outcome.ending, Ending::Unknown(Why::NoAdapter(_))), "{:?}", outcome.ending);
}
