//! Laws of FUN, executable: the functions of fig. 5 as the paper prints them, on nested values,
//! and what holds between them and the flat arrays that the evaluator keeps.
//!
//! | law | says |
//! |---|---|
//! | [`nest_flatten`] | `flatten(nest(v, k̄)) = v` (reading FUN 3) |
//! | [`index_is_index`] | the evaluator's `index` is fig. 5's |
//! | [`slice_is_slice`] | the evaluator's `slice` is fig. 5's (reading FUN 2), with strides |
//! | [`tr_is_tr`] | the evaluator's `tr` is fig. 5's |
//! | [`tr_tr`] | `tr(tr(v)) = v` |
//! | [`index_of_slice`] | `slice(v, o : n : s)[k] = v[o + (k - 1) s]` |
//! | [`slice_of_slice`] | a slice of a slice is one slice |
//! | [`index_of_update`] | an update changes its slice and nothing else |

use super::arrays::{self, Cut, Source, check_slice, locate};

/// A value as fig. 1 has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nested {
    /// `k`
    Int(i32),
    /// `[v, …, v]`
    Array(Vec<Nested>),
}

/// A rectangular array as the evaluator keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flat {
    /// Extents, outermost first.
    pub shape: Vec<usize>,
    /// Elements, row-major.
    pub data: Vec<i32>,
}

/// One dimension of a slice: offset, size, stride.
pub type Range = (i32, i32, i32);

/// `nest(v, [k₁] ⋯ [kₙ])`: k₁ parts of equal length, each nested in its turn (reading FUN 3).
pub fn nest(data: &[i32], shape: &[usize]) -> Nested {
    let Some((&parts, rest)) = shape.split_first() else { return Nested::Int(data[0]) };
    let length = data.len().checked_div(parts).unwrap_or(0);
    Nested::Array((0..parts).map(|i| nest(&data[i * length..(i + 1) * length], rest)).collect())
}

/// The elements of a nested value in order: the inverse of [`nest`].
pub fn flatten(value: &Nested) -> Vec<i32> {
    match value {
        Nested::Int(k) => vec![*k],
        Nested::Array(parts) => parts.iter().flat_map(flatten).collect(),
    }
}

/// `index([v₁, …, vₘ], k₁, …, kₙ) = index(v_{k₁}, k₂, …, kₙ)`
fn index(value: &Nested, index: &[i32]) -> Option<i32> {
    match (value, index.split_first()) {
        (Nested::Int(k), None) => Some(*k),
        (Nested::Array(parts), Some((&k, rest))) => {
            let part = usize::try_from(k).ok()?.checked_sub(1).and_then(|at| parts.get(at))?;
            self::index(part, rest)
        }
        _ => None,
    }
}

/// `slice([v₁, …, vₘ], k₁, k₂, k₃, …) = [slice(v_{k₁}, k₃, …), …]`, k₂ of them.
fn slice(value: &Nested, ranges: &[Range]) -> Option<Nested> {
    match (value, ranges.split_first()) {
        (Nested::Int(k), None) => Some(Nested::Int(*k)),
        (Nested::Array(parts), Some((&(offset, size, stride), rest))) => {
            let part = |k| {
                let at = i64::from(offset) + i64::from(k) * i64::from(stride);
                let at = usize::try_from(at).ok()?.checked_sub(1)?;
                slice(parts.get(at)?, rest)
            };
            Some(Nested::Array((0..size).map(part).collect::<Option<_>>()?))
        }
        _ => None,
    }
}

/// `tr([[v₁₁, …, v₁ₙ], …, [vₘ₁, …, vₘₙ]])`; an empty matrix needs its columns said.
fn tr(value: &Nested, columns: usize) -> Option<Nested> {
    let Nested::Array(rows) = value else { return None };
    let column = |j: usize| {
        let element = |row: &Nested| match row {
            Nested::Array(row) => row.get(j).cloned(),
            Nested::Int(_) => None,
        };
        Some(Nested::Array(rows.iter().map(element).collect::<Option<_>>()?))
    };
    Some(Nested::Array((0..columns).map(column).collect::<Option<_>>()?))
}

fn cuts(ranges: &[Range]) -> Vec<Cut> {
    ranges.iter().map(|&(offset, size, stride)| Cut { offset, size, stride }).collect()
}

fn fits(array: &Flat, ranges: &[Range]) -> bool {
    ranges.len() == array.shape.len()
        && check_slice(array.shape.iter().map(|&extent| extent as i64), &cuts(ranges)).is_ok()
}

/// The slice that the evaluator takes, if its premise holds.
fn taken(array: &Flat, ranges: &[Range]) -> Option<Flat> {
    fits(array, ranges).then(|| Flat {
        shape: ranges.iter().map(|range| range.1 as usize).collect(),
        data: arrays::slice(&array.shape, &array.data, &cuts(ranges)),
    })
}

/// `flatten(nest(v, k̄)) = v`
pub fn nest_flatten(array: &Flat) -> bool {
    flatten(&nest(&array.data, &array.shape)) == array.data
}

/// The evaluator's `index` is fig. 5's, and gets stuck where that is not defined.
pub fn index_is_index(array: &Flat, at: &[i32]) -> bool {
    let found = locate(&array.shape, at.iter().copied()).ok().map(|at| array.data[at]);
    at.len() != array.shape.len() || found == index(&nest(&array.data, &array.shape), at)
}

/// The evaluator's `slice` is fig. 5's, and gets stuck where an element is outside.
pub fn slice_is_slice(array: &Flat, ranges: &[Range]) -> bool {
    let wanted = slice(&nest(&array.data, &array.shape), ranges);
    match taken(array, ranges) {
        Some(found) => wanted == Some(nest(&found.data, &found.shape)),
        // Fig. 5 does not look at what an empty slice leaves out.
        None => wanted.is_none() || ranges.iter().any(|range| range.1 <= 0),
    }
}

/// The evaluator's `tr` is fig. 5's; for matrices.
pub fn tr_is_tr(array: &Flat) -> bool {
    let &[rows, columns] = array.shape.as_slice() else { return true };
    let found = arrays::tr(rows, columns, &array.data);
    tr(&nest(&array.data, &array.shape), columns) == Some(nest(&found, &[columns, rows]))
}

/// `tr(tr(v)) = v`
pub fn tr_tr(array: &Flat) -> bool {
    let &[rows, columns] = array.shape.as_slice() else { return true };
    arrays::tr(columns, rows, &arrays::tr(rows, columns, &array.data)) == array.data
}

/// `slice(v, o : n : s)[k] = v[o + (k - 1) s]`, in each dimension.
pub fn index_of_slice(array: &Flat, ranges: &[Range], at: &[i32]) -> bool {
    let Some(part) = taken(array, ranges) else { return true };
    let Ok(found) = locate(&part.shape, at.iter().copied()) else { return true };
    let source = at.iter().zip(ranges).map(|(k, range)| range.0 + (k - 1) * range.2);
    at.len() != ranges.len()
        || locate(&array.shape, source).is_ok_and(|source| array.data[source] == part.data[found])
}

/// `slice(slice(v, o : n : s), p : m : t) = slice(v, o + (p - 1) s : m : s t)`
pub fn slice_of_slice(array: &Flat, first: &[Range], second: &[Range]) -> bool {
    let Some(two) = taken(array, first).and_then(|part| taken(&part, second)) else { return true };
    let joined: Vec<Range> =
        first.iter().zip(second).map(|(a, b)| (a.0 + (b.0 - 1) * a.2, b.1, a.2 * b.2)).collect();
    two.data.is_empty() || taken(array, &joined).is_some_and(|one| one == two)
}

/// An update with `k` writes `k` to each element of the slice and leaves the others.
pub fn index_of_update(array: &Flat, ranges: &[Range], k: i32) -> bool {
    if !fits(array, ranges) {
        return true;
    }
    let mut changed = array.data.clone();
    arrays::update(&array.shape, &mut changed, &cuts(ranges), Source::Fill(k));
    let mut places = Vec::new();
    arrays::rows(&array.shape, &cuts(ranges), |row| places.extend(row.places()));
    (0..changed.len())
        .all(|at| changed[at] == if places.contains(&at) { k } else { array.data[at] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use quickcheck::{Arbitrary, Gen, QuickCheck};

    fn small(gen_: &mut Gen, range: std::ops::Range<i32>) -> i32 {
        i32::arbitrary(gen_).rem_euclid(range.end - range.start) + range.start
    }

    impl Arbitrary for Flat {
        fn arbitrary(gen_: &mut Gen) -> Self {
            let rank = small(gen_, 1..4);
            let shape: Vec<usize> = (0..rank).map(|_| small(gen_, 0..5) as usize).collect();
            let elements = shape.iter().product();
            Flat { data: (0..elements).map(|_| i32::arbitrary(gen_)).collect(), shape }
        }
    }

    /// Ranges and indices near the extents of small arrays.
    #[derive(Clone, Debug)]
    struct Near(Vec<Range>);

    impl Arbitrary for Near {
        fn arbitrary(gen_: &mut Gen) -> Self {
            let range =
                |gen_: &mut Gen| (small(gen_, -1..6), small(gen_, -1..4), small(gen_, -2..3));
            Near((0..small(gen_, 1..4)).map(|_| range(gen_)).collect())
        }
    }

    impl Near {
        /// As many as the array has dimensions.
        fn of(&self, array: &Flat) -> Vec<Range> {
            self.0.iter().copied().cycle().take(array.shape.len()).collect()
        }

        fn index(&self, array: &Flat) -> Vec<i32> {
            self.of(array).iter().map(|range| range.0).collect()
        }
    }

    #[test]
    fn hold() {
        fn one(array: Flat) -> bool {
            nest_flatten(&array) && tr_is_tr(&array) && tr_tr(&array)
        }
        fn with_ranges(array: Flat, near: Near, other: Near) -> bool {
            let (ranges, at) = (near.of(&array), other.index(&array));
            index_is_index(&array, &at)
                && slice_is_slice(&array, &ranges)
                && index_of_slice(&array, &ranges, &at)
                && slice_of_slice(&array, &ranges, &other.of(&array))
                && index_of_update(&array, &ranges, 77)
        }
        QuickCheck::new().tests(500).quickcheck(one as fn(Flat) -> bool);
        QuickCheck::new().tests(20_000).quickcheck(with_ranges as fn(Flat, Near, Near) -> bool);
    }

    /// The law is not empty: fig. 5's slice as printed, one element too long, breaks it.
    #[test]
    fn the_printed_slice_breaks_the_law() {
        let array = Flat { shape: vec![4], data: vec![1, 2, 3, 4] };
        let found = taken(&array, &[(2, 2, 1)]).expect("inside");
        assert_ne!(slice(&nest(&array.data, &[4]), &[(2, 3, 1)]), Some(nest(&found.data, &[2])));
    }
}
