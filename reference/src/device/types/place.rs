//! `Γ ⊢ place : ref(space, τ)`: the type rules of places, a function each.

use super::{Bound, Context, Found, Typed, Types, wrong, wrong_with};
use crate::device::rules::{NO_PLACE, Rule};
use crate::device::syntax::{Exp, Place, Sc, Space, Ty};
use crate::kit::names::Var;

impl<'p> Types<'p> {
    /// `Γ ⊢ place : ref(space, τ)`
    ///
    /// # Errors
    /// The first premise that fails.
    pub fn place<'e>(&mut self, place: &'e Place) -> Found<(Space, Typed<'e>)>
    where
        'p: 'e,
    {
        match place {
            Place::Var(var) => self.t_place(*var),
            Place::Deref(pointer) => self.t_deref(pointer),
            Place::Element(block, index) => self.t_element(block, index),
            Place::At(inner, index) => {
                let (space, ty) = self.place(inner)?;
                Ok((space, self.t_at(ty, index)?))
            }
            Place::Field(inner, k) => {
                let (space, ty) = self.place(inner)?;
                Ok((space, self.t_field(ty, *k)?))
            }
        }
    }

    /// `D-T-PLACE`
    ///
    /// ```text
    /// x : ref(space, τ) ∈ Γ                                                       (place)
    /// space is not workgroup, or x stands in no parallel loop of the host           (group)
    /// ───────────────────────────────────────────────────────────────────────────────
    /// Γ ⊢ x : ref(space, τ)
    /// ```
    ///
    /// How many iterations of such a loop make a work group is not said.
    fn t_place(&mut self, var: Var) -> Found<(Space, Typed<'p>)> {
        self.by(Rule::TPlace);
        match self.bound(var) {
            Some(Bound::Place(Space::Workgroup, _)) if self.context == Context::HostPar => {
                let name = self.program.names.written(var);
                let message = format!("`{name}` is a work group's, and here is none");
                wrong(Rule::TPlace, "group", message)
            }
            Some(Bound::Place(space, ty)) => Ok((space, ty)),
            Some(Bound::Value(_)) => {
                let name = self.program.names.written(var);
                wrong_with(
                    Rule::TPlace,
                    "place",
                    format!("`{name}` is a value, not a place"),
                    NO_PLACE,
                )
            }
            None => self.unbound(var),
        }
    }

    /// `D-T-DEREF`
    ///
    /// ```text
    /// Γ ⊢ e : ptr[space, τ]                      (type)
    /// ─────────────────────────────────────────────────
    /// Γ ⊢ *e : ref(space, τ)
    /// ```
    fn t_deref<'e>(&mut self, pointer: &'e Exp) -> Found<(Space, Typed<'e>)>
    where
        'p: 'e,
    {
        self.by(Rule::TDeref);
        match self.exp(pointer)? {
            Typed::Ptr(space, ty) => Ok((space, Typed::of(ty))),
            ty => wrong(Rule::TDeref, "type", format!("{} is no pointer", self.said(ty))),
        }
    }

    /// `D-T-ELEMENT`
    ///
    /// ```text
    /// Γ ⊢ b : block[T]      Γ ⊢ e : i32, u32 or i64      (type)
    /// ─────────────────────────────────────────────────────────
    /// Γ ⊢ b.[e] : ref(storage, T)
    /// ```
    ///
    /// T is a scalar or an atomic.
    fn t_element<'e>(&mut self, block: &'e Exp, index: &'e Exp) -> Found<(Space, Typed<'e>)>
    where
        'p: 'e,
    {
        self.by(Rule::TElement);
        match (self.exp(block)?, self.exp(index)?) {
            (Typed::Block(element), Typed::Scalar(Sc::I32 | Sc::U32 | Sc::I64)) => {
                Ok((Space::Storage, Typed::element(element)))
            }
            (block, index) => {
                let mut message =
                    format!("no index of {} into {}", self.said(index), self.said(block));
                if matches!(block, Typed::Other(Ty::Array(..) | Ty::Vector(..))) {
                    message.push_str(": an element of an array or vector is written `e[i]`");
                }
                wrong(Rule::TElement, "type", message)
            }
        }
    }
}
