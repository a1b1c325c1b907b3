//! The laws of rewriting: each through the gate, each twin refuted, each named in the notes.

use oracle::gate::{Difference, Gate, difference};
use oracle::generate::{axes, case_bytes};
use reference::axes::laws::{ABSENT, BOOK, Class, EXHIBITS, Law};
use reference::axes::syntax::Program;
use reference::axes::{apply, meaning, parse, print, types};
use reference::kit::outcome::Value;
use reference::kit::value::parse_values;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const GATE: Gate = Gate { instances: 100, seed: 1, twins: false };

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn every_law_passes_the_gate() {
    for law in BOOK.iter() {
        let passed = GATE.judge(law);
        assert!(passed.refuted.is_none(), "{}: {:#?}", law.name, passed.refuted);
        assert!(passed.held >= GATE.instances, "{}: {} held", law.name, passed.held);
        // As many of all that are drawn as a gate of any number of instances asks for.
        let (held, drawn) = (passed.held, passed.drawn);
        assert!(drawn <= 50 * held, "{}: {held} held of {drawn}", law.name);
    }
}

#[test]
fn every_exhibit_is_refuted() {
    for law in EXHIBITS.iter() {
        let passed = Gate { instances: 10_000, ..GATE }.judge(law);
        let refuted = passed.refuted.unwrap_or_else(|| panic!("{} holds", law.name));
        assert!(refuted.left.term.nodes() < 60, "{}: {:#?}", law.name, refuted);
    }
}

/// What a file of a twin says.
struct Kept {
    tile: u32,
    position: Vec<usize>,
    input: Vec<Value>,
    left: Program,
}

fn kept(law: &Law) -> Kept {
    let path = root().join(format!("corpus/axes/twins/{}.twin", law.name));
    let text = fs::read_to_string(&path).unwrap_or_else(|no| panic!("{}: {no}", path.display()));
    let said = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("-- {key}:")));
        line.unwrap_or_else(|| panic!("{} says no {key}", path.display())).trim().to_owned()
    };
    let position = said("position");
    Kept {
        tile: said("tile").parse().expect("a number"),
        position: position.split_whitespace().map(|nth| nth.parse().expect("a number")).collect(),
        input: match said("input").as_str() {
            "" => Vec::new(),
            input => parse_values(input).expect("values"),
        },
        left: parse::program(&text).unwrap_or_else(|no| panic!("{}: {}", law.name, no.message)),
    }
}

#[test]
fn a_kept_instance_refutes_each_twin() {
    for law in BOOK.iter().filter(|law| !law.guard.is_empty()) {
        let kept = kept(law);
        let mut scope = types::check(&kept.left).expect("it was read");
        let left = kept.left.term.at_position(&kept.position).expect("it stands there").clone();
        let guarded = apply::rights(law, kept.tile, &left, &mut scope);
        assert_eq!(guarded, [], "{}: its guard holds", law.name);
        let rights = apply::unguarded(law, kept.tile, &left, &mut scope);
        let differs = |right| {
            let term = kept.left.term.replaced(&kept.position, right).expect("it stands there");
            let right = Program { params: kept.left.params.clone(), term };
            difference(&kept.left, &right, &kept.input)
        };
        let found: Vec<Difference> = rights.into_iter().filter_map(differs).collect();
        assert!(!found.is_empty(), "{}: nothing refutes the law without its guard", law.name);
    }
}

#[test]
fn no_twin_is_kept_of_what_is_no_law() {
    let files = fs::read_dir(root().join("corpus/axes/twins")).expect("there are twins");
    for file in files {
        let name = file.expect("a file").file_name().into_string().expect("a plain name");
        let law = name.strip_suffix(".twin").and_then(Law::named);
        assert!(law.is_some_and(|law| !law.guard.is_empty()), "{name}");
    }
}

#[test]
fn the_book_has_most_of_the_rule_book_and_says_what_it_lacks() {
    let rows: BTreeSet<&str> = BOOK.iter().map(Law::row).collect();
    assert!(rows.len() >= 45, "{}: {rows:?}", rows.len());
    let names: BTreeSet<&str> = BOOK.iter().map(|law| law.name).collect();
    assert_eq!(names.len(), BOOK.len(), "two laws of one name");
    for absent in &ABSENT {
        assert!(!rows.contains(absent.absent), "{} is there", absent.absent);
    }
    assert!(Class::ALL.iter().all(|class| BOOK.iter().any(|law| law.class == *class)));
}

#[test]
fn the_notes_say_of_each_law_why_it_holds() {
    let text = fs::read_to_string(root().join("proofs-notes/axes.md")).expect("there are notes");
    let section = |heading: &str| {
        let (_, rest) = text.split_once(&format!("\n## {heading}\n")).expect("a heading");
        rest.split("\n## ").next().expect("a part").to_owned()
    };
    for law in BOOK.iter() {
        let said = section(law.group.heading());
        assert!(said.contains(&format!("`{}`", law.name)), "the notes lack {}", law.name);
    }
    for law in EXHIBITS.iter() {
        assert!(section("Exhibits").contains(&format!("`{}`", law.name)), "{}", law.name);
    }
}

#[test]
fn drawn_programs_are_terms_that_mean_something() {
    let mut heads = BTreeSet::new();
    for nth in 0..400 {
        let bytes = case_bytes(7, nth);
        let (program, input) = axes::program(&mut arbitrary::Unstructured::new(&bytes));
        let text = print::program(&program);
        types::check(&program).unwrap_or_else(|no| panic!("{}\n{text}", no.message));
        assert_eq!(parse::program(&text).as_ref(), Ok(&program), "{text}");
        meaning::program(&program).unwrap_or_else(|no| panic!("{}\n{text}", no.message));
        assert_eq!(input.len(), program.params.len());
        program.term.walk(&mut |term| {
            let name = format!("{:?}", term.head);
            heads.insert(name.split(['(', ' ']).next().unwrap_or_default().to_owned());
        });
    }
    for head in ["Build", "Red", "Merge", "Keep", "Store", "If", "Seq", "Get", "Results", "Index"] {
        assert!(heads.contains(head), "no {head} is drawn");
    }
}

fn laws(args: &[&str]) -> (Option<i32>, String, String) {
    let ended = Command::new(env!("CARGO_BIN_EXE_lockstep")).arg("laws").args(args).output();
    let ended = ended.expect("lockstep starts");
    let text = |bytes| String::from_utf8(bytes).expect("it is text");
    (ended.status.code(), text(ended.stdout), text(ended.stderr))
}

#[test]
fn laws_are_listed_with_what_is_absent() {
    let (status, out, _) = laws(&[]);
    assert_eq!(status, Some(0));
    for law in BOOK.iter().chain(EXHIBITS.iter()) {
        assert!(out.contains(law.name) && out.contains(law.guard), "{}", law.name);
    }
    for absent in &ABSENT {
        assert!(out.contains(absent.why), "{}", absent.absent);
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let args = ["split-red", "inline", "--gate", "--instances", "30", "--seed", "5"];
    let (status, one, _) = laws(&args);
    assert_eq!(status, Some(0), "{one}");
    assert!(one.contains("twin refuted by"), "{one}");
    assert_eq!(one, laws(&args).1);
}

/// The kept instances are those that the gate writes: a few of them are written again.
#[test]
fn the_kept_twins_are_current() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let path = folder.path().to_str().expect("a plain name");
    let names = ["split-build", "red-const", "unit", "zero", "shift-mul", "peel-red", "comm"];
    let args = [&names[..], &["--gate", "--instances", "1", "--keep", path]].concat();
    assert_eq!(laws(&args).0, Some(0));
    for name in names {
        let file = format!("{name}.twin");
        let kept = fs::read_to_string(root().join("corpus/axes/twins").join(&file));
        let written = fs::read_to_string(folder.path().join(&file));
        assert_eq!(written.expect("it is written"), kept.expect("it is kept"), "{name}");
    }
}

#[test]
fn what_is_no_law_is_told() {
    for (args, says) in [
        (&["split-rad"][..], "there is no law split-rad"),
        (&["seq-fuse"], "law seq-fuse is absent: a seq has one state, a scalar"),
        (&["comm", "--gate", "--instances", "0"], "0 is not in"),
        (&["comm", "--seed", "1"], "--gate"),
    ] {
        let (status, _, said) = laws(args);
        assert_eq!(status, Some(2), "{args:?}");
        assert!(said.contains(says), "{args:?}: {said}");
    }
}
