//! A planted fault that a campaign meets many times is few findings with many members, in one process or in
//! several.

use super::blame::Silent;
use oracle::campaign::{self, Settings, State, Summary};
use oracle::engines::child::Launcher;
use oracle::faults::Entry;
use oracle::stages::Plan;
use reference::kit::language;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

/// A campaign of so many programs that does not end with its first finding.
fn campaign(folder: &Path, id: &str, programs: u64, resumed: Option<State>) -> Summary {
    let settings = settings(folder, id, programs, resumed);
    campaign::run(&settings, &Arc::default(), &Silent)
}

fn settings(folder: &Path, id: &str, programs: u64, resumed: Option<State>) -> Settings {
    let fault = Entry::find(id).expect("it is on the list");
    Settings {
        seed: 1,
        first: 0,
        resumed,
        time: None,
        programs: Some(programs),
        threads: 1,
        findings: folder.to_owned(),
        claim: None,
        keep: 3,
        shrink: Duration::from_secs(60),
        adapters: Vec::new(),
        absent: None,
        launcher: Launcher::of(env!("CARGO_BIN_EXE_lockstep").into()),
        share: 0.0,
        only: vec!["funmem".to_owned(), "imp".to_owned()],
        plan: Plan { planted: fault.planted(), ..Plan::default() },
        language: None,
        options: language::Settings::default(),
        style: None,
        optimize: 0,
        fault: Some(id.to_owned()),
        sources: oracle::mutate::Sources::none().into(),
        first_only: false,
    }
}

/// Members of each finding, and how many programs showed one.
fn members(summary: &Summary) -> (Vec<u64>, u64) {
    let known = summary.known.iter().map(|known| known.members);
    (known.chain(summary.kept.iter().map(|kept| kept.members)).collect(), summary.tally.found())
}

/// What the files in the folder say.
fn named(folder: &Path) -> Vec<u64> {
    let mut named = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        if path.extension().is_none_or(|extension| extension == "json") || path.is_dir() {
            continue;
        }
        let text = fs::read_to_string(&path).expect("it is text");
        let line = text.lines().find_map(|line| line.strip_prefix("-- members: "));
        let number = line.and_then(|line| line.split(' ').next()?.parse().ok());
        named.push(number.unwrap_or_else(|| panic!("{}: {text}", path.display())));
    }
    named.sort_unstable();
    named
}

#[test]
fn a_fault_that_is_found_often_is_few_findings() {
    for id in ["X1", "L3"] {
        let folder = tempfile::TempDir::new().expect("a folder");
        let summary = campaign(folder.path(), id, 1_200, None);
        let (mut members, found) = members(&summary);
        assert!(found >= 10, "{id}: {found}");
        assert!(members.len() as u64 * 2 < found, "{id}: {members:?}");
        assert!(members.iter().any(|members| *members > 3), "{id}: {members:?}");
        assert_eq!(members.iter().sum::<u64>(), found, "{id}: {members:?}");
        members.sort_unstable();
        assert_eq!(named(folder.path()), members, "{id}");
    }
}

/// No two findings that are alike have the same program but for names.
#[test]
fn findings_of_one_cause_are_one() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let summary = campaign(folder.path(), "L3", 400, None);
    let mut programs = Vec::new();
    for kept in &summary.kept {
        let lang = kept.record.case.program.lang();
        let text = fs::read_to_string(&kept.path).expect("it is there");
        let body: Vec<&str> = text.lines().filter(|line| !line.starts_with("--")).collect();
        lang.parse(&text).expect("it is a program");
        programs.push((kept.record.finding.signature(), body.join("\n")));
    }
    let all = programs.len();
    programs.sort();
    programs.dedup();
    assert_eq!(programs.len(), all);
}

/// In parts it counts what it counts in one piece.
#[test]
fn resumed_campaigns_keep_the_members() {
    let (whole, parts) = (tempfile::TempDir::new(), tempfile::TempDir::new());
    let (whole, parts) = (whole.expect("a folder"), parts.expect("a folder"));
    let in_one = members(&campaign(whole.path(), "L3", 400, None));
    let first = members(&campaign(parts.path(), "L3", 150, None));
    let state = State::read(parts.path()).expect("it was kept");
    let second = members(&campaign(parts.path(), "L3", 250, Some(state)));
    assert!(first.1 > 0 && second.1 > first.1);
    assert_eq!(in_one, second);
    assert_eq!(named(whole.path()), named(parts.path()));
}

/// A finding says what was drawn for the passes where that was not taken back, and `replay` draws the same.
#[test]
fn a_finding_is_replayed_with_its_decisions() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let mut settings = settings(folder.path(), "L3", 200, None);
    settings.plan.decisions.chaos = Some(3);
    settings.plan.decisions.limit = Some(1_000_000);
    settings.shrink = Duration::ZERO;
    settings.keep = 1;
    let summary = campaign::run(&settings, &Arc::default(), &Silent);
    let kept = summary.kept.first().expect("it is found");
    let text = fs::read_to_string(&kept.path).expect("it is there");
    assert!(text.contains("-- chaos: 3\n-- decisions: 1000000\n"), "{text}");
    let replay = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
        let command = command.args(["replay", "--engines", "funmem,imp"]).arg(&kept.path);
        command.output().expect("lockstep starts").status.code()
    };
    assert_eq!(replay(), Some(1));
}
