//! How programs and their inputs reach a command, and how what it says looks.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Status, standard output and standard error of a command with this text on standard input.
fn with(
    text: impl AsRef<[u8]>,
    args: &[&str],
    environment: &[(&str, &str)],
) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for name in ["LC_ALL", "LC_CTYPE", "LANG", "NO_COLOR"] {
        command.env_remove(name);
    }
    let command = command.envs(environment.iter().copied()).spawn();
    let mut command = command.expect("lockstep starts");
    let mut stdin = command.stdin.take().expect("it was piped");
    // A command that refuses its command line reads nothing.
    let _ = stdin.write_all(text.as_ref());
    drop(stdin);
    let output = command.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

const SUM: &str = "-- input: 1, [7]\n-- result: 7\nparam (n : int) (xs : [n])\n\
    let (s : int) = loop (s : int = 0) for i <= n do in (s + xs[i])\nin (s)\n";

const TWICE: &str = "param n : i32;\nparam xs : [n];\nlet x : i32 = n * 2;\nresult x;\n";

fn file(folder: &TempDir, name: &str, text: impl AsRef<[u8]>) -> String {
    let path = folder.path().join(name);
    fs::write(&path, text).expect("the folder can be written");
    path.to_str().expect("the name is plain").to_owned()
}

/// A program on standard input, an input on the command line, in a file or on standard input: each command takes them.
#[test]
fn every_command_takes_programs_and_inputs_alike() {
    let folder = TempDir::new().expect("a folder");
    let sum = file(&folder, "sum.fun", SUM);
    let values = file(&folder, "values.txt", "3,\n[1,\n 2, 3]\n");
    let few = ["--engines", "fun,funmem,imp,device"];
    let commands: [(&str, &[&str]); 8] = [
        ("run", &[]),
        ("check", &[]),
        ("explain", &[]),
        ("compile", &["--emit", "wgsl"]),
        ("test", &few),
        ("replay", &few),
        ("shrink", &few),
        ("rules", &[]),
    ];
    for (command, more) in commands {
        let by_language = ["-", "--language", "fun"];
        let on_line = ["--input", "3, [1, 2, 3]"];
        let in_file = ["--input-file", &values];
        let piped = ["--input-file", "-"];
        // A corpus of one program leaves rules out.
        let right = if command == "rules" { 1 } else { 0 };
        let said = |text: &str, program: &[&str], input: &[&str]| {
            let args = [&[command], program, input, more].concat();
            let (status, out, told) = with(text, &args, &[]);
            if command == "compile" {
                // The loop has no kernel.
                assert!(status == 2 && told.contains("no kernel"), "{args:?}: {out}{told}");
            } else {
                assert_eq!(status, right, "{args:?}: {out}{told}");
            }
            out
        };
        let first = said("", &[&sum], &on_line);
        assert_eq!(first, said("", &[&sum], &in_file), "{command}");
        assert_eq!(first, said("3, [1, 2, 3]", &[&sum], &piped), "{command}");
        let by_name = first.replace(&sum, "<stdin>");
        assert_eq!(by_name, said(SUM, &by_language, &on_line), "{command}");
        assert_eq!(by_name, said(SUM, &by_language, &in_file), "{command}");
        let (status, _, told) =
            with(SUM, &[&[command], &by_language[..], &piped, more].concat(), &[]);
        assert!(status == 2 && told.contains("read once"), "{command}: {told}");
        // `test` tells it as what fails.
        let (status, out, told) = with(SUM, &[command, "-"], &[]);
        assert!(status == 2 && (out + &told).contains("language"), "{command}: {told}");
    }
    let (_, out, _) = with("", &["run", &sum, "--input-file", &values], &[]);
    assert_eq!(out, "6\n");
    let (_, out, _) =
        with(TWICE, &["run", "-", "--language", "device", "--input", "4, [1, 2, 3, 4]"], &[]);
    assert_eq!(out, "8\n");
}

#[test]
fn inputs_that_cannot_be_used_are_told_with_their_place() {
    let folder = TempDir::new().expect("a folder");
    let sum = file(&folder, "sum.fun", SUM);
    let wrong = file(&folder, "wrong.txt", "3,\n[1, oops]\n");
    for command in ["run", "check", "explain", "test", "replay", "shrink", "rules"] {
        for (input, text, words) in [
            (&wrong[..], "", "wrong.txt:2:5"),
            ("-", "3, [1, oops]", "<stdin>:1:8"),
            ("nowhere.txt", "", "nowhere.txt cannot be read"),
            ("-", "\u{0}", "<stdin>:1:1"),
        ] {
            let (status, out, told) = with(text, &[command, &sum, "--input-file", input], &[]);
            assert_eq!(status, 2, "{command} {input}: {out}");
            assert!(told.contains(words), "{command} {input} does not say `{words}`: {told}");
        }
        let both = ["--input", "1", "--input-file", "-"];
        let (status, _, told) = with("", &[&[command, &sum[..]], &both[..]].concat(), &[]);
        assert!(status == 2 && told.contains("cannot be used with"), "{command}: {told}");
    }
}

/// `test` holds all engines against each other on an input of the command line, whatever the header says.
#[test]
fn a_test_on_another_input_compares_engines() {
    let folder = TempDir::new().expect("a folder");
    let wrong = file(&folder, "sum.fun", SUM.replace("result: 7", "result: 8"));
    let few = ["--engines", "fun,funmem,imp,device"];
    let (status, out, _) = with("", &[&["test", &wrong], &few[..]].concat(), &[]);
    assert!(status == 1 && out.contains("instead of 8"), "{out}");
    let given = ["--input", "2, [1, 2]"];
    let (status, out, _) = with("", &[&["test", &wrong], &few[..], &given[..]].concat(), &[]);
    assert!(status == 0 && out.contains("1 case, 0 failed"), "{out}");
}

/// Editors of Windows write a mark before the text.
#[test]
fn a_byte_order_mark_is_no_part_of_a_program() {
    let folder = TempDir::new().expect("a folder");
    for (name, text) in [("sum.fun", SUM), ("twice.dev", TWICE)] {
        let program = file(&folder, name, format!("\u{FEFF}{text}"));
        let values = file(&folder, "values.txt", "\u{FEFF}2, [3, 4]");
        let (status, out, told) = with("", &["run", &program, "--input-file", &values], &[]);
        assert_eq!(status, 0, "{name}: {out}{told}");
    }
    let inside = file(&folder, "inside.fun", "in (\u{FEFF}1)\n");
    assert_eq!(with("", &["run", &inside], &[]).0, 2);
}

/// A link in a folder is what it leads to; one to nothing is told.
#[test]
#[cfg(unix)]
fn links_in_a_folder_are_followed() {
    use std::os::unix::fs::symlink;
    let folder = TempDir::new().expect("a folder");
    let programs = folder.path().join("programs");
    let elsewhere = folder.path().join("elsewhere");
    for folder in [&programs, &elsewhere] {
        fs::create_dir(folder).expect("it can be made");
    }
    file(&folder, "elsewhere/sum.fun", SUM);
    file(&folder, "one.fun", "in (1)\n");
    let link =
        |from: &Path, name: &str| symlink(from, programs.join(name)).expect("it can be made");
    link(&folder.path().join("one.fun"), "one.fun");
    link(&elsewhere, "more");
    link(&programs, "again");
    let programs_text = programs.to_str().expect("the name is plain");
    let (status, out, told) = with("", &["run", programs_text], &[]);
    assert_eq!(status, 0, "{out}{told}");
    assert!(out.contains("one.fun\n1\n") && out.contains("sum.fun\n7\n"), "{out}");
    link(&folder.path().join("nothing.fun"), "nothing.fun");
    let (status, out, told) = with("", &["run", programs_text], &[]);
    assert!(status == 2 && told.contains("nothing.fun cannot be read"), "{told}");
    assert!(out.contains("one.fun\n1\n") && out.contains("sum.fun\n7\n"), "{out}");
}

/// Results go to standard output, what is wrong to standard error, in every command that runs a program.
#[test]
fn what_is_wrong_goes_to_standard_error() {
    let folder = TempDir::new().expect("a folder");
    let stuck = file(&folder, "stuck.fun", "let (x : int) = 1 / 0\nin (x)\n");
    let race =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/funmem/race/reverse_in_place.funmem");
    let fuel = file(&folder, "fuel.dev", "let i : i32 = 1;\nresult i;\n");
    for command in ["run", "check", "explain"] {
        for (program, more, status, words) in [
            (&stuck[..], &[][..], 1, "stuck: 1 is divided by zero"),
            (race, &[], 1, "race: thread"),
            (&fuel, &["--fuel", "0"], 2, "out of fuel"),
        ] {
            let (ended, out, told) = with("", &[&[command, program], more].concat(), &[]);
            assert_eq!(ended, status, "{command}: {out}{told}");
            assert!(told.contains(words), "{command}: {told}");
            assert!(!out.contains(words) && !out.contains('╭'), "{command}: {out}");
        }
    }
}

/// Colours where they are asked for, and none where a person or a terminal wants none.
#[test]
fn colours_are_as_they_are_asked_for() {
    let folder = TempDir::new().expect("a folder");
    let stuck = file(&folder, "stuck.fun", "let (x : int) = 1 / 0\nin (x)\n");
    let is_coloured = |args: &[&str], environment: &[(&str, &str)]| {
        let (_, out, told) = with("", args, environment);
        assert!(!told.is_empty(), "{args:?} says nothing");
        (out + &told).contains('\u{1b}')
    };
    for args in [
        &["run", &stuck][..],
        &["run", "nowhere.fun"],
        &["run", "--bogus"],
        &["replay", &stuck, "--engines", "x"],
    ] {
        assert!(is_coloured(&[args, &["--color", "always"]].concat(), &[]), "{args:?}");
        assert!(
            is_coloured(&[&["--color=always"], args].concat(), &[("NO_COLOR", "1")]),
            "{args:?}"
        );
        for more in [&[][..], &["--color", "never"], &["--color=auto"]] {
            assert!(!is_coloured(&[args, more].concat(), &[]), "{args:?} {more:?}");
        }
    }
    let (status, _, told) = with("", &["run", &stuck, "--color", "pink"], &[]);
    assert!(status == 2 && told.contains("pink"), "{told}");
}

/// On a terminal, as `script` makes one: NO_COLOR and TERM=dumb are obeyed.
#[test]
#[cfg(target_os = "linux")]
fn a_terminal_without_colours_gets_none() {
    let folder = TempDir::new().expect("a folder");
    let stuck = file(&folder, "stuck.fun", "let (x : int) = 1 / 0\nin (x)\n");
    let shown = |environment: &[(&str, &str)]| {
        let line = format!("{} run {stuck}", env!("CARGO_BIN_EXE_lockstep"));
        let mut script = Command::new("script");
        script.args(["-qec", &line, "/dev/null"]).env_remove("NO_COLOR").env("TERM", "xterm");
        let output = script.envs(environment.iter().copied()).stdin(Stdio::null()).output();
        output.ok().map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    // Not every machine has it.
    let Some(coloured) = shown(&[]) else { return };
    assert!(coloured.contains('\u{1b}') && coloured.contains("stuck"), "{coloured}");
    for (name, value) in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let plain = shown(&[(name, value)]).expect("it ran before");
        assert!(!plain.contains('\u{1b}') && plain.contains("stuck"), "{name}: {plain}");
    }
}

/// Where the locale is not of UTF-8 lines are drawn in ASCII.
#[test]
fn a_locale_without_unicode_gets_ascii() {
    let folder = TempDir::new().expect("a folder");
    let stuck = file(&folder, "stuck.fun", "let (x : int) = 1 / 0\nin (x)\n");
    for args in [&["run", &stuck][..], &["explain", &stuck], &["run", "nowhere.fun"]] {
        for (environment, ascii) in [
            (&[("LANG", "C")][..], true),
            (&[("LC_ALL", "POSIX"), ("LANG", "en_GB.UTF-8")], true),
            (&[("LC_ALL", ""), ("LC_CTYPE", "de_DE.ISO-8859-1")], true),
            (&[("LANG", "C.UTF-8")], false),
            (&[("LC_CTYPE", "en_GB.utf8"), ("LANG", "C")], false),
            (&[], false),
        ] {
            let (_, out, told) = with("", args, environment);
            assert_eq!((out + &told).is_ascii(), ascii, "{args:?} {environment:?}: {told}");
        }
    }
}

/// A command line that is none is told a machine as data too.
#[test]
fn usage_errors_are_told_in_json() {
    for (args, words) in [
        (&["run", "--json"][..], "<PATHS>"),
        (&["fuzz", "--json", "--bogus"], "--bogus"),
        (&["test", "x.fun", "--limit", "soon", "--json"], "--limit"),
        (&["--json"], "--json"),
        (&["run", "x.fun", "--engine", "nothing", "--json"], "nothing"),
    ] {
        let (status, out, told) = with("", args, &[]);
        assert_eq!(status, 2, "{args:?}: {out}{told}");
        let problem: serde_json::Value = serde_json::from_str(&out).expect("an object");
        let sentence = problem["problem"].as_str().expect("a sentence");
        assert!(sentence.contains(words), "{args:?}: {problem}");
        assert!(told.starts_with("error: "), "{told}");
    }
    let (status, out, _) = with("", &["run", "--", "--json"], &[]);
    assert_eq!((status, out.as_str()), (2, ""), "behind -- it is a file");
}
