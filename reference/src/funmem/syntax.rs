//! Syntactic objects of FUNMEM (fig. 6): FUN's, with memory in the types and two more
//! expressions.

use crate::fun::syntax::{Atom, Dialect, Se};
use crate::kit::names::Var;
use crate::kit::scalar::BinOp;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub use crate::fun::syntax::{Binding, Body, Dim, Exp, Program, Stm};

/// The dialect FUNMEM.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunMem;

impl Dialect for FunMem {
    type Ty = MemTy;
    type Extra = MemExp;
}

/// Types `τ` of FUNMEM.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MemTy {
    /// `int`
    Int,
    /// `mem`, a block.
    Mem,
    /// `[x]⋯[x] @ x → L`. Shared, for a pass hands on most types as they are.
    Array(Arc<ArrayTy>),
}

impl From<ArrayTy> for MemTy {
    fn from(ty: ArrayTy) -> Self {
        MemTy::Array(Arc::new(ty))
    }
}

/// `[x]⋯[x] @ x → L`: shape, block and index function. Memory is not part of the value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ArrayTy {
    /// Sizes, outermost first; at least one.
    pub shape: Vec<Atom>,
    /// The block.
    pub block: Var,
    /// The index function.
    pub lmad: Lmad,
}

/// An LMAD `se + {(x : se) ⋯ (x : se)}`. Index `y₁ … yₙ`, from 1, is at offset
/// `se + ∑ (yᵢ - 1) · sᵢ` of the block, from 0 (reading FUNMEM 1). Its expressions are evaluated
/// exactly, not modulo 2³².
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Lmad {
    /// Offset of the first element.
    pub offset: Se,
    /// Extent and stride of each dimension. The extents are the array's sizes.
    pub dims: Vec<LmadDim>,
}

/// `(x : se)`, extent and stride of one dimension.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LmadDim {
    /// How many elements.
    pub extent: Atom,
    /// Distance between two of them; may be zero or negative.
    pub stride: Se,
}

impl Lmad {
    /// `R(x₁, …, xₙ)`: row-major over a whole block.
    pub fn row_major(shape: &[Atom]) -> Self {
        let mut dims = Vec::with_capacity(shape.len());
        let mut stride: Option<Se> = None;
        for &extent in shape.iter().rev() {
            let here = stride.clone().unwrap_or(Se::from(1));
            dims.push(LmadDim { extent, stride: here });
            stride = Some(match stride {
                None => extent.into(),
                Some(inner) => Se::bin(BinOp::Mul, extent, inner),
            });
        }
        dims.reverse();
        Self { offset: Se::from(0), dims }
    }
}

/// Expressions that FUN lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MemExp {
    /// `alloc se`: a block of `se` zeros.
    Alloc(Se),
    /// `copy x`: one memcopy into the array of the pattern (reading FUNMEM 9).
    Copy(Var),
}
