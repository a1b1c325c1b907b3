//! Laws that look right and are not. The gate refutes each, and so it is seen to refute.

use super::super::syntax::{Head, Term};
use super::apply::{At, substituted};
use super::{Class, Group, Law, Line, computed, law, split_evenly};
use crate::kit::scalar::BinOp;
use std::sync::LazyLock;

/// The exhibits.
pub static EXHIBITS: LazyLock<Vec<Law>> =
    LazyLock::new(|| LINES.iter().map(|line| line.read(Group::Scalars)).collect());

const LINES: &[Line] = &[
    law("min-plus", &["(min (+ a c) (+ b c))"], "(+ (min a b) c)", Class::Exact),
    law("mul-div", &["(/ (* a b) b)"], "a", Class::Exact),
    law("div-shift", &["(/ a 2)"], "(>> a 1)", Class::Exact),
    law("rem-and", &["(% a 4)"], "(& a 3)", Class::Exact),
    law("less-minus", &["(< a b)"], "(< (- a b) 0)", Class::Exact),
    law("minus-swap", &["(- a (- b c))"], "(- (- a b) c)", Class::Exact),
    law("red-max-factor", &["(red max k n (* 2 e))"], "(* 2 (red max k n e))", Class::Exact),
    computed(
        "split-seq-start",
        &["(seq s k n z (+ x e))"],
        "(red + k_o n/t (seq s k_i t z (+ s e[k := t*k_o + k_i])))",
        Class::Assoc,
        split_seq_start,
    )
    .tiles(),
];

/// Each tile begins with the start of the loop, which counts once.
fn split_seq_start(at: &mut At<'_>) -> Option<Term> {
    let Head::State(state) = at.term("s").head.clone() else { return None };
    let axis = at.axis("k")?.clone();
    if at.term("x").head != Head::Scalar(state.clone()) {
        return None;
    }
    let split = split_evenly(at, "k", "n")?;
    let body = substituted(at.term("e"), &axis, &split.index, at.scope)?;
    let next = Term::apply(BinOp::Add, Term::leaf(Head::Scalar(state.clone())), body);
    let inner = Term::seq(&state, &split.inner, at.parameter, at.term("z").clone(), next);
    Some(Term::red(BinOp::Add, &split.outer, split.rounds, inner))
}
