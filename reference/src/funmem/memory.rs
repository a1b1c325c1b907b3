//! LMADs as values, and the functions of section 3.1 on them: equations 1 to 3 as reading
//! FUNMEM 1 corrects them. Blocks count from 0, indices from 1.

use super::syntax;
use crate::fun::arrays::Cut;
use crate::fun::eval::scalar::{self, ZeroDivisor, clamp};
use crate::kit::names::Var;
use crate::kit::row::{self, Row, Step, each_beyond};
use smallvec::SmallVec;

/// Extent and stride of a dimension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dim {
    /// How many elements.
    pub extent: i64,
    /// Distance between two of them.
    pub stride: i64,
}

/// `k + {(k : k) ⋯ (k : k)}`: an LMAD that holds numbers only.
///
/// Offset and strides are clamped to 64 bits, which no address inside a block needs; addresses
/// are computed with more.
#[derive(Debug, Default)]
pub struct Lmad {
    offset: i64,
    /// Those of most arrays cost no allocation.
    dims: SmallVec<[Dim; 2]>,
}

impl Clone for Lmad {
    // Dimensions are words: copied as such, and not one by one.
    fn clone(&self) -> Self {
        Self { offset: self.offset, dims: SmallVec::from_slice(&self.dims) }
    }
}

impl Lmad {
    /// The LMAD with this offset and these dimensions, outermost first.
    pub fn new(offset: i64, dims: impl IntoIterator<Item = Dim>) -> Self {
        Self { offset, dims: dims.into_iter().collect() }
    }

    /// `R(k₁, …, kₙ)`
    pub fn row_major(shape: &[usize]) -> Self {
        let mut strides = vec![1i64; shape.len()];
        for at in (1..shape.len()).rev() {
            strides[at - 1] = strides[at].saturating_mul(shape[at] as i64);
        }
        let dims = shape.iter().zip(strides);
        Self::new(0, dims.map(|(&extent, stride)| Dim { extent: extent as i64, stride }))
    }

    /// `E(L)`, where `int` gives the values of names.
    ///
    /// # Errors
    /// A zero divisor; T-MEM-LMAD excludes it.
    pub fn eval(lmad: &syntax::Lmad, int: impl Fn(Var) -> i32 + Copy) -> Result<Self, ZeroDivisor> {
        let offset = scalar::exact(&lmad.offset, int)?;
        let mut dims = SmallVec::new();
        for dim in &lmad.dims {
            let extent = scalar::atom(dim.extent, int).into();
            dims.push(Dim { extent, stride: scalar::exact(&dim.stride, int)? });
        }
        Ok(Self { offset, dims })
    }

    /// Is this [the same](Lmad::same) as `E(L)`, where `int` gives the values of names?
    ///
    /// # Errors
    /// A zero divisor; T-MEM-LMAD excludes it.
    pub(crate) fn is(
        &self,
        lmad: &syntax::Lmad,
        int: impl Fn(Var) -> i32 + Copy,
    ) -> Result<bool, ZeroDivisor> {
        let dims = self.dims();
        let mut extents = dims.iter().zip(&lmad.dims);
        if dims.len() != lmad.dims.len()
            || !extents.all(|(dim, says)| dim.extent == i64::from(scalar::atom(says.extent, int)))
        {
            return Ok(false);
        }
        if self.is_empty() {
            return Ok(true);
        }
        if scalar::exact(&lmad.offset, int)? != self.offset {
            return Ok(false);
        }
        for (dim, says) in dims.iter().zip(&lmad.dims) {
            if dim.extent != 1 && scalar::exact(&says.stride, int)? != dim.stride {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Offset of the first element.
    pub fn offset(&self) -> i64 {
        self.offset
    }

    /// The dimensions, outermost first.
    #[inline]
    pub fn dims(&self) -> &[Dim] {
        &self.dims
    }

    /// `L(y)` of an LMAD of one dimension, if it is an offset: not negative, and not beyond 64
    /// bits.
    #[inline]
    pub fn place(&self, y: i32) -> Option<usize> {
        let [dim] = self.dims() else { unreachable!("an LMAD of one dimension") };
        let at = (i64::from(y) - 1).checked_mul(dim.stride)?.checked_add(self.offset)?;
        usize::try_from(at).ok()
    }

    /// `L(y₁, …, yₙ)`, eq. 1: `k + ∑ (yᵢ - 1) · sᵢ`.
    #[inline]
    pub fn apply(&self, index: impl Iterator<Item = i32>) -> i128 {
        let dims = self.dims().iter().zip(index);
        dims.fold(self.offset.into(), |at, (dim, y)| {
            at + (i128::from(y) - 1) * i128::from(dim.stride)
        })
    }

    /// `slice_f(L, [y₁ : z₁ : s₁, …])`, eq. 2, with strides.
    pub(crate) fn slice(&self, slice: &[Cut]) -> Self {
        let offset = self.apply(slice.iter().map(|cut| cut.offset));
        let mut sliced = Self { offset: clamp(offset), ..self.clone() };
        for (dim, cut) in sliced.dims.iter_mut().zip(slice) {
            let stride = dim.stride.saturating_mul(cut.stride.into());
            *dim = Dim { extent: cut.size.into(), stride };
        }
        sliced
    }

    /// `index_f(L, k)`, eq. 3: the outermost dimension is fixed.
    pub fn index(&self, k: i32) -> Self {
        let offset = self.apply(std::iter::once(k));
        Self { offset: clamp(offset), dims: SmallVec::from_slice(&self.dims()[1..]) }
    }

    /// The LMAD of the transposition of a matrix.
    pub fn transpose(&self) -> Self {
        let mut transposed = self.clone();
        transposed.dims.reverse();
        transposed
    }

    /// How many indices `dom(L)` holds; `None` if that is beyond any memory.
    pub fn elements(&self) -> Option<usize> {
        if self.is_empty() {
            return Some(0);
        }
        let mut extents = self.dims().iter().map(|dim| dim.extent as usize);
        extents.try_fold(1usize, usize::checked_mul)
    }

    /// Is `dom(L)` empty?
    pub fn is_empty(&self) -> bool {
        self.dims().iter().any(|dim| dim.extent == 0)
    }

    /// Are the domains equal, and the addresses of every index in them?
    pub fn same(&self, other: &Self) -> bool {
        let (mine, theirs) = (self.dims(), other.dims());
        mine.len() == theirs.len()
            && mine.iter().zip(theirs).all(|(a, b)| a.extent == b.extent)
            && (self.is_empty()
                || self.offset == other.offset
                    && mine.iter().zip(theirs).all(|(a, b)| a.extent == 1 || a.stride == b.stride))
    }

    /// The lowest and the highest address of `img(L)`; `None` if it is empty.
    pub fn bounds(&self) -> Option<(i128, i128)> {
        if self.is_empty() {
            return None;
        }
        let mut bounds = (i128::from(self.offset), i128::from(self.offset));
        for dim in self.dims() {
            let last = (i128::from(dim.extent) - 1) * i128::from(dim.stride);
            if last < 0 {
                bounds.0 += last;
            } else {
                bounds.1 += last;
            }
        }
        Some(bounds)
    }

    /// Is every address of `img(L)` inside a block of `length`?
    pub fn fits(&self, length: usize) -> bool {
        self.bounds().is_none_or(|(low, high)| 0 <= low && high < length as i128)
    }

    /// Do two different indices surely have different addresses? Each stride reaches beyond all
    /// that smaller strides reach together: sufficient, and true of what compilers make.
    pub fn is_surely_injective(&self) -> bool {
        if let [dim] = self.dims() {
            return dim.extent <= 1 || dim.stride != 0;
        }
        // Nearly always outer dimensions have the larger strides.
        let longer = self.dims().iter().filter(|dim| dim.extent > 1);
        let longer = longer.map(|dim| Step { count: dim.extent, stride: dim.stride });
        if each_beyond(longer.clone().rev()) {
            return true;
        }
        let mut dims: SmallVec<[_; 4]> = longer.collect();
        dims.sort_by_key(|dim| dim.stride.unsigned_abs());
        each_beyond(dims.into_iter())
    }

    /// Is it row-major over the whole of a block of `length`?
    pub fn covers(&self, length: usize) -> bool {
        let shape: Vec<usize> = self.dims().iter().map(|dim| dim.extent as usize).collect();
        self.elements() == Some(length) && self.same(&Self::row_major(&shape))
    }

    /// Every address of `img(L)`, in row-major order of the indices.
    ///
    /// # Panics
    /// If an address lies outside a block that [fits](Lmad::fits) would refuse.
    pub(crate) fn rows(&self, mut visit: impl FnMut(Row)) {
        if let &[Dim { extent: count, stride }] = self.dims() {
            if count > 0 {
                visit(Row { first: self.offset, count, stride });
            }
            return;
        }
        let steps = self.dims().iter().map(|dim| Step { count: dim.extent, stride: dim.stride });
        row::rows(self.offset, steps, visit);
    }

    /// Every address of `img(L)` and the address of the same index in `other`, in row-major order
    /// of the indices, as long as `visit` wants more.
    pub fn pairs<E>(
        &self,
        other: &Self,
        mut visit: impl FnMut(i128, i128) -> Result<(), E>,
    ) -> Result<(), E> {
        fn go<E>(
            dims: &[(Dim, Dim)],
            at: (i128, i128),
            visit: &mut impl FnMut(i128, i128) -> Result<(), E>,
        ) -> Result<(), E> {
            let Some(((a, b), rest)) = dims.split_first() else { return visit(at.0, at.1) };
            for k in 0..i128::from(a.extent) {
                let next = (at.0 + k * i128::from(a.stride), at.1 + k * i128::from(b.stride));
                go(rest, next, visit)?;
            }
            Ok(())
        }
        if self.is_empty() {
            return Ok(());
        }
        let dims: Vec<_> = self.dims().iter().copied().zip(other.dims().iter().copied()).collect();
        go(&dims, (self.offset.into(), other.offset.into()), &mut visit)
    }
}
