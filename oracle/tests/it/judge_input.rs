//! What `lockstep judge` says of bad input: the word or the line that is wrong, underlined where it stands in a file, what
//! helps, and status 2.

use super::judge::{CORPUS, RACE, file, judge};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The judge refuses the file, says this and a help, and underlines the word in the line with this number.
fn underlined((path, name, text): (&str, &str, &str), line: usize, word: &str, says: [&str; 2]) {
    let (status, told) = judge(&[path]);
    assert_eq!(status, 2, "{text}\n{told}");
    let at = text.lines().nth(line - 1).and_then(|line| line.rfind(word));
    let at = at.unwrap_or_else(|| panic!("no `{word}` in line {line}"));
    let place = format!("{name}:{line}:{}]", at + 1);
    assert!(told.contains(&place), "not at {place}: {told}");
    for words in says {
        assert!(told.contains(words), "no `{words}`: {told}");
    }
    let (_, help) = told.split_once("help: ").unwrap_or_else(|| panic!("no help: {told}"));
    assert!(!help.trim().is_empty(), "{told}");
}

/// A line that the judge would read but for a slip is told; other comments are not its business.
#[test]
fn misspelt_lines_are_told() {
    let folder = TempDir::new().expect("a folder");
    let shader = "@compute @workgroup_size(1) fn main() {}\n";
    for (line, word) in [
        ("// Judge: --groups 2", "judge:"),
        ("// juge: --groups 2", "judge:"),
        ("// judge : --groups 2", "judge:"),
        ("// judge --groups 2", "judge:"),
        ("// verdict clean", "verdict:"),
        ("// VERDICT: clean", "verdict:"),
        ("// verdicts: race a 3", "verdict:"),
    ] {
        let text = format!("// A shader.\n{line}\n{shader}");
        let path = file(&folder, "slip.wgsl", &text);
        underlined((&path, "slip.wgsl", &text), 2, line, ["nearly one that the judge reads", word]);
    }
    for line in [
        "// Judge: it is fine",
        "// nudge: --groups 2",
        "// Verdict: it is broken",
        "// verdict of a judge",
        "// judge",
    ] {
        let path = file(&folder, "fine.wgsl", format!("{line}\n{shader}"));
        let (status, told) = judge(&[&path]);
        assert_eq!(status, 0, "{line}: {told}");
    }
}

/// Of the options in a shader, the last of these words is underlined.
#[test]
fn options_in_shaders_are_underlined_where_they_are_wrong() {
    let folder = TempDir::new().expect("a folder");
    for (options, word, says) in [
        ("--constant N", "N", ["a constant is NAME=VALUE", "such as --constant N=64"]),
        ("--constant N=x", "x", ["`x` is neither a number", "N=64"]),
        ("--constant N=1 --constant N=2", "N", ["the constant `N` is given twice", "leave out"]),
        ("--constant N=1", "N", ["no constant `N`", "`override`"]),
        ("--subgroup 32,3", "3", ["`3` is no power of two", "--subgroup 32,64"]),
        ("--subgroup 0", "0", ["`0` is no power of two from 4 to 128", "--subgroup 32,64"]),
        ("--subgroup 256", "256", ["power of two", "--subgroup 32,64"]),
        ("--subgroup 2", "2", ["power of two from 4 to 128", "--subgroup 4,32"]),
        ("--groups 2,0", "0", ["from 1 to 65535", "--groups 4"]),
        ("--groups=65536", "65536", ["from 1 to 65535", "--groups 65535,2"]),
        ("--groups 1,2,3,4", "1,2,3,4", ["one to three dimensions", "--groups 4"]),
        (
            "--buffer data=iota:4 --buffer data=zero:4",
            "data",
            ["`data` is given twice", "leave out"],
        ),
        ("--buffer data=iota:4 --buffer 0.0=zero:4", "0.0", ["is given twice", "are one buffer"]),
        ("--buffer data=f32[1,1e39]", "1e39", ["`1e39` is no f32", "data=@FILE"]),
        ("--buffer data=u32[1, 2]", "2]", ["unexpected argument '2]'", "no blanks"]),
        ("--buffer data", "data", ["`data` is no PLACE=SPEC", "data=u32[1,2]"]),
        ("--buffer other=iota:4", "other", ["no buffer `other`", "uses data"]),
        ("--expect data=u32[1]", "data", ["has 64 words, and 1 are expected", "made up"]),
        ("--expect data=zero:64 --expect 0.0=zero:64", "0.0", ["two expectations", "one buffer"]),
        ("--tolerance -1", "-1", ["`-1` is no share", "a finite number"]),
        ("--any-order nope", "nope", ["no buffer `nope`", "uses data"]),
        ("--dump nope", "nope", ["no buffer `nope`", "uses data"]),
        ("--outcomes nope[0..2]", "nope", ["no buffer `nope`", "uses data"]),
        ("--outcomes data[5..2]", "5..2", ["`5..2` is no range", "data[0..4]"]),
        ("--outcomes data[0..65]", "data", ["has 64 words, so none of 0..65", "data[0..64]"]),
        ("--orders 0", "0", ["number of orders from 1", "16"]),
        ("--seed x", "x", ["`x` is no number from 0", "1"]),
        ("--fuel 0", "0", ["from 1 to", "1048576"]),
        ("--memory 0", "0", ["`0` is no number of MiB from 1", "1 MiB at least"]),
        ("--memory 1 --buffer data=zero:300000", "data", ["take 2 MiB", "--memory 2"]),
        ("--fault nope", "nope", ["fault", "help"]),
        ("--entry nope", "nope", ["no compute entry point `nope`", "it has main"]),
        ("--entry", "--entry", ["a value is required for '--entry", "--help"]),
        ("--entry main --entry main", "--entry", ["multiple times", "--help"]),
        ("--allow rice", "rice", ["possible values: race", "'race'"]),
        ("--allow race --deny race", "race", ["another level of `race`", "one level"]),
        ("--nope 3", "--nope", ["unexpected argument '--nope'", "--help"]),
    ] {
        // Behind another line, which is right.
        let text = format!("// A tile.\n// judge: --strict\n// judge: {options}\n{RACE}");
        let path = file(&folder, "race.wgsl", &text);
        underlined((&path, "race.wgsl", &text), 3, word, says);
    }
}

#[test]
fn verdicts_that_are_none_are_underlined() {
    let folder = TempDir::new().expect("a folder");
    for (verdicts, word, says) in [
        ("// verdict: rice", "rice", ["`rice` is no class", "one is `clean`"]),
        ("// verdict:", "// verdict:", ["the verdict is missing", "one is `clean`"]),
        ("// verdict: clean tile", "tile", ["nothing stands behind `clean`", "as a whole"]),
        ("// verdict: race\n// verdict: clean", "clean", ["said to be `race` too", "findings"]),
    ] {
        let text = format!("{verdicts}\n{RACE}");
        let path = file(&folder, "race.wgsl", &text);
        underlined((&path, "race.wgsl", &text), verdicts.lines().count(), word, says);
    }
    // A class that is not found is told where it is said, with what it lacks.
    for (options, verdict, help) in [
        ("--buffer data=iota:64", "subgroup-dependent", "--subgroup 32,64 tries two sizes"),
        ("--buffer data=iota:64", "wrong-result", "--expect says"),
        ("--buffer data=iota:64", "engine", "--engines names some"),
        ("--buffer data=iota:64 --orders 1", "order-dependent", "--orders says how many"),
        ("--buffer data=iota:64 --allow race", "race", "`race` is allowed"),
        ("--buffer data=iota:64", "barrier", "it finds `race`"),
        ("--buffer data=iota:64 --allow race", "barrier", "it finds nothing"),
    ] {
        let text = format!("// judge: {options}\n// verdict: {verdict}\n{RACE}");
        let path = file(&folder, "race.wgsl", text);
        let (status, told) = judge(&[&path]);
        assert_eq!(status, 1, "{told}");
        for words in ["race.wgsl:2:13]", &format!("is said to have {verdict}, which"), help] {
            assert!(told.contains(words), "no `{words}`: {told}");
        }
    }
}

/// Of command lines the option is named, and what is wrong with it.
#[test]
fn options_of_the_command_line_are_named_where_they_are_wrong() {
    let folder = TempDir::new().expect("a folder");
    let race = file(&folder, "race.wgsl", RACE);
    let text = file(&folder, "race.txt", RACE);
    let junk = file(&folder, "junk.wgsl", [b'f', b'n', 0xff, 0]);
    let junk_module = file(&folder, "junk.spv", [b'x'; 40]);
    let folder = folder.path().to_str().expect("a plain name");
    for (args, says, help) in [
        (&[race.as_str(), "--constant", "N"][..], "'--constant <NAME|ID=VALUE>': `N`", "N=64"),
        (&[&race, "--groups", "0"], "'--groups <X[,Y[,Z]]>': `0`", "--groups 4"),
        (&[&race, "--subgroup", "0"], "'--subgroup <SIZE>': `0`", "--subgroup 32,64"),
        (&[&race, "--subgroup", "2"], "--subgroup 2: subgroups of 2", "--subgroup 4,32"),
        (&[&race, "--buffer", "a=zero:1"], "--buffer a: the shader has no", "uses data"),
        (&[&race, "--dump", "a"], "--dump a: the shader has no", "uses data"),
        (&[&race, "--outcomes", "a"], "--outcomes a: the shader has no", "uses data"),
        (&[&race, "--allow", "race", "--deny", "race"], "--deny race: --allow", "one level"),
        (&[&race, "--memory", "0"], "`0` is no number of MiB from 1", "1 MiB at least"),
        (&[&race, "--sarif", folder], "it cannot be written", "name a file"),
        (&[&race, "--engines", "foo"], "--engines: `foo` is no adapter", "lockstep engines"),
        (&["nope.wgsl"], "nope.wgsl cannot be read", "name a file or a folder"),
        (&[&text], "is neither WGSL", "ends with .wgsl"),
        (&[&junk], "byte 2 begins no character", ".spv"),
        (&[&junk_module], "byte 0: the file begins with 0x78787878", "whole module"),
    ] {
        let (status, told) = judge(args);
        assert_eq!(status, 2, "{args:?}: {told}");
        let helps = told.contains("help: ") || told.contains("tip: ");
        assert!(told.contains(says) && told.contains(help) && helps, "{args:?}: {told}");
        // Nothing is run before that is seen.
        assert!(!told.contains("race: invocation"), "{args:?}: {told}");
    }
    // What is said there goes before what the shader says.
    let said = format!("// judge: --deny race --subgroup 2 --buffer data=iota:64\n{RACE}");
    fs::write(&race, said).expect("the folder can be written");
    let (status, told) = judge(&[&race, "--allow", "race", "--subgroup", "32"]);
    assert_eq!(status, 0, "{told}");
}

/// A text of SPIR-V, and a line of it.
fn assembly(from: &str, to: &str) -> (String, usize) {
    let text = fs::read_to_string(Path::new(CORPUS).join("race/spirv_tile.spvasm"));
    let text = text.expect("it is in the corpus").replacen("; verdict", "; it was", 1);
    assert!(text.contains(from), "{from}");
    let changed = text.replacen(from, to, 1);
    let line = text.lines().position(|line| line.contains(from)).expect("it is in a line") + 1;
    (changed, line)
}

/// Each line that is no instruction is underlined, and each instruction that breaks a rule.
#[test]
fn lines_of_assembly_are_underlined() {
    let folder = TempDir::new().expect("a folder");
    for (from, to, word, says) in [
        ("OpLoad %uint %turned", "OpLaod %uint %turned", "OpLaod", ["no opcode", "`OpLoad`"]),
        ("Shader", "Shadre", "Shadre", ["no name of Capability", "`Shader`"]),
        ("Index", "Indx", "LocalInvocationIndx", ["neither a number", "Index`"]),
        ("OpStore %at %n", "OpStore %at", "OpStore", ["lacks an operand: an id", "%id %id"]),
        ("OpStore %at %n", "OpStore %at 3", "3", ["an id belongs here", "%id %id"]),
        ("OpConstant %uint 4", "OpConstant %uint 4294967296", "4294967296", ["32 bits", "to"]),
        ("\"main\" %lid", "\"main %lid", "\"main %lid", ["without an end", "quotation"]),
        ("LocalSize 4 1 1", "LocalSize 4 1", "1", ["OpExecutionMode lacks", "stands with `1`"]),
        ("GLCompute", "Vertex", "OpEntryPoint", ["no compute entry point", "GLCompute"]),
        ("OpTypeInt 32 0", "OpTypeInt 32 %bool", "%bool", ["a number belongs here", "NUMBER"]),
        ("4 1 1", "0 1 1", "OpExecutionMode", ["not modelled", "--load-only"]),
    ] {
        let (text, line) = assembly(from, to);
        let path = file(&folder, "tile.spvasm", &text);
        underlined((&path, "tile.spvasm", &text), line, word, says);
    }
    // Modules that break a rule are findings.
    for (from, to, word, says) in [
        ("OpStore %at %n", "OpStore %at %nix", "OpStore %at", "%nix is not defined"),
        ("%j = OpISub", "%i = OpISub", "%i = OpISub", "%i is defined twice"),
        ("OpReturn", "OpBranch %nowhere", "OpBranch", "%nowhere is no block"),
        ("%entry = OpLabel", "", "%i = OpLoad", "it stands in no block"),
        ("OpFunctionEnd", "", "%main = OpFunction", "the function has no end"),
    ] {
        let (text, _) = assembly(from, to);
        let line = text.lines().position(|line| line.contains(word)).expect("a line");
        let at = text.lines().nth(line).and_then(|line| line.find(word)).expect("a word");
        let (status, told) = judge(&[&file(&folder, "tile.spvasm", &text)]);
        let place = format!("tile.spvasm:{}:{}]", line + 1, at + 1);
        assert_eq!(status, 1, "{told}");
        assert!(told.contains(&place) && told.contains(says), "not at {place}: {told}");
    }
}

/// A constant is given once, by the key that it has, with a value of its type.
#[test]
fn constants_are_given_once() {
    let folder = TempDir::new().expect("a folder");
    let text = "override N: u32 = 1;\n@id(7) override M: u32 = 1;
        @compute @workgroup_size(N * M) fn main() { }";
    let shader = file(&folder, "constant.wgsl", text);
    let (text, _) = assembly("%uint_4 = OpConstant %uint 4", "%uint_4 = OpSpecConstant %uint 4");
    let text = text.replacen("OpDecorate %lid", "OpDecorate %uint_4 SpecId 3\nOpDecorate %lid", 1);
    let module = file(&folder, "constant.spvasm", text);
    for (args, says) in [
        (&[shader.as_str(), "--constant", "N=1", "--constant", "N=2"][..], "`N` is given twice"),
        (&[&shader, "--constant", "7=1", "--constant", "M=2"], "`M` has `@id(7)`"),
        (&[&shader, "--constant", "M=2"], "it is declared here"),
        (&[&shader, "--constant", "N=-1"], "has no -1"),
        (&[&module, "--constant", "3=4", "--constant", "03=4"], "`03` is given twice"),
        (&[&module, "--constant", "N=4"], "`N` is no SpecId"),
        (&[&module, "--constant", "4=4"], "no constant with the SpecId 4"),
        (&[&module, "--constant", "3=1.5"], "an integer of 32 bits without sign, which has no 1.5"),
    ] {
        let said = args.last().and_then(|last| last.split('=').next()).expect("a key");
        let (status, told) = judge(args);
        let has = |words: &str| told.contains(words);
        let whole = has(says) && has("help: ") && has(&format!("--constant {said}"));
        assert!(status == 2 && whole, "{args:?}: {told}");
    }
    let (status, told) = judge(&[&module, "--constant", "3=4", "--load-only"]);
    assert_eq!(status, 0, "{told}");
}

/// What the entry point does not use has no contents behind a run.
#[test]
fn unused_buffers_are_not_expected() {
    let folder = TempDir::new().expect("a folder");
    let text = "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @group(0) @binding(1) var<storage, read_write> b: array<u32>;
        @compute @workgroup_size(1) fn main() { a[0] = 1u; }";
    let path = file(&folder, "two.wgsl", text);
    for option in ["--expect", "--dump", "--any-order"] {
        let value = if option == "--expect" { "b=u32[0]" } else { "b" };
        let (status, told) = judge(&[&path, option, value]);
        let says = format!("{option} b: the entry point `main` does not use `b`");
        assert!(status == 2 && told.contains(&says) && told.contains("uses a"), "{told}");
    }
    assert_eq!(judge(&[&path, "--buffer", "b=zero:1", "--dump", "a"]).0, 0);
}

/// Entry points of other stages, and what nests too deeply, are shown.
#[test]
fn places_that_naga_does_not_say_are_shown() {
    let folder = TempDir::new().expect("a folder");
    let main = |body: &str| format!("@compute @workgroup_size(1) fn main() {{ {body} }}");
    let nested = |n: usize, open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(n), close.repeat(n))
    };
    let started = Instant::now();
    for (text, word, says) in [
        (
            "@fragment fn draw() { }".to_owned(),
            "draw",
            ["no compute entry point", "fragment stage"],
        ),
        ("@compute @workgroup_size(0) fn main() { }".to_owned(), "main", ["out of range", "Entry"]),
        (main("") + &main("").replace("main", "other"), "", ["2 compute entry points", "--entry"]),
        (main(&format!("let x = {};", nested(10_000, "(", "1", ")"))), "(1", ["too deeply", "let"]),
        (main(&nested(10_000, "{", "", "}")), "", ["nesting limit", "help"]),
        (
            format!("alias A = {}; {}", nested(9_000, "array<", "u32", ", 1>"), main("")),
            "<u32",
            ["too deeply", "alias"],
        ),
    ] {
        let path = file(&folder, "shader.wgsl", &text);
        if !word.is_empty() {
            underlined((&path, "shader.wgsl", &text), 1, word, says);
        }
        let (status, told) = judge(&[&path]);
        let has = |words: &&str| told.contains(*words);
        assert!(status == 2 && says.iter().all(has) && told.contains("shader.wgsl:1:"), "{told}");
    }
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

/// A file that is refused is told, and the others are counted.
#[test]
fn a_folder_is_loaded_whole() {
    let folder = TempDir::new().expect("a folder");
    file(&folder, "a.wgsl", RACE);
    file(&folder, "b.wgsl", format!("// judge: --nope\n{RACE}"));
    file(&folder, "c.spvasm", "OpNothing\n");
    file(&folder, "d.wgsl", RACE);
    let (status, told) = judge(&[folder.path().to_str().expect("a plain name"), "--load-only"]);
    assert_eq!(status, 2, "{told}");
    for words in ["b.wgsl:1:11]", "c.spvasm:1:1]", "2 of 4 entry points", "    2  the file or its"]
    {
        assert!(told.contains(words), "no `{words}`: {told}");
    }
}
