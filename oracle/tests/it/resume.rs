//! A campaign that is ended, by whatever, goes on where it was: what it counts in parts is what it
//! counts in one piece, and no finding is lost or told twice. The adapter is our evaluator in a child
//! process, wrong on programs of three kernels and more.

use oracle::language;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const ENGINES: &str = "funmem,imp:in-order,device,wgpu:evaluator-wrong";

fn fuzz(findings: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.arg("fuzz").arg("--findings").arg(findings).args(more);
    command
}

/// A campaign of so many programs from its start, all of which go to the adapter.
fn start(findings: &Path, programs: u64, more: &[&str]) -> Command {
    let programs = programs.to_string();
    let usual = ["--seed", "8", "--share", "100", "--json", "--engines", ENGINES];
    let mut command = fuzz(findings, &usual);
    command.args(["--programs", &programs]).args(more);
    command
}

/// The same campaign, going on for so many programs.
fn go_on(findings: &Path, programs: u64, more: &[&str]) -> Command {
    let programs = programs.to_string();
    let mut command = fuzz(findings, &["--resume", "--share", "100", "--json"]);
    command.args(["--programs", &programs]).args(more);
    command
}

fn lines(output: &Output) -> Vec<Value> {
    let out = String::from_utf8_lossy(&output.stdout);
    // The last line of one that was killed may be cut.
    out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// What is left of a summary without times and without what only one process knows.
fn counts(summary: &Value) -> Value {
    let mut counts = serde_json::Map::new();
    for key in ["programs", "shares", "sizes", "meant_to_run", "ran", "never", "findings", "lost"] {
        counts.insert(key.to_owned(), summary[key].clone());
    }
    let engines = summary["engines"].as_array().expect("a list").iter();
    let engines = engines.map(|of| {
        Value::from(vec![of["engine"].clone(), of["runs"].clone(), of["compared"].clone()])
    });
    counts.insert("engines".to_owned(), engines.collect());
    Value::Object(counts)
}

/// The names of the programs in a folder; each is whole.
fn programs(findings: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let Ok(entries) = fs::read_dir(findings) else { return names };
    for entry in entries {
        let path = entry.expect("it can be read").path();
        let Some(lang) = language::of(&path) else { continue };
        let text = fs::read_to_string(&path).expect("it can be read");
        assert!(text.starts_with("-- Lockstep found this."), "{}: {text}", path.display());
        lang.parse(&text).unwrap_or_else(|error| panic!("{}: {error:?}", path.display()));
        names.insert(path.file_name().expect("a file").to_string_lossy().into_owned());
    }
    names
}

/// How many members a finding has by its header.
fn named_members(path: &Path) -> u64 {
    let text = fs::read_to_string(path).expect("it can be read");
    let line = text.lines().find_map(|line| line.strip_prefix("-- members: "));
    let number =
        line.and_then(|line| line.split(' ').next()).and_then(|number| number.parse().ok());
    number.unwrap_or_else(|| panic!("{}: {text}", path.display()))
}

/// How many programs of the state count.
fn counted(findings: &Path) -> u64 {
    let Ok(text) = fs::read_to_string(findings.join("campaign.json")) else { return 0 };
    let state: Value = serde_json::from_str(&text).expect("a state is whole at any time");
    let open = state["position"]["open"].as_array().expect("a list").len() as u64;
    let next = state["position"]["next"].as_u64().expect("a number");
    assert_eq!(state["tally"]["programs"], next - open, "it fits together");
    next - open
}

#[test]
fn a_campaign_in_parts_is_the_campaign_in_one_piece() {
    let folder = TempDir::new().expect("a folder");
    let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
    let usual = ["--jobs", "1", "--keep", "1000", "--shrink", "0"];
    let in_one = start(&whole, 24, &usual).output().expect("lockstep starts");
    let first = start(&parts, 12, &usual).output().expect("lockstep starts");
    let second = go_on(&parts, 12, &usual).output().expect("lockstep starts");
    let [in_one, first, second] = [in_one, first, second].map(|output| {
        assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
        lines(&output).pop().expect("a summary")
    });
    assert_eq!(counts(&in_one), counts(&second));
    assert_eq!(second["resumed"]["programs"], 12);
    assert_eq!(programs(&whole), programs(&parts));
    let told = |summary: &Value, key: &str| summary[key].as_array().expect("a list").len();
    assert!(told(&first, "kept") > 0 && told(&second, "kept") > 0, "both find something");
    assert_eq!(told(&first, "kept"), told(&second, "kept_before"));
    assert_eq!(told(&in_one, "kept"), told(&second, "kept_before") + told(&second, "kept"));
}

/// Killed at many moments: while it shrinks, writes, waits for its child. Each time all files are
/// whole, and all that was told is there; in the end nothing was told twice, and everything was
/// counted once.
#[test]
fn kill_9_at_any_moment_loses_nothing() {
    let folder = TempDir::new().expect("a folder");
    let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
    const PROGRAMS: u64 = 16;
    let usual = ["--jobs", "2", "--keep", "1000", "--shrink", "0.1"];
    let in_one = start(&whole, PROGRAMS, &usual).output().expect("lockstep starts");
    let mut told: Vec<PathBuf> = Vec::new();
    let mut ended = Vec::new();
    for kill in 0..u64::MAX {
        let left = PROGRAMS - counted(&parts);
        let mut command = match parts.join("campaign.json").exists() {
            true => go_on(&parts, left, &usual),
            false => start(&parts, left, &usual),
        };
        let mut campaign =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        // The last one may come to its end.
        if kill < 8 {
            std::thread::sleep(Duration::from_millis(100 + 173 * kill % 900));
            campaign.kill().expect("it can be killed");
        }
        let output = campaign.wait_with_output().expect("it ends");
        let said = lines(&output);
        told.extend(said.iter().filter_map(|line| line["file"].as_str().map(PathBuf::from)));
        let there = programs(&parts);
        for path in &told {
            let name = path.file_name().expect("a file").to_string_lossy().into_owned();
            assert!(there.contains(&name), "{name} was told and is lost");
        }
        if output.status.code().is_some() {
            ended = said;
            break;
        }
    }
    let summary = ended.pop().expect("a summary");
    let in_one = lines(&in_one).pop().expect("a summary");
    assert_eq!(counts(&in_one), counts(&summary));
    // How far each is shrunk, and so which have one cause, depends on the time that there was.
    for (summary, folder) in [(&in_one, &whole), (&summary, &parts)] {
        let found = summary["findings"].as_array().expect("a list").iter();
        let found: u64 = found.filter_map(|of| of["programs"].as_u64()).sum();
        let told = ["kept_before", "kept"].map(|key| summary[key].as_array().expect("a list"));
        let members: u64 =
            told.iter().flat_map(|told| *told).filter_map(|of| of["members"].as_u64()).sum();
        assert_eq!(members, found, "each finding is a member of one that is kept: {summary}");
        let named: u64 =
            programs(folder).iter().map(|name| named_members(&folder.join(name))).sum();
        assert_eq!(named, found, "and the files say so");
    }
    let once: BTreeSet<&PathBuf> = told.iter().collect();
    assert_eq!(once.len(), told.len(), "told twice: {told:?}");
    // What was kept and not told is in the summary.
    let known = ["kept_before", "kept"].map(|key| summary[key].as_array().expect("a list").len());
    assert_eq!(known.iter().sum::<usize>(), programs(&parts).len());
    let litter = fs::read_dir(&parts).expect("it is there").filter(|entry| {
        let name = entry.as_ref().expect("it can be read").file_name();
        name.to_string_lossy().ends_with(".unfinished")
    });
    assert_eq!(litter.count(), 0, "what was left unfinished is taken away");
}

/// How a campaign that cannot go on is refused.
fn refused(command: &mut Command, why: &[&str]) {
    let output = command.output().expect("lockstep starts");
    let err = String::from_utf8_lossy(&output.stderr).replace('\n', " ");
    assert_eq!(output.status.code(), Some(2), "{err}");
    let err: String = err.split_whitespace().filter(|word| *word != "│").collect();
    for why in why {
        let why: String = why.split_whitespace().collect();
        assert!(err.contains(&why), "no `{why}` in {err}");
    }
}

#[test]
fn a_state_that_does_not_fit_is_refused() {
    let folder = TempDir::new().expect("a folder");
    let findings = folder.path().join("findings");
    let again = |more: &[&str]| go_on(&findings, 1, more);
    refused(&mut again(&[]), &["no campaign", "it is not there"]);
    assert!(!findings.exists(), "nothing is made for a campaign that is not there");
    let few = ["--engines", "fun,imp", "--style", "while", "--decisions", "9"];
    let begun = fuzz(&findings, &["--seed", "7", "--programs", "5"]).args(few).output();
    assert_eq!(begun.expect("lockstep starts").status.code(), Some(0));
    for (option, other, said) in [
        ("--seed", "8", "--seed: 7 there, 8 here"),
        ("--first", "3", "--first: 0 there, 3 here"),
        ("--engines", "fun", "--engines: fun,imp there, fun here"),
        ("--language", "device", "--language: none there, device here"),
        ("--style", "plain", "--style: while there, plain here"),
        ("--workarounds", "none", "--workarounds: all there, none here"),
        ("--chaos", "5", "--chaos: none there, 5 here"),
        ("--decisions", "0", "--decisions: 9 there, 0 here"),
    ] {
        refused(&mut again(&[option, other]), &["other options", said]);
    }
    // An option may be repeated with the same value.
    let same = again(&["--seed", "7"]).args(few).output().expect("lockstep starts");
    assert_eq!(lines(&same).pop().expect("a summary")["programs"], 6);
    let path = findings.join("campaign.json");
    let text = fs::read_to_string(&path).expect("it is there");
    let write = |text: &str| fs::write(&path, text).expect("it can be written");
    write(&text.replace("\"adapters\":[]", "\"adapters\":[\"gpu (1.0)\"]"));
    refused(&mut again(&[]), &["the adapters: gpu (1.0) there, none here"]);
    write(&text.replace("lockstep 0.1.0", "lockstep 0.0.9"));
    refused(&mut again(&[]), &["it is of lockstep 0.0.9"]);
    write(&text.replace("\"draws\":\"", "\"draws\":\"0"));
    refused(&mut again(&[]), &["it is of a build that draws other programs"]);
    for damaged in [&text[..text.len() / 2], "", "{}", "[1, 2]", "\u{0}\u{0}\u{0}"] {
        write(damaged);
        refused(&mut again(&[]), &["it is damaged"]);
    }
    fs::remove_file(&path).expect("it is there");
    fs::create_dir(&path).expect("it can be made");
    refused(&mut again(&[]), &["campaign.json"]);
}

#[test]
fn two_campaigns_do_not_share_a_folder() {
    let folder = TempDir::new().expect("a folder");
    let findings = folder.path().join("findings");
    let mut first = fuzz(&findings, &["--seconds", "60", "--jobs", "1", "--engines", "fun,imp"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("lockstep starts");
    while !findings.join("campaign.json").exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    refused(&mut fuzz(&findings, &["--programs", "1"]), &["another campaign is writing to"]);
    refused(&mut go_on(&findings, 1, &[]), &["another campaign is writing to"]);
    first.kill().expect("it can be killed");
    first.wait().expect("it ends");
    let next = go_on(&findings, 1, &[]).output().expect("lockstep starts");
    assert_eq!(next.status.code(), Some(0), "who is killed leaves the folder");
}

/// What was asked of an adapter when Ctrl-C came was not answered: its program does not count, and
/// is looked at when the campaign goes on.
#[test]
#[cfg(unix)]
fn a_program_that_ctrl_c_cuts_off_does_not_count() {
    let folder = TempDir::new().expect("a folder");
    let findings = folder.path().join("findings");
    let usual = ["--share", "100", "--jobs", "1", "--shrink", "0", "--json"];
    let slow = ["--engines", "device,wgpu:evaluator-hang", "--limit", "60", "--seconds", "300"];
    // How many programs count when it was cut off after a while.
    let cut_off = |how: &[&str]| {
        let mut campaign = fuzz(&findings, how);
        let campaign = campaign.args(usual).args(slow).stdout(Stdio::piped()).spawn();
        let campaign = campaign.expect("lockstep starts");
        std::thread::sleep(Duration::from_millis(2_500));
        let sent = Command::new("kill").args(["-INT", &campaign.id().to_string()]).status();
        assert!(sent.expect("kill runs").success(), "the campaign is not there");
        let output = campaign.wait_with_output().expect("it ends");
        let summary = lines(&output).pop().expect("a summary");
        assert_eq!(summary["findings"], serde_json::json!([]), "{summary}");
        assert_eq!((output.status.code(), &summary["interrupted"]), (Some(130), &"SIGINT".into()));
        // Nothing of it counts, not even that it was generated.
        let state = fs::read_to_string(findings.join("campaign.json")).expect("it is kept");
        let state: Value = serde_json::from_str(&state).expect("it is JSON");
        let generated = &state["tally"]["passes"]["generate"]["runs"];
        let programs = state["tally"]["programs"].as_u64();
        assert_eq!(Some(generated.as_u64().unwrap_or(0)), programs, "one counts twice");
        counted(&findings)
    };
    // When it comes no further it was cut off at a program that hangs.
    let mut before = cut_off(&["--seed", "1"]);
    loop {
        let after = cut_off(&["--resume"]);
        if after == before {
            break;
        }
        before = after;
    }
    // What hangs is shown when it goes on.
    let again = go_on(&findings, 1, &["--limit", "0.5", "--jobs", "1", "--shrink", "0"]).output();
    let summary = lines(&again.expect("lockstep starts")).pop().expect("a summary");
    let kind = &summary["findings"][0]["signature"]["kind"];
    assert_eq!(kind, "hang", "{summary}");
}
