//! Expressions of the device language, folded where they are made: lengths that are literals stay literals.

use reference::device::syntax::{Exp, Lit, Sc, UnOp, Wide};
use reference::kit::scalar::BinOp;

/// The i32 that an expression is a literal of.
pub(super) fn literal(exp: &Exp) -> Option<i32> {
    match exp {
        Exp::Lit(Lit::I32(k)) => Some(*k),
        _ => None,
    }
}

/// The bool that an expression is a literal of.
pub(super) fn truth(exp: &Exp) -> Option<bool> {
    match exp {
        Exp::Lit(Lit::Bool(b)) => Some(*b),
        _ => None,
    }
}

/// A bool.
pub(super) fn bool(b: bool) -> Exp {
    Exp::Lit(Lit::Bool(b))
}

/// Is it cheap to write the expression twice?
pub(super) fn is_atom(exp: &Exp) -> bool {
    exp.is_leaf()
}

/// `a ⊕ b` of i32, or of other scalars if nothing is known of them. A quotient of literals is made where it exists.
pub(super) fn bin(op: BinOp, a: Exp, b: Exp) -> Exp {
    use BinOp::{Add, Div, Eq, Ge, Gt, Le, Lt, Max, Min, Mul, Ne, Sub};
    if let (Some(x), Some(y)) = (literal(&a), literal(&b))
        && let Some(k) = op.checked(x, y)
    {
        return if matches!(op, Eq | Ne | Lt | Le | Gt | Ge) { bool(k != 0) } else { Exp::i32(k) };
    }
    match (op, literal(&a), literal(&b)) {
        (Add | Sub, _, Some(0)) | (Mul | Div, _, Some(1)) => return a,
        (Add, Some(0), _) | (Mul, Some(1), _) => return b,
        (Mul, Some(0), _) if is_atom(&b) => return a,
        (Mul, _, Some(0)) if is_atom(&a) => return b,
        (Min | Max, ..) if a == b => return a,
        _ => {}
    }
    Exp::bin(op, a, b)
}

/// `!a`
pub(super) fn not(a: Exp) -> Exp {
    match (truth(&a), a) {
        (Some(b), _) => bool(!b),
        (None, Exp::Un(UnOp::Not, inner)) => *inner,
        (None, a) => Exp::Un(UnOp::Not, Box::new(a)),
    }
}

/// `a & b` of bool.
pub(super) fn and(a: Exp, b: Exp) -> Exp {
    match (truth(&a), truth(&b)) {
        (Some(true), _) => b,
        (_, Some(true)) => a,
        (Some(false), _) => a,
        _ => Exp::bin(BinOp::And, a, b),
    }
}

/// `select(c, a, b)`
pub(super) fn select(c: Exp, a: Exp, b: Exp) -> Exp {
    match truth(&c) {
        Some(true) => a,
        Some(false) => b,
        None if a == b => a,
        None => Exp::select(c, a, b),
    }
}

/// Conversion.
pub(super) fn cast(to: Sc, a: Exp) -> Exp {
    match (to, &a) {
        (Sc::I32, Exp::Lit(Lit::Bool(b))) => Exp::i32((*b).into()),
        (Sc::U32, Exp::Lit(Lit::I32(k))) => Exp::u32(*k as u32),
        (Sc::I32, Exp::Lit(Lit::U32(k))) => Exp::i32(*k as i32),
        (Sc::I64, Exp::Lit(Lit::I32(k))) => Exp::i64((*k).into()),
        _ => Exp::Cast(to, Box::new(a)),
    }
}

/// A double as one of type `sc`.
pub(super) fn float(sc: Sc, x: f64) -> Exp {
    Exp::Lit(match sc {
        Sc::F64 => Lit::F64(Wide(x.to_bits() as i64)),
        _ => Lit::F32((x as f32).to_bits()),
    })
}
