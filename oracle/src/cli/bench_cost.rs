//! `lockstep bench cost`

use super::out::Out;
use super::problem::Problem;
use super::{Answer, Status, bench_whole, cost, sizes};
use crate::bench::cost::measured::{Measured, files};
use crate::bench::cost::pools::{POOLS, named};
use crate::bench::cost::{Judged, Point, fitted, judged, measure, points};
use reference::cost::{Machine, Unit};
use serde::Serialize;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[derive(clap::Args, PartialEq, Default)]
pub(super) struct OfCost {
    /// Files with measurements, or folders of them (docs/cost.md); without any docs/measured. With --measure programs of
    /// lambda_g, or folders of them
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    /// The machine by which plans are priced, as JSON; without it the default one, with as many
    /// threads at once as the measured machine
    #[arg(long, value_name = "FILE")]
    pub(super) machine: Option<PathBuf>,
    /// Print the machine whose prices of `cal` fit best, in nanoseconds
    #[arg(long, conflicts_with = "measure")]
    fit: bool,
    /// Measure plans or programs on this adapter: its short name, or `wgpu` for the first that is no processor
    #[arg(long, value_name = "ADAPTER")]
    measure: Option<String>,
    /// Of which program plans are measured
    #[arg(long, requires = "measure", conflicts_with_all = ["files", "machine"], value_parser = clap::builder::PossibleValuesParser::new(POOLS.map(|pool| pool.name)))]
    pool: Option<String>,
    /// How many plans are measured [default: 20]
    #[arg(short, value_name = "PLANS", requires = "measure", value_parser = clap::value_parser!(u32).range(1..=1000))]
    n: Option<u32>,
    /// Which plans are drawn [default: 1]
    #[arg(long, requires = "measure")]
    seed: Option<u64>,
    /// Seconds that a plan may take, with making it ready [default: 20]
    #[arg(long, value_name = "SECONDS", requires = "measure", value_parser = super::options::seconds)]
    each: Option<Duration>,
    /// Seconds that the launches of a plan may take while they are timed, all repetitions together; a plan that takes longer
    /// is listed without a time [default: 2]
    #[arg(long, value_name = "SECONDS", requires = "measure", value_parser = super::options::seconds)]
    timed: Option<Duration>,
    /// The file that the measurements are written to; without one they are printed
    #[arg(long, value_name = "FILE", requires = "measure")]
    pub(super) out: Option<PathBuf>,
}

/// What `--fit --json` tells besides.
#[derive(Serialize)]
struct Fitted<'a> {
    fitted: &'a Machine,
}

pub(super) fn run(args: &OfCost, size: &[sizes::Size], json: bool, out: &mut Out) -> Answer {
    if let Some(adapter) = &args.measure {
        return match args.pool.is_some() {
            true => measures(args, size, adapter, out),
            false => bench_whole::run(args, size, adapter, json, out),
        };
    }
    if !size.is_empty() {
        return Err(Problem::new("--size of `lockstep bench cost` goes with --measure"));
    }
    let given = cost::machine(args.machine.as_deref(), None)?;
    let mut machine = given.clone();
    let said = match args.files.is_empty() {
        true => vec![PathBuf::from("docs/measured")],
        false => args.files.clone(),
    };
    let mut pools: Vec<(Measured, Vec<Point>)> = Vec::new();
    for path in files(&said).map_err(Problem::new)? {
        let measured = Measured::read(&path).map_err(Problem::new)?;
        // A machine that is given is meant as it is.
        if args.machine.is_none() {
            machine = measured.sized(&given);
        }
        let points = points(&measured, &machine)
            .map_err(|why| Problem::new(format!("{}: {why}", path.display())))?;
        pools.push((measured, points));
    }
    let fit = args.fit.then(|| {
        let all: Vec<Point> = pools.iter().flat_map(|(_, points)| points.clone()).collect();
        fitted(&all)
    });
    let all = judged(&pools, fit.as_ref());
    let fit = fit.map(|calibrated| Machine {
        name: "fitted".to_owned(),
        unit: Unit::Nanoseconds(1.0),
        calibrated,
        ..machine
    });
    if json {
        all.iter().for_each(|judged| out.json(judged));
        fit.iter().for_each(|fitted| out.json(&Fitted { fitted }));
        return Ok(Status::Clean);
    }
    table(&all, "plans", out);
    if let Some(fit) = fit {
        let text = serde_json::to_string_pretty(&fit).map_err(|no| Problem::new(no.to_string()))?;
        out.line(format!("\nprices that fit, in nanoseconds:\n{text}"));
    }
    Ok(Status::Clean)
}

pub(super) fn table(all: &[Judged], what: &str, out: &mut Out) {
    let number = |of: Option<f64>| of.map_or("-".to_owned(), |of| format!("{of:.2}"));
    let mut last = None;
    for judged in all {
        let of = (&judged.pool, &judged.machine);
        if last != Some(of) {
            let on = judged.machine.as_ref().map_or(String::new(), |on| format!(" on {on}"));
            let gap = if last.is_some() { "\n" } else { "" };
            out.line(format!("{gap}{}{on}: {} {what}", judged.pool, judged.plans));
            let regret =
                if judged.machine.is_some() { ["mean", "worst"] } else { ["median", "p90"] };
            let regret = regret.map(|of| format!("regret {of}"));
            out.line(format!(
                "  {:<8}{:>8}{:>10}{:>14}{:>15}{:>15}",
                "mode", "tau-b", "Spearman", "median error", regret[0], regret[1]
            ));
            last = Some(of);
        }
        let error = judged.median_error.map_or("-".to_owned(), |of| format!("{:.0}%", 100.0 * of));
        let [first, second] = [0, 1].map(|at| number(judged.regret.map(|of| of[at])));
        out.line(format!(
            "  {:<8}{:>8}{:>10}{error:>14}{first:>15}{second:>15}",
            judged.mode,
            number(judged.tau_b),
            number(judged.spearman)
        ));
    }
}

/// Measures, and writes what was measured.
fn measures(args: &OfCost, size: &[sizes::Size], adapter: &str, out: &mut Out) -> Answer {
    let named_sizes = size.iter().map(|size| match size {
        sizes::Size::Named(name, size) => Ok((name.clone(), *size)),
        sizes::Size::Elements(_) => Err(Problem::new("a size is said as NAME=SIZE")),
    });
    let named_sizes = named_sizes.collect::<Result<Vec<_>, _>>()?;
    let name = args.pool.as_deref().unwrap_or_default();
    let pool = named(name).ok_or_else(|| Problem::new(format!("no pool is called `{name}`")))?;
    let found = super::calibrate::adapter(Some(adapter))?;
    let request = measure::Request {
        pool,
        sizes: named_sizes,
        plans: args.n.unwrap_or(20) as usize,
        seed: args.seed.unwrap_or(1),
        date: today(),
        limit: args.each.unwrap_or(Duration::from_secs(20)),
        timed: args.timed.unwrap_or(Duration::from_secs(2)),
    };
    let measured = measure::measure(&request, &found.id, &mut |text| out.message(&text))
        .map_err(Problem::new)?;
    let text =
        serde_json::to_string_pretty(&measured).map_err(|no| Problem::new(no.to_string()))?;
    match &args.out {
        None => out.line(text),
        Some(path) => std::fs::write(path, text + "\n")
            .map_err(|no| Problem::new(format!("{} cannot be written: {no}", path.display())))?,
    }
    Ok(Status::Clean)
}

/// The day by the system's clock, as year-month-day (Howard Hinnant, *chrono-compatible low-level date algorithms*,
/// `civil_from_days`).
pub(super) fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (year, month, day) = civil((since.as_secs() / 86_400) as i64);
    format!("{year}-{month:02}-{day:02}")
}

fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    #[test]
    fn days_have_dates() {
        let of = [0, 58, 59, 11_016, 11_017, 20_783].map(super::civil);
        let dates = [
            (1970, 1, 1),
            (1970, 2, 28),
            (1970, 3, 1),
            (2000, 2, 29),
            (2000, 3, 1),
            (2026, 11, 26),
        ];
        assert_eq!(of, dates);
    }
}
