//! `lockstep cost`
mod graph;
mod machine;
mod symbolic;

pub(super) use machine::{MachineFile, machine, machine_in};

use super::compile::{named, of};
use super::data;
use super::input::Source;
use super::options::{Deciding, Expansion, Limits, Programs};
use super::out::Out;
use super::problem::Problem;
use super::sizes;
use super::values::Input;
use super::{Answer, Status, show};
use crate::engine::{Stage, StageId};
use crate::language::Lang;
use crate::panics::catch;
use crate::pricing::{Priced, Pricing, Sample};
use crate::stages::{self, Plan, Stages};
use reference::cost::{
    self, Accesses, Executed, Machine, Mode, Report, Times, Transfers, World, machine_of,
    machine_over_default,
};
use reference::kit::memory::Memory;
use reference::kit::outcome::{Budget, Ending, Outcome, Value};
use reference::kit::text::Span;
use reference::languages;
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(
    after_help = "Example: lockstep cost corpus/fun/pass/matrix_product.fun --size n=64,m=64,l=64\n         \
    lockstep cost corpus/fun/pass/sum.fun --size n=1000 --on host\n         \
    lockstep cost corpus/device/pass/reduce.dev --dot | dot -Tsvg > graph.svg"
)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) programs: Programs,
    /// Sizes for the integer parameters, such as n=64,m=8; arrays hold made-up numbers. Without sizes or values the
    /// first input of the header counts
    #[arg(long, value_name = "NAME=SIZE,...", value_delimiter = ',', value_parser = sizes::size)]
    #[arg(conflicts_with_all = ["values", "file"])]
    size: Vec<(String, i32)>,
    #[command(flatten)]
    input: Input,
    /// A machine as JSON; what it does not say is as in the default one (docs/cost.md), or `paper`, `integrated`, `discrete`
    /// or `software`
    #[arg(long, value_name = "MACHINE")]
    machine: Option<PathBuf>,
    /// By which mode a program of lambda_g is priced; without this by each, and details as in `umm`
    #[arg(long, value_parser = mode_of)]
    mode: Option<Mode>,
    /// The schedule by which a program of lambda_g runs: `depth-first`, `breadth-first`, or a file with the numbers of all
    /// vertices of its graph in some order (see --dot). Without this both greedy ones
    #[arg(long, value_name = "SCHEDULE")]
    schedule: Option<String>,
    /// Regions of a program of lambda_g that lie in the memory of work groups while an `on` uses them, by their names
    #[arg(long, value_name = "REGION,...", value_delimiter = ',')]
    groups: Vec<String>,
    /// Where kernels run [default: device]
    #[arg(long)]
    on: Option<On>,
    /// Processors of the host, instead of the machine's
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    processors: Option<u64>,
    /// The language to price: the program as the passes leave it there. Without this the program itself, or
    /// the first on its road that has memory
    #[arg(long = "as", value_name = "LANGUAGE", conflicts_with = "stage")]
    #[arg(value_parser = super::options::named(Lang::ALL.iter().copied()))]
    lang: Option<Lang>,
    /// The pass behind which to price
    #[arg(long)]
    stage: Option<String>,
    /// How memory is expanded [default: coalesced]
    #[arg(long)]
    expansion: Option<Expansion>,
    #[command(flatten)]
    deciding: Deciding,
    #[command(flatten)]
    limits: Limits,
    /// Execute a part of the run that stands for all of it [default: auto]
    #[arg(long)]
    sample: Option<Sample>,
    /// What a program of lambda_g costs as a sum over 1, NAME, the numbers of warps, groups and rounds, and NAME log NAME,
    /// where NAME is the size of all parameters that --size says nothing of
    #[arg(long, value_name = "NAME", conflicts_with_all = ["values", "file"])]
    #[arg(value_parser = symbolic::name)]
    symbolic: Option<String>,
    /// Print the cost graph for `dot`; of lambda_g with the numbers of its vertices, if it is small
    #[arg(long, conflicts_with_all = ["json", "symbolic"])]
    dot: bool,
    /// Print the cost graph as SVG
    #[arg(long, conflicts_with_all = ["json", "dot", "symbolic"])]
    svg: bool,
}

/// A mode by its name.
pub(super) fn mode_of(text: &str) -> Result<Mode, String> {
    let found = Mode::ALL.into_iter().find(|mode| mode.name() == text);
    found.ok_or_else(|| format!("the modes are {}", Mode::ALL.map(Mode::name).join(", ")))
}

impl Args {
    /// Refuses options that do not fit programs of a language.
    fn fits(&self, lang: Lang) -> Result<(), Problem> {
        let graphs = lang.makes_graphs();
        let of_accesses = [
            ("--on", self.on.is_some()),
            ("--as", self.lang.is_some()),
            ("--stage", self.stage.is_some()),
            ("--expansion", self.expansion.is_some()),
            ("--chaos", self.deciding.chaos.is_some()),
            ("--decisions", self.deciding.decisions.is_some()),
            ("--sample", self.sample.is_some()),
        ];
        let of_graphs = [
            ("--mode", self.mode.is_some()),
            ("--schedule", self.schedule.is_some()),
            ("--groups", !self.groups.is_empty()),
            ("--symbolic", self.symbolic.is_some()),
        ];
        let (said, why): (&[(&str, bool)], _) = match graphs {
            true => (&of_accesses, "they are priced as they are, by the graphs of whole runs"),
            false => (&of_graphs, "they are priced by their accesses, in all modes at once"),
        };
        match said.iter().find(|(_, said)| *said) {
            None => Ok(()),
            Some((option, _)) => {
                let no = Problem::new(format!("{option} does not go with programs of {lang}"));
                Err(no.help(why))
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum On {
    /// Kernels are launched on the device
    Device,
    /// Threads are tasks of the host's processors
    Host,
}

/// What a program costs, with its places.
#[derive(Serialize)]
struct Line<'a> {
    file: String,
    stage: String,
    input: Vec<String>,
    machine: &'a Machine,
    sampled: bool,
    times: Times,
    host: Times,
    transfers: Transfers,
    schedules: Option<Schedules>,
    work: u64,
    depth: u64,
    peak_words: u64,
    allocated_words: u64,
    kernels: Vec<Kernel>,
    /// Races of the run: then this is the price of one order of its threads.
    races: Vec<data::Raced>,
}

/// A program whose run did not come to its end.
#[derive(Serialize)]
pub(super) struct Unpriced {
    pub(super) file: String,
    pub(super) stage: String,
    #[serde(flatten)]
    pub(super) end: data::End,
}

#[derive(Serialize)]
struct Schedules {
    processors: u64,
    depth_first: u64,
    breadth_first: u64,
}

#[derive(Serialize)]
struct Kernel {
    place: Option<String>,
    launches: u64,
    threads: u64,
    warps: u64,
    groups: u64,
    rounds: u64,
    barriers: u64,
    group_bytes: u64,
    executed: Executed,
    work: u64,
    longest: u64,
    times: Times,
    accesses: Accesses,
    statements: Vec<Statement>,
}

#[derive(Serialize)]
struct Statement {
    place: Option<String>,
    time: f64,
    accesses: Accesses,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    let file = args.machine.as_deref().map(MachineFile::read).transpose()?;
    let machine = machine_in(file.as_ref(), machine_over_default, args.processors)?;
    for (option, said) in [("--dot", args.dot), ("--svg", args.svg)] {
        if said && args.programs.files().len() > 1 {
            return Err(Problem::new(format!("{option} takes one program")));
        }
    }
    let given = args.input.read(&args.programs.paths)?;
    let mut worst = Status::Clean;
    for path in args.programs.files() {
        let ended = one(args, &path, given.as_deref(), (&machine, file.as_ref()), out);
        worst = worst.max(out.status(ended));
    }
    Ok(worst)
}

fn one(
    args: &Args,
    path: &Path,
    given: Option<&[Value]>,
    (machine, file): (&Machine, Option<&MachineFile>),
    out: &mut Out,
) -> Answer {
    let source = args.programs.open(path)?;
    args.fits(source.program.lang())?;
    let usual = Budget::default();
    let budget = args.limits.of(Budget { fuel: 3 * usual.fuel, ..usual });
    if let (Some(name), Some(program)) = (&args.symbolic, graph::of(&source.program)) {
        let machine = &machine_in(file, machine_of, args.processors)?;
        return symbolic::Symbolic { args, name, machine, source: &source, program, budget }
            .tell(out);
    }
    let input = sizes::input(&args.size, &source, given)?;
    let case = source.case(input, budget)?;
    let machine = match source.program.lang().makes_graphs() {
        true => &machine_in(file, machine_of, args.processors)?,
        false => machine,
    };
    if let Some(program) = graph::of(&source.program) {
        return graph::Priced { args, machine, source: &source, case: &case, program }.tell(out);
    }
    let last = last(args, source.program.lang());
    let plan = Plan {
        decisions: args.deciding.policy(),
        ..args.expansion.unwrap_or(Expansion::Coalesced).plan()
    }
    .with(&case.settings);
    let stages = Stages::up_to(&source.program, plan, last);
    let placed = |problem: Problem| problem.placed(&source);
    let stage = match (&args.stage, args.lang) {
        (Some(name), _) => named(&stages, name).map_err(placed)?,
        (None, Some(lang)) => of(&stages, lang).map_err(placed)?,
        (None, None) if source.program.lang().has_memory() => &stages.list[0],
        (None, None) => of(&stages, with_memory(source.program.lang())).map_err(placed)?,
    };
    let memory = &mut Memory::default();
    let how = case.how(&stage.artifact, memory);
    let world = match args.on {
        Some(On::Host) => World::Host,
        Some(On::Device) | None => World::Device,
    };
    let sample = args.sample.unwrap_or_default();
    let pricing = Pricing { machine: machine.clone(), world, sample };
    let priced = catch(|| pricing.price(&stage.artifact, &case.input, how))
        .map_err(|text| Problem::new(format!("lockstep has a bug: {text}")))?;
    let Priced { outcome, report, irregular, .. } = priced;
    if let Some(no) = irregular {
        let site = at(&source, no.site).map_or(String::new(), |place| format!(" at {place}"));
        let why =
            format!("all of it is executed: no part stands for the whole{site}, for {}", no.why);
        out.message(&why);
    }
    let report = report.map_err(|large| {
        let no = Problem::new(format!("this is too large to be priced: {}", large.why));
        match at(&source, large.site) {
            Some(_) => no.at(large.site, &source.name(), &source.text),
            None => no,
        }
    })?;
    if !matches!(outcome.ending, Ending::Value(_)) {
        if args.programs.json {
            let (file, stage) = (source.name(), stage.id.to_string());
            out.json(&Unpriced { file, stage, end: data::End::of(&source, &outcome) });
        } else {
            show::outcome(out, &source, &outcome, show::Races::First);
            out.message("what it costs is not known: the run did not come to its end");
        }
        return Ok(show::status(&outcome));
    }
    if args.dot {
        out.text(&report.graph.dot());
    } else if args.svg {
        out.text(&report.graph.svg());
    } else if args.programs.json {
        out.json(&line(&source, stage, (&case.input, &outcome), &report));
    } else {
        text(&source, stage, &case.input, &report, out);
    }
    if !outcome.races.is_empty() {
        let first = Outcome { races: outcome.races[..1].to_vec(), ..outcome.clone() };
        show::wrong(out, &source, &first, show::Races::First);
        out.message("the program races: this is the price of one order of its threads");
    }
    Ok(show::status(&outcome))
}

/// The first language on the road of programs of this one that has memory.
fn with_memory(source: Lang) -> Lang {
    let mut road = Lang::ALL.iter().copied().filter(|lang| stages::leads(source, *lang));
    road.find(|lang| lang.has_memory()).unwrap_or(source)
}

/// The last pass that has to be run.
fn last(args: &Args, source: Lang) -> StageId {
    match &args.stage {
        None if args.lang.is_none() && source.has_memory() => StageId::SOURCE,
        None => stages::last_of(args.lang.unwrap_or_else(|| with_memory(source)), source),
        Some(name) => {
            let names = stages::names().into_iter();
            names.map(StageId).find(|stage| stage.0 == name).unwrap_or(stages::EMIT)
        }
    }
}

fn line<'a>(
    source: &Source,
    stage: &Stage<'_>,
    (input, outcome): (&[Value], &Outcome),
    report: &'a Report,
) -> Line<'a> {
    let kernels = report.kernels.iter().map(|kernel| {
        let own = report.statements.iter().filter(|statement| statement.kernel == kernel.site);
        let statements = own.map(|statement| Statement {
            place: at(source, statement.site),
            time: statement.time,
            accesses: statement.accesses,
        });
        Kernel {
            place: at(source, kernel.site),
            launches: kernel.launches,
            threads: kernel.threads,
            warps: kernel.warps,
            groups: kernel.groups,
            rounds: kernel.rounds,
            barriers: kernel.barriers,
            group_bytes: bytes(kernel.group_words),
            executed: kernel.executed,
            work: kernel.work,
            longest: kernel.longest,
            times: kernel.times,
            accesses: kernel.accesses,
            statements: statements.collect(),
        }
    });
    let schedules = report.schedules.map(|[depth_first, breadth_first]| Schedules {
        processors: report.machine.processors,
        depth_first: depth_first.time,
        breadth_first: breadth_first.time,
    });
    Line {
        file: source.name(),
        stage: stage.id.to_string(),
        input: input.iter().map(shape).collect(),
        machine: &report.machine,
        sampled: report.is_sampled(),
        times: report.times,
        host: report.host,
        transfers: report.transfers,
        schedules,
        work: report.work,
        depth: report.depth,
        peak_words: report.peak,
        allocated_words: report.allocated,
        kernels: kernels.collect(),
        races: outcome.races.iter().map(|race| data::Raced::of(source, race)).collect(),
    }
}

/// A scalar as it is, of an array its shape, of a list its length.
pub(super) fn shape(value: &Value) -> String {
    match value {
        Value::Array { shape, .. } => shape.iter().map(|size| format!("[{size}]")).collect(),
        Value::List(parts) => format!("[{}]", parts.len()),
        Value::Tuple(parts) => {
            let parts: Vec<String> = parts.iter().map(shape).collect();
            format!("({})", parts.join(", "))
        }
        other => other.to_string(),
    }
}

/// A number with its thousands apart.
pub(super) fn thousands(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

pub(super) fn count(number: u64) -> String {
    thousands(number as f64)
}

/// `1 launch`, `2,000 launches`
pub(super) fn things(number: u64, what: &str, plural: &str) -> String {
    format!("{} {what}{}", count(number), if number == 1 { "" } else { plural })
}

fn text(source: &Source, stage: &Stage<'_>, input: &[Value], report: &Report, out: &mut Out) {
    let lang = stage.artifact.lang();
    let named = match stage.id {
        StageId::SOURCE => format!("as it is, in {lang}"),
        id => format!("behind {id}, in {lang}"),
    };
    out.line(format!("{}, {named}", source.name()));
    if !input.is_empty() {
        let said: Vec<_> = input.iter().map(shape).collect();
        out.line(format!("input: {}", said.join(", ")));
    }
    times(source, report, out);
    if report.schedules.is_none() {
        report.kernels.iter().for_each(|of| kernel(source, of, report, out));
    }
}

/// How long the parts take, and what else a program costs.
fn times(source: &Source, report: &Report, out: &mut Out) {
    let Report { times, host, transfers, kernels, .. } = report;
    let row = |name: &str, times: Times| {
        let [paper, umm, cal] = Mode::ALL.map(|mode| thousands(times.of(mode)));
        format!("  {name:<30}{paper:>16}{umm:>16}{cal:>16}")
    };
    if kernels.iter().any(cost::Kernel::is_sampled) {
        let (some, all) = kernels
            .iter()
            .fold((0, 0), |(some, all), kernel| (some + kernel.executed.warps, all + kernel.warps));
        let warps = things(all, "warp", "s");
        out.line(format!("the price is sampled: {} of {warps} were executed", count(some)));
    }
    if report.host_is_sampled {
        out.line("the price is sampled: some rounds of the host's loops were executed");
    }
    out.line(format!("\n  {:<30}{:>16}{:>16}{:>16}", "time", "paper", "umm", "cal"));
    match &report.schedules {
        None => {
            out.line(row("host", *host));
            out.line(row("transfers", transfers.times));
            for kernel in kernels {
                out.line(row(&format!("kernel {}", place(source, kernel.site)), kernel.times));
            }
            out.line(row("all", *times));
        }
        Some([depth_first, breadth_first]) => {
            let both = [("depth-first", depth_first), ("breadth-first", breadth_first)];
            for (name, scheduled) in both {
                out.line(row(name, Times::same(scheduled.time)));
            }
            out.line(format!(
                "  (kernels on {} processors of the host)",
                report.machine.processors
            ));
        }
    }
    out.line(format!(
        "\nwork {}, depth {}; {} words live at most, {} allocated",
        count(report.work),
        count(report.depth),
        count(report.peak),
        count(report.allocated)
    ));
    let [to_device, to_host] = [transfers.to_device[1], transfers.to_host[1]].map(count);
    if report.schedules.is_none() {
        out.line(format!("{to_device} words go to the device, {to_host} come back"));
    }
}

/// What a kernel consists of, and its statements.
fn kernel(source: &Source, kernel: &cost::Kernel, report: &Report, out: &mut Out) {
    let cost::Kernel { launches, threads, warps, groups, rounds, longest, .. } = *kernel;
    let launched = match launches {
        1 => String::new(),
        n => format!(" in {}", things(n, "launch", "es")),
    };
    let parts = [(threads, "thread"), (warps, "warp"), (groups, "work group"), (rounds, "round")];
    let [threads, warps, groups, rounds] = parts.map(|(n, what)| things(n, what, "s"));
    out.line(format!(
        "\nkernel {}: {threads}{launched}, {warps}, {groups}, {rounds}; {} in the longest thread",
        place(source, kernel.site),
        things(longest, "step", "s")
    ));
    if kernel.is_sampled() {
        let Executed { warps: some, accesses } = kernel.executed;
        let all = kernel.accesses.global + kernel.accesses.group;
        out.line(format!(
            "  sampled: {} of {warps} and {} of {} were executed",
            count(some),
            count(accesses),
            things(all, "access", "es")
        ));
    }
    if kernel.barriers > 0 || kernel.group_words > 0 {
        out.line(format!(
            "  {}, {} of memory a work group, {}",
            things(kernel.barriers, "barrier", "s"),
            things(bytes(kernel.group_words), "byte", "s"),
            things(kernel.accesses.conflicts, "bank conflict", "s")
        ));
    }
    let own: Vec<_> = report.statements.iter().filter(|of| of.kernel == kernel.site).collect();
    if !own.is_empty() {
        out.line(format!(
            "  {:<22}{:>14}{:>14}{:>8}{:>12}{:>12}{:>7}",
            "statement", "accesses", "requests", "a warp", "conflicts", "misses", "umm"
        ));
    }
    for statement in own {
        let Accesses { global, requests, misses, group, group_requests, conflicts, steps } =
            statement.accesses;
        let (accesses, requests) = (global + group, requests + group_requests);
        let each = requests as f64 / steps.max(1) as f64;
        let share = 100.0 * statement.time / kernel.times.umm.max(1) as f64;
        let place = place(source, statement.site);
        let [accesses, requests, conflicts, misses] =
            [accesses, requests, conflicts, misses].map(count);
        out.line(format!(
            "  {place:<22}{accesses:>14}{requests:>14}{each:>8.1}{conflicts:>12}{misses:>12}{share:>6.0}%"
        ));
    }
}

/// The bytes of so many words.
fn bytes(words: u32) -> u64 {
    4 * u64::from(words)
}

/// Line and column of a statement, in the program or in a library; none of what no text stands for.
fn at(source: &Source, site: Span) -> Option<String> {
    let of_text = site.start < site.end && site.end as usize <= source.text.len();
    let known = of_text || languages::library(site.start).is_some();
    known.then(|| languages::place(&source.text, site.start))
}

pub(super) fn place(source: &Source, site: Span) -> String {
    at(source, site).unwrap_or_else(|| "-".to_owned())
}
