//! What a program is given and what it shows: its parameters and results.

use super::syntax::{Element, Exp, Sc, Ty};
use crate::kit::names::Var;
use crate::kit::text::Span;
use serde::{Deserialize, Serialize};

/// A parameter of a program, bound as a host variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    /// The name.
    pub var: Var,
    /// The type of the value that it is given, or of the elements of that. The variable is of
    /// [`Sc::inside`], and `true` is 1.
    pub sc: Sc,
    /// `None` for a scalar; for a block the sizes of the array that it holds, row-major: literals,
    /// earlier parameters of i32, and the length of the block itself for an array of any length.
    pub shape: Option<Vec<Exp>>,
}

impl Param {
    /// The type of the variable.
    pub fn ty(&self) -> Ty {
        let sc = self.sc.inside();
        if self.shape.is_some() { Ty::Block(Element::Plain(sc)) } else { Ty::Scalar(sc) }
    }

    /// Is it an array of one dimension, as long as the user likes: `param x : [length(x)]`?
    pub fn is_of_any_length(&self) -> bool {
        match self.shape.as_deref() {
            Some([Exp::Length(of)]) => **of == Exp::Var(self.var),
            _ => false,
        }
    }
}

/// A result of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// What is shown.
    pub shown: Shown,
    /// Where it stands.
    pub span: Span,
}

/// What a result shows, of some type: in the program it is of [`Sc::inside`], and a bool is
/// whether that is not 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shown {
    /// A scalar.
    Scalar(Sc, Exp),
    /// An array: what `block` holds at `offset + ∑ (yᵢ - 1) · sᵢ`; offset and strides are exact.
    Array {
        /// The type of the elements of the result.
        sc: Sc,
        /// A block.
        block: Exp,
        /// Sizes, outermost first, at least one; i32. A negative one is stuck.
        shape: Vec<Exp>,
        /// Offset of the first element.
        offset: Exp,
        /// One stride for each size.
        strides: Vec<Exp>,
    },
}

impl From<Shown> for Output {
    /// A result that was not parsed.
    fn from(shown: Shown) -> Self {
        Self { shown, span: Span::default() }
    }
}
