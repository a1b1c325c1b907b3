//! What an adapter shows counts when it shows it three times of three, alone: each time in a child
//! process that has run nothing else. A driver may be wrong by what it ran before, a child may be
//! ended from outside, and a machine may be slow: none of that is the program's.

use crate::check::{Depth, Finding, Tester};
use crate::engine::{Case, Engine, EngineId};
use crate::engines::AdapterEngine;
use crate::engines::child::End;
use crate::language::Listed;
use reference::device::Device;
use std::fmt;

/// How often a finding is looked for alone.
pub const TRIES: u32 = 3;

/// How often one of these is made up for by another, where the child was ended from outside.
const AGAIN: u32 = 5;

/// How surely a finding is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// No adapter has part in it: what shows it does the same every time.
    Always,
    /// It was not looked for alone yet.
    Untried,
    /// So often of [`TRIES`] times alone.
    Alone(u32),
}

impl Shown {
    /// Does it count?
    pub fn counts(self) -> bool {
        matches!(self, Shown::Always | Shown::Alone(TRIES))
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shown::Always => f.write_str("always"),
            Shown::Untried => f.write_str("not yet"),
            Shown::Alone(times) => write!(f, "{times} of {TRIES} times"),
        }
    }
}

/// What came of looking for a finding once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Try {
    /// It was shown.
    Same,
    /// It was not.
    Other,
    /// The child was ended from outside: what it showed says nothing.
    Ended,
}

impl Try {
    /// By how the last child ended, if one did, and whether the finding was seen.
    fn of(end: Option<End>, seen: bool) -> Self {
        match (end, seen) {
            (Some(End::Outside), _) => Try::Ended,
            (_, true) => Try::Same,
            (_, false) => Try::Other,
        }
    }
}

/// Looks for the finding of an adapter alone. What is shown at a quick look is shown when the case
/// is looked at whole: adapters run the same shaders in both.
pub(super) fn alone(tester: &mut Tester, case: &Case, wanted: &Finding) -> Shown {
    if !wanted.engine.is_adapter() {
        return Shown::Always;
    }
    // The others have answered, and agree.
    let device = Some(EngineId::own(Device::LANG)).filter(|device| tester.asked(device));
    let few = device.iter().chain([&wanted.engine]).map(ToString::to_string).collect();
    let only = std::mem::replace(&mut tester.only, few);
    let all = std::mem::take(&mut tester.adapters);
    let rest = tester.rest.take();
    // What fires here is counted already.
    let fired = std::mem::take(&mut tester.rolls);
    let adapter = all.iter().find(|adapter| adapter.id() == wanted.engine);
    let times = adapter.map_or(0, |adapter| {
        times(|| {
            tester.adapters = vec![adapter.fresh()];
            let seen = tester.examine(case, Depth::Whole);
            let end = tester.adapters.first().and_then(AdapterEngine::last_end);
            Try::of(end, seen.finding().is_some_and(|finding| same(finding, wanted)))
        })
    });
    tester.only = only;
    tester.adapters = all;
    tester.rest = rest;
    tester.rolls = fired;
    Shown::Alone(times)
}

/// How often it is shown in [`TRIES`]. One whose child was ended is made up for by another, as long
/// as there are any left, and never counts.
fn times(mut once: impl FnMut() -> Try) -> u32 {
    let (mut tries, mut times, mut again) = (0, 0, AGAIN);
    while tries < TRIES {
        match once() {
            Try::Ended if again > 0 => {
                again -= 1;
                continue;
            }
            Try::Same => times += 1,
            Try::Other | Try::Ended => {}
        }
        tries += 1;
    }
    times
}

/// The same adapter shows the same. Whose fault it is may be told by what the other adapters do,
/// and they are not asked.
fn same(found: &Finding, wanted: &Finding) -> bool {
    let what =
        |finding: &Finding| (finding.engine.clone(), finding.kind, finding.site.map(|s| s.cause));
    what(found) == what(wanted)
}

#[cfg(test)]
mod tests {
    use super::{AGAIN, End, TRIES, Try, times};

    /// How often it is shown where the tries come to this, and the last of them ever after; and how
    /// many tries there were.
    fn shown(tries: &[Try]) -> (u32, u32) {
        let mut made = 0;
        let times = times(|| {
            let at = (made as usize).min(tries.len() - 1);
            made += 1;
            tries[at]
        });
        (times, made)
    }

    /// A child that is ended from outside looks like a crash of its adapter.
    #[test]
    fn a_try_whose_child_somebody_ended_is_none() {
        for seen in [true, false] {
            assert_eq!(Try::of(Some(End::Outside), seen), Try::Ended);
            let came = if seen { Try::Same } else { Try::Other };
            for end in [None, Some(End::Crashed), Some(End::Hung), Some(End::Memory)] {
                assert_eq!(Try::of(end, seen), came, "{end:?}");
            }
        }
    }

    #[test]
    fn a_child_that_is_ended_shows_nothing() {
        use Try::{Ended, Other, Same};
        assert_eq!(shown(&[Same]), (TRIES, TRIES));
        assert_eq!(shown(&[Same, Other]), (1, TRIES));
        assert_eq!(shown(&[Ended, Same, Ended, Same]), (TRIES, TRIES + 2));
        // A child that is ended each time makes no finding, and is not waited for.
        assert_eq!(shown(&[Ended]), (0, TRIES + AGAIN));
        assert_eq!(shown(&[Same, Ended]), (1, TRIES + AGAIN));
    }
}
