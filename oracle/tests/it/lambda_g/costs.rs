//! `lockstep cost` and `lockstep place` of programs of λG: section 7 of the paper, schedules that are given, drawings, where
//! programs run best, and what is refused.

use reference::cost::{Linear, Machine};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

fn corpus(file: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../corpus/lambda_g")
        .join(file)
        .display()
        .to_string()
}

/// The status of a command, its output, and its messages.
fn lockstep(args: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_lockstep")).args(args).output();
    let output = output.expect("lockstep starts");
    let [out, err] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (output.status.code().expect("it ends"), out, err)
}

/// What a command that succeeds prints.
#[track_caller]
fn printed(args: &[&str]) -> String {
    let (status, out, err) = lockstep(args);
    assert_eq!(status, 0, "{args:?}: {out}{err}");
    out
}

#[track_caller]
fn data(args: &[&str]) -> Value {
    let out = printed(&[args, &["--json"]].concat());
    serde_json::from_str(&out).expect("it is one object")
}

#[track_caller]
fn refused(args: &[&str], parts: &[&str]) {
    let (status, out, err) = lockstep(args);
    assert_eq!(status, 2, "{args:?}: {out}{err}");
    for part in parts {
        assert!(err.contains(part), "`{part}` is not in:\n{err}");
    }
}

/// A folder with a file of this name and text.
fn written(name: &str, text: &str) -> (TempDir, String) {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join(name);
    fs::write(&path, text).expect("the folder can be written");
    (folder, path.display().to_string())
}

/// The machine of section 7, on which a transfer takes 1.
fn section_7() -> (TempDir, String) {
    near(Machine::default().latency)
}

/// The same with this latency.
fn near(latency: u64) -> (TempDir, String) {
    let one = Linear { base: 0, words_per_unit: 2_147_483_648.0 };
    let machine = Machine { latency, to_device: one, to_host: one, ..Machine::default() };
    written("machine.json", &serde_json::to_string_pretty(&machine).expect("it is JSON"))
}

fn pairs(n: u64) -> String {
    let pairs: Vec<String> = (0..n).map(|k| format!("({k}, 2)")).collect();
    format!("{{{}}}", pairs.join(", "))
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// 7.1.1 and 7.1.2. Around the branches there are the read of the vector, the merge and the write of the result: 3 on the
/// host, `2l + 1` on the device. Of the space the vectors are not counted, nor the copies of what was there before.
#[test]
fn section_7_is_what_the_paper_says() {
    let (_folder, machine) = section_7();
    let (host, device) = (corpus("pass/section_7_on_the_host.lg"), corpus("pass/section_7.lg"));
    let l = Machine::default().latency;
    for n in [2, 3, 8, 40] {
        let input = pairs(n);
        let asked = ["--input", &input, "--machine", &machine, "--mode", "paper"];
        let of = |file: &str, more: &[&str]| data(&[&["cost", file][..], &asked, more].concat());
        let priced = of(&host, &[]);
        let [depth_first, breadth_first] = [0, 1].map(|at| &priced["schedules"][at]);
        assert_eq!(depth_first["name"], "depth_first");
        assert_eq!(number(&breadth_first["time"]) - 3, 5 * n - 2, "{n}");
        let more = if n % 2 == 0 { 0 } else { 3 };
        assert_eq!(number(&depth_first["time"]) - 3, 5 * n - 2 + more, "{n}");
        assert_eq!(number(&depth_first["space"]) - n, 3 * n);
        assert_eq!(number(&priced["given_words"]), 5 * n);
        let priced = of(&device, &[]);
        assert_eq!(number(&priced["on"][0]["time"]) - (2 * l + 1), 5 * l + 1, "{n}");
        assert_eq!(number(&priced["schedules"][0]["space"]) - 5 * n - 2 * n, 6 * n);
        assert_eq!(number(&priced["to_device"]["words"]), 5 * n);
        let priced = of(&device, &["--groups", "r0"]);
        assert_eq!(number(&priced["schedules"][1]["space"]) - 5 * n - 3 * n, 9 * n);
    }
}

/// Text has a column for each mode, a line for each `on` and one for each region.
#[test]
fn prices_are_shown_by_mode_by_on_and_by_region() {
    let file = corpus("pass/section_7.lg");
    let all = printed(&["cost", &file]);
    for part in [
        "as it is, in lambda_g\ninput: [3]\n",
        "paper             umm             cal\n  depth-first ",
        "\n  on 7:1 ",
        "  (2 processors of the host)\n",
        "\n15 words of parameters, ",
        "\non 7:1: 1 run; 15 words go to the device in 10,004, 12 come back in 10,003\n  23 accesses in ",
        "\nregions, in umm\n",
        "\n  r0 ",
    ] {
        assert!(all.contains(part), "{part}\n{all}");
    }
    let one = printed(&["cost", &file, "--mode", "paper", "--schedule", "breadth-first"]);
    assert!(!one.contains("umm") && !one.contains("depth-first"), "{one}");
    assert!(one.contains("\n  breadth-first ") && one.contains("regions, in paper"), "{one}");
    let sized = printed(&["cost", &file, "--size", "arrs=1000"]);
    assert!(sized.contains("\n5,000 words of parameters"), "{sized}");
    let sized = printed(&["cost", &corpus("pass/dot_product.lg"), "--size", "xs=9,ys=9"]);
    assert!(sized.contains("input: [9], [9]\n"), "{sized}");
    assert!(sized.contains("\n  q ") && sized.contains("\n  r0 "), "{sized}");
}

/// The order of a greedy schedule may be given, and one that the graph does not allow is refused where it does not.
#[test]
fn schedules_may_be_given() {
    let file = corpus("pass/section_7_on_the_host.lg");
    let usual = data(&["cost", &file, "--mode", "paper", "--processors", "1"]);
    let vertices = number(&usual["vertices"]);
    let all: Vec<String> = (0..vertices).map(|vertex| vertex.to_string()).collect();
    let (_folder, path) = written("order.txt", &all.join("\n"));
    let given = data(&["cost", &file, "--processors", "1", "--schedule", &path]);
    assert_eq!(
        (&given["mode"], &given["schedules"][0]["name"]),
        (&"paper".into(), &"given".into())
    );
    // On one processor each order is the sequential one up to which branch comes first.
    assert_eq!(given["schedules"][0]["time"], usual["schedules"][0]["time"]);
    for (text, why, place) in [
        ("0 2 1", "vertex 2 waits for vertex 1", "order.txt:1:3"),
        ("0\n1 1", "vertex 1 is taken twice", "order.txt:2:3"),
        ("0 1", "the order ends without vertex 2", "order.txt:1:4"),
        ("0 1 99999", "the graph has no vertex 99999", "order.txt:1:5"),
        ("0 first", "`first` is no number of a vertex", "order.txt:1:3"),
    ] {
        let (_folder, path) = written("order.txt", text);
        refused(&["cost", &file, "--schedule", &path], &[why, place]);
    }
    refused(&["cost", &file, "--schedule", "nowhere.txt"], &["nowhere.txt cannot be read"]);
}

#[test]
fn graphs_are_drawn() {
    let file = corpus("pass/section_7_on_the_host.lg");
    let dot = printed(&["cost", &file, "--dot"]);
    assert!(dot.starts_with("digraph cost {") && dot.contains("  0 -> 1 [label=\"1\"]"), "{dot}");
    let svg = printed(&["cost", &file, "--svg"]);
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
    assert!(svg.contains(">× 3<") && svg.contains(">6 × 1<") && svg.contains("heaviest"), "{svg}");
    let input = pairs(2000);
    let (status, dot, err) = lockstep(&["cost", &file, "--input", &input, "--dot"]);
    assert!(status == 0 && dot.starts_with("digraph cost {"), "{err}");
    assert!(err.contains("too many to be drawn with their numbers"), "{err}");
}

#[test]
fn what_cannot_be_priced_is_told() {
    let file = corpus("pass/section_7.lg");
    let fun = corpus("../fun/pass/sum.fun");
    for option in [
        &["--on", "host"][..],
        &["--as", "device"],
        &["--stage", "emit"],
        &["--expansion", "paper"],
        &["--chaos", "1"],
        &["--decisions", "1"],
        &["--sample", "never"],
    ] {
        let told = format!("{} does not go with programs of lambda_g", option[0]);
        refused(&[&["cost", &file][..], option].concat(), &[&told]);
    }
    for option in [&["--mode", "umm"][..], &["--schedule", "depth-first"], &["--groups", "r0"]] {
        let told = format!("{} does not go with programs of fun", option[0]);
        refused(&[&["cost", &fun][..], option].concat(), &[&told]);
    }
    refused(&["cost", &file, "--mode", "ram"], &["the modes are paper, umm, cal"]);
    refused(&["cost", &file, "--groups", "q"], &["no `on` uses a region `q`", "there are r0"]);
    refused(&["cost", &file, "--json", "--svg"], &["cannot be used with"]);
    refused(&["cost", &file, "--size", "arrs=-3"], &["`arrs` has the negative size -3"]);
    let (_folder, machine) = section_7();
    let text = fs::read_to_string(&machine).expect("it is there");
    for (from, to, why, place) in [
        ("  \"latency\": 400,\n", "", "missing field `latency`", "machine.json"),
        ("\"width\": 32", "\"width\": 0", "`width` is 0", "machine.json:5:3"),
        ("\"latency\": 400", "\"latency\": -1", "-1", "machine.json:8:"),
        ("\"miss\": 0.0", "\"miss\": -2.5", "`calibrated.miss` is -2.5", "machine.json:"),
    ] {
        assert!(text.contains(from), "{text}");
        let (_folder, path) = written("machine.json", &text.replacen(from, to, 1));
        let parts = ["describes no machine", why, place, "docs/cost.md has the keys"];
        refused(&["cost", &file, "--machine", &path], &parts);
        refused(&["place", &file, "--machine", &path], &parts);
    }
    // One that is whole is asked for where graphs are made, and nowhere else.
    let (_folder, part) = written("machine.json", "{ \"latency\": 4000 }");
    refused(&["cost", &file, "--machine", &part], &["missing field"]);
    printed(&["cost", &fun, "--machine", &part, "--size", "n=8"]);
    let dot_product = corpus("pass/dot_product.lg");
    let host = corpus("pass/section_7_on_the_host.lg");
    let large = ["cost", &host, "--size", "arrs=20000", "--memory", "18"];
    let told = [
        "the cost graph of its run would take ",
        " MiB, and its values take ",
        " MiB together",
        "--memory MIB allows more",
    ];
    refused(&large, &told);
    refused(&["cost", &host, "--size", "arrs=20000", "--memory", "1"], &["memory"]);
    refused(&["cost", &dot_product, "--fuel", "20"], &["fuel", "what it costs is not known"]);
    let (status, out, err) = lockstep(&["cost", &corpus("stuck/division.lg")]);
    assert_eq!(status, 1, "{out}{err}");
}

/// Two pairs are not worth the way to the device; the way that is written is marked, and the cheapest is printed.
#[test]
fn places_are_sorted_by_what_they_cost() {
    let file = corpus("pass/section_7.lg");
    let said = printed(&["place", &file]);
    for part in [
        "25 ways in all",
        "  nothing\n",
        "*",
        "7:1-7:",
        " (r0 in the memory of work groups)",
        "the first one:\nparam arrs",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    let first = said.split("the first one:\n").nth(1).expect("it is printed");
    assert!(first.contains("parmap") && !first.contains("on parmap"), "{first}");
    let placed = data(&["place", &file, "--mode", "paper", "--schedule", "breadth-first"]);
    let times: Vec<u64> =
        placed["ways"].as_array().expect("a list").iter().map(|way| number(&way["time"])).collect();
    assert!(times.len() == 25 && times.is_sorted(), "{times:?}");
    assert_eq!(times[0], 5 * 3 - 2 + 3);
    let written = &placed["ways"][number(&placed["written"]) as usize - 1];
    assert_eq!(written["on"][0]["written"], true);
    let cost = data(&["cost", &file, "--mode", "paper", "--schedule", "breadth-first"]);
    assert_eq!(cost["schedules"][0]["time"], written["time"]);
}

/// The size from which on the device costs less is where prices on both sides of it say so.
#[test]
fn a_crossover_is_where_prices_cross() {
    // Of small sizes: a way with an `on` for each element brings all of them to the device each time.
    let (_folder, machine) = near(8);
    let source = "param xs : (Vec (int, r0), r0);
        parmap (fn (x : (int, r0)) ! {r0} => x * x at r0 at r0) xs at r0\n";
    let (_other, file) = written("squares.lg", source);
    let asked = ["--machine", &machine, "--mode", "paper"];
    let placed = data(&[&["place", &file, "--size", "xs=1..64"][..], &asked].concat());
    let size = number(&placed["crossover"]["size"]);
    let best = |size: u64| {
        let size = format!("xs={size}");
        let placed = data(&[&["place", &file, "--size", &size][..], &asked].concat());
        placed["ways"][0]["on"].as_array().expect("a list").len()
    };
    assert!(size > 1 && best(size) == 1 && best(size - 1) == 0, "{placed}");
    let none = printed(&[&["place", &file, "--size", "xs=1..2"][..], &asked].concat());
    assert!(none.contains("at no size from 1 to 2 the device costs less"), "{none}");
    let all = printed(&[&["place", &file, "--size", "xs=1..64"][..], &asked].concat());
    assert!(
        all.contains(&format!("from size {size} on, of 1 to 64, the device costs less:")),
        "{all}"
    );
    refused(&["place", &file, "--size", "xs=5..2"], &["5 to 2 are no sizes"]);
    refused(&["place", &file, "--size", "xs=5..x"], &["`x` is no size"]);
    refused(&["place", &file], &["takes xs, and no size is given"]);
    refused(&["place", &corpus("../fun/pass/sum.fun")], &["programs of fun have no `on`"]);
    let dot_product = corpus("pass/dot_product.lg");
    refused(&["place", &dot_product, "--size", "xs=1..4,ys=1..5"], &["two ranges that differ"]);
}

/// Machines that have a name need no file; that of the paper tells costs in its symbols.
#[test]
fn machines_have_names() {
    let file = corpus("pass/section_7.lg");
    let said = printed(&["cost", &file, "--machine", "paper", "--mode", "paper"]);
    // Three pairs of ints and the vector that has them go to the device; three closures, the ints and the vector come back.
    assert!(said.contains("\n  paper   ω*(15) + D + ω†(12)\n"), "{said}");
    let json = data(&["cost", &file, "--machine", "paper", "--mode", "paper"]);
    assert_eq!(json["formula"], "ω*(15) + D + ω†(12)");
    assert_eq!(json["machine"]["unit"], "symbol");
    let host = corpus("pass/section_7_on_the_host.lg");
    // Of each branch 6 units (L8), and 4 for each `⨂` of two; reading the vector, δm, and the vector that is written.
    let of_host = data(&["cost", &host, "--machine", "paper", "--mode", "paper"]);
    let work = number(&of_host["work"]);
    assert_eq!(of_host["formula"], format!("{} + δm + δa", work - 2));
    for class in ["discrete", "integrated", "software"] {
        let said = printed(&["cost", &file, "--machine", class]);
        assert!(!said.contains("symbols"), "{said}");
        let placed = data(&["place", &file, "--machine", class]);
        assert_eq!(
            (&placed["machine"]["name"], &placed["machine"]["unit"]),
            (&class.into(), &"1 ns".into())
        );
    }
    let parts = ["nowhere cannot be read", "paper, integrated, discrete, software need no file"];
    refused(&["cost", &file, "--machine", "nowhere"], &parts);
    let (_folder, machine) = section_7();
    let text = fs::read_to_string(&machine).expect("it is there");
    let (_folder, path) = written("machine.json", &text.replacen("\"step\"", "\"0 ns\"", 1));
    refused(&["cost", &file, "--machine", &path], &["`0 ns` is no unit", "machine.json:3:"]);
}
