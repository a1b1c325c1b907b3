//! `lockstep test`

use super::input::{programs, read};
use super::options::{Adapters, Replaying};
use super::out::Out;
use super::problem::Problem;
use super::summary::things;
use super::{Answer, Status};
use crate::corpus::judge;
use crate::engine::EngineId;
use crate::language::Lang;
use reference::kit::header;
use reference::kit::text::counted;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = "Example: lockstep test corpus")]
pub(super) struct Args {
    /// Files, or folders with all programs in them
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    adapters: Adapters,
    #[command(flatten)]
    replaying: Replaying,
    /// Print objects of JSON, one a line
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Line<'a> {
    file: String,
    passed: bool,
    failures: &'a [String],
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    let files = programs(&args.paths)?;
    let mut tester = args.adapters.tester()?;
    let mut failed = 0;
    let mut cases = 0;
    let mut ran: BTreeMap<EngineId, u64> = BTreeMap::new();
    let mut skipped: BTreeMap<(EngineId, String), Vec<String>> = BTreeMap::new();
    for path in &files {
        let name = path.display().to_string();
        let lang = Lang::of(path).ok_or_else(|| {
            Problem::new(format!("the language of {name} cannot be told by its extension"))
        })?;
        // A file that cannot be read is one that does not do what it says: the others go on.
        let judged = match read(path) {
            Ok(text) => {
                // A header that cannot be read is a failure that the judge tells.
                let header = header::parse(&text).unwrap_or_default();
                args.replaying.plan(&mut tester, &header)?;
                judge(&mut tester, &name, lang, &text)
            }
            Err(problem) => {
                crate::corpus::Judged { failures: vec![problem.to_string()], ..Default::default() }
            }
        };
        cases += judged.cases;
        failed += usize::from(!judged.failures.is_empty());
        if args.json {
            let passed = judged.failures.is_empty();
            out.json(&Line { file: name.clone(), passed, failures: &judged.failures });
        } else {
            for failure in &judged.failures {
                out.line(format!("{name}: {failure}"));
            }
        }
        for (engine, times) in judged.ran {
            *ran.entry(engine).or_default() += times;
        }
        for skip in judged.skipped {
            let key = (skip.not_run.engine, skip.not_run.reason);
            skipped.entry(key).or_default().push(name.clone());
        }
    }
    if !args.json {
        let (files, cases) = (counted(files.len(), "file"), things(cases, "case"));
        out.line(format!("{files}, {cases}, {failed} failed"));
        let runs: Vec<String> =
            ran.iter().map(|(engine, runs)| format!("{engine} {runs}")).collect();
        out.line(format!("runs: {}", runs.join(", ")));
        for ((engine, reason), mut names) in skipped {
            names.dedup();
            let first = names.first().cloned().unwrap_or_default();
            let more = match names.len() {
                0 | 1 => first,
                more => format!("{first} and {} more", more - 1),
            };
            out.line(format!("not compared on {engine}: {reason}: {more}"));
        }
        if tester.adapters.is_empty() {
            out.line("not compared on wgpu: no adapter at hand, or none asked for");
        }
    }
    Ok(if failed == 0 { Status::Clean } else { Status::Wrong })
}
