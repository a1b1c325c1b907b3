//! Ends of runs as a person reads them: results on standard output; what is wrong, with its place in the
//! source, on standard error.

use super::Status;
use super::input::Source;
use super::out::Out;
use super::problem::plain;
use super::window::Window;
use crate::campaign::finding::values;
use crate::check::ThreadOrder;
use miette::{LabeledSpan, MietteDiagnostic, Report, Severity};
use reference::kit::language::{Invalid, Language, Library};
use reference::kit::outcome::{Broken, Ending, Outcome, Race, Side, Stuck, Why};
use reference::kit::text::{Span, counted};
use reference::languages::library;
use reference::with_language;

/// What the end of a run means for the exit status.
pub(super) fn status(outcome: &Outcome) -> Status {
    match &outcome.ending {
        Ending::Unknown(_) => Status::Unusable,
        Ending::Stuck(_) | Ending::Broken(_) => Status::Wrong,
        Ending::Value(_) if outcome.races.is_empty() => Status::Clean,
        Ending::Value(_) => Status::Wrong,
    }
}

/// The most uses of a definition that are shown.
const MOST_USES: usize = 3;

/// Which races of a run are shown.
#[derive(Clone, Copy)]
pub(super) enum Races {
    First,
    All,
}

/// The end of a run: results to standard output, what is wrong to standard error.
pub(super) fn outcome(out: &mut Out, source: &Source, outcome: &Outcome, races: Races) {
    if let Ending::Value(results) = &outcome.ending {
        out.line(values(results));
    }
    wrong(out, source, outcome, races);
}

/// What is wrong with a run, or why it has no answer, to standard error.
pub(super) fn wrong(out: &mut Out, source: &Source, outcome: &Outcome, races: Races) {
    match &outcome.ending {
        Ending::Value(_) => {}
        Ending::Stuck(stuck) => self::stuck(out, source, stuck),
        Ending::Unknown(why) => unanswered(out, source, outcome.stopped, &unknown(why)),
        Ending::Broken(Broken::Hang) => {
            out.message(&plain("broke: no answer in time; --limit gives an adapter more seconds"));
        }
        Ending::Broken(broken) => out.message(&plain(&format!("broke: {broken:?}"))),
    }
    let shown = match races {
        Races::First => 1,
        Races::All => outcome.races.len(),
    };
    outcome.races.iter().take(shown).for_each(|found| race(out, source, found));
    if outcome.races.len() > shown {
        let more = counted(outcome.races.len() - shown, "more race");
        out.message(&format!("and {more}; --all shows all"));
    }
}

/// What is wrong with a run in an order of threads that was not asked for, and which order that is.
pub(super) fn in_order(
    out: &mut Out,
    source: &Source,
    order: &ThreadOrder,
    outcome: &Outcome,
    races: Races,
) {
    out.message(&format!("another order of threads, that of {order}, is wrong:"));
    wrong(out, source, outcome, races);
}

/// Why a run has no answer, and in which statement it stopped, if that is one of the source.
fn unanswered(out: &mut Out, source: &Source, stopped: Option<Span>, why: &str) {
    let of_text = |span: &Span| span.start < span.end && span.end as usize <= source.text.len();
    match stopped.filter(|span| of_text(span) || library(span.start).is_some()) {
        Some(span) => snippet(out, source, why, &[(span, "here".to_owned())], None),
        None => out.message(&plain(why)),
    }
}

/// What there is not enough of.
fn unknown(why: &Why) -> String {
    match why {
        Why::Fuel => {
            "unknown: out of fuel; --fuel gives a run more statements, --limit an adapter more \
                      seconds"
                .to_owned()
        }
        Why::Memory(bytes) => format!(
            "unknown: beyond the memory budget, or what the system has: at least {bytes} bytes are \
             needed; --memory gives a run more"
        ),
        why => format!("unknown: {}", crate::profiles::reason(why)),
    }
}

/// Why the memory of a run is not valid.
pub(super) fn invalid(out: &mut Out, source: &Source, why: &Invalid) {
    let labels: Vec<_> = why.span.map(|span| (span, "here".to_owned())).into_iter().collect();
    snippet(out, source, &format!("invalid: {}", why.text), &labels, Some(why.help));
}

/// Where and why a run got stuck.
fn stuck(out: &mut Out, source: &Source, stuck: &Stuck) {
    let why = stuck.sentence();
    let message = format!("stuck: {why} ({}, premise {})", stuck.rule, stuck.site.cause.name());
    let thread = match stuck.thread.as_slice() {
        [] => String::new(),
        path => format!(" in thread {}", path_text(path)),
    };
    let help = about_thread(source, &stuck.thread);
    let label = (stuck.site.span, format!("here{thread}"));
    snippet(out, source, &message, &[label], help.as_deref());
}

/// A race: both statements where they are known, else what ran the threads.
fn race(out: &mut Out, source: &Source, race: &Race) {
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
    let mut help =
        "the answer may depend on the order of threads, so nothing later is compared".to_owned();
    if let Some(about) = about_thread(source, &race.first.thread) {
        help.push_str(&format!("; {about}"));
    }
    snippet(out, source, &message, &labels, Some(&help));
}

/// What is to be said of the number of a thread in the language of the program.
fn about_thread(source: &Source, path: &[i32]) -> Option<String> {
    with_language!(source.program.lang(), |L| L::about_thread(path))
}

/// `2` or `2, 1`
fn path_text(path: &[i32]) -> String {
    path.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Shows a message with its places in the source.
fn snippet(
    out: &mut Out,
    source: &Source,
    message: &str,
    labels: &[(Span, String)],
    help: Option<&str>,
) {
    match labels.first().and_then(|(span, _)| library(span.start)) {
        Some(of) => in_library(out, source, &of, message, labels, help),
        None => report(out, (Severity::Error, message), &source.name(), &source.text, labels, help),
    }
}

/// Shows a message with its places in a library, below the places where the program uses what they lie in.
fn in_library(
    out: &mut Out,
    source: &Source,
    library: &Library,
    message: &str,
    labels: &[(Span, String)],
    help: Option<&str>,
) {
    let uses = labels.first().map_or_else(Vec::new, |(span, _)| source.program.uses(*span));
    let says = if uses.len() == 1 { "used here" } else { "may be used here" };
    let more = uses.len().saturating_sub(MOST_USES);
    let mut used: Vec<(Span, String)> =
        uses.into_iter().take(MOST_USES).map(|span| (span, says.to_owned())).collect();
    if let (Some((_, last)), true) = (used.last_mut(), more > 0) {
        last.push_str(&format!(", and in {}", counted(more, "more place")));
    }
    report(out, (Severity::Error, message), &source.name(), &source.text, &used, help);
    let start = library.start;
    let inside = labels.iter().filter(|(span, _)| span.start >= start);
    let inside: Vec<(Span, String)> = inside
        .map(|(span, text)| {
            (Span { start: span.start - start, end: span.end - start }, text.clone())
        })
        .collect();
    let message = format!("in the {}", library.name);
    report(out, (Severity::Advice, &message), library.name, library.text, &inside, None);
}

/// Shows a message with its places in a text of this name.
pub(super) fn report(
    out: &mut Out,
    (severity, message): (Severity, &str),
    name: &str,
    text: &str,
    labels: &[(Span, String)],
    help: Option<&str>,
) {
    let at = labels.iter().map(|(span, _)| span.start).min().unwrap_or(0);
    let window = Window::around(name, text, at as usize);
    let labels = labels
        .iter()
        .map(|(span, text)| LabeledSpan::new_with_span(Some(text.clone()), window.clip(*span)))
        .collect::<Vec<_>>();
    let mut diagnostic = MietteDiagnostic::new(message).with_severity(severity).with_labels(labels);
    if let Some(help) = help {
        diagnostic = diagnostic.with_help(help);
    }
    let report = Report::new(diagnostic).with_source_code(window);
    out.diagnostic(report.as_ref());
}
