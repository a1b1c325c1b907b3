//! `lockstep check` says of each merge of a program of λG what came from which side.

use crate::json::Page;
use std::fs;
use std::process::Command;
use tempfile::TempDir;

/// What `check` prints of a program.
fn checked(text: &str) -> String {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("a.lg");
    fs::write(&file, text).expect("the folder can be written");
    let output = Command::new(env!("CARGO_BIN_EXE_lockstep")).arg("check").arg(&file).output();
    let output = output.expect("lockstep starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it is text")
}

/// The device makes three ints and a vector of three words behind what was there, a later branch of the host four and four
/// more words behind all that was reserved for the device.
#[test]
fn a_merge_has_a_part_of_each_side() {
    let program = "letregion q of 16 in
        let one = 7 at q in
        let both = (on iota (3 at q) at q at q) || iota (4 at q) at q at q in true";
    let said = "merge of q behind the `on` at 3:21: 1 word of both sides, 7 of the device from word 1 on, \
        9 of the host from word 16 on";
    let told = checked(program);
    assert!(told.contains(said), "`{said}` is not in:\n{told}");
}

/// What one `on` makes is there when the next one begins.
#[test]
fn merges_are_told_in_order_and_the_first_ones_only() {
    let mut program = String::new();
    for number in 0..22 {
        program += &format!("let x{number} = on 1 at r0 at r0 in\n");
    }
    let told = checked(&(program + "true"));
    for number in [0, 1, 19] {
        let line = number + 1;
        let both = if number == 1 { "1 word".to_owned() } else { format!("{number} words") };
        let said = format!(
            "    merge of r0 behind the `on` at {line}:{}: {both} of both sides, 1 of the device from word {number} on, \
             none of the host\n",
            if number < 10 { 10 } else { 11 }
        );
        assert!(told.contains(&said), "`{said}` is not in:\n{told}");
    }
    assert!(told.contains("    2 more merges: --json tells all\n"), "{told}");
    assert_eq!(told.matches("merge of").count(), 20);
}

#[test]
fn merges_are_data() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/lambda_g/pass/both_sides_grow.lg");
    let told = Page::read().has("check", &["check", file]);
    let [merge] = &told["memory"][0]["merges"].as_array().expect("a list")[..] else {
        panic!("{told}")
    };
    assert_eq!((&merge["region"], &merge["place"]), (&"q".into(), &"4:13".into()));
    let words = ["both_words", "device_from", "device_words", "host_from", "host_words"];
    let words = words.map(|key| merge[key].as_u64().expect("a number"));
    assert_eq!(words, [0, 0, 7, 8, 9]);
}
