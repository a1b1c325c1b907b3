//! `lockstep calibrate`

use super::out::Out;
use super::problem::Problem;
use super::{Answer, Status};
use crate::bench::calibrate::{Calibration, Constant, calibration, class, take};
use crate::bench::yardsticks;
use compiler::target::Adapter;
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(
    after_help = "Example: lockstep calibrate --adapter lavapipe --out machine.json\n         \
    lockstep place corpus/lambda_g/pass/section_7.lg --mode cal --machine machine.json"
)]
pub(super) struct Args {
    /// The adapter, by its short name; without this the first that is no processor
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// The file that the machine is written to; without one it is printed
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print objects of JSON, one a line
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    let adapter = adapter(args.adapter.as_deref())?;
    let unmeasured = |why: String| Problem::new(format!("{} is not measured: {why}", adapter.id));
    let mut gpu = yardsticks::open(&adapter).map_err(unmeasured)?;
    let processors = std::thread::available_parallelism().map_or(1, |of| of.get() as u64);
    let class = class(&adapter, processors);
    out.message(match gpu.has_stamps() {
        true => "launches are timed by timestamps of the device, and all else by the clock on the wall, over batches",
        false => "no timestamps are taken: times are those of the clock on the wall, over batches",
    });
    let timings = take(&mut gpu, &class, &mut |text| out.message(text)).map_err(unmeasured)?;
    let Adapter { name, driver, driver_info, backend, .. } = &adapter;
    let told = calibration(&timings, format!("{name} ({driver} {driver_info}, {backend})"), &class);
    let no = |no: serde_json::Error| Problem::new(no.to_string());
    let file = serde_json::to_string_pretty(&told.machine).map_err(no)?;
    if args.json {
        out.json(&told);
    } else {
        table(&told, out);
        if args.out.is_none() {
            out.line(format!("\n{file}"));
        }
    }
    if let Some(path) = &args.out {
        std::fs::write(path, file + "\n")
            .map_err(|no| Problem::new(format!("{} cannot be written: {no}", path.display())))?;
    }
    Ok(Status::Clean)
}

/// The adapter that is meant: `wgpu` and nothing are the first that is no processor, if there is one.
pub(super) fn adapter(said: Option<&str>) -> Result<Adapter, Problem> {
    let here = compiler::run::adapters();
    let short = said.map_or("wgpu", |said| said.strip_prefix("wgpu:").unwrap_or(said));
    let mut all = here.iter().filter(|of| short == "wgpu" || of.id == short);
    let found = all.clone().find(|of| of.device_type != "cpu").or_else(|| all.next());
    found.cloned().ok_or_else(|| {
        let no = match said {
            Some(said) => Problem::new(format!("no adapter is called `{said}`")),
            None => Problem::new("there is no adapter to measure"),
        };
        let names: Vec<_> = here.iter().map(|of| of.id.as_str()).collect();
        match names.is_empty() {
            true => no.help("there is none here: `lockstep engines` lists what drivers bring"),
            false => no.help(format!("there are {}", names.join(", "))),
        }
    })
}

fn table(told: &Calibration, out: &mut Out) {
    out.line(told.adapter.clone());
    let (first, unit) = ("constant", "unit");
    out.line(format!("\n  {first:<28}{:>14}  {unit:<10}{:>10}{:>8}", "value", "residual", "times"));
    for Constant { key, value, residual, times } in &told.constants {
        let unit = if key.ends_with("words_per_unit") { "words/ns" } else { "ns" };
        let residual = format!("{:.0}%", 100.0 * residual);
        out.line(format!("  {key:<28}{value:>14.3}  {unit:<10}{residual:>10}{times:>8}"));
    }
    out.line("\nA unit of the machine is a step of the host. A residual is the median of how far fitted times are from measured ones.");
}
