//! Rows of places in arithmetic progression: what is visited of an array or a block at once.

use smallvec::SmallVec;

/// A dimension: how many, and how far apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) count: i64,
    pub(crate) stride: i64,
}

/// The places `first + ∑ kᵢ · strideᵢ` with `0 ≤ kᵢ < countᵢ`, the last dimension quickest, in as
/// few rows as show.
pub(crate) fn rows(
    first: i64,
    dims: impl DoubleEndedIterator<Item = Step>,
    mut visit: impl FnMut(Row),
) {
    // Innermost first. A dimension that goes on where the one inside it ends is one with it.
    let mut apart: SmallVec<[Step; 4]> = SmallVec::new();
    for dim in dims.rev() {
        match apart.last_mut() {
            _ if dim.count == 0 => return,
            _ if dim.count == 1 => {}
            Some(inner) if dim.stride == inner.count.wrapping_mul(inner.stride) => {
                inner.count = inner.count.wrapping_mul(dim.count);
            }
            _ => apart.push(dim),
        }
    }
    match apart.as_slice() {
        [] => visit(Row { first, count: 1, stride: 1 }),
        [inner, outer @ ..] => go(first, *inner, outer, &mut visit),
    }
}

/// Does each stride lead beyond all that the dimensions before it reach? Then different indices are
/// different places.
pub(crate) fn each_beyond(mut dims: impl Iterator<Item = Step>) -> bool {
    let mut reach: i128 = 0;
    dims.all(|Step { count, stride }| {
        let stride = i128::from(stride).abs();
        let beyond = stride > reach;
        reach += (i128::from(count) - 1) * stride;
        beyond
    })
}

fn go(first: i64, inner: Step, outer: &[Step], visit: &mut impl FnMut(Row)) {
    match outer {
        [] => visit(Row { first, count: inner.count, stride: inner.stride }),
        [rest @ .., step] => {
            let each = Row { first, count: step.count, stride: step.stride };
            each.places().for_each(|at| go(at as i64, inner, rest, visit));
        }
    }
}

/// `count` places, the next one `stride` after the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) first: i64,
    pub(crate) count: i64,
    pub(crate) stride: i64,
}

impl Row {
    /// The places, in order.
    #[inline]
    pub(crate) fn places(self) -> impl Iterator<Item = usize> {
        // One step beyond the last place may leave the numbers.
        let mut at = self.first;
        (0..self.count).map(move |_| {
            let place = at as usize;
            at = at.wrapping_add(self.stride);
            place
        })
    }

    /// The places, if each follows on the one before.
    #[inline]
    fn range(self) -> Option<std::ops::Range<usize>> {
        let first = self.first as usize;
        (self.stride == 1).then(|| first..first + self.count as usize)
    }

    /// Adds the elements at these places to `to`.
    #[inline]
    pub(crate) fn gather(self, from: &[i32], to: &mut Vec<i32>) {
        match self.range() {
            Some(range) => to.extend_from_slice(&from[range]),
            None => to.extend(self.places().map(|at| from[at])),
        }
    }

    /// Writes elements to these places: the first ones of `from`, which are taken off it.
    ///
    /// # Panics
    /// If there are not enough.
    #[inline]
    pub(crate) fn scatter(self, from: &mut &[i32], to: &mut [i32]) {
        let (elements, rest) = from.split_at(self.count as usize);
        *from = rest;
        match self.range() {
            Some(range) => to[range].copy_from_slice(elements),
            None => self.places().zip(elements).for_each(|(at, &element)| to[at] = element),
        }
    }

    /// Writes `element` to each of these places.
    #[inline]
    pub(crate) fn fill(self, element: i32, to: &mut [i32]) {
        match self.range() {
            Some(range) => to[range].fill(element),
            None => self.places().for_each(|at| to[at] = element),
        }
    }
}
