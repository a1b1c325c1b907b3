//! A file of a finding says of each side what is said of it when the file is read again, and at the same
//! places: whether it was made smaller or not.

use std::process::{Command, Output};
use tempfile::TempDir;

/// Standard output, of a machine without a driver.
fn lockstep(args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    let nowhere = [("VK_DRIVER_FILES", "/nonexistent"), ("VK_ICD_FILENAMES", "/nonexistent")];
    let Output { stdout, .. } = command.args(args).envs(nowhere).output().expect("it starts");
    String::from_utf8(stdout).expect("text")
}

/// What the run shows that a finding is about is data of the kind of the finding.
fn is_data(finding: &serde_json::Value) {
    let place = |of: &serde_json::Value| of["place"].as_str().is_some_and(|at| at.contains(':'));
    match finding["kind"].as_str() {
        Some("race" | "missed-race") => {
            let race = &finding["races"][0];
            assert!(place(race) && place(&race["first"]) && place(&race["second"]), "{finding}");
        }
        Some("unwritten") => assert!(finding["unwritten"]["block"].is_string(), "{finding}"),
        // One of the two sides is stuck, and it may be the other one.
        Some("stuck") => assert!(
            place(&finding["stuck"])
                || finding["text"].as_str().is_some_and(|text| text.contains("a result instead")),
            "{finding}"
        ),
        _ => assert_eq!(finding["races"], serde_json::json!([]), "{finding}"),
    }
}

/// Finds a fault, keeps the finding as it is or made smaller, and reads it again. How many places it holds.
fn read_again(fault: &str, seed: &str, shrink: &str) -> usize {
    let folder = TempDir::new().expect("a folder");
    let findings = folder.path().to_str().expect("a plain name");
    let usual = ["--jobs", "1", "--seconds", "60", "--findings", findings, "--json"];
    let campaign = ["fuzz", "--fault", fault, "--seed", seed, "--shrink", shrink];
    let found = lockstep(&[&campaign[..], &usual].concat());
    let objects = found.lines().map(|line| serde_json::from_str(line).expect("an object"));
    let objects: Vec<serde_json::Value> = objects.collect();
    let found = objects.iter().find(|object| object["file"].is_string()).expect("a finding");
    let file = found["file"].as_str().expect("a path");
    let text = std::fs::read_to_string(file).expect("it was written");
    let held: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("-- answer: ")).collect();
    let again = lockstep(&["replay", file, "--json"]);
    let again: serde_json::Value = serde_json::from_str(&again).expect("an object");
    for says in [&found["says"], &again["says"]] {
        let said = says.as_array().expect("what each side answered").iter().map(|told| {
            let [engine, stage, answer] =
                ["engine", "stage", "answer"].map(|key| told[key].as_str().expect("words"));
            format!("{engine} after {stage}: {answer}")
        });
        assert_eq!(said.collect::<Vec<_>>(), held, "{fault}, seed {seed}: {text}");
    }
    for key in ["place", "class", "finding"] {
        assert_eq!(found[key], again[key], "{fault}, seed {seed}: {key} of {text}");
    }
    is_data(&found["finding"]);
    held.iter().filter(|answer| answer.contains(", at ")).count()
}

#[test]
fn a_file_holds_the_places_that_are_read_in_it() {
    let mut places = 0;
    for fault in ["R1", "X1", "L1", "B1", "U1"] {
        for seed in ["3", "16", "17"] {
            for shrink in ["0", "30"] {
                places += read_again(fault, seed, shrink);
            }
        }
    }
    assert!(places >= 24, "{places}");
}
