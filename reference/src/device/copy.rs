//! Copies of the host: what kernels that each copy one element would do, said in one statement, so that a
//! machine can do it in the way that is quickest there.

use super::syntax::Exp;
use crate::kit::text::Span;
use serde::{Deserialize, Serialize};

/// `copy (n₁, …) from b.[o] strides (s₁, …) to c.[p] strides (t₁, …)`: for all indices `i` with
/// `1 ≤ iₖ ≤ nₖ` the element `p + ∑ (iₖ - 1) · tₖ` of `c` becomes `o + ∑ (iₖ - 1) · sₖ` of `b`. It means
/// what nested kernels would, one for each size, the innermost of which copies one element; if some of
/// their threads get stuck, it does in the lowest index of these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Copy {
    /// How many elements, outermost first, at least one size.
    pub sizes: Vec<Size>,
    /// Where they are read.
    pub from: Strided,
    /// Where they are written.
    pub to: Strided,
}

impl Copy {
    /// `copy n from b.[o] to c.[p]`: elements in a row. Whatever fails of it fails at this span.
    pub fn in_a_row(span: Span, count: Exp, from: (Exp, Exp), to: (Exp, Exp)) -> Self {
        let row = |(block, offset)| Strided { span, block, offset, strides: vec![Exp::i32(1)] };
        Self { sizes: vec![Size { span, exp: count }], from: row(from), to: row(to) }
    }
}

/// A size of a copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// Where it stands: the place of a negative one.
    pub span: Span,
    /// An integer.
    pub exp: Exp,
}

/// `b.[o] strides (s₁, …)`: some elements of a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strided {
    /// Where it stands: the place of what lies outside the block.
    pub span: Span,
    /// The block.
    pub block: Exp,
    /// The first element.
    pub offset: Exp,
    /// How far apart they are, one for each size.
    pub strides: Vec<Exp>,
}
