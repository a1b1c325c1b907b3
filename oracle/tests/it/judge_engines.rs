//! `lockstep judge --engines`: shaders on adapters, on mock adapters that break, and on none.
#![allow(clippy::print_stderr)] // A test must say what it did not compare.

use super::json::Page;
use serde_json::Value;
use std::fs;
use std::process::Command;
use tempfile::TempDir;

const CLEAN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/wgsl/clean");

const MORE: &str = "// judge: --buffer a=iota:4
override step: u32 = 1u;
@group(1) @binding(3) var<storage, read_write> a: array<u32>;
@compute @workgroup_size(4)
fn more(@builtin(local_invocation_index) i: u32) { a[i] = a[i] + step; }
";

const UNEVEN: &str = "// judge: --buffer a=u32[2,2,2,2]
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
  for (var k = 0u; k < a[i]; k++) {
    workgroupBarrier();
  }
}
";

fn lockstep(args: &[&str], without_drivers: bool) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    if without_drivers {
        command.env("VK_DRIVER_FILES", "/nonexistent").env("VK_ICD_FILENAMES", "/nonexistent");
        command.env("VK_ADD_DRIVER_FILES", "/nonexistent");
    }
    let output = command.args(args).env("LC_ALL", "C.UTF-8").output().expect("lockstep starts");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned())
}

fn file(folder: &TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    fs::write(&path, text).expect("the folder can be written");
    path.to_str().expect("a plain name").to_owned()
}

/// The adapters at hand, as `--engines` names them.
fn at_hand() -> Vec<String> {
    let (_, told) = lockstep(&["engines", "--json"], false);
    let objects = told.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let named = objects.filter(|object| object["adapter"].is_object());
    named.filter_map(|object| Some(object["engine"].as_str()?.to_owned())).collect()
}

#[test]
fn an_adapter_that_agrees_is_told_from_one_that_is_wrong_or_breaks() {
    let folder = TempDir::new().expect("a folder");
    let path = file(&folder, "more.wgsl", MORE);
    for (engine, wanted, words) in [
        ("wgpu:evaluator", 0, "wgpu:evaluator agrees"),
        (
            "wgpu:evaluator-wrong",
            1,
            "finding engine: `a[0]` is 2 on wgpu:evaluator-wrong, and 1 in the runs",
        ),
        ("wgpu:evaluator-abort", 1, "finding engine: wgpu:evaluator-abort crashes"),
        ("wgpu:evaluator-lose", 1, "loses its device: lost on purpose"),
        ("spirv", 2, "`spirv` is no adapter that shaders are launched on"),
        ("wgpu:nothing-like-it", 2, "here"),
    ] {
        let (status, told) = lockstep(&["judge", &path, "--engines", engine], false);
        assert!(status == wanted && told.contains(words), "{engine}: {status} {told}");
    }
    // Of a race nothing is asked.
    let wrong = MORE.replace("a[i] + step", "a[3u - i] + step");
    let path = file(&folder, "race.wgsl", &wrong);
    let (status, told) = lockstep(&["judge", &path, "--engines", "wgpu:evaluator-abort"], false);
    assert!(status == 1 && told.contains("was not asked: the shader has something of race"));
    let args = ["judge", &path, "--engines", "wgpu:evaluator"];
    let object = Page::read().has("judged_shader", &args);
    assert_eq!(object["engines"][0]["heard"], "not-asked", "{object}");
}

#[test]
fn without_an_adapter_there_is_no_answer() {
    let folder = TempDir::new().expect("a folder");
    let path = file(&folder, "more.wgsl", MORE);
    let (status, told) = lockstep(&["judge", &path, "--engines", "wgpu"], true);
    assert!(status == 2 && told.contains("there is no adapter here"), "{status} {told}");
}

/// Every shader of the corpus that is clean leaves on every adapter what it leaves in the executor.
#[test]
fn clean_shaders_of_the_corpus_leave_the_same_on_adapters() {
    let engines = at_hand();
    if engines.is_empty() {
        eprintln!("not compared, no adapter is here: the clean shaders of the corpus");
    }
    let all = [&["wgpu:evaluator".to_owned()], &engines[..]].concat();
    let args = ["judge", CLEAN, "--orders", "2", "--json", "--engines", &all.join(",")];
    let (_, told) = lockstep(&args, false);
    let objects = told.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut agree = 0;
    for object in objects {
        for launched in object["engines"].as_array().into_iter().flatten() {
            let engine = launched["engine"].as_str().unwrap_or_default();
            match launched["heard"].as_str() {
                Some("agrees") => agree += 1,
                Some("not-asked") => {}
                // An adapter need not have floats of 16 bits, nor subgroups.
                Some("no-answer") if engine != "wgpu:evaluator" => {
                    let why = launched["why"].as_str().unwrap_or_default();
                    assert!(why.contains("f16") || why.contains("ubgroup"), "{object}");
                }
                _ => panic!("{object}"),
            }
        }
    }
    assert!(agree >= 60 * all.len(), "{agree} on {all:?}");
}

/// Shaders that Tint alone refuses say so: without it they are clean, and it is told that it was not asked.
#[test]
fn shaders_of_the_corpus_that_are_not_uniform_are_refused_by_tint() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/wgsl/uniformity");
    let (status, told) = lockstep(&["judge", folder], true);
    assert_eq!(status, 0, "{told}");
    let shaders = fs::read_dir(folder).expect("there is a folder").count();
    assert_eq!(told.matches("not asked whether it has uniformity").count(), shaders, "{told}");
    if !at_hand().contains(&"dawn".to_owned()) {
        eprintln!("not compared, Dawn is not here: shaders of the corpus that are not uniform");
        return;
    }
    let (status, told) = lockstep(&["judge", folder, "--engines", "dawn"], false);
    assert_eq!(status, 0, "{told}");
    assert_eq!(told.matches("uniformity, as it says").count(), shaders, "{told}");
}

#[test]
fn tint_is_asked_for_uniform_control_flow() {
    if !at_hand().contains(&"dawn".to_owned()) {
        eprintln!("not compared, Dawn is not here: uniform control flow");
        return;
    }
    let folder = TempDir::new().expect("a folder");
    let path = file(&folder, "uneven.wgsl", UNEVEN);
    let (status, told) = lockstep(&["judge", &path, "--engines", "dawn"], false);
    assert!(status == 2 && told.contains("warning uniformity: Tint refuses"), "{status} {told}");
    assert!(told.contains("uneven.wgsl:6"), "{told}");
}
