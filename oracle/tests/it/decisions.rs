//! Whatever passes decide, a program does the same.

use oracle::check::Tester;
use oracle::corpus::judge;
use oracle::language::{self, Lang};
use oracle::stages::{EMIT, Plan, Stages};
use reference::kit::decisions::{Answer, Policy};
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

/// On the engines that need no adapter each file of the corpus does what it says without any decision, or with drawn ones.
#[test]
fn the_corpus_agrees_whatever_is_decided() {
    let drawn = |seed| Policy { chaos: Some(seed), limit: None };
    let policies = [Policy { limit: Some(0), chaos: None }, drawn(1), drawn(2), drawn(3)];
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let tester = |&decisions| Tester::new(Vec::new(), Plan { decisions, ..Plan::default() });
    let mut testers: Vec<Tester> = policies.iter().map(tester).collect();
    let mut failures = Vec::new();
    let mut files = 0;
    for entry in walkdir::WalkDir::new(&corpus).sort_by_file_name() {
        let entry = entry.expect("the corpus can be read");
        let Some(lang) = language::of(entry.path()).filter(|_| entry.file_type().is_file()) else {
            continue;
        };
        let tester = &mut testers[files % policies.len()];
        files += 1;
        let name = entry.path().strip_prefix(&corpus).unwrap_or(entry.path()).display().to_string();
        let text = std::fs::read_to_string(entry.path()).expect("the corpus is text");
        let judged = judge(tester, &name, lang, &text);
        failures.extend(judged.failures.iter().map(|failure| failure.of(&name)));
    }
    assert!(files > 500, "{files}");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A program of which every pass that may choose has something to decide.
const CHOICES: &str = "param (n : int) (xs : [n])
    let (ys : [n]) = kernel i <= n do
      let (t : [n]) = if i then in (iota n) else in (copy xs)
      let (a : int) = t[i]
      let (b : int) = xs[i]
      let (c : int) = xs[i]
      in (a + b * c)
    let (zs : [n]) = copy ys
    in (ys, zs)";

#[test]
fn each_pass_reports_what_it_decides() {
    let program = Lang::Fun.parse(CHOICES).expect("the program parses");
    let report = |decisions| {
        let stages = Stages::reported(&program, Plan { decisions, ..Plan::default() }, EMIT);
        assert!(stages.end.is_none() && stages.shaders.is_some());
        stages.report
    };
    let all = report(Policy::default());
    for stage in ["elide_copies", "hoist_allocations", "expand_memory", "lower", "simplify"] {
        assert!(all.iter().any(|it| it.stage == stage && it.answer == Answer::Made), "{stage}");
    }
    let made = |report: &[_]| {
        let made = report.iter().filter_map(|it: &reference::kit::decisions::Decision| it.number);
        made.collect::<Vec<_>>()
    };
    let count = all.iter().filter(|it| it.answer == Answer::Made).count() as u64;
    assert_eq!(made(&all), (1..=count).collect::<Vec<_>>());
    for limit in [0, 1, count / 2, count, count + 1] {
        let some = report(Policy { limit: Some(limit), chaos: None });
        assert_eq!(made(&some), (1..=limit.min(count)).collect::<Vec<_>>());
        assert_eq!(some.iter().any(|it| it.answer == Answer::Limit), limit < count, "{limit}");
    }
    let drawn = |seed| report(Policy { chaos: Some(seed), limit: None });
    assert_eq!(drawn(5), drawn(5));
    assert!((0..20).any(|seed| drawn(seed).iter().any(|it| it.answer == Answer::Drawn)));
    assert!((0..20).any(|seed| drawn(seed) != drawn(seed + 1)));
}

fn compile(file: &std::path::Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.arg("compile").arg(file).args(more).output().expect("lockstep starts")
}

/// A report is words in comments, so that what is printed stays a program, or a list in JSON.
#[test]
fn a_report_stands_before_the_program() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let file = folder.path().join("choices.fun");
    std::fs::write(&file, CHOICES).expect("it can be written");
    let told = |more: &[&str]| {
        let output = compile(&file, more);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("it is text")
    };
    let plain = told(&[]);
    let all = told(&["--report"]);
    assert!(all.contains("-- elide_copies: 1. the result") && all.ends_with(&plain), "{all}");
    Lang::Device.parse(&all).expect("it is a program");
    let some = told(&["--report", "--decisions", "1"]);
    assert!(some.contains("-- simplify: past the last decision: "), "{some}");
    assert!(!some.contains(": 2. ") && !some.ends_with(&plain), "{some}");
    let drawn = (0..20).map(|seed| told(&["--report", "--chaos", &seed.to_string()]));
    assert!(drawn.into_iter().any(|text| text.contains(": not drawn: ")));
    let line: Value = serde_json::from_str(&told(&["--report", "--json"])).expect("it is JSON");
    let first = &line["report"][0];
    assert_eq!((&first["stage"], &first["number"]), (&"elide_copies".into(), &1.into()), "{first}");
    let line: Value = serde_json::from_str(&told(&["--json"])).expect("it is JSON");
    assert_eq!((line["text"].as_str(), line.get("report")), (Some(&*plain), None));
    for wrong in [["--chaos", "x"], ["--decisions", "-1"]] {
        assert_eq!(compile(&file, &wrong).status.code(), Some(2));
    }
}

/// A program is compiled again as its header says, and a header that says no number is refused with its place.
#[test]
fn a_header_says_how_passes_decide() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let file = folder.path().join("noted.fun");
    let replay = |chaos: &str| {
        let text =
            format!("-- input: 3, [1, 2, 3]\n-- chaos: {chaos}\n-- decisions: 7\n{CHOICES}\n");
        std::fs::write(&file, text).expect("it can be written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
        let command =
            command.args(["replay", "--engines", "fun,funmem,imp,device,spirv"]).arg(&file);
        let output = command.output().expect("lockstep starts");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(replay("5").0, Some(0));
    let (status, said) = replay("five");
    assert_eq!(status, Some(2));
    assert!(
        said.contains("`chaos` is a number, not `five`") && said.contains("noted.fun:2"),
        "{said}"
    );
}
