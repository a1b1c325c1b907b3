//! What came of a campaign, in words.

use crate::campaign::{Bucket, OfRelease, Results};
use crate::known;
use crate::releases::named;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

fn name(bucket: &Bucket) -> &'static str {
    bucket.known.map_or("unexplained", |known| known.name)
}

/// One line for a fault that was just found.
pub(super) fn found(version: &str, bucket: &Bucket, path: &Path) -> String {
    let Bucket { signature, after, seconds, .. } = bucket;
    let name = name(bucket);
    let path = path.display();
    format!("naga {version}: {name}: {signature}; program {after}, {seconds:.1} s; {path}")
}

/// How far the campaign is.
pub(super) fn progress(results: &Results) -> String {
    let least = results.releases.iter().map(|release| release.seconds).fold(f64::MAX, f64::min);
    let faults: usize = results.releases.iter().map(|release| release.faults.len()).sum();
    format!("{} programs, {least:.0} s, {faults} faults", results.programs)
}

/// Everything.
pub(super) fn results(results: &Results) -> String {
    let mut text = String::new();
    for release in &results.releases {
        of_release(&mut text, release);
    }
    for (place, (signature, small)) in results.small.iter().enumerate() {
        let _ = writeln!(text, "[{}] {signature}", place + 1);
        match explanation(results, place) {
            Some(known) => {
                let thread = known.thread.unwrap_or("no thread found");
                let _ = writeln!(text, "    {}: {thread}\n    {}", known.name, known.why);
            }
            None => text.push_str("    unexplained\n"),
        }
        let _ = writeln!(text, "    seen: {}", small.text.replace('\n', "\n    "));
        let _ = writeln!(
            text,
            "    a program of {} on ({}), style {}; its shader:",
            reference::kit::text::counted(small.statements, "statement"),
            small.input,
            small.style
        );
        let _ = writeln!(text, "{}", small.wgsl.trim_end());
    }
    rows(&mut text, results);
    counts(&mut text, "not shown", &results.not_shown);
    if let Some((version, number)) = &results.hung {
        let _ = writeln!(text, "naga {version} hangs in program {number}: the recall ends here");
    }
    let _ = writeln!(text, "{} programs of seed {}", results.programs, results.seed);
    text
}

fn of_release(text: &mut String, release: &OfRelease) {
    let OfRelease { version, programs, seconds, faults, .. } = release;
    let _ = writeln!(text, "naga {version}: {programs} programs, {seconds:.1} s");
    for bucket in faults {
        let Bucket { signature, programs, after, seconds, small, .. } = bucket;
        let place = small.map(|place| format!(" [{}]", place + 1)).unwrap_or_default();
        let _ = writeln!(
            text,
            "  {:<16} {signature}: program {after}, {seconds:.1} s; {programs} in all{place}",
            name(bucket)
        );
    }
    counts(text, "  lacks", &release.lacks);
    counts(text, "  not compared", &release.not_compared);
}

fn counts<K: AsRef<str>>(text: &mut String, what: &str, counts: &BTreeMap<K, u64>) {
    for (why, count) in counts {
        let _ = writeln!(text, "{what}: {} ({count})", why.as_ref());
    }
}

/// What explains the faults that a small program shows, of some release.
fn explanation(results: &Results, place: usize) -> Option<&'static known::Known> {
    let faults = results.releases.iter().flat_map(|release| &release.faults);
    faults.filter(|bucket| bucket.small == Some(place)).find_map(|bucket| bucket.known)
}

/// The rows of the table of known faults: where each was found, and where it was not.
fn rows(text: &mut String, results: &Results) {
    let mut rows: Vec<_> = known::TABLE.iter().filter(|known| known.row.is_some()).collect();
    rows.sort_by_key(|known| known.row);
    for known in rows {
        let mut found = Vec::new();
        let mut missed = Vec::new();
        for release in &results.releases {
            let first = release
                .faults
                .iter()
                .filter(|bucket| bucket.known.is_some_and(|by| by.name == known.name));
            let first = first.map(|bucket| bucket.seconds).reduce(f64::min);
            match first {
                Some(seconds) => found.push(format!("{} ({seconds:.1} s)", release.version)),
                None if named(release.version).is_some_and(|release| known.is_of(release)) => {
                    missed.push(release.version);
                }
                None => {}
            }
        }
        let row = known.row.unwrap_or_default();
        let list = |list: &[String]| if list.is_empty() { "-".to_owned() } else { list.join(", ") };
        let _ = writeln!(text, "row {row}, {}: found in {}", known.name, list(&found));
        if !missed.is_empty() {
            let _ = writeln!(text, "    not found in {}", missed.join(", "));
        }
    }
}
