//! The right sides of laws about values: what is known is computed, what nobody reads is left out.

use crate::kit::names::Var;
use crate::lambda_g::syntax::{Exp, Kind, Op, Over};
use crate::lambda_g::visit::{all, all_mut, parts};

/// `let x = a in b` → `b`
pub(super) fn let_drop(e: &Exp) -> Option<Exp> {
    let Kind::Let(x, both) = &e.kind else { return None };
    (uses(&both[1], *x) == 0).then(|| both[1].clone())
}

/// Does what is bound never get stuck, but by a full region?
pub(super) fn drops_total(e: &Exp) -> bool {
    matches!(&e.kind, Kind::Let(_, both) if is_total(&both[0]))
}

/// `let f = fn … in b` → `b[f := fn …]`
pub(super) fn let_once(e: &Exp) -> Option<Exp> {
    let Kind::Let(f, both) = &e.kind else { return None };
    let [bound @ Exp { kind: Kind::Fn(_), .. }, body] = &**both else { return None };
    if uses(body, *f) != 1 {
        return None;
    }
    let mut body = body.clone();
    all_mut(&mut body, &mut |part| {
        if part.kind == Kind::Var(*f) {
            *part = bound.clone();
        }
    });
    Some(body)
}

/// `(fn x => b) a` → `let x = a in b`
pub(super) fn apply(e: &Exp) -> Option<Exp> {
    let Kind::App(both) = &e.kind else { return None };
    let [Exp { kind: Kind::Fn(lambda), .. }, argument] = &**both else { return None };
    let bound = Box::new([argument.clone(), lambda.body.clone()]);
    Some(Exp { span: e.span, kind: Kind::Let(lambda.param, bound) })
}

/// `k ⊕ l` → what it comes to; a quotient by 0 becomes 0 where nobody asks.
pub(super) fn constant(e: &Exp) -> Option<Exp> {
    let Kind::Binary(op, both, at) = &e.kind else { return None };
    let [Exp { kind: Kind::Int(a, _), .. }, Exp { kind: Kind::Int(b, _), .. }] = &**both else {
        return None;
    };
    let k = match op {
        Op::Add => a.wrapping_add(*b),
        Op::Sub => a.wrapping_sub(*b),
        Op::Mul => a.wrapping_mul(*b),
        Op::Div if *b == 0 => 0,
        Op::Div => a.wrapping_div(*b),
        Op::Mod if *b == 0 => 0,
        Op::Mod => a.wrapping_rem(*b),
        Op::Min => *a.min(b),
        Op::Max => *a.max(b),
    };
    Some(Exp { span: e.span, kind: Kind::Int(k, *at) })
}

/// Is it no division by 0?
pub(super) fn is_defined(e: &Exp) -> bool {
    match &e.kind {
        Kind::Binary(Op::Div | Op::Mod, both, _) => !matches!(both[1].kind, Kind::Int(0, _)),
        _ => true,
    }
}

/// `if true then a else b` → `a`, and `b` for `false`
pub(super) fn if_known(e: &Exp) -> Option<Exp> {
    let Kind::If(all) = &e.kind else { return None };
    let [Exp { kind: Kind::Bool(truth), .. }, yes, no] = &**all else { return None };
    Some(if *truth { yes.clone() } else { no.clone() })
}

/// `fst (a, b)` → `a`, and `b` for `snd`
pub(super) fn pair_part(e: &Exp) -> Option<Exp> {
    component(e).map(|(own, _)| own.clone())
}

/// Does the other component never get stuck, but by a full region?
pub(super) fn other_is_total(e: &Exp) -> bool {
    component(e).is_some_and(|(_, other)| is_total(other))
}

/// The component of a pair that is written there, and the other one.
fn component(e: &Exp) -> Option<(&Exp, &Exp)> {
    let (of, is_first) = match &e.kind {
        Kind::Fst(of) => (of, true),
        Kind::Snd(of) => (of, false),
        _ => return None,
    };
    match &of.kind {
        Kind::Pair(both, _) if is_first => Some((&both[0], &both[1])),
        Kind::Pair(both, _) => Some((&both[1], &both[0])),
        _ => None,
    }
}

/// How often is a variable used?
fn uses(e: &Exp, var: Var) -> usize {
    let mut uses = 0;
    all(e, &mut |part| uses += usize::from(part.kind == Kind::Var(var)));
    uses
}

/// Does it come to a value if no region is full? A function is one, whatever it does where it is applied.
fn is_total(e: &Exp) -> bool {
    match &e.kind {
        Kind::Fn(_) | Kind::RegionFn(_) | Kind::Fix(..) => true,
        Kind::Binary(Op::Div | Op::Mod, ..) => false,
        Kind::App(_) | Kind::Instance(..) | Kind::Index(_) | Kind::Iota(..) => false,
        Kind::ParMap(_, over, _) => {
            // Without elements nothing is applied.
            matches!(&**over, Over::Elements(elements) if elements.is_empty())
        }
        _ => parts(e).into_iter().all(is_total),
    }
}
