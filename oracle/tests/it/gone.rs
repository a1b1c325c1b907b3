//! What `replay` and `shrink` say of a finding that nothing shows: it is gone only where what showed it
//! was run again.

use std::fs;
use std::process::{Command, Output};
use tempfile::TempDir;

/// Runs a command on a program of that header, which has nothing wrong with it, on a system without drivers.
fn on(header: &str, args: &[&str]) -> (i32, String) {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("found.fun");
    let program = format!("{header}param (n : int)\nlet (x : int) = n + 1\nin (x)\n");
    fs::write(&path, format!("-- input: 1\n-- result: 2\n{program}"))
        .expect("the folder can be written");
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .args(&args[..1])
        .arg(&path)
        .args(&args[1..])
        .env("VK_DRIVER_FILES", "/nonexistent")
        .env("VK_ICD_FILENAMES", "/nonexistent")
        .output()
        .expect("lockstep starts");
    let text = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (status.code().unwrap_or(-1), text)
}

const BY_ADAPTER: &str = "-- stage: adapter\n-- kind: hang\n\
    -- answer: fun after source: 2\n-- answer: wgpu:evaluator-hang after poison_checks: broke: Hang\n\
    -- answer: device after poison_checks: 2\n-- adapter: evaluator-hang (a mock adapter)\n";

const EXPANDED: &str = "-- stage: expand_memory\n-- kind: race\n\
    -- answer: fun after source: 2\n-- answer: funmem after expand_memory: 2; race\n";

fn gone(header: &str, engines: &str) {
    let (status, text) = on(header, &["replay", "--engines", engines]);
    assert_eq!(status, 0, "{engines}: {text}");
    assert!(text.contains("is not there any more"), "{engines}: {text}");
}

fn unknown(header: &str, engines: &str, words: &str) {
    let more = if engines.is_empty() { vec![] } else { vec!["--engines", engines] };
    for command in ["replay", "shrink"] {
        let (status, text) = on(header, &[&[command], &more[..]].concat());
        assert_eq!(status, 2, "{command} {engines}: {text}");
        assert!(text.contains("not compared: "), "{command} {engines}: {text}");
        assert!(text.contains(words), "{command} {engines} does not say `{words}`: {text}");
        assert!(!text.contains("any more"), "{command} {engines}: {text}");
    }
}

#[test]
fn a_finding_of_an_adapter_is_gone_where_that_adapter_agrees() {
    let right = BY_ADAPTER.replace("evaluator-hang", "evaluator");
    gone(&right, "wgpu:evaluator");
    let shaders = right.replace("stage: adapter", "stage: emit");
    gone(&shaders, "wgpu:evaluator");
    unknown(BY_ADAPTER, "fun", "wgpu:evaluator-hang: not asked for");
    unknown(BY_ADAPTER, "wgpu:evaluator", "wgpu:evaluator-hang: not asked for");
    unknown(&shaders, "fun,spirv", "wgpu:evaluator: not asked for");
    // Other systems have drivers that no variable takes away, but none of this name.
    unknown(BY_ADAPTER, "", "wgpu:evaluator-hang: it is not here");
    let nameless = "-- stage: adapter\n-- kind: value\n";
    unknown(nameless, "wgpu:evaluator", "wgpu:unnamed");
}

#[test]
fn a_finding_of_a_pass_is_gone_where_its_stage_agrees() {
    gone(EXPANDED, "funmem");
    unknown(EXPANDED, "fun", "funmem: not asked for");
    unknown(EXPANDED, "imp,device,spirv", "funmem: not asked for");
    unknown(&EXPANDED.replace("expand_memory", "unroll"), "funmem", "no stage of this version");
    let misspelt = "-- stage: simplify\n-- kind: valeu\n";
    unknown(misspelt, "device", "valeu is no kind of finding of this version");
    let of = |stage: &str, kind: &str| format!("-- stage: {stage}\n-- kind: {kind}\n");
    gone(&of("race_check", "missed-race"), "imp");
    unknown(&of("race_check", "missed-race"), "imp:in-order", "imp:reversed: not asked for");
    gone(&of("to_imp", "order"), "imp");
    gone(&of("simplify", "value"), "device");
    unknown(&of("simplify", "value"), "imp,spirv", "device: not asked for");
    gone(&of("naga", "undefined"), "spirv");
    unknown(&of("naga", "undefined"), "device", "spirv: not asked for");
    unknown(&of("tint", "undefined"), "device", "spirv: not asked for");
    gone(&of("source", "round-trip"), "fun");
}

/// Without a header that tells of a finding there is still nothing to agree with one engine alone.
#[test]
fn one_engine_alone_agrees_with_nothing() {
    let (status, text) = on("", &["replay", "--engines", "fun"]);
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("not compared: "), "{text}");
    let (status, text) = on("", &["replay", "--engines", "funmem"]);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("all agree"), "{text}");
}
