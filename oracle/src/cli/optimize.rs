//! `lockstep optimize`

use super::cost;
use super::options::{Adapters, Programs};
use super::out::Out;
use super::problem::Problem;
use super::values::Input;
use super::{Answer, Status};
use crate::check::{Depth, Verdict};
use crate::engine::Case;
use crate::optimize::certificate::Certificate;
use crate::optimize::{No, Optimized, Priced, Request, optimize};
use compiler::rewrite::search::{ASKED_FOR, Limits};
use compiler::rewrite::sketch::{Astray, Sketch};
use reference::axes::laws::{Class, Law};
use reference::axes::{meaning, print};
use reference::cost::Mode;
use reference::fun::syntax::Fun;
use reference::kit::outcome::Budget;
use reference::languages::Listed;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;

#[derive(clap::Args)]
#[command(
    after_help = "Example: lockstep optimize corpus/fun/pass/matrix_product.fun --size n=64,m=64,l=64\n         \
    lockstep optimize corpus/fun/pass/sum.fun --size n=1024 --emit imp"
)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) programs: Programs,
    /// Sizes for the integer parameters, such as n=64,m=8; arrays hold made-up numbers. Without sizes or values the
    /// first input of the header counts
    #[arg(long, value_name = "NAME=SIZE,...", value_delimiter = ',', value_parser = cost::size)]
    #[arg(conflicts_with_all = ["values", "file"])]
    size: Vec<(String, i32)>,
    #[command(flatten)]
    input: Input,
    /// The cost model by which plans are compared
    #[arg(long, default_value = "umm", value_parser = mode)]
    mode: Mode,
    /// A machine as JSON; what it does not say is as in the default one (docs/cost.md)
    #[arg(long, value_name = "FILE")]
    machine: Option<PathBuf>,
    /// Which laws are applied: exact ones, also those of operators that combine in any order, or also those
    /// that a search tries only where it is asked to
    #[arg(long, default_value = "assoc")]
    laws: Laws,
    /// Sizes of tiles
    #[arg(long, value_name = "SIZE,...", value_delimiter = ',', default_values_t = [4, 32])]
    #[arg(value_parser = clap::value_parser!(u32).range(2..=1 << 16))]
    tiles: Vec<u32>,
    /// What plans shall be like: a term in which `_` stands for anything, found anywhere in a program (docs/optimize.md).
    /// Of several, the search is led from one to the next
    #[arg(long, value_name = "TEXT")]
    sketch: Vec<String>,
    /// Nodes of the e-graph
    #[arg(long, default_value_t = 50_000, value_parser = clap::value_parser!(u32).range(1..))]
    nodes: u32,
    /// MiB that the e-graph may take, as it is estimated
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u64).range(1..))]
    memory: u64,
    /// Seconds that the search may take. A search that the time ends may give another plan next time
    #[arg(long, default_value = "60", value_parser = super::options::seconds)]
    seconds: Duration,
    /// How many plans are priced
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=1 << 10))]
    front: u32,
    /// Print this of the cheapest plan, and nothing else
    #[arg(long, conflicts_with = "json")]
    emit: Option<Emit>,
    #[command(flatten)]
    adapters: Adapters,
    /// Statements that a run may execute
    #[arg(long, default_value_t = 10 * Budget::default().fuel)]
    fuel: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Laws {
    /// Equal bit by bit
    Exact,
    /// Those too that need an operator to be associative and commutative; on ints they are exact
    Assoc,
    /// Every law of the book
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Emit {
    /// The FUN program that the term means
    Fun,
    /// The plan
    Imp,
    /// The term
    Axes,
    /// The steps that lead to it, as `certify` takes them
    Certificate,
}

fn mode(text: &str) -> Result<Mode, String> {
    let found = Mode::ALL.into_iter().find(|mode| mode.name() == text);
    let names = Mode::ALL.map(Mode::name).join(", ");
    found.ok_or_else(|| format!("there is no mode `{text}`; there are {names}"))
}

#[derive(Serialize)]
struct Line {
    file: String,
    mode: Mode,
    original: crate::optimize::Cost,
    /// The plans, the cheapest first.
    front: Vec<Entry>,
    /// Is the first one cheaper than the original?
    cheaper: bool,
    certificate: Option<Certificate>,
    /// The engines that gave the results of the original.
    same_on: Vec<String>,
    nodes: usize,
    classes: usize,
    stop: &'static str,
    laws: Vec<Applied>,
}

#[derive(Serialize)]
struct Entry {
    term: String,
    cost: crate::optimize::Cost,
}

#[derive(Serialize)]
struct Applied {
    law: &'static str,
    applied: usize,
    merged: usize,
    /// Did its budget end before its matches?
    stopped: bool,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    if args.emit.is_some() && args.programs.files().len() > 1 {
        return Err(Problem::new("--emit takes one program"));
    }
    let given = args.input.read(&args.programs.paths)?;
    let mut worst = Status::Clean;
    for path in args.programs.files() {
        let ended = one(args, &path, given.as_deref(), out);
        worst = worst.max(out.status(ended));
    }
    Ok(worst)
}

fn request(args: &Args) -> Result<Request, Problem> {
    let classes = Class::ALL.into_iter();
    let classes =
        classes.filter(|class| args.laws != Laws::Exact || *class != Class::Assoc).collect();
    let without = match args.laws {
        Laws::All => Vec::new(),
        Laws::Exact | Laws::Assoc => ASKED_FOR.map(str::to_owned).to_vec(),
    };
    let limits = Limits {
        nodes: args.nodes as usize,
        bytes: args.memory << 20,
        time: args.seconds,
        tiles: args.tiles.clone(),
        classes,
        without,
        ..Limits::default()
    };
    let sketches = args
        .sketch
        .iter()
        .map(|text| Sketch::read(text).map_err(|wrong| Problem::rejected(wrong, "--sketch", text)));
    Ok(Request {
        sketches: sketches.collect::<Result<_, _>>()?,
        mode: args.mode,
        machine: cost::machine(args.machine.as_deref(), None)?,
        limits,
        keep: 8,
        plans: args.front as usize,
        budget: Budget { fuel: args.fuel, ..Budget::default() },
        shorten: Duration::from_secs(10),
    })
}

fn one(
    args: &Args,
    path: &std::path::Path,
    given: Option<&[reference::kit::outcome::Value]>,
    out: &mut Out,
) -> Answer {
    let source = args.programs.open(path)?;
    let request = request(args)?;
    let input = cost::input(&args.size, &source, given)?;
    let case = source.case(input, request.budget)?;
    let Some(program) = Fun::of(&source.program) else {
        return Err(Problem::new(format!(
            "{} is written in {}: programs of fun are optimized",
            source.name(),
            source.program.lang()
        )));
    };
    let found = optimize(program, &case.input, &request).map_err(|no| match no {
        No::StaysOut(why) => Problem::rejected(why, &source.name(), &source.text),
        No::Unpriced(why) => Problem::new(format!("{}: {why}", source.name())),
        No::Astray(Astray::Wrong(sketch, wrong)) => {
            Problem::rejected(wrong, "--sketch", sketch.text())
        }
        No::Astray(why) => Problem::new(format!("{}: {why}", source.name())),
    })?;
    if let Some(wrong) = found.wrong.first() {
        out.line(format!(
            "{}: a plan gives other results than the program: a law or its plan is wrong\n{}",
            source.name(),
            print::program(&wrong.program)
        ));
        return Ok(Status::Wrong);
    }
    let Some(best) = found.best(args.mode) else {
        return nothing_cheaper(args, &source.name(), &found, out);
    };
    let chain =
        found.chain.as_ref().map_err(|why| Problem::new(format!("no certificate: {why}")))?;
    let certificate = Certificate::of(&found.term, chain);
    if let Err(refused) = certificate.replay(&request.budget) {
        let why = format!("its certificate is refused at step {}: {}", refused.step, refused.why);
        out.line(format!("{}: {why}", source.name()));
        return Ok(Status::Wrong);
    }
    match args.emit {
        Some(Emit::Fun) => out.text(&meaning::text(&best.program)),
        Some(Emit::Imp) => out.text(&best.plan.print()),
        Some(Emit::Axes) => out.text(&print::program(&best.program)),
        Some(Emit::Certificate) => {
            let text = serde_json::to_string_pretty(&certificate);
            out.line(text.map_err(|no| Problem::new(no.to_string()))?);
        }
        None => {
            let (same_on, status) = engines(args, best, &case)?;
            if args.programs.json {
                let line = line(&source.name(), args, &found, Some(certificate), same_on);
                out.json(&line);
            } else {
                text(&source.name(), args, &found, best, chain, &same_on, out);
            }
            return Ok(status);
        }
    }
    Ok(Status::Clean)
}

fn nothing_cheaper(args: &Args, name: &str, found: &Optimized, out: &mut Out) -> Answer {
    if args.programs.json {
        out.json(&line(name, args, found, None, Vec::new()));
    } else {
        out.message(&format!("{name}: nothing that costs less was found; {}", found.stop.text()));
    }
    Ok(Status::Clean)
}

/// Holds the plan against every engine at hand, and names those that gave its results.
fn engines(args: &Args, best: &Priced, case: &Case) -> Result<(Vec<String>, Status), Problem> {
    let mut tester = args.adapters.tester()?;
    let plan = Case { program: best.plan.clone(), ..case.clone() };
    let seen = tester.examine(&plan, Depth::Whole);
    if let Verdict::Finding(finding) = &seen.verdict {
        return Err(Problem::new(format!("the plan is compiled wrongly: {}", finding.text)));
    }
    let mut names: Vec<String> = vec!["fun".to_owned()];
    for side in &seen.sides {
        let name = side.engine.to_string();
        let ended = matches!(side.outcome.ending, reference::kit::outcome::Ending::Value(_));
        if ended && !names.contains(&name) {
            names.push(name);
        }
    }
    Ok((names, Status::Clean))
}

fn line(
    name: &str,
    args: &Args,
    found: &Optimized,
    certificate: Option<Certificate>,
    same_on: Vec<String>,
) -> Line {
    let front = found
        .front
        .iter()
        .map(|priced| Entry { term: print::term(&priced.program.term), cost: priced.cost });
    let laws = found.profile.iter().map(|of| Applied {
        law: of.law,
        applied: of.applied,
        merged: of.merged,
        stopped: of.stopped,
    });
    Line {
        file: name.to_owned(),
        mode: args.mode,
        original: found.original,
        front: front.collect(),
        cheaper: found.best(args.mode).is_some(),
        certificate,
        same_on,
        nodes: found.size.0,
        classes: found.size.1,
        stop: found.stop.text(),
        laws: laws.collect(),
    }
}

fn text(
    name: &str,
    args: &Args,
    found: &Optimized,
    best: &Priced,
    chain: &[compiler::rewrite::explain::Link],
    same_on: &[String],
    out: &mut Out,
) {
    let row = |what: &str, cost: &crate::optimize::Cost| {
        let [paper, umm, cal] = Mode::ALL.map(|mode| cost::thousands(cost.times.of(mode)));
        let words = cost::thousands(cost.peak_words as f64);
        format!("  {what:<10}{paper:>14}{umm:>14}{cal:>14}{words:>14}")
    };
    out.line(format!("{name}\n"));
    out.line(format!("  {:<10}{:>14}{:>14}{:>14}{:>14}", "", "paper", "umm", "cal", "words"));
    out.line(row("original", &found.original));
    for (nth, priced) in found.front.iter().enumerate().take(5) {
        out.line(row(&format!("plan {}", nth + 1), &priced.cost));
    }
    let factor = found.original.times.of(args.mode) / best.cost.times.of(args.mode).max(1.0);
    out.line(format!("\nplan 1 costs {factor:.2} times less by {}:\n", args.mode.name()));
    out.text(&print::program(&best.program));
    out.line(format!("\n{} lead to it from", super::cost::things(chain.len() as u64, "step", "s")));
    out.line(print::term(&found.term.term));
    for (nth, link) in chain.iter().enumerate() {
        let position: Vec<String> = link.step.position.iter().map(ToString::to_string).collect();
        let class = Law::named(&link.step.law).map_or("", |law| law.class.name());
        out.line(format!("{}. {} ({class}), at {}", nth + 1, link.step, position.join(".")));
        out.line(print::term(&link.term));
    }
    let (nodes, classes) = found.size;
    out.line(format!("\nsearched: {nodes} nodes in {classes} classes; {}", found.stop.text()));
    let applied = found.profile.iter().filter(|of| of.applied > 0);
    let applied: Vec<String> = applied.map(|of| format!("{} {}", of.law, of.applied)).collect();
    out.line(format!("applied: {}", applied.join(", ")));
    let stopped = found.profile.iter().filter(|of| of.stopped).map(|of| of.law);
    let stopped: Vec<&str> = stopped.collect();
    if !stopped.is_empty() {
        out.line(format!("their budget ended first: {}", stopped.join(", ")));
    }
    if args.laws != Laws::All {
        out.line(format!("not tried without --laws all: {}", ASKED_FOR.join(", ")));
    }
    out.line(format!("the certificate was replayed; the same results on {}", same_on.join(", ")));
}
