//! Terms over named axes by every command: what each does with one, and what it says of one that cannot be used.

use serde_json::Value;
use std::fs;
use std::process::Command;
use tempfile::TempDir;

/// Status, standard output and messages.
fn all_of(args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.env("VK_DRIVER_FILES", "/nonexistent").env("VK_ICD_FILENAMES", "/nonexistent");
    let out = command.args(args).output().expect("lockstep starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code().unwrap_or(-1), text(&out.stdout), text(&out.stderr))
}

fn corpus(file: &str) -> String {
    format!("{}/../corpus/axes/{file}", env!("CARGO_MANIFEST_DIR"))
}

/// The programs of the corpus that give results.
fn passing() -> Vec<String> {
    let files = fs::read_dir(corpus("pass")).expect("it is there");
    let mut files: Vec<String> =
        files.map(|file| file.expect("a file").path().display().to_string()).collect();
    files.sort();
    files
}

#[test]
fn every_command_takes_a_term() {
    for file in passing() {
        let text = fs::read_to_string(&file).expect("it is there");
        let result = text.lines().find_map(|line| line.strip_prefix("-- result: "));
        let result = result.expect("its header says a result");
        for (args, has) in [
            (&["run"][..], result),
            (&["run", "--engine", "fun"], result),
            (&["run", "--engine", "imp:shuffled"], result),
            (&["run", "--engine", "spirv"], result),
            (&["explain"], "E-AX-MEANING  (out"),
            (&["explain", "--types"], "T-AX-PROGRAM  the program"),
            (&["cost"], "behind expand_memory, in funmem"),
            (&["cost", "--as", "imp"], "behind to_imp, in imp"),
            (&["check"], "race-free"),
            (&["compile", "--stage", "to_fun"], "in ("),
            (&["compile", "--emit", "imp"], "<-"),
        ] {
            let args = [args, &[&file]].concat();
            let (status, out, messages) = all_of(&args);
            let said = format!("{out}{messages}");
            let is_there = has == "E-AX-MEANING  (out" && said.contains("E-AX-MEANING  (results");
            assert_eq!(status, 0, "{args:?}: {said}");
            assert!(said.contains(has) || is_there, "{args:?}: {said}");
        }
        for command in ["run", "explain", "cost", "check", "compile"] {
            tells_objects(command, &file);
        }
    }
}

/// What goes through every stage, the search among them.
#[test]
fn every_check_takes_a_term() {
    for name in ["stores", "matrix_product"] {
        let file = corpus(&format!("pass/{name}.axes"));
        for (command, has) in [
            ("replay", "all agree"),
            ("shrink", "nothing is wrong, so nothing is shrunk"),
            ("test", "1 case, 0 failed"),
        ] {
            let (status, out, messages) = all_of(&[command, "--engines", "axes,fun,imp", &file]);
            let said = format!("{out}{messages}");
            assert!(status == 0 && said.contains(has), "{command}: {said}");
        }
        tells_objects("replay", &file);
        tells_objects("test", &file);
    }
}

#[track_caller]
fn tells_objects(command: &str, file: &str) {
    let (status, out, messages) = all_of(&[command, "--json", file]);
    assert_eq!(status, 0, "{command}: {messages}");
    for line in out.lines() {
        let read: Result<Value, _> = serde_json::from_str(line);
        assert!(read.is_ok_and(|read| read.is_object()), "{command}: {line}");
    }
}

/// Each node of a derivation is one line, however long its term is.
#[test]
fn a_derivation_is_a_tree_of_lines() {
    for types in [&["--types"][..], &[]] {
        let file = corpus("pass/stores.axes");
        let (status, out, _) = all_of(&[&["explain"], types, &[&file]].concat());
        assert_eq!(status, 0);
        let lines = out.lines().filter(|line| line.contains("(results"));
        assert!(lines.clone().count() > 0 && lines.into_iter().all(|line| line.contains("-AX-")));
    }
}

#[test]
fn what_gets_stuck_is_told_with_its_place() {
    for (file, cause) in
        [("division", "6 is divided by zero"), ("index", "index 4 is not in 1 to 3")]
    {
        let file = corpus(&format!("stuck/{file}.axes"));
        for args in [&["run"][..], &["run", "--engine", "spirv"], &["explain"], &["check"]] {
            let args = [args, &[&file]].concat();
            let (status, out, messages) = all_of(&args);
            assert_eq!(status, 1, "{args:?}");
            let said = format!("{out}{messages}");
            assert!(said.contains(cause) && said.contains(".axes:5:6"), "{args:?}: {said}");
        }
        let (status, out, _) = all_of(&["replay", "--engines", "axes,fun,imp", &file]);
        assert!(status == 0 && out.contains("all agree"), "{out}");
        let (status, _, messages) = all_of(&["optimize", &file]);
        assert!(status == 2 && messages.contains(".axes:5:"), "{messages}");
    }
}

/// A term is rewritten as the FUN program that it means, and so are its certificates of that.
#[test]
fn a_term_is_optimized() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("certificate.json");
    let path = path.to_str().expect("the name is plain");
    let mut certified = 0;
    for file in passing() {
        let (status, out, messages) = all_of(&["optimize", &file, "--emit", "certificate"]);
        assert_eq!(status, 0, "{file}: {out}{messages}");
        if out.is_empty() {
            assert!(messages.contains("nothing that costs less was found"), "{file}: {messages}");
            continue;
        }
        fs::write(path, out).expect("it is ours");
        let (status, out, messages) = all_of(&["certify", path]);
        assert_eq!(status, 0, "{file}: {out}{messages}");
        certified += 1;
        let (status, out, messages) = all_of(&["run", "--optimize", &file]);
        let plain = all_of(&["run", &file]);
        assert_eq!((status, &out), (plain.0, &plain.1), "{file}: {messages}");
    }
    assert!(certified > 1, "{certified}");
}

/// Status 2, with the place and what is wrong.
#[test]
fn what_cannot_be_used_is_refused_with_its_place() {
    let deep = format!("(out {}1{})\n", "(+ 1 ".repeat(100_000), ")".repeat(100_000));
    let deep_index = format!("(out (red + k 2 {{{}k{}}}))\n", "(".repeat(9_000), ")".repeat(9_000));
    let header = "param (n : int = 7) (xs : [3])\n(out (build seq i 3 (+ n (get xs i))) i)\n";
    let with = |input: &str| format!("-- input: {input}\n{header}");
    let many = format!("param (xs : {})\n(out 1)\n", "[1]".repeat(500));
    for (text, has, place) in [
        ("", "is empty", None),
        ("(out 1", "wanted", Some("1:7")),
        ("(out (build block i 3 1) i)", "a level is wanted, and here is `block`", Some("1:13")),
        ("(out (red + k -1 1))", "a size is wanted", Some("1:15")),
        ("(out (red + k 4000000000 1))", "a number out of range", Some("1:15")),
        ("(out (red - k 3 1))", "an operator that has an identity", Some("1:6")),
        ("(out (+ i 1))", "i is not bound here", Some("1:9")),
        ("(out (build seq i 3 1) j)", "j", Some("1:")),
        ("(out (build seq i 3 (build seq i 3 1)) i)", "i", Some("1:")),
        (&deep, "nested deeper than 256", Some("1:1281")),
        (&deep, "a term has no names for its parts", None),
        (&deep_index, "nested deeper than 256", Some("1:")),
        (&many, "more than 16 dimensions", Some("2:1")),
        ("param (xs : [65536][65536])\n(out 1)\n", "0 input values for 1 parameter", Some("1:8")),
        (header, "0 input values for 2 parameters", Some("1:8")),
        (&with("7"), "1 input value for 2 parameters", Some("2:8")),
        (&with("[1, 2, 3], 7"), "parameter `n` is an int, not an array", Some("2:8")),
        (
            &with("7, [1, 2]"),
            "parameter `xs` has the shape [3], but the input is [2]",
            Some("2:22"),
        ),
        (&with("8, [1, 2, 3]"), "`n` is 7, for which the program is made", Some("2:8")),
        ("(out (build seq i 2000000000 1) i)", "beyond the memory budget", Some("1:6")),
        ("(out (red + k 100000 (red + j 100000 (* k j))))", "out of fuel", Some("1:")),
    ] {
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().join("wrong.axes");
        fs::write(&path, text).expect("it is ours");
        let path = path.to_str().expect("the name is plain");
        for command in ["run", "explain", "cost", "replay", "shrink"] {
            // Without sizes or values nothing is priced; and a price may take more fuel.
            if command == "cost" && (has.starts_with("0 input values") || has == "out of fuel") {
                continue;
            }
            let (status, out, messages) = all_of(&[command, path]);
            let said = format!("{out}{messages}");
            let short: String = said.chars().take(2_000).collect();
            assert_eq!(status, 2, "{command} of {}: {short}", &text[..text.len().min(80)]);
            assert!(said.contains(has), "{command}: `{has}` is not in {short}");
            let place = place.filter(|_| !["replay", "shrink"].contains(&command));
            assert!(place.is_none_or(|at| said.contains(&format!("wrong.axes:{at}"))), "{short}");
        }
    }
    let missing = corpus("pass/no_such_file.axes");
    for command in ["run", "explain", "cost", "replay", "shrink", "check", "compile", "test"] {
        let (status, out, messages) = all_of(&[command, &missing]);
        assert_eq!(status, 2, "{command}");
        assert!(format!("{out}{messages}").contains("cannot be read"), "{command}: {messages}");
    }
}

/// The numbers that a term is made for need not be said.
#[test]
fn sizes_of_a_term_are_those_that_it_is_made_for() {
    let file = corpus("pass/state_and_branches.axes");
    let (status, out, messages) = all_of(&["cost", &file, "--size", "n=7"]);
    assert!(status == 0 && out.contains("input: 7, [3]"), "{out}{messages}");
    let (status, _, messages) = all_of(&["cost", &file, "--size", "n=5"]);
    assert!(status == 2 && messages.contains("`n` is 7"), "{messages}");
    // Of a law that knows the number nothing else is said.
    let (status, out, messages) = all_of(&["replay", &file, "--input", "12, [1, 2, 3]"]);
    assert!(status == 2 && messages.contains("the input says 12"), "{out}{messages}");
}
