//! Which types there are, which can be stored, and how large they are.

use super::{Found, Typed, Types, wrong};
use crate::device::rules::Rule;
use crate::device::syntax::{Element, Sc, Ty};

/// Most scalars in a value or variable.
pub const MAX_CELLS: u64 = 1 << 16;

impl Types<'_> {
    /// Is an atomic in it?
    pub(super) fn has_atomic(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Atomic(_) => true,
            Ty::Array(part, _) => self.has_atomic(part),
            _ => false,
        }
    }

    /// `D-T-TYPE`
    ///
    /// ```text
    /// τ is a scalar, a vector of 2 to 4 i32, u32 or f32, an array of n ≥ 1 values,
    ///   an earlier structure, an atomic i32 or u32, a block of atomics or of scalars but bool,
    ///   or a pointer to one of these, and has at most 65,536 scalars           (type)
    /// ───────────────────────────────────────────────────────────────────────────────
    /// ⊢ τ
    /// ```
    ///
    /// The bound is [`MAX_CELLS`].
    ///
    /// # Errors
    /// If it is not.
    pub(in crate::device) fn well_formed(&mut self, ty: &Ty) -> Found<()> {
        self.typed_well(Typed::of(ty))
    }

    /// The same of a type that was found.
    ///
    /// # Errors
    /// If it is not.
    pub(in crate::device) fn typed_well(&mut self, ty: Typed<'_>) -> Found<()> {
        self.by(Rule::TType);
        let good = match ty {
            Typed::Scalar(_) => return Ok(()),
            Typed::Block(element) => self.is_element(element),
            Typed::Ptr(_, Ty::Ptr(..)) => {
                return wrong(Rule::TType, "type", "pointers are not stored");
            }
            Typed::Ptr(_, to) => {
                self.well_formed(to)?;
                true
            }
            Typed::Other(Ty::Array(part, n)) => {
                if let Ty::Ptr(..) = **part {
                    return wrong(Rule::TType, "type", "pointers are not stored");
                }
                self.well_formed(part)?;
                *n >= 1
            }
            Typed::Other(Ty::Vector(sc, n)) => {
                matches!(sc, Sc::I32 | Sc::U32 | Sc::F32) && (2..=4).contains(n)
            }
            Typed::Other(Ty::Struct(k)) => (*k as usize) < self.program.structs.len(),
            Typed::Other(Ty::Atomic(sc)) => matches!(sc, Sc::I32 | Sc::U32),
            Typed::Other(Ty::Scalar(_) | Ty::Block(_) | Ty::Ptr(..)) => {
                unreachable!("these are no others")
            }
        };
        let small = match ty {
            Typed::Other(ty) => self.cells(ty) <= MAX_CELLS,
            _ => true,
        };
        if good && !small {
            let message = format!("{} has more than {MAX_CELLS} cells", self.said(ty));
            return wrong(Rule::TType, "type", message);
        }
        if !good {
            return wrong(Rule::TType, "type", format!("there is no {}", self.said(ty)));
        }
        Ok(())
    }

    /// Can blocks have such elements?
    pub(super) fn is_element(&self, element: Element) -> bool {
        match element {
            Element::Plain(sc) => sc != Sc::Bool,
            Element::Atomic(sc) => matches!(sc, Sc::I32 | Sc::U32),
        }
    }

    /// Can values of this type be stored in the function or private space?
    pub(in crate::device) fn storable(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Ptr(..) | Ty::Atomic(_) => false,
            Ty::Array(part, _) => self.storable(part),
            _ => true,
        }
    }

    /// How many scalars a value is made of; a block is two.
    pub fn cells(&self, ty: &Ty) -> u64 {
        match ty {
            Ty::Scalar(_) | Ty::Ptr(..) | Ty::Atomic(_) => 1,
            Ty::Vector(_, n) => u64::from(*n),
            Ty::Array(part, n) => self.cells(part).saturating_mul(u64::from(*n)),
            Ty::Struct(k) => self.structs.get(*k as usize).copied().unwrap_or(u64::MAX),
            Ty::Block(_) => 2,
        }
    }
}
