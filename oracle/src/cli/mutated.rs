//! Whole command lines on programs that a fuzzer mutates.

use super::{BROKEN, line};
use crate::language::Lang;
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Command lines, each for a file and a language. Budgets are small: a fuzzer waits for no answer long.
const LINES: [&[&str]; 22] = [
    &["run", "--fuel", "100000", "--memory", "16"],
    &["run", "--fuel", "100000", "--memory", "16", "--json"],
    &["run", "--fuel", "100000", "--memory", "16", "--input", "3, [1, 2, 3]"],
    &["run", "--fuel", "100000", "--memory", "16", "--engine", "device"],
    &["run", "--fuel", "100000", "--memory", "16", "--engine", "imp:interleaved"],
    &["run", "--fuel", "100000", "--memory", "16", "--engine", "spirv"],
    &["check", "--fuel", "100000", "--memory", "16"],
    &["check", "--fuel", "100000", "--memory", "16", "--json"],
    &["explain", "--fuel", "100000", "--memory", "16"],
    &["explain", "--types", "--json"],
    &["compile", "--report"],
    &["optimize", "--nodes", "50", "--plans", "2", "--fuel", "100000", "--engines", OURS],
    &["certify", "--fuel", "100000"],
    &["cost", "--fuel", "100000", "--memory", "16"],
    &["compile", "--emit", "wgsl", "--style", "full"],
    &["test", "--fuel", "20000", "--memory", "16", "--engines", OURS],
    &["test", "--fuel", "20000", "--memory", "16", "--engines", OURS, "--json"],
    &["replay", "--fuel", "20000", "--memory", "16", "--engines", OURS],
    &["replay", "--fuel", "20000", "--memory", "16", "--engines", OURS, "--json"],
    &["shrink", "--seconds", "1", "--fuel", "20000", "--memory", "16", "--engines", OURS],
    &["rules", "--fuel", "20000", "--memory", "16"],
    &["rules", "--fuel", "20000", "--memory", "16", "--json", "--input", "3, [1, 2, 3]"],
];

/// Engines that run in this process: a fuzzer is no child that an adapter could run in. `test` and `replay` run
/// each stage on all of them.
const OURS: &str = "fun,funmem,imp,device,spirv";

/// The command line for a shader.
const JUDGE: [&str; 7] = ["judge", "--orders", "3", "--fuel", "20000", "--memory", "16"];

/// Runs a command line on this text as a program, in the language that takes it if one does, or as a shader if it has the
/// words of one. Text and language choose the command line, so that a file of the corpus is an input as it is.
///
/// # Errors
/// It broke a promise, or ended with a status that no command line has.
pub fn try_text(text: &str) -> Result<(), String> {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let number = hasher.finish() as usize;
    let takes = |lang: &&Lang| crate::panics::catch(|| lang.parse(text).is_ok()).unwrap_or(true);
    let lang = Lang::ALL.iter().find(takes).unwrap_or(&Lang::ALL[number % Lang::ALL.len()]);
    let (extension, chosen): (_, &[&str]) = if text.contains("@compute") {
        ("wgsl", &JUDGE)
    } else if text.contains("OpEntryPoint") {
        ("spvasm", &JUDGE)
    } else {
        (lang.extension(), LINES[number / Lang::ALL.len() % LINES.len()])
    };
    let name = format!("lockstep-{}.{extension}", std::process::id());
    let path = std::env::temp_dir().join(name);
    fs::write(&path, text)
        .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    let mut words: Vec<OsString> = ["lockstep"].iter().chain(chosen).map(OsString::from).collect();
    words.push(path.clone().into());
    let status = line(words, true);
    // What stays behind is overwritten by the next.
    let _ = fs::remove_file(&path);
    match status {
        0..=2 => Ok(()),
        BROKEN => {
            Err(format!("lockstep {} on a file .{extension} broke a promise", chosen.join(" ")))
        }
        status => {
            Err(format!("lockstep {} on a file .{extension}: status {status}", chosen.join(" ")))
        }
    }
}
