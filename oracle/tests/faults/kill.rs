//! What a campaign has printed is on the disk: kill -9 at any moment loses none of it, and leaves
//! no process behind. Without a planted fault there is nothing to find.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

#[test]
fn kill_9_loses_no_finding_that_was_printed() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let findings = folder.path().join("findings");
    let mut campaign = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .args(["fuzz", "--seconds", "120", "--seed", "1", "--jobs", "2", "--fault", "L3"])
        .args(["--engines", "funmem,imp", "--json", "--findings"])
        .arg(&findings)
        .stdout(Stdio::piped())
        .spawn()
        .expect("lockstep starts");
    let stdout = campaign.stdout.take().expect("it was piped");
    let line = BufReader::new(stdout).lines().next().expect("a finding").expect("it is text");
    // SIGKILL: nothing of the process gets to run any more.
    campaign.kill().expect("it can be killed");
    campaign.wait().expect("it was killed");
    let printed: serde_json::Value = serde_json::from_str(&line).expect("it is JSON");
    let file = printed["file"].as_str().expect("it names its file").to_owned();
    let text = std::fs::read_to_string(&file).expect("the finding is on the disk");
    assert!(text.contains("-- stage: insert_memory"), "{text}");
    let replayed = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .args(["replay", "--engines", "funmem,imp", "--fault", "L3", &file])
        .output()
        .expect("lockstep starts");
    let text = String::from_utf8_lossy(&replayed.stdout).into_owned();
    assert_eq!(replayed.status.code(), Some(1), "{text}");
    assert!(text.contains("still there"), "{text}");
    // Without the fault there is nothing wrong with the program.
    let text = std::fs::read_to_string(&file).expect("the finding is on the disk");
    std::fs::write(&file, text.replace("-- fault: L3\n", "")).expect("it can be written");
    let replayed = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .args(["replay", "--engines", "funmem,imp", &file])
        .output()
        .expect("lockstep starts");
    assert_eq!(replayed.status.code(), Some(0));
}
