//! Dawn as an engine. What breaks is shown with a `node` of our own that does nothing else; what it
//! computes with the real one, where it is.
#![allow(clippy::print_stderr)] // A test must say what it did not compare.

use oracle::engines::dawn::FOLDER;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

const DOUBLED: &str = "-- Twice each number.
-- input: 3, [1, 2, 3]
-- result: [2, 4, 6]
param (n : int) (xs : [n])
let (ys : [n]) = kernel i <= n do
  in (xs[i] * 2)
in (ys)
";

/// Of which Tint writes a variable without initialiser wrongly, in the style that has these.
const SUMS: &str = "-- Sums.
-- input: 2, [5, 7]
-- result: [21, 27]
param (n : int) (xs : [n])
let (ys : [n]) = kernel i <= n do
  let (s : int) = loop (s : int = 0) for k <= 3 do
    let (t : int) = xs[i] + k
    in (s + t)
  in (s)
in (ys)
";

fn lockstep() -> Command {
    Command::new(env!("CARGO_BIN_EXE_lockstep"))
}

fn output(command: &mut Command) -> (i32, String) {
    let Output { status, stdout, stderr } = command.output().expect("lockstep starts");
    let text = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (status.code().unwrap_or(-1), text)
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).expect("the folder can be written");
    path.to_str().expect("the name is plain").to_owned()
}

/// Is Dawn here? If not, it is said what is not compared.
fn is_here(what: &str) -> bool {
    let here = !output(lockstep().arg("engines")).1.contains("not here");
    if !here {
        eprintln!("not compared, Dawn is not here: {what}");
    }
    here
}

/// Runs a program on Dawn, if it is here.
fn on_dawn(source: &str, more: &[&str]) -> Option<(i32, String)> {
    if !is_here(source.lines().next().unwrap_or_default()) {
        return None;
    }
    let folder = TempDir::new().expect("a folder");
    let name =
        if source.contains("kernel ") && source.contains("launch ") { "p.dev" } else { "p.fun" };
    let path = write(folder.path(), name, source);
    Some(output(lockstep().args(["run", &path, "--engine", "dawn"]).args(more)))
}

#[test]
fn dawn_computes_what_the_semantics_say() {
    let Some(ran) = on_dawn(DOUBLED, &[]) else { return };
    assert_eq!(ran, (0, "[2, 4, 6]\n".to_owned()));
}

/// The fast form says that some check failed, the full form which: both run there.
#[test]
fn dawn_says_where_a_program_is_stuck() {
    let stuck = DOUBLED.replace("xs[i]", "xs[i + 1]").replace("-- result: [2, 4, 6]\n", "");
    let Some((status, text)) = on_dawn(&stuck, &[]) else { return };
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("index 4 is not in 1 to 3") && text.contains("in thread 3"), "{text}");
}

/// More words than any pipe holds go there and come back.
#[test]
fn dawn_takes_large_arrays() {
    let source = "param (n : int)
let (ys : [n]) = kernel i <= n do
  in (i * i)
let (s : int) = loop (s : int = 0) for i <= 3 do
  in (s + ys[i * (n / 3)])
in (s)
";
    let Some((status, text)) = on_dawn(source, &["--input", "300000"]) else { return };
    let square = |k: i32| k.wrapping_mul(k);
    let sum = square(100_000).wrapping_add(square(200_000)).wrapping_add(square(300_000));
    assert_eq!((status, text), (0, format!("{sum}\n")));
}

/// What Dawn has no types for is not run, and it is said why.
#[test]
fn what_dawn_does_not_have_is_not_run() {
    let wide = "kernel a(b : block[i64]) group 4 {
  b.[global_id] = i64 3000000000;
}
let b = alloc i64(4);
launch a(b) for 4;
";
    let Some((status, text)) = on_dawn(wide, &[]) else { return };
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("64-bit integers"), "{text}");
}

/// What is wrong today: Tint zeroes a variable without initialiser once, and not each time that a loop
/// comes by. Right would be that nothing is found; with the workaround nothing is.
#[test]
fn tint_forgets_to_zero_variables_in_loops() {
    if !is_here("variables in loops") {
        return;
    }
    let folder = TempDir::new().expect("a folder");
    let path = write(folder.path(), "p.fun", SUMS);
    let test = |engines: &str, workarounds: &str| {
        let options = ["--style", "uninitialised", "--workarounds", workarounds];
        output(lockstep().args(["test", &path, "--engines", engines]).args(options))
    };
    for engines in ["fun,dawn", "fun,spirv:tint"] {
        let (status, text) = test(engines, "all");
        assert_eq!(status, 0, "{engines}: {text}");
        let (status, text) = test(engines, "none");
        assert_eq!(status, 1, "{engines}: {text}");
        assert!(text.contains(" in tint"), "{engines}: {text}");
    }
}

/// The host program of a finding's folder does without Lockstep what the finding says: it leaves the same words where
/// the shaders are compiled rightly, and others where Tint is wrong.
#[cfg(unix)]
#[test]
fn the_host_program_of_a_finding_shows_what_the_finding_says() {
    if !is_here("the host program of a finding") {
        return;
    }
    let modules = std::env::var_os(FOLDER).expect("Dawn is here");
    let folder = TempDir::new().expect("a folder");
    // Where `npm install webgpu` puts it.
    std::os::unix::fs::symlink(
        Path::new(&modules).join("node_modules"),
        folder.path().join("node_modules"),
    )
    .expect("the folder can be written");
    let path = write(folder.path(), "p.fun", SUMS);
    let reports = folder.path().join("reports");
    let name = reports.to_str().expect("the name is plain");
    // Ours gives the first result wrong of three kernels and more, so the shaders are right on Dawn.
    let three = DOUBLED.replace(
        "in (ys)\n",
        "let (zs : [n]) = kernel i <= n do\n  in (ys[i] * 2)\n\
         let (vs : [n]) = kernel i <= n do\n  in (zs[i] * 2)\nin (vs)\n",
    );
    let three = three.replace("-- result: [2, 4, 6]\n", "");
    let right = write(folder.path(), "three.fun", &three);
    let tints = ["--engines", "fun,dawn", "--style", "uninitialised", "--workarounds", "none"];
    let ours = ["--engines", "device,wgpu:evaluator-wrong"];
    for (path, options, differs) in [(&path, &tints[..], true), (&right, &ours[..], false)] {
        let (status, text) =
            output(lockstep().args(["replay", path, "--report", name]).args(options));
        assert_eq!(status, 1, "{text}");
        let report = fs::read_dir(&reports).expect("it was made").next().expect("a report");
        let report = report.expect("an entry").path();
        let (status, text) = output(Command::new("node").arg(report.join("host.mjs")));
        assert!(text.starts_with("adapter: "), "{text}");
        let launches = fs::read_to_string(report.join("launches.json")).expect("it is there");
        let launches: serde_json::Value = serde_json::from_str(&launches).expect("it is JSON");
        let launches = launches.as_array().expect("a list");
        for launch in launches {
            let shader = launch["shader"].as_str().expect("a name");
            let mut told = text.lines().filter(|line| line.starts_with(&format!("{shader}: ")));
            let last = told.next_back().unwrap_or_else(|| panic!("nothing of {shader}: {text}"));
            assert_eq!(last.ends_with("words differ"), differs, "{text}");
            assert_eq!(last.ends_with(": the same"), !differs, "{text}");
        }
        assert!(!launches.is_empty());
        assert_eq!(status, i32::from(differs), "{text}");
        fs::remove_dir_all(&reports).expect("it is there");
    }
}

#[test]
fn who_asks_for_dawn_hears_that_it_is_not_here() {
    let folder = TempDir::new().expect("a folder");
    let path = write(folder.path(), "p.fun", DOUBLED);
    for (set, says) in [("", "install-dawn"), ("/nonexistent", "'webgpu'")] {
        let run = |args: &[&str]| output(lockstep().args(args).env(FOLDER, set));
        let (status, text) = run(&["run", &path, "--engine", "dawn"]);
        assert_eq!(status, 2, "{text}");
        // Without node it is node that is missed.
        assert!(text.contains(says) || text.contains("node could not be"), "{text}");
        let (status, text) = run(&["test", &path, "--engines", "fun,spirv"]);
        assert_eq!(status, 0, "{text}");
        assert!(!text.contains("dawn"), "{text}");
    }
}

/// A process that says that it is there, and then does something else.
#[cfg(unix)]
mod broken {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    const READY: &str = r#"{\"ready\":{\"name\":\"a\",\"driver\":\"b\",\"version\":\"c\",\"fallback\":true,\"limits\":[8,4096,4096,256,256,16384,65535],\"f16\":false,\"subgroups\":false},\"parts\":[]}"#;

    /// A folder with this script in the place of node.
    fn with_node(script: &str) -> TempDir {
        let folder = TempDir::new().expect("a folder");
        let node = folder.path().join("node");
        fs::write(&node, script).expect("the folder can be written");
        fs::set_permissions(&node, fs::Permissions::from_mode(0o755)).expect("it is ours");
        folder
    }

    /// What lockstep says that finds the node of this folder.
    fn there(folder: &TempDir, args: &[&str]) -> (i32, String) {
        let tools = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{tools}", folder.path().display());
        output(lockstep().args(args).env(FOLDER, folder.path()).env("PATH", path))
    }

    /// Judges a program with this in the place of node, which has a second for it.
    fn judged(then: &str) -> String {
        let folder = with_node(&format!(
            "#!/bin/sh\nprintf '\\n\\001lockstep %s\\n' \"{READY}\"\nhead -c 1 >/dev/null\n{then}\n"
        ));
        let path = write(folder.path(), "p.fun", DOUBLED);
        let (status, text) =
            there(&folder, &["test", &path, "--engines", "fun,dawn", "--limit", "2"]);
        assert_eq!(status, 1, "{text}");
        text
    }

    /// A campaign with this in the place of node: first it is asked what it is, and says that it is
    /// ready, and `then` is what it does from the second time on. Also how often it was started.
    fn fuzzed(engine: &str, programs: &str, then: &str) -> (String, usize) {
        let folder = with_node(&format!(
            "#!/bin/sh\necho >>\"$0.starts\"\nready() {{ printf '\\n\\001lockstep %s\\n' \"{READY}\"; }}\n\
             [ $(wc -l <\"$0.starts\") -gt 1 ] || {{ ready; exec sleep 60; }}\n{then}\n"
        ));
        let findings = folder.path().join("findings");
        let findings = findings.to_str().expect("the name is plain");
        let few = ["--programs", programs, "--seed", "1", "--share", "100", "--jobs", "1"];
        let rest = ["--shrink", "0", "--engines", engine, "--findings", findings];
        let (_, text) = there(&folder, &[&["fuzz"], &few[..], &rest[..]].concat());
        let starts = fs::read_to_string(folder.path().join("node.starts")).expect("it was started");
        (text, starts.lines().count())
    }

    /// A process may be ended before it is ready.
    #[test]
    fn an_end_before_anything_is_asked_is_counted() {
        for engine in ["dawn", "spirv:tint"] {
            let (text, starts) = fuzzed(engine, "3", "kill -KILL $$");
            assert!(starts > 1, "{text}");
            let line = text.lines().find(|line| {
                line.contains(&format!("child processes of {engine} "))
                    && line.contains(" ended by somebody else")
            });
            assert!(line.is_some(), "{text}");
            // The programs are not compared, and none is said to be a flake.
            let missed = format!("{engine}: somebody ended the process of an adapter each time");
            assert!(engine != "dawn" || text.contains(&missed), "{text}");
            assert!(!text.contains("flake"), "{text}");
        }
    }

    /// What Tint says against a shader is an answer, and its process goes on.
    #[test]
    fn a_shader_that_tint_refuses_does_not_end_its_process() {
        let no = r#"ready
            for i in $(seq 500); do
                printf '\001lockstep {"failed":["invalid","no such type"],"parts":[]}\n'
            done
            exec sleep 60"#;
        let (text, starts) = fuzzed("spirv:tint", "6", no);
        assert!(text.contains("no such type"), "{text}");
        assert!(!text.contains("child processes of spirv:tint"), "{text}");
        assert_eq!(starts, 2, "{text}");
    }

    fn says(then: &str, expected: &[&str]) {
        let text = judged(then);
        for words in expected {
            assert!(text.contains(words), "`{words}` is missing: {text}");
        }
    }

    #[test]
    fn a_process_that_dies_is_a_crash() {
        says("echo so it goes >&2; exit 7", &["crash", "on dawn", "so it goes"]);
    }

    #[test]
    fn a_process_that_says_nothing_hangs() {
        says("exec sleep 60", &["hang", "on dawn"]);
    }

    #[test]
    fn a_process_that_says_what_is_no_answer_is_a_crash() {
        says(r"printf '\001lockstep nonsense\n'; exec sleep 60", &["crash", "on dawn"]);
    }

    #[test]
    fn too_few_words_are_no_answer() {
        let few = r#"printf '\001lockstep {"done":{},"parts":[4]}\nabcd'; exec sleep 60"#;
        says(few, &["crash", "on dawn", "4 bytes back"]);
    }

    #[test]
    fn a_lost_device_is_told() {
        let lost =
            r#"printf '\001lockstep {"failed":["lost","gone"],"parts":[]}\n'; exec sleep 60"#;
        says(lost, &["lost", "on dawn", "gone"]);
    }

    /// naga takes the shader, so what Tint says against it is held against what is emitted.
    #[test]
    fn a_shader_that_tint_refuses_is_what_is_emitted() {
        let no = r#"printf '\001lockstep {"failed":["invalid","no such type"],"parts":[]}\n'
            exec sleep 60"#;
        says(no, &["rejected in emit on dawn", "no such type", "Tint"]);
    }
}
