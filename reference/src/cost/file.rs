//! Files of machines, as JSON: those in which every constant is said, and those that leave out what is as usual.

use super::machine::{Calibrated, Linear, Machine, Unit};
use crate::kit::text::{Rejected, Span};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A machine of which nothing is left to defaults.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Complete {
    name: String,
    #[serde(default)]
    unit: Unit,
    processors: u64,
    width: u64,
    warps: u64,
    threads: u64,
    latency: u64,
    group_latency: u64,
    lines: u64,
    block: u64,
    merge: u64,
    gather: u64,
    allocate: CompleteLinear,
    to_device: CompleteLinear,
    to_host: CompleteLinear,
    calibrated: CompleteCalibrated,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CompleteLinear {
    base: u64,
    words_per_unit: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CompleteCalibrated {
    launch: f64,
    request: f64,
    wait: f64,
    group_request: f64,
    unit: f64,
    miss: f64,
}

impl From<CompleteLinear> for Linear {
    fn from(CompleteLinear { base, words_per_unit }: CompleteLinear) -> Self {
        Linear { base, words_per_unit }
    }
}

impl From<Complete> for Machine {
    fn from(said: Complete) -> Self {
        let of = said.calibrated;
        Machine {
            name: said.name,
            unit: said.unit,
            processors: said.processors,
            width: said.width,
            warps: said.warps,
            threads: said.threads,
            latency: said.latency,
            group_latency: said.group_latency,
            lines: said.lines,
            block: said.block,
            merge: said.merge,
            gather: said.gather,
            allocate: said.allocate.into(),
            to_device: said.to_device.into(),
            to_host: said.to_host.into(),
            calibrated: Calibrated {
                launch: of.launch,
                request: of.request,
                wait: of.wait,
                group_request: of.group_request,
                unit: of.unit,
                miss: of.miss,
            },
        }
    }
}

/// The machine that a file describes, constant by constant. Only its unit need not be said.
///
/// # Errors
/// The place of what is no JSON, of a constant that is lacking, that is not known, or that cannot be what it is.
pub fn machine_of(text: &str) -> Result<Machine, Rejected> {
    read::<Complete>(text)
}

/// The machine that a file describes, where what it does not say is as in the default one.
///
/// # Errors
/// As of [`machine_of`], but for constants that are lacking.
pub fn machine_over_default(text: &str) -> Result<Machine, Rejected> {
    read::<Machine>(text)
}

fn read<T: DeserializeOwned + Into<Machine>>(text: &str) -> Result<Machine, Rejected> {
    let refused = |why: String, label: &str, span: Span| Rejected {
        message: format!("this describes no machine: {why}"),
        rule: None,
        limit: None,
        span,
        label: label.to_owned(),
        second: None,
        help: None,
    };
    let read: T = serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let why = error.to_string();
        let place = format!(" at line {line} column {column}");
        let why = why.strip_suffix(&place).unwrap_or(&why).to_owned();
        refused(why, "here", byte(text, line, column))
    })?;
    let machine = read.into();
    machine
        .check()
        .map_err(|unfit| refused(unfit.to_string(), "this constant", key(text, unfit.key)))?;
    Ok(machine)
}

/// The byte before a place of a text, by line and column from 1 on.
fn byte(text: &str, line: usize, column: usize) -> Span {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let at = text.floor_char_boundary(before + column.saturating_sub(1));
    Span::new(at, at)
}

/// Where the text of an object has a key: `calibrated.miss` is that of an object inside.
fn key(text: &str, keys: &str) -> Span {
    let mut found = Span::default();
    for key in keys.split('.') {
        let quoted = format!("\"{key}\"");
        let from = found.end as usize;
        let is_key = |at: &usize| text[at + quoted.len()..].trim_start().starts_with(':');
        let mut places = text[from..].match_indices(&quoted).map(|(at, _)| from + at);
        if let Some(at) = places.find(is_key) {
            found = Span::new(at, at + quoted.len());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete() -> String {
        serde_json::to_string_pretty(&Machine::default()).expect("a machine is JSON")
    }

    fn told(text: &str) -> (String, String) {
        let no = machine_of(text).expect_err("it is refused");
        let Span { start, end } = no.span;
        let line = text[..start as usize].matches('\n').count() + 1;
        (no.message, format!("{line}: {}", &text[start as usize..end as usize]))
    }

    #[test]
    fn every_constant_is_asked_for() {
        let text = complete();
        assert_eq!(machine_of(&text), Ok(Machine::default()));
        let last = text.lines().count();
        for key in [
            "processors",
            "width",
            "warps",
            "threads",
            "latency",
            "group_latency",
            "lines",
            "block",
            "merge",
            "gather",
            "base",
            "words_per_unit",
            "launch",
            "request",
            "wait",
            "unit",
            "miss",
        ] {
            let mut without: serde_json::Value = serde_json::from_str(&text).expect("JSON");
            let object = match key {
                "base" | "words_per_unit" => &mut without["to_host"],
                "launch" | "request" | "wait" | "unit" | "miss" => &mut without["calibrated"],
                _ => &mut without,
            };
            object.as_object_mut().and_then(|object| object.remove(key)).expect("it is there");
            let (why, at) = told(&serde_json::to_string_pretty(&without).expect("JSON"));
            assert_eq!(why, format!("this describes no machine: missing field `{key}`"));
            let line: usize = at.trim_end_matches(": ").parse().expect("a line");
            assert!(line > 1 && line < last + 1, "{at}");
        }
    }

    #[test]
    fn wrong_constants_are_refused_where_they_are() {
        let with = |from: &str, to: &str| {
            let text = complete();
            assert!(text.contains(from), "{text}");
            told(&text.replacen(from, to, 1))
        };
        let (why, at) = with("\"width\": 32", "\"width\": 0");
        assert_eq!(why, "this describes no machine: `width` is 0; it may be 1 to 2147483648");
        assert_eq!(at, "5: \"width\"");
        let (why, at) = with("\"latency\": 400", "\"latency\": -1");
        assert!(why.contains("invalid value: integer `-1`, expected u64"), "{why}");
        assert_eq!(at, "8: ");
        let (why, at) = with("\"miss\": 0.0", "\"miss\": -2.5");
        assert!(why.contains("`calibrated.miss` is -2.5"), "{why}");
        assert!(at.ends_with(": \"miss\""), "{at}");
        let (why, at) = with("\"latency\"", "\"latensy\"");
        assert!(why.contains("unknown field `latensy`"), "{why}");
        assert_eq!(at, "8: ");
        assert!(told("{").0.contains("EOF"));
        assert!(told("[]").0.starts_with("this describes no machine: "));
    }
}
