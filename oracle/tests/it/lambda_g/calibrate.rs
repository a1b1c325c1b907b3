//! `lockstep calibrate`: without an adapter it says so, and what it measures on one is a machine.

use crate::json::Page;
use serde_json::Value;
use std::process::{Command, Output};
use tempfile::TempDir;

fn lockstep(args: &[&str], drivers: bool) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.args(args);
    if !drivers {
        command.env("VK_DRIVER_FILES", "/nonexistent").env("VK_ICD_FILENAMES", "/nonexistent");
    }
    command.output().expect("lockstep starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn without_an_adapter_nothing_is_measured() {
    for (args, told) in [
        (&["calibrate"][..], "there is no adapter to measure"),
        (&["calibrate", "--adapter", "nowhere"], "no adapter is called `nowhere`"),
    ] {
        let output = lockstep(args, false);
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{err}");
        assert!(err.contains(told) && output.stdout.is_empty(), "{err}");
    }
}

#[test]
fn only_whole_programs_with_cost_graphs_are_measured() {
    let section_7 = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/lambda_g/pass/section_7.lg");
    for (args, told) in [
        (&["--measure", "nowhere"][..], "--measure has nothing to measure"),
        (&["--measure", "nowhere", section_7], "no adapter is called `nowhere`"),
        (&["--measure", "nowhere", section_7, "--pool", "sum"], "cannot be used with"),
    ] {
        let output = lockstep(&[&["bench", "cost"][..], args].concat(), false);
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{err}");
        assert!(err.contains(told) && output.stdout.is_empty(), "{err}");
    }
}

/// The file is a machine by which programs are priced, and every constant has a residual.
#[test]
#[allow(clippy::print_stdout)]
fn what_is_measured_is_a_machine() {
    let adapters = compiler::run::adapters();
    let Some(adapter) = adapters.iter().find(|of| of.id == "lavapipe").or(adapters.first()) else {
        println!("no adapter is at hand: nothing was calibrated");
        return;
    };
    let folder = TempDir::new().expect("a folder");
    let machine = folder.path().join("machine.json").display().to_string();
    let output =
        lockstep(&["calibrate", "--adapter", &adapter.id, "--out", &machine, "--json"], true);
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{err}");
    let how = match adapter.id.as_str() {
        "lavapipe" => "launches are timed by timestamps of the device",
        _ => "timestamps",
    };
    assert!(err.contains(how), "{err}");
    let page = Page::read();
    let (object, told) = page.told(&["calibrate"], &text(&output.stdout)).remove(0);
    assert_eq!(object, "calibration");
    let constants = told["constants"].as_array().expect("a list");
    assert_eq!(constants.len(), 13);
    for constant in constants {
        let number = |key: &str| constant[key].as_f64().expect("a number");
        assert!(number("value") >= 0.0 && number("residual") >= 0.0, "{constant}");
        assert!(number("times") >= 3.0, "{constant}");
    }
    assert!(told["machine"]["unit"].as_str().is_some_and(|unit| unit.ends_with(" ns")), "{told}");
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/lambda_g/pass/section_7.lg");
    for command in ["cost", "place"] {
        let output = lockstep(&[command, program, "--mode", "cal", "--machine", &machine], true);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    let host = program.replace("section_7", "section_7_on_the_host");
    let fun = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/fun/pass/sum.fun");
    let bench = ["bench", "cost", "--json", "--measure", &adapter.id, "--machine", &machine];
    let output = lockstep(&[&bench[..], &["--size", "16", program, &host]].concat(), true);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{err}");
    let told = page.told(&["bench"], &out);
    let objects: Vec<&str> = told.iter().map(|(object, _)| object.as_str()).collect();
    assert_eq!(objects, ["ran", "ran", "judged", "judged", "judged"], "{out}");
    let lines: Vec<Value> = told.into_iter().map(|(_, line)| line).collect();
    assert_eq!(lines[0]["input"][0], "[16]", "{out}");
    assert!(lines[0]["ms"].as_f64() > Some(0.0), "{out}");
    assert_eq!((&lines[4]["pool"], &lines[4]["mode"]), (&"lambda_g".into(), &"cal".into()));
    let output = lockstep(&[&bench[..], &[fun]].concat(), true);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("whole runs are priced of lambda_g only"));
}
