//! Which expressions can get stuck.

use super::types::Types;
use reference::device::syntax::{Exp, Lit, Place, Sc, Ty, Wide};
use reference::device::visit::{any_exp, any_in_place};
use reference::kit::scalar::BinOp;

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
    place_may_stick(place, types) || any_in_place(place, &mut |part| may_stick(part, types))
}

/// Is it a literal that no division gets stuck by?
pub(crate) fn is_nonzero(exp: &Exp) -> bool {
    matches!(exp, Exp::Lit(Lit::I32(1.. | ..=-1) | Lit::U32(1..) | Lit::I64(Wide(1.. | ..=-1))))
}

/// Is `index` a literal inside of an array of type `ty`?
pub(crate) fn inside(ty: &Ty, index: &Exp) -> bool {
    let index = match index {
        Exp::Lit(Lit::I32(k)) => i64::from(*k),
        Exp::Lit(Lit::U32(k)) => i64::from(*k),
        _ => return false,
    };
    extent(ty).is_some_and(|n| (0..i64::from(n)).contains(&index))
}
