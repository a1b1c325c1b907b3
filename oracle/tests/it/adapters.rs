//! An adapter with a known defect gives the right answer or none: what it is handed is compiled
//! for it.
#![allow(clippy::print_stderr)] // A test must say what it did not compare.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

fn lockstep(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lockstep")).args(args).output().expect("lockstep starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The adapters of this machine: name, and whether something is known that spoils this in it.
fn adapters(spoils: impl Fn(&serde_json::Value) -> bool) -> Vec<(String, bool)> {
    let listed = text(&lockstep(&["engines", "--json"]).stdout);
    let lines = listed
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("each line is JSON"));
    lines
        .filter(|line| line["adapter"].is_object())
        .map(|line| {
            let name = line["engine"].as_str().expect("it has a name").to_owned();
            let defects = line["adapter"]["defects"].as_array();
            (name, defects.is_some_and(|defects| defects.iter().any(|it| spoils(&it["spoils"]))))
        })
        .collect()
}

/// The adapters, and whether each takes few loop rounds only.
fn adapters_by_rounds() -> Vec<(String, bool)> {
    adapters(|spoils| spoils["Rounds"].is_u64())
}

/// `m` rounds in each of two threads, each with a loop of `k` rounds in it.
const ROUNDS: &str = "param (m : int) (k : int)
let (ys : [2]) = kernel i <= 2 do
  let (s : int) = loop (x : int = 0) for j <= m do
    let (t : int) = loop (y : int = i) for l <= k do
      in (y + l)
    in (x + t)
  in (s)
in (ys)
";

fn run(path: &Path, input: &str, engine: &str) -> (i32, String) {
    let path = path.to_str().expect("the name is plain");
    let output = lockstep(&["run", path, "--input", input, "--engine", engine]);
    let status = output.status.code().unwrap_or(-1);
    match status {
        0 => (status, text(&output.stdout)),
        _ => (status, text(&output.stderr)),
    }
}

/// What an adapter may take is said on the command line, and where that was too little, so is the option.
#[test]
fn an_adapter_without_an_answer_may_be_given_more_time() {
    let kernel = |from: &str, to: &str| {
        format!("let ({to} : [2]) = kernel i <= 2 do\n  let (v : int) = {from}[i]\n  in (v + 1)\n")
    };
    let kernels = kernel("xs", "ys") + &kernel("ys", "zs") + &kernel("zs", "us");
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("three_kernels.fun");
    fs::write(&path, format!("param (xs : [2])\n{kernels}in (us)\n")).expect("it is written");
    let path = path.to_str().expect("the name is plain");
    let engine = "wgpu:evaluator-hang";
    let args = ["run", path, "--input", "[3, 4]", "--engine", engine, "--limit", "0.3"];
    let output = lockstep(&args);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    assert!(told.contains("no answer in time; --limit gives an adapter more seconds"), "{told}");
}

/// `k` rounds in each of eight threads, in each while the others wait, or all in the same round.
const WAITING: &str = "param (k : int) (apart : int)
let (ys : [8]) = kernel i <= 8 do
  let (a : int) = i * apart
  let (s : int) = loop (x : int = 0) for j <= 8 do
    let (b : int) = j * apart
    let (d : int) = a - b
    let (c : int) = if d == 0 then
        in (k)
      else
        in (0)
    let (t : int) = loop (y : int = 0) for l <= c do
      in (y + i)
    in (x + t)
  in (s)
in (ys)
";

/// What a driver counts it counts of several invocations together.
#[test]
fn rounds_of_threads_that_wait_for_each_other_are_given_up() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("waiting.fun");
    let header = "-- Rounds that some drivers do not take.\n-- input: 9000, 1\n\
                  -- result: [9000, 18000, 27000, 36000, 45000, 54000, 63000, 72000]\n";
    fs::write(&path, format!("{header}{WAITING}")).expect("the folder can be written");
    for (adapter, defect) in adapters_by_rounds() {
        for (input, few) in [("300, 1", true), ("100, 0", true), ("9000, 1", false)] {
            let right = run(&path, input, "fun");
            let (status, out) = run(&path, input, &adapter);
            if few || !defect {
                assert_eq!((status, &out), (0, &right.1), "{adapter} on {input}");
            } else {
                assert!(status == 2 && out.contains("65,535"), "{adapter} on {input}: {out}");
            }
        }
        let path = path.to_str().expect("the name is plain");
        let output = lockstep(&["test", path, "--engines", &format!("fun,device,{adapter}")]);
        assert!(output.status.success(), "{adapter}: {}", text(&output.stdout));
    }
}

#[test]
fn more_loop_rounds_than_a_driver_takes_are_given_up() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("rounds.fun");
    fs::write(&path, ROUNDS).expect("the folder can be written");
    let adapters = adapters_by_rounds();
    if adapters.is_empty() {
        eprintln!("not compared, there is no adapter: more loop rounds than a driver takes");
    }
    // Rounds of the outer loop, of the inner one, and whether a driver that counts 65,535
    // iterations, the last look at each condition among them, takes them.
    let inputs = [("20, 3", true), ("100000, 0", false), ("40000, 0", true), ("300, 300", false)];
    for (input, few) in inputs {
        let right = run(&path, input, "fun");
        assert_eq!(right.0, 0);
        for (adapter, defect) in &adapters {
            let (status, out) = run(&path, input, adapter);
            if few || !defect {
                assert_eq!((status, &out), (0, &right.1), "{adapter} on {input}");
            } else {
                assert_eq!(status, 2, "{adapter} on {input}: {out}");
                assert!(out.contains("more loop rounds"), "{adapter} on {input}: {out}");
                assert!(out.contains("65,535"), "{adapter} on {input}: {out}");
            }
        }
    }
}

/// The tester knows how many rounds there are from its own evaluator, where that is asked; where
/// it is not, the program is compiled for the adapter as on the command line.
#[test]
fn the_tester_does_not_trust_such_a_driver() {
    if adapters_by_rounds().is_empty() {
        // To ask for one that is not there is an error.
        eprintln!("not compared, there is no adapter: a corpus program on such a driver");
        return;
    }
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("rounds.fun");
    let header = "-- Rounds that some drivers do not take.\n-- input: 40000, 0\n\
                  -- result: [40000, 80000]\n";
    fs::write(&path, format!("{header}{ROUNDS}")).expect("the folder can be written");
    for engines in ["fun,wgpu", "fun,device,wgpu"] {
        let path = path.to_str().expect("the name is plain");
        let output = lockstep(&["test", path, "--engines", engines]);
        assert!(output.status.success(), "{engines}: {}", text(&output.stdout));
    }
}

#[test]
fn shaders_that_a_driver_is_known_to_spoil_are_not_run_on_it() {
    let known = [
        ("vector_bits", "", "VectorBits"),
        ("i64_literals", "", "I64Literals"),
        ("stored_components", "[7, 7]", "StoredComponents"),
        ("negated_extrema", "[1, -1, 7, -7, 0, 2], [0, 0, -2, 3, 5, 1]", "NegatedExtrema"),
        ("indexed_arguments", "", "IndexedArguments"),
        ("nested_values", "[0, 0]", "NestedValues"),
        ("stored_behind_loops", "", "StoredBehindLoops"),
        ("deep_branches", "[0, 81, -5, 87]", "DeepBranches"),
        ("many_checks", "[1, 0]", "DeepBranches"),
    ];
    for (name, input, shape) in known {
        let path = format!("{}/../corpus/device/pass/{name}.dev", env!("CARGO_MANIFEST_DIR"));
        let path = Path::new(&path);
        let right = run(path, input, "device");
        assert_eq!(right.0, 0);
        let adapters = adapters(|spoils| spoils["Shape"] == shape);
        if adapters.is_empty() {
            eprintln!("not compared, there is no adapter: {name}");
        }
        for (adapter, defect) in adapters {
            let (status, out) = run(path, input, &adapter);
            if status == 0 {
                assert!(!defect, "{adapter} ran {name}");
                assert_eq!(out, right.1, "{adapter} on {name}");
            } else {
                let why =
                    if defect { "known defect of" } else { "which the adapter does not have" };
                assert!(status == 2 && out.contains(why), "{adapter} on {name}: {out}");
            }
        }
    }
}

/// A loop goes round as long as it has fuel, since a failed check leaves its condition as it is.
const POISONED: &str = "-- stuck: D-ELEMENT inside
kernel k() group 1 {
  loop (c : u32 = u32 1) while true fuel u32 4294967295 {
    barrier storage;
  } next (block(u32, u32 0, u32 0).[c]);
}
kernel l() group 1 { }
kernel m() group 1 { }
launch k() for 1;
launch l() for 1;
launch m() for 1;
";

/// The executor of the shaders says how long an adapter would take. If it was not asked before, it is when the
/// adapter hangs.
#[test]
fn what_the_executor_has_no_fuel_for_is_not_asked_of_adapters() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("poisoned.dev");
    fs::write(&path, POISONED).expect("the folder can be written");
    let path = path.to_str().expect("the name is plain");
    let findings = folder.path().join("findings");
    let findings = findings.to_str().expect("the name is plain");
    // A mock adapter that hangs on programs of three kernels.
    let fuzz = |engines| {
        let args = ["fuzz", path, "--programs", "1", "--seed", "1", "--share", "100"];
        let limits = ["--limit", "1", "--shrink", "0", "--restart", "--engines", engines];
        let output = lockstep(&[&args[..], &limits, &["--findings", findings]].concat());
        (output.status.code(), text(&output.stdout))
    };
    for engines in ["device,spirv,wgpu:evaluator-hang", "device,wgpu:evaluator-hang"] {
        let (status, out) = fuzz(engines);
        assert_eq!(status, Some(0), "{engines}: {out}");
        assert!(out.contains("wgpu:evaluator-hang: spirv is out of fuel"), "{engines}: {out}");
    }
    // With fuel that ends the loop it does come to the adapter, and that hangs.
    let few = POISONED.replace("4294967295", "40");
    fs::write(path, few).expect("the folder can be written");
    let (status, out) = fuzz("device,spirv,wgpu:evaluator-hang");
    assert_eq!(status, Some(1), "{out}");
    assert!(out.contains("hang in adapter"), "{out}");
}
