//! `lockstep judge` on the shaders of the corpus, on shaders that cannot be judged, and its library in a unit test.

use super::json::Page;
use oracle::cli::mutated::{try_bytes, try_text};
use oracle::judge::Class;
use reference::kit::dice::Dice;
use reference::spirv::assemble::assemble;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

pub(super) const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/wgsl");

pub(super) fn judge(args: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    let output = command.arg("judge").args(args).env("LC_ALL", "C.UTF-8").output();
    let output = output.expect("lockstep starts");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned())
}

/// The folder is the verdict, and the file says it too.
#[test]
fn shaders_of_the_corpus_have_their_verdicts() {
    let mut shaders = 0;
    for folder in fs::read_dir(CORPUS).expect("there is a corpus") {
        let folder = folder.expect("it can be read").path();
        let class = folder.file_name().and_then(|name| name.to_str()).expect("a plain name");
        for file in fs::read_dir(&folder).expect("a folder of shaders") {
            let text = fs::read_to_string(file.expect("it can be read").path()).expect("a text");
            assert!(text.contains(&format!("verdict: {class}")), "{class}: {text}");
            shaders += 1;
        }
    }
    assert!(shaders >= 80, "{shaders} shaders");
    // What an adapter does wrong is shown with adapters that are.
    for class in Class::ALL.iter().filter(|class| **class != Class::Engine) {
        let folder = fs::read_dir(Path::new(CORPUS).join(class.name()));
        assert!(folder.is_ok_and(|folder| folder.count() >= 2), "{}", class.name());
    }
    let (status, told) = judge(&[CORPUS]);
    assert_eq!(status, 0, "{told}");
}

pub(super) const RACE: &str = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> tile: array<vec2u, 64>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
  tile[i].x = data[i];
  data[i] = tile[63u - i].x;
}
";

pub(super) fn file(folder: &TempDir, name: &str, text: impl AsRef<[u8]>) -> String {
    let path = folder.path().join(name);
    fs::write(&path, text).expect("the folder can be written");
    path.to_str().expect("a plain name").to_owned()
}

/// Both accesses, the element, the barrier that would help, and how to see it again.
#[test]
fn a_race_is_shown_with_both_accesses() {
    let folder = TempDir::new().expect("a folder");
    let path = file(&folder, "race.wgsl", RACE);
    let (status, told) = judge(&[&path, "--buffer", "data=iota:64"]);
    assert_eq!(status, 1, "{told}");
    for words in
        ["race.wgsl:4", "tile[", "].x`", "writes", "reads", "workgroupBarrier()", "in order"]
    {
        assert!(told.contains(words), "no `{words}`: {told}");
    }
    let page = Page::read();
    let object = page.has("judged_shader", &["judge", &path, "--buffer", "data=iota:64"]);
    assert_eq!(object["verdicts"][0]["class"], "race", "{object}");
    assert_eq!(object["verdicts"][0]["other"]["line"], 5, "{object}");
    let log = folder.path().join("log.sarif");
    let log = log.to_str().expect("a plain name");
    assert_eq!(judge(&[&path, "--buffer", "data=iota:64", "--sarif", log]).0, 1);
    let log: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(log).expect("it is written")).expect("JSON");
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "race", "{log}");
    let lines = ["locations", "relatedLocations"]
        .map(|of| result[of][0]["physicalLocation"]["region"]["startLine"].as_u64());
    assert_eq!(lines, [Some(4), Some(5)], "{log}");
    page.has("load", &["judge", &path, "--load-only"]);
    let (status, told) = judge(&[&path, "--buffer", "data=iota:64", "--allow", "race"]);
    let but = told.contains("nothing in 16 runs but what is allowed: race");
    assert_eq!((status, but, told.contains("clean")), (0, true, false), "{told}");
    let (status, told) = judge(&[&path]);
    assert!(status == 1 && told.contains("finding race") && told.contains("made up"), "{told}");
}

/// Of a module the instructions are shown: of text its own lines, of words those of the disassembly; and one mistake is
/// told once.
#[test]
fn findings_of_modules_are_shown_in_their_text() {
    let text = fs::read_to_string(Path::new(CORPUS).join("race/spirv_tile.spvasm"));
    let text = text.expect("it is in the corpus").replacen("; verdict", "; it was", 1);
    let folder = TempDir::new().expect("a folder");
    let assembly = file(&folder, "tile.spvasm", &text);
    let words = assemble(&text).expect("it is understood");
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let module = file(&folder, "tile.spv", bytes);
    let stores = text.lines().enumerate().filter(|(_, line)| line.contains("OpStore %own"));
    let lined = stores.last().expect("a store").0 + 1;
    for (path, buffer, words) in [
        (&assembly, "0.0=zero:4", [format!("tile.spvasm:{lined}"), "of `w`".to_owned()]),
        (&module, "0.0=zero:4", ["tile.spv:".to_owned(), " = OpLoad".to_owned()]),
    ] {
        let log = file(&folder, "log.sarif", "");
        let (status, told) = judge(&[path, "--buffer", buffer, "--sarif", &log]);
        assert_eq!(status, 1, "{told}");
        let log = fs::read_to_string(log).expect("it is written");
        assert!(log.contains("\\nVulkan, Memory Model"), "{log}");
        for words in words.iter().map(String::as_str).chain(["OpStore", "Vulkan, Memory Model"]) {
            assert!(told.contains(words), "no `{words}`: {told}");
        }
        assert_eq!(told.matches("finding race").count(), 1, "{told}");
    }
}

/// Every kind of bad input has one message with what helps, and status 2.
#[test]
fn what_cannot_be_judged_is_refused() {
    let folder = TempDir::new().expect("a folder");
    let race = file(&folder, "race.wgsl", RACE);
    let two = file(
        &folder,
        "two.wgsl",
        "@compute @workgroup_size(1) fn a() {} @compute @workgroup_size(1) fn b() {}",
    );
    let constant =
        file(&folder, "constant.wgsl", "override N: u32; @compute @workgroup_size(N) fn main() {}");
    let huge = file(&folder, "huge.wgsl", "@compute @workgroup_size(65536) fn main() {}");
    let large = file(
        &folder,
        "large.wgsl",
        "var<workgroup> a: array<u32, 100000000>;
         @compute @workgroup_size(1) fn main(@builtin(local_invocation_index) i: u32) { a[i] = 1u; }",
    );
    let endless = file(
        &folder,
        "endless.wgsl",
        "@compute @workgroup_size(1) fn main() { for (var i = 0u; i < 100000u; i++) { } }",
    );
    let refused = file(&folder, "refused.wgsl", "fn main( {}");
    let elect = file(
        &folder,
        "elect.wgsl",
        "enable subgroups;\n@compute @workgroup_size(1) fn main() {\n  if subgroupElect() { }\n}",
    );
    let deep = format!(
        "@compute @workgroup_size(1) fn main() {{ {}{} }}",
        "{".repeat(9999),
        "}".repeat(9999)
    );
    let deep = file(&folder, "deep.wgsl", deep);
    let bound_twice = file(
        &folder,
        "bound_twice.wgsl",
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
         @group(0) @binding(0) var<storage, read> b: array<u32>;
         @compute @workgroup_size(1) fn main() { a[0] = b[0]; }",
    );
    let uniform = file(
        &folder,
        "uniform.wgsl",
        "@group(0) @binding(0) var<uniform> a: array<vec4u, 4>;
         @group(0) @binding(1) var<storage, read_write> b: array<vec4u>;
         @compute @workgroup_size(1) fn main() { b[0] = a[3]; }",
    );
    let below = file(&folder, "below.wgsl", format!("{RACE}\n// verdict: race\n"));
    let empty_text = file(&folder, "empty.spvasm", "");
    let bytes = file(&folder, "six.bin", [0; 6]);
    let short = file(&folder, "short.spv", [3, 2, 35]);
    let header = file(&folder, "header.spv", [3, 2, 35, 7, 0, 0, 1, 0]);
    let assembly = file(&folder, "bad.spvasm", "OpCapability Shader\nOpNothing\n");
    let six = format!("data=@{bytes}");
    fs::create_dir(folder.path().join("empty")).expect("a folder");
    let empty = folder.path().join("empty");
    for (args, words) in [
        (&[race.as_str(), "--entry", "nope"][..], "no compute entry point `nope`"),
        (&[&two], "2 compute entry points"),
        (&[&constant], "`N` has no value"),
        (&[&race, "--constant", "M=3"], "no constant `M`"),
        (&[&constant, "--constant", "N=-1"], "the constant `N` is of u32, which has no -1"),
        (&[&constant, "--constant", "N=1e40"], "which has no 1000"),
        (&[&deep], "deep.wgsl:1:167"),
        (&[&bound_twice], "bound_twice.wgsl:2:"),
        (&[&uniform, "--buffer", "a=zero:15"], "`a` has 15 words, and its type takes 16"),
        (&[&uniform, "--buffer", "b=zero:3"], "`b` has 3 words, and its type takes 4"),
        (&[&below], "stands in front of the shader"),
        (&[&empty_text], "the module has no compute entry point"),
        (&[&race, "--tolerance", "nan"], "`nan` is no share"),
        (&[&race, "--buffer", "data=@/"], "is no file"),
        (&[&race, "--buffer", "data=random:2000000", "--memory", "7"], "take 8 MiB"),
        (
            &[&race, "--buffer", "data=zero:64", "--groups", "65535,65535,65535"],
            "instructions at most (--fuel)",
        ),
        (&[&race, "--buffer", &six], "no multiple of 4"),
        (&[&race, "--buffer", "3.1=zero:4"], "no buffer `3.1`"),
        (&[&race, "--expect", "nope=u32[1]"], "no buffer `nope`"),
        (&[&race, "--buffer", "data=u32[1,-2]"], "`-2` is no u32"),
        (&[&race, "--buffer", "data=u32["], "`u32[`"),
        (&[&race, "--buffer", "data=zero:1", "--buffer", "0.0=zero:1"], "given twice"),
        (&[&race, "--groups", "0"], "1 to 65535"),
        (&[&race, "--groups", "65536"], "1 to 65535"),
        (&[&race, "--groups", "4294967296"], "`4294967296`"),
        (&[&race, "--groups", "2,x"], "`x`"),
        (&[&race, "--subgroup", "3"], "power of two"),
        (&[&race, "--subgroup", "256"], "power of two"),
        (&[&race, "--subgroup", "2"], "from 4 to 128"),
        (&[&race, "--orders", "0"], "--orders"),
        (&[&race, "--seed", "x"], "--seed"),
        (&[&refused], "refused.wgsl:1:"),
        (&[&elect], "naga lacks `subgroupElect`, line 3"),
        (&[&short], "short.spv is no module of SPIR-V: byte 3: the file has 3 bytes"),
        (&[&header], "byte 8: the file has 8 bytes"),
        (&[&assembly], "OpNothing"),
        (&[empty.to_str().expect("a plain name")], "no shader"),
        (&[&huge], "out of range"),
        (&[&large], "too large"),
        (&[&endless, "--fuel", "1000"], "1000 instructions"),
    ] {
        let (status, told) = judge(args);
        assert_eq!(status, 2, "{args:?}: {told}");
        assert!(told.contains(words), "{args:?} does not say `{words}`: {told}");
    }
}

/// What keeps shaders from being executed is counted by its kind, and told with its line.
#[test]
fn reasons_are_counted_by_kind() {
    let folder = TempDir::new().expect("a folder");
    for (name, behind) in [("one.wgsl", ""), ("two.wgsl", "\n\n")] {
        let text = format!(
            "{behind}@group(0) @binding(0) var image: texture_2d<f32>;
             @group(0) @binding(1) var<storage, read_write> out: array<vec4f>;
             @compute @workgroup_size(1) fn main() {{
               // textureDimensions(image) is not asked for.
               out[0] = textureLoad(image, vec2(0), 0);
             }}"
        );
        file(&folder, name, text);
    }
    let (status, told) = judge(&[folder.path().to_str().expect("a plain name"), "--load-only"]);
    assert_eq!(status, 0, "{told}");
    for words in
        ["`textureLoad`, line 5", "`textureLoad`, line 7", "    2  textures: `textureLoad`"]
    {
        assert!(told.contains(words), "no `{words}`: {told}");
    }
}

/// Of a file without its end it is said that its end is missing, wherever that is, and `--load-only` says the same.
#[test]
fn modules_without_their_end_are_refused() {
    let text = fs::read_to_string(Path::new(CORPUS).join("clean/spirv_call.spvasm"));
    let words = assemble(&text.expect("it is in the corpus")).expect("it is understood");
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let folder = TempDir::new().expect("a folder");
    for end in (0..words.len()).step_by(7).map(|word| 4 * word).chain([1, 30, bytes.len() - 1]) {
        let path = file(&folder, "cut.spv", &bytes[..end]);
        for more in [&[][..], &["--load-only"]] {
            let (status, told) = judge(&[&[path.as_str()], more].concat());
            assert_eq!(status, 2, "{end} {more:?}: {told}");
            assert!(told.contains("cut.spv is no module of SPIR-V: byte "), "{end}: {told}");
        }
    }
    let path = file(&folder, "whole.spv", &bytes);
    assert_eq!(judge(&[&path, "--load-only"]).0, 0);
}

/// Buffers of modules have the names of their variables, or of the blocks that are their types.
#[test]
fn buffers_of_modules_have_names() {
    let text = fs::read_to_string(Path::new(CORPUS).join("out-of-bounds/spirv_store.spvasm"));
    let text = text.expect("it is in the corpus").replacen("; verdict", "; it was", 1);
    let text = text.replacen("; judge", "; it was", 1);
    let block = text.replace("%buf", "%77").replace("%block", "%cells");
    let folder = TempDir::new().expect("a folder");
    for (text, name) in [(&text, "buf"), (&block, "cells")] {
        let path = file(&folder, "store.spvasm", text);
        let given = format!("{name}=zero:3");
        let (status, told) = judge(&[&path, "--buffer", &given, "--dump", name]);
        assert_eq!(status, 1, "{told}");
        assert!(told.contains(&format!("{name}=u32[")), "{told}");
        let (status, told) = judge(&[&path, "--buffer", &given, "--buffer", "0.0=zero:3"]);
        assert!(status == 2 && told.contains(&format!("`{name}` is given twice")), "{told}");
        let (status, told) = judge(&[&path, "--buffer", "other=zero:4"]);
        assert!(status == 2 && told.contains(&format!("uses {name}")), "{told}");
    }
}

/// Mutated shaders, as text and as words, end command lines with a status that these have.
#[test]
fn mutated_shaders_break_nothing() {
    let mut dice = Dice::new(7);
    let mut files: Vec<_> = ["clean", "race", "barrier", "out-of-bounds", "undefined"]
        .iter()
        .flat_map(|class| fs::read_dir(Path::new(CORPUS).join(class)).expect("a folder"))
        .map(|file| file.expect("a file").path())
        .collect();
    files.sort();
    let texts: Vec<String> =
        files.iter().map(|file| fs::read_to_string(file).expect("a text")).collect();
    let modules: Vec<&String> = texts.iter().filter(|text| text.contains("OpEntryPoint")).collect();
    for number in 0..200 {
        // Of one text some characters are those of another.
        let [text, other] = [0; 2].map(|_| &texts[dice.below(texts.len() as u64) as usize]);
        let [start, from] = [text, other].map(|text| dice.below(text.len() as u64) as usize);
        let size = dice.below(12) as usize;
        let piece = other.chars().skip(from).take(size);
        let mutant: String =
            text.chars().take(start).chain(piece).chain(text.chars().skip(start + size)).collect();
        assert_eq!(try_text(&mutant), Ok(()), "{mutant}");
        // Words are other ones by what the text is.
        let module = modules[number % modules.len()];
        let numbered = format!("{module}\n; {number}");
        assert_eq!(try_bytes(numbered.as_bytes()), Ok(()), "{numbered}");
    }
}

/// A shader in a unit test.
#[test]
fn a_shader_is_judged_in_a_unit_test() {
    let mended = RACE.replace("data[i] = tile", "workgroupBarrier(); data[i] = tile");
    let input: Vec<u32> = (0..64).collect();
    let report = oracle::judge::judge(mended.as_str()).buffer("data", &input).run();
    let report = report.expect("it can be judged");
    report.assert_clean();
    let backwards: Vec<u32> = (0..64).rev().collect();
    assert_eq!(report.buffer::<u32>("data"), Some(backwards));
}

/// A file that is not what its header says is a finding.
#[test]
fn a_wrong_header_is_told() {
    let folder = TempDir::new().expect("a folder");
    for (verdict, status) in [("clean", 1), ("race tile 4 5", 0), ("race tile 4 6", 1), ("rice", 2)]
    {
        let text = format!("// judge: --buffer data=iota:64\n// verdict: {verdict}\n{RACE}");
        let text = text.replace("tile 4 5", "tile 6 7").replace("tile 4 6", "tile 6 8");
        let path = file(&folder, "race.wgsl", text);
        let (ended, told) = judge(&[&path]);
        assert_eq!(ended, status, "{verdict}: {told}");
    }
    assert!(Path::new(CORPUS).is_dir());
}
