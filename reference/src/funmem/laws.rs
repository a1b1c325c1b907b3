//! Laws of FUNMEM's memory functions, executable: equations 1 to 3 and what the rules rely on.
//!
//! | law | says |
//! |---|---|
//! | [`slice_applies`] | `slice_f(L, [o : n : s])(y) = L(o + (y - 1) s)` |
//! | [`index_applies`] | `index_f(L, k)(y₂, …) = L(k, y₂, …)` |
//! | [`transpose_applies`] | the transposed LMAD has its indices in the other order |
//! | [`row_major_covers`] | `R(k̄)` maps its domain one to one onto the cells of a block |
//! | [`same_is_same`] | two LMADs are the same if all their addresses are |
//! | [`written_is_same`] | an LMAD is what is written where it is the same as its value |
//! | [`bounds_bound`] | every address lies within the bounds, which are reached |
//! | [`surely_injective_is`] | what is called injective is |

use super::memory::{Dim, Lmad};
use super::syntax::{self, LmadDim};
use crate::fun::arrays::Cut;
use crate::fun::syntax::{Atom, Se};

/// Every index of `dom(L)`, in row-major order.
fn domain(lmad: &Lmad) -> Vec<Vec<i32>> {
    lmad.dims().iter().fold(vec![Vec::new()], |prefixes, dim| {
        let grow = |prefix: Vec<i32>| {
            (1..=dim.extent as i32).map(move |y| {
                let mut index = prefix.clone();
                index.push(y);
                index
            })
        };
        prefixes.into_iter().flat_map(grow).collect()
    })
}

/// `img(L)`, an address for each index.
fn image(lmad: &Lmad) -> Vec<i128> {
    domain(lmad).into_iter().map(|index| lmad.apply(index.into_iter())).collect()
}

/// `slice_f(L, [o : n : s, …])(y, …) = L(o + (y - 1) s, …)`
pub fn slice_applies(lmad: &Lmad, ranges: &[(i32, i32, i32)]) -> bool {
    let cuts: Vec<Cut> = ranges
        .iter()
        .map(|&(offset, size, stride)| Cut { offset, size: size.max(0), stride })
        .collect();
    let part = lmad.slice(&cuts);
    cuts.len() != lmad.dims().len()
        || domain(&part).into_iter().all(|index| {
            let source = index.iter().zip(&cuts).map(|(y, cut)| cut.offset + (y - 1) * cut.stride);
            part.apply(index.iter().copied()) == lmad.apply(source)
        })
}

/// `index_f(L, k)(y₂, …, yₙ) = L(k, y₂, …, yₙ)`
pub fn index_applies(lmad: &Lmad, k: i32) -> bool {
    if lmad.dims().is_empty() {
        return true;
    }
    let row = lmad.index(k);
    domain(&row).into_iter().all(|index| {
        row.apply(index.iter().copied()) == lmad.apply(std::iter::once(k).chain(index))
    })
}

/// For rank 2, the transposed LMAD at `(j, i)` is the LMAD at `(i, j)`.
pub fn transpose_applies(lmad: &Lmad) -> bool {
    lmad.dims().len() != 2
        || domain(lmad).into_iter().all(|index| {
            lmad.transpose().apply(index.iter().rev().copied()) == lmad.apply(index.into_iter())
        })
}

/// The addresses of `R(k̄)`, in row-major order of the indices, are 0, 1, 2, …
pub fn row_major_covers(shape: &[usize]) -> bool {
    let lmad = Lmad::row_major(shape);
    let length = shape.iter().product();
    image(&lmad).into_iter().eq(0..length as i128) && lmad.covers(length) && lmad.fits(length)
}

/// [`Lmad::same`] holds exactly where the domains are equal and every address is.
pub fn same_is_same(a: &Lmad, b: &Lmad) -> bool {
    let extents = |lmad: &Lmad| lmad.dims().iter().map(|dim| dim.extent).collect::<Vec<_>>();
    a.same(b) == (extents(a) == extents(b) && image(a) == image(b))
}

/// An LMAD is what an annotation says exactly where it is the same as what that evaluates to.
pub fn written_is_same(a: &Lmad, b: &Lmad) -> bool {
    let number = |k: i64| i32::try_from(k).expect("the numbers of a test are small");
    let dim = |dim: &Dim| LmadDim {
        extent: Atom::Const(number(dim.extent)),
        stride: Se::from(number(dim.stride)),
    };
    let offset = Se::from(number(b.offset()));
    let written = syntax::Lmad { offset, dims: b.dims().iter().map(dim).collect() };
    let no_name = |_| unreachable!("it has no names");
    a.is(&written, no_name) == Ok(a.same(b))
}

/// [`Lmad::bounds`] are the lowest and the highest address.
pub fn bounds_bound(lmad: &Lmad) -> bool {
    let image = image(lmad);
    lmad.bounds() == image.iter().min().copied().zip(image.iter().max().copied())
}

/// Where [`Lmad::is_surely_injective`] says so, no two indices share an address.
pub fn surely_injective_is(lmad: &Lmad) -> bool {
    let mut image = image(lmad);
    let all = image.len();
    image.sort_unstable();
    image.dedup();
    !lmad.is_surely_injective() || image.len() == all
}

/// An LMAD of an offset and (extent, stride) pairs.
pub fn lmad(offset: i64, dims: &[(i64, i64)]) -> Lmad {
    Lmad::new(offset, dims.iter().map(|&(extent, stride)| Dim { extent, stride }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use quickcheck::QuickCheck;

    fn some(offset: i8, dims: &[(u8, i8)]) -> Lmad {
        let dims: Vec<_> =
            dims.iter().take(4).map(|&(n, s)| (i64::from(n % 4), i64::from(s % 9))).collect();
        lmad(offset.into(), &dims)
    }

    #[test]
    fn hold() {
        fn of_one(offset: i8, dims: Vec<(u8, i8)>, k: i8, ranges: Vec<(i8, u8, i8)>) -> bool {
            let lmad = some(offset, &dims);
            let ranges: Vec<_> = ranges
                .iter()
                .map(|&(o, n, s)| (i32::from(o), i32::from(n % 4), i32::from(s)))
                .chain(std::iter::repeat((1, 2, 1)))
                .take(lmad.dims().len())
                .collect();
            slice_applies(&lmad, &ranges)
                && index_applies(&lmad, k.into())
                && transpose_applies(&lmad)
                && bounds_bound(&lmad)
                && surely_injective_is(&lmad)
                && same_is_same(&lmad, &lmad.clone())
                && written_is_same(&lmad, &lmad.clone())
        }
        fn of_two(offset: bool, a: Vec<(u8, bool)>, b: Vec<(u8, bool)>) -> bool {
            // Few different ones, so that they are often the same.
            let dims = |dims: Vec<(u8, bool)>| -> Vec<(u8, i8)> {
                dims.into_iter().take(2).map(|(n, s)| (n % 3, i8::from(s))).collect()
            };
            let (a, b) = (some(offset.into(), &dims(a)), some(0, &dims(b)));
            same_is_same(&a, &b) && written_is_same(&a, &b)
        }
        fn of_shape(shape: Vec<u8>) -> bool {
            let shape: Vec<usize> = shape.into_iter().take(4).map(|n| (n % 5).into()).collect();
            row_major_covers(&shape)
        }
        type One = fn(i8, Vec<(u8, i8)>, i8, Vec<(i8, u8, i8)>) -> bool;
        type Two = fn(bool, Vec<(u8, bool)>, Vec<(u8, bool)>) -> bool;
        QuickCheck::new().tests(5_000).quickcheck(of_one as One);
        QuickCheck::new().tests(5_000).quickcheck(of_two as Two);
        QuickCheck::new().tests(1_000).quickcheck(of_shape as fn(Vec<u8>) -> bool);
    }

    /// Eq. 1 as printed runs out of the block: the last element of `R(2)` would be at 2.
    #[test]
    fn the_printed_equation_leaves_the_block() {
        let row_major = Lmad::row_major(&[2]);
        let printed = |y: i64| row_major.offset() + y * row_major.dims()[0].stride;
        assert_eq!(printed(2), 2);
        assert_eq!(row_major.apply(std::iter::once(2)), 1);
    }
}
