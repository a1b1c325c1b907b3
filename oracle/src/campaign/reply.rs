//! What an engine answered, in words, as short as a header wants it.

use crate::check::{agree, race};
use reference::kit::outcome::{Ending, Outcome};
use reference::kit::text::{Span, place};

/// Longest end that is told whole, in characters.
const LONGEST: usize = 240;

/// What an engine answered. The places in it are told where a text of the program is at hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    end: String,
    /// The statement that got stuck.
    stuck: Option<Span>,
    /// The first race, and the kernel or copy whose threads race.
    race: Option<(String, Span)>,
}

impl Reply {
    /// What an outcome is called.
    pub fn of(outcome: &Outcome) -> Self {
        let (end, stuck) = match &outcome.ending {
            Ending::Value(results) => (super::values(results), None),
            Ending::Stuck(stuck) => {
                let end = format!("stuck at {} {}", stuck.rule, agree::end(stuck));
                (end, Some(stuck.site.span))
            }
            Ending::Unknown(why) => (format!("unknown: {}", crate::profiles::reason(why)), None),
            Ending::Broken(broken) => (format!("broke: {broken:?}"), None),
        };
        let end = match end.char_indices().nth(LONGEST) {
            Some((at, _)) => format!("{}...", &end[..at]),
            None => end,
        };
        let race = outcome.races.first();
        let race = race.map(|race| (format!("race of {}", race::describe(race)), race.span));
        Self { end, stuck, race }
    }

    /// The words, with the place of a span as it is told: `stuck at E-INDEX (index: index 4, extent
    /// 3), 2:5; race of …, 1:1`
    pub fn text(&self, told: impl Fn(Span) -> Option<String>) -> String {
        let at = |span: Span| told(span).map(|place| format!(", {place}")).unwrap_or_default();
        let stuck = self.stuck.map(at).unwrap_or_default();
        let race = self.race.as_ref().map(|(race, span)| format!("; {race}{}", at(*span)));
        format!("{}{stuck}{}", self.end, race.unwrap_or_default())
    }

    /// The words, of a program that was read from a source.
    pub fn text_in(&self, source: &str) -> String {
        self.text(|span| Some(place(source, span.start)))
    }
}
