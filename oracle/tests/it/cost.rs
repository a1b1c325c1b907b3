//! `lockstep cost`: what is printed, for which stage, and what cannot be priced.

use reference::cost::{Calibrated, Linear, Machine};
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

fn corpus(file: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus").join(file).display().to_string()
}

/// The status of `lockstep cost`, and both outputs.
fn cost(args: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_lockstep")).arg("cost").args(args).output();
    let output = output.expect("lockstep starts");
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    (output.status.code().expect("it ends"), said)
}

#[track_caller]
fn refused(args: &[&str], parts: &[&str]) {
    let (status, said) = cost(args);
    assert_eq!(status, 2, "{said}");
    for part in parts {
        assert!(said.contains(part), "`{part}` is not in:\n{said}");
    }
}

/// The number under `umm` in the row of all.
fn umm(said: &str) -> u64 {
    let row = said.lines().find(|line| line.starts_with("  all ")).expect("there is a row of all");
    let number = row.split_whitespace().nth(2).expect("there are three numbers");
    number.replace(',', "").parse().expect("it is a number")
}

#[test]
fn every_stage_of_a_matrix_product_has_a_price() {
    let file = corpus("fun/pass/matrix_product.fun");
    let size = "n=32,m=32,l=32";
    for lang in ["funmem", "imp", "device"] {
        let (status, said) = cost(&[&file, "--size", size, "--as", lang]);
        assert_eq!(status, 0, "{said}");
        assert!(said.contains(&format!("in {lang}\ninput: 32, 32, 32, ")), "{said}");
        // Each reads 2 * 32 * 32 numbers. A work group of the device language is there as a whole.
        let warps = if lang == "device" { "2 warps" } else { "1 warp" };
        let made_up = format!(": 32 threads, {warps}, 1 work group, 1 round;");
        assert!(said.contains(&made_up) && said.contains(" 32,768 "), "{said}");
        let (_, again) = cost(&[&file, "--size", size, "--as", lang]);
        assert_eq!(said, again, "a price is the same each time");
    }
}

/// A program that has memory is priced as it is written.
#[test]
fn a_device_program_is_priced_as_it_is() {
    let (status, said) = cost(&[&corpus("device/pass/reduce.dev")]);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("as it is, in device") && said.contains(" in 2 launches"), "{said}");
}

/// An FCL program is priced as the device program that it becomes, by the places of its own text and of the prelude.
#[test]
fn an_fcl_program_is_priced_with_its_work_groups() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("turned.fcl");
    let text = "-- location: 32x2x2
sig main : [int] -> [int]<grid>
fun main xs =
  splitUp 64 xs
  |> map (fn c => let t = force (push <block> c)
                  in push <block> (generate 64 (fn i => index t (63 - i))))
  |> concat 64
";
    fs::write(&path, text).expect("the folder can be written");
    let path = path.display().to_string();
    let values: Vec<String> = (0..192).map(|number: i32| number.to_string()).collect();
    let input = format!("[{}]", values.join(", "));
    let (status, said) = cost(&[&path, "--input", &input]);
    assert_eq!(status, 0, "{said}");
    // Three work groups of 64 wait once between writing the array and reading it.
    let groups = "192 threads, 6 warps, 3 work groups, 1 round;";
    let waits = "  3 barriers, 256 bytes of memory a work group, 0 bank conflicts\n";
    for part in ["in device", "kernel 4:3: ", groups, waits, "\n  6:57 ", " of the prelude "] {
        assert!(said.contains(part), "{part} is not in:\n{said}");
    }
    let (status, said) = cost(&[&path, "--input", &input, "--json"]);
    assert!(status == 0 && said.contains("\"barriers\":3,\"group_bytes\":256,"), "{said}");
    let (status, said) = cost(&[&path, "--input", &input, "--dot"]);
    assert!(status == 0 && said.starts_with("digraph cost {"), "{said}");
}

/// More of the same costs more, and reading columns costs more than reading rows.
#[test]
fn prices_order_programs_as_they_should() {
    let folder = TempDir::new().expect("a folder");
    let price = |name: &str, text: &str, size: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("the folder can be written");
        let (status, said) = cost(&[&path.display().to_string(), "--size", size]);
        assert_eq!(status, 0, "{said}");
        umm(&said)
    };
    let columns = "param (n : int) (xs : [n][n])
let (ys : [n]) = kernel i <= n do
  let (s : int) = loop (a : int = 0) for j <= n do
    let (x : int) = xs[j, i]
  in (a + x)
in (s)
in (ys)
";
    let rows = columns.replace("xs[j, i]", "xs[i, j]");
    let by_columns = price("columns.fun", columns, "n=96");
    assert!(by_columns < price("rows.fun", &rows, "n=96"));
    assert!(by_columns > price("smaller.fun", columns, "n=64"));
}

#[test]
fn what_cannot_be_priced_is_told() {
    let sum = corpus("fun/pass/sum.fun");
    let folder = TempDir::new().expect("a folder");
    let written = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("the folder can be written");
        path.display().to_string()
    };
    let bare = written("bare.fun", "param (n : int)\nin (n)\n");
    refused(&[&bare], &["takes n, and no size is given", "--size NAME=SIZE"]);
    refused(&[&sum, "--size", "k=3"], &["no integer parameter is called `k`", "`n`"]);
    refused(&[&sum, "--size", "n"], &["NAME=SIZE"]);
    refused(&[&sum, "--size", "n=4,n=5"], &["the size of `n` is given twice"]);
    refused(&[&sum, "--size", "n=100000", "--fuel", "200000"], &["--fuel", "sum.fun:10:7"]);
    refused(&[&sum, "--size", "n=-3"], &["the negative size -3"]);
    refused(&[&sum, "--size", "n=2000000000"], &["elements"]);
    refused(&[&sum, "--size", "n=3", "--input", "3, [1, 2, 3]"], &["cannot be used with"]);
    refused(&[&sum, "--size", "n=1000", "--fuel", "10"], &["fuel", "what it costs is not known"]);
    refused(&[&sum, "--stage", "nowhere"], &["no stage is called `nowhere`"]);
    let imp = written("one.imp", "results (1)\n");
    refused(&[&imp, "--as", "funmem"], &["does not become a stage of funmem"]);
    for (text, why, place) in [
        ("{", "EOF", "1:1"),
        ("", "EOF", "machine.json"),
        ("{ \"width\": 0 }", "`width` is 0", "1:3"),
        ("{ \"name\": \"width\",\n  \"width\": 0 }", "`width` is 0", "2:3"),
        ("{ \"wdith\": 32 }", "unknown field `wdith`", "1:"),
        ("{ \"lines\": 1,\n  \"latency\": -1 }", "-1", "2:"),
        ("{ \"to_host\": {\n \"words_per_unit\": 0 } }", "`to_host.words_per_unit` is 0", "2:2"),
        ("{ \"calibrated\": {\n \"unit\": -1 } }", "`calibrated.unit` is -1", "2:2"),
        ("{ \"latency\": 0 }", "`latency` is 0", "1:3"),
    ] {
        let machine = written("machine.json", text);
        let parts = ["describes no machine", why, place, "docs/cost.md has the keys"];
        refused(&[&sum, "--machine", &machine], &parts);
    }
    refused(&[&sum, "--machine", "nowhere.json"], &["nowhere.json cannot be read"]);
    // A program that is stuck is not the command line's fault.
    let stuck = written("stuck.fun", "param (n : int)\nlet (x : int) = 7 / n\nin (x)\n");
    let (status, said) = cost(&[&stuck, "--size", "n=0"]);
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("division") || said.contains("divided"), "{said}");
}

#[test]
fn a_machine_is_read_and_a_host_schedules() {
    let product = corpus("fun/pass/matrix_product.fun");
    let size = "n=8,m=8,l=8";
    let folder = TempDir::new().expect("a folder");
    let machine = folder.path().join("slow.json");
    fs::write(&machine, "{ \"latency\": 4000 }").expect("the folder can be written");
    let machine = machine.display().to_string();
    let [usual, slow] = [&[][..], &["--machine", &machine]]
        .map(|more| umm(&cost(&[&[product.as_str(), "--size", size], more].concat()).1));
    assert!(slow > usual);
    let (status, said) = cost(&[&product, "--size", size, "--on", "host", "--processors", "4"]);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("kernels on 4 processors of the host"), "{said}");
    let (status, said) = cost(&[&product, "--size", size, "--dot"]);
    assert!(status == 0 && said.starts_with("digraph cost {") && said.ends_with("}\n"), "{said}");
}

/// A run that is too long to be executed is priced by a part of it, and says so.
#[test]
fn long_runs_are_sampled() {
    let product = corpus("fun/pass/matrix_product.fun");
    let size = "n=1024,m=1024,l=1024";
    let (status, said) = cost(&[&product, "--size", size, "--sample", "always"]);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("the price is sampled: 24 of 32 warps were executed"), "{said}");
    assert!(said.contains(" of 2,150,629,376 accesses were executed"), "{said}");
    // A row of 1,024 elements a thread: the facts' 1,945,517,056 by hand are of a plan that copies no rows.
    assert!(umm(&said).abs_diff(1_950_000_000) < 10_000_000, "{said}");
    let (_, json) = cost(&[&product, "--size", size, "--sample", "always", "--json"]);
    assert!(json.contains("\"sampled\":true"), "{json}");
    let (_, whole) = cost(&[&product, "--size", "n=64,m=64,l=64"]);
    assert!(!whole.contains("sampled"), "{whole}");
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("by_data.fun");
    let text = "param (n : int) (xs : [n])
let (ys : [n]) = kernel i <= n do
  let (x : int) = xs[i]
  let (y : int) = xs[x]
in (y)
in (ys)
";
    fs::write(&path, text).expect("the folder can be written");
    let path = path.display().to_string();
    let (status, said) = cost(&[&path, "--size", "n=64", "--sample", "always"]);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("no part stands for the whole at 4:3"), "{said}");
    let (status, said) = cost(&[&product, "--size", size, "--as", "device", "--sample", "always"]);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("too large to be priced"), "{said}");
}

/// Three plans of a matrix product, with times that their requests order.
const MEASURED: &str = r#"{ "pool": "matrix-product", "machine": "none", "date": "2026-11-26", "how": "made up",
  "params": "param (A : [64][64]) (B : [64][64])",
  "plans": [
    { "ms": 1.0, "term": "(out (build grid i 64 (build grid j 64 (red + k 64 (* (get A i k) (get B k j))))) i j)" },
    { "ms": 9.0, "term": "(out (build grid j 64 (build grid i 64 (red + k 64 (* (get A i k) (get B k j))))) i j)" },
    { "ms": 50.0, "term": "(out (build grid i 64 (build seq j 64 (red + k 64 (* (get A i k) (get B k j))))) i j)" }
  ] }"#;

#[test]
fn measured_plans_judge_the_modes() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("measured.json");
    fs::write(&path, MEASURED).expect("the folder can be written");
    let path = path.display().to_string();
    let bench = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_lockstep"))
            .args(["bench", "cost"])
            .args(args)
            .env("VK_DRIVER_FILES", "/nonexistent")
            .env("VK_ICD_FILENAMES", "/nonexistent")
            .output()
            .expect("lockstep starts");
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        (output.status.code(), said)
    };
    let (status, said) = bench(&[&path, "--fit"]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("matrix-product on none: 3 plans"), "{said}");
    let row = |mode: &str| {
        let line = said.lines().find(|line| line.trim_start().starts_with(mode)).expect("a row");
        line.split_whitespace().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!((&*row("umm")[0], &*row("umm")[3]), ("1.00", "1.00"), "{said}");
    // The paper sees no strides: the first two have one price.
    assert_eq!((&*row("paper")[3], &*row("paper")[4]), ("5.00", "9.00"), "{said}");
    assert!(said.contains("\"request\": "), "{said}");
    for (args, why) in [
        (&["nowhere.json"][..], "nowhere.json cannot be read"),
        (&["--measure", "none", "--pool", "sum"], "no adapter is called `none`"),
        (&["--measure", "none", "--pool", "some"], "invalid value 'some'"),
        (&["--pool", "sum"], "--measure"),
        (&["--all"], "--all is an option of `lockstep bench front`"),
    ] {
        let (status, said) = bench(args);
        assert!(status == Some(2) && said.contains(why), "{args:?}: {said}");
    }
    for (from, to, why) in [
        ("9.0", "-9.0", "is no time"),
        ("(out", "(in", "plan 0"),
        ("{", "", "holds no measurements"),
    ] {
        fs::write(&path, MEASURED.replacen(from, to, 1)).expect("the folder can be written");
        let (status, said) = bench(&[&path]);
        assert!(status == Some(2) && said.contains(why), "{said}");
    }
}

#[test]
fn yardsticks_take_a_number_of_elements_and_an_adapter() {
    for (args, why) in [
        (&["fcl"][..], "there is no adapter to measure on"),
        (&["fcl", "--size", "7"], "--size is a number of elements from 4096 to"),
        (&["fcl", "--size", "n=7"], "takes one number of elements"),
        (&["fcl", "--size", "many"], "`many` is no size"),
        (&["fcl", "--engines", "wgpu:none"], "there is no adapter `none` here"),
        (&["oracle", "--size", "4096"], "--size is an option of"),
        (&["cost", "--size", "4096"], "goes with --measure"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_lockstep"))
            .arg("bench")
            .args(args)
            .env("VK_DRIVER_FILES", "/nonexistent")
            .env("VK_ICD_FILENAMES", "/nonexistent")
            .output()
            .expect("lockstep starts");
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(why), "{args:?}: {said}");
    }
}

/// A price is that of one order of threads: where they race, that is said, and the status is that of `run`.
#[test]
fn a_program_that_races_is_told() {
    let racy = corpus("imp/race/all_write_one_cell.imp");
    let (status, said) = cost(&[&racy]);
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("race: ") && said.contains("this is the price of one order"), "{said}");
    let (status, json) = cost(&[&racy, "--json"]);
    assert!(status == 1 && json.contains("this is the price of one order"), "{json}");
    assert!(json.contains("\"races\":[{\"block\""), "{json}");
    let (status, said) = cost(&[&corpus("imp/race/all_write_one_cell.imp"), "--size", "n=1"]);
    assert!(status == 0 && !said.contains("race:"), "{said}");
    let (_, json) = cost(&[&racy, "--size", "n=1", "--json"]);
    assert!(json.contains("\"races\":[]"), "{json}");
}

/// What is left out is as in the default machine, in objects too, and prices are those of `umm` with the latencies
/// that are said.
#[test]
fn what_is_not_said_is_as_in_the_default() {
    let read = |text: &str| serde_json::from_str::<Machine>(text).expect("a machine");
    assert_eq!(read("{}"), Machine::default());
    assert_eq!(Machine::default().calibrated.wait, 399.0);
    let slow = read(r#"{ "latency": 10, "group_latency": 3 }"#).calibrated;
    assert_eq!((slow.wait, slow.group_request, slow.request), (9.0, 3.0, 1.0));
    let said = read(r#"{ "latency": 10, "calibrated": { "wait": 5, "launch": 2 } }"#);
    let expected = Calibrated { wait: 5.0, launch: 2.0, ..Machine::default().calibrated };
    assert_eq!(said.calibrated, expected);
    let linear = read(r#"{ "to_host": { "base": 7 }, "allocate": { "words_per_unit": 2 } }"#);
    assert_eq!(linear.to_host, Linear { base: 7, words_per_unit: 4.0 });
    assert_eq!(linear.allocate, Linear { base: 0, words_per_unit: 2.0 });
    assert!(serde_json::from_str::<Machine>(r#"{ "to_host": { "bsae": 7 } }"#).is_err());
}

/// Costs of a program of λG as functions of a size: those of section 7 of the paper, on the host and on the device.
#[test]
fn costs_are_told_as_sums_over_a_size() {
    let folder = TempDir::new().expect("a folder");
    let machine = |width: u64| {
        let path = folder.path().join(format!("{width}.json"));
        let small = Machine { width, warps: 2, threads: 8 * width, ..Machine::default() };
        fs::write(&path, serde_json::to_string(&small).expect("JSON")).expect("it can be written");
        path.to_str().expect("the name is plain").to_owned()
    };
    let (narrow, wide) = (machine(4), machine(16));
    let on = |machine: &str, mode: &str, file: &str, more: &[&str]| {
        let args = [&[file, "--symbolic", "n", "--mode", mode, "--machine", machine], more];
        let (status, text) = cost(&args.concat());
        assert_eq!(status, 0, "{text}");
        text
    };
    let symbolic = |file: &str, more: &[&str]| on(&narrow, "paper", file, more);
    let has = |text: &str, name: &str, form: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with(name));
        assert!(line.is_some_and(|line| line.ends_with(form)), "{name}: {form}: {text}");
    };
    // 5n - 2 on two processors, where `n` is even or branches are run breadth-first; 3 are around them.
    let host = symbolic(&corpus("lambda_g/pass/section_7_on_the_host.lg"), &[]);
    has(&host, "depth-first", "  5 n + 1  if n is even");
    has(&host, "breadth-first", "  5 n + 1");
    has(&host, "words at most, depth-first", "  4 n");
    // 5l + 1 for each round of threads on the device, where l is 400.
    let device = symbolic(&corpus("lambda_g/pass/section_7.lg"), &["--schedule", "depth-first"]);
    has(&device, "on 7:1", "  2001 rounds + 801");
    // Requests depend on where the part of the last warp begins.
    let requests = on(&wide, "umm", &corpus("lambda_g/pass/section_7.lg"), &[]);
    has(&requests, "on 7:1", "  if w p divides n");
    // Its region is full of what is put there for more elements.
    let full = symbolic(&corpus("lambda_g/pass/dot_product_on_the_device.lg"), &[]);
    has(&full, "words at most, depth-first", "  24 n + 12");
    assert!(full.contains("\nat n = 212 there is no price\n"), "{full}");
    // What is done depends on the elements.
    let program = folder.path().join("large.lg");
    let text = "param v : (Vec (int, r0), r0); let five = 5 at r0 in
        parmap (fn (x : (int, r0)) ! {r0} => if x < five then x else x * x at r0) v at r0";
    fs::write(&program, text).expect("it can be written");
    let program = program.to_str().expect("the name is plain");
    has(&symbolic(program, &[]), "work", "  no such form");
    refused(&[program, "--symbolic", "n", "--size", "v=3"], &["no parameter has `n` as its size"]);
    refused(&[program, "--symbolic", "5n"], &["`5n` is no name for a size"]);
    let order = folder.path().join("order");
    fs::write(&order, "0 1 2").expect("it can be written");
    let order = order.to_str().expect("the name is plain");
    refused(&[program, "--symbolic", "n", "--schedule", order], &["one of one size"]);
    refused(&[&corpus("fun/pass/sum.fun"), "--symbolic", "n"], &["--symbolic does not go with"]);
}
