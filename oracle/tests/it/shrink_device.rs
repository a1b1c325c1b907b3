//! What the shrinker leaves of programs of the device language: of those that a compiler makes, and
//! of a file that shows a finding.

use arbitrary::Unstructured;
use compiler::pipeline::stages;
use compiler::route::{Artifact, Plan};
use oracle::generate::Made;
use oracle::generate::device::program;
use oracle::generate::{Weights, case_bytes, fun_case};
use oracle::shrink::{Effort, Size, shrink_device};
use reference::device::eval::{self, Order};
use reference::device::syntax::Program;
use reference::device::{parse, print, validate};
use reference::kit::derivation::Recorder;
use reference::kit::outcome::{Budget, Ending, Stuck, Value};
use reference::kit::same::same;
use std::process::Command;
use tempfile::TempDir;

/// The place where a run gets stuck.
fn stuck(program: &Program, input: &[Value]) -> Option<Stuck> {
    let budget = Budget { fuel: 1_000_000, memory: 64 << 20 };
    let ran = eval::run(program, input, Order::InOrder, &budget, &mut Recorder::counting());
    match ran.ending {
        Ending::Stuck(stuck) => Some(stuck),
        _ => None,
    }
}

/// The first `count` generated programs that get stuck in a thread that is not the first, lowered:
/// long programs with parallel loops and a check before each access.
fn stuck_programs(count: usize) -> Vec<(Program, Vec<Value>, Stuck)> {
    let made = (0..).filter_map(|index| {
        let case = fun_case(9, index, &Weights::default());
        let made = stages(Artifact::Fun(case.program), &Plan::default());
        let Artifact::Device(program) = made.by("lower")?.artifact.clone() else { return None };
        let at = stuck(&program, &case.input)?;
        (at.thread.first() > Some(&1)).then_some((program, case.input, at))
    });
    made.take(count).collect()
}

/// The first `count` programs that are generated in the device language and get stuck.
fn generated(count: usize) -> Vec<(Program, Vec<Value>, Stuck)> {
    let weights = Weights { stuck: 100, ..Weights::default() };
    let made = (0..).filter_map(|index| {
        let bytes = case_bytes(9, index);
        let Made { program, input, .. } = program(&mut Unstructured::new(&bytes), &weights);
        let at = stuck(&program, &input)?;
        Some((program, input, at))
    });
    made.take(count).collect()
}

/// Shrinks a program that gets stuck, as long as it gets stuck by the same cause, and in a thread that
/// is not the first if it did; what is read of the text does so too. How many statements are left?
fn left((program, input, at): (Program, Vec<Value>, Stuck)) -> usize {
    let mut test = |program: &Program, input: &[Value]| {
        validate::check(program, &mut Recorder::counting()).expect("only valid ones are tested");
        let later = at.thread.first() > Some(&1);
        stuck(program, input).is_some_and(|other| {
            other.site.cause == at.site.cause && (!later || other.thread.first() > Some(&1))
        })
    };
    let small = shrink_device(&program, &input, &mut test, Effort::default());
    assert!(test(&small.program, &small.input));
    let text = print::program(&small.program);
    let again = parse::program(&text).expect("what is printed parses");
    assert!(same(&small.program, &again), "{text}");
    assert!(test(&again, &small.input), "what is read shows it no longer:\n{text}");
    let (before, after) = (Size::of(&program, &input), Size::of(&small.program, &small.input));
    // A store beyond a vector in some invocations: variable, store, branch, kernel and launch.
    assert!(after.statements <= 5, "{} of {}:\n{text}", after.statements, before.statements);
    after.statements
}

#[test]
fn lowered_programs_that_get_stuck_shrink_to_a_few_statements_that_get_stuck_alike() {
    let mut sizes: Vec<usize> = stuck_programs(30).into_iter().map(left).collect();
    sizes.sort_unstable();
    assert_eq!((sizes[15], sizes[29]), (2, 2), "{sizes:?}");
}

#[test]
fn generated_programs_that_get_stuck_shrink_to_a_few_statements_that_get_stuck_alike() {
    let sizes: Vec<usize> = generated(40).into_iter().map(left).collect();
    assert!(sizes.iter().sum::<usize>() < 4 * sizes.len(), "{sizes:?}");
}

#[test]
fn effort_is_a_bound() {
    let (program, input, _) = stuck_programs(1).remove(0);
    let mut asked = 0;
    let mut test = |_: &Program, _: &[Value]| {
        asked += 1;
        false
    };
    let effort = Effort { tests: 3, candidates: 1000, ..Effort::default() };
    let small = shrink_device(&program, &input, &mut test, effort);
    assert_eq!((small.tests, small.steps, asked), (3, 0, 3));
}

/// A shift by an amount that is known at run time only, which naga gets wrong where the emitter does
/// not work around it, among much that does not matter.
const SHIFT: &str = "-- input: 3, [1, 2, 3, 4, 5, 6, 7, 40]
struct Pair { low : i32, high : i32 }
fn larger(p : Pair, by : i32) -> Pair {
  let high : i32 = p#1 + by;
  return make Pair(p#0, high);
}
kernel shift(xs : block[i32], ys : block[i32], n : i32) group 4 {
  workgroup tile : array[i32, 4];
  private last : i32;
  if global_id < invocations {
    let x : i32 = xs.[global_id];
    tile[local_id] = x;
    last = x + n;
  }
  barrier workgroup;
  let other : i32 = tile[u32 3 - local_id];
  let pair = call larger(make Pair(last, other), n);
  loop (k : i32 = 0, sum : i32 = 0) while k < 3 {
    let more : i32 = sum + pair#0 * k;
  } next (k + 1, more);
  if global_id < invocations {
    ys.[global_id] = (sum << pair#1 - n) + n;
  }
}
kernel add(ys : block[i32], n : i32) group 8 {
  if global_id < invocations {
    ys.[global_id] = ys.[global_id] + n;
  }
}
param n : i32;
param xs : [8];
let ys = alloc i32(8);
launch shift(xs, ys, n) for 8;
launch add(ys, n) for 8;
let first = read ys.[0];
result ys : [8] at 0 strides (1);
result first;
";

#[test]
fn a_file_that_shows_a_finding_shrinks_to_one_that_shows_it() {
    let folder = TempDir::new().expect("a folder");
    let at = |name: &str| folder.path().join(name).to_str().expect("a plain name").to_owned();
    let (large, small) = (at("shift.dev"), at("small.dev"));
    std::fs::write(&large, SHIFT).expect("the folder can be written");
    let lockstep = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
        let ended = command.args(args).output().expect("lockstep starts");
        let said = |bytes| String::from_utf8_lossy(bytes).into_owned();
        (ended.status.code(), said(&ended.stdout), said(&ended.stderr))
    };
    let without = ["--workarounds", "none", "--engines", "spirv"];
    let (status, out, told) =
        lockstep(&[&["shrink", "-o", &small][..], &without, &[&large]].concat());
    assert_eq!(status, Some(1), "{out}{told}");
    let text = std::fs::read_to_string(&small).expect("it was written");
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("--")).collect();
    assert!(lines.len() <= 7, "{text}");
    assert!(text.contains(" << "), "{text}");
    // Statements, and not lines, are what is counted.
    assert!(told.contains("26 statements, now "), "{told}");
    let (status, out, told) = lockstep(&["replay", "--engines", "spirv", &small]);
    assert!(out.contains("still there"), "{out}{told}");
    assert_eq!(status, Some(1), "{out}{told}");
}
