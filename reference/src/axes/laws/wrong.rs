//! Laws that are wrong on purpose: how the tester is tested. Each stands in the place of the law of its name.

use super::super::index::Index;
use super::super::syntax::{Head, Name, Term};
use super::apply::{At, instance, right, substituted};
use super::{BOOK, Law, Makes, Right, new_axis, split_evenly};
use crate::kit::faults::{Fault, Planted, WrongLaw};
use crate::kit::scalar::BinOp;
use std::sync::LazyLock;

/// All laws, the one that a planted fault spoils spoilt.
pub fn book(planted: Planted) -> impl Iterator<Item = &'static Law> {
    BOOK.iter().map(move |law| {
        let spoils =
            |(wrong, of): &&(WrongLaw, Law)| of.name == law.name && planted.is(Fault::Law(*wrong));
        match planted == Planted::NONE {
            true => law,
            false => WRONG.iter().find(spoils).map_or(law, |(_, law)| law),
        }
    })
}

static WRONG: LazyLock<Vec<(WrongLaw, Law)>> = LazyLock::new(|| {
    let all: [(WrongLaw, &str, Makes); 11] = [
        (WrongLaw::SplitRed, "split-red", |at| unguarded(at, "split-red")),
        (WrongLaw::SplitBuild, "split-build", |at| unguarded(at, "split-build")),
        (WrongLaw::SeqSplit, "seq-split", seq_split_from_the_start),
        (WrongLaw::RedConst, "red-const", red_const_of_no_round),
        (WrongLaw::InlinePartial, "inline", |at| unguarded(at, "inline")),
        (WrongLaw::Unit, "unit", unit_zero),
        (WrongLaw::Factor, "factor", |at| unguarded(at, "factor")),
        (WrongLaw::HalveRed, "halve-red", |at| unguarded(at, "halve-red")),
        (WrongLaw::PeelRed, "peel-red", peel_unmoved),
        (WrongLaw::Comm, "comm", |at| unguarded(at, "comm")),
        (WrongLaw::Layout, "layout-2", unmoved_indices),
    ];
    all.into_iter().map(|(wrong, name, makes)| (wrong, spoilt(name, makes))).collect()
});

/// The law of this name with another right side.
fn spoilt(name: &str, makes: Makes) -> Law {
    let law = named(name);
    Law {
        name: law.name,
        group: law.group,
        left: law.left.clone(),
        right: Right::Function(makes),
        both: false,
        tiles: law.tiles,
        words: law.words,
        class: law.class,
        guard: law.guard,
        text: law.text,
    }
}

fn named(name: &str) -> &'static Law {
    Law::named(name).unwrap_or_else(|| panic!("there is no law {name}"))
}

/// The right side where no guard is asked.
fn unguarded(at: &mut At<'_>, name: &str) -> Option<Term> {
    let At { found, parameter, scope, .. } = at;
    right(named(name), &mut At { found, parameter: *parameter, scope, guarded: false })
}

/// Each tile begins with the start of the loop, and not with what the one before it gives.
fn seq_split_from_the_start(at: &mut At<'_>) -> Option<Term> {
    let Head::State(state) = at.term("s").head.clone() else { return None };
    let axis = at.axis("k")?.clone();
    let split = split_evenly(at, "k", "n")?;
    let body = substituted(at.term("e"), &axis, &split.index, at.scope)?;
    let start = at.term("z").clone();
    let outer = Name::new(&format!("{state}_o{}", at.parameter));
    let inner = Term::seq(&state, &split.inner, at.parameter, start.clone(), body);
    Some(Term::seq(&outer, &split.outer, split.rounds, start, inner))
}

/// Of `min` and its like a reduction of no round gives the identity, and not the operand.
fn red_const_of_no_round(at: &mut At<'_>) -> Option<Term> {
    let axis = at.axis("k")?.clone();
    let any = matches!(at.op("o")?, BinOp::Min | BinOp::Max | BinOp::And | BinOp::Or);
    (any && at.is_without("a", &axis)).then(|| at.term("a").clone())
}

/// The unit of `+` taken for that of every operator.
fn unit_zero(at: &mut At<'_>) -> Option<Term> {
    let combines = matches!(
        at.op("o")?,
        BinOp::Add | BinOp::Or | BinOp::Xor | BinOp::And | BinOp::Min | BinOp::Max
    );
    (combines && at.constant("u") == Some(0)).then(|| at.term("a").clone())
}

/// The other rounds are the first ones again.
fn peel_unmoved(at: &mut At<'_>) -> Option<Term> {
    let (op, axis, size) = (at.op("o")?, at.axis("k")?.clone(), at.size("n")?);
    if size == 0 || !at.is_scalar("e") {
        return None;
    }
    let rest = new_axis(at, "k", "_p", size - 1)?;
    let first = substituted(at.term("e"), &axis, &Index::number(0), at.scope)?;
    let later = substituted(at.term("e"), &axis, &Index::axis(&rest), at.scope)?;
    Some(Term::apply(op, first, Term::red(op, &rest, size - 1, later)))
}

/// Axes change places, and indices do not.
fn unmoved_indices(at: &mut At<'_>) -> Option<Term> {
    let moved = instance(named("layout-2").pattern()?, at.found)?;
    Some(Term::get(moved.args[0].clone(), [at.term("x").clone(), at.term("y").clone()]))
}
