//! `lockstep rules`

use super::input::{language_of, name_of, programs, read};
use super::options::{Expansion, Limits, named};
use super::out::Out;
use super::problem::plain;
use super::values::Input;
use super::{Answer, Status};
use crate::check::Tester;
use crate::corpus::{Instead, budget, judge_with};
use crate::language::Lang;
use crate::rolls::Counts;
use clap::builder::PossibleValuesParser;
use reference::kit::text::counted;
use serde_json::json;
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = "Exits with 1 if a rule never fires or a premise never fails.\n\n\
    Example: lockstep rules corpus")]
pub(super) struct Args {
    /// Files, folders with all programs in them, or `-` for a program on standard input; without any the
    /// rolls are listed
    paths: Vec<PathBuf>,
    /// The language of the programs; else it goes by their extensions
    #[arg(long, value_parser = named(Lang::ALL.iter().copied()))]
    language: Option<Lang>,
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    limits: Limits,
    /// Only the rules of these languages and parts, by the names that the roll has for them
    #[arg(long, value_name = "ROOM,...", value_delimiter = ',', value_parser = rooms())]
    room: Vec<String>,
    /// List every rule with its counts, and not only what is missing
    #[arg(long)]
    all: bool,
    /// Print objects of JSON, one a line
    #[arg(long)]
    pub(super) json: bool,
}

/// Names of rooms.
fn rooms() -> PossibleValuesParser {
    PossibleValuesParser::new(Counts::default().rooms.iter().map(|room| room.room))
}

impl Args {
    /// The rooms that are asked for.
    fn of(&self, mut counts: Counts) -> Counts {
        let asked = |room: &str| self.room.is_empty() || self.room.iter().any(|of| of == room);
        counts.rooms.retain(|of| asked(of.room));
        counts
    }
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    if args.paths.is_empty() {
        list(&args.of(Counts::default()), args.json, false, out);
        return Ok(Status::Clean);
    }
    let files = programs(&args.paths);
    let input = args.input.read(&args.paths)?;
    let instead = Instead { input, budget: args.limits.of(budget()), ..Instead::default() };
    // Rules are of the semantics: no adapter fires one.
    let mut tester = Tester::new(Vec::new(), Expansion::Coalesced.plan());
    let mut unread = Status::Clean;
    let mut judged_any = false;
    for path in &files {
        match read(path).and_then(|text| Ok((language_of(path, args.language)?, text))) {
            Ok((lang, text)) => {
                let name = name_of(path);
                let judged = judge_with(&mut tester, &name, lang, &text, &instead);
                judged_any |= !judged.unusable;
                if judged.unusable {
                    unread = Status::Unusable;
                    judged.failures.iter().for_each(|it| out.message(&plain(&it.of(&name))));
                }
            }
            Err(problem) => unread = unread.max(out.status(Err(problem))),
        }
    }
    // Where nothing was run, all would be missing.
    if !judged_any {
        return Ok(unread);
    }
    let counts = args.of(Counts::of(&tester.rolls));
    if args.all || args.json {
        list(&counts, args.json, true, out);
    }
    let missing = counts.missing();
    if !args.json {
        for (room, line) in &missing {
            out.line(format!("never in {room}: {line}"));
        }
        let rules: usize = counts.rooms.iter().map(|room| room.lines().count()).sum();
        let files = counted(files.len(), "file");
        out.line(format!("{files}, {rules} rules, {} missing", missing.len()));
    }
    // What is missing may be fired by what cannot be used.
    Ok(match unread {
        Status::Clean if !missing.is_empty() => Status::Wrong,
        unread => unread,
    })
}

fn list(counts: &Counts, json: bool, counted: bool, out: &mut Out) {
    for room in &counts.rooms {
        for (info, fired, failed) in room.lines() {
            if json {
                let premises: Vec<_> = info.premises().iter().zip(failed).collect();
                out.json(&json!({
                    "room": room.room,
                    "rule": info.name,
                    "source": info.source,
                    "extension": info.extension,
                    "fired": counted.then_some(fired),
                    "premises": premises,
                }));
                continue;
            }
            let premises: Vec<String> = info
                .premises()
                .iter()
                .zip(failed)
                .map(|(name, failed)| match counted {
                    true => format!("{name} {failed}"),
                    false => (*name).to_owned(),
                })
                .collect();
            let fired = if counted { format!("{fired:>10}") } else { String::new() };
            let source = if info.extension { "extension" } else { info.source };
            out.line(format!(
                "{:<7} {:<16} {source:<12}{fired}  {}",
                room.room,
                info.name,
                premises.join(", ")
            ));
        }
    }
}
