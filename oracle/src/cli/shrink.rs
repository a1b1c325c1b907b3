//! `lockstep shrink`

use super::input::{Source, name_of};
use super::options::{Adapters, Limits, Programs, Replaying, seconds};
use super::out::Out;
use super::problem::{Problem, plain};
use super::replay::{no_answer, of_the_program, says_stuck};
use super::values::Input;
use super::{Answer, Status, data, interrupt};
use crate::campaign::{Record, Shown, file, not_compared, shrink};
use crate::check::{Depth, Examination, Tester, Verdict};
use crate::engines::AdapterEngine;
use reference::kit::outcome::{Budget, Value};
use reference::kit::text::counted;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use std::{fs, io};

#[derive(clap::Args)]
#[command(
    after_help = "Example: lockstep shrink findings/expand_memory-race-7-12.fun -o small.fun"
)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) programs: Programs,
    #[command(flatten)]
    adapters: Adapters,
    #[command(flatten)]
    replaying: Replaying,
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    limits: Limits,
    /// How long each program may take
    #[arg(long, default_value = "30", value_parser = seconds)]
    seconds: Duration,
    /// Write to a file and not to standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    let interrupt = interrupt::listen()?;
    let given = args.input.read(&args.programs.paths)?;
    let mut tester = args.adapters.tester_until(&interrupt.stop)?;
    let files = args.programs.files();
    if args.output.is_some() && files.len() > 1 {
        return Err(Problem::new("--output takes one program"));
    }
    if let Some(path) = &args.output {
        try_to_write(path).map_err(|error| unwritten(path, &error))?;
    }
    let mut worst = Status::Clean;
    for path in files {
        if interrupt.is_set() {
            out.message(&format!("{}: ended before it was shrunk", name_of(&path)));
            continue;
        }
        let ended = one(args, &mut tester, (&path, given.as_deref()), &interrupt.stop, out);
        worst = worst.max(out.status(ended));
    }
    Ok(interrupt.status(worst))
}

fn one(
    args: &Args,
    tester: &mut Tester,
    (path, given): (&Path, Option<&[Value]>),
    stop: &AtomicBool,
    out: &mut Out,
) -> Answer {
    let source = args.programs.open_finding(path)?;
    let fault = args.replaying.plan(tester, &source.headed(&source.name()))?;
    let mut record = match wrong(args, tester, &source, given)? {
        Ok(record) => record,
        Err(missing) => return Ok(nothing(args, &source, missing, out)),
    };
    record.fault = fault;
    // It shows what as many programs showed.
    let members = source.header.note("members").and_then(|text| text.split(' ').next());
    record.members = members.and_then(|members| members.parse().ok()).unwrap_or(1);
    if record.finding.engine.is_adapter() {
        record.shown = Shown::Untried;
    }
    record.name_adapter(tester.adapters.iter().map(AdapterEngine::adapter));
    let was = record.statements();
    let small = shrink(tester, &record, args.seconds, stop);
    let written = match &args.output {
        Some(path) => write(path, &small.text()).map_err(|error| unwritten(path, &error)),
        None => Ok(()),
    };
    if args.programs.json {
        out.json(&json!({
            "file": source.name(),
            "finding": data::Found::of_record(&small),
            "class": small.class.name(),
            "place": small.place(),
            "statements": small.statements(),
            "statements_before": was,
            "text": small.text(),
        }));
    } else if args.output.is_none() || written.is_err() {
        // What was shrunk is not lost where its file fails.
        out.text(&small.text());
    }
    out.message(&format!(
        "{}: {}, now {}",
        source.name(),
        counted(was, "statement"),
        small.statements()
    ));
    written?;
    Ok(Status::Wrong)
}

/// The first input on which something is wrong that can be shrunk; if there is none, why not.
fn wrong(
    args: &Args,
    tester: &mut Tester,
    source: &Source,
    given: Option<&[Value]>,
) -> Result<Result<Record, Option<(String, Status)>>, Problem> {
    let mut missing = None;
    let cases = source.cases(given, args.limits.of(Budget::default()))?;
    for (number, case) in cases.into_iter().enumerate() {
        let seen = tester.examine(&case, Depth::Whole);
        if let Some(record) = Record::of(&case, &seen, &tester.plan) {
            return Ok(Ok(record));
        }
        missing =
            missing.or_else(|| unseen(tester, source, &seen, says_stuck(source, given, number)));
    }
    Ok(Err(missing))
}

/// Says that nothing is shrunk, and why.
fn nothing(
    args: &Args,
    source: &Source,
    missing: Option<(String, Status)>,
    out: &mut Out,
) -> Status {
    let (why, status) = missing.unwrap_or(("nothing is wrong".to_owned(), Status::Clean));
    if args.programs.json {
        out.json(&json!({ "file": source.name(), "finding": null, "why": why }));
    }
    out.message(&plain(&format!("{}: {why}, so nothing is shrunk", source.name())));
    status
}

/// What is wrong with the program itself, or why nothing is known to be wrong, nor right.
fn unseen(
    tester: &Tester,
    source: &Source,
    seen: &Examination,
    says_stuck: bool,
) -> Option<(String, Status)> {
    let unusable = |why| (why, Status::Unusable);
    if let Verdict::Unknown(_) = &seen.verdict {
        return no_answer(seen, source).map(unusable);
    }
    of_the_program(seen, source, says_stuck).or_else(|| {
        let missing = not_compared(&source.header, source.program.lang(), tester, seen)?;
        Some(unusable(format!("not compared: {}: {}", missing.engine, missing.reason)))
    })
}

/// Writes the file whole or not at all, for it may be the one that was shrunk. What is no file,
/// such as a pipe, is written as it is.
fn write(path: &Path, text: &str) -> io::Result<()> {
    match is_file(path) {
        true => file::replace(path, text),
        false => fs::write(path, text),
    }
}

/// Is it a file, or nothing yet?
fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).map_or(true, |about| about.is_file())
}

/// Can the file be written? Shrinking takes half a minute, so this is told before it.
fn try_to_write(path: &Path) -> io::Result<()> {
    let about = fs::metadata(path);
    if about.is_ok_and(|about| about.is_dir()) {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if is_file(path) { file::attempt(path) } else { Ok(()) }
}

fn unwritten(path: &Path, error: &io::Error) -> Problem {
    Problem::new(format!("{} cannot be written: {error}", path.display()))
}
