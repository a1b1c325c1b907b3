//! What an engine answered, in words, as short as a header wants it.

use crate::check::{Answer, Class, End, Examination, OrderDependent, agree, race};
use crate::engine::{EngineId, StageId};
use reference::kit::outcome::{Ending, Outcome, Why};
use reference::kit::text::Span;
use reference::languages::place;
use serde::Serialize;

/// Longest end that is told whole, in characters.
const LONGEST: usize = 240;

/// What an engine answered. The places in it are told where a text of the program is at hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerText {
    /// The engine.
    pub engine: EngineId,
    /// The stage that it ran.
    pub stage: StageId,
    end: String,
    /// The statement that got stuck.
    stuck: Option<Span>,
    /// The first race, and the kernel or copy whose threads race.
    race: Option<(String, Span)>,
}

/// A reply whose places are told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AnswerLine {
    /// The engine.
    pub engine: String,
    /// The stage that it ran.
    pub stage: StageId,
    /// What it answered.
    pub answer: String,
}

impl AnswerText {
    /// What a side answered.
    pub fn of(side: &Answer) -> Self {
        Self::of_end(&side.engine, side.stage, &side.outcome)
    }

    /// What an engine answered to a stage.
    pub fn of_end(engine: &EngineId, stage: StageId, outcome: &Outcome) -> Self {
        let stuck = match &outcome.ending {
            Ending::Stuck(stuck) => Some(stuck.site.span),
            Ending::Value(_) | Ending::Unknown(_) | Ending::Broken(_) => None,
        };
        let end = ended(&outcome.ending);
        let race = outcome.races.first();
        let race = race.map(|race| (format!("race of {}", race::describe(race)), race.span));
        Self { engine: engine.clone(), stage, end, stuck, race }
    }

    /// With the place of a span as it is told: `stuck at E-INDEX (index: index 4, extent 3), at 2:5;
    /// race of ..., at 1:1`
    pub fn told(&self, told: impl Fn(Span) -> Option<String>) -> AnswerLine {
        let at = |span: Span| told(span).map(|place| format!(", at {place}")).unwrap_or_default();
        let stuck = self.stuck.map(at).unwrap_or_default();
        let race = self.race.as_ref().map(|(race, span)| format!("; {race}{}", at(*span)));
        let answer = format!("{}{stuck}{}", self.end, race.unwrap_or_default());
        AnswerLine { engine: self.engine.to_string(), stage: self.stage, answer }
    }

    /// Of a program that was read from a source.
    pub fn told_in(&self, source: &str) -> AnswerLine {
        self.told(|span| Some(place(source, span.start)))
    }
}

impl AnswerLine {
    /// `fun after source: 3`
    pub fn line(&self) -> String {
        let Self { engine, stage, answer } = self;
        format!("{engine} after {stage}: {answer}")
    }
}

/// An end in words.
fn ended(ending: &Ending) -> String {
    let end = match ending {
        Ending::Value(results) => super::values(results),
        Ending::Stuck(stuck) => format!("stuck at {} {}", stuck.rule, agree::end(stuck)),
        Ending::Unknown(why) => format!("unknown: {}", crate::profiles::reason(why)),
        Ending::Broken(broken) => format!("broke: {broken:?}"),
    };
    cut(&end)
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}

/// `order-dependent: device ends with [3, 5], device:reversed with [5, 3]`
pub fn order_dependent(found: &OrderDependent) -> String {
    let [first, second] = &*found.ends;
    let told = |end: &End| format!("with {}", cut(&super::values(&end.results)));
    format!(
        "order-dependent: {} ends {}, {} {}",
        first.order,
        told(first),
        second.order,
        told(second)
    )
}

/// Where a program gets stuck or races, if it does, and in which order of its threads if that of its semantics shows
/// nothing: `stuck at E-INDEX (index: index 4, extent 3), at 2:5`.
pub fn wrong(seen: &Examination, source: &str) -> Option<String> {
    let (Class::Stuck(_) | Class::Race) = &seen.class else { return None };
    let told = |engine: &EngineId, outcome: &Outcome| {
        AnswerText::of_end(engine, StageId::SOURCE, outcome).told_in(source).answer
    };
    match seen.wrong_order() {
        Some((order, outcome)) => Some(format!(
            "{}, in another order of its threads, that of {order}",
            told(&order.engine, outcome)
        )),
        None => seen.sides.first().map(|own| told(&own.engine, &own.outcome)),
    }
}

/// Why a program has no answer of its own, and where in its source the run stopped, as line and column.
pub fn unanswered(seen: &Examination, source: &str) -> Option<(String, Option<String>)> {
    let own = &seen.sides.first()?.outcome;
    let Ending::Unknown(why) = &own.ending else { return None };
    let needed = match why {
        Why::Memory(bytes) => format!(", at least {bytes} bytes are needed"),
        _ => String::new(),
    };
    let told = format!("no answer: {}{needed}", crate::profiles::reason(why));
    Some((told, own.stopped.map(|span| place(source, span.start))))
}

/// Whose reply a line is, and after which stage: [`AnswerLine::line`] read back.
pub(super) fn replied(line: &str) -> Option<(EngineId, &str)> {
    let (engine, rest) = line.split_once(" after ")?;
    let (stage, _) = rest.split_once(':')?;
    Some((engine.parse().ok()?, stage))
}
