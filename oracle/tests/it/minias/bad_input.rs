//! What cannot be used ends with the status 2 and a message that says what, where, and what would be taken.

use std::process::Command;
use tempfile::TempDir;

/// The text of a program, in a file of this extension, and what a subcommand says of it.
fn says(extension: &str, text: &str, args: &[&str], wanted: &[&str]) {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join(format!("program.{extension}"));
    std::fs::write(&path, text).expect("the folder can be written");
    let (subcommand, options) = args.split_first().expect("a subcommand is first");
    let ran = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .arg(subcommand)
        .arg(&path)
        .args(options)
        .output()
        .expect("lockstep starts");
    let told = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(2), "{text}\n{told}");
    // Lines are broken where the terminal ends.
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in wanted {
        assert!(told.contains(part), "{part:?} is missing: {told}");
    }
}

const STORE: &str = "kernel void k(global int *g) { *g = 1; }";

#[test]
fn two_places_and_both_spaces_are_told() {
    let text = "kernel void k(global int *g, local int *l) { int *t; if (*g) { t = l; } else { t = g; } *t = 1; }";
    let wanted = [
        "`t` gets global here and local there; `single` allows one",
        "the modes `infer` and `generic` accept the program",
    ];
    says("mas", &format!("-- mode: single\n{text}"), &["check"], &wanted);
    says("mas", text, &["check", "--set", "mode=single"], &wanted);
    let text =
        "kernel void k(global_ptr<int> g, local_ptr<int> l) { int *i = g; int *j = l; i = j; }";
    says("sycl", text, &["check"], &["local", "global"]);
}

#[test]
fn what_the_paper_writes_otherwise_is_told() {
    let text = "kernel void k(global * int g) { *g = 1; }";
    says("mas", text, &["check"], &["a star stands before `int`", "it is `global int *`"]);
    let text = "kernel void k(int *g) { *g = 1; }";
    let wanted = ["a kernel takes ints, and int pointers to global", "name the space"];
    says("mas", text, &["check"], &wanted);
    // MiniSYCL has words of its own.
    says("sycl", text, &["check"], &["name the space, as in `global_ptr<int> p`"]);
}

#[test]
fn spaces_that_do_not_exist_are_told() {
    for space in ["glob", "__global"] {
        let text = format!("kernel void k({space} int *g) {{ *g = 1; }}");
        let missing = format!("there is no space `{space}`");
        let wanted = [&*missing, "the spaces are global, local, private and constant"];
        says("mas", &text, &["check"], &wanted);
    }
}

#[test]
fn launches_that_do_not_fit_are_told() {
    let head = |launch: &str| format!("-- launch: {launch}\n-- input: [1]\n{STORE}");
    for launch in ["k 7 2", "k 4", "k 4 0", "k -4 2", "k 99999999999 1"] {
        says("mas", &head(launch), &["check"], &["`launch` cannot be"]);
    }
    for subcommand in ["check", "run", "compile"] {
        says("mas", &head("j 4 2"), &[subcommand], &["there is no kernel `j` to launch"]);
    }
    let wanted = ["its groups are of 2048 items, and at most 1024 are run"];
    says("mas", &head("k 2048 2048"), &["compile"], &wanted);
}

#[test]
fn sizes_of_local_memory_that_do_not_fit_are_told() {
    let text =
        "-- launch: k 4 2\nkernel void k(global int *g, local int *l) { g[get_global_id(0)] = 1; }";
    let run = |size: &str, wanted: &[&str]| {
        says("mas", text, &["run", "--input", &format!("[1, 2, 3, 4], {size}")], wanted);
    };
    run("-3", &["a local pointer to -3 elements"]);
    run("2000000000", &["beyond the memory budget"]);
    let wanted =
        ["parameter `l` is a local pointer, and not an array", "the number of its elements"];
    run("[1]", &wanted);
}

#[test]
fn options_that_do_not_exist_are_told() {
    says("mas", STORE, &["check", "--set", "mode=opencl"], &["mode", "infer", "single", "generic"]);
    let wanted = ["no option `modus`", "(else infer), --set launch=VALUE, which is a kernel"];
    says("mas", STORE, &["check", "--set", "modus=infer"], &wanted);
    let text = "kernel void k(global_ptr<int> g) { *g = 1; }";
    says("sycl", text, &["check", "--set", "decltype=both"], &["decltype", "written", "deduced"]);
    says("sycl", text, &["check", "--set", "decltypes=written"], &["decltypes"]);
}

#[test]
fn depth_is_bounded() {
    let stars = format!("void f(int {} p) {{ }}", "*".repeat(300));
    says("mas", &stars, &["check"], &["a type has at most 256 stars"]);
    let nested = |open: &str| {
        format!(
            "int f(int x) {{ return x; }} kernel void k(global int *g) {{ *g = {}1{}; }}",
            open.repeat(3_000),
            ")".repeat(3_000)
        )
    };
    for (open, extension) in [("(", "mas"), ("f(", "mas"), ("(", "sycl"), ("f(", "sycl")] {
        says(extension, &nested(open), &["check"], &["nested deeper than 256"]);
    }
    let calls: String =
        (1..1_200).map(|n| format!("int f{n}(int *p) {{ return f{}(p); }}\n", n - 1)).collect();
    let deep = format!(
        "-- input: [1]\nint f0(int *p) {{ return *p; }}\n{calls}kernel void k(global int *g) {{ *g = f1199(g); }}"
    );
    says("mas", &deep, &["compile"], &["it needs 1201 functions", "at most 1000 are made"]);
}

/// One clone for the rows of each call: seven pointers of three spaces make 2,187 of them.
#[test]
fn a_call_graph_with_too_many_clones_is_refused_with_their_number() {
    let spaces = ["g", "l", "p"];
    let calls: String = (0..3_usize.pow(7))
        .map(|n| {
            let args = (0..7).map(|at| spaces[n / 3_usize.pow(at) % 3]);
            format!("x = x + f({});\n", args.collect::<Vec<_>>().join(", "))
        })
        .collect();
    let text = format!(
        "-- input: [1], 1\nint f(int *a, int *b, int *c, int *d, int *e, int *h, int *i) {{ return *a + *b + *c + *d + *e + *h + *i; }}\n\
         kernel void k(global int *g, local int *l) {{ int x = 0; int p[1] = {{1}}; {calls} g[0] = x; }}"
    );
    says("mas", &text, &["compile"], &["it needs 2188 functions", "at most 1000 are made"]);
}

#[test]
fn barriers_where_items_part_are_refused_with_both_places() {
    let text = "-- launch: k 4 2\nkernel void k(global int *g) { if (get_local_id(0)) { barrier(local); } *g = 1; }";
    let wanted =
        ["barrier(local); behind if (get_local_id(0)) …", "the items of a group may part there"];
    says("mas", text, &["compile"], &wanted);
}

#[test]
fn facts_that_say_nothing_are_told() {
    let wanted = ["program.facts:1:1: the fact `A1` does not say what its source says"];
    says("facts", "A1 F infer: mine\n*g = 1;\n", &["test"], &wanted);
    let text = "A1 F infer: mine\n*g = 1;\nsays accept\n\n";
    let wanted = ["program.facts:5:1: there is a fact `A1` already"];
    says("facts", &text.repeat(2), &["test"], &wanted);
}

/// The table is of MiniSYCL.
#[test]
fn a_table_of_another_language_is_refused() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("program.mas");
    std::fs::write(&path, STORE).expect("the folder can be written");
    let mut lockstep = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    let ran = lockstep.args(["check", "--sycl-table"]).arg(&path).output();
    let ran = ran.expect("lockstep starts");
    let told = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(2), "{told}");
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("is a program of minias, and the table is of MiniSYCL"), "{told}");
}
