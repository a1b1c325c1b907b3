//! Ends of runs as a machine reads them: docs/json.md has each key.

use super::input::Source;
use crate::campaign::Record;
use crate::check::{Finding, Kind, OrderDependent, Part, ThreadOrder, unwritten};
use crate::engine::{EngineId, StageId};
use crate::profiles::reason;
use reference::kit::language;
use reference::kit::outcome::{
    self, Broken, Ending, Outcome, Race, Side, Stats, Stuck, Value, Why,
};
use reference::kit::text::Span;
use reference::languages::{library, place};
use serde::Serialize;

/// Values as headers and `--input` write them, one text each.
pub(super) fn texts(values: &[Value]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}

/// A run: how it ended, what raced, what it counted.
#[derive(Serialize)]
pub(super) struct End {
    #[serde(flatten)]
    ended: Ended,
    races: Vec<Raced>,
    stats: Stats,
}

/// How a run ended.
#[derive(Serialize)]
struct Ended {
    /// `value`, `stuck`, `unknown` or `broken`.
    end: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stuck: Option<StuckAt>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<Unknown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    broken: Option<Broke>,
}

/// Two orders of threads that end differently.
#[derive(Serialize)]
pub(super) struct Orders {
    ends: Vec<Ordered>,
    text: String,
}

/// How a run ended in an order of threads, and what raced in it.
#[derive(Serialize)]
pub(super) struct Ordered {
    #[serde(flatten)]
    order: ThreadOrder,
    #[serde(flatten)]
    ended: Ended,
    races: Vec<Raced>,
}

#[derive(Serialize)]
struct StuckAt {
    text: String,
    cause: &'static str,
    rule: String,
    operands: Vec<i64>,
    thread: Vec<i32>,
    place: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    uses: Vec<String>,
}

#[derive(Serialize)]
struct Unknown {
    kind: &'static str,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    place: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    uses: Vec<String>,
}

#[derive(Serialize)]
struct Broke {
    kind: &'static str,
    text: String,
}

/// Two accesses of one location.
#[derive(Serialize)]
pub(super) struct Raced {
    block: String,
    offset: u64,
    first: Access,
    second: Access,
    place: Option<String>,
}

#[derive(Serialize)]
struct Access {
    thread: Vec<i32>,
    access: &'static str,
    place: Option<String>,
}

/// A finding, and what the run shows that it is about.
#[derive(Serialize)]
pub(super) struct Found<'a> {
    stage: StageId,
    engine: &'a EngineId,
    kind: Kind,
    part: Part,
    cause: Option<&'static str>,
    instruction: Option<&'a str>,
    text: &'a str,
    races: Vec<Raced>,
    unwritten: Option<Unwritten>,
    stuck: Option<StuckAt>,
}

impl<'a> Found<'a> {
    /// With places as they are told.
    pub(super) fn of(finding: &'a Finding, at: &dyn Fn(Span) -> Option<String>) -> Self {
        Self {
            stage: finding.stage,
            engine: &finding.engine,
            kind: finding.kind,
            part: finding.part,
            cause: finding.site.map(|site| site.cause.name()),
            instruction: finding.instruction.as_deref(),
            text: &finding.text,
            races: finding.races.iter().map(|race| raced(race, at)).collect(),
            unwritten: finding.unwritten.as_ref().map(|read| Unwritten::told(read, at)),
            stuck: finding.stuck.as_ref().map(|stuck| stuck_at(stuck, at)),
        }
    }

    /// Of a program that was read from a file.
    pub(super) fn in_source(source: &Source, finding: &'a Finding) -> Self {
        let mut found = Self::of(finding, &|span| at(&source.text, span));
        if let (Some(told), Some(stuck)) = (&mut found.stuck, &finding.stuck) {
            told.uses = uses(source, stuck.site.span);
        }
        found
    }

    /// Of a record. Places are those of its file.
    pub(super) fn of_record(record: &'a Record) -> Self {
        let place = record.placing();
        Self::of(&record.finding, &place)
    }
}

/// Why memory is not valid, if it is not.
#[derive(Serialize)]
pub(super) struct Invalid {
    #[serde(skip_serializing_if = "Option::is_none")]
    invalid: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    invalid_place: Option<String>,
}

impl Invalid {
    /// Of a run of this program.
    pub(super) fn of(source: &Source, why: Option<&language::Invalid>) -> Self {
        let invalid = why.map(|why| why.text.clone());
        Self { invalid, invalid_place: why.and_then(|why| at(&source.text, why.span?)) }
    }
}

/// A read of memory that nothing wrote.
#[derive(Serialize)]
pub(super) struct Unwritten {
    block: String,
    offset: u64,
    thread: Vec<i32>,
    place: Option<String>,
    #[serde(skip)]
    text: String,
}

impl Unwritten {
    /// In a run of this program, or, if not `written`, of what a pass made of it, which has no places.
    pub(super) fn of(source: &Source, read: &outcome::Unwritten, written: bool) -> Self {
        Self::told(read, &|span| if written { at(&source.text, span) } else { None })
    }

    fn told(read: &outcome::Unwritten, at: &dyn Fn(Span) -> Option<String>) -> Self {
        let has_place = read.span.start < read.span.end;
        Self {
            block: read.block.clone(),
            offset: read.offset,
            thread: read.thread.clone(),
            place: if has_place { at(read.span) } else { None },
            text: unwritten::describe(read),
        }
    }

    /// `3:5: thread 2 reads offset 1 of m, which nothing wrote, so it is zero`
    pub(super) fn line(&self) -> String {
        let place = self.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
        format!("{place}{}, which nothing wrote, so it is zero", self.text)
    }
}

impl Raced {
    /// In a run of this program.
    pub(super) fn of(source: &Source, race: &Race) -> Self {
        raced(race, &|span| at(&source.text, span))
    }
}

impl End {
    /// Of a run of this program. Places are those of its text.
    pub(super) fn of(source: &Source, outcome: &Outcome) -> Self {
        let at = |span: Span| at(&source.text, span);
        End {
            ended: Ended::of(source, &outcome.ending, outcome.stopped),
            races: outcome.races.iter().map(|race| raced(race, &at)).collect(),
            stats: outcome.stats,
        }
    }
}

impl Ended {
    /// The end of a run of this program, and the statement at which it stopped.
    fn of(source: &Source, ending: &Ending, stopped: Option<Span>) -> Self {
        let at = |span: Span| at(&source.text, span);
        let named = Self::named;
        match ending {
            Ending::Value(values) => Ended { results: Some(texts(values)), ..named("value") },
            Ending::Stuck(stuck) => {
                let uses = uses(source, stuck.site.span);
                Ended { stuck: Some(StuckAt { uses, ..stuck_at(stuck, &at) }), ..named("stuck") }
            }
            Ending::Unknown(why) => {
                let uses = stopped.map_or_else(Vec::new, |span| uses(source, span));
                let unknown = Unknown { uses, ..unknown(why, stopped.and_then(at)) };
                Ended { unknown: Some(unknown), ..named("unknown") }
            }
            Ending::Broken(broken) => Ended { broken: Some(broke(broken)), ..named("broken") },
        }
    }

    /// An end of this name, of which nothing else is said.
    fn named(end: &'static str) -> Self {
        Ended { end, results: None, stuck: None, unknown: None, broken: None }
    }
}

impl Orders {
    /// Of a program that depends on an order.
    pub(super) fn of(found: &OrderDependent) -> Self {
        let ordered = |end: &crate::check::End| Ordered {
            order: end.order.clone(),
            ended: Ended { results: Some(texts(&end.results)), ..Ended::named("value") },
            races: Vec::new(),
        };
        Orders { ends: found.ends.iter().map(ordered).collect(), text: found.text.clone() }
    }
}

impl Ordered {
    /// Of a run of this program in such an order.
    pub(super) fn of(source: &Source, order: &ThreadOrder, outcome: &Outcome) -> Self {
        let End { ended, races, .. } = End::of(source, outcome);
        Ordered { order: order.clone(), ended, races }
    }
}

/// Line and column of a span, if it is one of the text or of a library.
pub(super) fn at(text: &str, span: Span) -> Option<String> {
    let here = span.start <= span.end && span.end as usize <= text.len();
    (here || library(span.start).is_some()).then(|| place(text, span.start))
}

/// Of a place in a library, the places in the program where it uses what the place lies in.
fn uses(source: &Source, span: Span) -> Vec<String> {
    let uses = source.program.uses(span);
    uses.into_iter().filter_map(|used| at(&source.text, used)).collect()
}

fn stuck_at(stuck: &Stuck, at: &dyn Fn(Span) -> Option<String>) -> StuckAt {
    StuckAt {
        text: stuck.sentence(),
        cause: stuck.site.cause.name(),
        rule: stuck.rule.clone(),
        operands: stuck.operands.clone(),
        thread: stuck.thread.clone(),
        place: at(stuck.site.span),
        uses: Vec::new(),
    }
}

fn unknown(why: &Why, place: Option<String>) -> Unknown {
    let (kind, bytes) = match why {
        Why::Fuel => ("fuel", None),
        Why::Memory(bytes) => ("memory", Some(*bytes)),
        Why::NotModelled(_) => ("not-modelled", None),
        Why::Refused(_) => ("refused", None),
        Why::NoAdapter(_) => ("no-adapter", None),
    };
    Unknown { kind, text: reason(why), bytes, place, uses: Vec::new() }
}

fn broke(broken: &Broken) -> Broke {
    let (kind, text) = match broken {
        Broken::Crash(text) => ("crash", text.clone()),
        Broken::Hang => ("hang", "no answer in time".to_owned()),
        Broken::Lost(text) => ("lost", text.clone()),
        Broken::Panic(text) => ("panic", text.clone()),
        Broken::Invalid(text) => ("rejected", text.clone()),
        Broken::Guard(text) => ("guard", text.clone()),
        Broken::Undefined(text) => ("undefined", text.clone()),
    };
    Broke { kind, text }
}

fn raced(race: &Race, at: &dyn Fn(Span) -> Option<String>) -> Raced {
    let access = |side: &Side| Access {
        thread: side.thread.clone(),
        access: if side.wrote { "write" } else { "read" },
        place: side.span.and_then(at),
    };
    Raced {
        block: race.block.clone(),
        offset: race.offset,
        first: access(&race.first),
        second: access(&race.second),
        place: at(race.span),
    }
}

#[cfg(test)]
mod tests {
    use super::{End, Found, Source};
    use crate::check::{Finding, Kind};
    use crate::engine::{EngineId, StageId};
    use crate::language::Lang;
    use reference::kit::outcome::{Cause, Ending, Outcome, Race, Side, Site, Stuck, Unwritten};
    use reference::kit::text::Span;
    use serde_json::json;
    use std::fs;
    use tempfile::TempDir;

    /// What a finding is about has the keys and places that a run has which shows the same.
    #[test]
    fn a_finding_tells_what_a_run_tells() {
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().join("p.fun");
        fs::write(&path, "let (x : int) = 1\nlet (y : int) = x / 0\nin (y)\n").expect("a file");
        let source = Source::open(&path, None, &[]).unwrap_or_else(|_| panic!("a program"));
        let (first, second) = (Span::new(0, 17), Span::new(18, 39));
        let side = |wrote, span| Side { thread: vec![1, 2], wrote, span };
        let outcome = Outcome {
            races: vec![Race {
                span: first,
                first: side(true, Some(first)),
                second: side(false, Some(second)),
                block: "m".to_owned(),
                offset: 7,
            }],
            unwritten: Some(Unwritten {
                span: second,
                thread: vec![3],
                block: "m".to_owned(),
                offset: 4,
            }),
            ..Ending::Stuck(Stuck {
                site: Site { span: second, cause: Cause::DivisionByZero },
                rule: "E-SCALAR".to_owned(),
                thread: Vec::new(),
                operands: vec![1, 0],
            })
            .into()
        };
        let engine = EngineId::own(Lang::Fun);
        let finding = Finding::of(StageId::SOURCE, engine, Kind::Race, "wrong".to_owned());
        let finding = finding.shown_by(&outcome);
        let found = serde_json::to_value(Found::in_source(&source, &finding)).expect("JSON");
        let run = serde_json::to_value(End::of(&source, &outcome)).expect("JSON");
        for key in ["races", "stuck"] {
            assert_eq!(found[key], run[key], "{key}");
        }
        assert_eq!(found["races"][0]["second"]["place"], "2:1");
        let unwritten = json!({ "block": "m", "offset": 4, "thread": [3], "place": "2:1" });
        assert_eq!(found["unwritten"], unwritten);
    }
}
