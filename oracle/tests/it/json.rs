//! What the commands write with `--json` is what docs/json.md says.

use reference::cost::Machine;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// The tables of the page.
pub(crate) struct Page {
    /// The objects of each command.
    commands: BTreeMap<String, Vec<String>>,
    /// The keys of each object with their kinds of values.
    objects: BTreeMap<String, Vec<(String, String)>>,
}

impl Page {
    pub(crate) fn read() -> Page {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/json.md");
        let text = fs::read_to_string(path).expect("there is a page");
        let mut page = Page { commands: BTreeMap::new(), objects: BTreeMap::new() };
        let mut object = None;
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("### ") {
                assert!(page.objects.insert(name.to_owned(), Vec::new()).is_none(), "{name} twice");
                object = Some(name.to_owned());
            }
            let Some(row) = line.strip_prefix("| `") else { continue };
            let (key, rest) = row.split_once("` | ").expect("a key ends");
            let (kind, _) = rest.split_once(" |").expect("a kind ends");
            match &object {
                None => {
                    let objects = kind.split(", ").map(str::to_owned).collect();
                    page.commands.insert(key.to_owned(), objects);
                }
                Some(object) => {
                    let keys = page.objects.get_mut(object).expect("it was begun");
                    keys.push((key.to_owned(), kind.to_owned()));
                }
            }
        }
        page
    }

    /// The keys of an object, with those of objects that it has beside its own.
    fn keys(&self, object: &str) -> Vec<(String, String)> {
        let keys = self.objects.get(object).unwrap_or_else(|| panic!("no table {object}"));
        let expand = |(key, kind): &(String, String)| match key.as_str() {
            "..." => self.keys(kind.strip_prefix("object ").expect("an object")),
            _ => vec![(key.clone(), kind.clone())],
        };
        keys.iter().flat_map(expand).collect()
    }

    /// What is wrong with a value of this kind.
    fn wrong(&self, value: &Value, kind: &str) -> Option<String> {
        if let Some(kind) = kind.strip_suffix(" or null") {
            return if value.is_null() { None } else { self.wrong(value, kind) };
        }
        let no = || Some(format!("{value} is no {kind}"));
        if let Some(inner) = kind.strip_prefix("list of ") {
            let Some(values) = value.as_array() else { return no() };
            return values.iter().find_map(|value| self.wrong(value, inner));
        }
        if let Some(inner) = kind.strip_prefix("map of ") {
            let Some(values) = value.as_object() else { return no() };
            return values.values().find_map(|value| self.wrong(value, inner));
        }
        if let Some(object) = kind.strip_prefix("object ") {
            return self.differs(value, object);
        }
        let right = match kind {
            "text" => value.is_string(),
            "number" => value.is_number(),
            "boolean" => value.is_boolean(),
            "null" => value.is_null(),
            "list" => value.is_array(),
            "object" => value.is_object(),
            other => panic!("the page has the kind `{other}`, which is none"),
        };
        if right { None } else { no() }
    }

    /// What is wrong with an object of this name.
    fn differs(&self, value: &Value, object: &str) -> Option<String> {
        let Some(found) = value.as_object() else { return Some(format!("{value} is no object")) };
        let keys = self.keys(object);
        for (key, kind) in &keys {
            let (key, optional) = match key.strip_suffix('?') {
                Some(key) => (key, true),
                None => (key.as_str(), false),
            };
            match found.get(key) {
                None if optional => {}
                None => return Some(format!("{object} has no {key}")),
                Some(value) => {
                    if let Some(wrong) = self.wrong(value, kind) {
                        return Some(format!("{object}: {key}: {wrong}"));
                    }
                }
            }
        }
        let known = |key: &str| keys.iter().any(|(of, _)| of.trim_end_matches('?') == key);
        let more = found.keys().find(|key| !known(key));
        more.map(|key| format!("{object} has {key}, which the page does not have"))
    }

    /// Runs a command; the objects that it wrote, by name.
    fn run(&self, args: &[&str]) -> Vec<(String, Value)> {
        let output = Command::new(env!("CARGO_BIN_EXE_lockstep"))
            .args(args)
            .arg("--json")
            .env("VK_DRIVER_FILES", "/nonexistent")
            .env("VK_ICD_FILENAMES", "/nonexistent")
            .output()
            .expect("lockstep starts");
        self.told(args, &String::from_utf8(output.stdout).expect("it is text"))
    }

    /// The objects that a command wrote, by name.
    pub(crate) fn told(&self, args: &[&str], text: &str) -> Vec<(String, Value)> {
        let objects = &self.commands[args[0]];
        let objects = text.lines().map(|line| {
            let value: Value = serde_json::from_str(line).expect("a line is JSON");
            let names = objects.iter().map(String::as_str).chain(["problem"]);
            let wrong: Vec<(&str, Option<String>)> =
                names.map(|name| (name, self.differs(&value, name))).collect();
            match wrong.iter().find(|(_, wrong)| wrong.is_none()) {
                Some((name, _)) => ((*name).to_owned(), value),
                None => panic!("{args:?}: {wrong:?}: {value}"),
            }
        });
        objects.collect()
    }

    /// Runs a command, which writes one of these objects at least.
    pub(crate) fn has(&self, object: &str, args: &[&str]) -> Value {
        let written = self.run(args);
        let found = written.iter().find(|(name, _)| name == object);
        found.unwrap_or_else(|| panic!("{args:?} writes no {object}: {written:?}")).1.clone()
    }
}

fn corpus(path: &str) -> String {
    format!("{}/../corpus/{path}", env!("CARGO_MANIFEST_DIR"))
}

const FEW: [&str; 2] = ["--engines", "fun,funmem,imp,device"];

/// One program of each language and end, with each command.
#[test]
fn samples_of_the_corpus_are_told_as_the_page_says() {
    let page = Page::read();
    let folder = TempDir::new().expect("a folder");
    let samples = [
        "fun/pass/sum.fun",
        "fun/stuck",
        "fun/reject",
        "funmem/race/reverse_in_place.funmem",
        "funmem/invalid/overwritten_while_alive.funmem",
        "imp/pass",
        "imp/stuck/write_unassigned_block.imp",
        "device/stuck",
    ];
    for sample in samples {
        let path = corpus(sample);
        // The first three of a folder.
        let mut files: Vec<_> = match fs::read_dir(&path) {
            Ok(folder) => folder.map(|entry| entry.expect("an entry").path()).collect(),
            Err(_) => vec![path.into()],
        };
        files.sort();
        for file in files.iter().take(3) {
            let file = file.to_str().expect("the names are plain");
            let out = folder.path().join("out");
            let out = out.to_str().expect("the name is plain");
            page.run(&["run", file]);
            page.run(&["check", file]);
            page.run(&["explain", file, "--nodes", "20"]);
            let types = if sample.ends_with("reject") { "problem" } else { "types" };
            page.has(types, &["explain", file, "--types", "--nodes", "20"]);
            page.run(&["compile", file, "--report"]);
            page.run(&["compile", file, "-o", out]);
            page.run(&["cost", file]);
            page.run(&[&["test", file][..], &FEW].concat());
            page.run(&[&["replay", file][..], &FEW].concat());
        }
    }
}

/// What `bench cost` tells of measured plans, and a price by a part of a run.
#[test]
fn prices_and_what_they_tell_are_data() {
    let page = Page::read();
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("measured.json");
    let text = r#"{ "pool": "a map", "machine": "none", "date": "2026-11-26", "how": "made up",
      "params": "param (A : [64])", "plans": [{ "ms": 1.0, "term": "(out (build grid i 64 (get A i)) i)" }] }"#;
    fs::write(&path, text).expect("the folder can be written");
    let path = path.to_str().expect("the name is plain");
    let judged = page.has("judged", &["bench", "cost", path, "--fit"]);
    // One plan has no order.
    assert!(judged["tau_b"].is_null() && judged["regret"][0] == 1.0, "{judged}");
    page.has("fitted", &["bench", "cost", path, "--fit"]);
    let sum = corpus("fun/pass/sums_of_rows.fun");
    let size = ["--size", "n=5120,m=1100", "--sample", "always"];
    let cost = page.has("cost", &[&["cost", &sum][..], &size].concat());
    assert!(cost["sampled"] == true && cost["kernels"][0]["executed"]["warps"] == 24, "{cost}");
}

/// What programs cost by the graphs of their runs, and in all ways to use the device.
#[test]
fn graphs_and_ways_are_data() {
    let page = Page::read();
    let kernel = corpus("lambda_g/pass/section_7.lg");
    let cost = page.has("graph_cost", &["cost", &kernel, "--mode", "umm"]);
    assert!(cost["on"][0]["accesses"]["global"] == 23 && cost["mode"] == "umm", "{cost}");
    assert_eq!(page.run(&["cost", &kernel]).len(), 3);
    page.has("unpriced", &["cost", &corpus("lambda_g/stuck/division.lg")]);
    let host = corpus("lambda_g/pass/section_7_on_the_host.lg");
    let folder = TempDir::new().expect("a folder");
    let machine = folder.path().join("machine.json");
    let narrow = Machine { width: 16, warps: 2, threads: 64, ..Machine::default() };
    let text = serde_json::to_string(&narrow).expect("JSON");
    fs::write(&machine, text).expect("the folder can be written");
    let machine = machine.to_str().expect("the name is plain");
    let size = ["--symbolic", "n", "--mode", "paper", "--machine", machine];
    let symbolic = page.has("symbolic", &[&["cost", &host][..], &size].concat());
    let forms = &symbolic["costs"][0]["forms"];
    assert!(forms[0] == "5 n + 1" && forms[1] == "5 n + 4", "{symbolic}");
    let device = corpus("lambda_g/pass/section_7.lg");
    let size = ["cost", &device, "--symbolic", "n", "--mode", "umm", "--machine", machine];
    assert_eq!(page.has("symbolic", &size)["multiples"]["of"], 32);
    let placed = page.has("placed", &["place", &kernel]);
    assert!(placed["all"] == true && placed["crossover"].is_null(), "{placed}");
}

/// Which answers decide whether programs of MiniSYCL are accepted.
#[test]
fn the_table_of_sycl_is_data() {
    let page = Page::read();
    let written = page.run(&["check", "--sycl-table"]);
    let names: Vec<&str> = written.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, [vec!["sycl_table"; 10], vec!["as_in_cpp"]].concat());
    let lambda = &written[2].1;
    assert_eq!((&lambda["program"], &lambda["about"]), (&"S3".into(), &"lambda capture".into()));
    let wanted = serde_json::json!([["space=inferred", "capture=fixed"]]);
    assert_eq!(lambda["rejected_if"], wanted, "{lambda}");
    assert_eq!(lambda["verdicts"].as_array().map(Vec::len), Some(4), "{lambda}");
    let kept = &written[10].1;
    assert_eq!(kept["as_in_cpp_if"], serde_json::json!([["space=generic"]]), "{kept}");
    let file = corpus("sycl/reject/not_captured.sycl");
    let row = page.has("sycl_table", &["check", "--sycl-table", &file]);
    // It is always rejected: without any answer.
    assert_eq!(row["rejected_if"], serde_json::json!([[]]), "{row}");
    assert!(row["why"].as_str().is_some_and(|why| why.contains("`x` is not in scope")), "{row}");
    let file = corpus("minias/pass/bar.mas");
    page.has("problem", &["check", "--sycl-table", &file]);
    // Nothing else goes with it.
    for other in [&["--set", "space=generic"][..], &["--types"], &["--fuel", "3"], &["--all"]] {
        page.has("problem", &[&["check", "--sycl-table"], other].concat());
    }
}

/// What goes wrong is data: no picture, and each part under its own key.
#[test]
fn what_is_wrong_is_data() {
    let page = Page::read();
    let races = ["funmem/race/reverse_in_place.funmem", "minias/race/no_barrier.mas"];
    for (race, command) in races
        .into_iter()
        .chain(["sycl/race/groups.sycl"])
        .flat_map(|race| ["run", "check", "explain"].map(|command| (corpus(race), command)))
    {
        let object = page.has(command, &[command, &race]);
        assert!(!object.to_string().contains('╭'), "{object}");
        let end = if command == "check" { &object["memory"][0] } else { &object };
        let race = &end["races"][0];
        assert!(race["first"]["thread"][0].is_number(), "{race}");
        let kinds = [&race["first"]["access"], &race["second"]["access"]];
        assert!(kinds.contains(&&Value::from("write")), "{race}");
        let known = race["first"]["place"].is_string() && race["second"]["place"].is_string();
        assert!(known, "{command}: {race}");
        assert!(race["place"].as_str().is_some_and(|place| place.contains(':')), "{race}");
    }
    let race = corpus("funmem/race/reverse_in_place.funmem");
    let object = page.has("check", &["check", &race]);
    assert_eq!(object["memory"][0]["race_free"], false);
    let invalid = corpus("funmem/invalid/overwritten_while_alive.funmem");
    for command in ["run", "check", "explain"] {
        let object = page.has(command, &[command, &invalid]);
        let end = if command == "check" { &object["memory"][0] } else { &object };
        assert!(end["invalid"].is_string(), "{object}");
        assert!(end["invalid_place"].as_str().is_some_and(|at| at.contains(':')), "{object}");
        assert!(command != "check" || end["valid"] == false, "{object}");
    }
    let unwritten = corpus("imp/pass/fresh_cells_are_zero.imp");
    let object = page.has("check", &["check", &unwritten]);
    let read = &object["memory"][0]["unwritten"];
    assert!(read["block"].is_string() && read["offset"].is_number(), "{object}");
    let folder = TempDir::new().expect("a folder");
    let stuck = folder.path().join("stuck.fun");
    let text = "let (xs : [2]) = kernel i <= 2 do in (i)\nlet (y : int) = xs[3]\nin (y)\n";
    fs::write(&stuck, text).expect("the folder can be written");
    let stuck = stuck.to_str().expect("the name is plain");
    let object = page.has("run", &["run", stuck]);
    let (end, at) = (&object["end"], &object["stuck"]);
    assert_eq!(
        (end, &at["cause"], &at["place"]),
        (&"stuck".into(), &"index".into(), &"2:1".into())
    );
    let object = page.has("unpriced", &["cost", stuck]);
    assert_eq!((&object["end"], &object["stuck"]["cause"]), (&"stuck".into(), &"index".into()));
    let object = page.has("run", &["run", stuck, "--fuel", "1"]);
    assert_eq!((&object["end"], &object["unknown"]["kind"]), (&"unknown".into(), &"fuel".into()));
    let problem = page.has("problem", &["run", "nowhere.fun"]);
    assert!(problem["problem"].as_str().is_some_and(|text| text.contains("nowhere.fun")));
}

/// Two orders that give different results are two ends, each with its results.
#[test]
fn orders_are_data() {
    let page = Page::read();
    let file = corpus("device/order/stream_compaction.dev");
    let of = |command: &str| page.has(command, &[command, &file]);
    let test = page.has("file", &[&["test", &file][..], &FEW].concat());
    let replay = page.has("replay", &[&["replay", &file][..], &FEW].concat());
    for orders in [
        &of("run")["order_dependent"],
        &of("check")["memory"][0]["order_dependent"],
        &test["order_dependent"][0],
        &replay["order_dependent"],
    ] {
        let ended = orders["ends"].as_array().expect("two ends");
        assert_eq!(ended.len(), 2, "{orders}");
        for ended in ended {
            assert_eq!(ended["end"], "value", "{orders}");
            assert!(ended["results"].is_array(), "{orders}");
        }
    }
}

/// An order in which a thread gets stuck makes the program stuck, so it is no second result.
#[test]
fn an_order_that_is_stuck_is_data() {
    let page = Page::read();
    for (name, rule, place, thread) in [
        ("stuck_in_one_order", "D-ELEMENT", "8:5", &[1][..]),
        ("division_in_one_order", "D-BIN", "6:5", &[4]),
        ("index_behind_a_barrier_in_one_order", "D-AT", "15:3", &[2]),
        ("size_on_the_host_in_one_order", "D-ALLOC", "13:1", &[]),
    ] {
        let file = corpus(&format!("device/stuck/{name}.dev"));
        let of = |command: &str| page.has(command, &[command, &file]);
        let replay = page.has("replay", &[&["replay", &file][..], &FEW].concat());
        for run in [&of("run"), &of("explain"), &of("check")["memory"][0], &replay] {
            assert!(run["order_dependent"].is_null(), "{run}");
            let other = &run["other_order"];
            assert_eq!(other["end"], "stuck", "{run}");
            let stuck = &other["stuck"];
            assert_eq!(stuck["rule"], rule, "{run}");
            assert_eq!(stuck["place"], place, "{run}");
            assert_eq!(stuck["thread"], serde_json::json!(thread), "{run}");
        }
    }
    let in_order = corpus("device/stuck/division_in_order_only.dev");
    // An order that is drawn has a schedule, and can be run again with it.
    for (name, raced) in
        [("stuck/division_in_a_rare_order", false), ("race/race_in_a_rare_order", true)]
    {
        let file = corpus(&format!("device/{name}.dev"));
        let other = &page.has("run", &["run", &file])["other_order"];
        let text = fs::read_to_string(&file).expect("it is in the corpus");
        let folder = TempDir::new().expect("a folder");
        let again = folder.path().join("again.dev");
        let scheduled = format!("-- schedule: {}\n{text}", other["schedule"]);
        fs::write(&again, scheduled).expect("the folder can be written");
        let again = again.to_str().expect("the name is plain");
        let engine = other["engine"].as_str().expect("a name");
        let again = page.has("run", &["run", again, "--engine", engine]);
        assert_eq!(again["end"], other["end"], "{again}");
        assert_eq!(again["races"] != serde_json::json!([]), raced, "{again}");
    }
    let run = page.has("run", &["run", &in_order]);
    assert_eq!(run["end"], "stuck", "{run}");
    assert!(run["other_order"].is_null() && run["order_dependent"].is_null(), "{run}");
    let reversed = page.has("run", &["run", &in_order, "--engine", "device:reversed"]);
    assert_eq!(reversed["end"], "value", "{reversed}");
    assert_eq!(reversed["other_order"]["stuck"]["rule"], "D-BIN", "{reversed}");
}

/// Where another order of threads races, it stands beside the run that does not.
#[test]
fn a_race_in_another_order_is_data() {
    let page = Page::read();
    let file = corpus("device/race/race_in_another_order.dev");
    let of = |command: &str| page.has(command, &[command, &file]);
    for run in [&of("run"), &of("explain"), &of("check")["memory"][0]] {
        assert_eq!(run["races"], serde_json::json!([]), "{run}");
        let other = &run["other_order"];
        assert_eq!(other["engine"], "device:reversed", "{run}");
        assert_eq!(other["races"][0]["first"]["place"], "8:5", "{run}");
        assert_eq!(other["races"][0]["second"]["place"], "6:3", "{run}");
    }
    assert_eq!(of("check")["memory"][0]["race_free"], false);
}

/// Shaders call memory of a work group otherwise, and have lines of their own: a race of theirs is told as the program's
/// own run tells it.
#[test]
fn races_of_shaders_are_told_in_the_words_of_the_program() {
    let page = Page::read();
    for (file, block) in [
        ("device/race/all_write_one_element.dev", "xs"),
        ("device/race/race_in_another_order.dev", "xs"),
        ("device/race/work_group_variable.dev", "last"),
        ("device/race/missing_barrier.dev", "tile"),
        ("device/race/components_of_a_vector.dev", "v"),
        ("funmem/race/reverse_in_place.funmem", "m"),
        ("funmem/race/outer_threads_of_nested_kernels.funmem", "m"),
        ("imp/race/a_shared_temporary.imp", "t"),
    ] {
        let object = page.has("run", &["run", &corpus(file), "--engine", "spirv"]);
        let races = object["races"].as_array().expect("a list");
        assert!(!races.is_empty(), "{file}: {object}");
        for race in races {
            assert_eq!(race["block"], block, "{file}: {race}");
            for place in [&race["place"], &race["first"]["place"], &race["second"]["place"]] {
                assert!(place.as_str().is_some_and(|at| at.contains(':')), "{file}: {race}");
            }
        }
    }
}

#[test]
fn lists_campaigns_and_findings_are_told_as_the_page_says() {
    let page = Page::read();
    let folder = TempDir::new().expect("a folder");
    let findings = folder.path().join("findings");
    let findings = findings.to_str().expect("the name is plain");
    page.has("engine", &["engines"]);
    let engines = page.run(&["engines"]);
    let spirv = engines.iter().find(|(_, engine)| engine["engine"] == "spirv").expect("it is here");
    assert_eq!(spirv.1["excused"][0]["premise"], "laid out", "{spirv:?}");
    page.has("rule", &["rules"]);
    page.has("rule", &["rules", &corpus("fun/pass/sum.fun")]);
    page.has("tested", &["test", &corpus("fun/pass/sum.fun"), FEW[0], FEW[1]]);
    let program = corpus("minias/pass/bar.mas");
    page.has("compared", &["bench", "evidence", "--programs", &program, "--engines", "spirv"]);
    page.has("facts", &["test", &corpus("minias/facts"), FEW[0], FEW[1]]);
    page.has("unshrunk", &["shrink", &corpus("fun/pass/sum.fun"), FEW[0], FEW[1]]);
    let matrix = corpus("fun/pass/matrix_product.fun");
    let optimize = ["optimize", &matrix, "--size", "n=8,m=8,l=8", "--engines", "imp"];
    let timed = [&optimize[..], &["--run", "imp:in-order"]].concat();
    let optimized = page.has("optimized", &timed);
    let optimized = &optimized["segments"][0];
    let certificate = folder.path().join("certificate.json");
    fs::write(&certificate, optimized["certificate"].to_string()).expect("it is ours");
    let certificate = certificate.to_str().expect("the name is plain");
    assert!(page.has("certified", &["certify", certificate])["why"].is_null());
    let section_7 = ["optimize", &corpus("lambda_g/pass/section_7.lg"), "--engines", "device"];
    let in_lambda_g = page.has("optimized", &section_7)["lambda_g"]["certificate"].clone();
    fs::write(certificate, in_lambda_g.to_string()).expect("it is ours");
    assert!(page.has("certified", &["certify", certificate])["why"].is_null());
    let triangle = corpus("lambda_g/pass/triangle.lg");
    page.has("optimized_alone", &["optimize", &triangle, "--engines", "device"]);
    page.has("absent", &["laws"]);
    page.has("law", &["laws"]);
    let twin = page.has("law", &["laws", "split-red", "--gate", "--instances", "10"]);
    assert_eq!(twin["gate"]["right"], true, "{twin}");
    let refuted = page.has("law", &["laws", "minus-swap", "--gate", "--instances", "10"]);
    assert!(refuted["gate"]["refuted"].is_object(), "{refuted}");
    let faults = Command::new(env!("CARGO_BIN_EXE_lockstep")).args(["faults", "--json"]).output();
    let faults: Value =
        serde_json::from_slice(&faults.expect("lockstep starts").stdout).expect("it is JSON");
    assert_eq!(page.wrong(&faults, "list of object fault"), None);
    // This mock adapter gives the first result wrong.
    let fuzz = ["fuzz", "--programs", "40", "--seed", "1", "--share", "100", "--shrink", "0"];
    let wrong = ["--engines", "device,wgpu:evaluator-wrong", "--jobs", "1", "--findings", findings];
    let args = [&fuzz[..], &wrong].concat();
    let found = page.has("found", &args);
    let file = found["file"].as_str().expect("a file").to_owned();
    let again = ["--engines", "device,wgpu:evaluator-wrong"];
    let replayed = page.has("replay", &["replay", &file, again[0], again[1]]);
    for object in [
        &found,
        &replayed,
        &page.has("shrunk", &["shrink", &file, again[0], again[1], "--seconds", "0"]),
    ] {
        assert_eq!(object["class"], "value", "{object}");
        assert_eq!(object["finding"]["kind"], "value", "{object}");
        assert_eq!(object["finding"]["races"], serde_json::json!([]), "{object}");
        assert_eq!(object["finding"]["stuck"], Value::Null, "{object}");
    }
    let resumed =
        page.has("campaign", &["fuzz", "--resume", "--programs", "5", "--findings", findings]);
    assert_eq!(resumed["resumed"]["programs"], 40, "{resumed}");
    assert!(resumed["kept_before"][0]["file"].is_string(), "{resumed}");
}
