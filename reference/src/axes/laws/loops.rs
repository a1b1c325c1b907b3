//! Laws of loops over results, and of the axes that merges make.

use super::super::syntax::{Head, Level, Term};
use super::apply::{At, substituted};
use super::{Class, Line, computed, differ, law, split_evenly};

pub(super) const LINES: &[Line] = &[
    law(
        "swap-build",
        &["(build l i n (build m j k T))"],
        "(build m j k (build l i n T))",
        Class::Exact,
    ),
    law("build-red", &["(build l i n (red o k m T))"], "(red o k m (build l i n T))", Class::Exact)
        .both(),
    law(
        "merge-build",
        &["(build l i n (merge a b c T))"],
        "(merge a b c (build l i n T))",
        Class::Exact,
    )
    .both()
    .when("i is none of a, b, c", |at| differ(at, &["i", "a", "b", "c"])),
    law("merge-red", &["(red o k n (merge a b c T))"], "(merge a b c (red o k n T))", Class::Exact)
        .both()
        .when("k is none of a, b, c", |at| differ(at, &["k", "a", "b", "c"])),
    law(
        "swap-merge",
        &["(merge a b c (merge d e f T))"],
        "(merge d e f (merge a b c T))",
        Class::Exact,
    )
    .when("all six axes differ", |at| differ(at, &["a", "b", "c", "d", "e", "f"])),
    law("level", &["(build seq i n T)"], "(build grid i n T)", Class::Cost).both(),
    computed("vec", &["(build seq i n e)"], "(build vec i n e), n <= 4", Class::Cost, vectors),
    computed(
        "split-build",
        &["(build l i n T)"],
        "(merge i i_o i_i (build l i_o n/t (build l i_i t T[i := t*i_o + i_i])))",
        Class::Exact,
        split_build,
    )
    .tiles()
    .guarded("t divides n"),
    law(
        "if-build",
        &["(build l i n (if c T U))"],
        "(if c (build l i n T) (build l i n U))",
        Class::Exact,
    )
    .both()
    .when("i is not in c; c is total, or n >= 1", |at| {
        at.axis("i").is_some_and(|i| at.is_without("c", i))
            && (at.is_total("c") || at.size("n") > Some(0))
    }),
    law(
        "if-merge",
        &["(merge a b c (if d T U))"],
        "(if d (merge a b c T) (merge a b c U))",
        Class::Exact,
    )
    .both(),
];

/// The widest vector.
const VECTOR: u32 = 4;

/// Rounds as one vector: a few, each a scalar.
fn vectors(at: &mut At<'_>) -> Option<Term> {
    let (axis, size) = (at.axis("i")?.clone(), at.size("n")?);
    if !(2..=VECTOR).contains(&size) || !at.is_scalar("e") {
        return None;
    }
    Some(Term::build(Level::Vec, &axis, size, at.term("e").clone()))
}

fn split_build(at: &mut At<'_>) -> Option<Term> {
    let axis = at.axis("i")?.clone();
    let Head::Level(level) = at.term("l").head else { return None };
    let split = split_evenly(at, "i", "n")?;
    let body = substituted(at.term("T"), &axis, &split.index, at.scope)?;
    let body = Term::build(level, &split.inner, at.parameter, body);
    let body = Term::build(level, &split.outer, split.rounds, body);
    Some(Term::merge(&axis, &split.outer, &split.inner, body))
}
