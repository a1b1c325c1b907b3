//! Ends of runs as a person reads them, with the place in the source.

use super::Status;
use super::input::Source;
use super::problem::{plain, render};
use crate::campaign::finding::values;
use miette::{LabeledSpan, MietteDiagnostic, NamedSource, Report, Severity};
use reference::kit::outcome::{Ending, Outcome, Race, Side, Stuck, Why};
use reference::kit::text::{Span, counted};

/// What the end of a run means for the exit status.
pub(super) fn status(outcome: &Outcome) -> Status {
    match &outcome.ending {
        Ending::Unknown(_) => Status::Unusable,
        Ending::Stuck(_) | Ending::Broken(_) => Status::Wrong,
        Ending::Value(_) if outcome.races.is_empty() => Status::Clean,
        Ending::Value(_) => Status::Wrong,
    }
}

/// The end of a run and its races.
pub(super) fn outcome(source: &Source, outcome: &Outcome) -> String {
    let mut text = match &outcome.ending {
        Ending::Value(results) => format!("{}\n", values(results)),
        Ending::Stuck(stuck) => self::stuck(source, stuck),
        Ending::Unknown(why) => unanswered(source, outcome.stopped, &unknown(why)),
        Ending::Broken(broken) => format!("broke: {broken:?}\n"),
    };
    if let Some(first) = outcome.races.first() {
        text.push_str(&race(source, first));
        if outcome.races.len() > 1 {
            let more = counted(outcome.races.len() - 1, "more race");
            text.push_str(&format!("and {more}\n"));
        }
    }
    text
}

/// Why a run has no answer, and in which statement it stopped, if that is one of the source.
fn unanswered(source: &Source, stopped: Option<Span>, why: &str) -> String {
    match stopped.filter(|span| span.start < span.end && span.end as usize <= source.text.len()) {
        Some(span) => snippet(source, why, &[(span, "here".to_owned())], None),
        None => format!("{why}\n"),
    }
}

/// What there is not enough of.
fn unknown(why: &Why) -> String {
    match why {
        Why::Fuel => "unknown: out of fuel; --fuel gives a run more statements".to_owned(),
        Why::Memory(bytes) => format!(
            "unknown: beyond the memory budget, at least {bytes} bytes are needed; --memory gives \
             a run more"
        ),
        why => format!("unknown: {}", crate::profiles::reason(why)),
    }
}

/// Where and why a run got stuck.
fn stuck(source: &Source, stuck: &Stuck) -> String {
    let why = stuck.sentence();
    let message = format!("stuck: {why} ({}, premise {})", stuck.rule, stuck.site.cause.name());
    let thread = match stuck.thread.as_slice() {
        [] => String::new(),
        path => format!(" in thread {}", path_text(path)),
    };
    snippet(source, &message, &[(stuck.site.span, format!("here{thread}"))], None)
}

/// A race: both statements where they are known, else what ran the threads.
fn race(source: &Source, race: &Race) -> String {
    let side = |side: &Side| {
        let does = if side.wrote { "writes" } else { "reads" };
        format!("thread {} {does}", path_text(&side.thread))
    };
    let (first, second) = (side(&race.first), side(&race.second));
    let (offset, block) = (race.offset, &race.block);
    let message = format!("race: {first} and {second} at offset {offset} of {block}");
    let labels = match (race.first.span, race.second.span) {
        (Some(one), Some(other)) if one == other => vec![(one, format!("{first}, and {second}"))],
        (None, None) => vec![(race.span, "these threads race".to_owned())],
        (one, other) => {
            let known = [(one, first), (other, second)].into_iter();
            known.filter_map(|(span, does)| Some((span?, does))).collect()
        }
    };
    let help = "the answer may depend on the order of threads, so nothing later is compared";
    snippet(source, &message, &labels, Some(help))
}

/// `2` or `2, 1`
fn path_text(path: &[i32]) -> String {
    path.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn snippet(
    source: &Source,
    message: &str,
    labels: &[(Span, String)],
    help: Option<&str>,
) -> String {
    let labels = labels
        .iter()
        .map(|(span, text)| LabeledSpan::new_with_span(Some(text.clone()), *span))
        .collect::<Vec<_>>();
    let mut diagnostic =
        MietteDiagnostic::new(message).with_severity(Severity::Error).with_labels(labels);
    if let Some(help) = help {
        diagnostic = diagnostic.with_help(help);
    }
    let named = NamedSource::new(plain(&source.name()), plain(&source.text));
    let report = Report::new(diagnostic).with_source_code(named);
    let colours = std::io::IsTerminal::is_terminal(&std::io::stdout());
    render(report.as_ref(), colours)
}
