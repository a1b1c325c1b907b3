//! Walking over a device program: what changes expressions wherever they stand, and what looks
//! for something in them.

use reference::device::syntax::{Block, Exp, Kind, Place, Sc, Stm, Ty};
use reference::kit::scalar::BinOp;

use super::types::Types;

/// Applies `change` to `exp` and every expression in it, inner ones first.
#[inline]
pub(crate) fn change_exp(exp: &mut Exp, change: &mut impl FnMut(&mut Exp)) {
    if !exp.is_leaf() {
        change_parts(exp, change);
    }
    change(exp);
}

/// Applies `change` to every expression in `exp`.
fn change_parts(exp: &mut Exp, change: &mut impl FnMut(&mut Exp)) {
    match exp {
        Exp::Lit(_) | Exp::Var(_) | Exp::Builtin(_) => {}
        Exp::Un(_, a)
        | Exp::Cast(_, a)
        | Exp::Bitcast(_, a)
        | Exp::Field(a, _)
        | Exp::Length(a)
        | Exp::Base(a) => change_exp(a, change),
        Exp::Bin(_, parts) | Exp::At(parts) | Exp::Block(_, parts) => {
            parts.iter_mut().for_each(|part| change_exp(part, change));
        }
        Exp::Select(parts) => parts.iter_mut().for_each(|part| change_exp(part, change)),
        Exp::Make(made) => made.1.iter_mut().for_each(|part| change_exp(part, change)),
        Exp::Load(place) | Exp::Ref(place) => change_place(place, change),
    }
}

/// Applies `change` to every expression in `place`.
pub(crate) fn change_place(place: &mut Place, change: &mut impl FnMut(&mut Exp)) {
    match place {
        Place::Var(_) => {}
        Place::Deref(pointer) => change_exp(pointer, change),
        Place::Element(block, index) => {
            change_exp(block, change);
            change_exp(index, change);
        }
        Place::At(array, index) => {
            change_place(array, change);
            change_exp(index, change);
        }
        Place::Field(value, _) => change_place(value, change),
    }
}

/// Applies `change` to every expression of `body`.
pub(crate) fn change_block(body: &mut Block, change: &mut impl FnMut(&mut Exp)) {
    for stm in body {
        change_own(&mut stm.kind, change);
        match &mut stm.kind {
            Kind::If(branch) => {
                change_block(&mut branch.then, change);
                change_block(&mut branch.orelse, change);
            }
            Kind::Loop(rounds) => {
                rounds.next.iter_mut().for_each(|exp| change_exp(exp, change));
                change_block(&mut rounds.body, change);
            }
            Kind::Par(par) => change_block(&mut par.body, change),
            _ => {}
        }
    }
}

/// Applies `change` to the expressions of a statement that are evaluated before any statement in it.
pub(crate) fn change_own(stm: &mut Kind, change: &mut impl FnMut(&mut Exp)) {
    let mut at = |exp: &mut Exp| change_exp(exp, change);
    match stm {
        Kind::Let(_, _, exp) => at(exp),
        Kind::Var(_, _, init) => init.iter_mut().for_each(at),
        Kind::Store(place, exp) => {
            at(exp);
            change_place(place, change);
        }
        Kind::Atomic { place, operands, .. } => {
            operands.iter_mut().for_each(at);
            change_place(place, change);
        }
        Kind::If(branch) => at(&mut branch.cond),
        Kind::Loop(rounds) => {
            rounds.carried.iter_mut().for_each(|carried| at(&mut carried.init));
            at(&mut rounds.cond);
            rounds.fuel.iter_mut().for_each(&mut at);
        }
        Kind::Call { args, .. } => args.iter_mut().for_each(at),
        Kind::Check(check) => check.operands.iter_mut().chain(&mut check.path).for_each(at),
        Kind::UniformLoad { place, .. } => change_place(place, change),
        Kind::Barrier(_) => {}
        Kind::Par(par) => at(&mut par.count),
    }
}

/// The expression, and something else in its place for now.
pub(crate) fn take(exp: &mut Exp) -> Exp {
    std::mem::replace(exp, Exp::u32(0))
}

/// Does `exp` hold an expression that `is` wanted, in it or in its places?
#[inline]
pub(crate) fn any_exp(exp: &Exp, is: &mut impl FnMut(&Exp) -> bool) -> bool {
    is(exp) || !exp.is_leaf() && any_part(exp, is)
}

fn any_part(exp: &Exp, is: &mut impl FnMut(&Exp) -> bool) -> bool {
    match exp {
        Exp::Lit(_) | Exp::Var(_) | Exp::Builtin(_) => false,
        Exp::Load(place) | Exp::Ref(place) => any_place(place, is),
        Exp::Un(_, a)
        | Exp::Cast(_, a)
        | Exp::Bitcast(_, a)
        | Exp::Field(a, _)
        | Exp::Length(a)
        | Exp::Base(a) => any_exp(a, is),
        Exp::Bin(_, parts) | Exp::At(parts) | Exp::Block(_, parts) => {
            parts.iter().any(|part| any_exp(part, is))
        }
        Exp::Select(parts) => parts.iter().any(|part| any_exp(part, is)),
        Exp::Make(made) => made.1.iter().any(|part| any_exp(part, is)),
    }
}

fn any_place(place: &Place, is: &mut impl FnMut(&Exp) -> bool) -> bool {
    match place {
        Place::Var(_) => false,
        Place::Deref(pointer) => any_exp(pointer, is),
        Place::Element(block, index) => any_exp(block, is) || any_exp(index, is),
        Place::At(array, index) => any_place(array, is) || any_exp(index, is),
        Place::Field(value, _) => any_place(value, is),
    }
}

/// Does `body` hold a statement that `is` wanted, at any depth?
pub(crate) fn any_stm(body: &[Stm<Kind>], is: &mut impl FnMut(&Kind) -> bool) -> bool {
    body.iter().any(|stm| {
        is(&stm.kind)
            || match &stm.kind {
                Kind::If(branch) => any_stm(&branch.then, is) || any_stm(&branch.orelse, is),
                Kind::Loop(rounds) => any_stm(&rounds.body, is),
                Kind::Par(par) => any_stm(&par.body, is),
                _ => false,
            }
    })
}

/// Is one of the statements of `body` itself wanted?
pub(crate) fn any_outer(body: &Block, is: impl Fn(&Kind) -> bool) -> bool {
    body.iter().any(|stm| is(&stm.kind))
}

/// Does a barrier stand in `body`?
pub(crate) fn has_barrier(body: &Block) -> bool {
    any_stm(body, &mut |kind| matches!(kind, Kind::Barrier(_) | Kind::UniformLoad { .. }))
}

/// The extent of an array or vector.
pub(crate) fn extent(ty: &Ty) -> Option<u32> {
    match ty {
        Ty::Array(_, n) => Some(*n),
        Ty::Vector(_, n) => Some(u32::from(*n)),
        _ => None,
    }
}

/// Can evaluating `exp` itself, its parts aside, get stuck?
#[inline]
pub(crate) fn may_stick(exp: &Exp, types: &Types) -> bool {
    match exp {
        Exp::Bin(BinOp::Div | BinOp::Rem, ..) | Exp::At(..) | Exp::Load(_) | Exp::Ref(_) => {
            sticks(exp, types)
        }
        _ => false,
    }
}

fn sticks(exp: &Exp, types: &Types) -> bool {
    match exp {
        Exp::Bin(op @ (BinOp::Div | BinOp::Rem), ab) => {
            op.is_partial()
                && !is_nonzero(&ab[1])
                && matches!(types.sc(&ab[0]), Some(Sc::I32 | Sc::U32 | Sc::I64))
        }
        Exp::At(parts) => !inside(&types.exp(&parts[0]), &parts[1]),
        Exp::Load(place) | Exp::Ref(place) => place_may_stick(place, types),
        _ => false,
    }
}

/// Can finding `place` get stuck, the expressions in it aside?
pub(crate) fn place_may_stick(place: &Place, types: &Types) -> bool {
    match place {
        Place::Var(_) | Place::Deref(_) => false,
        Place::Element(..) => true,
        Place::At(array, index) => {
            place_may_stick(array, types) || !inside(&types.place(array), index)
        }
        Place::Field(value, _) => place_may_stick(value, types),
    }
}

/// Can evaluating `exp` get stuck?
pub(crate) fn partial(exp: &Exp, types: &Types) -> bool {
    any_exp(exp, &mut |part| may_stick(part, types))
}

/// Can finding `place` get stuck?
pub(crate) fn partial_place(place: &Place, types: &Types) -> bool {
    place_may_stick(place, types) || any_place(place, &mut |part| may_stick(part, types))
}

/// Is it a literal that no division gets stuck by?
pub(crate) fn is_nonzero(exp: &Exp) -> bool {
    use reference::device::syntax::{Lit, Wide};
    matches!(exp, Exp::Lit(Lit::I32(1.. | ..=-1) | Lit::U32(1..) | Lit::I64(Wide(1.. | ..=-1))))
}

/// Is `index` a literal inside of an array of type `ty`?
pub(crate) fn inside(ty: &Ty, index: &Exp) -> bool {
    use reference::device::syntax::Lit;
    let index = match index {
        Exp::Lit(Lit::I32(k)) => i64::from(*k),
        Exp::Lit(Lit::U32(k)) => i64::from(*k),
        _ => return false,
    };
    extent(ty).is_some_and(|n| (0..i64::from(n)).contains(&index))
}
