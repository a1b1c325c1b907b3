//! An adapter's child process that dies, hangs, takes all memory or panics: each is reported as
//! what it is, and the next case gets a fresh process. No driver is needed: the child serves our
//! own evaluator of the device language, which breaks on request on programs of three kernels.

use compiler::route::KernelOptions;
use oracle::engine::Artifact;
use oracle::engines::child::{Child, End, Launcher};
use oracle::language::Lang;
use oracle::stages::Stages;
use reference::device::eval::{self, Order};
use reference::device::syntax::Program;
use reference::kit::derivation::Recorder;
use reference::kit::outcome::{Broken, Budget, Ending, Outcome, Value, Why};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// What a child does not answer in hangs: a busy machine may need a second to start one.
const HANGS: Duration = Duration::from_secs(2);

fn launcher() -> Launcher {
    Launcher::of(PathBuf::from(env!("CARGO_BIN_EXE_lockstep")))
}

/// What a FUN program becomes in the device language, if the front end takes it.
fn compiled(source: &str) -> Option<Program> {
    let program = Lang::Fun.parse(source).ok()?;
    let stages = Stages::of(&program, Default::default());
    match stages.list.into_iter().next_back()?.artifact.into_owned() {
        Artifact::Device(program) => Some(program),
        other => panic!("it compiles to the device language, not to {}", other.lang()),
    }
}

fn array(data: &[i32]) -> Value {
    Value::ints(vec![data.len()], data.to_vec())
}

fn run(child: &mut Child, source: &str) -> Outcome {
    let program = compiled(source).expect("it is well formed");
    let input = [Value::from(2), array(&[7, 9])];
    child.run(&program, &input, &Budget::default(), KernelOptions::default())
}

fn works(child: &mut Child) {
    let source = "param (n : int) (xs : [n])\n\
                  let (ys : [n]) = kernel i <= n do\n  in (xs[i] + 1)\n\
                  in (ys)\n";
    assert_eq!(run(child, source).ending, Ending::Value(vec![array(&[8, 10])]));
}

/// Three kernels: a mock adapter that breaks does it here.
fn breaks(child: &mut Child) -> Outcome {
    let source = "param (n : int) (xs : [n])\n\
                  let (ys : [n]) = kernel i <= n do\n  in (xs[i] + 1)\n\
                  let (zs : [n]) = kernel i <= n do\n  in (ys[i] + 1)\n\
                  let (us : [n]) = kernel i <= n do\n  in (zs[i] + 1)\n\
                  in (us)\n";
    run(child, source)
}

#[test]
fn a_child_serves_one_case_after_the_other() {
    let mut child = Child::new(&launcher(), "evaluator");
    works(&mut child);
    assert_eq!(breaks(&mut child).ending, Ending::Value(vec![array(&[10, 12])]));
    works(&mut child);
    assert_eq!(child.started, 1);
}

#[test]
fn a_child_that_crashes_is_reported_and_replaced() {
    let mut child = Child::new(&launcher(), "evaluator-abort");
    works(&mut child);
    let outcome = breaks(&mut child);
    assert!(matches!(outcome.ending, Ending::Broken(Broken::Crash(_))), "{:?}", outcome.ending);
    works(&mut child);
    assert_eq!(child.started, 2);
}

#[test]
fn a_child_that_hangs_is_ended_in_time() {
    let mut launcher = launcher();
    launcher.limit = HANGS;
    let mut child = Child::new(&launcher, "evaluator-hang");
    let start = Instant::now();
    assert_eq!(breaks(&mut child).ending, Ending::Broken(Broken::Hang));
    assert!(start.elapsed() < Duration::from_secs(10), "it took {:?}", start.elapsed());
    works(&mut child);
    assert_eq!(child.started, 2);
}

/// On a busy machine an answer takes longer than its limit.
#[test]
#[cfg(target_os = "linux")]
fn a_child_that_finds_no_processor_has_longer() {
    let mut launcher = launcher();
    launcher.limit = Duration::from_secs(1);
    let mut child = Child::new(&launcher, "evaluator-late");
    let start = Instant::now();
    let outcome = breaks(&mut child);
    assert!(start.elapsed() > launcher.limit, "it took {:?}", start.elapsed());
    assert_eq!(outcome.ending, breaks(&mut Child::new(&launcher, "evaluator")).ending);
    assert_eq!(child.started, 1);
    assert_eq!(child.ends, []);
}

#[test]
fn nobody_waits_for_a_child_once_an_end_is_wanted() {
    let launcher = launcher();
    let mut child = Child::new(&launcher, "evaluator-hang");
    works(&mut child);
    let stop = launcher.stop.clone();
    let other = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        stop.store(true, Ordering::Relaxed);
    });
    let start = Instant::now();
    let outcome = breaks(&mut child);
    assert!(matches!(outcome.ending, Ending::Unknown(_)), "{:?}", outcome.ending);
    assert!(start.elapsed() < Duration::from_secs(5), "it took {:?}", start.elapsed());
    other.join().expect("it only sleeps");
}

#[test]
#[cfg(target_os = "linux")]
fn a_child_that_takes_all_memory_is_ended() {
    let mut launcher = launcher();
    launcher.memory = 256 << 20;
    let mut child = Child::new(&launcher, "evaluator-exhaust");
    match &breaks(&mut child).ending {
        Ending::Broken(Broken::Crash(text)) => assert!(text.contains("256 MiB"), "{text}"),
        other => panic!("it was not ended for its memory: {other:?}"),
    }
    works(&mut child);
}

#[test]
fn a_panic_in_a_child_is_an_answer_and_its_last_one() {
    let mut child = Child::new(&launcher(), "evaluator-panic");
    match &breaks(&mut child).ending {
        Ending::Broken(Broken::Panic(text)) => assert!(text.contains("on purpose"), "{text}"),
        other => panic!("it is no panic: {other:?}"),
    }
    works(&mut child);
    assert_eq!(child.started, 2, "nobody knows what a panic leaves behind");
}

/// Each end is noted as what it is.
#[test]
fn ends_of_children_are_told_apart() {
    let mut launcher = launcher();
    launcher.memory = 256 << 20;
    let mut short = launcher.clone();
    short.limit = HANGS;
    for (adapter, end) in [
        ("evaluator-abort", End::Crashed),
        ("evaluator-hang", End::Hung),
        ("evaluator-exhaust", End::Memory),
        ("evaluator-panic", End::Broke),
        ("evaluator-lose", End::Broke),
    ] {
        if end == End::Memory && !cfg!(target_os = "linux") {
            continue;
        }
        let launcher = if end == End::Hung { &short } else { &launcher };
        let mut child = Child::new(launcher, adapter);
        breaks(&mut child);
        assert_eq!(child.ends, [end], "{adapter}");
    }
}

/// A driver may leak: its process is replaced between two programs, after so many of them or
/// bytes.
#[test]
fn a_child_that_served_long_or_has_grown_is_replaced() {
    let mut often = launcher();
    often.service = 3;
    let mut small = launcher();
    small.grown = 1;
    for (launcher, of_its_own) in [(often, 3), (small, 16)] {
        if of_its_own == 16 && !cfg!(target_os = "linux") {
            continue;
        }
        let mut child = Child::new(&launcher, "evaluator");
        (0..2 * of_its_own + 1).for_each(|_| works(&mut child));
        assert_eq!((child.started, &child.ends), (3, &vec![End::Retired; 2]));
    }
}

#[test]
fn an_adapter_that_is_not_there_is_no_finding() {
    let mut child = Child::new(&launcher(), "no-such-adapter");
    let outcome = breaks(&mut child);
    assert!(matches!(outcome.ending, Ending::Unknown(Why::NoAdapter(_))), "{:?}", outcome.ending);
}

/// The deepest program of a family that the front end takes: it takes each that is less deep.
fn deepest(family: &str, source: impl Fn(usize) -> String) -> Program {
    let depths: Vec<usize> = (1..=256).collect();
    let taken = depths.partition_point(|&depth| compiled(&source(depth)).is_some());
    let program = compiled(&source(taken));
    program.unwrap_or_else(|| panic!("no {family} is well formed"))
}

fn deep_programs() -> Vec<(&'static str, Program)> {
    let kernel = |body: &str| format!("let (ys : [3]) = kernel i <= 3 do\n{body}in (ys)\n");
    let sum = |depth| kernel(&format!("  in (i{})\n", " + i".repeat(depth)));
    let nest = |depth, head: &str, tail: &str, result: &str| {
        let names = |text: &str, at: usize| text.replace('#', &at.to_string());
        let heads: String = (1..=depth).map(|at| names(head, at)).collect();
        let tails: String = (1..=depth).rev().map(|at| names(tail, at)).collect();
        kernel(&format!("{heads}  in (i)\n{tails}  in ({result})\n"))
    };
    let branches = |depth| {
        nest(depth, "let (x# : int) = if i > #\nthen\n", "else\n in (0)\n in (x#)\n", "x0")
            .replacen(" in (x1)\n  in (x0)", "  in (x1)", 1)
    };
    let loops = |depth| {
        nest(depth, "let (x# : int) = loop (x# : int = i) for j# <= 1 do\n", " in (x#)\n", "x0")
            .replacen(" in (x1)\n  in (x0)", "  in (x1)", 1)
    };
    let rank = |depth: usize| {
        let array = format!("let (a{depth} : [1]) = kernel j <= 1 do\n in (7)\n");
        let wrap = |body: String, at: usize| {
            let shape = "[1]".repeat(depth - at + 1);
            format!("let (a{at} : {shape}) = kernel k{at} <= 1 do\n{body} in (a{})\n", at + 1)
        };
        format!("{}in (a1)\n", (1..depth).rev().fold(array, wrap))
    };
    vec![
        ("sum", deepest("sum", sum)),
        ("branches", deepest("branches", branches)),
        ("loops", deepest("loops", loops)),
        ("rank", deepest("rank", rank)),
    ]
}

/// Whatever the front ends take goes through the pipe, as deep as it is.
#[test]
fn the_deepest_programs_reach_the_child() {
    let deep = std::thread::Builder::new().stack_size(oracle::STACK).spawn(|| {
        let mut child = Child::new(&launcher(), "evaluator");
        let budget = Budget::default();
        for (family, program) in deep_programs() {
            let mut recorder = Recorder::counting();
            let here = eval::run(&program, &[], Order::InOrder, &budget, &mut recorder);
            assert!(matches!(here.ending, Ending::Value(_)), "{family}: {:?}", here.ending);
            let there = child.run(&program, &[], &budget, KernelOptions::default());
            assert_eq!(there.ending, here.ending, "{family}");
        }
        assert_eq!(child.started, 1);
    });
    deep.expect("a thread can be started").join().expect("no promise is broken");
}

/// What cannot be read is answered, and what comes behind it as well.
#[test]
fn a_request_that_cannot_be_read_is_answered() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .args(["child", "--adapter", "evaluator"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("lockstep starts");
    let mut stdin = child.stdin.take().expect("it was piped");
    for _ in 0..2 {
        stdin.write_all(&[4, 0, 0, 0, 255, 255, 255, 255]).expect("the child reads");
    }
    stdin.flush().expect("the child reads");
    let mut stdout = child.stdout.take().expect("it was piped");
    let mut frame = || {
        let mut length = [0; 4];
        stdout.read_exact(&mut length).expect("the child answers");
        let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
        stdout.read_exact(&mut bytes).expect("a whole frame");
        String::from_utf8_lossy(&bytes).into_owned()
    };
    frame();
    for _ in 0..2 {
        let answer = frame();
        assert!(answer.contains("cannot be read"), "{answer}");
    }
    drop(stdin);
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}
