//! What the shrinker has to know of a dialect.

use reference::fun::syntax::{Atom, Dialect, Fun, Never, Program, Se, Ty};
use reference::funmem::syntax::{FunMem, Lmad, MemExp, MemTy};
use reference::kit::derivation::Recorder;
use reference::kit::names::Var;
use std::sync::Arc;

/// A dialect whose programs can be shrunk.
pub trait Shrinks: Dialect {
    /// Is the program well typed? Every candidate is asked before it is tested.
    fn is_well_typed(program: &Program<Self>) -> bool;
    /// The type `int`.
    fn int() -> Self::Ty;
    /// The sizes, if it is an array type.
    fn shape(ty: &Self::Ty) -> Option<&[Atom]>;
    /// Has a parameter of this type a value in the input?
    fn takes_input(ty: &Self::Ty) -> bool;
    /// The type of an array of this shape, where the shape is all there is to it.
    fn plain_array(shape: &[Atom]) -> Option<Self::Ty>;
    /// Takes a dimension out of an array type; without any it is an int.
    fn lose_dimension(ty: &mut Self::Ty, dim: usize);
    /// The array that an expression of this dialect alone copies.
    fn copied(extra: &Self::Extra) -> Option<Var>;
    /// The copy of an array, where the place of an array matters.
    fn copy(array: Var) -> Option<Self::Extra>;
    /// Visits the names and constants in a type.
    fn atoms_of_type(ty: &mut Self::Ty, visit: &mut dyn FnMut(&mut Atom));
    /// Visits the names and constants in an expression of this dialect alone.
    fn atoms_of_extra(extra: &mut Self::Extra, visit: &mut dyn FnMut(&mut Atom));
    /// Visits the scalar expressions of an expression of this dialect alone.
    fn scalars_of_extra(extra: &mut Self::Extra, visit: &mut dyn FnMut(&mut Se));
}

/// Visits the names and constants in a scalar expression.
pub(super) fn atoms_of_scalar(se: &mut Se, visit: &mut dyn FnMut(&mut Atom)) {
    match se {
        Se::Atom(atom) => visit(atom),
        Se::Bin(_, ab) => {
            Arc::make_mut(ab).iter_mut().for_each(|operand| atoms_of_scalar(operand, visit));
        }
    }
}

/// Visits a place where only a name can stand; what would put a constant there is dropped.
pub(super) fn name(var: &mut Var, visit: &mut dyn FnMut(&mut Atom)) {
    let mut atom = Atom::Var(*var);
    visit(&mut atom);
    if let Atom::Var(changed) = atom {
        *var = changed;
    }
}

impl Shrinks for Fun {
    fn is_well_typed(program: &Program<Self>) -> bool {
        reference::fun::types::check(program, &mut Recorder::counting()).is_ok()
    }

    fn int() -> Ty {
        Ty::Int
    }

    fn shape(ty: &Ty) -> Option<&[Atom]> {
        match ty {
            Ty::Array(shape) => Some(shape),
            Ty::Int => None,
        }
    }

    fn takes_input(_: &Ty) -> bool {
        true
    }

    fn plain_array(shape: &[Atom]) -> Option<Ty> {
        Some(Ty::Array(shape.to_vec()))
    }

    fn lose_dimension(ty: &mut Ty, dim: usize) {
        if let Ty::Array(shape) = ty {
            shape.remove(dim);
            if shape.is_empty() {
                *ty = Ty::Int;
            }
        }
    }

    fn copied(extra: &Never) -> Option<Var> {
        match *extra {}
    }

    fn copy(_: Var) -> Option<Never> {
        None
    }

    fn atoms_of_type(ty: &mut Ty, visit: &mut dyn FnMut(&mut Atom)) {
        if let Ty::Array(shape) = ty {
            shape.iter_mut().for_each(visit);
        }
    }

    fn atoms_of_extra(extra: &mut Never, _: &mut dyn FnMut(&mut Atom)) {
        match *extra {}
    }

    fn scalars_of_extra(extra: &mut Never, _: &mut dyn FnMut(&mut Se)) {
        match *extra {}
    }
}

impl Shrinks for FunMem {
    fn is_well_typed(program: &Program<Self>) -> bool {
        reference::funmem::types::check(program, &mut Recorder::counting()).is_ok()
    }

    fn int() -> MemTy {
        MemTy::Int
    }

    fn shape(ty: &MemTy) -> Option<&[Atom]> {
        match ty {
            MemTy::Array(array) => Some(&array.shape),
            MemTy::Int | MemTy::Mem => None,
        }
    }

    fn takes_input(ty: &MemTy) -> bool {
        *ty != MemTy::Mem
    }

    fn plain_array(_: &[Atom]) -> Option<MemTy> {
        None
    }

    fn lose_dimension(ty: &mut MemTy, dim: usize) {
        let MemTy::Array(array) = ty else { return };
        let array = Arc::make_mut(array);
        let whole = array.lmad == Lmad::row_major(&array.shape);
        array.shape.remove(dim);
        array.lmad.dims.remove(dim);
        if array.shape.is_empty() {
            *ty = MemTy::Int;
        } else if whole {
            array.lmad = Lmad::row_major(&array.shape);
        }
    }

    fn copied(extra: &MemExp) -> Option<Var> {
        match extra {
            MemExp::Copy(array) => Some(*array),
            MemExp::Alloc(_) => None,
        }
    }

    fn copy(array: Var) -> Option<MemExp> {
        Some(MemExp::Copy(array))
    }

    fn atoms_of_type(ty: &mut MemTy, visit: &mut dyn FnMut(&mut Atom)) {
        if let MemTy::Array(array) = ty {
            let array = Arc::make_mut(array);
            array.shape.iter_mut().for_each(&mut *visit);
            name(&mut array.block, visit);
            atoms_of_scalar(&mut array.lmad.offset, visit);
            for dim in &mut array.lmad.dims {
                visit(&mut dim.extent);
                atoms_of_scalar(&mut dim.stride, visit);
            }
        }
    }

    fn atoms_of_extra(extra: &mut MemExp, visit: &mut dyn FnMut(&mut Atom)) {
        match extra {
            MemExp::Alloc(se) => atoms_of_scalar(se, visit),
            MemExp::Copy(array) => name(array, visit),
        }
    }

    fn scalars_of_extra(extra: &mut MemExp, visit: &mut dyn FnMut(&mut Se)) {
        if let MemExp::Alloc(se) = extra {
            visit(se);
        }
    }
}
