//! Agreement: do two engines give the same end?

use super::verdict::Kind;
use compiler::run::launcher::is_unconfirmed;
use reference::kit::outcome::{Ending, Outcome, Site, Stuck};
use reference::kit::text::Span;
use reference::kit::value;

/// How two ends differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// [`Kind::Value`], [`Kind::Stuck`], or the way in which the second engine broke.
    pub kind: Kind,
    /// Where one of them got stuck.
    pub site: Option<Site>,
    /// Where the second got stuck, if that is another statement.
    pub instead: Option<Span>,
    /// One sentence.
    pub text: String,
}

impl Difference {
    /// One without a place.
    pub fn new(kind: Kind, text: String) -> Self {
        Self { kind, site: None, instead: None, text }
    }
}

/// What is kept of the place where a program gets stuck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StuckPolicy {
    /// The same site, thread and operands.
    Same,
    /// The same site; where an element of a copy leaves its block, one side may know which
    /// element that was, as one more thread.
    Element,
}

/// Holds the end of `found` against that of `expected`. `Unknown` agrees with nothing and
/// differs from nothing: the caller counts it before. But two forms of one kernel that say different things of
/// its checks are never both right, so long as no invocation depends on another: one of them differs.
///
/// # Errors
/// How they differ.
pub fn agree(expected: &Outcome, found: &Outcome, policy: StuckPolicy) -> Result<(), Difference> {
    let stuck = |site, instead, text| Difference {
        site: Some(site),
        instead,
        ..Difference::new(Kind::Stuck, text)
    };
    match (&expected.ending, &found.ending) {
        (_, Ending::Broken(broken)) | (Ending::Broken(broken), _) => {
            Err(Difference::new(broken.into(), format!("{broken:?}")))
        }
        (Ending::Unknown(_), _) => Ok(()),
        (_, Ending::Unknown(_)) if is_unconfirmed(&found.ending) => {
            let text =
                "the fast form of a kernel tells of a failed check and the full form does not";
            Err(Difference::new(Kind::Stuck, text.to_owned()))
        }
        (_, Ending::Unknown(_)) => Ok(()),
        (Ending::Value(_), Ending::Value(_)) => values(expected, found),
        (Ending::Stuck(expected), Ending::Stuck(found)) => {
            let same = match policy {
                StuckPolicy::Same => expected.agrees(found),
                StuckPolicy::Element => {
                    expected.agrees(found)
                        || expected.site == found.site && found.thread.starts_with(&expected.thread)
                }
            };
            if same {
                return Ok(());
            }
            let instead = Some(found.site.span).filter(|span| *span != expected.site.span);
            let other = instead.map(|_| " at another statement").unwrap_or_default();
            let text = format!("stuck {}{other} instead of {}", end(found), end(expected));
            Err(stuck(expected.site, instead, text))
        }
        (Ending::Value(_), Ending::Stuck(found)) => {
            Err(stuck(found.site, None, format!("stuck {} instead of a result", end(found))))
        }
        (Ending::Stuck(expected), Ending::Value(_)) => {
            Err(stuck(expected.site, None, format!("a result instead of stuck {}", end(expected))))
        }
    }
}

/// `(index: index 4, extent 3; thread [2])`
pub fn end(stuck: &Stuck) -> String {
    let names = stuck.site.cause.operands();
    let operands: Vec<String> = names
        .iter()
        .zip(&stuck.operands)
        .map(|(name, operand)| format!("{name} {operand}"))
        .collect();
    let mut text = format!("({}", stuck.site.cause.name());
    if !operands.is_empty() {
        text.push_str(&format!(": {}", operands.join(", ")));
    }
    if !stuck.thread.is_empty() {
        text.push_str(&format!("; thread {:?}", stuck.thread));
    }
    text.push(')');
    text
}

fn values(expected: &Outcome, found: &Outcome) -> Result<(), Difference> {
    let differs = |text| Difference::new(Kind::Value, text);
    let (Ending::Value(wanted), Ending::Value(have)) = (&expected.ending, &found.ending) else {
        return Ok(());
    };
    value::agree_all(wanted, have, [&expected.tolerances, &found.tolerances])
        .map_err(|value::Difference(text)| differs(text))?;
    if expected.stores.len() != found.stores.len() {
        let (have, want) = (found.stores.len(), expected.stores.len());
        return Err(differs(format!("{have} stores instead of {want}")));
    }
    for (wanted, have) in expected.stores.iter().zip(&found.stores) {
        value::agree(&wanted.contents, &have.contents, &[])
            .map_err(|value::Difference(how)| differs(format!("store {} {how}", wanted.name)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{StuckPolicy, agree};
    use crate::check::Kind;
    use compiler::run::launcher::UNCONFIRMED;
    use reference::kit::outcome::{Cause, Ending, Outcome, Site, Store, Stuck, Value, Why};
    use reference::kit::text::Span;

    fn outcome(ending: Ending) -> Outcome {
        ending.into()
    }

    fn stuck(rule: &str, thread: i32) -> Outcome {
        outcome(Ending::Stuck(Stuck {
            site: Site { span: Span::new(3, 9), cause: Cause::Index },
            rule: rule.to_owned(),
            thread: vec![thread],
            operands: vec![4, 3],
        }))
    }

    #[test]
    fn stuck_agrees_whatever_the_rule_is_called() {
        assert_eq!(agree(&stuck("E-INDEX", 2), &stuck("check", 2), StuckPolicy::Same), Ok(()));
        let other = agree(&stuck("E-INDEX", 2), &stuck("check", 1), StuckPolicy::Same).unwrap_err();
        assert_eq!(other.kind, Kind::Stuck);
    }

    /// Any thread may fill a region up, at any statement.
    #[test]
    fn stuck_agrees_by_the_cause_where_anyone_may_meet_it() {
        let full = |at: usize, thread, operands: [i64; 2]| {
            outcome(Ending::Stuck(Stuck {
                site: Site { span: Span::new(at, at + 1), cause: Cause::RegionFull },
                rule: "check".to_owned(),
                thread: vec![thread],
                operands: operands.to_vec(),
            }))
        };
        for policy in [StuckPolicy::Same, StuckPolicy::Element] {
            assert_eq!(agree(&full(1, 1, [2, 1]), &full(5, 3, [1, 0]), policy), Ok(()));
            agree(&full(1, 1, [2, 1]), &stuck("check", 1), policy).expect_err("another cause");
        }
    }

    #[test]
    fn another_statement_that_is_stuck_is_told_apart() {
        let expected = stuck("E-INDEX", 2);
        let mut found = expected.clone();
        let Ending::Stuck(elsewhere) = &mut found.ending else { unreachable!("it is stuck") };
        elsewhere.site.span = Span::new(20, 30);
        let difference = agree(&expected, &found, StuckPolicy::Same).unwrap_err();
        assert_eq!(difference.instead, Some(Span::new(20, 30)));
        let end = "(index: index 4, extent 3; thread [2])";
        assert_eq!(difference.text, format!("stuck {end} at another statement instead of {end}"));
        let other = agree(&expected, &stuck("E-INDEX", 1), StuckPolicy::Same).unwrap_err();
        assert_eq!(other.instead, None);
        assert!(!other.text.contains("another"), "{}", other.text);
    }

    #[test]
    fn the_first_element_that_differs_is_named() {
        let array =
            |last| outcome(Ending::Value(vec![Value::ints(vec![2, 3], vec![1, 2, 3, 4, 5, last])]));
        let difference = agree(&array(6), &array(7), StuckPolicy::Same).unwrap_err();
        assert_eq!(difference.text, "result 1 has 7 instead of 6 at [2, 3]");
    }

    #[test]
    fn stores_agree_by_what_is_in_them() {
        let with = |name: &str, k: i32| Outcome {
            stores: vec![Store { name: name.to_owned(), contents: Value::from(k) }],
            ..outcome(Ending::Value(Vec::new()))
        };
        assert_eq!(agree(&with("x", 7), &with("y", 7), StuckPolicy::Same), Ok(()));
        let difference = agree(&with("x", 7), &with("x", 8), StuckPolicy::Same).unwrap_err();
        assert_eq!(difference.text, "store x is 8 instead of 7");
        let none = outcome(Ending::Value(Vec::new()));
        let difference = agree(&with("x", 7), &none, StuckPolicy::Same).unwrap_err();
        assert_eq!(difference.text, "0 stores instead of 1");
    }

    /// Whatever the end is to be, one of the two forms of a kernel is wrong.
    #[test]
    fn an_unconfirmed_flag_differs_from_every_end() {
        let unknown = |why: &str| outcome(Ending::Unknown(Why::NotModelled(why.to_owned())));
        for expected in [stuck("E-INDEX", 1), outcome(Ending::Value(Vec::new()))] {
            let difference = agree(&expected, &unknown(UNCONFIRMED), StuckPolicy::Same);
            assert_eq!(difference.unwrap_err().kind, Kind::Stuck);
            assert_eq!(agree(&expected, &unknown("subgroups"), StuckPolicy::Same), Ok(()));
        }
    }

    #[test]
    fn a_result_is_not_an_end_that_is_stuck() {
        let value = outcome(Ending::Value(vec![Value::from(1)]));
        let difference = agree(&stuck("E-INDEX", 1), &value, StuckPolicy::Same).unwrap_err();
        assert_eq!((difference.kind, difference.site.is_some()), (Kind::Stuck, true));
    }
}
