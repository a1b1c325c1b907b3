//! `lockstep optimize` and `lockstep certify`.

use serde_json::Value;
use std::fs;
use std::process::Command;
use tempfile::TempDir;

fn lockstep() -> Command {
    Command::new(env!("CARGO_BIN_EXE_lockstep"))
}

fn corpus(file: &str) -> String {
    format!("{}/../corpus/{file}", env!("CARGO_MANIFEST_DIR"))
}

/// Status and standard output; messages where that is empty.
fn output(command: &mut Command) -> (i32, String) {
    let out = command.output().expect("lockstep starts");
    let bytes = if out.stdout.is_empty() { out.stderr } else { out.stdout };
    (out.status.code().unwrap_or(-1), String::from_utf8_lossy(&bytes).into_owned())
}

fn optimized(file: &str, size: &str) -> Value {
    let path = corpus(file);
    let engines = ["--engines", "imp,device,spirv", "--json"];
    let args = [&["optimize", &path, "--size", size][..], &engines].concat();
    let (status, text) = output(lockstep().args(args));
    assert_eq!(status, 0, "{text}");
    serde_json::from_str(&text).unwrap_or_else(|no| panic!("{no}: {text}"))
}

#[test]
fn programs_are_rewritten_to_what_costs_less() {
    for (file, size) in [
        ("fun/pass/matrix_product.fun", "n=16,m=16,l=16"),
        ("fun/pass/maps_of_maps.fun", "n=32,m=16"),
    ] {
        let found = optimized(file, size);
        assert_eq!(found["cheaper"], true, "{file}: {found}");
        let umm = |of: &Value| of["times"]["umm"].as_f64().expect("a number");
        assert!(umm(&found["front"][0]["cost"]) < umm(&found["original"]), "{file}: {found}");
        let same = found["same_on"].to_string();
        assert!(["fun", "imp", "device", "spirv"].iter().all(|on| same.contains(on)), "{same}");
    }
}

#[test]
fn the_same_search_gives_the_same_bytes() {
    let runs = [0, 1].map(|_| optimized("fun/pass/matrix_product.fun", "n=8,m=8,l=8").to_string());
    assert_eq!(runs[0], runs[1]);
}

#[test]
fn a_certificate_that_was_changed_is_refused() {
    let folder = TempDir::new().expect("a folder");
    let found = optimized("fun/pass/matrix_product.fun", "n=8,m=8,l=8");
    let certificate = &found["certificate"];
    let judged = |changed: &Value| {
        let path = folder.path().join("c.json");
        fs::write(&path, changed.to_string()).expect("it is ours");
        output(lockstep().arg("certify").arg(path))
    };
    assert_eq!(judged(certificate).0, 0, "{certificate}");
    let steps = certificate["steps"].as_array().expect("a list").len();
    assert!(steps > 0, "{certificate}");
    for (key, value) in [
        ("law", Value::from("swap-red")),
        ("law", Value::from("no-such-law")),
        ("position", Value::from(vec![9])),
        ("term", Value::from("(out (build seq i 8 (build seq j 8 1)) i j)")),
        ("term", Value::from("(out")),
    ] {
        let mut changed = certificate.clone();
        changed["steps"][steps - 1][key] = value;
        let (status, text) = judged(&changed);
        assert_eq!(status, 1, "{key}: {text}");
        assert!(text.contains(&format!("step {steps} is wrong")), "{text}");
    }
    let (status, text) = judged(&Value::from("truncated"));
    assert_eq!(status, 2, "{text}");
}
