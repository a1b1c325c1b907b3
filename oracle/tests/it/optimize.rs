//! `lockstep optimize` and `lockstep certify`.

use oracle::optimize::certificate::Certificate;
use reference::axes::parse;
use serde_json::Value;
use std::fs;
use std::process::Command;
use tempfile::TempDir;

fn lockstep() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.env("VK_DRIVER_FILES", "/nonexistent").env("VK_ICD_FILENAMES", "/nonexistent");
    command
}

fn corpus(file: &str) -> String {
    format!("{}/../corpus/{file}", env!("CARGO_MANIFEST_DIR"))
}

/// Status, standard output and messages.
fn all_of(args: &[&str]) -> (i32, String, String) {
    let out = lockstep().args(args).output().expect("lockstep starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code().unwrap_or(-1), text(&out.stdout), text(&out.stderr))
}

/// Standard output of a command that ends well.
fn said(args: &[&str]) -> String {
    let (status, text, messages) = all_of(args);
    assert_eq!(status, 0, "{args:?}: {text}{messages}");
    text
}

const OURS: [&str; 2] = ["--engines", "imp,device,spirv"];

fn optimized(file: &str, size: &str) -> Value {
    let text = said(&["optimize", &corpus(file), "--size", size, OURS[0], OURS[1], "--json"]);
    serde_json::from_str(&text).unwrap_or_else(|no| panic!("{no}: {text}"))
}

#[test]
fn programs_are_rewritten_to_what_costs_less() {
    for (file, size) in [
        ("fun/pass/matrix_product.fun", "n=16,m=16,l=16"),
        ("fun/pass/sum.fun", "n=2048"),
        ("fun/pass/sums_of_rows.fun", "n=32,m=16"),
        ("fun/pass/maps_of_maps.fun", "n=32,m=16"),
        ("fun/pass/transposed_read.fun", "n=32,m=16"),
    ] {
        let found = optimized(file, size);
        assert_eq!(found["cheaper"], true, "{file}: {found}");
        let umm = |of: &Value| of["times"]["umm"].as_f64().expect("a number");
        assert!(umm(&found["best"]) < umm(&found["original"]), "{file}: {found}");
        let same = found["same_on"].to_string();
        assert!(["fun", "imp", "device", "spirv"].iter().all(|on| same.contains(on)), "{same}");
    }
}

/// The program with the plan is for other sizes the original.
#[test]
fn a_plan_runs_the_original_for_other_sizes() {
    let folder = TempDir::new().expect("a folder");
    for (file, size, inputs) in [
        (
            "fun/pass/matrix_product.fun",
            "n=2,m=3,l=4",
            vec![
                "2, 3, 4, [[3, -1, 4], [1, -5, 9]], [[2, 7, 1, 8], [2, 8, 1, 8], [-2, 8, 4, 5]]",
                "1, 1, 2, [[3]], [[2, 7]]",
                "1, 0, 2, empty[1][0], empty[0][2]",
            ],
        ),
        (
            "fun/pass/maps_of_maps.fun",
            "n=2,m=3",
            vec!["2, 3, [[4, -5, 6], [1, 0, -2]]", "1, 2, [[7, -9]]", "0, 2, empty[0][2]"],
        ),
    ] {
        let file = corpus(file);
        let program = said(&["optimize", &file, "--size", size, "--emit", "imp"]);
        assert!(program.contains("if same then"), "{program}");
        let path = folder.path().join("plan.imp");
        fs::write(&path, &program).expect("it is ours");
        let path = path.to_str().expect("the name is plain");
        for input in inputs {
            let wanted = said(&["run", &file, "--input", input]);
            for engine in ["imp:in-order", "imp:shuffled", "device", "spirv"] {
                let found = said(&["run", path, "--input", input, "--engine", engine]);
                assert_eq!(found, wanted, "{engine} on {input}: {program}");
            }
        }
    }
}

/// A program of which the statement in the middle stays out.
const HALF: &str = "param (n : int) (m : int) (xs : [n][m])
let (ys : [m][n]) = kernel j <= m do
  let (row : [n]) = kernel i <= n do
    in (2 * xs[i, j])
  in (row)
let (zs : [m][n]) = ys with [1 : 1, 1 : n] = 7
let (us : [m][n]) = kernel j <= m do
  let (row : [n]) = kernel i <= n do
    in (zs[j, i] + j)
  in (row)
in (us)
";

#[test]
fn what_can_enter_is_rewritten_part_by_part() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("half.fun");
    fs::write(&path, HALF).expect("it is ours");
    let path = path.to_str().expect("the name is plain");
    let args = ["optimize", path, "--size", "n=16,m=8", OURS[0], OURS[1]];
    let text = said(&[&args[..], &["--json"]].concat());
    let found: Value = serde_json::from_str(&text).unwrap_or_else(|no| panic!("{no}: {text}"));
    assert_eq!(found["cheaper"], true, "{found}");
    let segments = found["segments"].as_array().expect("a list");
    let places: Vec<&Value> = segments.iter().map(|segment| &segment["place"]).collect();
    assert_eq!(places, ["2:1", "7:1"], "{found}");
    assert_eq!(found["outside"][0]["place"], "6:1", "{found}");
    let story = said(&[&args[..], &["--front"]].concat());
    assert!(story.contains("6:1: `with` writes into an array"), "{story}");
    assert!(story.contains("plan 1: (out"), "{story}");
    let certificates = said(&[&args[..], &["--emit", "certificate"]].concat());
    let kept = folder.path().join("c.json");
    fs::write(&kept, certificates).expect("it is ours");
    said(&["certify", kept.to_str().expect("the name is plain"), "--program", path]);
    let imp = said(&[&args[..], &["--emit", "imp"]].concat());
    let plan = folder.path().join("plan.imp");
    fs::write(&plan, &imp).expect("it is ours");
    let plan = plan.to_str().expect("the name is plain");
    for input in ["2, 3, [[1, 2, 3], [4, 5, 6]]", "1, 1, [[5]]"] {
        let wanted = said(&["run", path, "--input", input]);
        assert_eq!(said(&["run", plan, "--input", input, "--engine", "device"]), wanted, "{imp}");
        let optimized = said(&["run", path, "--input", input, "--optimize"]);
        assert_eq!(optimized, wanted, "{input}");
    }
}

/// Plan, certificate and report.
#[test]
fn the_same_search_gives_the_same_bytes() {
    let file = corpus("fun/pass/matrix_product.fun");
    let args = ["optimize", &file, "--size", "n=8,m=8,l=8", "--engines", "imp"];
    for more in [&["--emit", "imp"][..], &["--emit", "certificate"], &["--json"], &["--front"]] {
        let args = [&args[..], more].concat();
        assert_eq!(said(&args), said(&args), "{more:?}");
    }
}

#[test]
fn each_form_of_a_plan_is_printed() {
    let file = corpus("fun/pass/sums_of_rows.fun");
    let args = ["optimize", &file, "--size", "n=64,m=32"];
    for (emit, has) in [
        ("fun", "kernel"),
        ("imp", "if same then"),
        ("dev", "launch"),
        ("wgsl", "@compute"),
        ("axes", "(out"),
        ("certificate", "\"steps\""),
    ] {
        let text = said(&[&args[..], &["--emit", emit]].concat());
        assert!(text.contains(has), "{emit}: {text}");
    }
    let compiled = said(&["compile", &file, "--optimize", "--size", "n=64,m=32", "--emit", "imp"]);
    assert!(compiled.contains("if same then"), "{compiled}");
    let timed = said(&[&args[..], &["--run", "imp:in-order", "--engines", "imp"]].concat());
    assert!(timed.contains("times on imp:in-order, medians of"), "{timed}");
}

#[test]
fn what_cannot_be_used_is_told() {
    let folder = TempDir::new().expect("a folder");
    let no_part = folder.path().join("none.fun");
    let text = "param (n : int) (xs : [n])\nlet (ys : [n]) = loop (acc : [n] = xs) for i <= n do\n  \
        in (acc)\nin (ys)\n";
    fs::write(&no_part, text).expect("it is ours");
    let no_part = no_part.to_str().expect("the name is plain");
    let machine = folder.path().join("m.json");
    fs::write(&machine, "{ \"widht\": 3 }").expect("it is ours");
    let machine = machine.to_str().expect("the name is plain");
    let sum = corpus("fun/pass/sum.fun");
    let imp = corpus("imp/pass");
    let imp = fs::read_dir(imp).expect("it is there").next().expect("a file").expect("a file");
    let imp = imp.path().display().to_string();
    for (args, has) in [
        (&[no_part, "--size", "n=3"][..], "this loop carries an array"),
        (&[no_part, "--size", "n=3"], "none.fun:2:1"),
        (&[&sum, "--size", "m=3"], "no integer parameter is called `m`"),
        (&[&corpus("fun/pass/matrix_product.fun"), "--size", "n=3"], "no size is given for"),
        (&[&sum, "--size", "n=-3"], "-3"),
        (&[&sum, "--size", "n=2000000000"], "more than 268435456 elements"),
        (&[&sum, "--size", "n=99999999999"], "99999999999"),
        (&[&sum, "--size", "n"], "NAME=SIZE"),
        (&[&sum, "--size", "n=3", "--laws", "most"], "most"),
        (&[&sum, "--size", "n=3", "--mode", "fast"], "there is no mode `fast`"),
        (&[&sum, "--size", "n=3", "--machine", machine], "widht"),
        (&[&sum, "--size", "n=3", "--nodes", "0"], "--nodes"),
        (&[&sum, "--size", "n=3", "--memory", "0"], "--memory"),
        (&[&sum, "--size", "n=3", "--seconds", "0"], "nothing is searched in no time"),
        (&[&sum, "--size", "n=3", "--fuel", "0"], "--fuel"),
        (&[&sum, "--size", "n=3", "--plans", "0"], "--plans"),
        (&[&sum, "--size", "n=3", "--run", "imp"], "no engine is called `imp`"),
        (&[&sum, "--size", "n=3", "--emit", "spirv"], "spirv"),
        (&[&imp], "programs of fun, fcl and lambda_g and terms of axes are optimized"),
    ] {
        let (status, out, message) = all_of(&[&["optimize"], args].concat());
        assert_eq!(status, 2, "{args:?}: {out}{message}");
        assert!(message.contains(has), "{args:?}: {message}");
    }
}

/// A search that meets its limit gives what it has.
#[test]
fn a_search_that_meets_its_limit_says_so() {
    let file = corpus("fun/pass/matrix_product.fun");
    let args = ["optimize", &file, "--size", "n=8,m=8,l=8", "--nodes", "200", "--engines", "imp"];
    let (status, text, message) = all_of(&args);
    assert_eq!(status, 0, "{message}");
    assert!(format!("{text}{message}").contains("the limit of nodes was met"), "{text}{message}");
}

#[test]
fn a_certificate_that_was_changed_is_refused() {
    let folder = TempDir::new().expect("a folder");
    let found = optimized("fun/pass/matrix_product.fun", "n=8,m=8,l=8");
    let certificate = &found["segments"][0]["certificate"];
    let path = folder.path().join("c.json");
    let path = path.to_str().expect("the name is plain");
    let read = |text: &str, more: &[&str]| {
        fs::write(path, text).expect("it is ours");
        let (status, out, message) = all_of(&[&["certify", path], more].concat());
        (status, format!("{out}{message}"))
    };
    let judged = |changed: &Value| read(&changed.to_string(), &[]);
    assert_eq!(judged(certificate).0, 0, "{certificate}");
    let steps = certificate["steps"].as_array().expect("a list").len();
    assert!(steps > 0, "{certificate}");
    for (key, value) in [
        ("law", Value::from("swap-red")),
        ("law", Value::from("no-such-law")),
        ("position", Value::from(vec![9])),
        ("term", Value::from("(out (build seq i 8 (build seq j 8 1)) i j)")),
        ("term", Value::from("(out")),
    ] {
        let mut changed = certificate.clone();
        changed["steps"][steps - 1][key] = value;
        let (status, text) = judged(&changed);
        assert_eq!(status, 1, "{key}: {text}");
        assert!(text.contains(&format!("step {steps} is wrong")), "{text}");
    }
    let with = |key: &str, value: Value| {
        let mut changed = certificate.clone();
        changed[key] = value;
        changed
    };
    let (status, text) = judged(&with("laws", Value::from("0123456789abcdef")));
    assert!(status == 1 && text.contains("law book"), "{status}: {text}");
    let (status, text) = judged(&with("lockstep", Value::from("lockstep 9.9.9")));
    assert!(status == 2 && text.contains("is of version lockstep 9.9.9"), "{status}: {text}");
    let costs = &certificate["costs"];
    assert_eq!(costs["mode"], "umm", "{costs}");
    assert_eq!(costs["before"], found["original"]["times"]["umm"].as_f64().expect("a number"));
    assert_eq!(costs["input"][0], "8", "{costs}");
    let changed = |key: &str, value: Value| {
        let mut changed = certificate.clone();
        changed["costs"][key] = value;
        let (status, text) = judged(&changed);
        assert_eq!(status, 1, "{key}: {text}");
        text
    };
    let more = |key: &str| Value::from(costs[key].as_f64().expect("a number") + 1.0);
    assert!(changed("before", more("before")).contains("it says that the original costs"));
    assert!(changed("after", more("after")).contains("it says that the plan costs"));
    assert!(changed("mode", Value::from("paper")).contains("in paper, and that is"));
    let mut machine = costs["machine"].clone();
    machine["latency"] = Value::from(3);
    assert!(changed("machine", machine.clone()).contains("costs"));
    machine["width"] = Value::from(0);
    assert!(changed("machine", machine).contains("its machine is none"));
    let smaller = ["4", "4", "4", "made up", "made up"].map(Value::from).to_vec();
    assert!(changed("input", Value::from(smaller)).contains("other sizes"));
    assert!(changed("input", Value::from(vec!["[1"])).contains("its input"));
    let (status, text) = judged(&with("partial", Value::from(vec!["(get xs i)"])));
    assert!(status == 1 && text.contains("that they may get stuck"), "{status}: {text}");
    let (status, text) = judged(&with("goal", Value::from("0123456789abcdef")));
    assert!(status == 1 && text.contains("the goal that it names"), "{status}: {text}");
    let mut guarded = certificate.clone();
    guarded["steps"][0]["guard"] = Value::from("it is a Monday");
    let (status, text) = judged(&guarded);
    assert!(status == 1 && text.contains("the guard of its law"), "{status}: {text}");
    let mut other = certificate.clone();
    other["source"]["sizes"]["n"] = Value::from(4);
    let (status, text) = judged(&other);
    assert!(status == 1 && text.contains("enters as another program"), "{status}: {text}");
    let sum = corpus("fun/pass/sum.fun");
    let (status, text) = read(&certificate.to_string(), &["--program", &sum]);
    assert!(status == 1 && text.contains("it is of another program"), "{status}: {text}");
    let own = corpus("fun/pass/matrix_product.fun");
    assert_eq!(read(&certificate.to_string(), &["--program", &own]).0, 0);
    let whole = certificate.to_string();
    let (status, text) = read(&whole[..whole.len() / 2], &[]);
    assert!(status == 2 && text.contains("truncated") && text.contains("c.json:1:"), "{text}");
    let (status, text) = judged(&Value::from("no certificate"));
    assert!(status == 2 && text.contains("this is no certificate"), "{status}: {text}");
    let step = certificate["steps"][0].to_string();
    let long = format!("[{}]", vec![step.as_str(); 10_001].join(","));
    let (status, text) = judged(&with("steps", serde_json::from_str(&long).expect("a list")));
    assert!(status == 1 && text.contains("at most 10000"), "{status}: {text}");
    let million = whole.replacen(
        &step,
        &vec!["{\"law\":\"x\",\"position\":[],\"term\":\"\"}"; 1_000_000].join(","),
        1,
    );
    let (status, text) = read(&million, &[]);
    assert!(status == 2 && text.contains("too long for a certificate"), "{status}: {text}");
}

/// A certificate of a few bytes asks for no memory or time but what it is given; what it would take is said.
#[test]
fn a_certificate_of_large_arrays_is_not_run() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("c.json");
    let path = path.to_str().expect("the name is plain");
    for (text, limit, why) in [
        ("param (xs : [200000000])\n(out 1)\n", "--seed=1", "beyond the memory budget"),
        ("(out (build seq i 46000 (build seq j 46000 1)) i j)\n", "--seed=1", "beyond the memory"),
        ("(out (red + i 60000 (red + j 60000 1)))\n", "--fuel=1000", "out of fuel"),
        ("(out 1)\n", "--seconds=0", "the time was up"),
    ] {
        let program = parse::program(text).expect("it is a term");
        let certificate = Certificate::of(&program, &[]);
        fs::write(path, serde_json::to_string(&certificate).expect("JSON")).expect("it is ours");
        let (status, out, message) = all_of(&["certify", path, limit]);
        assert!(status == 2 && out.is_empty() && message.contains(why), "{text}: {out}{message}");
    }
}

/// Of several inputs, the one of which nothing cheaper is found is named.
#[test]
fn inputs_are_named_where_there_are_several() {
    let several = corpus("fun/pass/sum.fun");
    let (status, out, message) = all_of(&["run", "--optimize", &several]);
    assert_eq!(status, 0, "{out}{message}");
    let named = "sum.fun on input 0, []: nothing that costs less was found";
    assert!(message.contains(named), "{message}");
    let (_, _, message) = all_of(&["run", "--optimize", &several, "--input", "0, []"]);
    assert!(message.contains("sum.fun: nothing that costs less was found"), "{message}");
}

/// Partial sums by threads, and their sum: where the loop is long enough, that costs less.
#[test]
fn sums_are_made_in_two_steps() {
    for (file, size) in
        [("fun/pass/sum.fun", "n=32768"), ("fun/pass/sums_of_rows.fun", "n=64,m=1024")]
    {
        let found = optimized(file, size);
        assert_eq!(found["cheaper"], true, "{file}: {found}");
        let term = found["segments"][0]["front"][0]["term"].as_str().expect("a text");
        assert!(term.contains("(store glob") && term.contains("grid"), "{file}: {term}");
    }
}

#[test]
fn a_plan_is_like_its_sketch_or_the_sketch_is_refused() {
    let path = corpus("fun/pass/matrix_product.fun");
    let with = |sketches: &[&str]| {
        let sketches = sketches.iter().flat_map(|sketch| ["--sketch", sketch]);
        let mut args = vec!["optimize", &path, "--size", "n=8,m=8,l=8", "--tiles", "4"];
        args.extend(["--emit", "axes"].into_iter().chain(sketches));
        let (status, out, messages) = all_of(&args);
        (status, if out.is_empty() { messages } else { out })
    };
    let (status, text) = with(&["(build seq i_o4 _ (build grid i_i4 _ _))"]);
    assert!(status == 0 && text.contains("build grid i_i4"), "{text}");
    let led = ["(build grid i_o4 _ _)", "(build grid i_o4 _ (build seq i_i4 _ _))"];
    let (status, text) = with(&led);
    assert!(status == 0 && text.contains("build seq i_i4"), "{text}");
    for (sketch, said) in [
        ("_", "this sketch names no axis"),
        ("(get xs _ _)", "this sketch names no axis"),
        ("(build seq z _ _)", "no axis is called z here"),
        ("(build seq i 8", "--sketch:1:15"),
        ("(red max i _ _)", "no term that was found is like the sketch"),
    ] {
        let (status, text) = with(&[sketch]);
        assert!(status == 2 && text.contains(said), "{sketch}: {status} {text}");
    }
}

#[test]
fn a_random_program_of_a_search_is_equal_too() {
    let path = corpus("fun/pass/matrix_product.fun");
    let drawn = |seed: &str| {
        let args = ["optimize", &path, "--size", "n=8,m=8,l=8", "--tiles", "4", "--chaos", seed];
        let text = said(&[&args[..], &["--engines", "imp,device", "--json"]].concat());
        let found: Value = serde_json::from_str(&text).expect("an object");
        let found = &found["segments"][0];
        assert!(found["certificate"]["steps"].is_array(), "{found}");
        found["front"][0]["term"].as_str().expect("a text").to_owned()
    };
    let terms: Vec<String> = ["1", "1", "2", "3"].map(drawn).to_vec();
    assert_eq!(terms[0], terms[1]);
    assert!(terms[0] != terms[2] || terms[0] != terms[3], "{terms:?}");
}

/// A transpose by work groups: IMP cannot say it, so it comes out by itself, or not at all.
#[test]
fn a_plan_of_work_groups_is_all_of_its_program() {
    let laws = ["--laws", "groups", "--tiles", "32", "--size", "n=64,m=64", OURS[0], OURS[1]];
    let file = corpus("fun/pass/transposed_read.fun");
    let args = [&["optimize", &file], &laws[..]].concat();
    let text = said(&[&args[..], &["--json"]].concat());
    let found: Value = serde_json::from_str(&text).unwrap_or_else(|no| panic!("{no}: {text}"));
    assert_eq!(found["cheaper"], true, "{found}");
    let term = found["segments"][0]["front"][0]["term"].to_string();
    assert!(term.contains("build group") && term.contains("store group+1"), "{term}");
    let same = found["same_on"].to_string();
    assert!(["fun", "device", "spirv"].iter().all(|on| same.contains(on)), "{same}");
    assert!(said(&args).contains("work groups run it, and it tests no sizes"));
    let device = said(&[&args[..], &["--emit", "dev"]].concat());
    assert!(device.contains("barrier workgroup"), "{device}");
    assert!(said(&[&args[..], &["--emit", "wgsl"]].concat()).contains("workgroupBarrier()"));
    let (status, out, message) = all_of(&[&args[..], &["--emit", "imp"]].concat());
    assert!(status == 2 && out.is_empty(), "{out}");
    assert!(message.contains("the plan is in the device language, not in IMP"), "{message}");

    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("half.fun");
    fs::write(&path, HALF).expect("it is ours");
    let half = ["optimize", path.to_str().expect("the name is plain")];
    let sketch = ["--sketch", "(build group j_o32 _ _)"];
    let (status, _, message) = all_of(&[&half[..], &laws, &sketch].concat());
    assert_eq!(status, 0, "{message}");
    assert!(message.contains("plans of work groups were left out"), "{message}");
    let imp = said(&[&half[..], &laws, &["--emit", "imp"]].concat());
    assert!(imp.contains("if same then"), "{imp}");
}

/// Sums of short rows in two steps, and by trees in work groups: neither is what costs least, but both are found.
#[test]
fn sums_of_rows_have_the_forms_of_long_sums() {
    let file = corpus("fun/pass/sums_of_rows.fun");
    let args = ["optimize", &file, "--size", "n=64,m=16", "--json", OURS[0], OURS[1], "--sketch"];
    for (sketch, laws, has) in [
        ("(red + j_o4 _ (get (store glob (build grid i_m _ _) _ _) _ _))", "assoc", "(store glob"),
        ("(red + j_h_h_h_h _ (get (store group _ _) _))", "groups", "(build lane j_h_h_h_m 2"),
    ] {
        let text = said(&[&args[..], &[sketch, "--laws", laws]].concat());
        let found: Value = serde_json::from_str(&text).unwrap_or_else(|no| panic!("{no}: {text}"));
        let segment = &found["segments"][0];
        assert_eq!(segment["stop"], "every term that the laws reach was looked at", "{segment}");
        let first = &segment["front"][0];
        assert!(first["term"].as_str().is_some_and(|term| term.contains(has)), "{first}");
        assert!(segment["certificate"]["steps"].is_array(), "{segment}");
        assert!(found["same_on"].to_string().contains("spirv"), "{found}");
    }
}

/// A sum that is long enough is cheapest as trees in work groups, whose sums the host adds.
#[test]
fn a_long_sum_is_cheapest_in_work_groups() {
    let sum = corpus("fun/pass/sum.fun");
    let size = ["optimize", &sum, "--size", "n=8192", "--json", OURS[0], OURS[1]];
    let laws = ["--laws", "groups", "--tiles", "64"];
    let read = |text: String| -> Value {
        serde_json::from_str(&text).unwrap_or_else(|no| panic!("{no}: {text}"))
    };
    let (plain, trees) = (read(said(&size)), read(said(&[&size[..], &laws].concat())));
    let umm = |of: &Value| of["best"]["times"]["umm"].as_f64().expect("a number");
    assert!(umm(&trees) < umm(&plain), "{} {}", trees["best"], plain["best"]);
    assert_eq!((&plain["language"], &trees["language"]), (&"imp".into(), &"device".into()));
    let first = &trees["segments"][0]["front"][0];
    assert_eq!(first["language"], "device");
    let term = first["term"].to_string();
    assert!(term.contains("store group") && term.contains("build lane"), "{term}");
    assert_eq!(trees["best"]["launches"], 1);
}
