//! The laws by which programs of λG are rewritten, each through the gate.

use oracle::gate::lambda_g::judge;
use reference::kit::derivation::Recorder;
use reference::kit::language::Language;
use reference::lambda_g::rewriting::{BOOK, Law};
use reference::lambda_g::syntax::R0;
use reference::lambda_g::{LambdaG, types};
use std::path::Path;
use std::process::Command;

const INSTANCES: u64 = 25;

#[test]
#[allow(clippy::print_stdout)]
fn every_law_passes_the_gate() {
    for law in &BOOK {
        let passed = judge(law, INSTANCES, 1);
        println!("{}: {} held of {}", law.name, passed.held, passed.drawn);
        assert!(passed.refuted.is_none(), "{}: {:#?}", law.name, passed.refuted);
        assert!(
            passed.is_right(law, INSTANCES),
            "{}: {} held of {}",
            law.name,
            passed.held,
            passed.drawn
        );
    }
}

/// A program in which a law applies once, or its twin does; then what it becomes.
fn rewritten(law: &str, source: &str) -> Result<String, String> {
    let law = Law::named(law).expect("it is in the book");
    let program = LambdaG::parse(source).unwrap_or_else(|no| panic!("{}: {source}", no.message));
    let of = |program| {
        types::check(&program, &mut Recorder::counting()).map_err(|no| no.message)?;
        Ok(LambdaG::print(&program).split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let mut numbers = 0..100;
    let found = numbers.find_map(|number| {
        let region = law.takes_region().then_some(R0);
        law.applied(&program, number, region).or_else(|| law.unguarded(&program, number, region))
    });
    of(found.expect("it is a left side"))
}

#[test]
fn laws_do_what_they_say() {
    let of = |law: &str, source: &str| rewritten(law, source).expect("the right side has a type");
    assert_eq!(of("on-drop", "on 1 at r0 at r0"), "1 at r0");
    assert_eq!(of("on-put", "1 at r0"), "on 1 at r0 at r0");
    assert_eq!(
        of("on-join", "let x = on 1 at r0 at r0 in on x + x at r0 at r0"),
        "on let x = 1 at r0 in x + x at r0 at r0"
    );
    assert_eq!(of("par-seq", "1 at r0 || true at r0"), "(1 at r0, true) at r0");
    let add = "fn (x : (int, r0)) ! {r0} => x + 1 at r0 at r0 at r0";
    let twice = "fn (y : (int, r0)) ! {r0} => y + y at r0 at r0";
    let fused = of(
        "parmap-fuse",
        &format!("parmap ({twice}) (parmap ({add}) (iota (2 at r0) at r0) at r0) at r0"),
    );
    assert_eq!(
        fused,
        "parmap (fn (x : (int, r0)) ! {r0, r0} => let y = x + 1 at r0 at r0 in y + y at r0 at r0) (iota 2 at r0 at r0) at r0"
    );
    let sunk = "let x = letregion q in (1 at q) + (2 at q) at r0 in x + x at r0";
    let floated = of("region-float", sunk);
    let again = of("region-sink", &floated);
    assert!(again.starts_with("let x = letregion q in"), "{again}");
    assert!(floated.starts_with("letregion q in let x ="), "{floated}");
    assert_eq!(
        of("apply", "(fn (x : (int, r0)) ! {r0} => x + x at r0 at r0) (2 at r0)"),
        "let x = 2 at r0 in x + x at r0"
    );
    let once = "let f = fn (x : (int, r0)) ! {r0} => x + x at r0 at r0 in f (2 at r0)";
    let inlined = of("let-once", once);
    assert!(inlined.starts_with("(fn (x :") && inlined.ends_with("2 at r0"), "{inlined}");
    assert_eq!(of("let-drop", "let x = 1 at r0 in 2 at r0"), "2 at r0");
    assert_eq!(of("pair-part", "snd ((1 at r0, true) at r0)"), "true");
    assert_eq!(of("constant", "(6 at r0) % (4 at r0) at r0"), "2 at r0");
    assert_eq!(of("if-known", "if false then 1 at r0 else 2 at r0"), "2 at r0");
    let merged =
        of("region-merge", "letregion q of 3 in letregion s of 4 in (1 at q) + (2 at s) at r0");
    assert!(merged.starts_with("letregion q of 7 in") && !merged.contains("at s"), "{merged}");
}

/// Without its guard a law makes what has no type.
#[test]
fn guards_are_needed() {
    let refused = |law: &str, source: &str| rewritten(law, source).expect_err("it has no type");
    let why = refused("on-drop", "on 1 at r0@G at r0");
    assert!(why.contains("world"), "{why}");
    let why = refused("on-put", "letregion q in 1 at r0");
    assert!(why.contains("on"), "{why}");
    let why = refused("region-sink", "letregion q in let x = 1 at q in x + x at r0");
    assert!(!why.is_empty());
}

#[test]
fn the_command_lists_them_and_the_notes_say_why() {
    let notes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proofs-notes/lambda_g.md");
    let notes = std::fs::read_to_string(notes).expect("there are notes");
    let (_, section) = notes.split_once("\n## Laws of rewriting\n").expect("a heading");
    let args = ["laws", "par-seq", "region-sink", "--gate", "--instances", "5"];
    let out = Command::new(env!("CARGO_BIN_EXE_lockstep")).args(args).output().expect("it starts");
    let told = String::from_utf8_lossy(&out.stdout).into_owned();
    assert_eq!(out.status.code(), Some(0), "{told}");
    assert!(told.contains("a || b at r") && told.contains("twin refuted by"), "{told}");
    for law in &BOOK {
        assert!(section.contains(&format!("`{}`", law.name)), "the notes lack {}", law.name);
    }
}
