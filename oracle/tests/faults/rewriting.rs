//! A law that is wrong, where FUN programs are rewritten first: the plan is wrong, or its certificate is. The finding names
//! the law, is small, and is found again by its file alone.

use super::blame::{self, Silent};
use oracle::campaign::{self, Settings};
use oracle::check::Kind;
use oracle::faults::Entry;
use oracle::language::Lang;
use oracle::stages::OPTIMIZE;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

fn settings(folder: &Path, id: &str, seed: u64) -> Settings {
    let fault = Entry::find(id).expect("it is on the list");
    Settings { language: Lang::named("fun"), optimize: 100, ..blame::settings(folder, fault, seed) }
}

/// Status and all that a command says.
fn lockstep(args: &[&str], file: &Path) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.env("VK_DRIVER_FILES", "/nonexistent").env("VK_ICD_FILENAMES", "/nonexistent");
    let out = command.args(args).arg(file).output().expect("lockstep starts");
    let text = [out.stdout, out.stderr].concat();
    (out.status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned())
}

/// The plan itself is wrong: an axis is split into tiles that do not make it up.
#[test]
fn a_plan_by_a_wrong_law_is_found_shrunk_and_found_again() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let summary = campaign::run(&settings(folder.path(), "A2", 1), &Arc::default(), &Silent);
    let kept = summary.kept.first().expect("it is found");
    let text = fs::read_to_string(&kept.path).expect("it is there");
    let finding = &kept.record.finding;
    assert_eq!((finding.stage, finding.kind), (OPTIMIZE, Kind::Value), "{text}");
    assert_eq!(finding.instruction.as_deref(), Some("split-build"), "{text}");
    assert!(text.contains("law split-build"), "{text}");
    assert!(kept.record.statements() <= 6 && kept.was >= kept.record.statements(), "{text}");
    assert!(text.contains("-- optimize: yes\n") && text.contains("-- fault: A2\n"), "{text}");

    let (status, said) = lockstep(&["replay"], &kept.path);
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("still there: value in optimize (split-build)"), "{said}");
    assert!(said.contains("law split-build"), "{said}");
    let (status, said) = lockstep(&["shrink"], &kept.path);
    assert_eq!(status, 1, "{said}");
    for has in ["-- stage: optimize\n", "-- optimize: yes\n", "-- fault: A2\n", "law split-build"] {
        assert!(said.contains(has), "{has}: {said}");
    }
    // Without the fault nothing is wrong with the program.
    let other = folder.path().join("other.fun");
    fs::write(&other, text.replace("-- fault: A2\n", "")).expect("it can be written");
    let (status, said) = lockstep(&["replay"], &other);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("is not there any more"), "{said}");
}

#[test]
fn the_command_says_that_the_law_is_to_blame() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let args = ["fuzz", "--fault", "A2", "--language", "fun", "--optimize", "100", "--seed", "1"];
    let args = [&args[..], &["--jobs", "1", "--engines", "imp,fun", "--findings"]].concat();
    let (status, said) = lockstep(&args, &folder.path().join("findings"));
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("split-build is blamed, the pass that carries it"), "{said}");
}

/// A law of λG is wrong: the finding names it, and is found again by its file alone.
#[test]
fn a_wrong_law_of_lambda_g_is_found_shrunk_and_found_again() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let args = ["fuzz", "--fault", "G24", "--seed", "1", "--jobs", "1", "--engines", "lambda_g"];
    let findings = folder.path().join("findings");
    let (status, said) = lockstep(&[&args[..], &["--findings"]].concat(), &findings);
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("par-seq is blamed, the pass that carries it"), "{said}");
    let mut files =
        fs::read_dir(&findings).expect("it is there").map(|file| file.expect("it is read").path());
    let file = files.find(|file| file.extension().is_some_and(|of| of == "lg")).expect("a finding");
    let text = fs::read_to_string(&file).expect("it is text");
    for has in
        ["-- stage: optimize\n", "-- optimize: yes\n", "-- fault: G24\n", "law par-seq", "||"]
    {
        assert!(text.contains(has), "{has}: {text}");
    }
    let (status, said) = lockstep(&["replay"], &file);
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("still there: value in optimize (par-seq)"), "{said}");
}
