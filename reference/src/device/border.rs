//! What a program is given and what it shows: its parameters and results.

use super::syntax::{Element, Exp, Sc, Ty};
use crate::kit::names::Var;
use crate::kit::nested::Nested;
use crate::kit::text::Span;
use serde::{Deserialize, Serialize};

/// A parameter of a program, bound as a host variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    /// The name.
    pub var: Var,
    /// What values it is given.
    pub given: Given,
}

/// The values that a parameter is given. The variable is of [`Sc::inside`], and `true` is 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Given {
    /// A scalar.
    Scalar(Sc),
    /// An array of such elements, which a block holds row-major. Its sizes are literals, earlier parameters of i32, and the
    /// length of the block itself for an array of any length.
    Array(Sc, Vec<Exp>),
    /// A nested value, whose [words](crate::kit::nested) a block of i32 holds and nothing else.
    Words(Nested),
}

impl Param {
    /// `x : T`
    pub fn scalar(var: Var, sc: Sc) -> Self {
        Self { var, given: Given::Scalar(sc) }
    }

    /// `x : T[n₁]⋯[nₖ]`
    pub fn array(var: Var, sc: Sc, shape: Vec<Exp>) -> Self {
        Self { var, given: Given::Array(sc, shape) }
    }

    /// An array of one dimension, as long as the user likes: `x : T[length(x)]`.
    pub fn of_any_length(var: Var, sc: Sc) -> Self {
        Self::array(var, sc, vec![Exp::Length(Box::new(Exp::Var(var)))])
    }

    /// The type of the variable.
    pub fn ty(&self) -> Ty {
        match &self.given {
            Given::Scalar(sc) => Ty::Scalar(sc.inside()),
            Given::Array(sc, _) => Ty::Block(Element::Plain(sc.inside())),
            Given::Words(_) => Ty::Block(Element::Plain(Sc::I32)),
        }
    }

    /// Is the variable a block?
    pub fn is_block(&self) -> bool {
        !matches!(self.given, Given::Scalar(_))
    }

    /// Is it an array of one dimension, as long as the user likes?
    pub fn is_of_any_length(&self) -> bool {
        match &self.given {
            Given::Array(_, shape) => match &shape[..] {
                [Exp::Length(of)] => **of == Exp::Var(self.var),
                _ => false,
            },
            Given::Scalar(_) | Given::Words(_) => false,
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
    /// A nested value, whose [words](crate::kit::nested) the block of i32 holds and nothing else.
    Words(Nested, Exp),
}

impl From<Shown> for Output {
    /// A result that was not parsed.
    fn from(shown: Shown) -> Self {
        Self { shown, span: Span::default() }
    }
}
