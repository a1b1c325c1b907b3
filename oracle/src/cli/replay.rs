//! `lockstep replay`

use super::input::Source;
use super::options::{Adapters, Programs, Replaying};
use super::out::Out;
use super::{Answer, Status};
use crate::campaign::{Record, finding};
use crate::check::{Depth, Tester, Verdict};
use crate::engine::Case;
use reference::kit::outcome::Budget;
use serde_json::json;

#[derive(clap::Args)]
#[command(after_help = "Example: lockstep replay findings/expand_memory-race-7-12.fun")]
pub(super) struct Args {
    #[command(flatten)]
    programs: Programs,
    #[command(flatten)]
    adapters: Adapters,
    #[command(flatten)]
    replaying: Replaying,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    let mut tester = args.adapters.tester()?;
    let mut worst = Status::Clean;
    for path in args.programs.files()? {
        let source = args.programs.open(&path)?;
        args.replaying.plan(&mut tester, &source.header)?;
        for case in source.cases(None, Budget::default())? {
            worst = worst.max(one(args, &mut tester, &source, &case, out));
        }
    }
    Ok(worst)
}

fn one(args: &Args, tester: &mut Tester, source: &Source, case: &Case, out: &mut Out) -> Status {
    let seen = tester.examine(case, Depth::Whole);
    let was = source.header.note("kind").zip(source.header.note("stage"));
    let same = |kind: &str, stage: &str| {
        was.is_none_or(|(was_kind, was_stage)| was_kind == kind && was_stage == stage)
    };
    let (text, status) = match &seen.verdict {
        Verdict::Agree => match was {
            Some((kind, stage)) => {
                (format!("{kind} in {stage} is not there any more: all agree"), Status::Clean)
            }
            None => ("all agree".to_owned(), Status::Clean),
        },
        Verdict::Unknown(why) => {
            (format!("no answer: {}", crate::profiles::reason(why)), Status::Unusable)
        }
        Verdict::Finding(finding) => {
            let again = same(finding.kind.name(), finding.stage.0);
            let what = if again { "still there" } else { "another finding" };
            (format!("{what}: {}: {}", finding.signature(), finding.text), Status::Wrong)
        }
    };
    if args.programs.json {
        let says = Record::of(case, &seen, &tester.plan).map(|record| record.says);
        out.json(&json!({
            "file": source.name(),
            "text": text,
            "finding": seen.finding(),
            "says": says,
        }));
        return status;
    }
    out.line(format!("{}: {text}", source.name()));
    for side in &seen.sides {
        let answer = finding::answer(&side.outcome);
        out.line(format!("  {} after {}: {answer}", side.engine, side.stage));
    }
    for skipped in &seen.skipped {
        out.line(format!("  {} not compared: {}", skipped.not_run.engine, skipped.not_run.reason));
    }
    status
}
