//! The toy language goes through every command, as text and as JSON. Nothing of the tester knows it
//! but by the table of languages: `cargo test --workspace --test faults toy`

use oracle::language::Lang;
use oracle::shrink::{Effort, artifact, statements};
use reference::kit::faults::Planted;
use reference::kit::language::{How, Settings};
use reference::kit::memory::Memory;
use reference::kit::outcome::{Budget, Ending, Scalar, Value};
use reference::languages::{Artifact, Rolls};
use std::process::Command;

const SUMS: &str = "../corpus/toy/pass/sums.toy";
const BY_NEED: &str = "../corpus/toy/pass/by_need.toy";

/// Runs a command as text and as JSON; the status and the text of each.
fn both(args: &[&str]) -> [(Option<i32>, String); 2] {
    [args.to_vec(), [args, &["--json"]].concat()].map(|args| {
        let output = Command::new(env!("CARGO_BIN_EXE_lockstep")).args(&args).output();
        let output = output.expect("lockstep starts");
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        if args.contains(&"--json") {
            for line in text.lines().filter(|line| line.starts_with('{')) {
                serde_json::from_str::<serde_json::Value>(line).expect("it is JSON");
            }
        }
        (output.status.code(), text)
    })
}

/// Runs a command, which ends well and says these words, as text and as JSON.
fn says(args: &[&str], words: [&str; 2]) {
    for ((status, text), words) in both(args).into_iter().zip(words) {
        assert_eq!(status, Some(0), "{args:?}: {text}");
        assert!(text.contains(words), "{args:?} does not say `{words}`: {text}");
    }
}

#[test]
fn it_is_run_checked_explained_and_compiled() {
    says(&["run", SUMS], ["8", "\"engine\":\"toy\""]);
    says(&["run", SUMS, "--engine", "device"], ["8", "\"engine\":\"device\""]);
    says(&["check", SUMS], ["well typed", "well typed"]);
    says(&["explain", SUMS], ["E-TOY-LET  let y = x + n + 1", "E-TOY-LET"]);
    says(&["explain", SUMS, "--types"], ["T-TOY-VAR  n", "T-TOY-VAR"]);
    says(&["compile", SUMS], ["let y : i32", "poison_checks"]);
    says(&["compile", SUMS, "--stage", "lower_toy"], ["let y : i32", "lower_toy"]);
}

#[test]
fn its_corpus_holds_and_covers_its_roll() {
    says(&["test", "../corpus/toy"], ["3 files, 3 cases, 0 failed", "toy"]);
    // The rules of the other languages are missing.
    for (_, text) in both(&["rules", "../corpus/toy"]) {
        assert!(!text.contains("never in toy") && text.contains("E-MEM"), "{text}");
    }
}

#[test]
fn programs_of_it_are_drawn_and_shrunk() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let findings = folder.path().join("findings");
    let findings = findings.to_str().expect("its name is plain");
    let fuzz = ["fuzz", "--language", "toy", "--programs", "300", "--seed", "1", "--jobs", "1"];
    let set = ["--set", "evaluation=by-need", "--restart", "--findings", findings];
    says(&[&fuzz[..], &set].concat(), ["programs of toy", "\"programs\":300"]);
    says(&["shrink", SUMS], ["nothing is wrong", "nothing is wrong"]);
    says(&["replay", SUMS], ["all agree", "all agree"]);

    let text = "param n m let x = n + 1 let y = m + n let z = x + y + y in z + x";
    let program = Lang::Toy.parse(text).expect("it is a program");
    let input = [Value::from(5), Value::from(7)];
    let mut is_large = |program: Artifact, input: &[Value]| {
        program.check(&mut Rolls::default()).is_ok() && result(&program, input) >= 12
    };
    let small = artifact(&program, &input, &mut is_large, Effort::default());
    // `y = m` and `z = y + y`: no binding, term or parameter can go.
    assert_eq!(statements(&small.program), 2, "{}", small.program.print());
    assert!(small.steps > 3);
}

fn result(program: &Artifact, input: &[Value]) -> i32 {
    let how = How {
        variant: "",
        schedule: 0,
        budget: &Budget::default(),
        settings: &Settings::default(),
        planted: Planted::NONE,
        memory: &mut Memory::default(),
    };
    match program.run(input, how, &mut Rolls::default()).ending {
        Ending::Value(values) if matches!(values[..], [Value::Scalar(Scalar::I32(_))]) => {
            match values[0] {
                Value::Scalar(Scalar::I32(k)) => k,
                _ => unreachable!("it is an int"),
            }
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn its_option_is_set_by_headers_and_on_the_command_line() {
    let lets = |args: &[&str]| both(args)[0].1.matches("E-TOY-LET").count();
    assert_eq!(lets(&["explain", BY_NEED]), 1);
    assert_eq!(lets(&["explain", BY_NEED, "--set", "evaluation=by-value"]), 2);
    for (set, words) in [
        ("evaluation=sometimes", "evaluation=by-value|by-need"),
        ("order=by-need", "there are evaluation"),
        ("evaluation", "NAME=VALUE"),
    ] {
        for (status, text) in both(&["run", SUMS, "--set", set]) {
            assert_eq!(status, Some(2), "{text}");
            assert!(text.contains(words), "{set} does not say `{words}`: {text}");
        }
    }
    let none = "../corpus/fun/pass/sum.fun";
    for (status, text) in both(&["run", none, "--set", "evaluation=by-need"]) {
        assert_eq!((status, text.contains("have no options")), (Some(2), true), "{text}");
    }
}
