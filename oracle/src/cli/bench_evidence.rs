//! `lockstep bench evidence`

use super::input::{Source, programs};
use super::out::Out;
use super::problem::Problem;
use super::{Answer, Status};
use crate::bench::evidence::{Compared, Compiled, compare};
use crate::bench::yardsticks::open;
use compiler::run::Gpu;
use compiler::target::Adapter;
use reference::kit::outcome::Budget;
use std::path::PathBuf;

/// What is compared if nothing is said.
const CORPUS: [&str; 2] = ["corpus/minias/pass", "corpus/sycl/pass"];

/// Compares both forms of each program on each adapter.
pub(super) fn run(paths: &[PathBuf], adapters: &[Adapter], json: bool, out: &mut Out) -> Answer {
    let usual = CORPUS.map(PathBuf::from);
    let paths = if paths.is_empty() { &usual } else { paths };
    let mut gpus: Vec<(String, Gpu)> = Vec::new();
    for adapter in adapters {
        gpus.push((adapter.id.clone(), open(adapter).map_err(Problem::new)?));
    }
    if !json {
        let [a, b, c, d] = ["functions", "switches", "WGSL, SPIR-V bytes", "work, umm"];
        out.line(format!("{:<44}{:>8}{a:>12}{b:>10}{c:>26}{d:>26}  µs", "", "tagged"));
    }
    let mut count = 0;
    for path in programs(paths) {
        let source = Source::open(&path, None, &[])?;
        let Some(case) = source.cases(None, Budget::default())?.into_iter().next() else {
            continue;
        };
        match compare(source.name(), &case, &mut gpus) {
            Ok(compared) if json => out.json(&compared),
            Ok(compared) => lines(&compared, out),
            Err(why) => {
                out.message(&format!("{}: {why}", source.name()));
                continue;
            }
        }
        count += 1;
    }
    match count {
        0 => Err(Problem::new("there is no program to compare")),
        _ => Ok(Status::Clean),
    }
}

fn lines(compared: &Compared, out: &mut Out) {
    let tagged = format!("{}/{}", compared.tagged, compared.pointers);
    out.line(format!("{:<44}{tagged:>8}{}", compared.file, figures(&compared.specialised)));
    out.line(format!("{:<44}{:>8}{}", "  with evidence", "", figures(&compared.evidence)));
}

fn figures(of: &Compiled) -> String {
    let sizes = format!("{}, {}", of.wgsl, of.spirv);
    let price = format!("{}, {}", of.work, of.umm);
    let us: Vec<String> = of.us.iter().map(|(name, us)| format!("{name} {us:.1}")).collect();
    let us = us.join(", ");
    format!("{:>12}{:>10}{sizes:>26}{price:>26}  {us}", of.functions, of.switches)
}
