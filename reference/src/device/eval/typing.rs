//! The types of expressions and places while code is made: what the validator has found, asked
//! again, so that nothing here can fail.

use super::compile::Compiler;
use crate::device::scalar;
use crate::device::syntax::{Exp, Place, Space, Ty, U32};
use crate::device::types::Bound;

impl Compiler<'_, '_> {
    /// The type of an expression, without translating it.
    pub(super) fn type_of(&self, exp: &Exp) -> Ty {
        match exp {
            Exp::Lit(lit) => Ty::Scalar(lit.sc()),
            Exp::Var(var) => match self.types.bound(*var) {
                Some(Bound::Value(ty) | Bound::Place(_, ty)) => ty.ty(),
                None => unreachable!("validated: variables are bound"),
            },
            Exp::Builtin(_) | Exp::Length(_) | Exp::Base(_) => U32,
            Exp::Un(_, a) => self.type_of(a),
            Exp::Bin(op, ab) => match self.type_of(&ab[0]) {
                Ty::Scalar(sc) => Ty::Scalar(scalar::result(*op, sc).unwrap_or(sc)),
                ty => ty,
            },
            Exp::Select(parts) => self.type_of(&parts[1]),
            Exp::Cast(to, _) | Exp::Bitcast(to, _) => Ty::Scalar(*to),
            Exp::Make(made) => made.0.clone(),
            Exp::At(parts) => self.element(&self.type_of(&parts[0])),
            Exp::Field(a, k) => self.field(&self.type_of(a), *k).1,
            Exp::Load(place) => self.type_of_place(place).1,
            Exp::Ref(place) => {
                let (space, ty) = self.type_of_place(place);
                Ty::Ptr(space, Box::new(ty))
            }
            Exp::Block(element, _) => Ty::Block(*element),
        }
    }

    pub(super) fn type_of_place(&self, place: &Place) -> (Space, Ty) {
        match place {
            Place::Var(var) => match self.types.bound(*var) {
                Some(Bound::Place(space, ty)) => (space, ty.ty()),
                _ => unreachable!("validated: places are bound"),
            },
            Place::Deref(pointer) => match self.type_of(pointer) {
                Ty::Ptr(space, ty) => (space, *ty),
                _ => unreachable!("validated: pointers point"),
            },
            Place::Element(block, _) => match self.type_of(block) {
                Ty::Block(sc) => (Space::Storage, Ty::Scalar(sc)),
                _ => unreachable!("validated: blocks have elements"),
            },
            Place::At(inner, _) => {
                let (space, ty) = self.type_of_place(inner);
                (space, self.element(&ty))
            }
            Place::Field(inner, k) => {
                let (space, ty) = self.type_of_place(inner);
                (space, self.field(&ty, *k).1)
            }
        }
    }

    /// The type of elements of an array or vector.
    pub(super) fn element(&self, ty: &Ty) -> Ty {
        match ty {
            Ty::Array(part, _) => (**part).clone(),
            Ty::Vector(sc, _) => Ty::Scalar(*sc),
            _ => unreachable!("validated: only arrays and vectors have elements"),
        }
    }

    /// First cell and type of a field.
    pub(super) fn field(&self, ty: &Ty, k: u32) -> (u32, Ty) {
        let Ty::Struct(number) = ty else { unreachable!("validated: only structures have fields") };
        let fields = &self.types.program.structs[*number as usize].fields;
        let before = fields[..k as usize].iter().map(|(_, ty)| self.cells(ty)).sum();
        (before, fields[k as usize].1.clone())
    }
}
