//! `lockstep bench`

use super::bench_evidence;
use super::options::{Adapters, seconds};
use super::out::Out;
use super::problem::Problem;
use super::{Answer, Status, bench_cost, bench_fcl, sizes};
use crate::bench::front::Draws;
use crate::bench::languages::{self, Speed};
use crate::bench::{Row, front, judge, rows};
use crate::engine::EngineId;
use crate::engines::child::UNREMEMBERED;
use std::time::Duration;

#[derive(clap::Args)]
#[command(after_help = "Example: lockstep bench oracle\n         \
    lockstep bench languages --seconds 2\n         \
    lockstep bench cost\n         \
    lockstep bench fcl --size 1048576 --engines wgpu:lavapipe\n         \
    lockstep bench cost --measure lavapipe --pool matrix-product --size n=64,m=64,l=64 --out measured.json")]
pub(super) struct Args {
    /// What is measured: how fast the oracle is, each language by itself, or the judge of shaders; how near extraction from an e-graph
    /// comes to the best; how well the cost semantics tells measured times; how fast compiled FCL programs are beside
    /// shaders written by hand; or what evidence of address spaces costs
    #[arg(value_parser = ["oracle", "languages", "judge", "front", "cost", "fcl", "evidence"])]
    what: String,
    /// Seconds for each row; of `languages`, for each; of `front`, for each integer program
    #[arg(long, default_value = "5", value_parser = seconds)]
    seconds: Duration,
    /// Of `front`: all sizes and tiles, which takes minutes
    #[arg(long)]
    all: bool,
    /// Of `fcl`: the number of elements [default: 262144 on a processor, 16777216 on a GPU]. Of `cost --measure`: sizes of the
    /// program, instead of those of the pool
    #[arg(long, value_name = "SIZE", value_delimiter = ',', value_parser = sizes::Size::parse)]
    size: Vec<sizes::Size>,
    /// Of `evidence`: files and folders of programs of MiniAS and MiniSYCL [default: those of the corpus that pass]
    #[arg(long, value_name = "PATH")]
    programs: Vec<std::path::PathBuf>,
    #[command(flatten)]
    cost: bench_cost::OfCost,
    #[command(flatten)]
    adapters: Adapters,
    /// Print objects of JSON, one a line
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    if args.all && args.what != "front" {
        return Err(Problem::new("--all is an option of `lockstep bench front`"));
    }
    if args.what == "cost" {
        return bench_cost::run(&args.cost, &args.size, args.json, out);
    }
    if args.cost != bench_cost::OfCost::default() {
        return Err(Problem::new("these options are those of `lockstep bench cost`"));
    }
    if args.what == "evidence" {
        if !args.size.is_empty() {
            return Err(Problem::new("--size is no option of `lockstep bench evidence`"));
        }
        let mut found = args.adapters.find()?;
        // Those of wgpu are opened in this process.
        found.adapters.retain(|adapter| matches!(EngineId::of(adapter), EngineId::Wgpu(_)));
        return bench_evidence::run(&args.programs, &found.adapters, args.json, out);
    }
    if !args.programs.is_empty() {
        return Err(Problem::new("--programs is an option of `lockstep bench evidence`"));
    }
    if args.what == "fcl" {
        let elements = bench_fcl::elements(&args.size)?;
        let mut found = args.adapters.find()?;
        // Those of wgpu are opened in this process.
        found.adapters.retain(|adapter| matches!(EngineId::of(adapter), EngineId::Wgpu(_)));
        if found.adapters.is_empty() {
            return Err(Problem::new("there is no adapter to measure on"));
        }
        return bench_fcl::run(elements, &found.adapters, args.json, out);
    }
    if !args.size.is_empty() {
        return Err(Problem::new(
            "--size is an option of `lockstep bench cost` and `lockstep bench fcl`",
        ));
    }
    if args.what == "front" {
        fronts(args, out);
        return Ok(Status::Clean);
    }
    args.adapters.known()?;
    if cfg!(debug_assertions) {
        out.message(DEBUGGED);
    }
    if args.what == "judge" {
        out.message(&machine());
        judge::rows(args.seconds, &mut |row| of_row(row, args.json, out));
        return Ok(Status::Clean);
    }
    if args.what == "languages" {
        out.message(&machine());
        languages::speeds(args.seconds, &mut |speed| match args.json {
            true => out.json(speed),
            false => of_language(speed, out),
        });
        return Ok(Status::Clean);
    }
    let adapters = args.adapters.find()?.adapters;
    let mut launcher = args.adapters.launcher()?;
    launcher.settings.push(UNREMEMBERED);
    out.message(&machine());
    rows(args.seconds, &adapters, &launcher, &mut |row: &Row| of_row(row, args.json, out));
    Ok(Status::Clean)
}

fn of_row(row: &Row, json: bool, out: &mut Out) {
    if json {
        out.json(row);
        return;
    }
    out.line(row.line());
    for (size, programs) in &row.sizes {
        out.line(format!("      {:>8}.. statements  {programs:>7} programs", 1_u64 << size));
    }
}

/// Said of a build whose figures tell nothing.
const DEBUGGED: &str = "this is a build for debugging: the figures are worth nothing";

fn of_language(speed: &Speed, out: &mut Out) {
    let Speed { language, draw, check, engines, run, price, all } = speed;
    out.line(format!(
        "{language}: programs a second: {draw:.0} drawn, {check:.0} checked, {run:.0} run by all"
    ));
    for engine in engines {
        out.line(format!("    {:<28}{:>10.0}", engine.engine, engine.run));
    }
    if let Some(price) = price {
        out.line(format!("    {:<28}{price:>10.0}", "run and priced"));
    }
    out.line(format!("    {:<28}{all:>10.0}", "from bytes to the end"));
}

/// How near the ways of extraction come to the best term, by the estimate of a search.
fn fronts(args: &Args, out: &mut Out) {
    let draws = if args.all { Draws::ALL } else { Draws::FEW };
    let all = front::compared(draws, args.seconds, &mut |what, compared| {
        if args.json {
            return;
        }
        match compared {
            Some(compared) => out.line(format!("{what}: {} terms", compared.terms)),
            None => out.line(format!("{what}: more terms than are listed")),
        }
    });
    if args.json {
        all.extractors.iter().for_each(|row| out.json(row));
        return;
    }
    let terms = all.listed.iter().map(|(_, terms)| *terms);
    out.line(format!(
        "{} e-graphs with {} to {} terms; {} more have too many",
        all.listed.len(),
        terms.clone().min().unwrap_or(0),
        terms.max().unwrap_or(0),
        all.more.len()
    ));
    let head = ["", "best held", "no term", "worst", "mean"];
    out.line(format!("{:<26}{:>12}{:>9}{:>9}{:>8}", head[0], head[1], head[2], head[3], head[4]));
    for row in &all.extractors {
        let held = format!("{} of {}", row.held, row.of);
        let (worst, mean) = (row.worst, row.mean);
        let line =
            format!("{:<26}{held:>12}{:>9}{worst:>9.2}{mean:>8.3}", row.extractor, row.without);
        out.line(match row.worst > 1.0 {
            true => format!("{line}  {}", row.worst_of),
            false => line,
        });
    }
}

/// The machine that is measured: its processor where the system tells, and its cores.
fn machine() -> String {
    let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = told.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or(std::env::consts::ARCH, |(_, model)| model);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("on {model}, {cores} cores, {}", std::env::consts::OS)
}
