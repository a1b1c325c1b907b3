//! The corpus of both languages does what it says from the source to the SPIR-V that is executed, and together its programs
//! fire each rule and fail each premise.

use std::path::Path;
use std::process::{Command, Output};

fn on_the_corpus(subcommand: &str) -> Output {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let mut lockstep = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    lockstep.arg(subcommand).args([corpus.join("minias"), corpus.join("sycl")]);
    lockstep.output().expect("the command runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn every_program_does_what_it_says() {
    let ran = on_the_corpus("test");
    assert!(ran.status.success(), "{}\n{}", text(&ran.stdout), text(&ran.stderr));
}

/// The rules of the device language have a corpus of their own.
#[test]
fn every_rule_fires_and_every_premise_fails() {
    let ran = text(&on_the_corpus("rules").stdout);
    assert!(ran.contains("never in device"), "{ran}");
    let missing =
        |line: &&str| line.starts_with("never in minias:") || line.starts_with("never in sycl:");
    let missing: Vec<&str> = ran.lines().filter(missing).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
