//! `M; E ⊢ place ⇓ r`: the rules of places, a function each.

use super::step::Thread;
use super::values::{Eval, Ref, Val};
use crate::device::rules::Rule;
use crate::device::scalar::Cell;
use crate::device::syntax::{Element, Exp, Place, Space, Ty};
use crate::device::types::{Bound, Typed};
use crate::kit::names::Var;
use std::ops::Range;

impl<'p> Thread<'_, '_, 'p> {
    /// `M; E ⊢ place ⇓ r`
    pub(super) fn place(&mut self, place: &'p Place) -> Eval<Ref<'p>> {
        match place {
            Place::Var(x) => Ok(self.d_place_var(*x)),
            Place::Deref(pointer) => self.d_deref(pointer),
            Place::Element(block, index) => self.d_element(block, index),
            Place::At(inner, index) => Ok(self.d_at(inner, index)?.1),
            Place::Field(inner, k) => self.d_field(inner, *k),
        }
    }

    /// `D-PLACE-VAR`
    ///
    /// ```text
    /// r is where x stands in its space
    /// ────────────────────────────────
    /// M; E ⊢ x ⇓ r
    /// ```
    #[inline]
    fn d_place_var(&mut self, x: Var) -> Ref<'p> {
        self.fire(Rule::PlaceVar);
        let slot = self.code.slot(x);
        match slot.bound {
            Bound::Place(space, ty) => Ref::At(space, slot.at, ty),
            Bound::Value(_) => unreachable!("validated: a place is bound"),
        }
    }

    /// `D-DEREF`
    ///
    /// ```text
    /// M; E ⊢ e ⇓ r
    /// ─────────────────
    /// M; E ⊢ *e ⇓ r
    /// ```
    #[inline(never)]
    fn d_deref(&mut self, pointer: &'p Exp) -> Eval<Ref<'p>> {
        self.fire(Rule::Deref);
        match self.exp(pointer)? {
            Val::Ptr(space, at, to) => Ok(Ref::At(space, at, Typed::of(to))),
            _ => unreachable!("validated: a pointer"),
        }
    }

    /// `D-ELEMENT`
    ///
    /// ```text
    /// M; E ⊢ e ⇓ a block b of n elements, all of them in M      M; E ⊢ e' ⇓ i
    /// 0 ≤ i < n                                                                  (inside)
    /// ───────────────────────────────────────────────────────────────────────
    /// M; E ⊢ e.[e'] ⇓ where bᵢ stands
    /// ```
    ///
    /// The premise is that of the access: a store evaluates its value before it is tested, an atomic its operands.
    /// An element of a block that is made up is in M if it lies in a block that was allocated.
    #[inline]
    fn d_element(&mut self, block: &'p Exp, index: &'p Exp) -> Eval<Ref<'p>> {
        self.fire(Rule::Element);
        let (element, base, length) = self.block(block)?;
        let index = self.scalar(index)?;
        Ok(Ref::Element { element, base, length, index })
    }

    /// The premise of `D-ELEMENT`: the word at which the element stands.
    #[inline]
    pub(super) fn inside(
        &mut self,
        element: Element,
        (base, length): (u32, u32),
        index: Cell,
    ) -> Eval<u32> {
        match self.shared.word(element, base, index, length) {
            Some(at) => Ok(at),
            None => Err(self.outside(Rule::Element, index, length)),
        }
    }

    /// `D-AT`, of a place
    ///
    /// ```text
    /// M; E ⊢ place ⇓ where (v₀, …, vₙ₋₁) stands      M; E ⊢ e ⇓ i      0 ≤ i < n   (inside)
    /// ───────────────────────────────────────────────────────────────────────
    /// M; E ⊢ place[e] ⇓ where vᵢ stands
    /// ```
    ///
    /// Answers with the place of the whole too.
    #[inline(never)]
    fn d_at(&mut self, inner: &'p Place, index: &'p Exp) -> Eval<(Ref<'p>, Ref<'p>)> {
        self.fire(Rule::At);
        let Ref::At(space, at, ty) = self.place(inner)? else {
            unreachable!("validated: blocks have scalars")
        };
        let (before, part) = self.index(ty, index)?;
        Ok((Ref::At(space, at, ty), Ref::At(space, at + before, part)))
    }

    /// A place to be stored to, and the cells of a vector of the work group of which it is a component.
    pub(super) fn target(&mut self, place: &'p Place) -> Eval<(Ref<'p>, Range<u32>)> {
        let Place::At(inner, index) = place else { return Ok((self.place(place)?, 0..0)) };
        let (whole, part) = self.d_at(inner, index)?;
        let vector = match whole {
            Ref::At(Space::Workgroup, at, Typed::Other(Ty::Vector(_, n))) => at..at + u32::from(*n),
            _ => 0..0,
        };
        Ok((part, vector))
    }

    /// `D-FIELD`, of a place
    ///
    /// ```text
    /// M; E ⊢ place ⇓ where (v₀, …, vₙ₋₁) stands
    /// ─────────────────────────────────────────
    /// M; E ⊢ place.fₖ ⇓ where vₖ stands
    /// ```
    #[inline(never)]
    fn d_field(&mut self, inner: &'p Place, k: u32) -> Eval<Ref<'p>> {
        self.fire(Rule::Field);
        let Ref::At(space, at, ty) = self.place(inner)? else {
            unreachable!("validated: blocks have scalars")
        };
        let (before, field) = self.shared.layout.field(ty, k);
        Ok(Ref::At(space, at + before, field))
    }
}
