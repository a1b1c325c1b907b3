//! The types of expressions as they are found.

use crate::device::syntax::{BOOL, Element, F32, F64, Given, I32, I64, Param, Sc, Space, Ty, U32};

/// The type of an expression, of which no part is made: what is large is the program's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typed<'e> {
    /// A scalar.
    Scalar(Sc),
    /// A block.
    Block(Element),
    /// A pointer.
    Ptr(Space, &'e Ty),
    /// Any other.
    Other(&'e Ty),
}

impl<'e> Typed<'e> {
    /// The same type.
    #[inline]
    pub fn of(ty: &'e Ty) -> Self {
        match ty {
            Ty::Scalar(sc) => Typed::Scalar(*sc),
            Ty::Block(element) => Typed::Block(*element),
            Ty::Ptr(space, to) => Typed::Ptr(*space, to),
            other => Typed::Other(other),
        }
    }

    /// That of a parameter of a program.
    pub(in crate::device) fn of_param(param: &Param) -> Self {
        match &param.given {
            Given::Scalar(sc) => Typed::Scalar(sc.inside()),
            Given::Array(sc, _) => Typed::Block(Element::Plain(sc.inside())),
            Given::Words(_) => Typed::Block(Element::Plain(Sc::I32)),
        }
    }

    /// The type of a place that holds such an element.
    pub fn element(element: Element) -> Self {
        match element {
            Element::Plain(sc) => Typed::Scalar(sc),
            Element::Atomic(Sc::I32) => Typed::Other(&Ty::Atomic(Sc::I32)),
            Element::Atomic(_) => Typed::Other(&Ty::Atomic(Sc::U32)),
        }
    }

    /// The same type, in words of its own.
    pub fn ty(self) -> Ty {
        match self {
            Typed::Scalar(sc) => Ty::Scalar(sc),
            Typed::Block(element) => Ty::Block(element),
            Typed::Ptr(space, to) => Ty::Ptr(space, Box::new(to.clone())),
            Typed::Other(ty) => ty.clone(),
        }
    }

    /// Is it one that an array is indexed by?
    pub(super) fn is_index(self) -> bool {
        matches!(self, Typed::Scalar(Sc::I32 | Sc::U32))
    }

    /// What a pointer to it points to; pointers have none.
    pub(in crate::device) fn pointed(self) -> Option<&'e Ty> {
        use Element::{Atomic, Plain};
        Some(match self {
            Typed::Scalar(Sc::Bool) => &BOOL,
            Typed::Scalar(Sc::I32) => &I32,
            Typed::Scalar(Sc::U32) => &U32,
            Typed::Scalar(Sc::I64) => &I64,
            Typed::Scalar(Sc::F32) => &F32,
            Typed::Scalar(Sc::F64) => &F64,
            Typed::Block(Plain(Sc::I32)) => &Ty::Block(Plain(Sc::I32)),
            Typed::Block(Plain(Sc::U32)) => &Ty::Block(Plain(Sc::U32)),
            Typed::Block(Plain(Sc::I64)) => &Ty::Block(Plain(Sc::I64)),
            Typed::Block(Plain(Sc::F32)) => &Ty::Block(Plain(Sc::F32)),
            Typed::Block(Plain(Sc::F64)) => &Ty::Block(Plain(Sc::F64)),
            Typed::Block(Atomic(Sc::I32)) => &Ty::Block(Atomic(Sc::I32)),
            Typed::Block(Atomic(Sc::U32)) => &Ty::Block(Atomic(Sc::U32)),
            Typed::Block(element) => unreachable!("D-T-TYPE: no block has {element:?}"),
            Typed::Ptr(..) => return None,
            Typed::Other(ty) => ty,
        })
    }
}
