//! The auxiliary functions of fig. 5 on rectangular arrays, which stand as a shape and their
//! elements row-major. Their preconditions are premises of the rules, tested by
//! [`locate`] and [`check_slice`].

use crate::kit::outcome::{Cause, holds};
use crate::kit::row::{self, Row, Step};
use smallvec::SmallVec;

/// One dimension of a slice, evaluated: element `k`, from 1, is `offset + (k - 1) * stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) offset: i32,
    pub(crate) size: i32,
    pub(crate) stride: i32,
}

/// `index(v, k₁, …, kₙ)`: where the element stands among the elements of `v`; or, where the
/// premise of E-INDEX fails, the operands of the first dimension that does, from left to right.
#[inline]
pub(crate) fn locate(shape: &[usize], index: impl Iterator<Item = i32>) -> Result<usize, [i64; 2]> {
    let mut at = 0;
    for (index, &extent) in index.zip(shape) {
        let operands = [i64::from(index), extent as i64];
        if !holds(Cause::Index, &operands) {
            return Err(operands);
        }
        at = at * extent + (index as usize - 1);
    }
    Ok(at)
}

/// The premise of E-SLICE and E-UPDATE, likewise.
pub(crate) fn check_slice(
    extents: impl Iterator<Item = i64>,
    slice: &[Cut],
) -> Result<(), [i64; 4]> {
    for (extent, cut) in extents.zip(slice) {
        let operands = [cut.offset.into(), cut.size.into(), cut.stride.into(), extent];
        if !holds(Cause::Slice, &operands) {
            return Err(operands);
        }
    }
    Ok(())
}

/// The places of `slice(v, k₁, …)` among the elements of `v`, in row-major order of the slice.
/// Reading FUN 2: the sizes are sizes, not last indices.
pub(crate) fn rows(shape: &[usize], slice: &[Cut], mut visit: impl FnMut(Row)) {
    if let &[Cut { offset, size, stride }] = slice {
        if size > 0 {
            let (first, count) = (i64::from(offset) - 1, i64::from(size));
            visit(Row { first, count, stride: stride.into() });
        }
        return;
    }
    let mut first = 0;
    let mut inner: i64 = 1;
    let mut steps: SmallVec<[Step; 4]> = SmallVec::new();
    for (cut, &extent) in slice.iter().zip(shape).rev() {
        let offset = (i64::from(cut.offset) - 1).wrapping_mul(inner);
        first = i64::wrapping_add(first, offset);
        let stride = i64::from(cut.stride).wrapping_mul(inner);
        steps.push(Step { count: cut.size.into(), stride });
        inner = inner.wrapping_mul(extent as i64);
    }
    row::rows(first, steps.into_iter().rev(), visit);
}

/// `slice(v, k₁, …)`.
pub(crate) fn slice(shape: &[usize], data: &[i32], slice: &[Cut]) -> Vec<i32> {
    let sizes = slice.iter().map(|cut| cut.size as usize);
    let mut out = Vec::with_capacity(sizes.fold(1, usize::saturating_mul).min(data.len()));
    rows(shape, slice, |row| row.gather(data, &mut out));
    out
}

/// `tr(v)` of a matrix of `rows` and `columns`.
pub(crate) fn tr(rows: usize, columns: usize, data: &[i32]) -> Vec<i32> {
    let mut out = Vec::with_capacity(data.len());
    for column in 0..columns {
        let column = Row { first: column as i64, count: rows as i64, stride: columns as i64 };
        column.gather(data, &mut out);
    }
    out
}

/// `v with [slice] = w`, where `w` has the sizes of the slice, or fills it.
pub(crate) fn update(shape: &[usize], data: &mut [i32], slice: &[Cut], value: Source) {
    match value {
        Source::Fill(k) => rows(shape, slice, |row| row.fill(k, data)),
        Source::Elements(mut elements) => {
            rows(shape, slice, |row| row.scatter(&mut elements, data));
        }
    }
}

/// What an update writes.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    /// The same int everywhere.
    Fill(i32),
    /// Elements in row-major order.
    Elements(&'a [i32]),
}
