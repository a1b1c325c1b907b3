//! A call that passes an array of structures with arrays, read from work-group memory, to a function that
//! indexes it by its own elements: `a[a[i].m0].m1`.
//!
//! NVIDIA's driver crashes when it compiles one.

use super::Code;
use crate::pass::types::Types;
use reference::device::syntax::{Block, Exp, Function, Kernel, Kind, Place, Program, Space, Ty};
use reference::device::visit::{self, any_exp, any_stm};
use reference::kit::names::Var;
use rustc_hash::FxHashMap;

/// Does a body have such a call?
pub(super) fn any_indexed(body: &Block, program: &Program, kernel: &Kernel, types: &Types) -> bool {
    // Names of aggregates stand for their values.
    let mut values: FxHashMap<Var, &Exp> = FxHashMap::default();
    visit::stms(body, &mut |stm| {
        if let Kind::Let(var, Ty::Array(..) | Ty::Struct(_), value) = &stm.kind {
            values.insert(*var, value);
        }
    });
    any_stm(body, &mut |kind| {
        let Kind::Call { function, args, .. } = kind else { return false };
        let function = &program.functions[*function as usize];
        args.iter().zip(&function.params).any(|(arg, (param, ty))| {
            is_array_of_structures(program, ty)
                && reads_shared(arg, &values, kernel, types)
                && indexes_by_itself(function, *param)
        })
    })
}

fn is_array_of_structures(program: &Program, ty: &Ty) -> bool {
    let Ty::Array(inner, _) = ty else { return false };
    let Ty::Struct(number) = **inner else { return false };
    let fields = &program.structs[number as usize].fields;
    fields.iter().any(|(_, ty)| matches!(ty, Ty::Array(..)))
}

/// Is a value made of what is read from work-group memory?
fn reads_shared(exp: &Exp, values: &FxHashMap<Var, &Exp>, kernel: &Kernel, types: &Types) -> bool {
    any_exp(exp, &mut |exp| match exp {
        Exp::Load(place) => is_shared(place, kernel, types),
        Exp::Var(var) => {
            values.get(var).is_some_and(|value| reads_shared(value, values, kernel, types))
        }
        _ => false,
    })
}

fn is_shared(place: &Place, kernel: &Kernel, types: &Types) -> bool {
    match place {
        Place::Var(var) => kernel.workgroup.iter().any(|(shared, _)| shared == var),
        Place::Deref(Exp::Ref(place)) => is_shared(place, kernel, types),
        Place::Deref(pointer) => matches!(types.exp(pointer), Ty::Ptr(Space::Workgroup, _)),
        Place::At(place, _) | Place::Field(place, _) => is_shared(place, kernel, types),
        Place::Element(..) => false,
    }
}

/// Does a function index a parameter by what it reads from it?
fn indexes_by_itself(function: &Function, param: Var) -> bool {
    let names_it = |exp: &Exp| any_exp(exp, &mut |exp| *exp == Exp::Var(param));
    let result = function.result.as_ref().map(|(_, result)| result);
    let mut found = false;
    Code { body: &function.body, result }.visit(&mut |exp| {
        if let Exp::At(parts) = exp {
            found |= names_it(&parts[0]) && names_it(&parts[1]);
        }
    });
    found
}
