//! A campaign does not grow: its memory at the end of some 1,000 programs is about what it was
//! after the first of them. Where the system does not tell how much a process holds, this says so.
#![allow(clippy::print_stderr)] // A test must say what it did not compare.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// How many programs it draws. It is warm after a quarter of them: until then it holds more with
/// each that is larger than those before, and its caches fill with their texts.
const PROGRAMS: &str = "1200";

/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// MiB that it may hold more at its end than when it was warm. What it holds goes up and down by a
/// few with the programs that it is at.
const BOUND: u64 = 12;

/// The bytes that a process holds, where the system says so.
fn resident(process: &Child) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", process.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}

fn median(of: &[u64]) -> u64 {
    let mut sorted = of.to_vec();
    sorted.sort_unstable();
    sorted[sorted.len() / 2]
}

#[test]
fn a_campaign_does_not_grow() {
    let folder = TempDir::new().expect("a folder");
    let mut campaign = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .args(["fuzz", "--programs", PROGRAMS, "--seed", "1", "--jobs", "1"])
        .args(["--engines", "funmem,imp,spirv", "--findings"])
        .arg(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("lockstep starts");
    let mut held = Vec::new();
    let status = loop {
        held.extend(resident(&campaign));
        std::thread::sleep(LOOK);
        if let Some(status) = campaign.try_wait().expect("it is ours") {
            break status;
        }
    };
    assert!(status.success(), "{status}");
    if held.is_empty() {
        eprintln!("not compared, the system does not tell: how much memory a campaign holds");
        return;
    }
    assert!(held.len() > 40, "only {} looks say little", held.len());
    let quarter = held.len() / 4;
    let (warm, end) = (median(&held[quarter..2 * quarter]), median(&held[3 * quarter..]));
    let grown = end.saturating_sub(warm) >> 20;
    eprintln!("{} MiB, then {} MiB", warm >> 20, end >> 20);
    assert!(grown < BOUND, "it has grown by {grown} MiB in {PROGRAMS} programs");
}
