//! Laws of reductions, and of loops with a state.

use super::super::index::Index;
use super::super::syntax::{Head, Name, Term, identity};
use super::super::types;
use super::apply::{self, At, substituted};
use super::{Class, Line, computed, law, new_axis, split, split_evenly};
use crate::kit::scalar::BinOp;

pub(super) const LINES: &[Line] = &[
    law(
        "swap-red",
        &["(red o k m (red o j n T))"],
        "(red o j n (red o k m T))",
        Class::Assoc,
    ),
    law(
        "red-pair",
        &["(red o k n (o a b))"],
        "(o (red o k n a) (red o k n b))",
        Class::Assoc,
    )
    .both(),
    law("factor", &["(red + k n (* a e))"], "(* a (red + k n e))", Class::Exact)
        .both()
        .when("k is not in a, which is total", |at| {
            at.axis("k").is_some_and(|k| at.is_without("a", k)) && at.is_total("a")
        }),
    computed(
        "split-red",
        &["(red o k n T)"],
        "(red o k_o n/t (red o k_i t T[k := t*k_o + k_i]))",
        Class::Assoc,
        split_red,
    )
    .tiles()
    .guarded("t divides n"),
    computed(
        "split-red-rest",
        &["(red o k n e)"],
        "(o (red o k_o n/t (red o k_i t e[k := t*k_o + k_i])) (red o k_r n%t e[k := n - n%t + k_r]))",
        Class::Assoc,
        split_red_rest,
    )
    .tiles()
    .guarded("e is a scalar"),
    computed(
        "split-red-ceil",
        &["(red o k n e)"],
        "(red o k_o ceil(n/t) (red o k_i t (if (< t*k_o + k_i n) e[k := t*k_o + k_i] id)))",
        Class::Assoc,
        split_red_ceil,
    )
    .tiles()
    .guarded("e is a scalar"),
    computed("red-none", &["(red o k 0 e)"], "id", Class::Assoc, |at| {
        at.guard(|at| at.is_scalar("e"))?;
        at.op("o").and_then(identity).map(Term::constant)
    })
    .guarded("e is a scalar"),
    computed("red-one", &["(red o k 1 T)"], "T[k := 0]", Class::Assoc, |at| {
        at.with("T", at.axis("k")?, &Index::number(0))
    }),
    computed(
        "peel-red",
        &["(red o k n e)"],
        "(o e[k := 0] (red o k_p n-1 e[k := k_p + 1]))",
        Class::Assoc,
        peel_red,
    )
    .guarded("n >= 1; e is a scalar"),
    computed(
        "halve-red",
        &["(red o k n e)"],
        "(red o k_h n/2 (o e[k := k_h] e[k := k_h + n/2]))",
        Class::Assoc,
        |at| halve(at, "_h", |k, half| Some((k.clone(), k.plus(&Index::number(half), 1)?))),
    )
    .guarded("2 divides n; e is a scalar"),
    computed(
        "halve-red-near",
        &["(red o k n e)"],
        "(red o k_n n/2 (o e[k := 2*k_n] e[k := 2*k_n + 1]))",
        Class::Assoc,
        |at| {
            halve(at, "_n", |k, _| {
                let even = k.times(2)?;
                Some((even.clone(), even.plus(&Index::number(1), 1)?))
            })
        },
    )
    .guarded("2 divides n; e is a scalar"),
    computed(
        "halve-red-stored",
        &["(red o k n (get (store p T i) x))"],
        "(red o k_h n/2 (o e[k := k_h] e[k := k_h + n/2])), where e is the read",
        Class::Assoc,
        |at| halve(at, "_h", |k, half| Some((k.clone(), k.plus(&Index::number(half), 1)?))),
    )
    .guarded("2 divides n"),
    computed(
        "permute-red",
        &["(red o k n T)"],
        "(red o k n T[k := n-1 - k])",
        Class::Assoc,
        reverse_red,
    ),
    computed(
        "permute-red-stride",
        &["(red o k n T)"],
        "(red o k n T[k := n/t*(k%t) + k/t])",
        Class::Assoc,
        stride_red,
    )
    .tiles()
    .guarded("t divides n"),
    computed(
        "red-const",
        &["(red o k n a)"],
        "(* n a) for +; a for min, max, &, |",
        Class::Exact,
        red_const,
    )
    .guarded("k is not in a; for +, a is total; for the others, n >= 1"),
    computed(
        "red-mask",
        &["(red o k n (if (< x m) T u))"],
        "(red o k_m m T[k := k_m])",
        Class::Assoc,
        red_mask,
    )
    .guarded("x is k, u is the identity, 0 <= m <= n"),
    law(
        "if-red",
        &["(red o k n (if c T U))"],
        "(if c (red o k n T) (red o k n U))",
        Class::Exact,
    )
    .when("k is not in c; c is total, or n >= 1", |at| {
        at.axis("k").is_some_and(|k| at.is_without("c", k))
            && (at.is_total("c") || at.size("n") > Some(0))
    }),
    law("keep", &["(red o k n T)"], "(keep (red o k n T))", Class::Cost).both(),
    computed(
        "unroll",
        &["(red o k n e)"],
        "(o ... (o e[k := 0] e[k := 1]) ... e[k := n-1])",
        Class::Assoc,
        unroll_red,
    )
    .guarded("e is a scalar"),
    computed(
        "unroll-seq",
        &["(seq s k n z e)"],
        "e[k := n-1, s := ... e[k := 0, s := z] ...]",
        Class::Exact,
        unroll_seq,
    )
    .guarded("z and e are total; s stands below no binder of e"),
    computed(
        "fold",
        &["(seq s k n z (o x e))"],
        "(o z (red o k n e))",
        Class::Assoc,
        |at| fold(at, "x", "e"),
    )
    .guarded("x is the state s, which is not in e; ⊕ combines in any order"),
    computed(
        "fold-right",
        &["(seq s k n z (o e x))"],
        "(o z (red o k n e))",
        Class::Assoc,
        |at| fold(at, "x", "e"),
    )
    .guarded("x is the state s, which is not in e; ⊕ combines in any order"),
    computed(
        "seq-split",
        &["(seq s k n z e)"],
        "(seq s_o k_o n/t z (seq s k_i t s_o e[k := t*k_o + k_i]))",
        Class::Exact,
        seq_split,
    )
    .tiles()
    .guarded("t divides n"),
];

impl At<'_> {
    /// What a hole stands for with an index for an axis.
    fn with(&self, hole: &str, axis: &Name, by: &Index) -> Option<Term> {
        substituted(self.term(hole), axis, by, self.scope)
    }
}

/// The parts of `red o k n e`.
fn red(at: &At<'_>) -> Option<(BinOp, Name, u32)> {
    Some((at.op("o")?, at.axis("k")?.clone(), at.size("n")?))
}

fn split_red(at: &mut At<'_>) -> Option<Term> {
    let (op, axis, _) = red(at)?;
    let split = split_evenly(at, "k", "n")?;
    let body = at.with("T", &axis, &split.index)?;
    Some(Term::red(op, &split.outer, split.rounds, Term::red(op, &split.inner, at.parameter, body)))
}

fn split_red_rest(at: &mut At<'_>) -> Option<Term> {
    let (op, axis, size) = red(at)?;
    let tile = at.parameter;
    if tile < 2 || size <= tile || size.is_multiple_of(tile) {
        return None;
    }
    at.guard(|at| at.is_scalar("e"))?;
    let whole = split(at, "k", size / tile, "")?;
    let rest = new_axis(at, "k", &format!("_r{tile}"), size % tile)?;
    let from = Index::number(i32::try_from(size - size % tile).ok()?);
    let tiles = at.with("e", &axis, &whole.index)?;
    let tiles = Term::red(op, &whole.inner, tile, tiles);
    let rests = at.with("e", &axis, &from.plus(&Index::axis(&rest), 1)?)?;
    let tiles = Term::red(op, &whole.outer, whole.rounds, tiles);
    Some(Term::apply(op, tiles, Term::red(op, &rest, size % tile, rests)))
}

fn split_red_ceil(at: &mut At<'_>) -> Option<Term> {
    let (op, axis, size) = red(at)?;
    let tile = at.parameter;
    if tile < 2 || size <= tile || size.is_multiple_of(tile) {
        return None;
    }
    at.guard(|at| at.is_scalar("e"))?;
    let split = split(at, "k", size.div_ceil(tile), "c")?;
    let inside = Term::apply(
        BinOp::Lt,
        Term::index(split.index.clone()),
        Term::constant(i32::try_from(size).ok()?),
    );
    let body = at.with("e", &axis, &split.index)?;
    let body = Term::branch(inside, body, Term::constant(identity(op)?));
    Some(Term::red(op, &split.outer, split.rounds, Term::red(op, &split.inner, tile, body)))
}

fn peel_red(at: &mut At<'_>) -> Option<Term> {
    let (op, axis, size) = red(at)?;
    at.guard(|at| size >= 1 && at.is_scalar("e"))?;
    let less = size.saturating_sub(1);
    let rest = new_axis(at, "k", "_p", less)?;
    let first = at.with("e", &axis, &Index::number(0))?;
    let later = at.with("e", &axis, &Index::axis(&rest).plus(&Index::number(1), 1)?)?;
    Some(Term::apply(op, first, Term::red(op, &rest, less, later)))
}

/// Two rounds in one: where they are, of the new axis and half of the size.
fn halve(
    at: &mut At<'_>,
    suffix: &str,
    places: fn(&Index, i32) -> Option<(Index, Index)>,
) -> Option<Term> {
    let (op, axis, size) = red(at)?;
    if size < 2 {
        return None;
    }
    let of = summand(at)?;
    at.guard(|at| size.is_multiple_of(2) && apply::is_scalar(&of, at.scope))?;
    let half = new_axis(at, "k", suffix, size / 2)?;
    let (one, other) = places(&Index::axis(&half), i32::try_from(size / 2).ok()?)?;
    let [one, other] = [one, other].map(|index| substituted(&of, &axis, &index, at.scope));
    let both = Term::apply(op, one?, other?);
    Some(Term::red(op, &half, size / 2, both))
}

/// What is reduced: what `e` stands for, or a read of an array of one axis.
fn summand(at: &At<'_>) -> Option<Term> {
    if let Some(of) = at.found.get(&Name::new("e")) {
        return Some(of.clone());
    }
    let Head::Place(place) = at.term("p").head else { return None };
    let store = Term::store(place, at.term("T").clone(), &[at.axis("i")?.clone()]);
    Some(Term::get(store, [at.term("x").clone()]))
}

fn reverse_red(at: &mut At<'_>) -> Option<Term> {
    let (op, axis, size) = red(at)?;
    let last = Index::number(i32::try_from(size).ok()? - 1);
    let body = at.with("T", &axis, &last.plus(&Index::axis(&axis), -1)?)?;
    Some(Term::red(op, &axis, size, body))
}

fn stride_red(at: &mut At<'_>) -> Option<Term> {
    let (op, axis, size) = red(at)?;
    let tile = at.parameter;
    if tile < 2 || size <= tile {
        return None;
    }
    at.guard(|_| size.is_multiple_of(tile))?;
    let (row, column) = Index::axis(&axis).divided(tile, &at.scope.sizes)?;
    let body = at.with("T", &axis, &row.plus(&column, i64::from(size / tile))?)?;
    Some(Term::red(op, &axis, size, body))
}

fn red_const(at: &mut At<'_>) -> Option<Term> {
    let (op, axis, size) = red(at)?;
    at.guard(|at| at.is_without("a", &axis))?;
    match op {
        BinOp::Add if at.is_scalar("a") => {
            at.guard(|at| at.is_total("a"))?;
            let times = Term::constant(i32::try_from(size).ok()?);
            Some(Term::apply(BinOp::Mul, times, at.term("a").clone()))
        }
        BinOp::Min | BinOp::Max | BinOp::And | BinOp::Or => {
            at.guard(|_| size >= 1)?;
            Some(at.term("a").clone())
        }
        _ => None,
    }
}

fn red_mask(at: &mut At<'_>) -> Option<Term> {
    let (op, axis, size) = red(at)?;
    let rounds = u32::try_from(at.constant("m")?).ok()?;
    at.guard(|at| {
        let is_axis = at.term("x").as_index().is_some_and(|index| index.as_axis() == Some(&axis));
        is_axis && rounds <= size && at.constant("u") == identity(op)
    })?;
    let fewer = new_axis(at, "k", &format!("_m{rounds}"), rounds)?;
    let body = at.with("T", &axis, &Index::axis(&fewer))?;
    Some(Term::red(op, &fewer, rounds, body))
}

/// The most rounds that are written out.
const UNROLLED: u32 = 32;

fn unroll_red(at: &mut At<'_>) -> Option<Term> {
    let (op, axis, size) = red(at)?;
    if size == 0 || size > UNROLLED {
        return None;
    }
    at.guard(|at| at.is_scalar("e"))?;
    let round = |k: u32| at.with("e", &axis, &Index::number(i32::try_from(k).ok()?));
    (1..size).try_fold(round(0)?, |sum, k| Some(Term::apply(op, sum, round(k)?)))
}

/// The most rounds of a loop with a state that are written out.
const UNROLLED_SEQ: u32 = 8;

/// The state stands in one place, so that the body grows by a round and no more.
fn unroll_seq(at: &mut At<'_>) -> Option<Term> {
    let Head::State(state) = at.term("s").head.clone() else { return None };
    let (axis, size) = (at.axis("k")?.clone(), at.size("n")?);
    let mut uses = 0;
    at.term("e").walk(&mut |term| uses += usize::from(term.head == Head::Scalar(state.clone())));
    if size == 0 || size > UNROLLED_SEQ || uses > 1 {
        return None;
    }
    at.guard(|at| {
        let e = at.term("e");
        at.is_total("z") && at.is_total("e") && !is_below_binder(e, &state, false)
    })?;
    (0..size).try_fold(at.term("z").clone(), |before, k| {
        let round = at.with("e", &axis, &Index::number(i32::try_from(k).ok()?))?;
        Some(with_state(&round, &state, &before))
    })
}

/// Does the state stand below a binder, whose axis would then be bound in each of the rounds?
fn is_below_binder(term: &Term, state: &Name, below: bool) -> bool {
    let below = below || term.binds().is_some();
    let here = below && term.head == Head::Scalar(state.clone());
    here || term.args.iter().any(|arg| is_below_binder(arg, state, below))
}

fn with_state(term: &Term, state: &Name, by: &Term) -> Term {
    match &term.head {
        Head::Scalar(name) if name == state => by.clone(),
        head => {
            let args = term.args.iter().map(|arg| with_state(arg, state, by));
            Term::new(head.clone(), args.collect::<Vec<_>>())
        }
    }
}

fn fold(at: &mut At<'_>, state: &str, other: &str) -> Option<Term> {
    let Head::State(name) = &at.term("s").head else { return None };
    let op = at.op("o")?;
    at.guard(|at| {
        let is_state = at.term(state).head == Head::Scalar(name.clone());
        identity(op).is_some() && is_state && at.is_without(other, name)
    })?;
    let (axis, size) = (at.axis("k")?, at.size("n")?);
    let sum = Term::red(op, axis, size, at.term(other).clone());
    Some(Term::apply(op, at.term("z").clone(), sum))
}

fn seq_split(at: &mut At<'_>) -> Option<Term> {
    let Head::State(state) = at.term("s").head.clone() else { return None };
    let axis = at.axis("k")?.clone();
    let split = split_evenly(at, "k", "n")?;
    let tile = at.parameter;
    let outer = Name::new(&format!("{state}_o{tile}"));
    let known = at.scope.params.contains_key(&outer) || at.scope.size(&outer).is_some();
    if known || types::binders(at.term("e")).contains(&outer) {
        return None;
    }
    let body = at.with("e", &axis, &split.index)?;
    let inner =
        Term::seq(&state, &split.inner, tile, Term::leaf(Head::Scalar(outer.clone())), body);
    Some(Term::seq(&outer, &split.outer, split.rounds, at.term("z").clone(), inner))
}
