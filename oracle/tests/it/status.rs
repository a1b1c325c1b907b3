//! What is lost or kept, and with which status a command ends: signals, folders of campaigns, files that would be
//! overwritten, memory and threads that the system refuses.

use oracle::language::Lang;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.args(args).env("VK_DRIVER_FILES", "/nonexistent").env("LC_ALL", "C.UTF-8");
    command.env("VK_ICD_FILENAMES", "/nonexistent");
    command
}

fn told(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

fn run(args: &[&str]) -> (i32, String, String) {
    told(&command(args).output().expect("lockstep starts"))
}

fn file(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).expect("the folder can be written");
    path.to_str().expect("the name is plain").to_owned()
}

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus");
const FUZZ: [&str; 7] = ["fuzz", "--seed", "1", "--jobs", "2", "--engines", "fun,funmem"];

/// A job that runs out of time is not green.
#[test]
#[cfg(unix)]
fn what_a_signal_ends_has_its_status() {
    let folder = TempDir::new().expect("a folder");
    let findings = folder.path().join("findings");
    let findings = findings.to_str().expect("the name is plain");
    let test = ["test", CORPUS, "--engines", "fun,funmem,imp,device,spirv", "--json"];
    let fuzz = [&FUZZ[..], &["--seconds", "300", "--json", "--findings", findings]].concat();
    for (args, signal, status) in [
        (&test[..], "TERM", 143),
        (&fuzz, "INT", 130),
        (&[&fuzz[..], &["--restart"]].concat(), "TERM", 143),
    ] {
        let mut waits = [1_500, 6_000, 20_000].into_iter();
        let (ended, out, err) = loop {
            let wait = waits.next().expect("it listens before long");
            let child = command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
            let child = child.expect("lockstep starts");
            std::thread::sleep(Duration::from_millis(wait));
            let pid = child.id().to_string();
            let kill = Command::new("kill").args([&format!("-{signal}"), &pid]).status();
            assert!(kill.expect("kill runs").success(), "{args:?} is gone");
            let ended = child.wait_with_output().expect("it ends");
            // On a loaded machine the signal may come before somebody listens.
            if ended.status.code().is_some() {
                break told(&ended);
            }
        };
        assert_eq!(ended, status, "{args:?}: {err}");
        let last: Value =
            serde_json::from_str(out.lines().last().expect("a summary")).expect("JSON");
        let last = if args[0] == "test" { &last["summary"] } else { &last };
        assert_eq!(last["interrupted"], format!("SIG{signal}"), "{last}");
    }
}

/// A night's campaign is not overwritten by a command line that forgets `--resume`.
#[test]
fn a_campaign_is_not_overwritten_unasked() {
    let folder = TempDir::new().expect("a folder");
    let findings = folder.path().to_str().expect("the name is plain");
    let fuzz = [&FUZZ[..], &["--programs", "20", "--findings", findings]].concat();
    let (status, out, err) = run(&fuzz);
    assert_eq!(status, 0, "{out}{err}");
    let kept = || fs::read_to_string(folder.path().join("campaign.json")).expect("it is there");
    let before = kept();
    let (status, _, err) = run(&fuzz);
    assert_eq!(status, 2, "{err}");
    for way in ["--resume", "--restart", "--findings"] {
        assert!(err.contains(way), "{err}");
    }
    assert_eq!(kept(), before);
    let few = ["--programs", "5", "--findings", findings];
    let (status, out, err) = run(&[&["fuzz", "--resume"], &few[..]].concat());
    assert!(status == 0 && out.contains("25 programs"), "{out}{err}");
    let (status, out, err) = run(&[&FUZZ[..], &few, &["--restart"]].concat());
    assert!(status == 0 && out.contains("5 programs in"), "{out}{err}");
    let (status, _, err) = run(&["fuzz", "--resume", "--restart", "--findings", findings]);
    assert!(status == 2 && err.contains("cannot be used with"), "{err}");
    // A damaged one is the campaign of somebody too.
    file(folder.path(), "campaign.json", "{");
    assert_eq!(run(&fuzz).0, 2);
    assert_eq!(run(&[&fuzz[..], &["--restart"]].concat()).0, 0);
}

/// A folder that is removed meanwhile is not made again without its lock.
#[test]
#[cfg(unix)]
fn a_campaign_whose_folder_is_gone_ends() {
    for again in [false, true] {
        let folder = TempDir::new().expect("a folder");
        let findings = folder.path().join("findings");
        let name = findings.to_str().expect("the name is plain");
        let args = [&FUZZ[..], &["--seconds", "300", "--findings", name]].concat();
        let child = command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let child = child.expect("lockstep starts");
        let start = Instant::now();
        while !findings.join("campaign.json").exists() {
            assert!(start.elapsed() < Duration::from_secs(20), "no campaign begins");
            std::thread::sleep(Duration::from_millis(20));
        }
        // Another campaign may have made it anew.
        fs::rename(&findings, folder.path().join("moved")).expect("it is there");
        if again {
            fs::create_dir(&findings).expect("it is gone");
        }
        let (status, out, err) = told(&child.wait_with_output().expect("it ends"));
        assert_eq!(status, 2, "{out}{err}");
        assert!(err.contains("the folder of the findings was removed"), "{err}");
        assert!(!err.contains("has a bug"), "{err}");
        let left = fs::read_dir(&findings).map_or(0, Iterator::count);
        assert!(findings.exists() == again && left == 0, "it is written again");
    }
}

/// The program is not lost to what is made of it, whatever it is called there.
#[test]
fn a_program_is_not_compiled_over() {
    let folder = TempDir::new().expect("a folder");
    let text = "param (n : int)\nin (n + 1)\n";
    let program = file(folder.path(), "x.fun", text);
    let mut names = vec![program.clone(), format!("{}/./x.fun", folder.path().display())];
    #[cfg(unix)]
    {
        let link = folder.path().join("link.fun");
        std::os::unix::fs::symlink(&program, &link).expect("it can be made");
        names.push(link.to_str().expect("the name is plain").to_owned());
    }
    for name in &names {
        for emit in ["fun", "device", "imp"] {
            let (status, out, err) = run(&["compile", &program, "--emit", emit, "-o", name]);
            assert_eq!(status, 2, "{name}: {out}{err}");
            assert!(err.contains("would be lost"), "{name}: {err}");
            assert_eq!(fs::read_to_string(&program).expect("it is there"), text);
        }
    }
    let other = format!("{}/y.imp", folder.path().display());
    assert_eq!(run(&["compile", &program, "--emit", "imp", "-o", &other]).0, 0);
}

/// What FUNMEM computes on a heap that overwrote what lives is told to be wrong.
#[test]
fn a_run_of_an_invalid_program_says_so() {
    for name in ["overwritten_while_alive", "result_reversed", "branch_overwrites"] {
        let path = format!("{CORPUS}/funmem/invalid/{name}.funmem");
        let engines = ["funmem", "funmem:values", "imp:in-order", "device", "spirv"];
        let named: Vec<_> = engines.iter().map(|name| vec!["--engine", name]).collect();
        for engine in [vec![]].iter().chain(&named) {
            let (status, out, err) = run(&[&["run", &path], &engine[..]].concat());
            assert_eq!(status, 1, "{name}: {out}{err}");
            assert!(err.contains("invalid: ") && !out.is_empty(), "{name}: {err}");
            let (status, out, _) = run(&[&["run", &path, "--json"], &engine[..]].concat());
            let line: Value =
                serde_json::from_str(out.lines().next().expect("a line")).expect("JSON");
            assert!(status == 1 && line["invalid"].is_string(), "{out}");
        }
        let (status, out, err) = run(&["explain", &path]);
        assert_eq!(status, 1, "{name}: {out}{err}");
        assert!(err.contains("invalid: "), "{name}: {err}");
        let (_, out, err) = run(&["check", &path]);
        assert!(out.contains("but invalid\n") && err.contains("invalid: "), "{name}: {out}{err}");
    }
    let (status, _, err) = run(&["run", &format!("{CORPUS}/fun/pass/sum.fun")]);
    assert_eq!((status, err.as_str()), (0, ""));
}

/// The help says what of validity does not hold, and nothing that is not so.
#[test]
fn the_help_says_why_memory_is_invalid() {
    let changes = "the memory of the program changes what it computes (def. 3.1)";
    let layout = "is row-major over the whole of its block";
    let luck = "these are right by luck";
    let all = [changes, layout, luck];
    for (name, helps) in [
        ("overwritten_while_alive", &[changes][..]),
        ("result_reversed", &[layout]),
        ("right_by_luck", &[luck]),
        ("rows_rotated_twice", &[luck, changes]),
    ] {
        let (_, _, err) = run(&["run", &format!("{CORPUS}/funmem/invalid/{name}.funmem")]);
        let err = err.split_whitespace().collect::<Vec<_>>().join(" ");
        let told: Vec<_> = all.iter().filter(|help| err.contains(**help)).collect();
        let expected: Vec<_> = all.iter().filter(|help| helps.contains(help)).collect();
        assert_eq!(told, expected, "{name}: {err}");
    }
}

/// The same of results that depend on an order, whichever engine is asked.
#[test]
fn a_run_in_one_order_says_that_others_end_otherwise() {
    let path = format!("{CORPUS}/device/order/stream_compaction.dev");
    for engine in [&[][..], &["--engine", "device:reversed"], &["--engine", "spirv"]] {
        let (status, out, err) = run(&[&["run", &path], engine].concat());
        assert_eq!(status, 0, "{engine:?}: {out}{err}");
        assert!(err.contains("order-dependent: device ends with"), "{engine:?}: {err}");
    }
    let path = format!("{CORPUS}/device/pass/histogram.dev");
    let (status, _, err) = run(&["run", &path, "--engine", "device:reversed"]);
    assert_eq!((status, err.as_str()), (0, ""));
}

/// A race that another order shows is one of the program, whichever command and engine runs it.
#[test]
fn a_race_in_another_order_has_the_status_of_a_race() {
    for (name, told) in [
        ("race_in_another_order", "race: thread 2 writes"),
        ("race_in_another_order_of_a_group", "race: thread 2 writes"),
        ("race_in_a_rare_order", "race: thread 5 reads"),
        ("race_between_groups", "race: thread "),
    ] {
        let path = format!("{CORPUS}/device/race/{name}.dev");
        for command in
            [&["run"][..], &["check"], &["explain"], &["run", "--engine", "device:shuffled"]]
        {
            let (status, out, err) = run(&[command, &[&path]].concat());
            assert_eq!(status, 1, "{command:?} {name}: {out}{err}");
            assert!(err.contains(told), "{command:?} {name}: {err}");
        }
    }
}

/// `test`, `replay` and `shrink` tell the race of another order, and that order.
#[test]
fn a_race_in_another_order_is_told_with_the_order() {
    let folder = TempDir::new().expect("a folder");
    for name in ["race_in_another_order", "race_in_a_rare_order", "race_between_groups"] {
        let said = fs::read_to_string(format!("{CORPUS}/device/race/{name}.dev"));
        let said = said.expect("it is in the corpus");
        let (header, text): (Vec<&str>, Vec<&str>) =
            said.lines().partition(|line| line.starts_with("--"));
        let input = header.iter().find_map(|line| line.strip_prefix("-- input: "));
        let input: Vec<&str> = input.iter().flat_map(|input| ["--input", input]).collect();
        let path = file(folder.path(), &format!("{name}.dev"), &text.join("\n"));
        for (command, ends) in [("test", 1), ("replay", 2), ("shrink", 2)] {
            let args = [&[command, &path, "--engines", "device,spirv"], &input[..]].concat();
            let (status, out, err) = run(&args);
            assert_eq!(status, ends, "{command} {name}: {out}{err}");
            let line = [out, err].concat();
            let line = line.lines().find(|line| line.contains(" races: ")).unwrap_or_default();
            for words in ["race of threads [", ", in another order of its threads, that of device:"]
            {
                assert!(line.contains(words), "{command} {name}: {line}");
            }
        }
    }
}

/// `--fuel` and `--memory` limit the commands that judge a file too. Then it has no answer, and nothing that its header
/// counts is held against it.
#[test]
fn commands_that_judge_files_are_limited() {
    let path = format!("{CORPUS}/fun/pass/matrix_product.fun");
    let engines = ["--engines", "fun,funmem,imp,device,spirv"];
    for (limit, why) in
        [(["--fuel", "5"], "out of fuel"), (["--memory", "0"], "beyond the memory budget")]
    {
        for (command, ends) in [("test", 2), ("replay", 2), ("shrink", 2), ("rules", 2)] {
            let engines = if command == "rules" { &[][..] } else { &engines };
            let (status, out, err) = run(&[&[command, &path], &limit[..], engines].concat());
            assert_eq!(status, ends, "{command} {limit:?}: {out}{err}");
            let told = format!("{out}{err}");
            assert!(told.contains(why) && !told.contains("launches 0"), "{command}: {told}");
            assert!(!told.contains("does not fire"), "{command}: {told}");
        }
    }
}

/// A thread that another order leaves stuck makes the program stuck, whichever command and engine runs it. Only a header
/// that says so makes that right, as with a thread that is stuck in order.
#[test]
fn a_program_that_is_stuck_in_one_order_is_stuck() {
    let folder = TempDir::new().expect("a folder");
    let engines = ["--engines", "device,spirv"];
    for (name, told) in [
        ("stuck_in_one_order", "offset 3, counted from 0, is not one of 3 elements"),
        ("division_in_one_order", "6 is divided by zero"),
        ("division_in_order_only", "6 is divided by zero"),
        ("division_in_a_rare_order", "6 is divided by zero"),
        ("division_between_groups", "6 is divided by zero"),
        ("division", "is divided by zero"),
        (
            "index_behind_a_barrier_in_one_order",
            "offset 3, counted from 0, is not one of 3 elements",
        ),
        ("size_on_the_host_in_one_order", "-1"),
    ] {
        let said = format!("{CORPUS}/device/stuck/{name}.dev");
        let text = fs::read_to_string(&said).expect("it is in the corpus");
        let (header, unsaid): (Vec<&str>, Vec<&str>) =
            text.lines().partition(|line| line.starts_with("--"));
        let input = header.iter().find_map(|line| line.strip_prefix("-- input: "));
        let input: Vec<&str> = input.iter().flat_map(|input| ["--input", input]).collect();
        let unsaid = file(folder.path(), &format!("{name}.dev"), &unsaid.join("\n"));
        for command in [
            &["run"][..],
            &["check"],
            &["explain"],
            &["run", "--engine", "device:shuffled"],
            &["run", "--engine", "spirv"],
        ] {
            let (status, out, err) = run(&[command, &[&said]].concat());
            assert_eq!(status, 1, "{command:?} {name}: {out}{err}");
            assert!(err.contains(told) && !out.contains("order-dependent"), "{command:?}: {err}");
        }
        for command in ["test", "replay", "shrink"] {
            let (status, out, err) = run(&[&[command, &unsaid][..], &engines, &input].concat());
            assert_eq!(status, 1, "{command} {name}: {out}{err}");
            let told = format!("{out}{err}");
            assert!(told.contains(" is stuck at D-"), "{command} {name}: {told}");
            let in_order = name == "division" || name == "division_in_order_only";
            assert_eq!(told.contains("in another order of its threads"), !in_order, "{told}");
            let (status, out, err) = run(&[&[command, &said][..], &engines].concat());
            assert_eq!(status, 0, "{command} {name}: {out}{err}");
        }
    }
}

/// Of a program that is itself wrong engines cannot be held against each other: neither do all agree, nor is
/// nothing wrong.
#[test]
fn what_is_wrong_with_the_program_itself_is_no_agreement() {
    let race = "the program itself races";
    for (name, words) in [
        ("funmem/race/reverse_in_place.funmem", race),
        ("imp/race/shift_in_place.imp", race),
        ("device/race/missing_barrier.dev", race),
        ("funmem/invalid/overwritten_while_alive.funmem", "is not valid: "),
        ("funmem/invalid/right_by_luck.funmem", "is not valid: "),
    ] {
        let path = format!("{CORPUS}/{name}");
        for command in ["replay", "shrink"] {
            let (status, out, err) =
                run(&[command, &path, "--engines", "fun,funmem,imp,device,spirv"]);
            assert_eq!(status, 2, "{command} {name}: {out}{err}");
            let told = format!("{out}{err}");
            assert!(told.contains("not compared: ") && told.contains(words), "{command}: {told}");
        }
    }
}

/// Runs in so many KiB of address space.
#[cfg(target_os = "linux")]
fn within(kib: u64, args: &[&str]) -> (i32, String, String) {
    let script = format!("ulimit -v {kib} && exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_lockstep")]).args(args);
    command.env("VK_DRIVER_FILES", "/nonexistent").env("VK_ICD_FILENAMES", "/nonexistent");
    told(&command.output().expect("there is a shell"))
}

/// Memory that the budget allows and the system refuses.
#[test]
#[cfg(target_os = "linux")]
fn memory_that_the_system_refuses_is_no_answer() {
    let folder = TempDir::new().expect("a folder");
    let array = "let (xs : [200000000]) = kernel i <= 200000000 do\n  in (i)\nin (xs[1])\n";
    let copy = "let (xs : [2000]) = kernel i <= 2000 do\n  in (i)\n\
        let (ys : [100000][2000]) = kernel i <= 100000 do\n  in (xs)\nin (ys[1, 1])\n";
    let block = "param (n : int)\nvar m : mem;\nm <- alloc 200000000\n";
    // Many small ones, which live at once.
    let rows = "param (n : int)\nlet (xss : [n][500]) = kernel i <= n do\n  \
        let (xs : [500]) = iota 500\n  in (xs)\nin (xss[n, 5])\n";
    let blocks = "param (n : int)\nvar m : mem;\n\
        for i <= n do m <- alloc 900; m[0] <- i done\n";
    let tables = "param (n : int)\nvar m : mem;\nfor i <= n do m <- alloc 3 done\n";
    for (name, text, input) in [
        ("rows.fun", rows, "200000"),
        ("blocks.imp", blocks, "200000"),
        ("tables.imp", tables, "5000000"),
        ("array.fun", array, ""),
        ("copy.fun", copy, ""),
        ("block.imp", block, "1"),
        ("block.dev", "let b = alloc i32(20000000);\nresult 1;\n", ""),
    ] {
        let path = file(folder.path(), name, text);
        for command in ["run", "check"] {
            let args = [command, &path, "--fuel", "20000000000", "--input", input];
            let (status, out, err) = within(600_000, &args);
            assert_eq!(status, 2, "{name}: {out}{err}");
            assert!(err.contains("what the system has: at least "), "{name}: {err}");
            assert!(!err.contains("memory allocation of"), "{name}: {err}");
        }
    }
}

/// A thread that the system refuses is told as what it is.
#[test]
#[cfg(target_os = "linux")]
fn threads_that_the_system_refuses_are_told() {
    let folder = TempDir::new().expect("a folder");
    let findings = folder.path().join("findings");
    let findings = findings.to_str().expect("the name is plain");
    let sum = format!("{CORPUS}/fun/pass/sum.fun");
    // Not even the first.
    let (status, _, err) = within(250_000, &["run", &sum]);
    assert_eq!(status, 2, "{err}");
    assert!(err.contains("no thread could be started") && !err.contains("bug"), "{err}");
    // One that would have no memory beside its stack.
    for kib in [310_000, 330_000, 350_000] {
        let (status, _, err) = within(kib, &["run", &sum]);
        assert!(
            status == 2 && err.contains("no thread could be started"),
            "{kib}: {status}, {err}"
        );
    }
    // No worker beside it.
    let fuzz = [&FUZZ[..], &["--seconds", "5", "--findings", findings]].concat();
    let (status, out, err) = within(450_000, &fuzz);
    assert_eq!(status, 2, "{out}{err}");
    assert!(err.contains("a worker could not be started") && !err.contains("bug"), "{err}");
}

/// The folder of a finding of shaders has all that a report to those who make them wants.
#[test]
fn a_finding_of_shaders_can_be_filed_as_it_is() {
    let folder = TempDir::new().expect("a folder");
    let map = |from: &str, to: &str| {
        format!("let ({to} : [n]) = kernel i <= n do\n  in ({from}[i] * 2)\n")
    };
    let head = "-- input: 3, [1, 2, 3]\nparam (n : int) (a : [n])\n";
    let text = format!("{head}{}{}{}in (d)\n", map("a", "b"), map("b", "c"), map("c", "d"));
    let program = file(folder.path(), "three.fun", &text);
    let reports = folder.path().join("reports");
    let name = reports.to_str().expect("the name is plain");
    for style in ["plain", "full"] {
        let engines = ["--engines", "device,wgpu:evaluator-wrong", "--style", style];
        let args = [&["replay", &program, "--report", name], &engines[..]].concat();
        let (status, out, err) = run(&args);
        assert_eq!(status, 1, "{out}{err}");
        let report = fs::read_dir(&reports).expect("it was made").next().expect("a report");
        let report = report.expect("an entry").path();
        let read = |name: &str| fs::read_to_string(report.join(name)).expect("it is there");
        let about = read("README.md");
        for words in
            ["device after ", "wgpu:evaluator-wrong after ", "Input: 3, [1, 2, 3].", "host.mjs"]
        {
            assert!(about.contains(words), "no `{words}` in {about}");
        }
        assert!(read("program.fun.txt").contains("kernel i <= n do"), "not the program");
        let launches: Value = serde_json::from_str(&read("launches.json")).expect("it is JSON");
        let launches = launches.as_array().expect("a list");
        assert_eq!(launches.len(), 3, "{launches:?}");
        for launch in launches {
            let shader = launch["shader"].as_str().expect("a name");
            let wgsl = read(shader);
            assert!(wgsl.contains("@compute") && wgsl.contains("fn main("), "{wgsl}");
            assert_eq!(wgsl.contains("workgroupBarrier"), style == "full", "{style}: {wgsl}");
            let spirv =
                fs::read(report.join(shader.replace(".wgsl", ".spv"))).expect("it is there");
            assert_eq!(spirv[..4], 0x0723_0203_u32.to_le_bytes());
            let [arena, words] = [0, 1].map(|at| &launch["buffers"][at]);
            assert_eq!(words["before"][0], 3, "three invocations: {words}");
            let has = |words: &Value, number: u32| {
                words.as_array().expect("words").contains(&number.into())
            };
            assert!(has(&arena["before"], 2) && arena["before"] != arena["after"], "{arena}");
        }
        // Not every machine has it.
        let node = Command::new("node").arg("--check").arg(report.join("host.mjs")).output();
        assert!(
            node.is_err() || node.is_ok_and(|node| node.status.success()),
            "host.mjs is no program"
        );
        fs::remove_dir_all(&reports).expect("it is there");
    }
    // Findings on two inputs, and in two files of one name, have a folder each.
    let other = folder.path().join("other");
    fs::create_dir(&other).expect("the folder can be written");
    let twice =
        text.replacen("-- input: 3, [1, 2, 3]", "-- input: 3, [1, 2, 3]\n-- input: 1, [9]", 1);
    let twice = file(&other, "three.fun", &twice);
    let engines = ["--engines", "device,wgpu:evaluator-wrong"];
    let (_, out, err) =
        run(&[&["replay", &program, &twice, "--report", name], &engines[..]].concat());
    let mut inputs = Vec::new();
    for report in fs::read_dir(&reports).expect("it was made") {
        let about = report.expect("an entry").path().join("README.md");
        let about = fs::read_to_string(about).expect("it is there");
        let input = about.lines().find(|line| line.starts_with("Input: ")).expect("an input");
        inputs.push(input.to_owned());
    }
    inputs.sort();
    assert_eq!(
        inputs,
        ["Input: 1, [9].", "Input: 3, [1, 2, 3].", "Input: 3, [1, 2, 3]."],
        "{out}{err}"
    );
    fs::remove_dir_all(&reports).expect("it is there");
    // A pass is nobody's else.
    let (_, _, err) = run(&["replay", &program, "--report", name, "--engines", "fun,device"]);
    assert!(!reports.exists(), "{err}");
    // A campaign writes it beside the finding.
    let fuzz = ["fuzz", "--programs", "40", "--seed", "1", "--share", "100", "--shrink", "0"];
    let wrong = ["--engines", "device,wgpu:evaluator-wrong", "--jobs", "1", "--findings", name];
    let (status, out, err) = run(&[&fuzz[..], &wrong].concat());
    assert_eq!(status, 1, "{out}{err}");
    let names = fs::read_dir(&reports)
        .expect("it was made")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let names: Vec<String> = names.collect();
    let report = names.iter().find(|name| name.ends_with(".report")).expect("a report");
    let finding = report.trim_end_matches(".report");
    assert!(names.iter().any(|name| name == finding), "{names:?}");
    let about = fs::read_to_string(reports.join(report).join("README.md")).expect("it is there");
    assert!(about.contains("seed 1, program "), "{about}");
    // Its program is no second finding of the folder.
    let (_, out, _) = run(&[&["replay", name], &wrong[..2]].concat());
    assert_eq!(
        out.matches("still there").count(),
        names
            .iter()
            .filter(|name| {
                let extension = name.rsplit('.').next().unwrap_or_default();
                Lang::of_extension(extension).is_some()
            })
            .count(),
        "{out}"
    );
}
