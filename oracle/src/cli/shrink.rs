//! `lockstep shrink`

use super::options::{Adapters, Programs, Replaying, seconds};
use super::out::Out;
use super::problem::Problem;
use super::{Answer, Status, interrupt};
use crate::campaign::{Record, Shown, file, shrink};
use crate::check::Depth;
use reference::kit::outcome::Budget;
use reference::kit::text::counted;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::{fs, io};

#[derive(clap::Args)]
#[command(
    after_help = "Example: lockstep shrink findings/expand_memory-race-7-12.fun -o small.fun"
)]
pub(super) struct Args {
    #[command(flatten)]
    programs: Programs,
    #[command(flatten)]
    adapters: Adapters,
    #[command(flatten)]
    replaying: Replaying,
    /// How long each program may take
    #[arg(long, default_value = "30", value_parser = seconds, allow_negative_numbers = true)]
    seconds: Duration,
    /// Write to a file and not to standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    let stop = interrupt::listen()?;
    let mut tester = args.adapters.tester_until(&stop)?;
    let files = args.programs.files()?;
    if args.output.is_some() && files.len() > 1 {
        return Err(Problem::new("--output takes one program"));
    }
    let mut worst = Status::Clean;
    for path in files {
        if stop.load(Ordering::Relaxed) {
            out.message(&format!("{}: ended before it was shrunk", path.display()));
            continue;
        }
        let source = args.programs.open(&path)?;
        let fault = args.replaying.plan(&mut tester, &source.header)?;
        let mut found = None;
        for case in source.cases(None, Budget::default())? {
            let seen = tester.examine(&case, Depth::Whole);
            found = Record::of(&case, &seen, &tester.plan);
            if found.is_some() {
                break;
            }
        }
        let Some(mut record) = found else {
            out.message(&format!("{}: nothing is wrong, so nothing is shrunk", source.name()));
            continue;
        };
        worst = Status::Wrong;
        record.fault = fault;
        if record.finding.engine.is_adapter() {
            record.shown = Shown::Untried;
        }
        record.adapter = source.header.note("adapter").map(str::to_owned);
        let was = record.statements();
        let small = shrink(&mut tester, &record, args.seconds, &stop);
        match &args.output {
            Some(path) => write(path, &small.text()).map_err(|error| {
                Problem::new(format!("{} cannot be written: {error}", path.display()))
            })?,
            None if args.programs.json => out.json(&serde_json::json!({
                "file": source.name(),
                "finding": small.finding,
                "statements": small.statements(),
                "statements_before": was,
                "text": small.text(),
            })),
            None => out.text(&small.text()),
        }
        out.message(&format!(
            "{}: {}, now {}",
            source.name(),
            counted(was, "statement"),
            small.statements()
        ));
    }
    Ok(worst)
}

/// Writes the file whole or not at all, for it may be the one that was shrunk. What is no file,
/// such as a pipe, is written as it is.
fn write(path: &Path, text: &str) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(about) if !about.is_file() => fs::write(path, text),
        _ => file::replace(path, text),
    }
}
