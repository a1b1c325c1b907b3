//! Why a device may end otherwise than the evaluator though nothing is wrong.

use super::examine::Examination;
use super::race;
use super::verdict::Kind;
use reference::kit::outcome::Outcome;

/// What excuses a difference of this kind between a device, real or executed, and what is expected.
pub(super) fn excuse(expected: &Outcome, seen: &Examination, kind: Kind) -> Option<&'static str> {
    if race::behind_stuck(expected, seen, kind) {
        return Some(race::BEHIND_STUCK);
    }
    // Whatever a float is, all that is done with it stays defined.
    let by_value = matches!(kind, Kind::Value | Kind::Stuck | Kind::Race);
    (expected.stats.open_floats && by_value).then_some(OPEN_FLOATS)
}

/// What is said of floats that decide.
const OPEN_FLOATS: &str = "a float is inexact or none, and WGSL leaves open what comes of it";

#[cfg(test)]
mod tests {
    use super::{Examination, Kind, OPEN_FLOATS, excuse};
    use reference::kit::outcome::{Ending, Outcome, Stats};

    #[test]
    fn open_floats_excuse_what_depends_on_a_value() {
        let with = |open_floats| Outcome {
            stats: Stats { open_floats, ..Stats::default() },
            ..Outcome::from(Ending::Value(Vec::new()))
        };
        let seen = Examination::default();
        assert_eq!(excuse(&with(true), &seen, Kind::Value), Some(OPEN_FLOATS));
        assert_eq!(excuse(&with(false), &seen, Kind::Value), None);
        for defect in [Kind::Undefined, Kind::Crash, Kind::Hang] {
            assert_eq!(excuse(&with(true), &seen, defect), None, "{defect:?}");
        }
    }
}
