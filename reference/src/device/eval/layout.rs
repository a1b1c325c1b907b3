//! How values lie in cells: scalars and pointers take one, blocks two, and what is made of parts
//! the cells of its parts in a row.

use crate::device::globals::Globals;
use crate::device::syntax::{Program, Ty};
use crate::device::types::{Typed, Types};

/// The types of a program, with the cells of their values.
pub(super) struct Layout<'p> {
    pub(super) types: Types<'p>,
    pub(super) globals: Globals<'p>,
    /// For each structure, the cells before each of its fields, and all of them.
    before: Vec<Vec<u32>>,
}

impl<'p> Layout<'p> {
    /// The layout of a valid program.
    pub(super) fn of(program: &'p Program) -> Self {
        let types = Types::of(program);
        let before = program.structs.iter().map(|declared| {
            let ends = declared.fields.iter().scan(0, |end, (_, ty)| {
                *end += types.cells(ty) as u32;
                Some(*end)
            });
            std::iter::once(0).chain(ends).collect()
        });
        let before = before.collect();
        Self { types, globals: Globals::of(program), before }
    }

    pub(super) fn program(&self) -> &'p Program {
        self.types.program
    }

    /// The cells of a value.
    #[inline]
    pub(super) fn cells(&self, ty: Typed<'_>) -> u32 {
        match ty {
            Typed::Scalar(_) | Typed::Ptr(..) => 1,
            Typed::Block(_) => 2,
            Typed::Other(ty) => self.types.cells(ty) as u32,
        }
    }

    /// An element of an array or vector: how many there are, and their type.
    #[inline]
    pub(super) fn element<'t>(&self, ty: Typed<'t>) -> (u32, Typed<'t>) {
        match ty {
            Typed::Other(Ty::Array(part, n)) => (*n, Typed::of(part)),
            Typed::Other(Ty::Vector(sc, n)) => (u32::from(*n), Typed::Scalar(*sc)),
            _ => unreachable!("validated: only arrays and vectors have elements"),
        }
    }

    /// A field of a structure: the cells before it, and its type.
    pub(super) fn field(&self, ty: Typed<'_>, field: u32) -> (u32, Typed<'p>) {
        let Typed::Other(Ty::Struct(number)) = ty else {
            unreachable!("validated: only structures have fields")
        };
        let (number, field) = (*number as usize, field as usize);
        let (_, ty) = &self.program().structs[number].fields[field];
        (self.before[number][field], Typed::of(ty))
    }
}
