//! What the subcommands say of programs with options, without kernels, and of findings.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

fn lockstep(args: &[&str]) -> Output {
    let ran = Command::new(env!("CARGO_BIN_EXE_lockstep")).args(args).output();
    ran.expect("lockstep starts")
}

/// Status and output of a subcommand on a program, in one line each.
fn said(extension: &str, text: &str, args: &[&str]) -> (Option<i32>, String, String) {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join(format!("program.{extension}"));
    fs::write(&path, text).expect("the folder can be written");
    let (subcommand, options) = args.split_first().expect("a subcommand is first");
    let ran = lockstep(&[&[subcommand, path.to_str().expect("a name")], options].concat());
    let words = |bytes: &[u8]| {
        String::from_utf8_lossy(bytes).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    (ran.status.code(), words(&ran.stdout), words(&ran.stderr))
}

fn fuzzed(folder: &Path, args: &[&str]) -> Value {
    let findings = folder.to_str().expect("a name");
    let usual =
        ["fuzz", "--seed", "1", "--jobs", "1", "--json", "--restart", "--findings", findings];
    let ran = lockstep(&[&usual[..], args].concat());
    let out = String::from_utf8_lossy(&ran.stdout);
    let last = out.lines().last().unwrap_or_else(|| panic!("{ran:?}"));
    assert_eq!(ran.status.code(), Some(0), "{last}");
    serde_json::from_str(last).expect("a summary")
}

/// Programs that options do not accept are run with other ones, and counted: they are no findings.
#[test]
fn options_that_refuse_a_program_are_no_finding() {
    let folder = TempDir::new().expect("a folder");
    let cases: [(&str, &str, &str); 4] = [
        ("minias", "mode=single", "40"),
        // Mutants are made of programs whose kernels have other names.
        ("minias", "launch=k 4 2", "40"),
        ("minias", "mode=private", "40"),
        ("sycl", "call=fixed", "30"),
    ];
    for (language, set, programs) in cases {
        let args = ["--language", language, "--set", set, "--programs", programs];
        let summary = fuzzed(folder.path(), &[&args[..], &["--engines", language]].concat());
        assert_eq!(summary["findings"], Value::Array(Vec::new()), "{set}");
        // What passes evidence is on a route of its own, and counted as other passes are.
        let counted = summary["passes_per_second"]["pass_evidence"].is_number();
        assert_eq!(counted, language == "minias", "{summary}");
        let not_set = summary["not_set"].as_u64().expect("a count");
        let all = programs.parse().expect("a number");
        assert!((1..all).contains(&not_set), "{set}: {not_set} of {all}");
    }
    let args = ["fuzz", "--language", "minias", "--set", "mode=single", "--programs", "20"];
    let findings = ["--findings", folder.path().to_str().expect("a name"), "--restart"];
    let text = lockstep(&[&args[..], &findings, &["--engines", "minias", "--seed", "1"]].concat());
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("run with other options: not accepted with --set mode=single"), "{text}");
}

const ILL_TYPED: &str = "-- Lockstep found this. `t` gets global here and local there
-- input: [1], 1
-- unknown: types
-- stage: source
-- kind: types
-- seed: seed 1, number 2
-- mode: single
kernel void k(global int *g, local int *l) {
  int x = 3; int y = x + 1; *l = y;
  int *t;
  if (*g) { t = l; y = 2; } else { t = g; x = y; }
  *t = x + y;
}
";

/// A finding of a program that is not well typed is replayed, and made smaller.
#[test]
fn findings_of_ill_typed_programs_are_read_again() {
    let (status, out, err) = said("mas", ILL_TYPED, &["replay", "--engines", "minias"]);
    assert_eq!(status, Some(1), "{out} {err}");
    assert!(out.contains("still there: types in source"), "{out}");
    let arguments = ["shrink", "--engines", "minias", "--json"];
    let (status, out, err) = said("mas", ILL_TYPED, &arguments);
    assert_eq!(status, Some(1), "{out} {err}");
    let shrunk: Value = serde_json::from_str(&out).expect("an object");
    let [before, after] = ["statements_before", "statements"].map(|key| shrunk[key].as_u64());
    assert!(after < before.map(|before| before / 2), "{shrunk}");
    let text = shrunk["text"].as_str().expect("a text");
    assert!(text.contains("-- unknown: types"), "{text}");
    let (status, out, err) = said("mas", text, &["replay", "--engines", "minias"]);
    assert_eq!(status, Some(1), "{out} {err}");
    // One that is well typed again is gone.
    let mended = ILL_TYPED.replace("-- mode: single", "-- mode: infer");
    let (status, out, _) = said("mas", &mended, &["replay", "--engines", "minias"]);
    assert_eq!(status, Some(0), "{out}");
    assert!(out.contains("types in source is not there any more"), "{out}");
    let fun = "-- input: 1, [2]\n-- unknown: types\n-- stage: source\n-- kind: types\nparam (n : int) (xs : [n])\nlet (x : int) = n + xs\nin (x)\n";
    let (status, out, err) = said("fun", fun, &["replay", "--engines", "fun"]);
    assert_eq!(status, Some(1), "{out} {err}");
    let panicked = ILL_TYPED.replace("types", "panic").replace("unknown: panic", "unknown: broken");
    let (status, out, err) = said("mas", &panicked, &["replay", "--engines", "minias"]);
    assert_eq!(status, Some(1), "{out} {err}");
    assert!(out.contains("another finding: types in source"), "{out}");
}

/// Functions alone have types.
#[test]
fn a_program_without_a_kernel_is_checked() {
    let text = "int f(int *p) { return *p; }\n";
    let (status, out, err) = said("mas", text, &["check"]);
    assert_eq!(status, Some(0), "{err}");
    for part in ["well typed", "f : forall r. {| r} int * -> int", "no kernel: nothing is run"] {
        assert!(out.contains(part), "{part:?} is missing: {out}");
    }
    for (text, args, wanted) in [
        (text, vec!["run"], "there is no kernel to launch"),
        (text, vec!["check", "--set", "launch=k 4 2"], "there is no kernel `k` to launch"),
        (
            "kernel void bar(global int *g) { }",
            vec!["check", "--set", "launch=zz 4 2"],
            "there are bar",
        ),
    ] {
        let (status, _, err) = said("mas", text, &args);
        assert_eq!(status, Some(2), "{err}");
        assert!(err.contains(wanted) && !err.contains("--input"), "{err}");
    }
}

/// The room for local memory is said, and what is needed.
#[test]
fn too_little_memory_says_how_many_cells_there_are() {
    let text = "-- launch: k 4 2\nkernel void k(global int *g, local int *l) { l[get_local_id(0)] = 1; g[get_global_id(0)] = 1; }";
    let args = ["run", "--engine", "device", "--input", "[1, 2, 3, 4], 300"];
    let (status, out, err) = said("mas", text, &args);
    assert_eq!(status, Some(2), "{err}");
    let err = format!("{out} {err}");
    assert!(err.contains("its local pointers need 300 cells, and 256 are there"), "{err}");
    let text = "-- input: [0]\nint *f(int x) { return &x; }
        kernel void k(global int *g) { for (int i = 0; i < 600; i = i + 1) { *g = *g + *f(i); } }";
    let (status, out, err) = said("mas", text, &["run", "--engine", "device"]);
    assert_eq!(status, Some(2), "{err}");
    let err = format!("{out} {err}");
    assert!(err.contains("more private memory than compiled code has"), "{err}");
    assert!(err.contains(" cells, and ") && err.contains(" are there"), "{err}");
    let text = "-- input: [1]\nkernel void k(global int *g) {
        int *p = g + 2000000000; p = p + 2000000000; p = p - 2000000000; p = p - 2000000000; *p = 3; }";
    let (status, out, err) = said("mas", text, &["run", "--engine", "device"]);
    assert_eq!(status, Some(2), "{err}");
    let err = format!("{out} {err}");
    assert!(err.contains("a number beyond 32 bits"), "{err}");
    let (status, out, err) = said("mas", text, &["run"]);
    assert_eq!((status, out.trim()), (Some(0), "[3]"), "{err}");
}

/// A cast that meets another space names both.
#[test]
fn a_cast_that_fails_names_the_spaces() {
    let text = "-- input: [1], 1\nkernel void k(global int *g, local int *l) { int *t; if (*g) { t = l; } else { t = g; } *g = *(global int *) t; }";
    let (status, out, err) = said("mas", text, &["run"]);
    assert_eq!(status, Some(1), "{out} {err}");
    let told = format!("{out} {err}");
    assert!(told.contains("a pointer to local memory instead of global"), "{told}");
}

/// A barrier that is refused has its places, for people and for machines.
#[test]
fn places_of_a_barrier_that_is_refused() {
    let text = "-- launch: k 4 2
kernel void k(global int *g) {
  int n = 0;
  if (get_local_id(0)) {
    n = 1;
  }
  if (n == 0) {
    barrier(local);
  }
  *g = 1;
}
";
    let (status, out, _) = said("mas", text, &["compile", "--json"]);
    assert_eq!(status, Some(2), "{out}");
    let problem: Value = serde_json::from_str(&out).expect("an object");
    assert_eq!(problem["place"], "8:5");
    let others: Vec<&str> = problem["others"]
        .as_array()
        .expect("other places")
        .iter()
        .map(|other| other["place"].as_str().expect("a place"))
        .collect();
    assert_eq!(others, ["7:3", "5:5"], "{problem}");
    let (_, _, err) = said("mas", text, &["compile"]);
    for part in
        ["the items of a group may part here", "`n` gets a value that may differ among them"]
    {
        assert!(err.contains(part), "{part:?} is missing: {err}");
    }
}

/// What passes evidence is printed, by both readings, of MiniAS and of what MiniSYCL becomes.
#[test]
fn translations_by_evidence_are_printed() {
    let mas = "int *pick(int n, int *p, int *q) { if (n) { return p; } return q; }
kernel void k(global int *g, local int *l) { *l = 7; *g = *pick(0, g, l); }
";
    let sycl = "int *pick(int n, int *p, int *q) { if (n) { return p; } return q; }
kernel void k(global_ptr<int> g, local_ptr<int> l) { *l = 7; *g = *pick(0, g, l); }
";
    for (extension, text, option) in [("mas", mas, "mode=infer"), ("sycl", sycl, "space=generic")] {
        for (engine, passed) in [("minias:fixed", "pair(0, g)"), ("minias:positions", "pair(")] {
            let (status, out, err) =
                said(extension, text, &["compile", "--emit", engine, "--set", option]);
            assert_eq!(status, Some(0), "{err}");
            assert!(out.contains("pick(") && out.contains(passed), "{engine}: {out}");
        }
    }
    let fun = "param (n : int)\nin (n)\n";
    let (status, _, err) = said("fun", fun, &["compile", "--emit", "minias:fixed"]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("a program of fun does not become a stage of minias"), "{err}");
}

/// An option that is written wrong in a header is told.
#[test]
fn options_of_a_header_that_are_nearly_right_are_told() {
    let text = |line: &str| format!("{line}\nkernel void k(global int *g) {{ *g = 1; }}");
    for (line, wanted) in [
        ("-- modus: single", "`modus` is no key of a header"),
        ("-- mode single", "`mode` is an option, whose key ends in a colon"),
        ("-- launch k 4 2", "`launch` is an option, whose key ends in a colon"),
    ] {
        let (status, _, err) = said("mas", &text(line), &["check"]);
        assert_eq!(status, Some(2), "{line}: {err}");
        assert!(err.contains(wanted), "{line}: {err}");
    }
    for line in ["-- mode of transport: none", "-- The mode: single is refused", "-- launch early"]
    {
        let (status, _, err) = said("mas", &text(line), &["check"]);
        assert_eq!(status, Some(0), "{line}: {err}");
    }
}

/// A file of facts alone is summed up by its own line.
#[test]
fn facts_alone_are_no_programs() {
    let text = "A1 F infer: mine\n*g = 1;\nsays reject\n";
    let (status, out, err) = said("facts", text, &["test"]);
    assert_eq!(status, Some(1), "{err}");
    assert!(out.contains("A1: accept, and not reject"), "{out}");
    assert!(out.contains("0 passed, 0 decided otherwise, 0 not expressible, 1 wrong"), "{out}");
    assert!(!out.contains("0 files"), "{out}");
}
