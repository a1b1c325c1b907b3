//! `lockstep place`

use super::cost::{MachineFile, count, machine_in, mode_of, place as place_of, shape, things};
use super::input::Source;
use super::options::{Limits, Programs};
use super::out::Out;
use super::problem::Problem;
use super::values::Input;
use super::{Answer, Status, sizes};
use crate::language::Listed;
use crate::panics::catch;
use crate::pricing::place::{Found, Full, Placed, Placing, Way, crossover};
use reference::cost::graph::Greedy;
use reference::cost::{Machine, Mode, machine_of};
use reference::kit::names::Var;
use reference::kit::outcome::{Budget, Value};
use reference::kit::text::Span;
use reference::lambda_g::LambdaG;
use reference::lambda_g::print;
use reference::lambda_g::syntax::Program;
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(
    after_help = "Example: lockstep place corpus/lambda_g/pass/rows_of_a_matrix.lg --mode paper\n         \
    lockstep place corpus/lambda_g/pass/dot_product.lg --size xs=64..1024,ys=64..1024"
)]
pub(super) struct Args {
    #[command(flatten)]
    programs: Programs,
    /// Sizes, as of `lockstep cost`. With FROM..TO, which may stand at several names and is the same for all, ways are
    /// priced at the larger size, and the size is told from which on the device costs less
    #[arg(long, value_name = "NAME=SIZE,...", value_delimiter = ',', value_parser = sizes::range)]
    #[arg(conflicts_with_all = ["values", "file"])]
    size: Vec<(String, i32, i32)>,
    #[command(flatten)]
    input: Input,
    /// A machine as JSON, with every constant (docs/cost.md), or `paper`, `integrated`, `discrete`
    /// or `software`
    #[arg(long, value_name = "MACHINE")]
    machine: Option<PathBuf>,
    /// Processors of the host, instead of the machine's
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    processors: Option<u64>,
    /// By which mode ways are compared
    #[arg(long, default_value = "umm", value_parser = mode_of)]
    mode: Mode,
    /// The schedule of the host's processors
    #[arg(long, default_value = "depth-first")]
    schedule: Schedule,
    #[command(flatten)]
    limits: Limits,
    /// List every way, not only the first twenty
    #[arg(long)]
    all: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Schedule {
    /// What comes first in the sequential order
    DepthFirst,
    /// What was ready first
    BreadthFirst,
}

impl Schedule {
    fn greedy(self) -> Greedy {
        match self {
            Schedule::DepthFirst => Greedy::DepthFirst,
            Schedule::BreadthFirst => Greedy::BreadthFirst,
        }
    }
}

/// All ways of a program, the cheapest first.
#[derive(Serialize)]
struct Line<'a> {
    file: String,
    input: Vec<String>,
    machine: &'a Machine,
    mode: Mode,
    schedule: &'static str,
    /// Are these all ways that there are?
    all: bool,
    ways: Vec<Row>,
    /// The number of the way that is written, from 1.
    written: Option<usize>,
    crossover: Option<Crossover>,
    /// The program of the first way.
    program: Option<String>,
}

#[derive(Serialize)]
struct Row {
    time: Option<u64>,
    why: Option<String>,
    /// The region that is full on the device, if that is why.
    #[serde(skip_serializing_if = "Option::is_none")]
    full: Option<FullRegion>,
    on: Vec<On>,
    threads: u64,
}

#[derive(Serialize)]
struct FullRegion {
    region: String,
    place: String,
    needed: Vec<Needed>,
}

/// What a `letregion` has to say.
#[derive(Serialize)]
struct Needed {
    region: String,
    words: u64,
}

/// An `on`.
#[derive(Serialize)]
struct On {
    place: String,
    at: String,
    written: bool,
    /// The regions in the memory of work groups.
    groups: Vec<String>,
}

/// From which size on the device costs less.
#[derive(Serialize)]
struct Crossover {
    from: i32,
    to: i32,
    size: Option<i32>,
    device: Row,
    host: Row,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    let file = args.machine.as_deref().map(MachineFile::read).transpose()?;
    let machine = machine_in(file.as_ref(), machine_of, args.processors)?;
    let mut ranges = args.size.iter().filter(|(_, from, to)| from != to);
    let range = ranges.next().map(|(_, from, to)| (*from, *to));
    if ranges.any(|(_, from, to)| Some((*from, *to)) != range) {
        let no = Problem::new("--size has two ranges that differ");
        return Err(no.help("one range may stand at several names"));
    }
    let given = args.input.read(&args.programs.paths)?;
    let mut worst = Status::Clean;
    for path in args.programs.files() {
        let ended = one(args, &path, given.as_deref(), &machine, range, out);
        worst = worst.max(out.status(ended));
    }
    Ok(worst)
}

/// A program with its ways.
struct Search<'a> {
    source: &'a Source,
    program: &'a Program,
    placing: Placing<'a>,
    machine: &'a Machine,
    args: &'a Args,
}

fn one(
    args: &Args,
    path: &Path,
    given: Option<&[Value]>,
    machine: &Machine,
    range: Option<(i32, i32)>,
    out: &mut Out,
) -> Answer {
    let source = args.programs.open(path)?;
    let Some(program) = LambdaG::of(&source.program) else {
        let lang = source.program.lang();
        let no = Problem::new(format!("{}: programs of {lang} have no `on`", source.name()));
        return Err(no.help("`lockstep cost` prices them, `lockstep optimize` rewrites some"));
    };
    let usual = Budget::default();
    let budget = args.limits.of(Budget { fuel: 3 * usual.fuel, ..usual });
    let sized = |nth: Option<i32>| -> Result<Vec<Value>, Problem> {
        let sizes = args.size.iter();
        let sizes = sizes.map(|(name, from, to)| {
            (name.clone(), if from == to { *to } else { nth.unwrap_or(*to) })
        });
        let input = sizes::input(&sizes.collect::<Vec<_>>(), &source, given)?;
        Ok(source.case(input, budget)?.input)
    };
    let input = sized(None)?;
    let placing = Placing::new(program, machine, args.mode, args.schedule.greedy(), budget);
    let search = Search { source: &source, program, placing, machine, args };
    let bug = |text: String| Problem::new(format!("lockstep has a bug: {text}"));
    let found = catch(|| search.placing.search(&input)).map_err(bug)?;
    let crossed = match (range, found.best(true), found.best(false)) {
        (Some(range), Some(device), Some(host)) => {
            let size = crossover(range, |size| {
                let input = sized(Some(size)).map_err(|no| no.to_string())?;
                let time = |of: &Placed| search.placing.price(&of.way, &input).time;
                Ok(time(device)? < time(host)?)
            });
            let size = size.map_err(|why| Problem::new(format!("no crossover is found: {why}")))?;
            let (device, host) = (search.row(device), search.row(host));
            Some(Crossover { from: range.0, to: range.1, size, device, host })
        }
        _ => None,
    };
    if args.programs.json {
        out.json(&search.line(&found, &input, crossed));
    } else {
        search.text(&found, &input, crossed, out);
    }
    match found.all.first() {
        Some(Placed { time: Ok(_), .. }) => Ok(Status::Clean),
        _ => Ok(Status::Unusable),
    }
}

impl Search<'_> {
    fn row(&self, placed: &Placed) -> Row {
        let spots = self.placing.spots();
        let on = placed.way.on.iter().map(|at| {
            let spot = &spots[*at];
            On {
                place: self.range(spot.span),
                at: self.program.names.written(spot.at.var).to_owned(),
                written: spot.written,
                groups: self.groups(&placed.way, spot.span),
            }
        });
        Row {
            time: placed.time.as_ref().ok().copied(),
            why: placed.time.as_ref().err().cloned(),
            full: placed.full.as_ref().map(|full| self.full(full)),
            on: on.collect(),
            threads: self.machine.width * placed.way.warps,
        }
    }

    fn full(&self, full: &Full) -> FullRegion {
        let name = |var: Var| self.program.names.written(var).to_owned();
        let needed = full.needed.iter();
        let needed = needed.map(|(var, words)| Needed { region: name(*var), words: *words });
        FullRegion {
            region: name(full.region),
            place: place_of(self.source, full.site),
            needed: needed.collect(),
        }
    }

    /// The regions that an `on` uses in the memory of work groups.
    fn groups(&self, way: &Way, on: Span) -> Vec<String> {
        let own = way.groups.iter().filter(|(of, _)| *of == on);
        own.map(|(_, var)| self.program.names.written(*var).to_owned()).collect()
    }

    /// From where to where a part of the text goes.
    fn range(&self, span: Span) -> String {
        let last = Span::new(span.end.saturating_sub(1) as usize, span.end as usize);
        format!("{}-{}", place_of(self.source, span), place_of(self.source, last))
    }

    fn line(&self, found: &Found, input: &[Value], crossover: Option<Crossover>) -> Line<'_> {
        let written = found.all.iter().position(|placed| placed.way == found.written);
        Line {
            file: self.source.name(),
            input: input.iter().map(shape).collect(),
            machine: self.machine,
            mode: self.args.mode,
            schedule: self.schedule(),
            all: found.whole,
            ways: found.all.iter().map(|placed| self.row(placed)).collect(),
            written: written.map(|at| at + 1),
            crossover,
            program: self.first(found),
        }
    }

    fn schedule(&self) -> &'static str {
        match self.args.schedule {
            Schedule::DepthFirst => "depth_first",
            Schedule::BreadthFirst => "breadth_first",
        }
    }

    /// The text of the cheapest program.
    fn first(&self, found: &Found) -> Option<String> {
        let first = found.all.first().filter(|placed| placed.time.is_ok())?;
        Some(print::program(&self.placing.program(&first.way)?))
    }

    fn text(&self, found: &Found, input: &[Value], crossover: Option<Crossover>, out: &mut Out) {
        let ways = things(found.all.len() as u64, "way", "s");
        let ways = match found.whole {
            true => format!("{ways} in all"),
            false => {
                format!("{ways} of more, the best that was found first")
            }
        };
        let schedule = self.schedule().replace('_', "-");
        let processors = things(self.machine.processors, "processor", "s");
        out.line(format!("{}: {ways}", self.source.name()));
        out.line(format!("times in {}, {schedule} on {processors}", self.args.mode.name()));
        if !input.is_empty() {
            let said: Vec<_> = input.iter().map(shape).collect();
            out.line(format!("input: {}", said.join(", ")));
        }
        if !found.whole && found.all.iter().all(|placed| placed.time.is_err()) {
            out.line("no other way is tried, since these do not come to an end");
        }
        out.line(format!("\n  {:>4}{:>18}{:>18}  on the device", "", "time", "threads a group"));
        let shown = if self.args.all { usize::MAX } else { 20 };
        for (number, placed) in found.all.iter().enumerate() {
            let written = placed.way == found.written;
            if number < shown || written {
                let mark = if written { "*" } else { " " };
                let row = self.shown(&self.row(placed));
                out.line(format!("{mark} {:>4}{row}", number + 1));
            }
        }
        if found.all.len() > shown {
            out.line(format!("  ({} more: --all)", count((found.all.len() - shown) as u64)));
        }
        out.line("\n* as it is written");
        if let Some(Crossover { from, to, size, device, host }) = &crossover {
            out.line(match size {
                Some(size) => {
                    format!("from size {size} on, of {from} to {to}, the device costs less:")
                }
                None => format!("at no size from {from} to {to} the device costs less:"),
            });
            out.line(format!("      {}", self.shown(device)));
            out.line(format!("      {}", self.shown(host)));
        }
        if let Some(program) = self.first(found) {
            out.line(format!("\nthe first one:\n{program}"));
        }
    }

    fn shown(&self, row: &Row) -> String {
        let time = row.time.map_or("-".to_owned(), count);
        let threads = if row.on.is_empty() { "-".to_owned() } else { count(row.threads) };
        let on = row.on.iter().map(|on| {
            let groups = match &on.groups[..] {
                [] => String::new(),
                groups => format!(" ({} in the memory of work groups)", groups.join(", ")),
            };
            format!("{} at {}{groups}", on.place, on.at)
        });
        let on: Vec<String> = on.collect();
        let on = if on.is_empty() { "nothing".to_owned() } else { on.join("; ") };
        let mut why = row.why.as_ref().map_or(String::new(), |why| format!(": {why}"));
        if let Some(FullRegion { region, place, needed }) = &row.full {
            why += &format!("; it is `{region}`, at {place}");
            let said = |it: &Needed| format!("`letregion {} of {}`", it.region, it.words);
            let said: Vec<String> = needed.iter().map(said).collect();
            if !said.is_empty() {
                why += &format!("; it fits with {}", said.join(", "));
            }
        }
        format!("{time:>18}{threads:>18}  {on}{why}")
    }
}
