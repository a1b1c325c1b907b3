//! What an adapter shows counts when it shows it three times of three, alone: each time in a child
//! process that has run nothing else. A driver may be wrong by what it ran before, a child may be
//! ended by somebody else, and a machine may be slow: none of that is the program's.

use crate::check::{Depth, Finding, Tester};
use crate::engine::{Case, Engine, EngineId};
use crate::engines::AdapterEngine;
use crate::engines::child::End;
use std::fmt;

/// How often a finding is looked for alone.
pub const TRIES: u32 = 3;

/// How often one of these is made up for by another, where somebody ended the child.
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

/// What came of looking for a finding alone.
pub(super) struct Alone {
    /// How often it was shown.
    pub(super) shown: Shown,
    /// It was shown by nothing but children that somebody ended.
    pub(super) ended: bool,
}

/// Looks for the finding of an adapter alone. What is shown at a quick look is shown when the case
/// is looked at whole: adapters run the same shaders in both.
pub(super) fn alone(tester: &mut Tester, case: &Case, wanted: &Finding) -> Alone {
    if !wanted.engine.is_adapter() {
        return Alone { shown: Shown::Always, ended: false };
    }
    // The others have answered, and agree.
    let device = tester.asked(&EngineId::Device).then_some(EngineId::Device);
    let few = device.iter().chain([&wanted.engine]).map(ToString::to_string).collect();
    let only = std::mem::replace(&mut tester.only, few);
    let all = std::mem::take(&mut tester.adapters);
    let rest = tester.rest.take();
    // What fires here is counted already.
    let fired = std::mem::take(&mut tester.rolls);
    let (mut tries, mut times, mut ends, mut again) = (0, 0, 0, AGAIN);
    while let Some(adapter) = all.iter().find(|adapter| adapter.id() == wanted.engine)
        && tries < TRIES
    {
        tester.adapters = vec![adapter.fresh()];
        let seen = tester.examine(case, Depth::Whole);
        let same = seen.finding().is_some_and(|finding| same(finding, wanted));
        let last = tester.adapters.first().and_then(AdapterEngine::last_end);
        let ended = last == Some(End::Outside);
        if !same && ended && again > 0 {
            again -= 1;
            continue;
        }
        tries += 1;
        times += u32::from(same);
        ends += u32::from(same && ended);
    }
    tester.only = only;
    tester.adapters = all;
    tester.rest = rest;
    tester.rolls = fired;
    Alone { shown: Shown::Alone(times), ended: times == ends }
}

/// The same adapter shows the same. Whose fault it is may be told by what the other adapters do,
/// and they are not asked.
fn same(found: &Finding, wanted: &Finding) -> bool {
    let what =
        |finding: &Finding| (finding.engine.clone(), finding.kind, finding.site.map(|s| s.cause));
    what(found) == what(wanted)
}
