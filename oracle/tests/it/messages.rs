//! What is said of programs that race, or are written nearly right.

use std::fs;
use std::process::Command;
use tempfile::TempDir;

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus");

/// Both outputs of a command on a program in a file of this name.
pub(super) fn said(name: &str, text: &str, args: &[&str]) -> String {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join(name);
    fs::write(&path, text).expect("the folder can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    let output = command.arg(args[0]).arg(&path).args(&args[1..]).output();
    let output = output.expect("lockstep starts");
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

/// What is said holds each of these.
pub(super) fn holds(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "`{part}` is not in:\n{said}");
    }
}

const FUNMEM: &str = "param (n : int)
let (m : mem) = alloc n
let (a : [n] @ m -> R(n)) = iota n
let (b : [n] @ m -> R(n)) = kernel i <= n do
  let (x : int) = a[n + 1 - i]
  in (x)
in (b[1])
";

const IMP: &str = "param (n : int) (xs : mem [n])
kernel i <= n - 1 do
  var x : int;
  x <- xs[i];
  xs[i - 1] <- x
done
results (xs : [n] @ 0 + {(n : 1)})
";

const NESTED: &str = "param (n : int) (xs : mem [n])
kernel i <= 2 do
  kernel j <= 2 do
    xs[i - 1] <- j
  done
done
results (xs : [n] @ 0 + {(n : 1)})
";

const GROUP: &str = "kernel k(xs : block[i32]) group 4 {
  workgroup last : i32;
  last = i32(local_id);
  barrier storage;
  xs.[global_id] = last;
}
param xs : [4];
launch k(xs) for 4;
";

const FUNCTION: &str = "fn put(xs : block[i32], x : i32) {
  xs.[0] = x;
}
kernel k(xs : block[i32]) group 1 {
  if global_id == u32 0 {
    xs.[0] = 1;
  } else {
    call put(xs, i32(global_id));
  }
}
param xs : [4];
launch k(xs) for 2;
";

#[test]
fn a_race_shows_both_accesses() {
    for command in ["run", "check", "explain"] {
        let ints = ["--input", "3, [1, 2, 3]"];
        let funmem = said("a.funmem", FUNMEM, &[command, "--input", "3"]);
        holds(&funmem, &["thread 1 writes\n", "thread 3 reads\n", "at offset 0 of m"]);
        let imp = said("a.imp", IMP, &[&[command], &ints[..]].concat());
        holds(&imp, &["thread 1 reads\n", "thread 2 writes\n", "at offset 1 of xs"]);
        let nested = said("a.imp", NESTED, &[&[command], &ints[..]].concat());
        holds(&nested, &["thread 1, 1 writes, and thread 1, 2 writes\n"]);
        let group = ["--input", "[0, 0, 0, 0]"];
        let device = said("a.dev", GROUP, &[&[command], &group[..]].concat());
        holds(&device, &["thread 1 writes, and thread 2 writes\n", "of last"]);
        let function = said("a.dev", FUNCTION, &[&[command], &group[..]].concat());
        holds(&function, &["thread 1 writes\n", "thread 2 writes\n", "at offset 0 of xs\n"]);
        assert!(!function.contains("these threads race"), "{function}");
        for (name, accesses) in [
            ("race_in_another_order", ["thread 2 writes\n", "thread 1 reads\n"]),
            ("race_in_another_order_of_a_group", ["thread 2 writes\n", "thread 1 writes\n"]),
        ] {
            let path = format!("{CORPUS}/device/race/{name}.dev");
            let text = fs::read_to_string(path).expect("it is in the corpus");
            let other = said("a.dev", &text, &[command]);
            holds(&other, &accesses);
            holds(&other, &["another order of threads, that of device:reversed"]);
            assert!(!other.contains("these threads race"), "{other}");
        }
    }
}

/// The places of both accesses of the first race, as `run --json` tells them.
fn places(name: &str, text: &str, input: &str) -> [String; 2] {
    let told = said(name, text, &["run", "--json", "--input", input]);
    let told: serde_json::Value = serde_json::from_str(&told).expect("it is JSON");
    let side = |side: &str| told["races"][0][side]["place"].as_str().unwrap_or("none").to_owned();
    [side("first"), side("second")]
}

#[test]
fn each_access_of_a_race_has_its_own_place() {
    assert_eq!(places("a.funmem", FUNMEM, "3"), ["4:1", "5:3"]);
    assert_eq!(places("a.imp", IMP, "3, [1, 2, 3]"), ["4:3", "5:3"]);
    assert_eq!(places("a.imp", NESTED, "3, [1, 2, 3]"), ["4:5", "4:5"]);
    assert_eq!(places("a.dev", GROUP, "[0, 0, 0, 0]"), ["3:3", "3:3"]);
    assert_eq!(places("a.dev", FUNCTION, "[0, 0, 0, 0]"), ["6:5", "2:3"]);
}

#[test]
fn all_races_are_shown_where_asked_for() {
    let one = said("a.funmem", FUNMEM, &["run", "--input", "5"]);
    holds(&one, &["more races; --all shows all"]);
    let all = said("a.funmem", FUNMEM, &["run", "--input", "5", "--all"]);
    assert!(all.matches("race: thread").count() > 1 && !all.contains("--all"), "{all}");
}

#[test]
fn a_place_in_a_long_line_is_that_of_the_file() {
    let long = format!("param (n : int)\nlet (x : int) = {}k\nin (x)\n", "n + ".repeat(200));
    holds(&said("a.fun", &long, &["check"]), &["a.fun:2:817]"]);
    let stuck = format!("let (x : int) = {}1 / 0 in (x)", "1 + ".repeat(250));
    let told = said("a.fun", &stuck, &["run"]);
    holds(&told, &["a.fun:1:1]"]);
}

#[test]
fn what_is_advised_can_be_copied() {
    let told = said("a.fun", "param (n : int)\nin (n)\n", &["run", "--fuel", "1"]);
    assert!(told.lines().all(|line| line.len() < 400), "{told}");
    let program = "-- input: 1\n-- result: 2\nparam (n : int)\nin (n)\n";
    let found = said("a.fun", program, &["replay"]);
    assert!(!found.contains("still there"), "{found}");
}

#[test]
fn what_is_nearly_right_is_told_how_to_write() {
    let array = "param (n : int) (xs : [n])\nlet (y : [n]) = xs\nin (y)\n";
    holds(&said("a.fun", array, &["check"]), &["not an int", "`copy` in front of it"]);
    let element = array.replace("(y : [n])", "(y : int)");
    let told = said("a.fun", &element, &["check"]);
    holds(&told, &["not an int", "indices in brackets behind the name"]);
    assert!(!told.contains("copy"), "{told}");
    let letter = "param (größe : int)\nin (größe)\n";
    holds(&said("a.fun", letter, &["check"]), &["`ö`", "letters a to z"]);
    let dash = "param (n : int)\nlet (x : int) = n \u{2212} 1\nin (x)\n";
    holds(&said("a.imp", dash, &["check"]), &["minus is written `-`"]);
    let unsaid = "param (n : int)\nin (n)\n";
    for command in ["run", "replay", "shrink", "explain"] {
        let told = said("a.fun", unsaid, &[command]);
        holds(&told, &["0 input values for 1 parameter", "--input", "`-- input: VALUES`"]);
    }
    let told = said("a.fun", unsaid, &["run", "--input", "1, 2"]);
    assert!(!told.contains("-- input: VALUES"), "{told}");
    let expected = "-- input: 1\nparam (n : int)\nin (n)\n";
    holds(&said("a.fun", expected, &["test"]), &["a.fun:1:1: ", "`result:`"]);
    let results = "let (x : int) = if 1 then in (1, 2) else in (1, 2)\nin (x)\n";
    holds(&said("a.fun", results, &["check"]), &["2 results for 1 name "]);
    let untyped = "kernel k(xs : block[i32]) group 4 {\n  let i = global_id + u32 1;\n}\n";
    holds(&said("a.dev", untyped, &["check"]), &["has a type", "let i : u32", "2:7"]);
    let block = "kernel k(xs : block[i32]) group 4 {\n  let i : i32 = xs[0];\n}\n";
    holds(&said("a.dev", block, &["check"]), &["an element of a block is written `e.[i]`"]);
    let literal = "kernel k(xs : block[i32]) group 4 {\n  if global_id < 4 {\n  }\n}\n";
    // The condition is underlined too.
    let under = "·   ────────┬───────\n";
    holds(&said("a.dev", literal, &["check"]), &["no `<` of u32 and i32", "`u32 4`", under]);
    let id = "kernel k(xs : block[i32]) group 4 {\n  let i : i32 = global_id;\n}\n";
    holds(&said("a.dev", id, &["check"]), &["u32 where i32 is wanted", "`i32(e)`"]);
    for (line, words) in [
        ("if true && true {\n  }", "the conjunction of `a` and `b` is written `a & b`"),
        ("let x : i32 = 1;\n  x = 2;", "`var x : T = e;`"),
        ("let x : f32 = 1;", "as in `4.0`"),
        ("let x : f64 = 1.0;", "as in `f64 4.0`"),
        ("let x : f32 = -1.0e39;", "a number that its type does not have"),
        ("let x : f64 = f64 1.0e999;", "a number that its type does not have"),
        ("workgroup t : array[i32, 100000];", "array[i32, 100000] has more than "),
    ] {
        let kernel = format!("kernel k(xs : block[i32]) group 4 {{\n  {line}\n}}\n");
        holds(&said("a.dev", &kernel, &["check"]), &[words]);
    }
    let recursion = "fn f(x : i32) -> i32 {\n  let y = call f(x);\n  return y;\n}\n";
    holds(&said("a.dev", recursion, &["check"]), &["there is no recursion"]);
    let vector = "kernel k(v : vec2[i32]) group 4 {\n  let i : i32 = v.[0];\n}\n";
    let vector =
        vector.replace("k(v : vec2[i32])", "k()").replace("4 {\n", "4 {\n  var v : vec2[i32];\n");
    holds(
        &said("a.dev", &vector, &["check"]),
        &["an element of an array or vector is written `e[i]`"],
    );
}

#[test]
fn a_line_of_the_header_that_begins_with_no_key_describes() {
    for (line, fits) in [
        ("note: hello", true),
        ("see also: https://example.org", true),
        ("todo: more", true),
        ("results: 1", false),
        ("imput: 1", false),
        ("Input: 1", false),
        ("Any order: 1", false),
        ("Floats: they are open", true),
        ("expect: 2", true),
    ] {
        let told = said("a.fun", &format!("-- {line}\nin (1)\n"), &["run"]);
        assert_eq!(told == "1\n", fits, "{line}: {told}");
        assert_eq!(told.contains("is no key of a header"), !fits, "{line}: {told}");
    }
}

/// A name that stands at two places is told as it was written.
#[test]
fn names_are_those_of_the_text() {
    let program = "kernel k(xs : block[i32], n : i32) group 4 {
  xs.[0] = n + i32(global_id);
}
param n : i32;
param xs : [n];
launch k(xs, n) for 2;
";
    let race = said("a.dev", program, &["run", "--input", "2, [0, 0]"]);
    holds(&race, &["at offset 0 of xs\n"]);
    let check = said("a.dev", program, &["check"]);
    holds(&check, &["param n : i32;", "param xs : [n];"]);
    let input = said("a.dev", program, &["run", "--input", "[1], [0, 0]"]);
    holds(&input, &["parameter `n`"]);
    let shadowed = "param (n : int)
let (ys : [n]) = kernel i <= n do
  let (x : int) = i
  in (x)
let (zs : [n]) = kernel i <= n do
  let (x : int) = i
  let (y : int) = x[1]
  in (y)
in (ys, zs)
";
    holds(&said("a.fun", shadowed, &["check"]), &["`x` is an int, not an array"]);
}

/// In kernels of the device language invocations have numbers from 0, in messages threads have numbers from 1.
#[test]
fn a_thread_of_a_kernel_is_told_with_its_global_id() {
    let outside = "kernel k(xs : block[i32]) group 4 {\n  xs.[global_id + u32 1] = 1;\n}\nparam xs : [4];\n\
        launch k(xs) for 4;\n";
    let told = said("a.dev", outside, &["run", "--input", "[0, 0, 0, 0]"]);
    holds(&told, &["here in thread 4", "thread 4 has global_id 3"]);
    let told = said("a.dev", GROUP, &["run", "--input", "[0, 0, 0, 0]"]);
    holds(&told, &["thread 1 has global_id 0"]);
    let told = said("a.imp", IMP, &["run", "--input", "3, [1, 2, 3]"]);
    assert!(!told.contains("global_id"), "{told}");
}

/// A number that does not fit is told, and not taken for an option.
#[test]
fn negative_numbers_are_values() {
    let program = "in (1)\n";
    for option in ["--fuel", "--memory", "--nodes"] {
        let told = said("a.fun", program, &["explain", option, "-1"]);
        holds(&told, &["invalid value '-1'", option]);
    }
    for option in ["--chaos", "--decisions", "--limit"] {
        let told = said("a.fun", program, &["test", option, "-1"]);
        holds(&told, &["invalid value '-1'", option]);
    }
    holds(&said("a.fun", program, &["run", "--limit", "-1"]), &["invalid value '-1'", "--limit"]);
    let told = said("a.fun", program, &["test", "--engines", "bogus"]);
    assert_eq!(told.matches("`lockstep engines` lists them").count(), 1, "{told}");
}

/// A header that expects what cannot be is no header: a program would do what it says whatever it does.
#[test]
fn a_header_names_rules_that_there_are() {
    let race = |rule: &str| format!("-- input: 3, [1, 2, 3]\n-- race: {rule}\n{IMP}");
    for (name, text, words) in [
        ("a.imp", race("E-FOO"), "imp has no rule E-FOO"),
        ("a.imp", race("E-IMP-WRITE"), "those of imp are seen at E-IMP-KERNEL"),
        ("a.fun", "-- race: E-KERNEL\nin (1)\n".to_owned(), "programs of fun do not race"),
        (
            "a.fun",
            "-- stuck: E-MEM-SCALAR division\nlet (x : int) = 1 / 0\nin (x)\n".to_owned(),
            "fun has no rule E-MEM-SCALAR",
        ),
        ("a.fun", "-- rejects: T-FOO scope\nin (x)\n".to_owned(), "fun has no rule T-FOO"),
        ("a.fun", "-- unknown: time\nin (1)\n".to_owned(), "`time` is nothing that runs out"),
    ] {
        let told = said(name, &text, &["test", "--engines", "fun,imp"]);
        holds(&told, &[words, "1 failed (1 cannot be used)"]);
    }
    let told = said("a.imp", &race("E-IMP-KERNEL"), &["test", "--engines", "imp"]);
    holds(&told, &["1 case, 0 failed"]);
    let told = said("a.fun", "-- rejects: syntax\nin (\n", &["test", "--engines", "fun"]);
    holds(&told, &["0 failed"]);
}

/// The types of a device program are explained down to statements and binders. Each variable has a name of its own.
#[test]
fn types_of_device_programs_have_a_derivation() {
    let program = "workgroup n : atomic[u32];
fn half(x : i32) -> i32 {
  return x / 2;
}
kernel k(xs : block[i32]) group 4 {
  if global_id < length(xs) {
    let x : i32 = xs.[global_id];
    let y = call half(x);
    xs.[global_id] = y;
  }
}
param xs : [4];
launch k(xs) for 4;
let first = read xs.[0];
result xs : [4] at 0 strides (1);
";
    let told = said("a.dev", program, &["explain", "--types"]);
    let lines: Vec<&str> = told.lines().collect();
    let wanted = [
        "D-T-VARIABLE  workgroup n : atomic[u32]",
        "└─ D-T-BIND  n : atomic[u32]",
        "D-T-FUNCTION  fn half",
        "└─ D-T-BIND  x : i32",
        "D-T-KERNEL  kernel k",
        "├─ D-T-BIND  xs : block[i32]",
        "└─ D-T-IF  if global_id < length(xs) {",
        "   ├─ D-T-LET  let x_1 : i32 = xs.[global_id];",
        "   │  └─ D-T-BIND  x_1 : i32",
        "   ├─ D-T-CALL  let y = call half(x_1);",
        "   │  └─ D-T-BIND  y : i32",
        "   └─ D-T-STORE  xs.[global_id] = y;",
        "D-T-PARAM  param xs_1 : [4];",
        "└─ D-T-BIND  xs_1 : block[i32]",
        "D-T-LAUNCH  launch k(xs_1) for 4;",
        "D-T-READ  let first = read xs_1.[0];",
        "└─ D-T-BIND  first : i32",
        "D-T-RESULT  result xs_1 : [4] at 0 strides (1);",
    ];
    assert_eq!(lines, wanted, "{told}");
    let told = said("a.dev", "-- Nothing.\n", &["explain", "--types"]);
    holds(&told, &["a.dev: well typed, by no rule"]);
}

/// Where there is nothing to show, that is said, once.
#[test]
fn nothing_is_told_as_that() {
    let told = said("a.fun", "", &["test", "--engines", "fun"]);
    assert!(told.contains("a.fun: is empty") && told.matches("a.fun").count() == 1, "{told}");
    let told = said("a.fun", "-- result:\nin (1)\n", &["test", "--engines", "fun"]);
    holds(&told, &["1 instead of no result"]);
    let told = said("a.fun", "in (", &["rules"]);
    assert!(told.contains("it is refused") && !told.contains("never in"), "{told}");
}

const FRESH: &str = "param (n : int)
var a : mem;
a <- alloc n;
";

const BLOCKS: &str = "kernel k(ys : block[i32], zs : block[i32]) group 2 {
  let y : i32 = ys.[global_id];
  zs.[global_id] = y;
}
let ys = alloc i32(4);
let zs = alloc i32(4);
";

/// A program that reads memory which nothing wrote is right, since that is zero. It is told all the same.
#[test]
fn reads_of_memory_that_nothing_wrote_are_notes() {
    let imp = |rest: &str| ("p.imp", format!("{FRESH}{rest}"));
    let device = |rest: &str| ("p.dev", format!("{BLOCKS}{rest}"));
    let results = "results (a : [n] @ 0 + {(n : 1)})";
    let cell = "kernel i <= n do var x : int; x <- a[i - 1]; a[i - 1] <- x + 1 done\n";
    let some = "kernel i <= n - 1 do a[i] <- i done\n";
    let all = "kernel i <= n do a[i - 1] <- i done\n";
    let launched = "launch k(ys, zs) for 4;\nresult zs : [4] at 0 strides (1);\n";
    let read = "let y = read ys.[1];\nresult y;\n";
    let cases = [
        (imp(&format!("{cell}{results}")), Some(("4:31", "thread 1 reads offset 0 of a"))),
        (imp(&format!("{some}{results}")), Some(("", "the program reads offset 0 of a"))),
        (imp(&format!("{all}{results}")), None),
        (device(launched), Some(("2:3", "thread 1 reads offset 0 of ys"))),
        (device(read), Some(("7:1", "the program reads offset 1 of ys"))),
        (device("write ys.[1] = 5;\nlet y = read ys.[1];\nresult y;\n"), None),
    ];
    for ((name, text), note) in cases {
        let input: &[&str] = if name == "p.imp" { &["--input", "3"] } else { &[] };
        let check = [&["check"], input].concat();
        let told = said(name, &text, &check);
        let json = said(name, &text, &[&check[..], &["--json"]].concat());
        let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
        let (end, unwritten) = (&json["memory"][0]["end"], &json["memory"][0]["unwritten"]);
        assert_eq!(end, "value", "{json}");
        match note {
            None => assert!(!told.contains("note") && unwritten.is_null(), "{told}{json}"),
            Some((place, note)) => {
                holds(&told, &["note: ", note, "which nothing wrote, so it is zero"]);
                let (block, offset) = (&unwritten["block"], &unwritten["offset"]);
                let read = format!("offset {offset} of {}", block.as_str().expect("a name"));
                assert!(note.ends_with(&read), "{json}");
                if !place.is_empty() {
                    holds(&told, &[&format!("note: {place}: {note}")]);
                    assert_eq!(unwritten["place"], place, "{json}");
                }
            }
        }
    }
}

/// A barrier is refused with what makes control flow around it differ among invocations.
#[test]
fn a_barrier_that_some_reach_shows_where_they_part() {
    let kernel = |body: &str| {
        format!(
            "kernel k(n : i32) group 4 {{
               var left : i32 = n;
               {body}
               loop () while left > 0 {{
                 barrier workgroup;
                 left = left - 1;
               }} next ();
             }}
             param n : i32;
             launch k(n) for 4;"
        )
    };
    let bad = |body: &str| said("a.dev", &kernel(body), &["check"]);
    let message = "a barrier that only some invocations of a group may reach";
    let stored = bad("left = i32(local_id);");
    let label = "`left` gets a value here that may differ among invocations";
    holds(&stored, &[message, "D-T-UNIFORM-VARIABLE", "value", "`left` may differ", label]);
    let parted = bad("if local_id > u32 1 { left = 2; }");
    holds(
        &parted,
        &[message, "control", "only some invocations may come to a store to `left` in here"],
    );
    let pointed = bad("let p : ptr[function, i32] = &left;");
    holds(&pointed, &[message, "address", "here is a pointer into `left`"]);
    let parted = bad("if local_id > u32 1 { barrier workgroup; }");
    holds(&parted, &[message, "D-T-BARRIER", "invocations of the group may part here"]);
}
