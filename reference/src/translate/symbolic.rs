//! Scalar expressions and LMADs as the translations build them: sums and products with the
//! constants folded, and the index functions of derived arrays (eqs. 1 to 3, with reading
//! FUNMEM 1).

use crate::fun::syntax::{Atom, Dim, Se};
use crate::funmem::syntax::{Lmad, LmadDim};
use crate::kit::scalar::BinOp;
use smallvec::SmallVec;

/// The constant that `se` is, if it is one.
pub(super) fn constant(se: &Se) -> Option<i32> {
    match se {
        Se::Atom(Atom::Const(k)) => Some(*k),
        _ => None,
    }
}

/// `a ⊕ b`, where constants meet only if the result is the same modulo 2³² and exactly.
fn fold(op: BinOp, a: Se, b: Se) -> Se {
    if let (Some(a), Some(b)) = (constant(&a), constant(&b)) {
        let exact = match op {
            BinOp::Add => a.checked_add(b),
            BinOp::Sub => a.checked_sub(b),
            BinOp::Mul => a.checked_mul(b),
            BinOp::Max => Some(a.max(b)),
            _ => None,
        };
        if let Some(k) = exact {
            return k.into();
        }
    }
    Se::bin(op, a, b)
}

/// `a + b`
pub(super) fn add(a: Se, b: Se) -> Se {
    match (constant(&a), constant(&b)) {
        (Some(0), _) => b,
        (_, Some(0)) => a,
        _ => fold(BinOp::Add, a, b),
    }
}

/// `a - b`
pub(super) fn sub(a: Se, b: Se) -> Se {
    match constant(&b) {
        Some(0) => a,
        _ => fold(BinOp::Sub, a, b),
    }
}

/// `a * b`
pub(super) fn mul(a: Se, b: Se) -> Se {
    match (constant(&a), constant(&b)) {
        (Some(0), _) | (_, Some(1)) => a,
        (_, Some(0)) | (Some(1), _) => b,
        _ => fold(BinOp::Mul, a, b),
    }
}

/// `max(0, a)`, which is `a` where that shows.
pub(super) fn at_least_zero(a: Se) -> Se {
    if shows_not_negative(&a) { a } else { fold(BinOp::Max, 0.into(), a) }
}

/// Does the form of the expression show that its exact value is not negative?
pub(super) fn shows_not_negative(a: &Se) -> bool {
    match a {
        Se::Bin(BinOp::Max, ab) => ab.iter().any(shows_not_negative),
        Se::Bin(BinOp::Mul, ab) => ab.iter().all(shows_not_negative),
        _ => constant(a).is_some_and(|k| k >= 0),
    }
}

/// `∏ max(0, zᵢ)`: how many elements an array of this shape has, in an order that names the
/// outermost size first.
pub fn elements(shape: &[Atom]) -> Se {
    shape.iter().map(|&size| at_least_zero(size.into())).reduce(mul).unwrap_or(1.into())
}

/// How many operators and operands.
pub(super) fn size(se: &Se) -> usize {
    match se {
        Se::Atom(_) => 1,
        Se::Bin(_, ab) => 1 + ab.iter().map(size).sum::<usize>(),
    }
}

/// `L(y₁, …, yₙ) = se + ∑ (yᵢ - 1) · sᵢ` (eq. 1).
pub(super) fn apply(lmad: &Lmad, index: &[Atom]) -> Se {
    index.iter().zip(&lmad.dims).fold(lmad.offset.clone(), |sum, (&y, dim)| {
        add(sum, mul(sub(y.into(), 1.into()), dim.stride.clone()))
    })
}

/// `slice_f(L, [y : z : t, …])` (eq. 2, with strides): offset `L(y₁, …, yₙ)`, extents `zᵢ`,
/// strides `tᵢ · sᵢ`.
pub(super) fn slice(lmad: &Lmad, slice: &[Dim]) -> Lmad {
    let offsets: SmallVec<[Atom; 4]> = slice.iter().map(|dim| dim.offset).collect();
    let dims = slice.iter().zip(&lmad.dims).map(|(by, dim)| LmadDim {
        extent: by.size,
        stride: mul(by.stride.into(), dim.stride.clone()),
    });
    Lmad { offset: apply(lmad, &offsets), dims: dims.collect() }
}

/// The LMAD of the transposed array.
pub(super) fn transpose(lmad: &Lmad) -> Lmad {
    let mut dims = lmad.dims.clone();
    dims.swap(0, 1);
    Lmad { offset: lmad.offset.clone(), dims }
}
