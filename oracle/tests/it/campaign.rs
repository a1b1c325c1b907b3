//! Campaigns whose adapter breaks, and campaigns that are ended from a terminal. The adapter is
//! our evaluator in a child process, so no driver is needed; one that breaks does it on programs
//! of three kernels and more.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn fuzz(adapters: &str, folder: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command
        .args(["fuzz", "--language", "fun", "--seed", "1", "--share", "100", "--engines"])
        .arg(format!("funmem,imp:in-order,device,{adapters}"))
        .arg("--findings")
        .arg(folder.join("findings"))
        .args(more);
    command
}

/// The files of the findings; what the campaign keeps of itself stands beside them.
fn findings(folder: &Path) -> Vec<PathBuf> {
    programs(&folder.join("findings"))
}

/// The files of what did not count.
fn flaky(folder: &Path) -> Vec<PathBuf> {
    let flaky = folder.join("findings/flaky");
    if flaky.exists() { programs(&flaky) } else { Vec::new() }
}

fn programs(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    paths.filter(|path| oracle::language::of(path).is_some()).collect()
}

/// A short campaign on one adapter that breaks: its only finding that is kept, as text and as
/// JSON, and the summary.
fn campaign(adapters: &str, kind: &str, stage: &str) -> (String, Value) {
    campaign_of("12", adapters, kind, stage)
}

fn campaign_of(programs: &str, adapters: &str, kind: &str, stage: &str) -> (String, Value) {
    let folder = TempDir::new().expect("a folder");
    let most =
        ["--programs", programs, "--jobs", "1", "--keep", "1", "--shrink", "3", "--limit", "2"];
    let Output { status, stdout, stderr } =
        fuzz(adapters, folder.path(), &most).arg("--json").output().expect("lockstep starts");
    let out = String::from_utf8_lossy(&stdout);
    let err = String::from_utf8_lossy(&stderr);
    assert_eq!(status.code(), Some(1), "{out}{err}");
    let summary: Value = serde_json::from_str(out.lines().last().expect("a summary"))
        .unwrap_or_else(|error| panic!("{error}: {out}"));
    let files = findings(folder.path());
    assert_eq!(files.len(), 1, "{files:?}");
    let text = std::fs::read_to_string(&files[0]).expect("the finding is on the disk");
    assert!(text.contains(&format!("-- kind: {kind}\n")), "{text}");
    assert!(text.contains(&format!("-- stage: {stage}\n")), "{text}");
    assert!(text.contains("-- adapter: evaluator"), "{text}");
    assert!(text.contains("-- alone: shown 3 of 3 times\n"), "{text}");
    assert_eq!(flaky(folder.path()), [] as [PathBuf; 0], "what counts is not kept aside");
    (text, summary)
}

/// How many programs were compared on an adapter.
fn compared(summary: &Value, engine: &str) -> u64 {
    let engines = summary["engines"].as_array().expect("a list");
    let count = engines.iter().find(|count| count["engine"] == engine);
    count.and_then(|count| count["compared"].as_u64()).unwrap_or(0)
}

/// The campaign went on: all programs were examined, and most came to the adapter.
fn went_on(summary: &Value, engine: &str) {
    assert_eq!(summary["programs"], 12, "{summary}");
    let compared = compared(summary, engine);
    assert!(compared > 2, "only {compared} programs were compared on {engine}");
}

#[test]
fn a_child_that_dies_of_a_signal_is_a_finding_and_the_campaign_goes_on() {
    let (text, summary) = campaign("wgpu:evaluator-abort", "crash", "adapter");
    went_on(&summary, "wgpu:evaluator-abort");
    assert!(text.contains("broke: Crash"), "{text}");
}

#[test]
fn a_child_that_hangs_is_a_finding_and_the_campaign_goes_on() {
    let folder = TempDir::new().expect("a folder");
    let most = ["--programs", "6", "--jobs", "1", "--keep", "1", "--shrink", "0", "--limit", "0.5"];
    let adapter = "wgpu:evaluator-hang";
    let output =
        fuzz(adapter, folder.path(), &most).arg("--json").output().expect("lockstep starts");
    let out = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{out}");
    let summary: Value =
        serde_json::from_str(out.lines().last().expect("a summary")).expect("it is JSON");
    assert_eq!(summary["programs"], 6, "{summary}");
    let text = std::fs::read_to_string(&findings(folder.path())[0]).expect("it is on the disk");
    assert!(text.contains("-- kind: hang\n"), "{text}");
}

#[test]
fn a_child_that_panics_is_a_finding_and_the_campaign_goes_on() {
    let (text, summary) = campaign("wgpu:evaluator-panic", "panic", "adapter");
    went_on(&summary, "wgpu:evaluator-panic");
    assert!(text.contains("on purpose"), "{text}");
}

#[test]
fn a_lost_device_is_a_finding_and_the_campaign_goes_on() {
    let (text, summary) = campaign("wgpu:evaluator-lose", "lost", "adapter");
    went_on(&summary, "wgpu:evaluator-lose");
    assert!(text.contains("lost on purpose"), "{text}");
    assert_eq!(summary["findings_by_kind"].as_object().expect("a map").len(), 1, "{summary}");
}

/// This one is wrong on programs of three kernels if it ran another program before. Alone it never
/// is, so the driver is, and no program that could be kept shows it.
#[test]
fn what_an_adapter_does_not_show_alone_is_a_flake() {
    let folder = TempDir::new().expect("a folder");
    let few = ["--programs", "48", "--jobs", "1", "--keep", "2"];
    let fuzzed = |more: &[&str]| {
        let output = fuzz("wgpu:evaluator-flaky", folder.path(), &few).args(more).output();
        let output = output.expect("lockstep starts");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (status, out) = fuzzed(&[]);
    assert_eq!(status, Some(0), "{out}");
    assert!(out.contains("flake: value in adapter on wgpu:evaluator-flaky, shown 0 of 3 times"));
    assert!(out.contains("nothing found"), "{out}");
    assert_eq!(findings(folder.path()), [] as [PathBuf; 0]);
    let kept = flaky(folder.path());
    assert_eq!(kept.len(), 2, "{kept:?}");
    let text = std::fs::read_to_string(&kept[0]).expect("it is kept aside");
    assert!(text.contains("-- alone: shown 0 of 3 times\n"), "{text}");
    let (status, out) = fuzzed(&["--restart", "--json"]);
    assert_eq!(status, Some(0));
    let summary: Value =
        serde_json::from_str(out.lines().last().expect("a summary")).expect("it is JSON");
    assert_eq!(summary["findings"], serde_json::json!([]));
    let flakes = &summary["flakes"][0]["flakes"];
    let programs = flakes["programs"].as_u64().expect("a number");
    assert!(programs > 3, "{flakes}");
    assert_eq!((&flakes["shown"], &flakes["tries"]), (&0.into(), &(3 * programs).into()));
}

/// The evaluator agrees after the last pass, so no pass is blamed, and what naga makes of the
/// shaders ends rightly, so neither are they: the adapter is.
#[test]
fn a_wrong_adapter_is_blamed_itself() {
    let (text, summary) = campaign("wgpu:evaluator-wrong", "value", "adapter");
    assert!(text.contains("the driver is wrong"), "{text}");
    let adapters: Vec<&str> = summary["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|finding| finding["signature"]["adapter"].as_str())
        .collect();
    assert_eq!(adapters, ["wgpu:evaluator-wrong"]);
}

#[cfg(unix)]
mod interrupted {
    use super::*;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Stdio};

    /// Starts a campaign as a terminal does: in a process group of its own.
    fn start(adapters: &str, folder: &Path, more: &[&str]) -> Child {
        fuzz(adapters, folder, more)
            .args(["--seconds", "120", "--jobs", "2"])
            .process_group(0)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("lockstep starts")
    }

    /// Ctrl-C: SIGINT for all of the group. What the campaign said, and its status.
    fn end(campaign: Child) -> (Option<i32>, String) {
        let start = Instant::now();
        let group = format!("-{}", campaign.id());
        let sent = Command::new("kill").args(["-INT", "--", &group]).status().expect("kill runs");
        assert!(sent.success(), "there is no such group");
        let output = campaign.wait_with_output().expect("it ends");
        let took = start.elapsed();
        assert!(took < Duration::from_secs(10), "it took {took:?} to end");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    }

    #[test]
    fn ctrl_c_is_no_crash_of_an_adapter() {
        let folder = TempDir::new().expect("a folder");
        let campaign = start("wgpu:evaluator", folder.path(), &[]);
        std::thread::sleep(Duration::from_secs(2));
        let (status, out) = end(campaign);
        assert_eq!(status, Some(130), "{out}");
        assert!(out.contains("ended early by SIGINT") && out.contains("nothing found"), "{out}");
        assert_eq!(findings(folder.path()), [] as [PathBuf; 0]);
    }

    /// The children of a process that still run, where the system tells.
    #[cfg(target_os = "linux")]
    fn children(of: u32) -> Vec<u32> {
        let told = |entry: std::io::Result<std::fs::DirEntry>| {
            let process = entry.ok()?.file_name().to_str()?.parse::<u32>().ok()?;
            let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
            // Behind the name in parentheses: its state and its parent.
            let mut fields = stat.rsplit(')').next()?.split_whitespace();
            let (state, parent) = (fields.next()?, fields.next()?);
            (state != "Z" && parent.parse() == Ok(of)).then_some(process)
        };
        std::fs::read_dir("/proc").expect("it is Linux").filter_map(told).collect()
    }

    /// A child that is ended from outside is started again, and its program shows nothing alone: that is no
    /// finding, but told.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_child_that_somebody_ends_is_no_finding() {
        let folder = TempDir::new().expect("a folder");
        let mut campaign = start("wgpu:evaluator", folder.path(), &["--programs", "600"]);
        let mut killed = 0;
        // It ends by itself: of a program that is cut off nothing would be counted.
        while killed < 6 && campaign.try_wait().expect("it can be asked").is_none() {
            let children = children(campaign.id());
            for child in &children {
                let kill = Command::new("kill").args(["-KILL", &child.to_string()]).output();
                killed += u32::from(kill.expect("kill runs").status.success());
            }
            // The first is ended as soon as it is there: the campaign takes a second or two.
            let wait = if children.is_empty() { 5 } else { 300 };
            std::thread::sleep(Duration::from_millis(wait));
        }
        let output = campaign.wait_with_output().expect("it ends");
        let out = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{out}");
        let ended = out.lines().find_map(|line| line.strip_suffix(" ended by somebody else"));
        let ended = ended.and_then(|line| line.rsplit(' ').next()?.parse::<u32>().ok());
        // Those that examined a program alone when they were ended are not counted.
        assert!(ended.is_some_and(|ended| ended >= 1), "{killed} were ended: {out}");
        assert_eq!(findings(folder.path()), [] as [PathBuf; 0]);
    }

    /// A parent that is killed says nothing to its children; they end by themselves, also while one
    /// hangs.
    #[test]
    #[cfg(target_os = "linux")]
    fn children_end_with_their_parent() {
        let folder = TempDir::new().expect("a folder");
        let slow = ["--limit", "60"];
        let mut campaign = start("wgpu:evaluator-hang,wgpu:evaluator", folder.path(), &slow);
        let begun = Instant::now();
        let mut there = Vec::new();
        // Both workers have come to a program that hangs before any is asked of the other adapter.
        while there.len() < 2 || begun.elapsed() < Duration::from_secs(4) {
            assert!(begun.elapsed() < Duration::from_secs(60), "only {there:?} were started");
            std::thread::sleep(Duration::from_millis(100));
            there = children(campaign.id());
        }
        campaign.kill().expect("it can be killed");
        campaign.wait().expect("it ends");
        let alive = |process: &&u32| {
            std::fs::read_to_string(format!("/proc/{process}/cmdline"))
                .is_ok_and(|line| line.contains("evaluator"))
        };
        let killed = Instant::now();
        while let Some(process) = there.iter().find(alive) {
            assert!(killed.elapsed() < Duration::from_secs(5), "{process} is still there");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    #[test]
    fn ctrl_c_ends_shrinking_and_waiting() {
        // Each candidate of the shrinker that hangs takes so long.
        let folder = TempDir::new().expect("a folder");
        let slow = ["--limit", "1.5", "--shrink", "100"];
        let campaign = start("wgpu:evaluator-hang", folder.path(), &slow);
        let start = Instant::now();
        let there = || {
            let found = folder.path().join("findings");
            found.exists() && !findings(folder.path()).is_empty()
        };
        while !there() {
            assert!(start.elapsed() < Duration::from_secs(60), "nothing hangs");
            std::thread::sleep(Duration::from_millis(100));
        }
        std::thread::sleep(Duration::from_secs(1));
        let (status, out) = end(campaign);
        assert_eq!(status, Some(130), "{out}");
        assert!(out.contains("hang in adapter on wgpu:evaluator-hang"), "{out}");
    }
}

/// What shows it without its style is kept plain.
#[test]
fn a_style_that_has_no_part_in_a_finding_is_taken_back() {
    let (text, _) = campaign("wgpu:evaluator-wrong", "value", "adapter");
    assert!(text.contains("-- style: plain\n"), "{text}");
}

/// A campaign that is told a style draws none: the adapter is wrong in one that this is not.
#[test]
fn a_campaign_may_be_told_its_style() {
    let folder = TempDir::new().expect("a folder");
    for (style, status) in [("plain", 0), ("short-circuit", 1)] {
        let few =
            ["--programs", "40", "--keep", "1", "--shrink", "0", "--restart", "--style", style];
        let output = fuzz("wgpu:evaluator-style", folder.path(), &few).output();
        let output = output.expect("lockstep starts");
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(status), "{style}: {said}");
    }
}

/// A finding of a style keeps what it takes of it, and is there again when it is replayed.
#[test]
fn a_finding_keeps_its_style() {
    let (text, _) = campaign_of("400", "wgpu:evaluator-style", "value", "adapter");
    let style = text.lines().find_map(|line| line.strip_prefix("-- style: "));
    let style = style.expect("a finding names its style");
    assert!(style.starts_with("short-circuit") && !style.contains(','), "{style}");
    let folder = TempDir::new().expect("a folder");
    let replayed = |text: &str| {
        let path = folder.path().join("finding.fun");
        std::fs::write(&path, text).expect("the folder can be written");
        let output = Command::new(env!("CARGO_BIN_EXE_lockstep"))
            .args(["replay", "--engines", "device,wgpu:evaluator-style"])
            .arg(&path)
            .output()
            .expect("lockstep starts");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (status, out) = replayed(&text);
    assert!(status == Some(1) && out.contains("still there"), "{out}");
    let (status, out) = replayed(&text.replace("-- style: short-circuit", "-- style: while"));
    assert!(status == Some(0) && out.contains("not there any more"), "{out}");
}
