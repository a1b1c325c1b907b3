//! `lockstep optimize` and `lockstep certify` with programs of FCL.

use serde_json::Value;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use tempfile::TempDir;

fn lockstep() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.env("VK_DRIVER_FILES", "/nonexistent").env("VK_ICD_FILENAMES", "/nonexistent");
    command
}

fn corpus(file: &str) -> String {
    format!("{}/../corpus/fcl/pass/{file}", env!("CARGO_MANIFEST_DIR"))
}

/// Status, standard output and messages.
fn all_of(args: &[&str], stdin: &str) -> (i32, String, String) {
    let mut command = lockstep();
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("lockstep starts");
    child.stdin.take().expect("a pipe").write_all(stdin.as_bytes()).expect("it reads");
    let out = child.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code().unwrap_or(-1), text(&out.stdout), text(&out.stderr))
}

/// Standard output of a command that ends well.
fn said(args: &[&str], stdin: &str) -> String {
    let (status, text, messages) = all_of(args, stdin);
    assert_eq!(status, 0, "{args:?}: {text}{messages}");
    text
}

const OURS: [&str; 2] = ["--engines", "imp,device,spirv"];

fn optimized(file: &str, args: &[&str]) -> Value {
    let args = [&["optimize", file, "--json", OURS[0], OURS[1]], args].concat();
    let text = said(&args, "");
    serde_json::from_str(&text).unwrap_or_else(|no| panic!("{no}: {text}"))
}

/// The term of the plan that costs least.
fn term(found: &Value) -> String {
    let term = found["segments"][0]["front"][0]["term"].as_str();
    term.unwrap_or_else(|| panic!("{found}")).to_owned()
}

/// `push <grid>` of a transposition becomes tiles in the memory of work groups, with padded rows, and the certificate is
/// replayed by the program itself.
#[test]
fn a_transposition_becomes_tiles() {
    let file = corpus("transpose.fcl");
    let size = ["--size", "cols=256,rows=256,arr=65536", "--laws", "groups", "--tiles", "32"];
    let found = optimized(&file, &size);
    assert_eq!(found["cheaper"], true, "{found}");
    let term = term(&found);
    for part in ["build group", "build lane", "store group+1"] {
        assert!(term.contains(part), "{part}: {term}");
    }
    let same = found["same_on"].to_string();
    assert!(["fcl", "device", "spirv"].iter().all(|on| same.contains(on)), "{same}");
    let in_fcl = found["fcl"]["program"].as_str();
    assert!(in_fcl.is_some_and(|text| text.contains("push <block>")), "{found}");

    let small = ["--size", "cols=64,rows=64,arr=4096", "--laws", "groups", "--tiles", "32"];
    let sketch = ["--sketch", "(store group+1 (build lane n_2_i32_m _ _) _ _)"];
    let args = [&["optimize", &file], &small[..], &sketch].concat();
    let certificate = said(&[&args[..], &["--emit", "certificate"]].concat(), "");
    let source: Value = serde_json::from_str(&certificate).expect("it is JSON");
    assert_eq!(source["source"]["language"], "fcl", "{certificate}");
    let certify = ["certify", "-", "--program", &file];
    assert!(said(&certify, &certificate).contains("each right"));
    for (from, to, why) in [
        ("\"location\": \"32x2x4\"", "\"location\": \"0x2x4\"", "location"),
        ("\"language\": \"fcl\"", "\"language\": \"imp\"", "is not rewritten"),
        ("j * rows + i", "j * rows + 0", "enters as another program"),
        ("\"arr\": 4096", "\"arr\": 4095", "nothing of its source enters"),
    ] {
        assert!(certificate.contains(from), "{from}");
        let (status, out, _) = all_of(&certify[..2], &certificate.replace(from, to));
        assert!(status == 1 && out.contains(why), "{from}: {out}");
    }
}

/// Chunks, orders of tiles, maps and what is forced enter; the plan gives what the program does.
#[test]
fn programs_of_the_corpus_enter() {
    for file in [
        "blocks_read_one_array.fcl",
        "four_levels.fcl",
        "interleave_of_concat.fcl",
        "map_push_over_interleave.fcl",
        "orders_below_the_grid.fcl",
        "reverse.fcl",
        "transpose_tiled.fcl",
    ] {
        let found = optimized(&corpus(file), &[]);
        assert_eq!(found["cheaper"], true, "{file}: {found}");
        let same = found["same_on"].to_string();
        assert!(["fcl", "device", "spirv"].iter().all(|on| same.contains(on)), "{file}: {same}");
        assert!(found["segments"][0]["certificate"]["steps"].is_array(), "{file}: {found}");
        let in_fcl = &found["fcl"];
        assert!(in_fcl["compared"] == true || in_fcl["why"].is_string(), "{file}: {found}");
    }
    let story = said(&["optimize", &corpus("reverse.fcl"), OURS[0], OURS[1]], "");
    assert!(story.contains("alone: it tests no sizes"), "{story}");
}

/// What stays out is said at its place in the program, not in the prelude.
#[test]
fn what_stays_out_is_told() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("p.fcl");
    let name = file.to_str().expect("the name is plain");
    for (body, has) in [
        ("fun main a = push <grid> (map (fn x => 7 div x) a)", "a divisor is not shown to be"),
        ("fun main a = push <grid> (map (fn x => index a x) a)", "this index is not shown to be"),
        ("fun main a = push <grid> (map (fn x => i2d x) a)", "its elements are no ints"),
        ("fun main a = push <grid> (generate (index a 0) (fn i => i))", "is not a known number"),
        (
            "fun main a = push <grid> (generate 3 (fn i => index (force (push <block> a)) i))",
            "an array of level 2 is forced at level 0, which is stuck",
        ),
        (
            "fun main a = interleave 4 (fn (i, j) => j * 2 + 1 - i) (map (push <block>) (splitUp 4 a))",
            "is not shown to go through tiles",
        ),
    ] {
        fs::write(&file, format!("{body}\n")).expect("it is ours");
        let (status, _, message) = all_of(&["optimize", name, "--size", "a=8"], "");
        assert!(status == 2 && message.contains(has), "{body}: {message}");
        assert!(message.contains("p.fcl:1:"), "{body}: {message}");
    }
    let reverse = corpus("reverse.fcl");
    for (size, has) in
        [("b=3", "no parameter with a size is called `b`"), ("arr=-3", "negative size -3")]
    {
        let (status, _, message) = all_of(&["optimize", &reverse, "--size", size], "");
        assert!(status == 2 && message.contains(has), "{message}");
    }
}

/// Sums of chunks, each in a block, become trees in the memory of work groups; the first level adds while it loads. FCL says
/// the plan, and so it does that of a transposition.
#[test]
fn sums_of_chunks_become_trees() {
    let laws = ["--laws", "groups"];
    let sums = corpus("sums_by_blocks.fcl");
    let found = optimized(&sums, &[&laws[..], &["--size", "n=64,arr=16384"]].concat());
    assert_eq!(found["cheaper"], true, "{found}");
    let term = term(&found);
    assert!(term.contains("store group"), "{term}");
    // Of two parameters' elements, half of the chunk apart.
    assert!(term.matches("(get arr ").count() >= 2, "{term}");
    assert!(found["same_on"].to_string().contains("fcl"), "{found}");

    let small = ["--size", "n=16,arr=1024", "--sketch", "(store group (build lane j_h_m _ _) _)"];
    let certificate = ["optimize", &sums, "--emit", "certificate"];
    let certificate = said(&[&certificate, &laws[..], &small].concat(), "");
    assert!(said(&["certify", "-"], &certificate).contains("each right"));
}

/// The plan as a program of FCL has the chunks, the forced tiles and the order of the plan. It is checked and run.
#[test]
fn plans_are_said_in_fcl() {
    let folder = TempDir::new().expect("a folder");
    let written = folder.path().join("plan.fcl");
    let written = written.to_str().expect("the name is plain");
    for (file, args, parts) in [
        (
            "transpose.fcl",
            &[
                "cols=64,rows=64,arr=4096",
                "--sketch",
                "(store group+1 (build lane n_2_i32_m _ _) _ _)",
            ][..],
            &["force (push <block>", "interleave 1024"][..],
        ),
        ("sums_by_blocks.fcl", &["n=64,arr=16384"], &["force (push <block>", "concat 1"]),
    ] {
        let size = ["--laws", "groups", "--tiles", "32", "--size"];
        let file = corpus(file);
        let args = [&["optimize", &file, "--emit", "fcl"], &size[..], args].concat();
        let text = said(&args, "");
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
        fs::write(written, &text).expect("it is ours");
        said(&["check", written], "");
    }
    let reverse = corpus("reverse.fcl");
    let (status, out, message) = all_of(&["optimize", &reverse, "--emit", "fcl"], "");
    assert!(status == 2 && out.is_empty(), "{out}");
    assert!(message.contains("FCL cannot say the plan: the host makes its elements"), "{message}");
}

/// A loop that counts enters as a `seq`, another one written out.
#[test]
fn loops_enter() {
    let term = |file: &str, has: &str| {
        // How a program enters does not depend on what is found for it.
        let found = optimized(&corpus(file), &["--nodes", "500"]);
        let certificate = &found["segments"][0]["certificate"]["program"];
        let term = certificate.as_str().unwrap_or_else(|| panic!("{file}: {found}"));
        assert!(term.contains(has), "{file}: {term}");
    };
    term("fold_in_threads.fcl", "(seq ");
    term("sums_by_blocks.fcl", "(red + ");
    term("reduction_that_does_not_commute.fcl", "(get arr ");
}
