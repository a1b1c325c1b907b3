//! Laws of operators and conditions. Operators wrap, and an operator that combines in any order
//! has an identity: [`identity`].

use super::super::syntax::{Head, Term, identity};
use super::super::total::{decided, range};
use super::apply::At;
use super::{Class, Line, combines, computed, law};
use crate::kit::scalar::BinOp;

pub(super) const LINES: &[Line] = &[
    law("comm", &["(o a b)"], "(o b a)", Class::Assoc).when("⊕ combines in any order", combines),
    law("assoc", &["(o a (o b c))"], "(o (o a b) c)", Class::Assoc)
        .both()
        .when("⊕ combines in any order", combines),
    law("unit", &["(o a u)", "(o u a)"], "a", Class::Exact).when("u is the identity of ⊕", |at| {
        at.op("o").and_then(identity).is_some_and(|k| at.constant("u") == Some(k))
    }),
    law("zero", &["(* a 0)", "(& a 0)"], "0", Class::Exact)
        .when("a is total", |at| at.is_total("a")),
    law("distribute", &["(* a (+ b c))"], "(+ (* a b) (* a c))", Class::Exact).both(),
    law("minus", &["(- a b)"], "(+ a (* -1 b))", Class::Exact).both(),
    law("self-minus", &["(- a a)", "(^ a a)"], "0", Class::Exact)
        .when("a is total", |at| at.is_total("a")),
    law("idempotent", &["(o a a)"], "a", Class::Exact)
        .when("⊕ is min, max, & or |", |at| at.op("o").is_some_and(is_idempotent)),
    law("absorb", &["(o a (p a b))"], "a", Class::Exact).when(
        "⊕ and ⊗ are min and max, or & and |; b is total",
        |at| {
            let pair = at.op("o").zip(at.op("p"));
            pair.is_some_and(|(o, p)| absorbs(o, p)) && at.is_total("b")
        },
    ),
    computed("shift-mul", &["(<< a k)"], "(* a 2^k)", Class::Exact, shift_mul)
        .guarded("0 <= k < 31"),
    law("div-tile", &["(/ (+ (* a t) b) t)"], "a", Class::Exact)
        .when("t > 0, 0 <= b < t, 0 <= a, a*t + b does not overflow; b is total", |at| {
            is_tile(at) && at.is_total("b")
        }),
    law("rem-tile", &["(% (+ (* a t) b) t)"], "b", Class::Exact)
        .when("t > 0, 0 <= b < t, 0 <= a, a*t + b does not overflow; a is total", |at| {
            is_tile(at) && at.is_total("a")
        }),
    computed("if-const", &["(if c a b)"], "a, or b where c is 0", Class::Exact, |at| {
        let c = at.constant("c")?;
        Some(at.term(if c != 0 { "a" } else { "b" }).clone())
    }),
    law("if-same", &["(if c a a)"], "a", Class::Exact).when("c is total", |at| at.is_total("c")),
    law("if-not", &["(if (== c 0) a b)"], "(if c b a)", Class::Exact).both(),
    law("if-push", &["(o (if c a b) d)"], "(if c (o a d) (o b d))", Class::Exact).both(),
    law("if-push-right", &["(o d (if c a b))"], "(if c (o d a) (o d b))", Class::Exact).both(),
    law("if-range", &["(if c a b)"], "a", Class::Exact)
        .when("the bounds of c say that it holds; c is total", |at| {
            decided(at.term("c"), at.scope) == Some(true) && at.is_total("c")
        }),
];

fn is_idempotent(op: BinOp) -> bool {
    matches!(op, BinOp::Min | BinOp::Max | BinOp::And | BinOp::Or)
}

fn absorbs(o: BinOp, p: BinOp) -> bool {
    matches!(
        (o, p),
        (BinOp::Min, BinOp::Max)
            | (BinOp::Max, BinOp::Min)
            | (BinOp::And, BinOp::Or)
            | (BinOp::Or, BinOp::And)
    )
}

fn shift_mul(at: &mut At<'_>) -> Option<Term> {
    let k = at.constant("k")?;
    at.guard(|_| (0..31).contains(&k))?;
    let factor = u32::try_from(k).ok().and_then(|k| 1_i32.checked_shl(k)).unwrap_or(0);
    Some(Term::apply(BinOp::Mul, at.term("a").clone(), Term::constant(factor)))
}

/// Is `a·t + b` number `b` of tile `a`?
fn is_tile(at: &At<'_>) -> bool {
    let Head::Const(t) = at.term("t").head else { return false };
    let t = i64::from(t);
    let (a, b) = (range(at.term("a"), at.scope), range(at.term("b"), at.scope));
    t > 0 && a.0 >= 0 && b.0 >= 0 && b.1 < t && a.1 * t + b.1 <= i64::from(i32::MAX)
}
