//! `lockstep check --sycl-table`: which answers to the questions of SYCL's deduction decide what is accepted.

use super::input::{name_of, read};
use super::out::Out;
use super::problem::Problem;
use super::{Answer, Status};
use crate::language::{self, Listed};
use reference::kit::derivation::Recorder;
use reference::kit::language::Language;
use reference::sycl::Sycl;
use reference::sycl::table::{EXAMPLES, Said, Verdict, as_in_cpp, said};
use serde::Serialize;
use std::path::Path;

/// The example that no answer accepts but the generic space.
const CONFLICT: &str = "S2";

/// What is said of a program.
#[derive(Serialize)]
struct Row {
    /// The file, or the name of the example.
    program: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<&'static str>,
    decided_by: Vec<&'static str>,
    verdicts: Vec<Judged>,
    rejected_if: Vec<Vec<String>>,
    no_answer_if: Vec<Vec<String>>,
    /// Why it is always rejected, or has never an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

#[derive(Serialize)]
struct Judged {
    answers: Vec<String>,
    verdict: &'static str,
}

/// Under which answers the examples keep their meaning.
#[derive(Serialize)]
struct Kept {
    as_in_cpp_if: Vec<Vec<String>>,
    but: &'static str,
    all_but_it_if: Vec<Vec<String>>,
}

/// Prints the table of a file, or that of the seed's examples.
pub(super) fn run(file: Option<&Path>, json: bool, out: &mut Out) -> Answer {
    if let Some(path) = file {
        let name = name_of(path);
        if let Some(lang) = language::of(path).filter(|lang| *lang != Sycl::LANG) {
            let no = format!("{name} is a program of {lang}, and the table is of MiniSYCL");
            return Err(Problem::new(no).help("its files end in `.sycl`"));
        }
        let text = read(path)?;
        let said = said(&text).map_err(|no| Problem::rejected(no, &name, &text))?;
        let why = || -> Option<String> {
            let program = Sycl::parse(&text).ok()?;
            Some(Sycl::check(&program, &mut Recorder::counting()).err()?.message)
        };
        let why = if said.decided_by.is_empty() { why() } else { None };
        show(Row::of(name, None, said, why), json, out);
        return Ok(Status::Clean);
    }
    for example in EXAMPLES {
        let (name, source) = (example.name, example.source());
        let said = said(&source).map_err(|no| Problem::rejected(no, name, &source))?;
        show(Row::of(name.to_owned(), Some(example.about), said, None), json, out);
    }
    let kept = |but: &[&str]| as_in_cpp(but).iter().map(|values| answers(values)).collect();
    let kept = Kept { as_in_cpp_if: kept(&[]), but: CONFLICT, all_but_it_if: kept(&[CONFLICT]) };
    if json {
        out.json(&kept);
        return Ok(Status::Clean);
    }
    for (what, values) in [
        ("no example changes its meaning from C++'s where".to_owned(), kept.as_in_cpp_if),
        (format!("none but {CONFLICT} does where"), kept.all_but_it_if),
    ] {
        out.line(what);
        values.iter().for_each(|values| out.line(format!("  {}", values.join(", "))));
    }
    Ok(Status::Clean)
}

/// Each answer of a text that has some, as `--set` takes it.
fn answers(text: &str) -> Vec<String> {
    text.split(", ").filter(|answer| !answer.is_empty()).map(str::to_owned).collect()
}

impl Row {
    fn of(program: String, about: Option<&'static str>, said: Said, why: Option<String>) -> Self {
        let places = |texts: &[String]| texts.iter().map(|text| answers(text)).collect();
        let verdicts = said
            .verdicts
            .iter()
            .map(|(values, verdict)| Judged { answers: answers(values), verdict: verdict.name() });
        Row {
            program,
            about,
            verdicts: verdicts.collect(),
            rejected_if: places(&said.rejected_if),
            no_answer_if: places(&said.unknown_if),
            decided_by: said.decided_by,
            why,
        }
    }
}

fn show(row: Row, json: bool, out: &mut Out) {
    if json {
        return out.json(&row);
    }
    let Row { program, about, decided_by, verdicts, rejected_if, no_answer_if, why } = row;
    let name = about.map_or(program.clone(), |about| format!("{program} {about}"));
    let unknown = Verdict::Unknown.name();
    if let [Judged { verdict, .. }] = &verdicts[..] {
        let always = if *verdict == unknown { "" } else { "always " };
        out.line(format!("{name}: {always}{verdict}"));
    } else {
        out.line(format!("{name}: decided by {}", decided_by.join(", ")));
        for Judged { answers, verdict } in &verdicts {
            out.line(format!("  {verdict} {}", answers.join(", ")));
        }
        for (verdict, places) in [(Verdict::Rejected.name(), rejected_if), (unknown, no_answer_if)]
        {
            if !places.is_empty() {
                let places: Vec<String> = places.iter().map(|values| values.join(", ")).collect();
                out.line(format!("  {verdict} if {}", places.join("; or ")));
            }
        }
    }
    if verdicts.iter().any(|judged| judged.verdict == unknown) {
        out.line("  no answer: it goes beyond a bound of this tool, and not of SYCL");
    }
    why.iter().for_each(|why| out.line(format!("  {why}")));
}
