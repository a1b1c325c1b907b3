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
    // The columns are those of a map by names.
    gpus.sort_by(|(one, _), (other, _)| one.cmp(other));
    if gpus.is_empty() {
        out.message("there is no adapter to measure on: nothing is timed");
    }
    if !json {
        let [a, b, c, d] = ["functions", "switches", "WGSL, SPIR-V bytes", "work, umm"];
        let us: String = gpus.iter().map(|(name, _)| cell(format!("µs {name}"))).collect();
        let [tagged, general] = ["tagged", "general"];
        out.line(format!("{:<44}{tagged:>8}{general:>8}{a:>12}{b:>10}{c:>26}{d:>26}{us}", ""));
    }
    let mut count = 0;
    let mut claim = Claim::default();
    for path in programs(paths) {
        let source = Source::open(&path, None, &[])?;
        let Some(case) = source.cases(None, Budget::default())?.into_iter().next() else {
            continue;
        };
        match compare(source.name(), &case, &mut gpus) {
            Ok(compared) if json => out.json(&compared),
            Ok(compared) => {
                claim.count(&compared);
                lines(&compared, out);
            }
            Err(why) => {
                out.message(&format!("{}: {why}", source.name()));
                continue;
            }
        }
        count += 1;
    }
    match count {
        0 => Err(Problem::new("there is no program to compare")),
        _ => {
            if !json {
                out.line(claim.line());
            }
            Ok(Status::Clean)
        }
    }
}

/// What 2.2 says, "costs are only incurred when": programs with functions that are general in a space, and of the others those
/// that do more work in the form that passes evidence.
#[derive(Default)]
struct Claim {
    programs: usize,
    general: usize,
    dearer: usize,
}

impl Claim {
    fn count(&mut self, of: &Compared) {
        self.programs += 1;
        match of.general {
            0 => self.dearer += usize::from(of.evidence.work > of.specialised.work),
            _ => self.general += 1,
        }
    }

    fn line(&self) -> String {
        let Claim { programs, general, dearer } = self;
        let others = programs - general;
        format!(
            "{general} of {programs} programs have functions that are general in a space; {dearer} of the other {others} do more work with evidence"
        )
    }
}

/// A column of an adapter.
fn cell(text: String) -> String {
    format!("  {text:>20}")
}

fn lines(compared: &Compared, out: &mut Out) {
    let tagged = format!("{}/{}", compared.tagged, compared.pointers);
    let (general, figured) = (compared.general, figures(&compared.specialised));
    out.line(format!("{:<44}{tagged:>8}{general:>8}{figured}", compared.file));
    out.line(format!("{:<44}{:>16}{}", "  with evidence", "", figures(&compared.evidence)));
}

fn figures(of: &Compiled) -> String {
    let sizes = format!("{}, {}", of.wgsl, of.spirv);
    let price = format!("{}, {}", of.work, of.umm);
    let us: String = of.us.values().map(|us| cell(format!("{us:.1}"))).collect();
    format!("{:>12}{:>10}{sizes:>26}{price:>26}{us}", of.functions, of.switches)
}
