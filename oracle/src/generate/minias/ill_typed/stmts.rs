//! Statements that break a premise.

use super::super::build;
use super::exps::{another_kind, number, var, without_a_value};
use super::sites::{At, Edit, Known};
use super::{ALL, Way, way};
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use reference::minias::syntax::{
    Cond, Decl, Exp, Init, Kind, Op, Space, Stmt, StmtKind, Type, Written,
};

pub(super) const WAYS: &[Way] = &[
    way("T-STORE", "pointer", ALL, At::Stmt(store_through_an_int)),
    way("T-STORE", "unify", ALL, At::Stmt(store_of_another_kind)),
    way("T-STORE", "constant", ALL, At::Stmt(store_to_constant)),
    way("T-ASSIGN", "scope", ALL, At::Stmt(assignment_to_an_unknown)),
    way("T-ASSIGN", "assignable", ALL, At::Stmt(assignment_to_an_array)),
    way("T-ASSIGN", "unify", ALL, At::Stmt(assignment_of_another_kind)),
    way("T-DECL", "unify", ALL, At::Stmt(initialiser_of_another_kind)),
    way("T-DECL", "unify", ALL, At::Stmt(initialiser_of_another_space)),
    way("T-DECL", "place", ALL, At::Stmt(variable_elsewhere)),
    way("T-DECL", "initialiser", ALL, At::Stmt(other_number_of_values)),
    way("T-DECL", "once", ALL, At::Put(variable_twice)),
    way("T-DECL", "private", ALL, At::Put(private_in_local)),
    way("T-IF", "condition", ALL, At::Stmt(condition_of_if)),
    way("T-WHILE", "condition", ALL, At::Stmt(condition_of_while)),
    way("T-FOR", "condition", ALL, At::Stmt(condition_of_for)),
    way("T-RETURN", "unify", ALL, At::Stmt(result_of_another_kind)),
    way("T-RETURN", "void", ALL, At::Stmt(return_without_a_result)),
    way("T-RETURN", "void", ALL, At::Put(return_of_a_kernel)),
    way("T-BARRIER", "kernel", ALL, At::Put(barrier_in_a_function)),
];

pub(super) fn declared(span: Span, name: reference::kit::names::Var, ty: Type) -> Decl {
    Decl { span, var: name, ty, extent: None, init: None }
}

/// The place of statements that are put in.
pub(super) const PUT: u32 = 1;

pub(super) fn stmt(kind: StmtKind) -> Stmt {
    Stmt { span: Span::nth(PUT), kind }
}

fn store_through_an_int(stmt: &mut Stmt, edit: &mut Edit<'_>) -> bool {
    let StmtKind::Assign(place, value) = &mut stmt.kind else { return false };
    let Kind::Load(address) = &mut place.kind else { return false };
    let int = match edit.depth(value) {
        Some(0) => value.clone(),
        _ => number(value.span, 2),
    };
    **address = int;
    true
}

fn store_of_another_kind(stmt: &mut Stmt, edit: &mut Edit<'_>) -> bool {
    let StmtKind::Assign(place, value) = &mut stmt.kind else { return false };
    matches!(place.kind, Kind::Load(_)) && another_kind(value, edit)
}

fn store_to_constant(stmt: &mut Stmt, edit: &mut Edit<'_>) -> bool {
    let StmtKind::Assign(place, value) = &mut stmt.kind else { return false };
    if edit.depth(value) != Some(0) {
        return false;
    }
    let Kind::Load(address) = &mut place.kind else { return false };
    let span = address.span;
    let constant = Box::new(var(span, edit.constant(span)));
    address.kind = Kind::Binary(Op::Scalar(BinOp::Add), constant, Box::new(number(span, 1)));
    true
}

fn assigned(stmt: &mut Stmt) -> Option<(&mut Exp, &mut Exp)> {
    match &mut stmt.kind {
        StmtKind::Assign(place, value) if matches!(place.kind, Kind::Var(_)) => {
            Some((place, value))
        }
        _ => None,
    }
}

fn assignment_to_an_unknown(stmt: &mut Stmt, edit: &mut Edit<'_>) -> bool {
    let Some((place, _)) = assigned(stmt) else { return false };
    place.kind = Kind::Var(edit.names.fresh("unknown"));
    true
}

/// An assignment to an array, or to the kernel.
fn assignment_to_an_array(stmt: &mut Stmt, edit: &mut Edit<'_>) -> bool {
    let Some((place, _)) = assigned(stmt) else { return false };
    let array = edit.one(|known| known.array);
    place.kind = Kind::Var(array.map_or(edit.kernel, |known| known.var));
    true
}

fn assignment_of_another_kind(stmt: &mut Stmt, edit: &mut Edit<'_>) -> bool {
    assigned(stmt).is_some_and(|(_, value)| another_kind(value, edit))
}

fn initialiser_of_another_kind(stmt: &mut Stmt, edit: &mut Edit<'_>) -> bool {
    let Some(decl) = declaration(stmt) else { return false };
    match &mut decl.init {
        None => false,
        Some(Init::One(exp)) => another_kind(exp, edit),
        Some(Init::Many(exps)) => {
            let at = edit.dice.below(exps.len() as u64) as usize;
            another_kind(&mut exps[at], edit)
        }
    }
}

/// A declaration, or that of a condition.
fn declaration(stmt: &mut Stmt) -> Option<&mut Decl> {
    match &mut stmt.kind {
        StmtKind::Decl(decl) => Some(decl),
        StmtKind::If(Cond::Decl(decl), ..) => Some(decl),
        _ => None,
    }
}

fn initialiser_of_another_space(stmt: &mut Stmt, edit: &mut Edit<'_>) -> bool {
    let Some(Decl { ty, extent: None, init: Some(Init::One(exp)), .. }) = declaration(stmt) else {
        return false;
    };
    let Some(space) = ty.points_to().filter(|_| ty.stars.len() == 1) else { return false };
    let is_other = |known: &Known| known.depth == 1 && known.space.is_some_and(|of| of != space);
    let Some(other) = edit.one(is_other) else { return false };
    exp.kind = Kind::Var(other.var);
    true
}

/// A variable in global or constant memory, or in local memory where none is.
fn variable_elsewhere(stmt: &mut Stmt, edit: &mut Edit<'_>) -> bool {
    let StmtKind::Decl(decl) = &mut stmt.kind else { return false };
    let space = match edit.dice.below(3) {
        0 if !(edit.scope.kernel && edit.scope.outermost) => Space::Local,
        1 => Space::Constant,
        _ => Space::Global,
    };
    decl.ty.lies.written = Written::Name(space);
    true
}

fn other_number_of_values(stmt: &mut Stmt, edit: &mut Edit<'_>) -> bool {
    let StmtKind::Decl(decl) = &mut stmt.kind else { return false };
    if decl.ty.lies.name() == Some(Space::Local) {
        decl.init = Some(Init::One(number(decl.span, 1)));
        return true;
    }
    match decl.init.take() {
        None => false,
        Some(Init::One(exp)) => {
            decl.init = Some(Init::Many(vec![exp.clone(), exp]));
            true
        }
        Some(Init::Many(mut exps)) => {
            decl.init = Some(match edit.dice.below(2) {
                0 => Init::One(exps.remove(0)),
                _ => {
                    let missing =
                        (decl.extent.unwrap_or(1) as usize + 1).saturating_sub(exps.len());
                    exps.extend(std::iter::repeat_n(exps[0].clone(), missing));
                    Init::Many(exps)
                }
            });
            true
        }
    }
}

/// A variable with the name of one that the block has.
fn variable_twice(edit: &mut Edit<'_>) -> Option<Vec<Stmt>> {
    let bound = &edit.scope.known[edit.scope.outer..];
    let count = bound.len() as u64;
    let old = bound.get(edit.dice.below(count.max(1)) as usize)?.var;
    let new = edit.names.fresh("zzz");
    edit.same = Some((new, old));
    let span = Span::nth(PUT);
    Some(vec![stmt(StmtKind::Decl(declared(span, new, build::int(span))))])
}

/// `int * local t[2]; t[0] = a;`, where a points to private memory.
fn private_in_local(edit: &mut Edit<'_>) -> Option<Vec<Stmt>> {
    if !(edit.scope.kernel && edit.scope.outermost) {
        return None;
    }
    let span = Span::nth(PUT);
    let is_private = |known: &Known| known.depth == 1 && known.space == Some(Space::Private);
    let mut stmts = Vec::new();
    let private = match edit.one(is_private) {
        Some(known) => known.var,
        None => {
            let array = edit.names.fresh("a");
            let decl = Decl { extent: Some(1), ..declared(span, array, build::int(span)) };
            stmts.push(stmt(StmtKind::Decl(decl)));
            array
        }
    };
    let table = edit.names.fresh("t");
    let mut ty = build::elided_pointer(span);
    ty.lies.written = Written::Name(Space::Local);
    let decl = Decl { extent: Some(2), ..declared(span, table, ty) };
    stmts.push(stmt(StmtKind::Decl(decl)));
    let place = Kind::Load(Box::new(var(span, table)));
    let store = StmtKind::Assign(Exp { span, kind: place }, var(span, private));
    stmts.push(stmt(store));
    Some(stmts)
}

fn without(exp: &mut Exp, edit: &mut Edit<'_>) {
    *exp = without_a_value(exp.clone(), edit);
}

fn condition_of_if(stmt: &mut Stmt, edit: &mut Edit<'_>) -> bool {
    match &mut stmt.kind {
        StmtKind::If(Cond::Exp(exp), ..) => without(exp, edit),
        _ => return false,
    }
    true
}

fn condition_of_while(stmt: &mut Stmt, edit: &mut Edit<'_>) -> bool {
    match &mut stmt.kind {
        StmtKind::While(exp, _) => without(exp, edit),
        _ => return false,
    }
    true
}

fn condition_of_for(stmt: &mut Stmt, edit: &mut Edit<'_>) -> bool {
    match &mut stmt.kind {
        StmtKind::For(parts) => without(&mut parts.while_, edit),
        _ => return false,
    }
    true
}

fn result_of_another_kind(stmt: &mut Stmt, edit: &mut Edit<'_>) -> bool {
    match &mut stmt.kind {
        StmtKind::Return(Some(exp)) => another_kind(exp, edit),
        _ => false,
    }
}

fn return_without_a_result(stmt: &mut Stmt, edit: &mut Edit<'_>) -> bool {
    match &mut stmt.kind {
        StmtKind::Return(exp @ Some(_)) => *exp = None,
        StmtKind::Return(exp @ None) if edit.scope.result.is_none() => {
            *exp = Some(number(stmt.span, 1));
        }
        _ => return false,
    }
    true
}

fn return_of_a_kernel(edit: &mut Edit<'_>) -> Option<Vec<Stmt>> {
    let span = Span::nth(PUT);
    let int = edit.one(|known| known.depth == 0)?;
    edit.scope.kernel.then(|| vec![stmt(StmtKind::Return(Some(var(span, int.var))))])
}

fn barrier_in_a_function(edit: &mut Edit<'_>) -> Option<Vec<Stmt>> {
    (!edit.scope.kernel).then(|| vec![stmt(StmtKind::Barrier(Space::Local))])
}
