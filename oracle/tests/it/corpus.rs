//! The corpus on every engine at hand; what was not compared is printed.

use oracle::check::Tester;
use oracle::corpus::judge;
use oracle::engines::child::Launcher;
use oracle::engines::{AdapterEngine, dawn};
use oracle::language;
use oracle::stages::Plan;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Why a program is not compared on an adapter: it does not compile, it has no end that could be
/// compared, the adapter lacks what it needs or is known to be wrong, its stuck operand does not fit into
/// a word, or floats are left to it.
const NOT_ON_ADAPTERS: [&str; 6] = [
    " refused: ",
    "the program races",
    "64-bit integers",
    "a number beyond 32 bits",
    "known defect of",
    "WGSL leaves open",
];

#[test]
#[allow(clippy::print_stdout)]
fn every_program_does_what_it_says() {
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let launcher = Launcher::of(PathBuf::from(env!("CARGO_BIN_EXE_lockstep")));
    let mut adapters = launcher.adapters().expect("the adapters can be listed");
    match dawn::find(&launcher) {
        Ok(adapter) => adapters.push(adapter),
        Err(reason) => println!("not compared on dawn: {reason}"),
    }
    let engines = adapters.iter().map(|adapter| AdapterEngine::new(adapter, &launcher)).collect();
    let mut tester = Tester::new(engines, Plan::default());
    let mut failures = Vec::new();
    let mut skipped: BTreeMap<String, u64> = BTreeMap::new();
    let mut files = 0;
    for entry in walkdir::WalkDir::new(&corpus).sort_by_file_name() {
        let entry = entry.expect("the corpus can be read");
        let Some(lang) = language::of(entry.path()).filter(|_| entry.file_type().is_file()) else {
            continue;
        };
        files += 1;
        let name = entry.path().strip_prefix(&corpus).unwrap_or(entry.path()).display().to_string();
        let text = std::fs::read_to_string(entry.path()).expect("the corpus is text");
        let judged = judge(&mut tester, &name, lang, &text);
        failures.extend(judged.failures.iter().map(|failure| failure.of(&name)));
        for skip in judged.skipped {
            let line = format!("{}: {}", skip.not_run.engine, skip.not_run.reason);
            *skipped.entry(line).or_default() += 1;
        }
    }
    println!("{files} files on {} adapters", adapters.len());
    for (what, count) in &skipped {
        println!("not compared, {count} cases: {what}");
    }
    let unexpected = |what: &&String| {
        what.starts_with("wgpu:") && !NOT_ON_ADAPTERS.iter().any(|reason| what.contains(reason))
    };
    let unexpected: Vec<&String> = skipped.keys().filter(unexpected).collect();
    assert!(unexpected.is_empty(), "it compiles and is not compared: {unexpected:?}");
    assert!(files > 80, "only {files} programs in the corpus");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
