//! Measurements as data: `docs/measured/*.json`, described in `docs/cost.md`.

use reference::axes::parse;
use reference::axes::syntax::{Kind, Program};
use reference::cost::Machine;
use reference::kit::outcome::Value;
use reference::languages::Artifact;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Plans of one program at one size, and how long they took on one machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// What the plans are plans of.
    pub pool: String,
    /// The machine.
    pub machine: String,
    /// Threads that it runs at once, if that is known: plans are priced for so many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u64>,
    /// The day, as year-month-day.
    pub date: String,
    /// What ran the plans, and how the times were taken.
    pub how: String,
    /// The parameters of the terms, in the syntax of terms: `param (A : [64][64])`. Empty if there are none.
    pub params: String,
    /// The plans.
    pub plans: Vec<Timed>,
    /// Terms of plans whose launches took longer than was allowed: they have no time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub over: Vec<String>,
}

/// A plan with its time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timed {
    /// Milliseconds of all its launches, without what is brought to the device and back.
    pub ms: f64,
    /// The term.
    pub term: String,
}

impl Measured {
    /// Reads measurements.
    ///
    /// # Errors
    /// The file cannot be read or holds none.
    pub fn read(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        let text =
            std::fs::read_to_string(path).map_err(|no| format!("{shown} cannot be read: {no}"))?;
        let read: Self = serde_json::from_str(&text)
            .map_err(|no| format!("{shown} holds no measurements: {no}"))?;
        read.sized(&Machine::default()).check().map_err(|no| format!("{shown}: {no}"))?;
        for (nth, plan) in read.plans.iter().enumerate() {
            let wrong = |why: String| format!("{shown}: plan {nth}: {why}");
            if !(plan.ms.is_finite() && plan.ms > 0.0) {
                return Err(wrong(format!("{} is no time", plan.ms)));
            }
            read.program(plan).map_err(|no| wrong(no.to_string()))?;
        }
        Ok(read)
    }

    /// This machine with as many threads at once as the one that the plans were measured on.
    pub fn sized(&self, machine: &Machine) -> Machine {
        Machine { threads: self.threads.unwrap_or(machine.threads), ..machine.clone() }
    }

    /// A plan as a program of axes.
    ///
    /// # Errors
    /// It is none.
    pub fn program(&self, plan: &Timed) -> Result<Program, reference::kit::text::Rejected> {
        parse::program(&format!("{}\n{}\n", self.params, plan.term))
    }
}

/// The files that are meant: files as they are, and all of a folder that end in `.json`, sorted.
///
/// # Errors
/// A path that cannot be read, or holds none.
pub fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut all = Vec::new();
    for path in paths {
        if !path.is_dir() {
            all.push(path.clone());
            continue;
        }
        let shown = path.display();
        let entries =
            std::fs::read_dir(path).map_err(|no| format!("{shown} cannot be read: {no}"))?;
        let mut own: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|of| of == "json"))
            .collect();
        if own.is_empty() {
            return Err(format!("{shown} holds no measurements"));
        }
        own.sort();
        all.extend(own);
    }
    Ok(all)
}

/// An input for the plan of a program: its numbers, and made-up arrays.
///
/// # Errors
/// The arrays are too large to be made.
pub fn input(program: &Program, plan: &Artifact) -> Result<Vec<Value>, String> {
    let sizes: Vec<(String, i32)> = program
        .params
        .iter()
        .filter_map(|param| match param.kind {
            Kind::Int(said) => Some((param.name.text().to_owned(), said.unwrap_or(1))),
            Kind::Array(_) => None,
        })
        .collect();
    let made = plan.sized(&sizes).map_err(|no| no.to_string())?;
    plan.fit(made).map_err(|no| no.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use compiler::rewrite::plan;

    /// What is kept is data that can be used.
    #[test]
    fn the_measurements_of_this_repository_are_plans() {
        let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/measured"));
        let all = files(&[folder]).expect("the folder is there");
        for path in all {
            let measured = Measured::read(&path).expect("it holds measurements");
            for timed in &measured.plans {
                let program = measured.program(timed).expect("it is a term");
                plan::plan(&program).unwrap_or_else(|no| panic!("{}: {no}", timed.term));
            }
        }
    }
}
