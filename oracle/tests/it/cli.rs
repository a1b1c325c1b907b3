//! The command line: every kind of bad input gets one clear message and status 2, every kind of
//! end its own status, and neither memory nor time runs away.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn lockstep(args: &[&str]) -> Output {
    // As a terminal of UTF-8 has it.
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.args(args).env("LC_ALL", "C.UTF-8").output().expect("lockstep starts")
}

struct Ended {
    status: i32,
    out: String,
    err: String,
}

fn run(args: &[&str]) -> Ended {
    let start = Instant::now();
    let output = lockstep(args);
    assert!(start.elapsed() < Duration::from_secs(30), "{args:?} took {:?}", start.elapsed());
    let ended = ended(&output);
    assert!(!ended.err.contains("lockstep has a bug"), "{args:?}: {}", ended.err);
    ended
}

fn ended(output: &Output) -> Ended {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    Ended {
        status: output.status.code().unwrap_or(-1),
        out: text(&output.stdout),
        err: text(&output.stderr),
    }
}

fn file(folder: &TempDir, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, text).expect("the folder can be written");
    path
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the names are plain")
}

/// One clear message on standard error, which holds these words, and status 2.
fn refused(args: &[&str], words: &str) {
    let ended = run(args);
    assert_eq!(ended.status, 2, "{args:?}: {}{}", ended.out, ended.err);
    assert!(ended.err.contains(words), "{args:?} does not say `{words}`: {}", ended.err);
    assert_eq!(ended.err.matches('×').count(), 1, "{args:?}: not one message: {}", ended.err);
}

const SCALE: &str = "param (n : int) (xs : [n])\n\
                     let (ys : [n]) = kernel i <= n do\n  in (xs[i] * 2)\n\
                     in (ys)\n";

#[test]
fn input_that_cannot_be_used_is_refused_with_its_place() {
    let folder = TempDir::new().expect("a folder");
    let at = |name: &str, source: &str| file(&folder, name, source);
    let scale = at("scale.fun", SCALE);
    let empty = at("empty.fun", "");
    let syntax = at("syntax.fun", "param (n : int)\nlet (x : int) = n +\nin (x)\n");
    let unbound = at("unbound.fun", "let (x : int) = y + 1\nin (x)\n");
    let rank = at("rank.fun", "param (n : int) (xs : [n])\nlet (x : int) = xs[1, 2]\nin (x)\n");
    let scope = at("scope.fun", "param (xs : [m])\nin (xs)\n");
    let plain = at("plain.txt", SCALE);
    let latin = file(&folder, "latin.fun", b"in (1) -- \xe9\n");
    let header = at("header.fun", "-- reslut: 3\nin (3)\n");
    let folder_text = folder.path().join("nothing.d");
    fs::create_dir(&folder_text).expect("the folder can be written");
    let folder_as_program = folder.path().join("folder.fun");
    fs::create_dir(&folder_as_program).expect("the folder can be written");

    refused(&["run", "no-such-file.fun"], "cannot be read");
    refused(&["run", text(&folder_text)], "holds no program");
    refused(&["run", text(&empty)], "is empty");
    refused(&["run", text(&latin)], "not UTF-8");
    refused(&["run", text(&plain)], "the language of");
    refused(&["run", text(&syntax)], "syntax.fun:3");
    refused(&["run", text(&unbound)], "unbound.fun:1");
    refused(&["run", text(&rank)], "rank.fun:2");
    refused(&["run", text(&scope)], "scope.fun:1");
    refused(&["run", text(&header)], "header.fun:1");
    refused(&["run", text(&scale)], "parameters");
    refused(&["run", text(&scale), "--input", "2, [1, 2, 3]"], "scale.fun:1:18");
    refused(&["run", text(&scale), "--input", "[1], [1]"], "scale.fun:1:8");
    refused(&["run", text(&scale), "--input", "1"], "1 input value for 2 parameters");
    let imp = at("scale.imp", "param (n : int)\n  (xs : mem [n])\nskip\n");
    refused(&["run", text(&imp), "--input", "1, 2"], "scale.imp:2:4");
    let device =
        "kernel k(xs : block[i32]) group 64 {}\nparam n : i32;\nparam xs : [n];\nresult n;\n";
    let device = at("scale.dev", device);
    refused(&["run", text(&device), "--input", "2, 2"], "scale.dev:3:7");
    refused(&["run", text(&device), "--input", "2, [1]"], "parameter `xs` has the shape [2]");
    refused(&["run", text(&device), "--input", "[1], [1]"], "scale.dev:2:7");
    refused(&["run", text(&device), "--input", "1"], "1 input value for 2 parameters");
    refused(&["run", text(&scale), "--input", "2, [1, oops]"], "oops");
    refused(&["run", text(&scale), "--input", "1, [1]", "--engine", "wgpu:nothing"], "no adapter");
    let findings = folder.path().join("nobody/findings");
    let findings = text(&findings);
    let fuzz = ["fuzz", "--findings", findings, "--engines"];
    refused(&[&fuzz[..], &["nothing"]].concat(), "no engine is called");
    refused(&[&fuzz[..], &["wgpu:nosuch"]].concat(), "no adapter `nosuch`");
    assert!(!folder.path().join("nobody").exists(), "a folder is made for what is refused");
    refused(&["test", text(&scale), "--engines", "wgpu:nosuch"], "no adapter `nosuch`");
    let file_as_folder = scale.join("findings");
    refused(&["fuzz", "--findings", text(&file_as_folder)], "cannot be written");
    refused(&["compile", text(&scale), "--stage", "nothing"], "no stage");
    let inserted = at("inserted.funmem", "in (1)\n");
    let none = "a program of funmem does not become the stage insert_memory";
    refused(&["compile", text(&inserted), "--stage", "insert_memory"], none);
    let none = "a program of funmem does not become a stage of fun";
    refused(&["compile", text(&inserted), "--emit", "fun"], none);
    refused(&["compile", text(&scale), "--emit", "spirv", "--json"], "SPIR-V is binary");
    refused(&["compile", text(&inserted), "--emit", "wgsl"], "no kernel");
    assert_eq!(run(&["run", text(&scale), "--engine", "nothing"]).status, 2);
    assert_eq!(run(&["no-such-command"]).status, 2);
    assert_eq!(run(&[]).status, 2);
}

#[test]
fn noise_and_depth_are_refused_soon() {
    let folder = TempDir::new().expect("a folder");
    let mut state = 1_u64;
    let mut byte = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as u8
    };
    let noise: Vec<u8> = (0..10_000_000).map(|_| byte()).collect();
    let printable: Vec<u8> = noise.iter().map(|byte| 32 + byte % 95).collect();
    let short: Vec<u8> = printable[..1_000_000].to_vec();
    let parentheses =
        format!("let (x : int) = {}1{}\nin (x)\n", "(".repeat(200_000), ")".repeat(200_000));
    for extension in ["fun", "funmem", "imp", "dev"] {
        for (number, bytes) in
            [&noise[..], &printable, &short, parentheses.as_bytes()].into_iter().enumerate()
        {
            let path = file(&folder, &format!("noise{number}.{extension}"), bytes);
            let ended = run(&["check", text(&path)]);
            assert_eq!(ended.status, 2, "{extension} {number}: {}{}", ended.out, ended.err);
            assert!(ended.err.len() < 20_000, "the message is as long as the noise");
        }
    }
}

#[test]
fn a_program_that_wants_too_much_gets_no_answer() {
    let folder = TempDir::new().expect("a folder");
    let threads = file(
        &folder,
        "threads.fun",
        "let (xs : [2000000000]) = kernel i <= 2000000000 do\n  in (i)\nin (xs[1])\n",
    );
    let busy = file(
        &folder,
        "busy.fun",
        "let (x : int) = loop (x : int = 0) for i <= 2000000000 do\n  in (x + i)\nin (x)\n",
    );
    let terabytes = [
        file(&folder, "terabyte.dev", "let b = alloc i32(2000000000 * 500);\nresult 1;\n"),
        file(
            &folder,
            "gigabytes.imp",
            "param (n : int)\nvar m : mem;\nfor i <= n do\n  m <- alloc 2000000000\ndone\n",
        ),
        file(
            &folder,
            "copies.fun",
            "let (xs : [40000]) = kernel i <= 40000 do\n  in (i)\n\
             let (a : [40000][40000]) = kernel i <= 40000 do\n  in (xs)\n\
             let (b : [40000][40000][40000]) = kernel i <= 40000 do\n  in (a)\nin (b)\n",
        ),
    ];
    let ended = run(&["run", text(&threads)]);
    assert_eq!(ended.status, 2, "{}{}", ended.out, ended.err);
    assert!(ended.err.contains("unknown"), "{}", ended.err);
    assert_eq!(ended.out, "", "a diagnostic is no result");
    // The statement at hand is shown, the innermost one, whatever runs it.
    let engines = ["fun", "funmem", "funmem:values", "imp:in-order", "imp:interleaved", "device"];
    for engine in engines {
        let ended = run(&["run", text(&busy), "--fuel", "1000000", "--engine", engine]);
        assert_eq!(ended.status, 2, "{}{}", ended.out, ended.err);
        assert!(ended.err.contains("out of fuel"), "{engine}: {}", ended.err);
        // The device's host runs the loop as one statement.
        let at = if engine == "device" { "busy.fun:1:1" } else { "busy.fun:2:7" };
        assert!(ended.err.contains(at), "{engine}: {}", ended.err);
    }
    for path in &terabytes {
        // Within 2 GiB of address space, of which the stack takes 256 MiB.
        let ended = within(2 << 20, &["run", text(path), "--input", input_of(path)]);
        assert_eq!(ended.status, 2, "{}: {}{}", path.display(), ended.out, ended.err);
        let said = "what the system has: at least ";
        let (_, bytes) = ended.err.split_once(said).expect("it says how much is needed");
        let bytes: u64 = bytes.split(' ').next().and_then(|k| k.parse().ok()).expect("a number");
        assert!(bytes > 2 << 30, "{}: {bytes}", path.display());
        let allocates = [("dev", ":1:1"), ("imp", ":4:3"), ("fun", ":3:1")];
        let extension = path.extension().and_then(|extension| extension.to_str());
        let (_, place) = allocates.into_iter().find(|(of, _)| Some(*of) == extension).expect("one");
        let name = path.file_name().expect("it has a name").to_string_lossy().into_owned();
        assert!(ended.err.contains(&(name + place)), "{}", ended.err);
    }
}

/// What cannot be compiled is refused with its place.
#[test]
fn a_refusal_shows_its_statement() {
    let folder = TempDir::new().expect("a folder");
    let path = file(
        &folder,
        "blocks.imp",
        "param (n : int)\nkernel i <= n do\n  var m : mem;\n  m <- alloc i\ndone\n",
    );
    let ended = run(&["run", text(&path), "--input", "2", "--engine", "device"]);
    assert_eq!(ended.status, 2, "{}{}", ended.out, ended.err);
    assert!(ended.err.contains("refused") && ended.err.contains("blocks.imp:4:3"), "{}", ended.err);
}

/// IMP's program takes the number of its blocks, the others nothing.
fn input_of(path: &Path) -> &'static str {
    if path.extension().is_some_and(|extension| extension == "imp") { "1000" } else { "" }
}

/// Runs in so many KiB of address space, where the system can limit that.
fn within(limit: u64, args: &[&str]) -> Ended {
    if !cfg!(unix) {
        return run(args);
    }
    let script = format!("ulimit -v {limit} && exec \"$0\" \"$@\"");
    let output = Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_lockstep")])
        .args(args)
        .output()
        .expect("there is a shell");
    ended(&output)
}

#[test]
fn every_end_has_its_status() {
    let folder = TempDir::new().expect("a folder");
    let scale = file(&folder, "scale.fun", SCALE);
    let stuck = file(
        &folder,
        "stuck.fun",
        "param (n : int) (xs : [n])\nlet (ys : [n]) = kernel i <= n do\n  in (xs[i + 1])\nin (ys)\n",
    );
    let ended = run(&["run", text(&scale), "--input", "2, [1, -4]"]);
    assert_eq!((ended.status, ended.out.as_str()), (0, "[2, -8]\n"));
    for engine in ["fun", "funmem", "funmem:values", "imp:in-order", "imp:interleaved", "device"] {
        let ended = run(&["run", text(&scale), "--input", "2, [1, -4]", "--engine", engine]);
        assert_eq!((ended.status, ended.out.as_str()), (0, "[2, -8]\n"), "{engine}");
        let ended = run(&["run", text(&stuck), "--input", "2, [1, -4]", "--engine", engine]);
        assert_eq!(ended.status, 1, "{engine}: {}{}", ended.out, ended.err);
        for word in ["stuck", "index 3", "1 to 2", "thread 2", "stuck.fun:3"] {
            assert!(ended.err.contains(word), "{engine} does not say {word}: {}", ended.err);
        }
    }
    let below = file(&folder, "below.fun", "param (x : int)\nin (x)\n");
    let ended = run(&["run", text(&below), "--input", "-1"]);
    assert_eq!((ended.status, ended.out.as_str()), (0, "-1\n"), "{}", ended.err);
    let ended = run(&["check", text(&stuck), "--input", "2, [1, -4]"]);
    assert_eq!(ended.status, 1, "{}", ended.out);
    assert!(ended.err.contains("stuck: index 3"), "{}", ended.err);
    assert!(ended.err.contains("stuck.fun:3"), "{}", ended.err);
    let ended = run(&["check", text(&stuck), "--input", "2, [1, -4]", "--fuel", "1"]);
    assert_eq!(ended.status, 2, "{}", ended.out);
    for argument in [["--limit", "-1"], ["--limit", "soon"]] {
        let ended = run(&["test", text(&scale), argument[0], argument[1]]);
        assert_eq!(ended.status, 2, "{argument:?}");
        assert!(ended.err.contains("--limit <SECONDS>"), "{argument:?}: {}", ended.err);
    }
    let ended = run(&["run", text(&scale), "--input", "1, [3]", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&ended.out).expect("it is JSON");
    assert_eq!(json["engine"], "fun");
}

/// A failure to write output is an error, unless its reader has closed the pipe.
#[test]
#[cfg(target_os = "linux")]
fn output_that_cannot_be_written_is_an_error() {
    let folder = TempDir::new().expect("a folder");
    let scale = file(&folder, "scale.fun", SCALE);
    let commands: [&[&str]; 3] =
        [&["faults"], &["run", text(&scale), "--input", "1, [3]"], &["--help"]];
    for args in commands {
        let to = |output: fs::File| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
            let output = command.args(args).stdout(output).output();
            ended(&output.expect("lockstep starts"))
        };
        let full = to(fs::OpenOptions::new().write(true).open("/dev/full").expect("it is there"));
        assert_eq!(full.status, 2, "{args:?}: {}", full.err);
        assert!(full.err.contains("standard output cannot be written"), "{args:?}: {}", full.err);
    }
    let script = "\"$0\" faults | true; exit ${PIPESTATUS[0]}";
    let piped = Command::new("bash").args(["-c", script, env!("CARGO_BIN_EXE_lockstep")]).output();
    let piped = ended(&piped.expect("there is a shell"));
    assert_eq!((piped.status, piped.err.as_str()), (0, ""));
}

/// Long work ends soon where nobody reads what comes of it: `lockstep fuzz | head -1`.
#[test]
#[cfg(unix)]
fn a_campaign_that_nobody_reads_ends() {
    let folder = TempDir::new().expect("a folder");
    for json in [&[][..], &["--json"]] {
        let start = Instant::now();
        let mut fuzz = Command::new(env!("CARGO_BIN_EXE_lockstep"))
            .args([
                "fuzz",
                "--seconds",
                "600",
                "--jobs",
                "1",
                "--engines",
                "fun,funmem",
                "--restart",
            ])
            .args(["--language", "fun", "--findings", text(folder.path())])
            .args(json)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("lockstep starts");
        drop(fuzz.stdout.take());
        fuzz.wait().expect("it ends");
        assert!(start.elapsed() < Duration::from_secs(60), "it ran for {:?}", start.elapsed());
    }
}

/// The first Ctrl-C ends a long test with what it has; the file that was interrupted says nothing.
#[test]
#[cfg(unix)]
fn ctrl_c_ends_a_test_with_what_it_has() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let mut test = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .args(["test", text(&corpus), "--engines", "fun,funmem,imp,device", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("lockstep starts");
    let mut lines = BufReader::new(test.stdout.take().expect("it was piped")).lines();
    let first = lines.next().expect("a file is judged").expect("it is text");
    assert!(first.contains("\"passed\":true"), "{first}");
    let pid = test.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().is_ok_and(|kill| kill.success()));
    let mut more: Vec<String> = lines.map(|line| line.expect("it is text")).collect();
    let summary = more.pop().expect("a summary");
    assert!(more.iter().all(|line| line.contains("\"passed\":true")), "{more:?}");
    let ended = ended(&test.wait_with_output().expect("it ends"));
    assert_eq!(ended.status, 130, "{}", ended.err);
    assert!(ended.err.contains("ended early by SIGINT"), "{}", ended.err);
    assert!(summary.contains("\"interrupted\":\"SIGINT\""), "{summary}");
}

/// SPIR-V of a program with several kernels is one file; where there are several programs their
/// names are said.
#[test]
fn programs_become_shaders() {
    let folder = TempDir::new().expect("a folder");
    let two = "param (n : int) (xs : [n])\n\
               let (ys : [n]) = kernel i <= n do\n  in (xs[i] * 2)\n\
               let (zs : [n]) = kernel i <= n do\n  in (ys[n + 1 - i])\nin (zs)\n";
    let (scale, two) = (file(&folder, "scale.fun", SCALE), file(&folder, "two.fun", two));
    for path in [&scale, &two] {
        let spirv = folder.path().join("out.spv");
        let ended = run(&["compile", text(path), "--emit", "spirv", "-o", text(&spirv)]);
        assert_eq!(ended.status, 0, "{}", ended.err);
        let bytes = fs::read(&spirv).expect("it was written");
        assert_eq!(bytes[..4], 0x0723_0203_u32.to_le_bytes());
        let piped = lockstep(&["compile", text(path), "--emit", "spirv"]);
        assert!(piped.status.success() && piped.stdout == bytes, "a pipe takes it too");
    }
    let wgsl = run(&["compile", text(&two), "--emit", "wgsl"]);
    for entry in ["fn main_1(", "fn main_2("] {
        assert!(wgsl.out.contains(entry), "no {entry} in {}", wgsl.out);
    }
    for (style, written) in [("plain", "if "), ("switch", "switch ("), ("full", "workgroupBarrier")]
    {
        let styled = run(&["compile", text(&two), "--emit", "wgsl", "--style", style]);
        assert!(styled.out.contains(written), "{style}: {}", styled.out);
        assert_eq!(styled.out == wgsl.out, style == "plain", "{style}: {}", styled.out);
    }
    let full = run(&["compile", text(&two), "--emit", "wgsl", "--form", "full"]);
    assert!(full.out.contains("atomicMax(&records") && full.out.contains("failed"), "{}", full.out);
    let fast = run(&["compile", text(&two), "--emit", "wgsl", "--form", "fast"]);
    assert!(fast.out.contains("atomicStore(&records[0], 1u);"), "{}", fast.out);
    assert!(fast.out == wgsl.out && !fast.out.contains("atomicMax"), "{}", fast.out);
    // Each check holds by what is known of these launches.
    let launches = run(&["compile", text(&two), "--emit", "wgsl", "--input", "3, [1, 2, 3]"]);
    assert!(launches.out.contains("fn main_2("), "{}{}", launches.out, launches.err);
    assert!(!launches.out.contains("records"), "{}", launches.out);
    let in_vain = run(&["compile", text(&two), "--emit", "imp", "--input", "1, [1]"]);
    assert!(in_vain.status == 2 && in_vain.err.contains("only the fast forms"), "{}", in_vain.err);
    let fancy = run(&["compile", text(&two), "--emit", "wgsl", "--style", "fancy"]);
    assert!(fancy.status == 2 && fancy.err.contains("no construct"), "{}", fancy.err);
    let both = run(&["compile", text(&scale), text(&two), "--emit", "fun"]);
    for path in [&scale, &two] {
        let name = format!("-- file: {}\n", path.display());
        assert!(both.out.contains(&name), "{}", both.out);
    }
    let both = run(&["run", text(&scale), text(&two), "--input", "1, [3]"]);
    let names = [&scale, &two].map(|path| format!("-- file: {}\n[6]\n", path.display()));
    assert_eq!(both.out, names.concat());
}

/// A file in a folder whose name is a verdict has to say that verdict.
#[test]
fn the_folder_is_the_verdict() {
    let folder = TempDir::new().expect("a folder");
    let judged = |verdict: &str, source: &str| {
        fs::create_dir_all(folder.path().join(verdict)).expect("the folder can be written");
        let path = file(&folder, &format!("{verdict}/program.fun"), source);
        run(&["test", text(&path), "--engines", "fun"])
    };
    let wrong = |verdict: &str, source: &str, words: &str| {
        let ended = judged(verdict, source);
        assert_eq!(ended.status, 1, "{verdict}: {}", ended.out);
        assert!(ended.out.contains(words), "{verdict} does not say `{words}`: {}", ended.out);
    };
    for (verdict, key) in [
        ("pass", "result"),
        ("stuck", "stuck"),
        ("race", "race"),
        ("invalid", "invalid"),
        ("reject", "rejects"),
    ] {
        let words = format!("it stands in {verdict}, and has no `{key}:` line");
        wrong(verdict, "in (1)\n", &words);
    }
    let stuck = "-- stuck: E-SCALAR division\nlet (x : int) = 1 / 0\nin (x)\n";
    wrong("pass", stuck, "it stands in pass, and line 1 says `stuck`");
    wrong("stuck", "-- stuck: E-INDEX index\nin (1)\n", "not stuck at E-INDEX index: ");
    wrong("stuck", "-- stuck: E-INDEX\nin (1)\n", "not stuck at E-INDEX: ");
    assert_eq!(judged("stuck", stuck).status, 0);
    assert_eq!(judged("pass", "-- result: 1\nin (1)\n").status, 0);
    assert_eq!(judged("reject", "-- rejects: T-VAR scope\nin (x)\n").status, 0);
    assert_eq!(judged("programs", "in (1)\n").status, 0);
}

#[test]
fn the_lists_are_lists() {
    let ended = run(&["faults", "--json"]);
    let faults: serde_json::Value = serde_json::from_str(&ended.out).expect("it is JSON");
    let faults = faults.as_array().expect("it is a list");
    assert_eq!(faults.len(), 105);
    for fault in faults {
        for key in ["id", "pass", "reference", "cause"] {
            assert!(fault[key].is_string(), "{fault} has no {key}");
        }
    }
    let ended = run(&["engines", "--json"]);
    assert_eq!(ended.status, 0);
    assert!(ended.out.lines().count() >= 8, "{}", ended.out);
    for line in ended.out.lines() {
        let _: serde_json::Value = serde_json::from_str(line).expect("each line is JSON");
    }
    assert!(run(&["rules"]).out.contains("E-KERNEL"));
    let folder = TempDir::new().expect("a folder");
    let scale = file(&folder, "scale.fun", format!("-- input: 1, [4]\n-- result: [8]\n{SCALE}"));
    assert_eq!(run(&["rules", text(&scale)]).status, 1, "rules are missing");
    assert_eq!(
        run(&["rules", text(&scale), "nowhere.fun"]).status,
        2,
        "nobody knows what it fires"
    );
    let headless = file(&folder, "headless.fun", format!("-- input: [1\n{SCALE}"));
    let ended = run(&["rules", text(&scale), text(&headless)]);
    assert_eq!(ended.status, 2, "nor what this does");
    assert!(ended.err.contains("headless.fun:1:"), "{}", ended.err);
    let notes = file(&folder, "notes.txt", "in (1)\n");
    for command in ["rules", "test"] {
        let ended = run(&[command, text(&scale), text(&notes)]);
        assert_eq!(ended.status, 2, "nobody knows what language it is in");
        let told = ended.err + &ended.out;
        assert!(told.contains("notes.txt cannot be told by its extension"), "{told}");
    }
}

/// What a shell and `man` want names every subcommand.
#[test]
fn completions_and_manual_pages_are_those_of_the_command_line() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ended = run(&["completions", shell]);
        assert_eq!(ended.status, 0, "{shell}: {}", ended.err);
        for word in ["replay", "input-file", "restart"] {
            assert!(ended.out.contains(word), "{shell} knows no {word}");
        }
    }
    let page = run(&["man"]);
    assert!(page.status == 0 && page.out.contains(".TH lockstep"), "{}", page.out);
    let folder = TempDir::new().expect("a folder");
    let ended = run(&["man", "--output", text(folder.path())]);
    assert_eq!(ended.status, 0, "{}", ended.err);
    let fuzz = fs::read_to_string(folder.path().join("lockstep-fuzz.1")).expect("a page");
    assert!(fuzz.contains("restart"), "{fuzz}");
    let new = folder.path().join("share/man1");
    let ended = run(&["man", "--output", text(&new)]);
    assert!(ended.status == 0 && new.join("lockstep.1").is_file(), "{}", ended.err);
    refused(&["man", "--output", text(&new.join("lockstep.1"))], "cannot be written");
}

#[test]
fn every_subcommand_shows_an_example() {
    for command in [
        "run",
        "check",
        "compile",
        "explain",
        "test",
        "fuzz",
        "shrink",
        "replay",
        "engines",
        "rules",
        "judge",
        "faults",
        "bench",
        "completions",
        "man",
    ] {
        let ended = run(&[command, "--help"]);
        assert_eq!(ended.status, 0, "{command}");
        assert!(ended.out.contains("Example: lockstep"), "{command}: {}", ended.out);
    }
}

#[test]
fn a_fault_that_there_is_not_is_refused() {
    refused(&["fuzz", "--fault", "Z9", "--seconds", "1"], "no fault is called");
}

#[test]
fn a_campaign_says_what_it_compared() {
    let folder = TempDir::new().expect("a folder");
    let findings = folder.path().join("findings");
    let args = [
        "fuzz",
        "--programs",
        "60",
        "--seed",
        "1",
        "--jobs",
        "2",
        "--engines",
        "funmem,imp,device",
        "--findings",
        text(&findings),
    ];
    let ended = run(&args);
    for word in ["60 programs", "imp:in-order", "how programs end", "not compared", "never in"] {
        assert!(ended.out.contains(word), "no `{word}` in {}", ended.out);
    }
    assert_eq!(ended.status, 0, "{}{}", ended.out, ended.err);
}

/// Where adapters are asked for and there is none, that is told: nothing would be compared.
#[test]
fn adapters_that_are_not_there_are_missed() {
    let folder = TempDir::new().expect("a folder");
    let scale = file(&folder, "scale.fun", format!("-- input: 0, []\n-- result: []\n{SCALE}"));
    let findings = folder.path().join("findings");
    for args in [
        &["test", text(&scale), "--engines", "wgpu"][..],
        &["replay", text(&scale), "--engines", "fun,wgpu"],
        &["fuzz", "--engines", "wgpu", "--seconds", "1", "--findings", text(&findings)],
    ] {
        let ended = Command::new(env!("CARGO_BIN_EXE_lockstep"))
            .args(args)
            .env("VK_DRIVER_FILES", "/nonexistent")
            .env("VK_ICD_FILENAMES", "/nonexistent")
            .output()
            .expect("lockstep starts");
        let said = String::from_utf8_lossy(&ended.stderr);
        // Other systems have drivers that no variable takes away.
        if cfg!(target_os = "linux") {
            assert_eq!(ended.status.code(), Some(2), "{args:?}: {said}");
            assert!(said.contains("there is no adapter here"), "{args:?}: {said}");
        }
    }
}
