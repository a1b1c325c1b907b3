//! `lockstep test`

use super::fuzz::TOLD;
use super::input::{Headed, name_of, read, split_options};
use super::look::Look;
use super::options::{Adapters, Denied, Denying, Limits, Programs, Replaying};
use super::out::Out;
use super::problem::{Problem, plain};
use super::summary::things;
use super::values::Input;
use super::{Answer, Status, data, interrupt};
use crate::check::Tester;
use crate::corpus::{Instead, Judged, budget, judge_with};
use crate::engine::EngineId;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use reference::kit::header;
use reference::kit::text::counted;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
#[command(
    after_help = "Exit status: 0 every program does what it says; 1 one does not; 2 where the only \
    failures are files that cannot be used or have no answer.\n\nExample: lockstep test corpus"
)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) programs: Programs,
    #[command(flatten)]
    adapters: Adapters,
    #[command(flatten)]
    replaying: Replaying,
    #[command(flatten)]
    denying: Denying,
    /// With values for the parameters all engines are held against each other on them, and what the header
    /// says of other values does not count
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    limits: Limits,
}

#[derive(Serialize)]
struct Line {
    file: String,
    passed: bool,
    unusable: bool,
    failures: Vec<Failed>,
    /// Of each case that is: two orders of its threads, and how they end.
    order_dependent: Vec<data::Orders>,
}

/// What a file does not do as it says.
#[derive(Serialize)]
struct Failed {
    text: String,
    place: Option<String>,
}

/// The last object.
#[derive(Serialize)]
struct Summary {
    summary: Counted,
}

#[derive(Serialize)]
struct Counted {
    files: usize,
    judged: usize,
    cases: u64,
    failed: usize,
    unusable: usize,
    order_dependent: usize,
    runs: BTreeMap<String, u64>,
    not_compared: Vec<NotCompared>,
    interrupted: Option<&'static str>,
}

#[derive(Serialize)]
struct NotCompared {
    engine: String,
    reason: String,
    files: usize,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    let files = args.programs.files();
    let files = super::facts::without(files);
    let only_facts = files.is_empty() && super::facts::are_among(&args.programs.paths);
    let instead = Instead {
        input: args.input.read(&args.programs.paths)?,
        options: split_options(&args.programs.set)?,
        budget: args.limits.of(budget()),
    };
    let found = args.adapters.find()?;
    let mut tester = args.adapters.tester_on(&found, &Arc::default())?;
    let interrupt = interrupt::listen()?;
    let mut progress = Progress::new(files.len(), args.programs.json, out.look());
    let mut totals = Totals::default();
    for path in &files {
        let name = name_of(path);
        let judged = one(args, &mut tester, path, &name, &instead).unwrap_or_else(|problem| {
            // A line about a file begins with its name.
            let mut fault = problem.fault();
            if let Some(rest) = fault.text.strip_prefix(&format!("{name} ")) {
                fault.text = rest.to_owned();
            }
            Judged { failures: vec![fault], unusable: true, ..Judged::default() }
        });
        // What was interrupted says nothing: the children of adapters are interrupted too.
        if interrupt.is_set() {
            break;
        }
        progress.bar.suspend(|| show(args, out, &name, &judged));
        totals.add(&name, judged);
        progress.done(out, &totals);
        // Nobody reads what comes.
        if out.is_closed() {
            break;
        }
    }
    progress.bar.finish_and_clear();
    totals.interrupted = interrupt.signal();
    // The summary is the last line.
    let facts = match totals.interrupted {
        Some(_) => Status::Clean,
        None => {
            let judged = super::facts::run(&args.programs.paths, args.programs.json, out);
            out.status(judged)
        }
    };
    let early = totals.ended_early(files.len());
    if args.programs.json {
        if !early.is_empty() {
            out.message(&early);
        }
        out.json(&Summary { summary: totals.counted(files.len()) });
    } else if !only_facts {
        out.text(&totals.text(&early));
        if tester.adapters.is_empty() {
            out.line("not compared on wgpu: no adapter at hand, or none asked for");
        }
        if let Some(absent) = &found.absent {
            out.line(format!("not compared on {}: {}", absent.engine, absent.reason));
        }
    }
    let denied = match totals.order_dependent {
        0 => Status::Clean,
        _ => args.denying.status(Denied::OrderDependent),
    };
    Ok(interrupt.status(totals.status().max(denied).max(facts)))
}

/// Judges a file. Where one cannot be used the others go on.
fn one(
    args: &Args,
    tester: &mut Tester,
    path: &Path,
    name: &str,
    instead: &Instead,
) -> Result<Judged, Problem> {
    let text = read(path)?;
    let lang = args.programs.language(path)?;
    // A header that cannot be read is a failure that the judge tells.
    let header = header::parse(&text, lang.options()).unwrap_or_default();
    args.replaying.plan(tester, &Headed { name, text: &text, header: &header })?;
    Ok(judge_with(tester, name, lang, &text, instead))
}

fn show(args: &Args, out: &mut Out, name: &str, judged: &Judged) {
    if args.programs.json {
        let failures = judged.failures.iter();
        let failures = failures.map(|it| Failed { text: it.text.clone(), place: it.place.clone() });
        let failures: Vec<Failed> = failures.collect();
        let orders = judged.order_dependent.iter().map(data::Orders::of);
        out.json(&Line {
            file: name.to_owned(),
            passed: failures.is_empty(),
            unusable: judged.unusable,
            failures,
            order_dependent: orders.collect(),
        });
        return;
    }
    for note in &judged.notes {
        out.line(plain(&note.of(name)));
    }
    for failure in &judged.failures {
        out.line(plain(&failure.of(name)));
    }
}

/// What came of all files so far.
#[derive(Default)]
struct Totals {
    files: usize,
    cases: u64,
    failed: usize,
    /// Cases whose results depend on the order of threads.
    order_dependent: usize,
    /// Those of the failed that cannot be used, or have no answer.
    unusable: usize,
    ran: BTreeMap<EngineId, u64>,
    /// The files that an engine did not run, by the reason.
    skipped: BTreeMap<(EngineId, String), Vec<String>>,
    /// The signal that ended it.
    interrupted: Option<&'static str>,
}

impl Totals {
    fn add(&mut self, name: &str, judged: Judged) {
        self.files += 1;
        self.cases += judged.cases;
        self.order_dependent += judged.order_dependent.len();
        self.failed += usize::from(!judged.failures.is_empty());
        self.unusable += usize::from(judged.unusable);
        for (engine, times) in judged.ran {
            *self.ran.entry(engine).or_default() += times;
        }
        for skip in judged.skipped {
            let key = (skip.not_run.engine, skip.not_run.reason);
            self.skipped.entry(key).or_default().push(name.to_owned());
        }
    }

    /// What failed its header weighs more than what cannot be used.
    fn status(&self) -> Status {
        match (self.failed, self.failed - self.unusable) {
            (0, _) => Status::Clean,
            (_, 0) => Status::Unusable,
            _ => Status::Wrong,
        }
    }

    /// `3 files, 7 cases, 1 failed (1 cannot be used)`
    fn counts(&self) -> String {
        let (files, cases) = (counted(self.files, "file"), things(self.cases, "case"));
        let unusable = match self.unusable {
            0 => String::new(),
            some => format!(" ({some} cannot be used)"),
        };
        let orders = match self.order_dependent {
            0 => String::new(),
            some => format!(", {some} order-dependent"),
        };
        format!("{files}, {cases}, {} failed{unusable}{orders}", self.failed)
    }

    /// `ended early by SIGTERM, of 12 files`, if it was.
    fn ended_early(&self, all: usize) -> String {
        let of = counted(all, "file");
        match self.interrupted {
            Some(signal) => format!("ended early by {signal}, of {of}"),
            None => String::new(),
        }
    }

    /// The same for a machine.
    fn counted(&self, all: usize) -> Counted {
        let not_compared = self.skipped.iter().map(|((engine, reason), names)| {
            let (engine, reason) = (engine.to_string(), reason.clone());
            NotCompared { engine, reason, files: distinct(names).len() }
        });
        Counted {
            files: all,
            judged: self.files,
            cases: self.cases,
            failed: self.failed,
            unusable: self.unusable,
            order_dependent: self.order_dependent,
            runs: self.ran.iter().map(|(engine, runs)| (engine.to_string(), *runs)).collect(),
            not_compared: not_compared.collect(),
            interrupted: self.interrupted,
        }
    }

    fn text(&self, early: &str) -> String {
        let early = if early.is_empty() { String::new() } else { format!(", {early}") };
        let mut text = format!("{}{early}\n", self.counts());
        let runs: Vec<String> =
            self.ran.iter().map(|(engine, runs)| format!("{engine} {runs}")).collect();
        if !runs.is_empty() {
            text.push_str(&format!("runs: {}\n", runs.join(", ")));
        }
        for ((engine, reason), names) in &self.skipped {
            let names = distinct(names);
            let more = match names.as_slice() {
                [first, _, ..] => format!("{first} and {} more", names.len() - 1),
                names => names.first().map_or_else(String::new, |first| (*first).clone()),
            };
            text.push_str(&format!("not compared on {engine}: {reason}: {more}\n"));
        }
        text
    }
}

/// Each name once; the same ones stand beside each other.
fn distinct(names: &[String]) -> Vec<&String> {
    let mut names: Vec<&String> = names.iter().collect();
    names.dedup();
    names
}

/// Progress on a terminal; else a line from time to time.
struct Progress {
    bar: ProgressBar,
    start: Instant,
    due: Option<Duration>,
}

impl Progress {
    fn new(files: usize, json: bool, look: Look) -> Self {
        let bar = ProgressBar::new(files as u64);
        let drawn = look.progress;
        if json || !drawn {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len} files, {msg}") {
            bar.set_style(look.bar(style));
        }
        let due = (!json && !drawn).then_some(TOLD);
        Self { bar, start: Instant::now(), due }
    }

    fn done(&mut self, out: &mut Out, totals: &Totals) {
        let seconds = self.start.elapsed().as_secs_f64();
        let rate = totals.files as f64 / seconds.max(1e-9);
        self.bar.set_message(format!("{rate:.0} a second, {} failed", totals.failed));
        self.bar.inc(1);
        if let Some(due) = self.due.filter(|due| self.start.elapsed() >= *due) {
            self.due = Some(due + TOLD);
            out.message(&format!("{seconds:.0} s, {}, {rate:.0} files a second", totals.counts()));
        }
    }
}
