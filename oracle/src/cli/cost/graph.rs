//! `lockstep cost` of programs whose semantics makes the cost graphs of their runs.

use super::{Args, Unpriced, count, place, shape, things, thousands};
use crate::cli::data::End;
use crate::cli::input::{Source, text_of};
use crate::cli::out::Out;
use crate::cli::problem::Problem;
use crate::cli::{Answer, Status, show};
use crate::engine::{Case, StageId};
use crate::language::{Artifact, Listed};
use crate::panics::catch;
use crate::pricing::graph::{Priced as Run, TooMuch, price};
use reference::cost::graph::{Greedy, MOST};
use reference::cost::{Accesses, Formula, MOST_DRAWN, Machine, Mode, Order};
use reference::kit::names::Var;
use reference::kit::outcome::Ending;
use reference::kit::text::Span;
use reference::lambda_g::LambdaG;
use reference::lambda_g::eval::{Setting, places};
use reference::lambda_g::report::{Asked, Moved, OfRegion, OnDevice, Refused, Report, Schedule};
use reference::lambda_g::syntax::Program;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;

/// The program, if its semantics makes cost graphs.
pub(super) fn of(program: &Artifact) -> Option<&Program> {
    LambdaG::of(program)
}

/// A program that is to be priced by the graphs of its runs.
pub(super) struct Priced<'a> {
    pub(super) args: &'a Args,
    pub(super) machine: &'a Machine,
    pub(super) source: &'a Source,
    pub(super) case: &'a Case,
    pub(super) program: &'a Program,
}

/// The schedule that is asked for.
pub(super) enum Said {
    Both,
    Greedy(Greedy),
    /// An order of vertices, the name of its file, and its text.
    Order(Order, String, String),
}

impl Said {
    pub(super) fn of(said: Option<&str>) -> Result<Self, Problem> {
        Ok(match said {
            None => Said::Both,
            Some("depth-first") => Said::Greedy(Greedy::DepthFirst),
            Some("breadth-first") => Said::Greedy(Greedy::BreadthFirst),
            Some(path) => {
                let text = text_of(Path::new(path), "a schedule")?;
                let order = Order::read(&text).map_err(|no| Problem::rejected(no, path, &text))?;
                Said::Order(order, path.to_owned(), text)
            }
        })
    }

    fn asked(&self) -> Asked<'_> {
        match self {
            Said::Both => Asked::Both,
            Said::Greedy(greedy) => Asked::Greedy(*greedy),
            Said::Order(order, ..) => Asked::Order(order),
        }
    }
}

/// What a program costs in a mode, with its places.
#[derive(Serialize)]
struct Line<'a> {
    file: String,
    stage: String,
    input: Vec<String>,
    machine: &'a Machine,
    mode: Mode,
    schedules: &'a [Schedule],
    work: u64,
    formula: &'a Formula,
    depth: u64,
    vertices: u64,
    longest: u64,
    given_words: u64,
    allocated_words: u64,
    left_words: i64,
    to_device: Moved,
    to_host: Moved,
    regions: &'a [OfRegion],
    on: Vec<Device>,
}

/// What an `on` costs.
#[derive(Serialize)]
struct Device {
    place: String,
    runs: u64,
    to_device: Moved,
    time: u64,
    to_host: Moved,
    accesses: Accesses,
    rounds: u64,
    parted: u64,
}

impl Priced<'_> {
    /// Prices it, and says what it costs.
    pub(super) fn tell(&self, out: &mut Out) -> Answer {
        let said = Said::of(self.args.schedule.as_deref())?;
        // Numbers of vertices are those of one graph, and so is a drawing.
        let one = self.args.dot || self.args.svg || matches!(said, Said::Order(..));
        let modes = match self.args.mode {
            Some(mode) => vec![mode],
            None if one => vec![Mode::Paper],
            None => Mode::ALL.to_vec(),
        };
        let mut reports = Vec::new();
        for mode in modes {
            match self.price(mode, &said, out)? {
                Ok(report) => reports.push(report),
                Err(status) => return Ok(status),
            }
        }
        if self.args.dot {
            let graph = &reports[0].graph;
            match graph.dot_of_vertices() {
                Ok(text) => out.text(&text),
                Err(vertices) => {
                    let vertices = count(vertices);
                    out.message(&format!(
                        "{vertices} vertices are too many to be drawn with their numbers: {MOST_DRAWN} are at most"
                    ));
                    out.text(&graph.dot());
                }
            }
        } else if self.args.svg {
            out.text(&reports[0].graph.svg());
        } else if self.args.programs.json {
            reports.iter().for_each(|report| out.json(&self.line(report)));
        } else {
            self.text(&reports, out);
        }
        Ok(Status::Clean)
    }

    /// The regions that lie in the memory of work groups, each with the `on` that uses it.
    fn groups(&self) -> Result<BTreeSet<(Span, Var)>, Problem> {
        let used = places(self.program);
        let name = |var: Var| self.program.names.written(var);
        let unused = |said: &&String| !used.iter().any(|(_, var)| name(*var) == **said);
        if let Some(said) = self.args.groups.iter().find(unused) {
            let no = Problem::new(format!("no `on` uses a region `{said}`"));
            let names: BTreeSet<&str> = used.iter().map(|(_, var)| name(*var)).collect();
            let names: Vec<&str> = names.into_iter().collect();
            return Err(match &names[..] {
                [] => no.help("the program runs nothing on the device"),
                names => no.help(format!("there are {}", names.join(", "))),
            });
        }
        let said = |(_, var): &(Span, Var)| self.args.groups.iter().any(|of| of == name(*var));
        Ok(used.into_iter().filter(said).collect())
    }

    /// What it costs in a mode, or how the run ended that has no price.
    pub(super) fn price(
        &self,
        mode: Mode,
        said: &Said,
        out: &mut Out,
    ) -> Result<Result<Report, Status>, Problem> {
        let Self { source, case, program, .. } = *self;
        let setting = Setting {
            machine: self.machine.clone(),
            mode,
            groups: self.groups()?,
            ..Setting::default()
        };
        let run = catch(|| price(program, &case.input, &setting, &case.budget, said.asked()))
            .map_err(|text| Problem::new(format!("lockstep has a bug: {text}")))?;
        let Run { outcome, report, refused } = run;
        match refused {
            None => {}
            Some(TooMuch::Schedule(Refused::Order(no))) => {
                let Said::Order(_, name, text) = said else { return Err(Problem::new(no.message)) };
                return Err(Problem::rejected(no, name, text));
            }
            Some(refused) => {
                let may = case.budget.memory;
                let no = Problem::new(format!("{}: {}", source.name(), too_much(&refused, may)));
                return Err(no.help("--memory MIB allows more, and a smaller input takes less"));
            }
        }
        if let (Some(report), Ending::Value(_)) = (report, &outcome.ending) {
            return Ok(Ok(report));
        }
        if self.args.programs.json {
            let (file, stage) = (source.name(), StageId::SOURCE.to_string());
            out.json(&Unpriced { file, stage, end: End::of(source, &outcome) });
        } else {
            show::outcome(out, source, &outcome, show::Races::First);
            out.message("what it costs is not known: the run did not come to its end");
        }
        Ok(Err(show::status(&outcome)))
    }

    fn line<'r>(&self, report: &'r Report) -> Line<'r> {
        let on = |of: &OnDevice| Device {
            place: place(self.source, of.site),
            runs: of.runs,
            to_device: of.to_device,
            time: of.device,
            to_host: of.to_host,
            accesses: of.accesses,
            rounds: of.rounds,
            parted: of.parted,
        };
        Line {
            file: self.source.name(),
            stage: StageId::SOURCE.to_string(),
            input: self.case.input.iter().map(shape).collect(),
            machine: &report.machine,
            mode: report.mode,
            schedules: &report.schedules,
            work: report.work,
            formula: &report.formula,
            depth: report.depth,
            vertices: report.vertices,
            longest: report.longest,
            given_words: report.given,
            allocated_words: report.allocated,
            left_words: report.left,
            to_device: report.to_device,
            to_host: report.to_host,
            regions: &report.regions,
            on: report.on.iter().map(on).collect(),
        }
    }

    fn text(&self, reports: &[Report], out: &mut Out) {
        let Self { source, case, .. } = self;
        out.line(format!("{}, as it is, in {}", source.name(), source.program.lang()));
        if !case.input.is_empty() {
            let said: Vec<_> = case.input.iter().map(shape).collect();
            out.line(format!("input: {}", said.join(", ")));
        }
        table(source, reports, out);
        if self.machine.has_symbols() {
            out.line("\nwork in the symbols of the paper");
            for report in reports {
                out.line(format!("  {:<8}{}", report.mode.name(), report.formula));
            }
        }
        let detailed = reports.iter().find(|report| report.mode == Mode::Umm);
        let Some(report) = detailed.or(reports.first()) else { return };
        let Report { given, allocated, left, .. } = report;
        out.line(format!(
            "\n{} words of parameters, {} allocated, {} of these left at the end",
            count(*given),
            count(*allocated),
            thousands(*left as f64)
        ));
        report.on.iter().for_each(|on| device(source, on, report.mode, out));
        regions(report, out);
    }
}

/// Why a run that takes more than so many bytes has no price.
fn too_much(refused: &TooMuch, may: u64) -> String {
    let mib = |bytes: u64| count(bytes.div_ceil(1 << 20));
    let sum = |a: u64, b: u64| {
        format!("{} MiB together, and a run may take {} MiB", mib(a.saturating_add(b)), mib(may))
    };
    match refused {
        TooMuch::Graph { graph, values } => format!(
            "the cost graph of its run would take {} MiB, and its values take {} MiB: {}",
            mib(*graph),
            mib(*values),
            sum(*graph, *values)
        ),
        TooMuch::Schedule(Refused::Large { vertices, bytes, graph }) if *vertices <= MOST => {
            format!(
                "the cost graph of its run has {} vertices and takes {} MiB; to schedule them would take {} MiB: {}",
                count(*vertices),
                mib(*graph),
                mib(*bytes),
                sum(*graph, *bytes)
            )
        }
        TooMuch::Schedule(Refused::Large { vertices, bytes, graph }) => format!(
            "the cost graph of its run has {} vertices, and {} are scheduled at most; they would take {} MiB",
            count(*vertices),
            count(MOST),
            mib(graph.saturating_add(*bytes))
        ),
        TooMuch::Schedule(Refused::Order(no)) => no.message.clone(),
    }
}

/// Times, work, depth and space, with a column for each mode.
fn table(source: &Source, reports: &[Report], out: &mut Out) {
    let Some(first) = reports.first() else { return };
    let row = |name: &str, of: &dyn Fn(&Report) -> u64| {
        let columns: String = reports.iter().map(|it| format!("{:>16}", count(of(it)))).collect();
        format!("  {name:<30}{columns}")
    };
    let modes: String = reports.iter().map(|it| format!("{:>16}", it.mode.name())).collect();
    out.line(format!("\n  {:<30}{modes}", "time"));
    let names = first.schedules.iter().map(|schedule| schedule.name.replace('_', "-"));
    let names: Vec<String> = names.collect();
    for (at, name) in names.iter().enumerate() {
        out.line(row(name, &|it| it.schedules[at].scheduled.time));
    }
    out.line(row("transfers", &|it| it.to_device.time.saturating_add(it.to_host.time)));
    for (at, on) in first.on.iter().enumerate() {
        out.line(row(&format!("on {}", place(source, on.site)), &|it| it.on[at].device));
    }
    out.line(format!("  ({} of the host)", things(first.machine.processors, "processor", "s")));
    out.line(row("work", &|it| it.work));
    out.line(row("depth", &|it| it.depth));
    out.line(row("vertices", &|it| it.vertices));
    for (at, name) in names.iter().enumerate() {
        out.line(row(&format!("steps, {name}"), &|it| it.schedules[at].scheduled.steps));
    }
    for (at, name) in names.iter().enumerate() {
        out.line(row(&format!("words at most, {name}"), &|it| it.schedules[at].space));
    }
}

/// What an `on` does.
fn device(source: &Source, on: &OnDevice, mode: Mode, out: &mut Out) {
    let OnDevice { site, runs, to_device, to_host, accesses, rounds, parted, .. } = on;
    out.line(format!(
        "\non {}: {}; {} words go to the device in {}, {} come back in {}",
        place(source, *site),
        things(*runs, "run", "s"),
        count(to_device.words),
        count(to_device.time),
        count(to_host.words),
        count(to_host.time)
    ));
    if mode == Mode::Paper {
        return;
    }
    out.line(format!(
        "  {} in {}, {} in the memory of work groups in {}, {}; warps part in {}",
        things(accesses.global, "access", "es"),
        things(accesses.requests, "request", "s"),
        count(accesses.group),
        things(accesses.group_requests, "request", "s"),
        things(*rounds, "round", "s"),
        things(*parted, "step", "s")
    ));
}

/// What is done to regions.
fn regions(report: &Report, out: &mut Out) {
    let columns = |cells: [&str; 10]| {
        let [name, rest @ ..] = cells;
        let rest: String = rest.iter().map(|cell| format!("{cell:>13}")).collect();
        format!("  {name:<16}{rest}")
    };
    out.line(format!("\nregions, in {}", report.mode.name()));
    out.line(columns([
        "region",
        "made",
        "words",
        "at most",
        "reads",
        "writes",
        "on device",
        "to device",
        "to host",
        "time",
    ]));
    for OfRegion { name, made, counts } in &report.regions {
        let of = [
            *made,
            counts.words,
            counts.most,
            counts.reads,
            counts.writes,
            counts.device_reads + counts.device_writes,
            counts.to_device,
            counts.to_host,
            counts.time,
        ];
        let of = of.map(count);
        let [a, b, c, d, e, f, g, h, i] = of.each_ref().map(String::as_str);
        out.line(columns([name, a, b, c, d, e, f, g, h, i]));
    }
}
