//! What is said of files that cannot be used, by `test` and by all commands, where what was asked for is out
//! of bounds, and what a terminal is shown of it all.

use std::fs;
use std::process::{Command, Output};
use tempfile::TempDir;

/// Status, standard output, and standard error.
fn run(args: &[&str]) -> (i32, String, String) {
    let command = Command::new(env!("CARGO_BIN_EXE_lockstep")).args(args).output();
    let Output { status, stdout, stderr } = command.expect("lockstep starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (status.code().unwrap_or(-1), text(stdout), text(stderr))
}

/// A folder of programs, and their paths.
fn programs(list: &[(&str, &[u8])]) -> (TempDir, Vec<String>) {
    let folder = TempDir::new().expect("a folder");
    let written = list.iter().map(|(name, text)| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("the folder can be written");
        path.to_str().expect("the name is plain").to_owned()
    });
    let written = written.collect();
    (folder, written)
}

const WITHOUT: [&str; 2] = ["--engines", "fun,funmem,imp,device"];

#[test]
fn a_file_that_cannot_be_used_is_shown_with_its_place() {
    let (_folder, paths) = programs(&[
        ("syntax.fun", b"-- a sum\nin (1 + )\n"),
        ("type.fun", b"param (n : int)\nlet (x : int) = n[1]\nin (x)\n"),
        ("header.fun", b"-- about\n-- result: [1, x]\nin (1)\n"),
        ("latin.fun", b"in (1) -- \xe9\n"),
        ("empty.imp", b"\n"),
        ("bare.fun", b"param (n : int)\nin (n + 1)\n"),
        ("input.fun", b"-- adds one\n-- input: [1]\n-- result: 2\nparam (n : int)\nin (n + 1)\n"),
    ]);
    let places =
        [":2:9: it is refused", ":2:", ":2:16: its header", ": ", ": ", ": case 1", ":2:1: case 1"];
    for (path, place) in paths.iter().zip(places) {
        let (status, out, _) = run(&[&["test", path][..], &WITHOUT].concat());
        assert_eq!(status, 2, "{out}");
        assert!(out.contains(&format!("{path}{place}")), "{out}");
        assert!(out.contains("1 failed (1 cannot be used)"), "{out}");
        // Other commands point at the parameter that an input does not fit, and may need none.
        if place.ends_with("case 1") {
            continue;
        }
        let (_, _, told) = run(&["check", path]);
        let place = out.split(": ").next().unwrap_or_default();
        assert!(told.contains(place.trim_end_matches(':')), "{place}: {told}");
    }
}

/// A program that does not do what it says weighs more than one that cannot be used.
#[test]
fn what_fails_its_header_has_status_1() {
    let (_folder, paths) = programs(&[
        ("syntax.fun", b"in (1 + )\n"),
        ("wrong.fun", b"-- result: 2\nin (1)\n"),
        ("right.fun", b"-- result: 1\nin (1)\n"),
        ("accepted.fun", b"-- rejects: T-VAR scope\nin (1)\n"),
        ("other.fun", b"-- rejects: T-VAR scope\nin (1 + )\n"),
        ("stuck.fun", b"-- stuck: E-INDEX index\n\nlet (x : int) = 1 / 0\nin (x)\n"),
        ("once.fun", b"-- input: 1\n-- result: 2\n-- input: [1]\n-- result: 2\nparam (n : int)\nin (n + 1)\n"),
        ("never.fun", b"-- input: [1]\n-- result: 2\n-- fires: E-IN\n-- after device: launches 1\nparam (n : int)\nin (n + 1)\n"),
    ]);
    let test = |which: &[usize]| {
        let which: Vec<&str> = which.iter().map(|at| paths[*at].as_str()).collect();
        run(&[&["test"], &which[..], &WITHOUT].concat())
    };
    assert_eq!(test(&[0, 2]).0, 2);
    for wrong in [1, 3, 4, 5] {
        let (status, out, _) = test(&[0, 2, wrong]);
        assert_eq!(status, 1, "{out}");
        assert!(out.contains("3 files") && out.contains("2 failed (1 cannot be used)"), "{out}");
    }
    assert_eq!(test(&[2]).0, 0);
    // What fits in one case is tried; nothing else of a file is where no input fits.
    let (status, out, _) = test(&[6]);
    assert_eq!(status, 2, "{out}");
    assert!(out.contains("once.fun:3:1: case 2") && out.contains("fun 1"), "{out}");
    let (status, out, _) = test(&[7, 2]);
    assert_eq!(status, 2, "{out}");
    assert!(out.contains("never.fun:1:1: case 1") && !out.contains("after device"), "{out}");
    assert_eq!(test(&[7, 1]).0, 1);
    let (_, out, _) = test(&[5]);
    assert!(out.contains("(division: dividend 1, divisor 0), at 3:1"), "{out}");
}

/// Programs within the limits of the parsers, of which some stage is printed beyond them.
#[test]
fn what_a_pass_makes_too_large_to_be_read_back_is_no_finding() {
    let kernels = |n: usize| {
        let (open, close) = ("kernel i <= 1 do ".repeat(n), "done ".repeat(n));
        format!("var m : mem; m <- alloc 1; {open} m[0] <- 1 {close}")
    };
    let name = "x".repeat(3 << 19);
    let long = format!("-- result: 3\nlet ({name} : int) = 1 + 2\nin ({name})\n");
    let deep = kernels(254);
    let (_folder, paths) =
        programs(&[("deep.imp", deep.as_bytes()), ("long.fun", long.as_bytes())]);
    for (path, limit) in paths.iter().zip(["nesting", "length"]) {
        let (status, out, _) = run(&[&["test", path][..], &WITHOUT].concat());
        assert_eq!(status, 0, "{}", out.chars().take(500).collect::<String>());
        let told = format!("printed, it is beyond the parser's limit of {limit}");
        assert!(out.contains(&told), "{}", out.chars().take(500).collect::<String>());
    }
}

#[test]
fn what_is_out_of_bounds_is_refused() {
    let folder = TempDir::new().expect("a folder");
    let findings = folder.path().join("findings");
    let findings = findings.to_str().expect("the name is plain");
    for (option, value) in [
        ("--limit", "0"),
        ("--limit", "0.0001"),
        ("--jobs", "0"),
        ("--jobs", "1025"),
        ("--keep", "0"),
        ("--first", "18446744073709551615"),
    ] {
        let few = ["fuzz", "--programs", "3", "--engines", "fun", "--findings", findings];
        let (status, out, told) = run(&[&few[..], &[option, value]].concat());
        assert_eq!(status, 2, "{option} {value}: {out}{told}");
        assert!(told.contains(option), "{option} {value}: {told}");
    }
}

/// A source may hold what a terminal takes for an order.
#[test]
fn nothing_that_drives_a_terminal_is_shown() {
    let (_folder, paths) = programs(&[
        ("escape.fun", b"let (x : int) = \x1b[31mRED\x1b]0;title\x07 1\nin (x)\n"),
        ("value.fun", b"-- input: \x1b[31m\nin (1)\n"),
        ("note.fun", b"-- kind: \x1b[31mrace\n-- stage: lower\x07\nin (1)\n"),
        ("stuck.fun", b"let (x : int) = 1 / 0 -- \x1b[31m\x00\nin (x)\n"),
    ]);
    for path in &paths {
        for command in ["check", "run", "test", "replay", "shrink"] {
            let (_, out, told) = run(&[&[command][..], &[path]].concat());
            let bad = |c: char| c.is_control() && c != '\n' && c != '\t';
            assert!(!out.contains(bad) && !told.contains(bad), "{command} {path}: {out:?}{told:?}");
        }
    }
    let (_, _, told) = run(&["check", &paths[0]]);
    assert!(told.contains("escape.fun:1:17"), "{told}");
    assert!(told.contains("let (x : int) = ?[31mRED?]0;title? 1"), "{told}");
}

#[test]
fn of_many_parameters_a_few_are_named() {
    let parameters: String = (0..20_000).map(|n| format!(" (p{n} : int)")).collect();
    let many = format!("param{parameters}\nin (p0)\n");
    let (_folder, paths) = programs(&[("many.fun", many.as_bytes())]);
    let (status, _, told) = run(&["run", &paths[0], "--input", "1"]);
    assert_eq!(status, 2);
    assert!(told.contains("1 input value for 20000 parameters"), "{}", &told[..500]);
    assert!(told.len() < 4000, "{} bytes", told.len());
    assert!(told.contains("and 19992 more"), "{told}");
}

/// One file that cannot be used does not keep the others from being looked at.
#[test]
fn what_cannot_be_used_ends_its_own_file_only() {
    let (_folder, paths) = programs(&[
        ("first.fun", b"in (1)\n"),
        ("wrong.fun", b"in (1 + )\n"),
        ("last.fun", b"-- input: 2\nparam (n : int)\nin (n)\n"),
    ]);
    let files: Vec<&str> = paths.iter().map(String::as_str).collect();
    for command in ["run", "check", "compile", "explain", "replay", "shrink"] {
        let (_, one, told_one) = run(&[&[command], &files[2..]].concat());
        let (status, out, told) = run(&[&[command], &files[..]].concat());
        assert_eq!(status, 2, "{command}: {out}{told}");
        assert!(told.contains("wrong.fun:1:9"), "{command}: {told}");
        assert!(out.ends_with(&one) && told.ends_with(&told_one), "{command}: {out}{told}");
        assert!(one.len() + told_one.len() > 0, "{command} says nothing");
    }
}

/// Nor does one whose header asks for what is not here, or that is in no language, nor a folder without
/// any; it is named.
#[test]
fn what_cannot_be_planned_ends_its_own_file_only() {
    let (_folder, paths) = programs(&[
        ("fault.fun", b"-- fault: X9\n-- result: 1\nin (1)\n"),
        ("style.fun", b"-- style: shouting\n-- result: 1\nin (1)\n"),
        ("expansion.fun", b"-- result: 1\n-- expansion: coalescd\nin (1)\n"),
        ("workarounds.fun", b"-- result: 1\n--  workarounds: some\nin (1)\n"),
        ("schedule.fun", b"-- schedule: -1\n-- result: 1\nin (1)\n"),
        ("twice.fun", b"-- style: plain\n-- style: plain\n-- result: 1\nin (1)\n"),
        ("notes.txt", b"-- result: 1\nin (1)\n"),
        ("right.fun", b"-- result: 1\nin (1)\n"),
    ]);
    let missing = format!("{}.nowhere.fun", paths[0]);
    let empty = TempDir::new().expect("a folder");
    let empty = empty.path().to_str().expect("the name is plain").to_owned();
    let files: Vec<&str> =
        [&missing, &empty].into_iter().chain(&paths).map(String::as_str).collect();
    let (status, out, _) = run(&[&["test"], &files[..]].concat());
    assert_eq!(status, 2, "{out}");
    assert!(out.contains("10 files, 1 case, 9 failed (9 cannot be used)"), "{out}");
    let places = [
        "fault.fun:1:11: ",
        "style.fun:1:11: ",
        "expansion.fun:2:15: ",
        "workarounds.fun:2:18: ",
        "schedule.fun:1:14: ",
        "twice.fun:2:4: ",
    ];
    for name in places.iter().chain(&["notes.txt: ", "nowhere.fun: ", "holds no program"]) {
        assert!(out.contains(name), "{name} {out}");
    }
    for what in ["`shouting` is no construct of a style; there are while", "not `coalescd`", "X9"] {
        assert!(out.contains(what), "{what} {out}");
    }
    // What is said on the command line is not asked of the header.
    let (status, out, told) = run(&["replay", &paths[2], "--expansion", "paper"]);
    assert_eq!(status, 0, "{out}{told}");
    for command in ["replay", "shrink"] {
        let (status, out, told) = run(&[&[command], &files[..]].concat());
        assert_eq!(status, 2, "{command}: {out}{told}");
        for place in places {
            assert!(told.contains(place.trim_end_matches(": ")), "{place} {told}");
        }
        assert!(told.contains("nowhere.fun cannot be read"), "{told}");
        assert!(told.contains("holds no program"), "{told}");
        assert!(format!("{out}{told}").contains("right.fun: "), "{out}{told}");
    }
}

/// A run beyond its budget has no answer and is no finding. Every command says where that was, and how much the run
/// wants.
#[test]
fn what_wants_too_much_is_told_with_its_place() {
    let threads = "let (xs : [2000000000]) = kernel i <= 2000000000 do in (i)\nin (xs[1])\n";
    let result = format!("-- result: 1\nlet (y : int) = 1\n{threads}");
    let (_folder, paths) =
        programs(&[("threads.fun", threads.as_bytes()), ("result.fun", result.as_bytes())]);
    for (path, place) in paths.iter().zip(["1:1", "3:1"]) {
        for command in ["run", "check", "test", "replay", "shrink"] {
            let (status, out, told) = run(&[command, path]);
            assert_eq!(status, 2, "{command}: {out}{told}");
            let all = format!("{out}{told}");
            assert!(all.contains(place) && all.contains("at least 8000000000 bytes"), "{all}");
        }
    }
}

/// What is wrong stands in the JSON too.
#[test]
fn what_cannot_be_used_is_told_in_json() {
    let (_folder, paths) = programs(&[
        ("syntax.fun", b"-- a sum\nin (1 + )\n"),
        ("type.fun", b"param (n : int)\nlet (x : int) = n[1]\nin (x)\n"),
    ]);
    for (path, place, rule) in [(&paths[0], "2:9", None), (&paths[1], "2:1", Some("T-INDEX"))] {
        let (status, out, told) = run(&["check", path, "--json"]);
        assert_eq!(status, 2, "{out}");
        let problem: serde_json::Value = serde_json::from_str(&out).expect("an object");
        assert_eq!((&problem["file"], &problem["place"]), (&path.as_str().into(), &place.into()));
        assert_eq!(problem["rule"].as_str(), rule, "{out}");
        assert!(told.contains(problem["problem"].as_str().expect("a sentence")), "{told}");
    }
    let (status, out, _) = run(&["replay", "nowhere.fun", "--json"]);
    assert_eq!(status, 2);
    let problem: serde_json::Value = serde_json::from_str(&out).expect("an object");
    assert!(problem["problem"].as_str().is_some_and(|told| told.contains("nowhere.fun")), "{out}");
}

/// And what a command has to say where there is nothing to show.
#[test]
fn every_program_has_its_object_of_json() {
    let (_folder, paths) = programs(&[
        ("one.fun", b"-- input: 1\n-- input: 2\nparam (n : int)\nin (n)\n"),
        ("fuel.fun", b"let (y : int) = loop (x : int = 0) for i <= 99 do in (x)\nin (y)\n"),
    ]);
    let objects = |args: &[&str]| -> (i32, Vec<serde_json::Value>) {
        let (status, out, _) = run(&[args, &["--json"]].concat());
        let object = |line| serde_json::from_str(line).expect("an object a line");
        (status, out.lines().map(object).collect())
    };
    let (status, explained) = objects(&["explain", &paths[0]]);
    assert_eq!((status, explained.len()), (0, 2));
    assert_eq!(explained[1]["input"], serde_json::json!(["2"]));
    assert_eq!(explained[1]["derivation"][0]["rule"], "E-IN");
    let (status, explained) = objects(&["explain", &paths[1], "--fuel", "10"]);
    assert_eq!((status, explained.len()), (2, 1));
    assert_eq!(explained[0]["unknown"]["kind"], "fuel");
    let (status, types) = objects(&["explain", &paths[0], "--types"]);
    assert_eq!((status, types.len(), &types[0]["file"]), (0, 1, &paths[0].as_str().into()));
    let (status, shrunk) = objects(&["shrink", &paths[0]]);
    assert_eq!((status, &shrunk[0]["why"]), (0, &"nothing is wrong".into()));
}

/// That the file cannot be written is told before half a minute of shrinking.
#[test]
fn where_a_shrunk_program_cannot_stand_is_told_first() {
    let (folder, paths) = programs(&[("right.fun", b"-- result: 1\nin (1)\n")]);
    let folder = folder.path().to_str().expect("the name is plain");
    for nowhere in [&format!("{folder}/missing/small.fun"), folder] {
        let (status, out, told) = run(&["shrink", &paths[0], "--output", nowhere]);
        assert_eq!(status, 2, "{out}{told}");
        assert!(told.contains(nowhere) && told.contains("cannot be written"), "{told}");
        assert!(!told.contains("nothing is shrunk"), "{told}");
    }
}

/// Nor is what was shrunk lost where its file takes nothing after all.
#[cfg(target_os = "linux")]
#[test]
fn a_shrunk_program_is_not_lost_with_its_file() {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/fun/pass/arithmetic.fun");
    let plain = ["--workarounds", "none", "--engines", "spirv", "--seconds", "1"];
    let (status, out, told) =
        run(&[&["shrink", program, "--output", "/dev/full"], &plain[..]].concat());
    assert_eq!(status, 2, "{out}{told}");
    assert!(told.contains("/dev/full cannot be written"), "{told}");
    assert!(out.starts_with("-- Lockstep found this"), "{out}");
}

/// Values that are not of the types of a device program's parameters, and text that is no value.
#[test]
fn what_does_not_fit_the_types_of_parameters_is_refused() {
    let source = "param n : i32;\nparam b : bool;\nparam u : u32;\nparam xs : f32[n];\nresult n;\n";
    let (_folder, paths) = programs(&[("types.dev", source.as_bytes())]);
    let n = "types.dev:1:7";
    for (input, place, told) in [
        ("1.5, true, 7u32, [1.0]", n, "parameter `n` is an int, not an f32"),
        ("1i64, true, 7u32, [1.0]", n, "parameter `n` is an int, not an i64"),
        ("1, 1, 7u32, [1.0]", "types.dev:2:7", "parameter `b` is a bool, not an int"),
        ("1, true, 7, [1.0]", "types.dev:3:7", "parameter `u` is a u32, not an int"),
        ("1, true, 7, [1.0]", "types.dev:3:7", "its values are written like 7u32"),
        ("1, true, 7u32, [1]", "types.dev:4:7", "parameter `xs` is an array of f32, not an array"),
        ("1, true, 7u32, 1.0", "types.dev:4:7", "parameter `xs` is an array of f32, not an f32"),
        ("1, true, 7u32, [1i64]", "types.dev:4:7", "not an array of i64"),
        ("1, true, 7u32, [[1.0]]", "types.dev:4:7", "but the input is [1][1]"),
        ("2, true, 7u32, [1.0]", "types.dev:4:7", "has the shape [2], but the input is [1]"),
        ("1, true, -7u32, [1.0]", "the input:1:10", "a number out of range"),
        ("1, true, 7u32, [1.0, 2]", "the input:1:22", "differ in type"),
        ("1, true, 7u32, [1.x]", "the input:1:17", "`1.x` is no value"),
        ("-1, true, 7u32, []", "types.dev:4:7", "has the negative size -1"),
    ] {
        for command in [&["run"][..], &["explain"], &["compile", "--emit", "wgsl"]] {
            let (status, _, error) = run(&[command, &[&paths[0], "--input", input]].concat());
            assert_eq!(status, 2, "{command:?} {input}: {error}");
            assert!(error.contains(place) && error.contains(told), "{input}: {error}");
        }
    }
    // A type that the language does not have.
    let (_folder, paths) = programs(&[("wide.dev", b"param x : f16;\nresult 1;\n")]);
    let (status, _, error) = run(&["run", &paths[0], "--input", "1.5"]);
    assert_eq!(status, 2, "{error}");
    assert!(error.contains("wide.dev:1:11"), "{error}");
}
