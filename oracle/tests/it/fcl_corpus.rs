//! The corpus of FCL in either format of doubles, on what runs without an adapter.

use oracle::check::Tester;
use oracle::corpus::{Instead, judge_with};
use oracle::language::{self, Lang};
use oracle::stages::Plan;
use std::fs;
use std::path::Path;
use walkdir::WalkDir;

/// Every program does what it says in this format, unless its header sets another one.
fn does_what_it_says(format: &str) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/fcl");
    let mut tester = Tester::new(Vec::new(), Plan::default());
    let options = vec![("doubles".to_owned(), format.to_owned())];
    let instead = Instead { options, ..Instead::default() };
    let (mut failures, mut on_doubles) = (Vec::new(), 0);
    for entry in WalkDir::new(&corpus).sort_by_file_name() {
        let entry = entry.expect("the corpus can be read");
        let path = entry.path();
        if !entry.file_type().is_file() || language::of(path) != Some(Lang::Fcl) {
            continue;
        }
        let name = path.display().to_string();
        let text = fs::read_to_string(path).expect("the corpus is text");
        let sets_its_own = text.lines().any(|line| line.starts_with("-- doubles:"));
        if sets_its_own {
            continue;
        }
        let judged = judge_with(&mut tester, &name, Lang::Fcl, &text, &instead);
        failures.extend(judged.failures.iter().map(|failure| failure.of(&name)));
        if text.contains("double") {
            for engine in ["device", "spirv"] {
                on_doubles += judged.ran.iter().filter(|(id, _)| id.to_string() == engine).count();
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(on_doubles >= 6, "programs with doubles run compiled only {on_doubles} times");
}

#[test]
fn with_doubles_in_f32() {
    does_what_it_says("f32");
}

#[test]
fn with_doubles_in_f64() {
    does_what_it_says("f64");
}
