//! A campaign does not grow: its memory after some thousand programs is what it was after some
//! hundred. Where the system does not tell how much a process holds, this says so.
#![allow(clippy::print_stderr)] // A test must say what it did not compare.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// For how much of its 24 seconds the campaign is looked at, in twentieths of a second. It is warm
/// after some five: until then it holds more with each program that is larger than those before.
const LOOKS: usize = 440;
const LOOK: Duration = Duration::from_millis(50);

/// MiB that it may hold more at its end than when it was warm. What it holds goes up and down by a
/// few with the programs that it is at.
const BOUND: u64 = 24;

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
    let campaign = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .args(["fuzz", "--seconds", "24", "--seed", "1", "--jobs", "1", "--json"])
        .args(["--engines", "funmem,imp", "--findings"])
        .arg(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("lockstep starts");
    let mut held = Vec::new();
    for _ in 0..LOOKS {
        std::thread::sleep(LOOK);
        held.extend(resident(&campaign));
    }
    let output = campaign.wait_with_output().expect("it ends");
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a summary");
    if held.is_empty() {
        eprintln!("not compared, the system does not tell: how much memory a campaign holds");
        return;
    }
    let programs = summary["programs"].as_u64().expect("a number");
    let quarter = held.len() / 4;
    let (warm, end) = (median(&held[quarter..2 * quarter]), median(&held[3 * quarter..]));
    let grown = end.saturating_sub(warm) >> 20;
    eprintln!("{programs} programs; {} MiB, then {} MiB", warm >> 20, end >> 20);
    assert!(programs > 300, "only {programs} programs say little");
    assert!(grown < BOUND, "it has grown by {grown} MiB in {programs} programs");
}
