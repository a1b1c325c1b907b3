//! `lockstep fuzz`

use super::input::set_options;
use super::options::{Adapters, Deciding, Denied, Denying, WorkAround, named, seconds, style};
use super::out::Out;
use super::problem::Problem;
use super::summary::{self, things};
use super::{Answer, Status, interrupt, resume};
use crate::campaign::file::{Claim, Unclaimed};
use crate::campaign::state::FILE;
use crate::campaign::{
    self, Elapsed, Failed, Kept, OPTIMIZED, Record, Settings, Summary, Tally, Watch,
};
use crate::check::Class;
use crate::faults::{BUILT, Entry, JUDGE};
use crate::language::Lang;
use crate::mutate::Sources;
use crate::stages::{OPTIMIZE, Plan, leads};
use clap::builder::{RangedU64ValueParser, TypedValueParser};
use compiler::emit::style::Style;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use reference::kit::faults::Planted;
use reference::kit::text::counted;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Programs by number, or that many of them: whatever is the first, there are as many from there on.
fn numbers() -> RangedU64ValueParser {
    RangedU64ValueParser::new().range(0..=u64::MAX >> 1)
}

/// The languages that programs are drawn in.
fn drawn() -> impl TypedValueParser<Value = Lang> {
    named(Lang::ALL.iter().copied())
}

#[derive(Clone, clap::Args)]
#[command(after_help = "Example: lockstep fuzz --seconds 10 --seed 7\n         \
    lockstep fuzz --resume\n         \
    lockstep fuzz sum.fun --seconds 10     (other inputs; with --mutate other texts too)\n         \
    lockstep fuzz --fault L3     (built with --features faults)")]
pub(super) struct Args {
    /// How long; 60 without this and without --programs
    #[arg(long, value_parser = seconds, allow_negative_numbers = true)]
    seconds: Option<Duration>,
    /// How many programs
    #[arg(long, value_parser = numbers())]
    programs: Option<u64>,
    /// The seed that programs are drawn from; drawn itself without it
    #[arg(long)]
    pub(super) seed: Option<u64>,
    /// The number of the first program; 0 without it
    #[arg(long, value_parser = numbers())]
    pub(super) first: Option<u64>,
    /// Go on with the campaign of the findings' folder, from what it kept there
    /// (campaign.json): same seed, engines, adapters, style and workarounds; --seconds and
    /// --programs count from now
    #[arg(long, conflicts_with = "fault")]
    resume: bool,
    /// Start anew in a folder that has a campaign already: campaign.json is overwritten, findings stay
    #[arg(long, conflicts_with = "resume")]
    restart: bool,
    /// How many workers; one a core without it
    #[arg(long, short, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// The folder that findings are written to
    #[arg(long, default_value = "findings", value_name = "DIR")]
    pub(super) findings: PathBuf,
    /// How many findings of one stage, kind, cause and engine are kept, with smallest programs that differ; others
    /// are counted as members of these
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..))]
    keep: u64,
    /// Seconds for which a finding is shrunk
    #[arg(long, default_value = "30", value_parser = seconds, allow_negative_numbers = true)]
    #[arg(value_name = "SECONDS")]
    shrink: Duration,
    /// Percentage of the time that adapters get; with 100 every program goes to every adapter
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u8).range(0..=100))]
    share: u8,
    /// Fuzz these programs alone, from their inputs: programs of one language or several
    #[arg(value_name = "FILE", conflicts_with_all = ["language", "seeds", "mutants", "fault"])]
    pub(super) files: Vec<PathBuf>,
    /// Change the text of the files too, and not their inputs alone
    #[arg(long, requires = "files")]
    pub(super) mutate: bool,
    /// A folder with programs that mutants are made of, beside those of the corpus
    #[arg(long, value_name = "DIR")]
    pub(super) seeds: Vec<PathBuf>,
    /// Percentage of programs that are mutants of the corpus and of --seeds; 25 without it
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(super) mutants: Option<u32>,
    /// The language that programs are drawn in; without this all of them, FUN most often
    #[arg(long, value_parser = drawn())]
    pub(super) language: Option<Lang>,
    /// Set an option of the language that programs are drawn in
    #[arg(long, value_name = "NAME=VALUE", requires = "language")]
    pub(super) set: Vec<String>,
    /// How the shaders of every program are written (see `lockstep compile --help`); without this
    /// each program has a style of its own, mostly plain
    #[arg(long, value_parser = style)]
    pub(super) style: Option<Style>,
    /// Plant a fault and end when it is found (see `lockstep faults`)
    #[arg(long, value_name = "ID")]
    fault: Option<String>,
    /// Bugs of the toolchain that shaders work around; with none the toolchain itself is tested
    /// (all without it)
    #[arg(long)]
    pub(super) workarounds: Option<WorkAround>,
    /// How passes decide: without --chaos one program in eight has decisions of its own drawn
    #[command(flatten)]
    pub(super) deciding: Deciding,
    /// Percentage of programs that are rewritten by laws first, and their plans run on every engine; 5 without it
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(super) optimize: Option<u32>,
    #[command(flatten)]
    pub(super) adapters: Adapters,
    #[command(flatten)]
    denying: Denying,
    /// Print objects of JSON, one a line
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    args.adapters.known()?;
    if let Some(language) = args.language {
        can_be_asked(language, &args.adapters.engines)?;
    }
    let fault = match &args.fault {
        None => None,
        Some(id) => Some(fault(id, &args.adapters.engines)?),
    };
    let mut args = args.clone();
    let settings = match args.resume {
        true => resumed(&mut args)?,
        false => begun(&args, fault)?,
    };
    let interrupt = interrupt::listen()?;
    let view = View::new(&args, &settings, out, &interrupt.stop);
    if !args.json {
        view.line(&summary::start(&settings, fault));
    }
    let summary = campaign::run(&settings, &interrupt.stop, &view);
    view.bar.finish_and_clear();
    drop(view);
    let signal = interrupt.signal();
    if args.json {
        out.json(&summary::json(&settings, &summary, signal));
    } else {
        out.text(&summary::text(&settings, &summary, signal));
    }
    let ended = status(out, &args, &summary, fault);
    Ok(interrupt.status(out.status(ended)))
}

/// Is there an engine among those that are asked which takes programs of the language, or what they become?
fn can_be_asked(language: Lang, engines: &[String]) -> Result<(), Problem> {
    let takes = |engine: &String| {
        let room = engine.split(':').next().unwrap_or_default();
        Lang::named(room).is_none_or(|of| leads(language, of))
    };
    if engines.is_empty() || engines.iter().any(takes) {
        return Ok(());
    }
    let text = format!("no engine that is asked takes programs of {language}");
    Err(Problem::new(text).help("`lockstep engines` lists them"))
}

/// A campaign from its start. If what is asked for is not here, no empty folder is made.
fn begun(args: &Args, fault: Option<&Entry>) -> Result<Settings, Problem> {
    let settings = settings(args, fault)?;
    let claim = claim(&args.findings)?;
    // One that looks for a planted fault is not kept.
    if !args.restart && !settings.first_only && resume::has_campaign(&args.findings) {
        let folder = args.findings.display();
        let no = Problem::new(format!("{folder} has a campaign already ({FILE})"));
        return Err(no.help(
            "--resume goes on with it, --restart starts anew in its place, and --findings names another \
             folder",
        ));
    }
    Ok(Settings { claim: Some(Arc::new(claim)), ..settings })
}

/// A campaign that goes on, of a folder that no other campaign writes to meanwhile.
fn resumed(args: &mut Args) -> Result<Settings, Problem> {
    resume::is_there(&args.findings)?;
    let claim = Some(Arc::new(claim(&args.findings)?));
    let state = resume::campaign(args)?;
    let settings = settings(args, None)?;
    resume::same_adapters(&settings, &state)?;
    resume::same_sources(&settings, &state)?;
    Ok(Settings { claim, resumed: Some(state), ..settings })
}

/// The folder of the findings is there, is ours, and takes files: who hears of it only when
/// something is found has fuzzed for nothing. It is ours as long as the claim is there: two
/// campaigns would take each other's files for their own.
fn claim(folder: &Path) -> Result<Claim, Problem> {
    Claim::of(folder).map_err(|error| {
        let shown = folder.display();
        let text = match error {
            Unclaimed::Taken => format!("another campaign is writing to {shown}"),
            Unclaimed::Unwritable(error) => {
                format!("findings cannot be written to {shown}: {error}")
            }
        };
        Problem::new(text).help("--findings names another folder")
    })
}

fn status(out: &mut Out, args: &Args, summary: &Summary, fault: Option<&Entry>) -> Answer {
    if let Some(failed) = &summary.failed {
        let problem = Problem::new(format!("the campaign ended early: {failed}"));
        return Err(match failed {
            Failed::Folder => problem.help(format!(
                "what stood in {} is gone with it; --findings names another folder",
                args.findings.display()
            )),
            Failed::Thread(_) => problem.help("--jobs 1 starts one worker"),
        });
    }
    let Some(fault) = fault else {
        let clean = summary.tally.found() == 0 && summary.lost.is_empty();
        let denied = match summary.tally.shares.get(&Class::OrderDependent) {
            Some(_) => args.denying.status(Denied::OrderDependent),
            None => Status::Clean,
        };
        return Ok(if clean { denied } else { Status::Wrong });
    };
    let Some(kept) = summary.kept.first() else {
        if summary.tally.found() > 0 {
            // It was shown when it could not be written.
            out.message(&format!("planted fault {}: found, but not kept", fault.id));
            return Ok(Status::Wrong);
        }
        let text = format!(
            "the planted fault {} was not found in {}",
            fault.id,
            things(summary.tally.programs, "program")
        );
        return Err(Problem::new(text));
    };
    let blamed = kept.record.finding.stage;
    // A plan that is wrong is blamed on its law.
    let law = kept.record.finding.instruction.as_deref().filter(|_| blamed == OPTIMIZE);
    let blamed = law.unwrap_or(blamed.0);
    let right = if blamed == fault.pass.0 { "the pass that carries it" } else { "another pass" };
    if !args.json {
        out.line(format!(
            "planted fault {}: found after {} and {:.2} s; {blamed} is blamed, {right}; the \
             witness has {}",
            fault.id,
            things(kept.after + 1, "program"),
            kept.seen.as_secs_f64(),
            counted(kept.record.statements(), "statement")
        ));
        out.line(format!("\n{}", kept.record.text().trim_end()));
    }
    Ok(Status::Wrong)
}

/// The fault, if it can be planted here and an engine that is asked can show it.
pub(super) fn fault(id: &str, only: &[String]) -> Result<&'static Entry, Problem> {
    let fault = Entry::find(id).ok_or_else(|| {
        Problem::new(format!("no fault is called `{id}`")).help("`lockstep faults` lists them")
    })?;
    if !BUILT {
        let again: Vec<String> = std::env::args().skip(1).collect();
        return Err(Problem::new(format!(
            "no fault can be planted in this build, so not {}",
            fault.id
        ))
        .help(format!("cargo run --release --features faults -- {}", again.join(" "))));
    }
    let of_judge = fault.shown_by == [JUDGE];
    if of_judge && only.iter().all(|name| name != JUDGE) {
        return Err(Problem::new(format!("{} is a fault of the judge of shaders", fault.id))
            .help(format!("lockstep judge --fault {} FILE", fault.id)));
    }
    if !of_judge && only == [JUDGE] {
        return Err(Problem::new(format!("{} is no fault of the judge of shaders", fault.id))
            .help("`lockstep faults` lists them, shown by judge"));
    }
    if !fault.can_be_shown(only) {
        return Err(Problem::new(format!(
            "no engine that is asked can show {}: it takes one of {}",
            fault.id,
            fault.shown_by.join(", ")
        )));
    }
    Ok(fault)
}

fn settings(args: &Args, fault: Option<&Entry>) -> Result<Settings, Problem> {
    let time = match (args.seconds, args.programs) {
        (None, None) => Some(Duration::from_secs(60)),
        (seconds, _) => seconds,
    };
    let sources = sources(args, fault.is_some())?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let found = args.adapters.find()?;
    let mut options = reference::kit::language::Settings::default();
    if let Some(language) = args.language {
        set_options(&mut options, language, &args.set)?;
    }
    Ok(Settings {
        options,
        seed: args.seed.unwrap_or_else(drawn_seed),
        first: args.first.unwrap_or(0),
        resumed: None,
        time,
        programs: args.programs,
        threads: args.jobs.map_or(cores.min(1024), usize::from),
        findings: args.findings.clone(),
        claim: None,
        keep: args.keep,
        shrink: args.shrink,
        adapters: found.adapters,
        absent: found.absent,
        launcher: args.adapters.launcher()?,
        share: f64::from(args.share) / 100.0,
        only: args.adapters.engines.clone(),
        plan: Plan {
            planted: fault.map_or(Planted::NONE, Entry::planted),
            workarounds: args.workarounds.map(Into::into).unwrap_or_default(),
            decisions: args.deciding.policy(),
            ..Plan::default()
        },
        sources: sources.into(),
        language: args.language.or_else(|| fault.and_then(|fault| fault.language)),
        style: args.style,
        // Where a fault of a pass is planted each program is to meet the passes, and where one of a law of λG is, the laws.
        optimize: args.optimize.unwrap_or(match fault {
            None => OPTIMIZED,
            Some(fault) if fault.is_law_of_lambda_g() => 100,
            Some(_) => 0,
        }),
        fault: fault.map(|fault| fault.id.to_owned()),
        first_only: fault.is_some(),
    })
}

/// The programs that mutants are made of. Where a fault is planted there are none: how soon it is found is a
/// measure of the generator.
fn sources(args: &Args, planted: bool) -> Result<Sources, Problem> {
    let sources = match (&args.files[..], args.mutants) {
        _ if planted => Ok(Sources::none()),
        ([], share) => Sources::of(&args.seeds, args.language, share.unwrap_or(Sources::SHARE)),
        (files, _) => Sources::only(files, args.mutate),
    };
    let sources = sources.map_err(|error| Problem::new(error.to_string()))?;
    let wrong =
        sources.languages().find(|lang| can_be_asked(*lang, &args.adapters.engines).is_err());
    match wrong.filter(|_| !args.files.is_empty()) {
        Some(lang) => can_be_asked(lang, &args.adapters.engines).map(|()| sources),
        None => Ok(sources),
    }
}

/// A seed that differs from run to run: what the standard library seeds its maps with.
fn drawn_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    RandomState::new().build_hasher().finish() >> 32
}

/// Progress on a terminal, findings as they come.
struct View<'a> {
    bar: ProgressBar,
    json: bool,
    out: Mutex<&'a mut Out>,
    /// Ends the campaign where nobody reads what is found.
    stop: &'a AtomicBool,
    seconds: Option<f64>,
    /// Where standard error is no terminal: when the next line of progress is due.
    due: Mutex<Duration>,
}

/// How often progress is told where it cannot be drawn.
pub(super) const TOLD: Duration = Duration::from_secs(10);

impl<'a> View<'a> {
    fn new(args: &Args, settings: &Settings, out: &'a mut Out, stop: &'a AtomicBool) -> Self {
        let bar = ProgressBar::new(1000);
        let look = out.look();
        if args.json || !look.progress {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {msg}") {
            bar.set_style(look.bar(style));
        }
        let seconds = settings.time.map(|time| time.as_secs_f64());
        let (json, out, due) = (args.json, Mutex::new(out), Mutex::new(TOLD));
        Self { bar, json, out, stop, seconds, due }
    }

    /// Writes above the progress. Where standard output is closed the campaign ends.
    fn write(&self, write: impl FnOnce(&mut Out)) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        self.bar.suspend(|| write(&mut out));
        if out.is_closed() {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    fn line(&self, text: &str) {
        self.write(|out| out.line(text));
    }

    fn message(&self, text: &str) {
        self.write(|out| out.message(text));
    }
}

impl Watch for View<'_> {
    fn progress(&self, tally: &Tally, elapsed: Elapsed) {
        // A reader may go while nothing is found.
        self.write(|_| ());
        if let Some(all) = self.seconds {
            let part = elapsed.now.as_secs_f64() / all.max(1e-9);
            self.bar.set_position((1000.0 * part.min(1.0)) as u64);
        }
        let seconds = elapsed.all().as_secs_f64();
        let rate = tally.programs as f64 / seconds.max(1e-9);
        let slowest = tally.engines.iter().map(|(engine, count)| (engine, count.rate()));
        let slowest = slowest.min_by(|(_, a), (_, b)| a.total_cmp(b));
        let slowest = slowest
            .map_or_else(String::new, |(engine, rate)| format!(", slowest {engine} {rate:.0}/s"));
        let text = format!(
            "{seconds:.0} s, {}, {rate:.0} programs/s{slowest}, {}{}",
            things(tally.programs, "program"),
            things(tally.found(), "finding"),
            summary::apart(tally)
        );
        let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        if self.bar.is_hidden() && !self.json && elapsed.now >= *due {
            *due = elapsed.now + TOLD;
            self.message(&text);
        }
        self.bar.set_message(text);
    }

    fn found(&self, kept: &Kept) {
        if self.json {
            self.write(|out| out.json(&summary::finding(kept)));
            return;
        }
        self.line(&format!(
            "finding: {} ({}, were {}): {}",
            kept.record.finding.signature(),
            counted(kept.record.statements(), "statement"),
            kept.was,
            kept.path.display()
        ));
    }

    fn flaked(&self, record: &Record, path: &Path) {
        if self.json {
            self.write(|out| out.json(&summary::flake(record, path)));
            return;
        }
        self.line(&format!(
            "flake: {}, shown {} alone, so it does not count: {}",
            record.finding.signature(),
            record.shown,
            path.display()
        ));
    }

    fn unwritten(&self, record: &Record, error: &std::io::Error) {
        // The program is shown instead, so that it is not lost.
        self.message(&format!("a finding cannot be written ({error}):\n{}", record.text()));
    }

    fn broken(&self, text: &str) {
        self.message(text);
    }

    fn unsaved(&self, error: &std::io::Error) {
        let text = format!("the campaign cannot be kept, so --resume will not find it: {error}");
        self.message(&text);
    }
}
