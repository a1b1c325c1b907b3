//! The corpus of both languages does what it says from the source to the SPIR-V that is executed, and together its programs
//! fire each rule and fail each premise.

use std::path::Path;
use std::process::Command;

fn passes(subcommand: &str) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let ran = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .arg(subcommand)
        .args([corpus.join("minias"), corpus.join("sycl")])
        .output()
        .expect("the command runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(ran.status.success(), "{}\n{}", text(&ran.stdout), text(&ran.stderr));
}

#[test]
fn every_program_does_what_it_says() {
    passes("test");
}

#[test]
fn every_rule_fires_and_every_premise_fails() {
    passes("rules");
}
