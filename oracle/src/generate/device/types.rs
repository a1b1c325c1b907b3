//! Types: structures, and what variables are of.

use super::scope::Making;
use reference::device::syntax::{Sc, Struct, Ty};
use reference::kit::text::Span;

impl Making<'_, '_> {
    /// Declares up to two structures.
    pub(super) fn structures(&mut self) {
        for number in 0..self.draw.weighed(&[5, 4, 2]) {
            let fields = 1 + self.draw.below(3);
            let fields = (0..fields).map(|at| {
                let name = char::from(b'a' + at as u8).to_string();
                (name, self.storable(2))
            });
            let fields = fields.collect();
            self.program.structs.push(Struct {
                name: format!("S{number}"),
                fields,
                span: Span::default(),
            });
        }
    }

    /// A scalar type that this program has.
    pub(super) fn scalar_type(&mut self) -> Sc {
        match self.draw.weighed(&[6, 5, 1, 3, 3]) {
            1 => Sc::U32,
            2 => Sc::Bool,
            3 if self.floats => self.float_type(),
            4 if self.wide => Sc::I64,
            _ => Sc::I32,
        }
    }

    /// A type of floats that this program has.
    pub(super) fn float_type(&mut self) -> Sc {
        if self.doubles && self.draw.chance(50) { Sc::F64 } else { Sc::F32 }
    }

    /// The type of elements of a block.
    pub(super) fn element(&mut self) -> Sc {
        match self.scalar_type() {
            Sc::Bool => Sc::I32,
            sc => sc,
        }
    }

    /// A type of i32 or u32.
    pub(super) fn integer(&mut self) -> Sc {
        if self.draw.chance(50) { Sc::I32 } else { Sc::U32 }
    }

    /// A vector of a type that vectors have.
    pub(super) fn vector(&mut self) -> Ty {
        let sc = match self.element() {
            Sc::I64 | Sc::F64 => Sc::I32,
            sc => sc,
        };
        Ty::Vector(sc, 2 + self.draw.below(3) as u8)
    }

    /// The type of a variable; arrays and structures are nested so deep.
    pub(super) fn storable(&mut self, depth: u32) -> Ty {
        let structs = self.program.structs.len();
        match self.draw.weighed(&[6, 3, if depth > 0 { 3 } else { 0 }, 3 * structs.min(1) as u32]) {
            1 => self.vector(),
            2 => {
                let part = self.storable(depth - 1);
                Ty::Array(Box::new(part), 1 + self.draw.below(4) as u32)
            }
            3 => Ty::Struct(self.draw.below(structs) as u32),
            _ => Ty::Scalar(self.scalar_type()),
        }
    }

    /// How many scalars a value has.
    pub(super) fn cells(&self, ty: &Ty) -> u32 {
        match ty {
            Ty::Vector(_, n) => u32::from(*n),
            Ty::Array(part, n) => self.cells(part) * n,
            Ty::Struct(k) => {
                let fields = &self.program.structs[*k as usize].fields;
                fields.iter().map(|(_, ty)| self.cells(ty)).sum()
            }
            _ => 1,
        }
    }

    /// Is there a part of type `part` in values of `ty`, or are they of that type?
    pub(super) fn has(&self, ty: &Ty, part: &Ty) -> bool {
        ty == part
            || match ty {
                Ty::Vector(sc, _) => *part == Ty::Scalar(*sc),
                Ty::Array(inner, _) => self.has(inner, part),
                Ty::Struct(k) => {
                    let fields = &self.program.structs[*k as usize].fields;
                    fields.iter().any(|(_, ty)| self.has(ty, part))
                }
                _ => false,
            }
    }
}
