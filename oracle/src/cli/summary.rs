//! What a campaign says at its start and at its end.

use super::data;
use super::engines::to_have_adapters;
use crate::VERSION;
use crate::campaign::{Flakes, Kept, Known, Record, Settings, Summary, Tally, values};
use crate::check::Kind;
use crate::engine::{EngineId, NotRun};
use crate::faults::Entry;
use crate::language::Lang;
use crate::mutate::Tries;
use crate::rolls::is_of_types;
use crate::stages::leads;
use reference::kit::text::counted;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// What a campaign is about to do.
pub(super) fn start(settings: &Settings, fault: Option<&Entry>) -> String {
    let workers = counted(settings.threads, "worker");
    let mut text = format!("{VERSION}, seed {}, {workers}", settings.seed);
    if let Some(language) = settings.language {
        let _ = write!(text, ", programs of {language}");
    }
    match &settings.resumed {
        Some(state) => {
            let _ = write!(text, ", {}", resumed(state.tally.programs, state.elapsed));
        }
        None if settings.first > 0 => {
            let _ = write!(text, ", from program {}", settings.first);
        }
        None => {}
    }
    if let Some(fault) = fault {
        let _ = write!(text, "\nplanted fault {}: {}", fault.id, fault.cause);
    }
    let adapters: Vec<String> = settings
        .adapters
        .iter()
        .map(|adapter| match adapter.driver_info.trim() {
            "" => EngineId::of(adapter).to_string(),
            driver => format!("{} ({driver})", EngineId::of(adapter)),
        })
        .collect();
    let _ = match adapters.as_slice() {
        [] => write!(text, "\n{}", no_adapter(settings)),
        adapters => write!(text, "\nadapters: {}", adapters.join(", ")),
    };
    text
}

/// `going on after 12 programs and 1.5 s`
fn resumed(programs: u64, elapsed: Duration) -> String {
    format!("going on after {} and {:.1} s", things(programs, "program"), elapsed.as_secs_f64())
}

/// The summary for people.
pub(super) fn text(settings: &Settings, summary: &Summary, signal: Option<&str>) -> String {
    let mut lines = speed(settings, summary, signal);
    lines.extend(endings(&summary.tally));
    lines.extend(not_compared(settings, summary));
    lines.extend(children(&summary.tally));
    lines.extend(found(settings, summary));
    lines.join("\n") + "\n"
}

/// How many programs, and how fast each engine and pass was.
fn speed(settings: &Settings, summary: &Summary, signal: Option<&str>) -> Vec<String> {
    let tally = &summary.tally;
    let seconds = summary.elapsed.all().as_secs_f64();
    let mut lines = Vec::new();
    if let Some(programs) = summary.resumed {
        lines.push(format!("{}; all of it together:", resumed(programs, summary.elapsed.before)));
    }
    let whole = (tally.programs + tally.whole / 2).checked_div(tally.whole);
    let whole = whole.map(|of| format!("; one in {} looked at whole", of.max(1)));
    let whole = whole.unwrap_or_default();
    let early = match (summary.stopped, signal) {
        (true, Some(signal)) => format!(", ended early by {signal}"),
        (true, None) => ", ended early".to_owned(),
        (false, _) => String::new(),
    };
    let mutants = match tally.mutants {
        Tries { made: 0, .. } => String::new(),
        Tries { made, refused: 0 } => format!("; {}", things(made, "mutant")),
        Tries { made, refused } => {
            let (were, others) =
                (if refused == 1 { "was" } else { "were" }, things(refused, "other text"));
            format!("; {}, and {others} {were} refused", things(made, "mutant"))
        }
    };
    lines.push(format!(
        "{} in {seconds:.1} s{}, {:.0} a second on {}{whole}{mutants}",
        things(tally.programs, "program"),
        early,
        tally.programs as f64 / seconds.max(1e-9),
        counted(settings.threads, "worker"),
    ));
    if tally.not_set > 0 {
        let set: Vec<String> =
            settings.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let were = if tally.not_set == 1 { "was" } else { "were" };
        lines.push(format!(
            "{} {were} run with other options: not accepted with --set {}",
            things(tally.not_set, "program"),
            set.join(" --set ")
        ));
    }
    lines.push("engine                 runs   compared    a second   ns a statement".to_owned());
    for (engine, count) in &tally.engines {
        let nanos = match count.statements {
            0 => "-".to_owned(),
            statements => format!("{:.0}", count.took.as_nanos() as f64 / statements as f64),
        };
        lines.push(format!(
            "  {:<16} {:>8}   {:>8}  {:>10.0}   {nanos:>14}",
            engine.to_string(),
            count.runs,
            count.compared,
            count.rate(),
        ));
    }
    lines.push("pass                   runs               a second".to_owned());
    for (pass, count) in &tally.passes {
        lines.push(format!("  {pass:<16} {:>8}             {:>10.0}", count.runs, count.rate()));
    }
    lines
}

/// How programs end, and how much they do until then.
fn endings(tally: &Tally) -> Vec<String> {
    let mut lines = vec!["how programs end".to_owned()];
    let shares: Vec<_> =
        tally.shares.iter().map(|(share, programs)| (share.name(), programs)).collect();
    let width = shares.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max(24);
    for (name, programs) in shares {
        let part = percent(*programs, tally.programs);
        lines.push(format!("  {name:<width$} {programs:>8}  {part}"));
    }
    lines.push(format!(
        "  meant to run: {}, ran: {} {}",
        tally.meant_to_run,
        tally.ran,
        percent(tally.ran, tally.meant_to_run)
    ));
    lines.push("executed statements, programs".to_owned());
    for (size, programs) in &tally.sizes {
        let bar = "#".repeat((40 * programs / tally.programs.max(1)) as usize);
        lines.push(format!("  {:>8}..  {programs:>8}  {bar}", 1_u64 << size));
    }
    lines
}

/// What no engine was asked for, and which rules no program fired.
fn not_compared(settings: &Settings, summary: &Summary) -> Vec<String> {
    let mut lines = vec!["not compared".to_owned()];
    if settings.adapters.is_empty() {
        lines.push(wrapped(&no_adapter(settings), "  "));
    }
    if let Some(NotRun { engine, reason }) = &settings.absent {
        lines.push(wrapped(&format!("{engine}: not here: {reason}"), "  "));
    }
    for ((engine, reason), programs) in &summary.tally.skipped {
        lines.push(format!("  {engine}: {reason}: {}", things(*programs, "program")));
    }
    for (room, missing) in missing(settings, summary) {
        lines.push(some(&format!("never in {room}: "), &missing));
    }
    lines
}

/// The child processes of adapters that ended before the campaign, and how.
fn children(tally: &Tally) -> Vec<String> {
    let mut of: BTreeMap<&EngineId, Vec<String>> = BTreeMap::new();
    for ((adapter, end), times) in &tally.ends {
        of.entry(adapter).or_default().push(format!("{times} {}", end.text()));
    }
    let line = |(adapter, ends): (&EngineId, Vec<String>)| {
        format!("child processes of {adapter} that others took the place of: {}", ends.join(", "))
    };
    of.into_iter().map(line).collect()
}

/// What progress says besides findings: `, 1 flake, 2 children replaced`.
pub(super) fn apart(tally: &Tally) -> String {
    let flakes = tally.flakes.values().map(|flakes| flakes.programs).sum();
    let children: u64 = tally.ends.values().sum();
    let mut text = String::new();
    if flakes > 0 {
        text += &format!(", {}", things(flakes, "flake"));
    }
    if children > 0 {
        text += &format!(", {children} children replaced");
    }
    text
}

/// The findings, and where they are kept.
fn found(settings: &Settings, summary: &Summary) -> Vec<String> {
    let mut lines = Vec::new();
    for (signature, count) in &summary.tally.findings {
        lines.push(format!("finding: {signature}: {}", things(*count, "program")));
    }
    let new: Vec<Known> = summary.kept.iter().map(Known::from).collect();
    for Known { file, statements, text, members, .. } in summary.known.iter().chain(&new) {
        let path = settings.findings.join(file);
        let statements = counted(*statements, "statement");
        let members = things(*members, "program");
        lines.push(format!("  {} ({statements}, {members}): {text}", path.display()));
    }
    for (signature, flakes) in &summary.tally.flakes {
        let Flakes { programs, shown, tries } = flakes;
        let programs = things(*programs, "program");
        lines.push(format!("flake: {signature}: {programs}, alone {shown} of {tries} times"));
    }
    for lost in &summary.lost {
        lines.push(format!("a bug of the tester: {lost}"));
    }
    lines.push(match summary.tally.found() {
        0 => "nothing found".to_owned(),
        found => {
            let kinds = kinds(&summary.tally).into_iter();
            let kinds: Vec<String> = kinds.map(|(kind, found)| format!("{found} {kind}")).collect();
            let found = things(found, "finding");
            format!("{found} ({}); `lockstep replay FILE` runs one again", kinds.join(", "))
        }
    });
    lines
}

/// Findings by their kinds.
fn kinds(tally: &Tally) -> BTreeMap<Kind, u64> {
    let mut kinds = BTreeMap::new();
    for (signature, found) in &tally.findings {
        *kinds.entry(signature.kind).or_default() += found;
    }
    kinds
}

/// `1 program`, `2 programs`
pub(super) fn things(number: u64, thing: &str) -> String {
    counted(usize::try_from(number).unwrap_or(usize::MAX), thing)
}

/// Why no adapter is asked, and what runs the shaders then.
fn no_adapter(settings: &Settings) -> String {
    let asked = |name: &str| {
        settings.only.is_empty() || settings.only.iter().any(|only| only.starts_with(name))
    };
    let last = match asked("spirv") {
        true => "so their SPIR-V, executed by Lockstep, is the last stage",
        false => "so no shader is executed",
    };
    if asked("wgpu") {
        format!(
            "there is no Vulkan adapter here that could run the shaders, {last}; {}",
            to_have_adapters()
        )
    } else {
        format!("no adapter was asked to run the shaders with --engines, {last}")
    }
}

/// Columns of the terminal, or those of a page.
fn width() -> usize {
    terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0)).clamp(40, 100)
}

fn wrapped(text: &str, indent: &str) -> String {
    // What stands in backquotes may be copied, so it stays on one line: its blanks are no-break spaces for the wrapping.
    const BLANK: &str = "\u{A0}";
    let quoted = text.split('`').enumerate().map(|(number, part)| match number % 2 {
        1 => part.replace(' ', BLANK),
        _ => part.to_owned(),
    });
    let options = textwrap::Options::new(width())
        .initial_indent(indent)
        .subsequent_indent("    ")
        .break_words(false)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::fill(&quoted.collect::<Vec<_>>().join("`"), options).replace(BLANK, " ")
}

/// As many of the names as stand on a few lines, and how many more there are.
fn some(what: &str, names: &[String]) -> String {
    const LINES: usize = 3;
    let mut text = String::new();
    for shown in 1..=names.len() {
        let more = names.len() - shown;
        let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
        let longer = wrapped(&format!("{what}{}{rest}", names[..shown].join(", ")), "");
        if shown > 1 && longer.lines().count() > LINES {
            break;
        }
        text = longer;
    }
    text
}

/// Rules of evaluation and premises of theirs that never were, by room: where all programs are drawn in
/// one language, in its room and in those behind it.
fn missing(settings: &Settings, summary: &Summary) -> Vec<(&'static str, Vec<String>)> {
    let mut rooms: Vec<(&'static str, Vec<String>)> = Vec::new();
    let behind = |room: &str| match (settings.language, Lang::named(room)) {
        (Some(language), Some(room)) => leads(language, room),
        _ => true,
    };
    let missing = summary.tally.rules.missing().into_iter();
    let missing = missing.filter(|(room, line)| !is_of_types(line) && behind(room));
    for (room, line) in missing {
        match rooms.last_mut().filter(|(last, _)| *last == room) {
            Some((_, lines)) => lines.push(line),
            None => rooms.push((room, vec![line])),
        }
    }
    rooms
}

fn percent(part: u64, whole: u64) -> String {
    match whole {
        0 => String::new(),
        whole => format!("{:.1}%", 100.0 * part as f64 / whole as f64),
    }
}

/// A finding for machines.
pub(super) fn finding(kept: &Kept) -> Value {
    json!({
        "finding": data::Found::of_record(&kept.record),
        "class": kept.record.class.name(),
        "file": kept.path,
        "members": kept.members,
        "origin": kept.record.case.origin,
        "input": values(&kept.record.case.input),
        "place": kept.record.place(),
        "says": kept.record.told(),
        "fault": kept.record.fault,
        "statements": kept.record.statements(),
        "statements_before": kept.was,
        "programs_before": kept.after,
        "seconds_before": kept.seen.as_secs_f64(),
    })
}

/// A flake for machines.
pub(super) fn flake(record: &Record, path: &Path) -> Value {
    json!({
        "flake": data::Found::of_record(record),
        "file": path,
        "origin": record.case.origin,
        "shown_alone": record.shown.to_string(),
    })
}

/// The summary for machines.
pub(super) fn json(settings: &Settings, summary: &Summary, signal: Option<&str>) -> Value {
    let tally = &summary.tally;
    let passes: Map<String, Value> =
        tally.passes.iter().map(|(pass, count)| (pass.to_string(), json!(count.rate()))).collect();
    let shares: Map<String, Value> =
        tally.shares.iter().map(|(share, count)| (share.name(), json!(count))).collect();
    json!({
        "version": VERSION,
        "seed": settings.seed,
        "language": settings.language,
        "programs": tally.programs,
        "seconds": summary.elapsed.all().as_secs_f64(),
        "resumed": summary.resumed.map(|programs| {
            json!({ "programs": programs, "seconds": summary.elapsed.before.as_secs_f64() })
        }),
        "stopped": summary.stopped,
        "interrupted": signal,
        "workers": settings.threads,
        "engines": engines(tally),
        "passes_per_second": passes,
        "shares": shares,
        "meant_to_run": tally.meant_to_run,
        "mutants": tally.mutants,
        "not_set": tally.not_set,
        "ran": tally.ran,
        "sizes": tally.sizes,
        "not_compared": listed(&tally.skipped, |(engine, reason), programs| {
            json!({ "engine": engine, "reason": reason, "programs": programs })
        }),
        "never": missing(settings, summary),
        "findings": listed(&tally.findings, |signature, programs| {
            json!({ "signature": signature, "programs": programs })
        }),
        "findings_by_kind": kinds(tally),
        "flakes": listed(&tally.flakes, |signature, flakes| {
            json!({ "signature": signature, "flakes": flakes })
        }),
        "children_replaced": listed(&tally.ends, |(engine, end), times| {
            json!({ "engine": engine, "end": end, "times": times })
        }),
        "kept_before": summary.known,
        "kept": summary.kept.iter().map(finding).collect::<Vec<_>>(),
        "lost": summary.lost,
    })
}

/// What was counted of each, as a list.
fn listed<K, V>(counts: &BTreeMap<K, V>, each: impl Fn(&K, &V) -> Value) -> Vec<Value> {
    counts.iter().map(|(key, count)| each(key, count)).collect()
}

fn engines(tally: &Tally) -> Vec<Value> {
    listed(&tally.engines, |engine, count| {
        json!({
            "engine": engine,
            "runs": count.runs,
            "compared": count.compared,
            "per_second": count.rate(),
            "statements": count.statements,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn what_may_be_copied_stays_on_one_line() {
        let command = "`eval \"$(bash .ci/install-dawn)\"`";
        for before in 60..110 {
            let text = format!("{} {command} installs what is missing", "word ".repeat(before / 5));
            let wrapped = wrapped(&text, "  ");
            assert!(wrapped.lines().any(|line| line.contains(command)), "{wrapped}");
            assert!(wrapped.lines().all(|line| line.len() <= 100), "{wrapped}");
        }
    }
}
