//! `lockstep replay`

use super::input::Source;
use super::options::{Adapters, Denied, Denying, Limits, Programs, Replaying};
use super::out::Out;
use super::problem::{Problem, plain};
use super::values::Input;
use super::{Answer, Status, data};
use crate::campaign::{
    AnswerLine, AnswerText, Record, not_compared, nothing_compared, order_dependent, report,
    unanswered, wrong,
};
use crate::check::{Class, Depth, Examination, OrderDependent, Tester, Verdict};
use crate::engine::{Case, NotRun, StageId};
use crate::engines::AdapterEngine;
use reference::kit::outcome::{Budget, Value};
use reference::languages::place;
use serde_json::json;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(after_help = "Example: lockstep replay findings/expand_memory-race-7-12.fun")]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) programs: Programs,
    #[command(flatten)]
    adapters: Adapters,
    #[command(flatten)]
    replaying: Replaying,
    #[command(flatten)]
    denying: Denying,
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    limits: Limits,
    /// Write a folder for each finding of shaders into this one: WGSL, SPIR-V, buffers, a host program that launches
    /// them, and all answers, to be filed where the shaders are compiled or run
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    let mut tester = args.adapters.tester()?;
    let mut worst = Status::Clean;
    let mut reports = Reports::default();
    let given = args.input.read(&args.programs.paths)?;
    for path in args.programs.files() {
        let ended = file(args, &mut tester, &path, given.as_deref(), &mut reports, out);
        worst = worst.max(out.status(ended));
    }
    Ok(worst)
}

fn file(
    args: &Args,
    tester: &mut Tester,
    path: &Path,
    given: Option<&[Value]>,
    reports: &mut Reports,
    out: &mut Out,
) -> Answer {
    let source = args.programs.open_finding(path)?;
    args.replaying.plan(tester, &source.headed(&source.name()))?;
    let cases = source.cases(given, args.limits.of(Budget::default()))?;
    let mut worst = Status::Clean;
    for (number, case) in cases.iter().enumerate() {
        let stuck = says_stuck(&source, given, number);
        let (status, seen) = one(args, tester, &source, (case, stuck), out);
        worst = worst.max(status);
        if let Some(folder) = &args.report {
            report(tester, case, &seen, (reports, folder), out)?;
        }
    }
    Ok(worst)
}

/// Writes the folder of what was seen, if that is a finding of shaders.
fn report(
    tester: &Tester,
    case: &Case,
    seen: &Examination,
    (reports, folder): (&mut Reports, &Path),
    out: &mut Out,
) -> Result<(), Problem> {
    let Some(mut record) = Record::of(case, seen, &tester.plan) else { return Ok(()) };
    if !report::is_of_shaders(&record) {
        out.message("no report: what is wrong is no shader");
        return Ok(());
    }
    record.name_adapter(tester.adapters.iter().map(AdapterEngine::adapter));
    let to = reports.place(&report::folder(&record, folder));
    report::write(&record, tester.plan, &to)
        .map_err(|error| Problem::new(format!("{} cannot be written: {error}", to.display())))?;
    out.message(&format!("report: {}", to.display()));
    Ok(())
}

/// The folders that this command wrote. Findings on several inputs, or in files of one name, would have the same.
#[derive(Default)]
struct Reports(HashSet<PathBuf>);

impl Reports {
    /// A folder that none has: `NAME.report`, then `NAME-2.report` and so on.
    fn place(&mut self, wanted: &Path) -> PathBuf {
        let mut place = wanted.to_owned();
        let mut number = 1;
        while !self.0.insert(place.clone()) {
            number += 1;
            let name = wanted.file_stem().unwrap_or_default().to_string_lossy();
            place = wanted.with_file_name(format!("{name}-{number}.report"));
        }
        place
    }
}

fn one(
    args: &Args,
    tester: &mut Tester,
    source: &Source,
    (case, says_stuck): (&Case, bool),
    out: &mut Out,
) -> (Status, Examination) {
    let seen = tester.examine(case, Depth::Whole);
    let was = source.header.note("kind").zip(source.header.note("stage"));
    let same = |kind: &str, stage: &str| {
        was.is_none_or(|(was_kind, was_stage)| was_kind == kind && was_stage == stage)
    };
    let (text, status) = match &seen.verdict {
        Verdict::Agree => of_the_program(&seen, source, says_stuck)
            .unwrap_or_else(|| agrees(tester, source, was, &seen)),
        Verdict::OrderDependent(found) => {
            let gone =
                was.map(|(kind, stage)| format!("{kind} in {stage} is not there any more: "));
            let text = format!("{}{}", gone.unwrap_or_default(), order_dependent(found));
            (text, args.denying.status(Denied::OrderDependent))
        }
        Verdict::Unknown(_) => (no_answer(&seen, source).unwrap_or_default(), Status::Unusable),
        Verdict::Finding(finding) => {
            let again = same(finding.kind.name(), finding.stage.0);
            let what = match was {
                None => "found",
                Some(_) if again => "still there",
                Some(_) => "another finding",
            };
            (format!("{what}: {}: {}", finding.signature(), finding.text), Status::Wrong)
        }
    };
    let told: Vec<AnswerLine> =
        seen.sides.iter().map(|side| AnswerText::of(side).told_in(&source.text)).collect();
    let other = seen.wrong_order();
    if args.programs.json {
        let orders = order_dependent_in(&seen);
        let site = seen.finding().and_then(|finding| finding.site);
        out.json(&json!({
            "file": source.name(),
            "input": data::texts(&case.input),
            "text": text,
            "finding": seen.finding().map(|finding| data::Found::in_source(source, finding)),
            "class": seen.class.name(),
            "order_dependent": orders.map(data::Orders::of),
            "other_order": other.map(|(order, end)| data::Ordered::of(source, order, end)),
            "place": site.map(|site| place(&source.text, site.span.start)),
            "says": told,
        }));
        return (status, seen);
    }
    out.line(plain(&format!("{}: {text}", source.name())));
    let other = other.map(|(order, end)| AnswerText::of_end(&order.engine, StageId::SOURCE, end));
    for told in told.into_iter().chain(other.map(|other| other.told_in(&source.text))) {
        out.line(format!("  {}", told.line()));
    }
    // Stages that an engine did not run for one reason are one line.
    let mut lines: Vec<String> = Vec::new();
    for skipped in &seen.skipped {
        let NotRun { engine, reason } = &skipped.not_run;
        let line = format!("  {engine} not compared: {reason}");
        if !lines.contains(&line) {
            out.line(&line);
            lines.push(line);
        }
    }
    (status, seen)
}

/// Two orders that end differently, if that is what is concluded.
fn order_dependent_in(seen: &Examination) -> Option<&OrderDependent> {
    match &seen.verdict {
        Verdict::OrderDependent(found) => Some(found),
        Verdict::Agree | Verdict::Unknown(_) | Verdict::Finding(_) => None,
    }
}

/// Why there is no answer, and where the run stopped.
pub(super) fn no_answer(seen: &Examination, source: &Source) -> Option<String> {
    let (told, stopped) = unanswered(seen, &source.text)?;
    Some(format!("{told}{}", stopped.map(|place| format!(", at {place}")).unwrap_or_default()))
}

/// Does the header say that the program gets stuck on the input with this number? It says nothing of one that is given.
pub(super) fn says_stuck(source: &Source, given: Option<&[Value]>, number: usize) -> bool {
    let case = source.header.cases.get(number).filter(|_| given.is_none());
    case.is_some_and(|case| case.stuck.is_some())
}

/// What is wrong with the program itself. If it races or its memory is not valid, its results are not held against each
/// other. If it is to get stuck, that is not wrong.
pub(super) fn of_the_program(
    seen: &Examination,
    source: &Source,
    says_stuck: bool,
) -> Option<(String, Status)> {
    let why = match &seen.class {
        Class::Race => format!("the program itself races: {}", wrong(seen, &source.text)?),
        Class::Invalid => {
            let why = seen.invalid.as_ref().map(|invalid| format!(": {invalid}"));
            format!("the memory of the program itself is not valid{}", why.unwrap_or_default())
        }
        Class::Stuck(_) if !says_stuck => {
            let stuck = wrong(seen, &source.text)?;
            return Some((format!("the program itself is {stuck}"), Status::Wrong));
        }
        Class::Value
        | Class::Stuck(_)
        | Class::OrderDependent
        | Class::Unknown(_)
        | Class::Broken => return None,
    };
    Some((format!("not compared: {why}"), Status::Unusable))
}

/// What to say where nothing is wrong with what was run: that a finding is gone only where what would show
/// it was run.
fn agrees(
    tester: &Tester,
    source: &Source,
    was: Option<(&str, &str)>,
    seen: &Examination,
) -> (String, Status) {
    let missing = not_compared(&source.header, source.program.lang(), tester, seen);
    match (was, missing, nothing_compared(seen)) {
        (Some((kind, stage)), Some(NotRun { engine, reason }), _) => {
            (format!("not compared: {kind} in {stage} on {engine}: {reason}"), Status::Unusable)
        }
        (Some((kind, stage)), None, _) => {
            (format!("{kind} in {stage} is not there any more: all agree"), Status::Clean)
        }
        (None, _, Some(NotRun { engine, reason })) => {
            (format!("not compared: {engine}: {reason}"), Status::Unusable)
        }
        (None, _, None) => ("all agree".to_owned(), Status::Clean),
    }
}
