//! Expressions that break a premise. The drawn one is a part of what comes in its place, as far as that can be.

use super::super::build;
use super::sites::{At, Edit, Known};
use super::{ALL, Way, way};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use reference::minias::syntax::{Exp, Kind, Op, Space, Type, UnOp, Written};
use reference::minias::types::Mode;

/// The modes in which the arms of `?:` are compared as they are written.
const WRITTEN: &[Mode] = &[Mode::Single, Mode::Generic, Mode::Private];

pub(super) const WAYS: &[Way] = &[
    way("T-VAR", "scope", ALL, At::Exp(kernel_as_a_variable)),
    way("T-VAR", "scope", ALL, At::Exp(unknown_variable)),
    way("T-OP", "operand", ALL, At::Exp(operator_of_a_pointer)),
    way("T-OFFSET", "operand", ALL, At::Exp(sum_of_pointers)),
    way("T-DIFF", "pointee", ALL, At::Exp(|exp, edit| of_depths(exp, edit, BinOp::Sub))),
    way("T-DIFF", "overlap", ALL, At::Exp(|exp, edit| of_spaces(exp, edit, BinOp::Sub))),
    way("T-COMPARE", "pointee", ALL, At::Exp(|exp, edit| of_depths(exp, edit, BinOp::Eq))),
    way("T-COMPARE", "pointee", ALL, At::Exp(compared_with_an_int)),
    way("T-COMPARE", "overlap", ALL, At::Exp(|exp, edit| of_spaces(exp, edit, BinOp::Lt))),
    way("T-COND", "condition", ALL, At::Exp(condition_without_a_value)),
    way("T-COND", "unify", ALL, At::Exp(arms_of_two_kinds)),
    way("T-COND", "overlap", WRITTEN, At::Exp(arms_of_two_spaces)),
    way("=>E", "lacks", &[Mode::Infer], At::Exp(arm_of_constant)),
    way("T-ADDRESS", "place", ALL, At::Exp(address_of_a_value)),
    way("T-LOAD", "pointer", ALL, At::Exp(load_from_an_int)),
    way("T-DYNAMIC", "target", ALL, At::Exp(to_no_space)),
    way("T-DYNAMIC", "pointer", ALL, At::Exp(dynamic_cast_of_an_int)),
    way("T-DYNAMIC", "unify", ALL, At::Exp(|exp, edit| of_pointee(exp, edit, Kind::Dynamic))),
    way("T-CAST", "pointer", ALL, At::Exp(cast_to_or_from_an_int)),
    way("T-CAST", "unify", ALL, At::Exp(|exp, edit| of_pointee(exp, edit, Kind::Cast))),
    way(
        "T-CAST",
        "unify",
        &[Mode::Infer, Mode::Generic, Mode::Private],
        At::Exp(cast_across_spaces),
    ),
    way("T-APP", "function", ALL, At::Exp(call_of_no_function)),
    way("T-APP", "arity", ALL, At::Exp(arguments_that_are_too_many_or_few)),
    way("T-APP", "unify", ALL, At::Exp(argument_of_another_kind)),
];

/// What an expression becomes that has the old one as a part.
fn around(exp: &mut Exp, kind: impl FnOnce(Exp) -> Kind) -> bool {
    let span = exp.span;
    let part = std::mem::replace(exp, Exp { span, kind: Kind::Null });
    exp.kind = kind(part);
    true
}

pub(super) fn var(span: Span, var: Var) -> Exp {
    Exp { span, kind: Kind::Var(var) }
}

pub(super) fn number(span: Span, k: i32) -> Exp {
    Exp { span, kind: Kind::Int(k) }
}

fn binary(op: BinOp, one: Exp, other: Exp) -> Kind {
    Kind::Binary(Op::Scalar(op), Box::new(one), Box::new(other))
}

fn cond(parts: [Exp; 3]) -> Kind {
    Kind::Cond(Box::new(parts))
}

fn is_int(exp: &Exp, edit: &Edit<'_>) -> bool {
    edit.depth(exp) == Some(0)
}

fn is_pointer(exp: &Exp, edit: &Edit<'_>) -> bool {
    edit.depth(exp).is_some_and(|depth| depth > 0)
}

fn kernel_as_a_variable(exp: &mut Exp, edit: &mut Edit<'_>) -> bool {
    exp.kind = Kind::Var(edit.kernel);
    true
}

fn unknown_variable(exp: &mut Exp, edit: &mut Edit<'_>) -> bool {
    let unknown = var(exp.span, edit.names.fresh("unknown"));
    around(exp, |part| binary(BinOp::Add, unknown, part))
}

fn operator_of_a_pointer(exp: &mut Exp, edit: &mut Edit<'_>) -> bool {
    let (span, way) = (exp.span, edit.dice.below(2));
    is_pointer(exp, edit)
        && around(exp, |part| match way {
            0 => Kind::Unary(UnOp::Neg, Box::new(part)),
            _ => binary(BinOp::Mul, number(span, 2), part),
        })
}

fn sum_of_pointers(exp: &mut Exp, edit: &mut Edit<'_>) -> bool {
    let (span, way) = (exp.span, edit.dice.below(2));
    is_pointer(exp, edit)
        && around(exp, |part| match way {
            0 => binary(BinOp::Add, part.clone(), part),
            _ => binary(BinOp::Sub, number(span, 5), part),
        })
}

/// `&p - p`, `&p == p`
fn of_depths(exp: &mut Exp, edit: &mut Edit<'_>, op: BinOp) -> bool {
    let Kind::Var(pointer) = exp.kind else { return false };
    let is_one = |known: Known| known.depth > 0 && !known.array;
    edit.known(pointer).is_some_and(is_one)
        && around(exp, |part| {
            let address = Kind::Address(Box::new(part.clone()));
            binary(op, Exp { span: part.span, kind: address }, part)
        })
}

/// A pointer to ints whose space is written, and another one of another space.
fn two_spaces(exp: &Exp, edit: &mut Edit<'_>) -> Option<(Space, Known)> {
    let Kind::Var(pointer) = exp.kind else { return None };
    let space = edit.known(pointer).filter(|known| known.depth == 1)?.space?;
    let is_other = |known: &Known| known.depth == 1 && known.space.is_some_and(|of| of != space);
    Some((space, edit.one(is_other)?))
}

/// `p - q`, `p < q`
fn of_spaces(exp: &mut Exp, edit: &mut Edit<'_>, op: BinOp) -> bool {
    let Some((_, other)) = two_spaces(exp, edit) else { return false };
    around(exp, |part| binary(op, part.clone(), var(part.span, other.var)))
}

fn compared_with_an_int(exp: &mut Exp, edit: &mut Edit<'_>) -> bool {
    let span = exp.span;
    is_pointer(exp, edit) && around(exp, |part| binary(BinOp::Ne, part, number(span, 4)))
}

/// `nothing(e)`
pub(super) fn without_a_value(exp: Exp, edit: &mut Edit<'_>) -> Exp {
    let span = exp.span;
    let arg = if is_int(&exp, edit) { exp } else { number(span, 0) };
    Exp { span, kind: Kind::Call(edit.void(span), vec![arg]) }
}

fn condition_without_a_value(exp: &mut Exp, edit: &mut Edit<'_>) -> bool {
    if let Kind::Cond(parts) = &mut exp.kind {
        parts[0] = without_a_value(parts[0].clone(), edit);
        return true;
    }
    let condition = without_a_value(number(exp.span, 1), edit);
    edit.depth(exp).is_some() && around(exp, |part| cond([condition, part.clone(), part]))
}

fn arms_of_two_kinds(exp: &mut Exp, edit: &mut Edit<'_>) -> bool {
    let span = exp.span;
    if let Kind::Cond(parts) = &mut exp.kind
        && parts[1..].iter().all(|part| is_pointer(part, edit))
    {
        parts[1 + edit.dice.below(2) as usize] = number(span, 6);
        return true;
    }
    let one = number(span, 1);
    is_pointer(exp, edit) && around(exp, |part| cond([one, part, number(span, 6)]))
}

/// `1 ? p : q`
fn arms_of_two_spaces(exp: &mut Exp, edit: &mut Edit<'_>) -> bool {
    match two_spaces(exp, edit) {
        Some((space, other))
            if space != Space::Constant && other.space != Some(Space::Constant) =>
        {
            around(exp, |part| {
                let span = part.span;
                cond([number(span, 1), part, var(span, other.var)])
            })
        }
        _ => false,
    }
}

/// `1 ? p : c`
fn arm_of_constant(exp: &mut Exp, edit: &mut Edit<'_>) -> bool {
    let Kind::Var(pointer) = exp.kind else { return false };
    let is_one = |known: &Known| {
        known.depth == 1 && known.space.is_some_and(|space| space != Space::Constant)
    };
    if edit.known(pointer).filter(is_one).is_none() {
        return false;
    }
    let constant = edit.constant(exp.span);
    around(exp, |part| {
        let span = part.span;
        cond([number(span, 1), part, var(span, constant)])
    })
}

fn address_of_a_value(exp: &mut Exp, edit: &mut Edit<'_>) -> bool {
    let has_none = match exp.kind {
        Kind::Var(var) => edit.known(var).is_some_and(|known| known.array),
        Kind::Load(_) => false,
        _ => true,
    };
    has_none && around(exp, |part| Kind::Address(Box::new(part)))
}

fn load_from_an_int(exp: &mut Exp, edit: &mut Edit<'_>) -> bool {
    is_int(exp, edit) && around(exp, |part| Kind::Load(Box::new(part)))
}

/// A `dynamic_cast` to constant memory, or to a space that is not named.
fn to_no_space(exp: &mut Exp, edit: &mut Edit<'_>) -> bool {
    let way = edit.dice.below(2);
    let to = if way == 0 { Written::Name(Space::Constant) } else { Written::Elided };
    if let Kind::Dynamic(ty, _) = &mut exp.kind {
        return ty.stars.last_mut().map(|star| star.written = to).is_some();
    }
    let mut ty = build::elided_pointer(exp.span);
    ty.stars[0].written = to;
    is_pointer(exp, edit) && around(exp, |part| Kind::Dynamic(ty, Box::new(part)))
}

fn dynamic_cast_of_an_int(exp: &mut Exp, edit: &mut Edit<'_>) -> bool {
    if let Kind::Dynamic(_, part) = &mut exp.kind {
        **part = number(exp.span, 1);
        return true;
    }
    let ty = build::pointer_to(exp.span, Space::Local);
    is_int(exp, edit) && around(exp, |part| Kind::Dynamic(ty, Box::new(part)))
}

/// A cast of `&p` to a pointer to an int.
fn of_pointee(exp: &mut Exp, edit: &mut Edit<'_>, cast: fn(Type, Box<Exp>) -> Kind) -> bool {
    let Kind::Var(pointer) = exp.kind else { return false };
    let known = edit.known(pointer);
    let is_one = |known: Known| known.depth > 0 && !known.array && known.lies == Space::Private;
    let ty = build::pointer_to(exp.span, Space::Private);
    known.is_some_and(is_one)
        && around(exp, |part| {
            let (span, kind) = (part.span, Kind::Address(Box::new(part)));
            cast(ty, Box::new(Exp { span, kind }))
        })
}

fn cast_to_or_from_an_int(exp: &mut Exp, edit: &mut Edit<'_>) -> bool {
    let span = exp.span;
    match edit.depth(exp) {
        Some(0) => {
            let ty = build::pointer_to(span, Space::Global);
            around(exp, |part| Kind::Cast(ty, Box::new(part)))
        }
        Some(_) => around(exp, |part| Kind::Cast(build::int(span), Box::new(part))),
        None => false,
    }
}

/// `(local int *) p` of a pointer that is written to point elsewhere. If that is constant memory, its row lacks all
/// other spaces (=>E, lacks).
fn cast_across_spaces(exp: &mut Exp, edit: &mut Edit<'_>) -> bool {
    match two_spaces(exp, edit) {
        Some((space, Known { space: Some(to), .. })) if space != Space::Constant => {
            let ty = build::pointer_to(exp.span, to);
            around(exp, |part| Kind::Cast(ty, Box::new(part)))
        }
        _ => false,
    }
}

/// A call of the kernel in itself, of a variable, or of what is not declared.
fn call_of_no_function(exp: &mut Exp, edit: &mut Edit<'_>) -> bool {
    let one = edit.one(|_| true).map(|known| known.var);
    let name = match (edit.dice.below(3), one) {
        (0, _) if edit.scope.kernel => edit.kernel,
        (1, Some(var)) => var,
        _ => edit.names.fresh("unknown"),
    };
    if let Kind::Call(function, _) = &mut exp.kind {
        *function = name;
        return true;
    }
    edit.depth(exp).is_some() && around(exp, |part| Kind::Call(name, vec![part]))
}

fn arguments_that_are_too_many_or_few(exp: &mut Exp, edit: &mut Edit<'_>) -> bool {
    let Kind::Call(_, args) = &mut exp.kind else { return false };
    match args.last().cloned() {
        Some(_) if edit.dice.below(2) == 0 => {
            args.pop();
        }
        last => args.push(last.unwrap_or_else(|| number(exp.span, 0))),
    }
    true
}

fn argument_of_another_kind(exp: &mut Exp, edit: &mut Edit<'_>) -> bool {
    let Kind::Call(_, args) = &mut exp.kind else { return false };
    if args.is_empty() {
        return false;
    }
    let at = edit.dice.below(args.len() as u64) as usize;
    another_kind(&mut args[at], edit)
}

/// A pointer in the place of an int, or an int in that of a pointer.
pub(super) fn another_kind(exp: &mut Exp, edit: &mut Edit<'_>) -> bool {
    let span = exp.span;
    let other = match edit.depth(exp) {
        Some(0) => edit.pointer(span),
        Some(_) => Some(number(span, 6)),
        None => None,
    };
    other.map(|other| *exp = other).is_some()
}
