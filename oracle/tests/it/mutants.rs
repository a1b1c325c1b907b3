//! Campaigns that start from programs: of the corpus, of a folder, of files.
#![allow(clippy::print_stdout)]

use crate::shares::at_least;
use oracle::campaign::draw_with;
use oracle::engine::Origin;
use oracle::generate::Weights;
use oracle::language::Lang;
use oracle::mutate::Sources;
use oracle::rolls::Rolls;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use tempfile::TempDir;

const MUTANTS: u64 = 400;

#[test]
fn mutants_of_the_corpus_are_well_typed_and_the_same_again() {
    let sources = Arc::new(Sources::of(&[], None, 100).expect("the corpus is there"));
    assert!(sources.len() > 300, "{} programs", sources.len());
    let mut languages: BTreeMap<Lang, u64> = BTreeMap::new();
    let [mut changed, mut mixed, mut refused] = [0; 3];
    for number in 0..MUTANTS {
        let draw = || draw_with(&sources, 3, number, &Weights::default());
        let (drawn, tries) = draw().expect("nothing panics");
        let again = draw().expect("nothing panics").0;
        assert_eq!(drawn.case, again.case);
        let case = drawn.case;
        let text = case.program.print();
        case.program.check(&mut Rolls::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(case.program.fit(case.input.clone()).as_ref(), Ok(&case.input), "{text}");
        *languages.entry(case.program.lang()).or_default() += 1;
        let Origin::Mutated { of, .. } = &case.origin else { panic!("{:?}", case.origin) };
        mixed += u64::from(of.contains(" with "));
        let source =
            fs::read_to_string(Path::new("..").join(of.split(" with ").next().unwrap_or(of)));
        let source = source.expect("the file is there");
        let source = case.program.lang().parse(&source).expect("it parses").print();
        changed += u64::from(source != text);
        refused += tries.refused;
    }
    let percent = |count: u64| 100.0 * count as f64 / MUTANTS as f64;
    println!("{languages:?}, {refused} texts refused");
    at_least("programs that are changed", percent(changed), 80.0);
    at_least("programs of two", percent(mixed), 2.0);
    for name in ["fun", "funmem", "imp", "fcl", "device"] {
        let lang = Lang::named(name).expect("a language");
        at_least(name, percent(languages.get(&lang).copied().unwrap_or(0)), 3.0);
    }
}

#[test]
fn mutants_have_the_share_that_is_told() {
    let sources = Arc::new(Sources::of(&[], None, 25).expect("the corpus is there"));
    let mutant = |number: &u64| sources.mutant(9, *number).expect("nothing panics").0.is_some();
    let mutants = (0..1000).filter(mutant).count();
    assert!((200..300).contains(&mutants), "{mutants}");
}

const SUM: &str = "-- input: 2, [3, 4]\nparam (n : int) (xs : mem [n])\nvar s : int;\nfor i <= n do
  var x : int;\n  x <- xs[i - 1];\n  s <- s + x\ndone\nresults (s)\n";

fn fuzz(folder: &Path, args: &[&str]) -> Output {
    let findings = folder.join("findings");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.arg("fuzz").args(args).args(["--engines", "fun,funmem,imp,device"]);
    command.arg("--findings").arg(findings).output().expect("lockstep starts")
}

fn summary(output: &Output) -> Value {
    let out = String::from_utf8_lossy(&output.stdout);
    let last = out.lines().last().unwrap_or_else(|| panic!("{output:?}"));
    serde_json::from_str(last).expect("a summary")
}

#[test]
fn files_are_fuzzed_by_their_inputs_and_go_on() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("sum.imp");
    fs::write(&file, SUM).expect("it can be written");
    let file = file.to_str().expect("a name");
    let usual = ["--seed", "1", "--programs", "40", "--json"];
    for mutate in [&[][..], &["--mutate"]] {
        let args = [&[file, "--restart"], &usual[..], mutate].concat();
        let output = fuzz(folder.path(), &args);
        let summary = summary(&output);
        assert_eq!(summary["programs"], 40, "{output:?}");
        assert_eq!(summary["mutants"]["made"], 40);
        let refused = summary["mutants"]["refused"].as_u64().expect("a count");
        assert_eq!(refused > 0, !mutate.is_empty(), "{refused} refused");
    }
    let output = fuzz(folder.path(), &["--resume", "--programs", "10", "--json"]);
    let after = summary(&output);
    assert_eq!(after["programs"], 50, "{output:?}");
    fs::write(file, SUM.replace("s + x", "s - x")).expect("it can be written");
    let output = fuzz(folder.path(), &["--resume", "--programs", "10"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("of digest"), "{output:?}");
}

#[test]
fn what_mutants_cannot_be_made_of_is_refused() {
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("it can be written");
        path.to_str().expect("a name").to_owned()
    };
    let ill = path("ill.imp", "results (x)\n");
    let no_input = path("no_input.imp", "param (n : int)\nskip\nresults (n)\n");
    let other = path("other.txt", "1\n");
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).expect("a folder");
    let empty = empty.to_str().expect("a name");
    for (args, words) in [
        (vec![ill.as_str()], "ill.imp"),
        (vec![&no_input], "-- input:"),
        (vec![&other], "extension"),
        (vec!["missing.imp"], "missing.imp"),
        (vec!["--seeds", empty], "no file below"),
        (vec!["--seeds", "missing"], "cannot be read"),
        (vec!["--mutate"], "FILE"),
        (vec!["--mutants", "101"], "101"),
    ] {
        let output = fuzz(folder.path(), &args);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {told}");
        assert!(told.contains(words), "{args:?}: {told}");
    }
    // A folder of programs serves in any language.
    let sum = TempDir::new().expect("a folder");
    fs::write(sum.path().join("sum.imp"), SUM).expect("it can be written");
    let seeds = sum.path().to_str().expect("a name");
    let args = ["--seeds", seeds, "--mutants", "20", "--programs", "30", "--seed", "2", "--json"];
    let output = fuzz(folder.path(), &[&args[..], &["--language", "fun"]].concat());
    assert_eq!(summary(&output)["programs"], 30, "{output:?}");
}

/// A quick look runs one other order than that of the semantics. Shaders take one of their own, in which the program
/// itself may race.
#[test]
fn a_race_of_another_order_is_no_finding() {
    let folder = TempDir::new().expect("a folder");
    for name in ["race_in_another_order", "race_in_another_order_of_a_group"] {
        let file = format!("../corpus/device/race/{name}.dev");
        for seed in ["1", "2", "3"] {
            let findings = folder.path().join(format!("{name}{seed}"));
            let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
            command.args(["fuzz", &file, "--programs", "12", "--seed", seed, "--jobs", "1"]);
            command.args(["--engines", "device,spirv", "--findings"]).arg(findings);
            let output = command.output().expect("lockstep starts");
            assert_eq!(output.status.code(), Some(0), "{output:?}");
        }
    }
}
