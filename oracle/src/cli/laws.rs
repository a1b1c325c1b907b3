//! `lockstep laws`

use super::out::Out;
use super::problem::Problem;
use super::{Answer, Status};
use crate::gate::lambda_g as of_lambda_g;
use crate::gate::{Difference, Gate, Passed, Refuted};
use reference::axes::laws::{ABSENT, BOOK, EXHIBITS, Law};
use reference::axes::print;
use reference::lambda_g::rewriting;
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(
    after_help = "With --gate: exits with 1 if a law is refuted, or a twin or an exhibit is not.\n\n\
    Example: lockstep laws split-red --gate --instances 1000"
)]
pub(super) struct Args {
    /// Laws to list, by name; without any all of them, what is absent and why, and what looks right and is not
    names: Vec<String>,
    /// Draw instances of each law, and run both sides
    #[arg(long)]
    gate: bool,
    /// Instances of each law, of one of λG at most 200
    #[arg(long, requires = "gate", default_value = "10000", value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    instances: u64,
    /// The seed that instances are drawn from
    #[arg(long, requires = "gate", default_value = "0")]
    seed: u64,
    /// Write the instance that refutes the twin of each law with a guard to DIR, as LAW.twin
    #[arg(long, requires = "gate", value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Print objects of JSON, one a line
    #[arg(long)]
    pub(super) json: bool,
}

/// A law, and what the gate says of it.
#[derive(Serialize)]
struct Row {
    law: &'static str,
    exhibit: bool,
    left: Vec<String>,
    right: &'static str,
    both: bool,
    tiles: bool,
    words: bool,
    class: &'static str,
    group: String,
    guard: Option<&'static str>,
    notes: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    gate: Option<Judged>,
}

#[derive(Serialize)]
struct Judged {
    right: bool,
    held: u64,
    drawn: u64,
    refuted: Option<Told>,
    twin: Option<Told>,
}

/// An instance whose sides differ.
#[derive(Serialize)]
struct Told {
    left: String,
    right: String,
    position: Vec<usize>,
    parameter: u32,
    input: Vec<String>,
    text: String,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    let all = BOOK.iter().map(|law| (law, false)).chain(EXHIBITS.iter().map(|law| (law, true)));
    let all: Vec<(&Law, bool)> = all.collect();
    let is_known = |name: &String| {
        all.iter().any(|(law, _)| law.name == *name) || rewriting::Law::named(name).is_some()
    };
    if let Some(unknown) = args.names.iter().find(|name| !is_known(name)) {
        return Err(match ABSENT.iter().find(|absent| absent.absent == unknown) {
            Some(absent) => Problem::new(format!("law {unknown} is absent: {}", absent.why)),
            None => Problem::new(format!("there is no law {unknown}"))
                .help("lockstep laws lists all of them"),
        });
    }
    let gate = Gate { instances: args.instances, seed: args.seed, twins: true };
    let mut wrong = 0;
    let asked = |law: &Law| args.names.is_empty() || args.names.iter().any(|name| name == law.name);
    for (law, exhibit) in all.iter().filter(|(law, _)| asked(law)) {
        if out.is_closed() {
            break;
        }
        let passed = args.gate.then(|| gate.judge(law));
        let twin = passed.as_ref().and_then(|passed| passed.twin.as_ref());
        if let (Some(folder), Some(twin)) = (&args.keep, twin.filter(|_| !exhibit)) {
            keep(folder, law, twin)?;
        }
        let judged = passed.map(|passed| {
            let right = match exhibit {
                true => passed.refuted.is_some(),
                false => passed.is_right(law, args.instances),
            };
            wrong += usize::from(!right);
            judged(right, &passed)
        });
        let row = Row {
            law: law.name,
            exhibit: *exhibit,
            left: law.left.iter().map(print::term).collect(),
            right: law.text.1,
            both: law.both,
            tiles: law.tiles,
            words: law.words,
            class: law.class.name(),
            group: law.group.heading().to_lowercase(),
            guard: Some(law.guard).filter(|guard| !guard.is_empty()),
            notes: notes(law, *exhibit),
            gate: judged,
        };
        match args.json {
            true => out.json(&row),
            false => text(&row, out),
        }
    }
    for law in &rewriting::BOOK {
        if out.is_closed() {
            break;
        }
        if args.names.is_empty() || args.names.iter().any(|name| name == law.name) {
            wrong += usize::from(!of_programs(law, args, out));
        }
    }
    if args.names.is_empty() && !args.gate {
        for absent in &ABSENT {
            match args.json {
                true => out.json(absent),
                false => out.line(format!(
                    "absent: {}  {}\n    {}",
                    absent.absent, absent.says, absent.why
                )),
            }
        }
    }
    Ok(Status::wrong_if(wrong > 0))
}

/// Instances of a law of λG at most: each is a program that is drawn, checked and run twice.
const MOST_PROGRAMS: u64 = 200;

/// Tells a law of λG; is it not seen to be wrong?
fn of_programs(law: &rewriting::Law, args: &Args, out: &mut Out) -> bool {
    let instances = args.instances.min(MOST_PROGRAMS);
    let passed = args.gate.then(|| of_lambda_g::judge(law, instances, args.seed));
    let right = passed.as_ref().is_none_or(|passed| passed.is_right(law, instances));
    let told = |refuted: of_lambda_g::Refuted| Told {
        left: refuted.left,
        right: refuted.right,
        position: vec![refuted.position],
        parameter: 0,
        input: super::data::texts(&refuted.input),
        text: refuted.text,
    };
    let gate = passed.map(|passed| Judged {
        right,
        held: passed.held,
        drawn: passed.drawn,
        refuted: passed.refuted.map(told),
        twin: passed.twin.map(told),
    });
    let row = Row {
        law: law.name,
        exhibit: false,
        left: vec![law.left.to_owned()],
        right: law.right,
        both: law.both,
        tiles: false,
        words: false,
        class: law.class.name(),
        group: "lambda_g".to_owned(),
        guard: Some(law.guard).filter(|guard| !guard.is_empty()),
        notes: "proofs-notes/lambda_g.md#laws-of-rewriting".to_owned(),
        gate,
    };
    match args.json {
        true => out.json(&row),
        false => text(&row, out),
    }
    right
}

/// Writes an instance that refutes a twin.
fn keep(folder: &Path, law: &Law, refuted: &Refuted) -> Result<(), Problem> {
    let Told { left, position, parameter, input, text, .. } = told(refuted);
    let position: Vec<String> = position.iter().map(ToString::to_string).collect();
    let line = |key: &str, value: String| format!("-- {key}: {value}").trim_end().to_owned();
    let lines = [
        format!("-- Refutes {} without its guard: {}.", law.name, law.guard),
        format!("-- {text}"),
        line("tile", parameter.to_string()),
        line("position", position.join(" ")),
        line("input", input.join(", ")),
        left,
    ];
    let path = folder.join(format!("{}.twin", law.name));
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, lines.join("\n")));
    written.map_err(|error| Problem::new(format!("{} cannot be written: {error}", path.display())))
}

/// Where the notes say why a law holds, or does not.
fn notes(law: &Law, exhibit: bool) -> String {
    let heading = if exhibit { "exhibits".to_owned() } else { law.group.heading().to_lowercase() };
    format!("proofs-notes/axes.md#{heading}")
}

fn judged(right: bool, passed: &Passed) -> Judged {
    Judged {
        right,
        held: passed.held,
        drawn: passed.drawn,
        refuted: passed.refuted.as_ref().map(told),
        twin: passed.twin.as_ref().map(told),
    }
}

fn told(refuted: &Refuted) -> Told {
    Told {
        left: print::program(&refuted.left),
        right: print::program(&refuted.right),
        position: refuted.position.clone(),
        parameter: refuted.parameter,
        input: super::data::texts(&refuted.input),
        text: match &refuted.difference {
            Difference::Ends(left, right) => format!("left: {left}; right: {right}"),
            Difference::NoTerm(why) => format!("the right side is no term: {why}"),
        },
    }
}

fn text(row: &Row, out: &mut Out) {
    let mark = if row.exhibit { "exhibit: " } else { "" };
    let tile = match (row.tiles, row.words) {
        (true, _) => " t",
        (_, true) => " c",
        _ => "",
    };
    out.line(format!("{mark}{}{tile}  {}, {}", row.law, row.class, row.notes));
    for left in &row.left {
        out.line(format!("    {left}"));
    }
    out.line(format!("    {} {}", if row.both { "==" } else { "=>" }, row.right));
    if let Some(guard) = row.guard {
        out.line(format!("    where {guard}"));
    }
    let Some(gate) = &row.gate else { return };
    let verdict = match (gate.right, &gate.refuted) {
        (true, _) => "as it should be",
        (false, Some(_)) => "WRONG",
        (false, None) => "not shown, since too few instances apply or no twin is refuted",
    };
    out.line(format!("    {verdict}: {} instances held of {} drawn", gate.held, gate.drawn));
    for (what, told) in [("refuted", &gate.refuted), ("twin refuted", &gate.twin)] {
        let Some(told) = told else { continue };
        out.line(format!("    {what} by {}", told.text));
        for line in told.left.lines().chain(["becomes"]).chain(told.right.lines()) {
            out.line(format!("        {line}"));
        }
        out.line(format!("        on {}", told.input.join(", ")));
    }
}
