//! Messages about programs of λG, their inputs and rules.

use std::fs;
use std::process::Command;
use tempfile::TempDir;

/// The status of a command on a program, its output, and its messages.
fn said(text: &str, args: &[&str]) -> (i32, String, String) {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("a.lg");
    fs::write(&file, text).expect("the folder can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    let output = command.arg(args[0]).arg(&file).args(&args[1..]).output();
    let output = output.expect("lockstep starts");
    let [out, err] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (output.status.code().expect("it ends"), out, err)
}

#[track_caller]
fn refused(text: &str, args: &[&str], parts: &[&str]) {
    let (status, out, err) = said(text, args);
    assert_eq!(status, 2, "{out}{err}");
    for part in parts {
        assert!(err.contains(part), "`{part}` is not in:\n{err}");
    }
}

#[test]
fn a_parameter_has_one_name() {
    let twice = "param a : (int, r0); param a : bool; a";
    refused(
        twice,
        &["check"],
        &["there is a parameter `a` already", "said again", "the first one"],
    );
}

#[test]
fn an_input_that_does_not_fit_is_told_with_the_type_as_written() {
    let rows = "param b : bool; param v : (Vec (Vec (int, r0), r0), r0); length v at r0";
    let parts = [
        "parameter `v` is of type `(Vec (Vec (int, r0), r0), r0)`, and its input is an int",
        "a.lg:1:23",
        "`{[7, 7], [7, 7]}`",
    ];
    refused(rows, &["run", "--input", "true, 3"], &parts);
    refused(rows, &["run", "--input", "true"], &["1 input value for 2 parameters"]);
    let (status, out, err) = said(rows, &["run", "--input", "true, {[7, 7], [7, 7]}"]);
    assert_eq!((status, out.trim()), (0, "2"), "{err}");
    let pair = "param p : (int * (bool, r0), r0); 1 at r0";
    assert_eq!(said(pair, &["check"]).0, 2);
    let pair = "param p : ((int, r0) * bool, r0); fst p";
    let parts = ["is of type `((int, r0) * bool, r0)`, and its input is a tuple", "`(7, true)`"];
    refused(pair, &["run", "--input", "(true, 1)"], &parts);
}

#[test]
fn the_rules_of_one_room_are_asked_for() {
    let (status, out, err) = said("1 at r0", &["rules", "--room", "lambda_g"]);
    assert_eq!(status, 1, "{err}");
    assert!(out.contains("never in lambda_g: E-ON"), "{out}");
    assert!(
        out.lines().all(|line| line.starts_with("never in lambda_g") || line.starts_with("1 file"))
    );
    let (_, all, _) = said("1 at r0", &["rules"]);
    assert!(all.lines().count() > 2 * out.lines().count());
    refused("1 at r0", &["rules", "--room", "lambda"], &["lambda_g"]);
}

#[test]
fn an_index_counts_from_0() {
    let (status, _, err) = said("[1 at r0, 2 at r0] at r0 ! 2 at r0", &["run"]);
    assert_eq!(status, 1);
    assert!(err.contains("offset 2, counted from 0, is not one of 2 elements"), "{err}");
}

#[test]
fn a_full_region_of_a_way_is_told() {
    let text = "letregion q of 8 in
        let v = parmap (fn (n : (int, r0)) ! {r0, q} => n * n at q at q) (iota (50 at r0) at r0) at q in (v ! 3 at r0) + 1 at r0 at r0";
    let (status, out, err) = said(text, &["place", "--all"]);
    assert_eq!(status, 0, "{err}");
    for part in ["it is `q`, at 2:", "it fits with `letregion q of "] {
        assert!(out.contains(part), "`{part}` is not in:\n{out}");
    }
}
