//! `lockstep explain`

use super::input::name_of;
use super::options::{Programs, Running};
use super::out::Out;
use super::own::{self, Own};
use super::{Answer, Status, data, show};
use crate::campaign::order_dependent;
use crate::engine::{Case, EngineId};
use crate::panics::guarded;
use reference::kit::derivation::Derivation;
use reference::kit::memory::Memory;
use reference::kit::outcome::{Outcome, Value};
use serde::Serialize;
use serde_json::json;
use std::path::Path;

#[derive(clap::Args)]
#[command(after_help = "Example: lockstep explain corpus/fun/pass/figure_2.fun --nodes 40")]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) programs: Programs,
    #[command(flatten)]
    running: Running,
    /// How many rule applications are shown at most
    #[arg(long, default_value_t = 200)]
    nodes: usize,
    /// Explain the types and not the run
    #[arg(long)]
    types: bool,
}

#[derive(Serialize)]
struct Line {
    file: String,
    input: Vec<String>,
    derivation: Vec<Derivation>,
    /// Why its memory is not valid.
    #[serde(flatten)]
    invalid: data::Invalid,
    #[serde(flatten)]
    end: data::End,
    /// Two orders of threads that give different results, though none races or gets stuck.
    order_dependent: Option<data::Orders>,
    /// Where this run ends well: another order, in which threads race or one gets stuck.
    other_order: Option<data::Ordered>,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    let mut worst = Status::Clean;
    let files = args.programs.files();
    let given = args.running.input.read(&args.programs.paths)?;
    for path in &files {
        if files.len() > 1 && !args.programs.json {
            out.line(format!("-- file: {}", name_of(path)));
        }
        let ended = one(args, path, given.as_deref(), out);
        worst = worst.max(out.status(ended));
    }
    Ok(worst)
}

fn one(args: &Args, path: &Path, given: Option<&[Value]>, out: &mut Out) -> Answer {
    let mut worst = Status::Clean;
    let source = args.programs.open(path)?;
    if args.types {
        let derivation = source.program.explain_types(args.nodes);
        if args.programs.json {
            out.json(&json!({ "file": source.name(), "derivation": derivation }));
        } else {
            print(args, out, &derivation);
            if derivation.is_empty() && args.nodes > 0 {
                out.message(&format!("{}: well typed, by no rule", source.name()));
            }
        }
        return Ok(Status::Clean);
    }
    for case in source.cases(given, args.running.budget())? {
        let mut derivation = Vec::new();
        let outcome = guarded(|| {
            let (outcome, found) = explained(&case, args.nodes);
            derivation = found;
            outcome
        });
        // Where both accesses of a race stand a run tells that keeps all accesses.
        let asked = own::is_asked(&case) || !outcome.races.is_empty();
        let own = asked.then(|| Own::of(&own::source_of(&case), &case));
        let outcome = own.as_ref().map_or(outcome, |own| own.outcome.clone());
        let id = EngineId::own(case.program.lang());
        let invalid = own.as_ref().and_then(Own::invalid);
        let other = own.as_ref().and_then(|own| own.wrong_elsewhere(&id, &outcome));
        let found = own.as_ref().and_then(|own| own.order_dependent.as_ref());
        let wrong = invalid.is_some() || other.is_some();
        worst = worst.max(show::status(&outcome)).max(Status::wrong_if(wrong));
        if args.programs.json {
            out.json(&Line {
                file: source.name(),
                input: data::texts(&case.input),
                derivation,
                invalid: data::Invalid::of(&source, invalid.as_ref()),
                end: data::End::of(&source, &outcome),
                order_dependent: found.map(data::Orders::of),
                other_order: other.map(|(order, end)| data::Ordered::of(&source, &order, end)),
            });
        } else {
            print(args, out, &derivation);
            show::outcome(out, &source, &outcome, args.running.races());
            if let Some(invalid) = &invalid {
                show::invalid(out, &source, invalid);
            }
            if let Some(found) = found {
                out.message(&order_dependent(found));
            }
            if let Some((order, end)) = other {
                show::in_order(out, &source, &order, end, args.running.races());
            }
        }
    }
    Ok(worst)
}

/// A run in the program's own language, and its derivation.
fn explained(case: &Case, nodes: usize) -> (Outcome, Vec<Derivation>) {
    let memory = &mut Memory::default();
    case.program.explain(&case.input, case.how(&case.program, memory), nodes)
}

fn print(args: &Args, out: &mut Out, roots: &[Derivation]) {
    let mut shown = 0;
    for root in roots {
        tree(out, root, "", "", &mut shown);
    }
    if shown >= args.nodes {
        out.line(format!("... (the first {} rule applications; --nodes shows more)", args.nodes));
    }
}

/// A rule, what it was applied to and what it concluded; its premises below it.
fn tree(out: &mut Out, node: &Derivation, first: &str, rest: &str, shown: &mut usize) {
    *shown += 1;
    let mut end = match node.failed {
        Some(premise) if node.is_stuck() => format!("  STUCK: premise {premise} fails"),
        Some(premise) => format!("  RACE: premise {premise} fails"),
        None => String::new(),
    };
    let ascii = out.look().ascii;
    if !node.conclusion.is_empty() {
        let arrow = if ascii { "=>" } else { "⇓" };
        end.push_str(&format!("  {arrow} {}", node.conclusion));
    }
    out.line(format!("{first}{}  {}{end}", node.rule, node.subject));
    for (number, premise) in node.premises.iter().enumerate() {
        let last = number + 1 == node.premises.len();
        let (branch, below) = match (ascii, last) {
            (false, true) => ("└─ ", "   "),
            (false, false) => ("├─ ", "│  "),
            (true, true) => ("`- ", "   "),
            (true, false) => ("|- ", "|  "),
        };
        tree(out, premise, &format!("{rest}{branch}"), &format!("{rest}{below}"), shown);
    }
}
