//! Headers that are read, and those that are refused.

use super::*;
use expect_test::{Expect, expect};

fn check(source: &str, expected: Expect) {
    expected.assert_debug_eq(&parse(source, &[]).expect("the header is good"));
}

fn refused(source: &str, expected: Expect) {
    let error = judged(source, &[]).expect_err("the header is wrong");
    let place = &source[error.span.start as usize..error.span.end as usize];
    expected.assert_eq(&format!("{} at `{place}`: {}", error.message, error.label));
}

#[test]
fn headers() {
    check(
        "-- Rows of a matrix, each times its number.\n\
         -- Note: this is no key.\n\
         --\n\
         -- input: 2, [7]\n\
         -- result: [[7, -4]], 3\n\
         \n\
         -- input: 0, []\n\
         -- stuck: E-INDEX index\n\
         -- fires: E-KERNEL, T-IF E-IN\n\
         -- after expand_memory: alloc in kernel 0, copy 2\n\
         -- seed: 17\n\
         in (x) -- input: no longer the header\n",
        expect![[r#"
            Header {
                about: [
                    "Rows of a matrix, each times its number.",
                    "Note: this is no key.",
                ],
                cases: [
                    Case {
                        input: [
                            2,
                            [7],
                        ],
                        result: Some(
                            [
                                [[7, -4]],
                                3,
                            ],
                        ),
                        any_order: None,
                        stuck: None,
                        race: None,
                        invalid: None,
                        unknown: None,
                        line: 4,
                    },
                    Case {
                        input: [
                            0,
                            [],
                        ],
                        result: None,
                        any_order: None,
                        stuck: Some(
                            Failure {
                                rule: "E-INDEX",
                                premise: Some(
                                    "index",
                                ),
                            },
                        ),
                        race: None,
                        invalid: None,
                        unknown: None,
                        line: 7,
                    },
                ],
                rejects: None,
                fires: [
                    "E-KERNEL",
                    "T-IF",
                    "E-IN",
                ],
                after: [
                    After {
                        pass: "expand_memory",
                        counts: [
                            (
                                "alloc in kernel",
                                0,
                            ),
                            (
                                "copy",
                                2,
                            ),
                        ],
                    },
                ],
                notes: [
                    Note {
                        key: "seed",
                        text: "17",
                        span: Span {
                            start: 243,
                            end: 245,
                        },
                    },
                ],
            }
        "#]],
    );
    check(
        "-- result: 3\nin (3)",
        expect![[r#"
        Header {
            about: [],
            cases: [
                Case {
                    input: [],
                    result: Some(
                        [
                            3,
                        ],
                    ),
                    any_order: None,
                    stuck: None,
                    race: None,
                    invalid: None,
                    unknown: None,
                    line: 1,
                },
            ],
            rejects: None,
            fires: [],
            after: [],
            notes: [],
        }
    "#]],
    );
    check(
        "in (3)",
        expect![[r#"
        Header {
            about: [],
            cases: [],
            rejects: None,
            fires: [],
            after: [],
            notes: [],
        }
    "#]],
    );
    check(
        "-- rejects: T-INDEX rank\n",
        expect![[r#"
        Header {
            about: [],
            cases: [],
            rejects: Some(
                Failure {
                    rule: "T-INDEX",
                    premise: Some(
                        "rank",
                    ),
                },
            ),
            fires: [],
            after: [],
            notes: [],
        }
    "#]],
    );
}

#[test]
fn results_in_any_order() {
    let header = parse("-- any order: [[1, 2], [3, 4]], _, 7\n", &[]).expect("it is good");
    let open = header.cases[0].any_order.as_ref().expect("it is said");
    let admits = |results: &str| {
        let results = parse_values(results).expect("they parse");
        open.len() == results.len() && open.iter().zip(&results).all(|(o, r)| o.admits(r))
    };
    assert!(admits("[[3, 4], [1, 2]], 5, 7"));
    assert!(!admits("[[1, 4], [3, 2]], 5, 7"));
    assert!(!admits("[[1, 2], [3, 4]], 5, 8"));
    assert!(!admits("[[1, 2], [3, 4]], 5"));
}

#[test]
fn wrong_headers() {
    refused(
        "-- about\n-- reslut: 3\n",
        expect!["`reslut` is no key of a header at `reslut`: unknown key"],
    );
    refused(
        "-- input: [1, x]\n",
        expect!["`x` is not expected in a value at `x`: expected a number or `[`"],
    );
    refused(
        "-- input: 1\n-- input: 2\n-- result: 2\n",
        expect!["an input without an expectation at `-- input: 1`: what comes of it?"],
    );
    refused(
        "-- result: 1\n-- result: 2\n",
        expect!["`result` is said twice at `result`: the second"],
    );
    refused(
        "-- stuck:\n",
        expect!["not a rule and a premise at ``: expected `RULE` or `RULE premise`"],
    );
    refused(
        "-- stuck: E-INDEX index 3\n",
        expect!["not a rule and a premise at `E-INDEX index 3`: expected `RULE` or `RULE premise`"],
    );
    refused(
        "-- any order: [1, 2],\n",
        expect!["a result is missing at ``: expected a value or `_`"],
    );
    refused(
        "-- after expand: none\n",
        expect!["nothing that can be counted at `none`: expected operations, each with its number"],
    );
}

#[test]
fn the_page_names_every_key() {
    let page = include_str!("../../../../docs/headers.md");
    for key in KEYS.into_iter().chain(NOTES) {
        let (alone, with) = (format!("`{key}`"), format!("`{key}: "));
        assert!(page.contains(&alone) || page.contains(&with) || key == "after", "{key}");
    }
}

/// A finding may have no end for other reasons than want of something.
#[test]
fn runs_without_an_end() {
    for why in WITHOUT_END {
        let header = parse(&format!("-- unknown: {why}\nin (1)\n"), &[]).expect("it is read");
        assert_eq!(header.cases[0].unknown.as_deref(), Some(why));
    }
    refused(
        "-- unknown: time\nin (1)\n",
        expect![
            "`time` is nothing that runs out at `time`: `fuel` or `memory`; in a finding also `types` or `broken`"
        ],
    );
}
