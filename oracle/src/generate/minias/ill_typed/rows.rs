//! Statements that break a predicate of a row, or make rows that do not unify.

use super::super::build;
use super::exps::{number, var};
use super::sites::{At, Edit, Known};
use super::stmts::{PUT, declared, stmt};
use super::{ALL, INFERRING, Way, way};
use reference::kit::names::Var;
use reference::kit::text::Span;
use reference::minias::syntax::{
    Decl, Exp, Init, Kind, Space, Spaces, Stmt, StmtKind, Type, Written,
};
use reference::minias::types::Mode;

pub(super) const WAYS: &[Way] = &[
    way("T-ASSIGN", "unify", ALL, At::Put(another_space)),
    way("T-ASSIGN", "unify", ALL, At::Put(names_before_one_end)),
    way("T-ASSIGN", "unify", ALL, At::Put(row_in_its_own_end)),
    way("T-STORE", "constant", INFERRING, At::Put(constant_that_is_stored_to)),
    way("=>E", "lacks", INFERRING, At::Put(constant_among_others)),
    way("=>E", "lacks", ALL, At::Put(name_behind_itself)),
    way("=>E", "single", &[Mode::Single], At::Put(second_name)),
];

const SPAN: u32 = PUT;

fn row(names: Spaces, end: Option<Var>) -> Type {
    let mut ty = build::elided_pointer(Span::nth(SPAN));
    ty.stars[0].written = Written::Row { names, twice: None, end };
    ty
}

fn declare(edit: &mut Edit<'_>, ty: Type, into: &mut Vec<Stmt>) -> Var {
    let name = edit.names.fresh("x");
    into.push(stmt(StmtKind::Decl(declared(Span::nth(SPAN), name, ty))));
    name
}

fn assign(to: Var, from: Var) -> Stmt {
    let span = Span::nth(SPAN);
    stmt(StmtKind::Assign(var(span, to), var(span, from)))
}

/// A pointer to ints of a named space that is not constant: one of the program, or a new one.
fn named(edit: &mut Edit<'_>, into: &mut Vec<Stmt>) -> (Var, Space) {
    let is_named = |known: &Known| {
        known.depth == 1 && known.space.is_some_and(|space| space != Space::Constant)
    };
    match edit.one(is_named) {
        Some(Known { var, space: Some(space), .. }) => (var, space),
        _ => {
            let ty = build::pointer_to(Span::nth(SPAN), Space::Private);
            (declare(edit, ty, into), Space::Private)
        }
    }
}

/// A pointer to ints of another named space: one of the program that this holds of, or a new one.
fn named_otherwise(
    edit: &mut Edit<'_>,
    space: Space,
    holds: impl Fn(&Known) -> bool,
    into: &mut Vec<Stmt>,
) -> Var {
    let is_other = |known: &Known| {
        known.depth == 1 && known.space.is_some_and(|of| of != space) && holds(known)
    };
    match edit.one(is_other) {
        Some(known) => known.var,
        None => {
            let other = if space == Space::Local { Space::Global } else { Space::Local };
            declare(edit, build::pointer_to(Span::nth(SPAN), other), into)
        }
    }
}

/// What is assigned is of another space than the variable is written with.
fn another_space(edit: &mut Edit<'_>) -> Option<Vec<Stmt>> {
    let mut stmts = Vec::new();
    let (from, space) = named(edit, &mut stmts);
    let to = named_otherwise(edit, space, |known| !known.array, &mut stmts);
    stmts.push(assign(to, from));
    Some(stmts)
}

/// `ASpace {private | r} int *x; ASpace {local | r} int *y; x = y;`
fn names_before_one_end(edit: &mut Edit<'_>) -> Option<Vec<Stmt>> {
    let (mut stmts, end) = (Vec::new(), Some(edit.names.fresh("r")));
    let x = declare(edit, row(Spaces::one(Space::Private), end), &mut stmts);
    let y = declare(edit, row(Spaces::one(Space::Local), end), &mut stmts);
    stmts.push(assign(x, y));
    Some(stmts)
}

/// `ASpace r int *x; ASpace {local | r} int *y; x = y;`, or `y = x;`
fn row_in_its_own_end(edit: &mut Edit<'_>) -> Option<Vec<Stmt>> {
    let (mut stmts, end) = (Vec::new(), Some(edit.names.fresh("r")));
    let x = declare(edit, row(Spaces::NONE, end), &mut stmts);
    let y = declare(edit, row(Spaces::one(Space::Local), end), &mut stmts);
    let forth = edit.dice.below(2) == 0;
    stmts.push(if forth { assign(x, y) } else { assign(y, x) });
    Some(stmts)
}

/// `int *x; int *y; *x = 1; y = x; y = c;`: what is stored to is not constant, and is what `y` is.
fn constant_that_is_stored_to(edit: &mut Edit<'_>) -> Option<Vec<Stmt>> {
    let (mut stmts, span) = (Vec::new(), Span::nth(SPAN));
    let constant = edit.constant(span);
    let x = declare(edit, build::elided_pointer(span), &mut stmts);
    let y = declare(edit, build::elided_pointer(span), &mut stmts);
    let place = Exp { span, kind: Kind::Load(Box::new(var(span, x))) };
    stmts.push(stmt(StmtKind::Assign(place, number(span, 1))));
    stmts.push(assign(y, x));
    stmts.push(assign(y, constant));
    Some(stmts)
}

/// `int *x = p; x = c;`: constant stands in no row with another name.
fn constant_among_others(edit: &mut Edit<'_>) -> Option<Vec<Stmt>> {
    let mut stmts = Vec::new();
    let (from, _) = named(edit, &mut stmts);
    let constant = edit.constant(Span::nth(SPAN));
    let x = starting_with(edit, from, &mut stmts);
    stmts.push(assign(x, constant));
    Some(stmts)
}

/// `int *x = p; x = q;`, where p and q are written to point to two spaces.
fn second_name(edit: &mut Edit<'_>) -> Option<Vec<Stmt>> {
    let mut stmts = Vec::new();
    let (from, space) = named(edit, &mut stmts);
    let is_none = |known: &Known| known.space != Some(Space::Constant);
    let other = named_otherwise(edit, space, is_none, &mut stmts);
    let x = starting_with(edit, from, &mut stmts);
    stmts.push(assign(x, other));
    Some(stmts)
}

/// `int *x = p;`
fn starting_with(edit: &mut Edit<'_>, from: Var, into: &mut Vec<Stmt>) -> Var {
    let (span, x) = (Span::nth(SPAN), edit.names.fresh("x"));
    let init = Some(Init::One(var(span, from)));
    let decl = Decl { init, ..declared(span, x, build::elided_pointer(span)) };
    into.push(stmt(StmtKind::Decl(decl)));
    x
}

/// `ASpace {a | r} int *x; ASpace r int *y; y = p;`, where p points to a.
fn name_behind_itself(edit: &mut Edit<'_>) -> Option<Vec<Stmt>> {
    let (mut stmts, end) = (Vec::new(), Some(edit.names.fresh("r")));
    let (from, space) = named(edit, &mut stmts);
    declare(edit, row(Spaces::one(space), end), &mut stmts);
    let y = declare(edit, row(Spaces::NONE, end), &mut stmts);
    stmts.push(assign(y, from));
    Some(stmts)
}
