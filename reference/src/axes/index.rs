//! Indices in canonical form: a sum of axes with factors, and of quotients and remainders of such
//! sums by constants. As ordinary terms they would be most of what a search rewrites.
//!
//! An index is computed without overflow: [`Index::range`] says within which bounds it is, and who
//! makes one from arithmetic that wraps has to see to it that these are bounds of an `int`.

use super::syntax::Name;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Sizes of axes: an axis counts from 0 to below its size.
pub type Sizes = BTreeMap<Name, u32>;

/// `k + f · a + …`, each atom once, in their order.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Index {
    constant: i64,
    /// No factor is 0.
    sum: BTreeMap<Atom, i64>,
}

/// What is summed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Atom {
    /// An axis.
    Axis(Name),
    /// The quotient of an index that is never negative, and a divisor of at least 2.
    Div(Box<Index>, u32),
    /// The remainder of such an index.
    Rem(Box<Index>, u32),
}

/// The least and the largest value.
pub type Range = (i64, i64);

impl Index {
    /// A number.
    pub fn number(k: i32) -> Self {
        Index { constant: i64::from(k), sum: BTreeMap::new() }
    }

    /// An axis.
    pub fn axis(name: &Name) -> Self {
        Index { constant: 0, sum: BTreeMap::from([(Atom::Axis(name.clone()), 1)]) }
    }

    /// The number, if the index is one.
    pub fn constant(&self) -> Option<i32> {
        self.sum.is_empty().then(|| i32::try_from(self.constant).ok())?
    }

    /// The axis, if the index is one.
    pub fn as_axis(&self) -> Option<&Name> {
        match self.sum.first_key_value() {
            Some((Atom::Axis(name), 1)) if self.constant == 0 && self.sum.len() == 1 => Some(name),
            _ => None,
        }
    }

    /// The atoms with their factors.
    pub fn parts(&self) -> impl Iterator<Item = (&Atom, i64)> {
        self.sum.iter().map(|(atom, factor)| (atom, *factor))
    }

    /// The number that is added.
    pub fn offset(&self) -> i64 {
        self.constant
    }

    /// `self + factor · other`; `None` beyond 64 bits.
    pub fn plus(&self, other: &Index, factor: i64) -> Option<Index> {
        let mut to = self.clone();
        to.constant = to.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (atom, by) in &other.sum {
            let sum = to.sum.entry(atom.clone()).or_insert(0);
            *sum = sum.checked_add(by.checked_mul(factor)?)?;
        }
        to.sum.retain(|_, factor| *factor != 0);
        Some(to)
    }

    /// `self · factor`
    pub fn times(&self, factor: i64) -> Option<Index> {
        Index { constant: 0, sum: BTreeMap::new() }.plus(self, factor)
    }

    /// Quotient and remainder by a constant, where the index is never negative. What the divisor
    /// divides comes out of the quotient if the rest stays below it.
    pub fn divided(&self, by: u32, sizes: &Sizes) -> Option<(Index, Index)> {
        let divisor = i64::from(by);
        let (least, largest) = self.range(sizes)?;
        if least < 0 || by == 0 {
            return None;
        }
        if by == 1 {
            return Some((self.clone(), Index::number(0)));
        }
        if largest < divisor {
            return Some((Index::number(0), self.clone()));
        }
        let mut whole = Index::number(0);
        let mut rest = Index::number(0);
        whole.constant = self.constant.div_euclid(divisor);
        rest.constant = self.constant.rem_euclid(divisor);
        for (atom, factor) in &self.sum {
            let (to, factor) = match factor % divisor {
                0 => (&mut whole, factor / divisor),
                _ => (&mut rest, *factor),
            };
            to.sum.insert(atom.clone(), factor);
        }
        let (rest_least, rest_largest) = rest.range(sizes)?;
        if rest_least >= 0 && rest_largest < divisor {
            return Some((whole, rest));
        }
        // The multiples come out of the quotient also where the rest does not stay below, as
        // long as neither part is negative.
        if rest_least < 0 || whole.range(sizes)?.0 < 0 {
            (whole, rest) = (Index::number(0), self.clone());
        }
        let atom = |of: fn(Box<Index>, u32) -> Atom| Index {
            constant: 0,
            sum: BTreeMap::from([(of(Box::new(rest.clone()), by), 1)]),
        };
        Some((whole.plus(&atom(Atom::Div), 1)?, atom(Atom::Rem)))
    }

    /// Between which bounds it is, if every axis is in `sizes`; an axis of size 0 counts as one of
    /// size 1, for nothing is computed below it.
    pub fn range(&self, sizes: &Sizes) -> Option<Range> {
        let mut range = (self.constant, self.constant);
        for (atom, factor) in &self.sum {
            let (least, largest) = match atom {
                Atom::Axis(name) => (0, i64::from(sizes.get(name)?.saturating_sub(1))),
                Atom::Div(of, by) => {
                    let (least, largest) = of.range(sizes)?;
                    (least / i64::from(*by), largest / i64::from(*by))
                }
                Atom::Rem(of, by) => {
                    let (_, largest) = of.range(sizes)?;
                    (0, largest.min(i64::from(*by) - 1))
                }
            };
            let ends = (least.checked_mul(*factor)?, largest.checked_mul(*factor)?);
            range.0 = range.0.checked_add(ends.0.min(ends.1))?;
            range.1 = range.1.checked_add(ends.0.max(ends.1))?;
        }
        Some(range)
    }

    /// Is it an `int` whatever its axes are, and written with numbers that are?
    pub fn fits(&self, sizes: &Sizes) -> bool {
        let int = |k: i64| i32::try_from(k).is_ok();
        let range = self.range(sizes);
        range.is_some_and(|(least, largest)| int(least) && int(largest)) && self.is_written()
    }

    /// Are all its numbers at most the largest `int`, either way?
    fn is_written(&self) -> bool {
        let number = |k: i64| k.unsigned_abs() <= i32::MAX as u64;
        let part = |(atom, factor): (&Atom, &i64)| {
            let inner = match atom {
                Atom::Axis(_) => true,
                Atom::Div(of, _) | Atom::Rem(of, _) => of.is_written(),
            };
            inner && number(*factor)
        };
        number(self.constant) && self.sum.iter().all(part)
    }

    /// Does the axis occur?
    pub fn mentions(&self, axis: &Name) -> bool {
        self.sum.keys().any(|atom| match atom {
            Atom::Axis(name) => name == axis,
            Atom::Div(of, _) | Atom::Rem(of, _) => of.mentions(axis),
        })
    }

    /// Visits the axes.
    pub fn axes<'i>(&'i self, visit: &mut impl FnMut(&'i Name)) {
        for atom in self.sum.keys() {
            match atom {
                Atom::Axis(name) => visit(name),
                Atom::Div(of, _) | Atom::Rem(of, _) => of.axes(visit),
            }
        }
    }

    /// The index with another one for an axis; `sizes` has all axes of the result.
    pub fn substituted(&self, axis: &Name, by: &Index, sizes: &Sizes) -> Option<Index> {
        let mut to = Index { constant: self.constant, sum: BTreeMap::new() };
        for (atom, factor) in &self.sum {
            let part = match atom {
                Atom::Axis(name) if name == axis => by.clone(),
                Atom::Axis(_) => Index { constant: 0, sum: BTreeMap::from([(atom.clone(), 1)]) },
                Atom::Div(of, d) => of.substituted(axis, by, sizes)?.divided(*d, sizes)?.0,
                Atom::Rem(of, d) => of.substituted(axis, by, sizes)?.divided(*d, sizes)?.1,
            };
            to = to.plus(&part, *factor)?;
        }
        Some(to)
    }

    /// What it is where the axes have these values.
    pub fn value(&self, at: &impl Fn(&Name) -> Option<i64>) -> Option<i64> {
        let mut sum = self.constant;
        for (atom, factor) in &self.sum {
            let value = match atom {
                Atom::Axis(name) => at(name)?,
                Atom::Div(of, by) => of.value(at)? / i64::from(*by),
                Atom::Rem(of, by) => of.value(at)? % i64::from(*by),
            };
            sum = sum.checked_add(value.checked_mul(*factor)?)?;
        }
        Some(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::{Index, Sizes};
    use crate::axes::syntax::Name;

    #[test]
    fn a_split_axis_comes_out_of_its_quotient() {
        let (o, i) = (Name::new("o"), Name::new("i"));
        let sizes = Sizes::from([(o.clone(), 4), (i.clone(), 32)]);
        let whole = Index::axis(&i).plus(&Index::axis(&o), 32).unwrap();
        assert_eq!(whole.range(&sizes), Some((0, 127)));
        assert_eq!(whole.divided(32, &sizes), Some((Index::axis(&o), Index::axis(&i))));
    }

    /// An axis of one round is always 0, with any factor.
    #[test]
    fn factors_are_ints() {
        let i = Name::new("i");
        let sizes = Sizes::from([(i.clone(), 1)]);
        for (factor, fits) in [(1 << 31, false), (-1 << 31, false), ((1 << 31) - 1, true)] {
            let index = Index::axis(&i).times(factor).unwrap();
            assert_eq!(index.range(&sizes), Some((0, 0)));
            assert_eq!(index.fits(&sizes), fits, "{factor}");
        }
    }

    #[test]
    fn quotients_are_right_at_every_value() {
        let (a, b) = (Name::new("a"), Name::new("b"));
        let sizes = Sizes::from([(a.clone(), 7), (b.clone(), 5)]);
        for (fa, fb, k) in [(4, 1, 0), (6, 3, 2), (5, -1, 4), (2, 9, 11), (3, -3, 12)] {
            let index = Index::number(k)
                .plus(&Index::axis(&a), fa)
                .and_then(|sum| sum.plus(&Index::axis(&b), fb))
                .unwrap();
            for by in 1..12 {
                let Some((div, rem)) = index.divided(by, &sizes) else {
                    assert!(index.range(&sizes).unwrap().0 < 0);
                    continue;
                };
                for (x, y) in (0..7).flat_map(|x| (0..5).map(move |y| (x, y))) {
                    let at = |name: &Name| Some(if *name == a { x } else { y });
                    let value = index.value(&at).unwrap();
                    assert_eq!(div.value(&at), Some(value / i64::from(by)), "{index:?} / {by}");
                    assert_eq!(rem.value(&at), Some(value % i64::from(by)), "{index:?} % {by}");
                    let (least, largest) = div.range(&sizes).unwrap();
                    assert!((least..=largest).contains(&(value / i64::from(by))));
                }
            }
        }
    }
}
