//! What the README shows is what is printed, to the letter.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// The programs that the README runs without showing them whole.
const SHIFT: &str = "param (n : int) (xs : [n])
let (ys : [n]) = kernel i <= n do
  let (next : int) = xs[i + 1]
  in (next - xs[i])
in (ys)
";
const RACE: &str = "param (n : int) (xs_mem : mem) (xs : [n] @ xs_mem -> R(n))
let (ys : [n] @ xs_mem -> R(n)) = kernel i <= n do
  let (x : int) = xs[n + 1 - i]
  in (x)
in (xs_mem, ys)
";
const CLAIM: &str =
    "kernel claim(xs : block[i32], ys : block[i32], n : block[atomic[u32]]) group 4 {
  let place = atomic add(n.[0], u32 1);
  ys.[place] = xs.[global_id];
}
param xs : [4];
let ys = alloc i32(4);
let n = alloc atomic[u32](1);
launch claim(xs, ys, n) for 4;
result ys : [4] at 0 strides (1);
";

const REVERSE: &str = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> tile: array<u32, 64>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
  tile[i] = data[i];
  data[i] = tile[63u - i];
}
";

/// The fenced blocks, each with the line before it.
fn blocks() -> Vec<(String, String)> {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = fs::read_to_string(path).expect("there is a README");
    let mut blocks = Vec::new();
    let mut before = "";
    let mut lines = readme.lines();
    while let Some(line) = lines.next() {
        if line == "```" {
            let inside = lines.by_ref().take_while(|line| *line != "```");
            blocks.push((before.to_owned(), inside.map(|line| format!("{line}\n")).collect()));
        }
        before = line;
    }
    blocks
}

fn lockstep(args: &[String], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command
        .args(args)
        .current_dir(folder)
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("lockstep starts")
}

/// The words of a command line: quoted ones are one word.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    let words = parts.flat_map(|(number, part)| match number % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

#[test]
fn examples_print_what_the_readme_shows() {
    let blocks = blocks();
    let folder = TempDir::new().expect("a folder");
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).expect("the folder can be written");
    };
    let reverse = blocks.iter().find(|(before, _)| before == "`reverse.fun`:");
    write("reverse.fun", &reverse.expect("the README has the program").1);
    write("shift.fun", SHIFT);
    write("race.funmem", RACE);
    write("claim.dev", CLAIM);
    write("reverse.wgsl", REVERSE);
    let mut run = 0;
    for (_, block) in &blocks {
        let Some(shown) = block.strip_prefix("$ lockstep ") else { continue };
        let (line, printed) = shown.split_once('\n').expect("a block ends its lines");
        let output = lockstep(&words(line), folder.path());
        // A terminal shows both, results first.
        let shown = [output.stdout, output.stderr].concat();
        assert_eq!(String::from_utf8_lossy(&shown), printed, "{line}");
        run += 1;
    }
    assert_eq!(run, 5, "a value, stuck, a race, one that depends on an order, a shader");
}

/// All engines that the README names print what the first one does.
#[test]
fn other_engines_print_the_same() {
    let blocks = blocks();
    let folder = TempDir::new().expect("a folder");
    let reverse = blocks.iter().find(|(before, _)| before == "`reverse.fun`:");
    let reverse = &reverse.expect("the README has the program").1;
    fs::write(folder.path().join("reverse.fun"), reverse).expect("the folder can be written");
    for engine in ["imp:reversed", "device"] {
        let line = format!("run reverse.fun --input \"3, [1, 2, 3]\" --engine {engine}");
        let output = lockstep(&words(&line), folder.path());
        assert_eq!(String::from_utf8_lossy(&output.stdout), "[6, 4, 2]\n", "{engine}");
    }
}

#[test]
fn the_finding_is_the_one_that_the_readme_shows() {
    let blocks = blocks();
    let shown = blocks.iter().find(|(_, block)| block.starts_with("-- Lockstep found this."));
    let shown = &shown.expect("the README has a finding").1;
    let folder = TempDir::new().expect("a folder");
    let output = lockstep(&words("fuzz --fault X1 --seed 1 --jobs 1"), folder.path());
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{printed}");
    let at = printed.find("-- Lockstep found this.").expect("a finding is printed");
    assert_eq!(&printed[at..], shown);
}
