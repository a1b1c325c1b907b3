//! Two elements of values that are arrays of arrays of arrays, one of them at an index that is read from a private
//! variable that nothing stores to: `x[i][j][0] + y[k][q[1]][1]`.
//!
//! NVIDIA's driver crashes when it compiles such a kernel.

use super::private_of;
use crate::pass::types::Types;
use reference::device::syntax::{Block, Exp, Kernel, Kind, Ty};
use reference::device::visit::{self, any_exp, any_stm};
use reference::kit::names::Var;
use rustc_hash::FxHashMap;

/// Does a body have such elements?
pub(super) fn any_indexed(body: &Block, kernel: &Kernel, types: &Types) -> bool {
    let mut values: FxHashMap<Var, &Exp> = FxHashMap::default();
    visit::stms(body, &mut |stm| {
        if let Kind::Let(var, _, value) = &stm.kind {
            values.insert(*var, value);
        }
    });
    let (mut elements, mut at_unwritten) = (0, false);
    visit::block(body, &mut |exp| {
        let Exp::At(parts) = exp else { return };
        let [array, index] = &**parts;
        if depth(&types.exp(base(array))) >= 3 {
            elements += u32::from(!matches!(types.exp(exp), Ty::Array(..)));
            at_unwritten |= reads_unwritten(index, &values, body, kernel);
        }
    });
    elements >= 2 && at_unwritten
}

/// The value that elements of elements are taken of.
fn base(exp: &Exp) -> &Exp {
    match exp {
        Exp::At(parts) => base(&parts[0]),
        exp => exp,
    }
}

/// How many arrays stand in each other.
fn depth(ty: &Ty) -> u32 {
    match ty {
        Ty::Array(inner, _) => 1 + depth(inner),
        _ => 0,
    }
}

/// Does a value depend on a private variable that nothing stores to, so that it is the 0 that it starts with?
fn reads_unwritten(
    exp: &Exp,
    values: &FxHashMap<Var, &Exp>,
    body: &Block,
    kernel: &Kernel,
) -> bool {
    any_exp(exp, &mut |exp| {
        match exp {
        Exp::Load(place) => private_of(place, kernel).is_some_and(|var| {
            !any_stm(body, &mut |kind| {
                matches!(kind, Kind::Store(place, _) if private_of(place, kernel) == Some(var))
            })
        }),
        Exp::Var(var) => {
            values.get(var).is_some_and(|value| reads_unwritten(value, values, body, kernel))
        }
        _ => false,
    }
    })
}
