//! `lockstep bench cost --measure` of programs of λG: whole runs on an adapter beside the prices of each mode.

use super::bench_cost::{OfCost, table, today};
use super::cost::{MachineFile, machine_in, shape};
use super::input::{Source, programs};
use super::out::Out;
use super::problem::Problem;
use super::sizes::Size;
use super::{Answer, Status, calibrate};
use crate::bench::cost::whole::{Ran, priced, ranked};
use crate::bench::yardsticks;
use crate::language::Listed;
use reference::cost::{Machine, Mode, machine_of};
use reference::kit::outcome::{Budget, Value};
use reference::lambda_g::LambdaG;
use serde::Serialize;

/// What is kept of a measurement.
#[derive(Serialize)]
struct Kept<'a> {
    adapter: &'a str,
    date: String,
    how: String,
    machine: &'a Machine,
    programs: &'a [Ran],
}

pub(super) fn run(
    args: &OfCost,
    size: &[Size],
    adapter: &str,
    json: bool,
    out: &mut Out,
) -> Answer {
    if args.files.is_empty() {
        let no = Problem::new("--measure has nothing to measure");
        return Err(
            no.help("--pool names a program with plans, and files are programs of lambda_g")
        );
    }
    let file = args.machine.as_deref().map(MachineFile::read).transpose()?;
    let machine = machine_in(file.as_ref(), machine_of, None)?;
    let found = calibrate::adapter(Some(adapter))?;
    let open = || yardsticks::open(&found);
    let unmeasured = |why: String| Problem::new(format!("{} is not measured: {why}", found.id));
    let mut gpu = open().map_err(unmeasured)?;
    let mut ran: Vec<Ran> = Vec::new();
    for path in programs(&args.files) {
        let source = Source::open(&path, None, &[])?;
        if LambdaG::of(&source.program).is_none() {
            let no =
                Problem::new(format!("{}: whole runs are priced of lambda_g only", source.name()));
            return Err(no.help("--pool measures plans of other programs"));
        }
        let input = input(&source, size)?;
        match priced(&source.program, &input, &machine, &mut gpu) {
            Ok((ms, prices)) => {
                let input = input.iter().map(shape).collect();
                let new = Ran { file: source.name(), input, ms, prices };
                told(&new, json, out);
                ran.push(new);
            }
            Err(why) => {
                out.message(&format!("{} is left out: {why}", source.name()));
                // A device that gave no answer in time is not asked again.
                gpu = open().map_err(unmeasured)?;
            }
        }
    }
    if ran.is_empty() {
        return Err(Problem::new("no program has a price and a time"));
    }
    let name =
        format!("{} ({} {}, {})", found.name, found.driver, found.driver_info, found.backend);
    let all = ranked("lambda_g", &name, &ran);
    if json {
        all.iter().for_each(|judged| out.json(judged));
    } else {
        table(&all, "programs", out);
    }
    if let Some(path) = &args.out {
        let how = format!("{}: whole runs by wgpu, the quickest of 7", crate::VERSION);
        let kept = Kept { adapter: &name, date: today(), how, machine: &machine, programs: &ran };
        let text =
            serde_json::to_string_pretty(&kept).map_err(|no| Problem::new(no.to_string()))?;
        std::fs::write(path, text + "\n")
            .map_err(|no| Problem::new(format!("{} cannot be written: {no}", path.display())))?;
    }
    Ok(Status::Clean)
}

/// The first input of the header; with a size, that of all parameters that have one.
fn input(source: &Source, size: &[Size]) -> Result<Vec<Value>, Problem> {
    let names = source.program.parameters();
    let said: Vec<(String, i32)> = match size {
        [] => Vec::new(),
        [Size::Elements(n)] => {
            let n = i32::try_from(*n).map_err(|_| Problem::new(format!("{n} is no size")))?;
            names.iter().map(|name| ((*name).to_owned(), n)).collect()
        }
        named => {
            let own = named.iter().filter_map(|size| match size {
                Size::Named(name, n) => Some((name.clone(), *n)),
                Size::Elements(_) => None,
            });
            own.filter(|(name, _)| names.iter().any(|own| own == name)).collect()
        }
    };
    let sized = (!said.is_empty()).then(|| source.program.sized(&said).ok()).flatten();
    let first = || source.header.cases.first().map(|case| case.input.clone());
    let input = sized.or_else(first).unwrap_or_default();
    Ok(source.case(input, Budget::default())?.input)
}

fn told(ran: &Ran, json: bool, out: &mut Out) {
    if json {
        return out.json(ran);
    }
    let Ran { file, ms, prices, input } = ran;
    let prices = Mode::ALL.iter().zip(prices);
    let prices: Vec<String> =
        prices.map(|(mode, price)| format!("{} {price}", mode.name())).collect();
    out.line(format!("{ms:>12.4} ms  {}  {file} ({})", prices.join(", "), input.join(", ")));
}
