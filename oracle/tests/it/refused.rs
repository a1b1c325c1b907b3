//! What `test` says of files that cannot be used, where what was asked for is out of bounds, and what a
//! terminal is shown of it all.

use std::fs;
use std::process::{Command, Output};
use tempfile::TempDir;

/// Status, standard output, and standard error.
fn run(args: &[&str]) -> (i32, String, String) {
    let command = Command::new(env!("CARGO_BIN_EXE_lockstep")).args(args).output();
    let Output { status, stdout, stderr } = command.expect("lockstep starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (status.code().unwrap_or(-1), text(stdout), text(stderr))
}

/// A folder of programs, and their paths.
fn programs(list: &[(&str, &[u8])]) -> (TempDir, Vec<String>) {
    let folder = TempDir::new().expect("a folder");
    let written = list.iter().map(|(name, text)| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("the folder can be written");
        path.to_str().expect("the name is plain").to_owned()
    });
    let written = written.collect();
    (folder, written)
}

const WITHOUT: [&str; 2] = ["--engines", "fun,funmem,imp,device"];

/// Programs within the limits of the parsers, of which some stage is printed beyond them.
#[test]
fn what_a_pass_makes_too_large_to_be_read_back_is_no_finding() {
    let kernels = |n: usize| {
        let (open, close) = ("kernel i <= 1 do ".repeat(n), "done ".repeat(n));
        format!("var m : mem; m <- alloc 1; {open} m[0] <- 1 {close}")
    };
    let name = "x".repeat(3 << 19);
    let long = format!("-- result: 3\nlet ({name} : int) = 1 + 2\nin ({name})\n");
    let deep = kernels(254);
    let (_folder, paths) =
        programs(&[("deep.imp", deep.as_bytes()), ("long.fun", long.as_bytes())]);
    for (path, limit) in paths.iter().zip(["nesting", "length"]) {
        let (status, out, _) = run(&[&["test", path][..], &WITHOUT].concat());
        assert_eq!(status, 0, "{}", out.chars().take(500).collect::<String>());
        let told = format!("printed, it is beyond the parser's limit of {limit}");
        assert!(out.contains(&told), "{}", out.chars().take(500).collect::<String>());
    }
}
