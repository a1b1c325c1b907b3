//! Facts in `lockstep test`: what other implementations and papers say of programs, held against what Lockstep says.

use super::input::{name_of, read};
use super::out::Out;
use super::problem::Problem;
use super::{Answer, Status};
use reference::minias::facts::{self, Found};
use serde::Serialize;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// How the files of facts end.
const EXTENSION: &str = "facts";

/// What came of the facts of a file.
#[derive(Serialize)]
struct Line {
    file: String,
    facts: usize,
    passed: usize,
    /// Those that Lockstep decides otherwise, each with its reading.
    decided_otherwise: Vec<Otherwise>,
    not_expressible: usize,
    wrong: Vec<Wrong>,
}

/// A fact that Lockstep decides otherwise than its source.
#[derive(Serialize)]
struct Otherwise {
    fact: String,
    /// The reading that says why.
    reading: String,
}

/// A fact that is neither as its source nor as the file says.
#[derive(Serialize)]
struct Wrong {
    fact: String,
    line: usize,
    text: String,
}

/// The files of facts among these paths, and those in folders.
fn files(paths: &[PathBuf]) -> Vec<PathBuf> {
    let held = |path: &PathBuf| {
        let entries = WalkDir::new(path).follow_links(true).sort_by_file_name().into_iter();
        let files = entries.flatten().filter(|entry| entry.file_type().is_file());
        files.map(walkdir::DirEntry::into_path).filter(|path| is_facts(path)).collect::<Vec<_>>()
    };
    paths.iter().flat_map(held).collect()
}

fn is_facts(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == EXTENSION)
}

/// The files that are no facts, and no folders that hold nothing else.
pub(super) fn without(programs: Vec<PathBuf>) -> Vec<PathBuf> {
    let holds_facts = |path: &PathBuf| {
        is_facts(path) || path.is_dir() && !files(std::slice::from_ref(path)).is_empty()
    };
    programs.into_iter().filter(|path| !holds_facts(path)).collect()
}

/// Are there files of facts among these paths?
pub(super) fn are_among(paths: &[PathBuf]) -> bool {
    !files(paths).is_empty()
}

/// Judges the facts among these paths.
pub(super) fn run(paths: &[PathBuf], json: bool, out: &mut Out) -> Answer {
    let mut worst = Status::Clean;
    for path in files(paths) {
        let line = judge(&path)?;
        worst = worst.max(Status::wrong_if(!line.wrong.is_empty()));
        if json {
            out.json(&line);
            continue;
        }
        for Wrong { fact, line: at, text } in &line.wrong {
            out.line(format!("{}:{at}:1: {fact}: {text}", line.file));
        }
        let otherwise: Vec<String> = line
            .decided_otherwise
            .iter()
            .map(|Otherwise { fact, reading }| format!("{fact} by {reading}"))
            .collect();
        let told = match otherwise.is_empty() {
            true => String::new(),
            false => format!(" ({})", otherwise.join(", ")),
        };
        out.line(format!(
            "{}: {} passed, {} decided otherwise{told}, {} not expressible, {} wrong",
            line.file,
            line.passed,
            otherwise.len(),
            line.not_expressible,
            line.wrong.len()
        ));
    }
    Ok(worst)
}

fn judge(path: &Path) -> Result<Line, Problem> {
    let text = read(path)?;
    let name = name_of(path);
    let facts = facts::parse(&text)
        .map_err(|(line, told)| Problem::new(format!("{name}:{line}:1: {told}")))?;
    let mut line = Line {
        file: name,
        facts: facts.len(),
        passed: 0,
        decided_otherwise: Vec::new(),
        not_expressible: 0,
        wrong: Vec::new(),
    };
    for fact in facts {
        match fact.judge() {
            Found::Passed => line.passed += 1,
            Found::Otherwise(reading) => {
                let (fact, reading) = (fact.id.to_owned(), reading.to_owned());
                line.decided_otherwise.push(Otherwise { fact, reading });
            }
            Found::NotExpressible => line.not_expressible += 1,
            Found::Wrong(text) => {
                line.wrong.push(Wrong { fact: fact.id.to_owned(), line: fact.line, text });
            }
        }
    }
    Ok(line)
}
