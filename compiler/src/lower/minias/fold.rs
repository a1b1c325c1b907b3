//! Expressions without parts that say nothing.

use reference::device::syntax::{Exp, Lit, Sc, UnOp};
use reference::kit::scalar::BinOp;

/// The int that a literal is.
pub(super) fn literal(exp: &Exp) -> Option<i32> {
    match exp {
        Exp::Lit(Lit::I32(k)) => Some(*k),
        _ => None,
    }
}

/// The truth that a literal is.
pub(super) fn truth(exp: &Exp) -> Option<bool> {
    match exp {
        Exp::Lit(Lit::Bool(holds)) => Some(*holds),
        _ => None,
    }
}

/// `true`, `false`
pub(super) fn bool(holds: bool) -> Exp {
    Exp::Lit(Lit::Bool(holds))
}

/// `a ⊕ b` of ints that cannot get stuck.
pub(super) fn bin(op: BinOp, a: Exp, b: Exp) -> Exp {
    match (op, literal(&a), literal(&b)) {
        (BinOp::Eq, Some(a), Some(b)) => bool(a == b),
        (BinOp::Ne, Some(a), Some(b)) => bool(a != b),
        (_, Some(a), Some(b)) if op.associates() => Exp::i32(op.checked(a, b).unwrap_or(0)),
        (BinOp::Add | BinOp::Sub, _, Some(0)) => a,
        (BinOp::Add, Some(0), _) => b,
        (BinOp::Eq, ..) if a == b => bool(true),
        (BinOp::Ne, ..) if a == b => bool(false),
        _ => Exp::bin(op, a, b),
    }
}

/// `!a`
pub(super) fn not(a: Exp) -> Exp {
    match a {
        Exp::Lit(Lit::Bool(holds)) => bool(!holds),
        Exp::Un(UnOp::Not, inner) => *inner,
        other => Exp::Un(UnOp::Not, Box::new(other)),
    }
}

/// `a & b` of truths.
pub(super) fn and(a: Exp, b: Exp) -> Exp {
    match (truth(&a), truth(&b)) {
        (Some(true), _) => b,
        (_, Some(true)) => a,
        (Some(false), _) | (_, Some(false)) => bool(false),
        _ => Exp::bin(BinOp::And, a, b),
    }
}

/// `a | b` of truths.
pub(super) fn or(a: Exp, b: Exp) -> Exp {
    match (truth(&a), truth(&b)) {
        (Some(false), _) => b,
        (_, Some(false)) => a,
        (Some(true), _) | (_, Some(true)) => bool(true),
        _ => Exp::bin(BinOp::Or, a, b),
    }
}

/// `select(c, a, b)`
pub(super) fn select(c: &Exp, a: Exp, b: Exp) -> Exp {
    match (truth(c), truth(&a), truth(&b)) {
        (Some(true), ..) => a,
        (Some(false), ..) => b,
        _ if a == b => a,
        (_, Some(true), Some(false)) => c.clone(),
        (_, Some(false), Some(true)) => not(c.clone()),
        (_, Some(false), _) => and(not(c.clone()), b),
        (_, _, Some(false)) => and(c.clone(), a),
        (_, Some(true), _) => or(c.clone(), b),
        (_, _, Some(true)) => or(not(c.clone()), a),
        _ => Exp::select(c.clone(), a, b),
    }
}

/// The int of a truth.
pub(super) fn int(truth: Exp) -> Exp {
    match truth {
        Exp::Lit(Lit::Bool(holds)) => Exp::i32(holds.into()),
        other => Exp::Cast(Sc::I32, Box::new(other)),
    }
}
