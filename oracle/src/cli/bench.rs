//! `lockstep bench`

use super::options::{Adapters, seconds};
use super::out::Out;
use super::{Answer, Status};
use crate::bench::{Row, rows};
use crate::engines::child::UNREMEMBERED;
use std::time::Duration;

#[derive(clap::Args)]
#[command(after_help = "Example: lockstep bench oracle")]
pub(super) struct Args {
    /// What is measured: the oracle
    #[arg(value_parser = ["oracle"])]
    what: String,
    /// Seconds for each row
    #[arg(long, default_value = "5", value_parser = seconds)]
    seconds: Duration,
    #[command(flatten)]
    adapters: Adapters,
    /// Print objects of JSON, one a line
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    args.adapters.known()?;
    if cfg!(debug_assertions) {
        out.message("this is a build for debugging: the figures are worth nothing");
    }
    let adapters = args.adapters.find()?.adapters;
    let mut launcher = args.adapters.launcher()?;
    launcher.settings.push(UNREMEMBERED);
    out.message(&machine());
    rows(args.seconds, &adapters, &launcher, &mut |row: &Row| {
        if args.json {
            out.json(row);
            return;
        }
        out.line(row.line());
        for (size, programs) in &row.sizes {
            out.line(format!("      {:>8}.. statements  {programs:>7} programs", 1_u64 << size));
        }
    });
    Ok(Status::Clean)
}

/// The machine that is measured: its processor where the system tells, and its cores.
fn machine() -> String {
    let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = told.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or(std::env::consts::ARCH, |(_, model)| model);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("on {model}, {cores} cores, {}", std::env::consts::OS)
}
