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
use std::path::Path;

/// The example that no answer accepts but the generic space.
const CONFLICT: &str = "S2";

/// Prints the table of a file, or that of the seed's examples.
pub(super) fn run(file: Option<&Path>, out: &mut Out) -> Answer {
    if let Some(path) = file {
        let name = name_of(path);
        if let Some(lang) = language::of(path).filter(|lang| *lang != Sycl::LANG) {
            let no = format!("{name} is a program of {lang}, and the table is of MiniSYCL");
            return Err(Problem::new(no).help("its files end in `.sycl`"));
        }
        let text = read(path)?;
        let said = said(&text).map_err(|no| Problem::rejected(no, &name, &text))?;
        show(&name, &said, out);
        if said.decided_by.is_empty()
            && let Err(no) = Sycl::parse(&text)
                .and_then(|program| Sycl::check(&program, &mut Recorder::counting()))
        {
            out.line(format!("  {}", no.message));
        }
        return Ok(Status::Clean);
    }
    for example in EXAMPLES {
        let source = example.source();
        let said = said(&source).map_err(|no| Problem::rejected(no, example.name, &source))?;
        show(&format!("{} {}", example.name, example.about), &said, out);
    }
    out.line("no example changes its meaning from C++'s where");
    as_in_cpp(&[]).iter().for_each(|values| out.line(format!("  {values}")));
    out.line(format!("none but {CONFLICT} does where"));
    as_in_cpp(&[CONFLICT]).iter().for_each(|values| out.line(format!("  {values}")));
    Ok(Status::Clean)
}

fn show(name: &str, said: &Said, out: &mut Out) {
    let Said { verdicts, rejected_if, unknown_if, decided_by } = said;
    if let [(_, verdict)] = &verdicts[..] {
        let always = if *verdict == Verdict::Unknown { "" } else { "always " };
        out.line(format!("{name}: {always}{}", verdict.name()));
    } else {
        out.line(format!("{name}: decided by {}", decided_by.join(", ")));
        for (values, verdict) in verdicts {
            out.line(format!("  {} {values}", verdict.name()));
        }
        for (verdict, places) in [(Verdict::Rejected, rejected_if), (Verdict::Unknown, unknown_if)]
        {
            if !places.is_empty() {
                out.line(format!("  {} if {}", verdict.name(), places.join("; or ")));
            }
        }
    }
    if verdicts.iter().any(|(_, verdict)| *verdict == Verdict::Unknown) {
        out.line("  no answer: it goes beyond a bound of this tool, and not of SYCL");
    }
}
