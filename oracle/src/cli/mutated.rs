//! Whole command lines on programs that a fuzzer mutates.

use super::{BROKEN, line};
use crate::language::Lang;
use reference::kit::dice::Dice;
use reference::spirv::assemble::assemble;
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

/// Command lines for a shader.
const JUDGE: [&[&str]; 5] = [
    &["judge", "--orders", "3", "--fuel", "20000", "--memory", "16"],
    &["judge", "--orders", "3", "--fuel", "20000", "--memory", "16", "--json", "--strict"],
    &["judge", "--orders", "2", "--fuel", "20000", "--memory", "16", "--subgroup", "4,32"],
    &["judge", "--orders", "4", "--fuel", "20000", "--memory", "16", "--groups", "2,1,2"],
    &["judge", "--memory", "16", "--load-only"],
];

/// With what modules of SPIR-V begin, little end first.
const MAGIC: [u8; 4] = 0x0723_0203_u32.to_le_bytes();

/// Runs a command line on these bytes: on a text as [`try_text`] has it, and on a module of SPIR-V as on a shader. A text that
/// is assembled to a module gives some, in which words are other ones or are missing.
///
/// # Errors
/// As of [`try_text`].
pub fn try_bytes(bytes: &[u8]) -> Result<(), String> {
    let number = hashed(bytes);
    if bytes.starts_with(&MAGIC) {
        return try_file("spv", bytes, JUDGE[number % JUDGE.len()]);
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(()) };
    try_text(text)?;
    match assemble(text) {
        Ok(words) => try_file("spv", &changed(words, number), JUDGE[number % JUDGE.len()]),
        Err(_) => Ok(()),
    }
}

/// The bytes of a module that is not quite this one: as it is, without its end, or with other words.
fn changed(mut words: Vec<u32>, number: usize) -> Vec<u8> {
    let mut dice = Dice::new(number as u64);
    let last = words.len() as u64 - 1;
    for _ in 0..dice.below(4) {
        let [at, from] = [0; 2].map(|_| dice.below(last) as usize);
        words[at] = match dice.below(4) {
            0 => words[from],
            1 => words[at] ^ 1 << dice.below(32),
            2 => dice.below(64) as u32,
            _ => words[at].wrapping_add(1),
        };
    }
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    if dice.below(4) == 0 {
        bytes.truncate(dice.below(bytes.len() as u64) as usize);
    }
    bytes
}

fn hashed(of: &(impl Hash + ?Sized)) -> usize {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish() as usize
}

/// Runs a command line on this text as a program, in the language that takes it if one does, or as a shader if it has the
/// words of one. Text and language choose the command line, so that a file of the corpus is an input as it is.
///
/// # Errors
/// It broke a promise, or ended with a status that no command line has.
pub fn try_text(text: &str) -> Result<(), String> {
    let number = hashed(text);
    let takes = |lang: &&Lang| crate::panics::catch(|| lang.parse(text).is_ok()).unwrap_or(true);
    let lang = Lang::ALL.iter().find(takes).unwrap_or(&Lang::ALL[number % Lang::ALL.len()]);
    let judge = JUDGE[number % JUDGE.len()];
    let (extension, chosen): (_, &[&str]) = if text.contains("@compute") {
        ("wgsl", judge)
    } else if text.contains("OpEntryPoint") {
        ("spvasm", judge)
    } else {
        (lang.extension(), LINES[number / Lang::ALL.len() % LINES.len()])
    };
    try_file(extension, text.as_bytes(), chosen)
}

/// Runs a command line on a file of these bytes.
fn try_file(extension: &str, bytes: &[u8], chosen: &[&str]) -> Result<(), String> {
    let name = format!("lockstep-{}.{extension}", std::process::id());
    let path = std::env::temp_dir().join(name);
    fs::write(&path, bytes)
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
