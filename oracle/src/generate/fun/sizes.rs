//! Sizes, counts, indices and slices that are safe by construction.

use super::builder::Builder;
use super::types::{Range, Shape};
use reference::fun::syntax::{Atom, Dim, Se};
use reference::kit::scalar::BinOp;

/// Sizes that such compilers broke at: empty, 1, primes, 2^k and 2^k ± 1.
const SIZES: [i64; 20] = [3, 2, 1, 4, 5, 7, 0, 8, 9, 6, 11, 13, 15, 16, 17, 31, 32, 33, 63, 64];

impl Builder<'_, '_> {
    /// A constant size up to `most`; 0 only where it may be.
    pub(super) fn size_constant(&mut self, least: i64, most: i64) -> i64 {
        let fitting = SIZES.iter().filter(|size| least <= **size && **size <= most).count();
        if fitting == 0 {
            return least.max(0);
        }
        let at = self.draw.below(fitting);
        let mut sizes = SIZES.iter().filter(|size| least <= **size && **size <= most);
        sizes.nth(at).copied().unwrap_or(least)
    }

    /// A number of threads up to `most`: often the extent of an array at hand.
    pub(super) fn count_atom(&mut self, most: i64) -> Atom {
        let free = self.threads.is_empty() || self.varying;
        let fits = |builder: &Self, atom: Atom| {
            let range = builder.range(atom);
            0 <= range.lo && range.hi <= most && (free || builder.is_invariant(atom))
        };
        match self.draw.weighed(&[10, 5, 4, 1]) {
            0 => {
                let array = self.choose(|builder, array| {
                    array.shape.dims().iter().any(|dim| fits(builder, *dim))
                });
                if let Some(array) = array {
                    let dims = array.shape.dims();
                    let first = self.draw.below(dims.len());
                    let dims = dims[first..].iter().chain(&dims[..first]);
                    if let Some(dim) = dims.copied().find(|dim| fits(self, *dim)) {
                        return dim;
                    }
                }
            }
            1 => {
                if let Some(var) = self.choose_int(|builder, var| fits(builder, var.into())) {
                    return var.into();
                }
            }
            3 if free => {
                if let Some(size) = self.derived_size(most) {
                    return size;
                }
            }
            _ => {}
        }
        let least = i64::from(!self.draw.chance(3));
        Atom::Const(self.size_constant(least.min(most), most) as i32)
    }

    /// A size computed from another one.
    fn derived_size(&mut self, most: i64) -> Option<Atom> {
        let test = |builder: &Self, var| {
            let range = builder.fact(var).range;
            0 <= range.lo && range.hi <= most
        };
        let var = self.choose_int(test)?;
        let other = self.choose_int(test).map_or(Atom::Const(2), Atom::from);
        let (op, by): (BinOp, Atom) = match self.draw.below(5) {
            0 => (BinOp::Add, Atom::Const(1)),
            1 => (BinOp::Mul, other),
            2 => (BinOp::Div, Atom::Const(2)),
            3 => (BinOp::Add, other),
            _ => (BinOp::Mul, Atom::Const(2)),
        };
        let range = Range::of(op, self.range(var.into()), self.range(by));
        if range.lo < 0 || range.hi > most {
            return None;
        }
        Some(self.named(Se::bin(op, var, by), range, None))
    }

    /// A valid index of a dimension of this extent, which is at least 1.
    pub(super) fn index_atom(&mut self, extent: Atom) -> Atom {
        let range = self.range(extent);
        let bound = self.choose_int(|builder, var| builder.is_index_of(var, extent));
        if let Some(var) = bound {
            match self.draw.below(8) {
                0..=4 => return var.into(),
                // From behind.
                5 => {
                    let end = Se::bin(BinOp::Add, extent, 1);
                    let se = Se::bin(BinOp::Sub, end, var);
                    return self.named(se, Range::new(1, range.hi.max(1)), Some(extent));
                }
                // The next one, around the end.
                6 => {
                    let se = Se::bin(BinOp::Rem, var, extent);
                    let se = Se::bin(BinOp::Add, se, 1);
                    return self.named(se, Range::new(1, range.hi.max(1)), Some(extent));
                }
                _ => {}
            }
        }
        match self.draw.below(8) {
            0 | 1 => {
                let fits = |builder: &Self, var| {
                    let index = builder.fact(var).range;
                    1 <= index.lo && index.hi <= range.lo
                };
                if let Some(var) = self.choose_int(fits) {
                    return var.into();
                }
            }
            2 => return extent,
            3..=5 => {
                if let Some(var) = self.any_int() {
                    return self.wrapped_index(var.into(), extent);
                }
            }
            _ => {}
        }
        Atom::Const(self.draw.between(1, range.lo.min(64)) as i32)
    }

    /// Any int, brought into `1..=extent`.
    fn wrapped_index(&mut self, any: Atom, extent: Atom) -> Atom {
        let (int, size) = (self.range(any), self.range(extent));
        let se = if self.draw.chance(40) {
            Se::bin(BinOp::Max, 1, Se::bin(BinOp::Min, extent, any))
        } else {
            let mut se = Se::bin(BinOp::Rem, any, extent);
            if int.lo < 0 {
                se = Se::bin(BinOp::Rem, Se::bin(BinOp::Add, se, extent), extent);
            }
            Se::bin(BinOp::Add, se, 1)
        };
        self.named(se, Range::new(1, size.hi.max(1)), Some(extent))
    }

    /// A slice of a dimension of this extent. `distinct`: seldom an element twice, as it fits a
    /// destination, of which the last write counts. Sizes are in scope, or constants.
    pub(super) fn dim(&mut self, extent: Atom, distinct: bool) -> Dim {
        let range = self.range(extent);
        let one = Atom::Const(1);
        let least = range.lo;
        match self.draw.weighed(&[5, 4, 5, 3, 3, if distinct { 1 } else { 3 }, 1, 3]) {
            1 => dim(extent, extent, -1),
            2 if least >= 1 => self.constant_part(least),
            // One element, with a stride that does not matter.
            3 if least >= 1 => {
                let offset = self.index_atom(extent);
                let stride = self.draw.pick(&[1, 0, -1, 2, i32::MAX, i32::MIN]);
                dim(offset, one, stride)
            }
            4 if range.hi >= 2 => self.every_second(extent, range),
            5 if least >= 1 => self.one_again(extent, least),
            // Nothing.
            6 => {
                let offset = if self.draw.chance(50) { one } else { Atom::Const(0) };
                let stride = self.draw.pick(&[1, -1, 0, 7]);
                dim(offset, Atom::Const(0), stride)
            }
            // So many from the front or from behind.
            7 => {
                let fits = |builder: &Self, var| {
                    let size = builder.fact(var).range;
                    0 <= size.lo && size.hi <= least
                };
                match self.choose_int(fits) {
                    Some(size) if self.draw.chance(50) => dim(extent, size.into(), -1),
                    Some(size) => dim(one, size.into(), 1),
                    None => dim(one, extent, 1),
                }
            }
            _ => dim(one, extent, 1),
        }
    }

    /// A constant part of a dimension of at least so many elements, forward or backward.
    fn constant_part(&mut self, least: i64) -> Dim {
        let size = self.size_constant(1, least.min(64));
        let most = if size > 1 { ((least - 1) / (size - 1)).min(3) } else { 3 };
        let stride = self.draw.between(1, most);
        let reach = (size - 1) * stride;
        let offset = self.draw.between(1, least - reach);
        let size = Atom::Const(size as i32);
        if self.draw.chance(40) {
            dim(Atom::Const((offset + reach) as i32), size, -stride as i32)
        } else {
            dim(Atom::Const(offset as i32), size, stride as i32)
        }
    }

    /// Every second element of a dimension, forward or backward.
    fn every_second(&mut self, extent: Atom, range: Range) -> Dim {
        let half = Se::bin(BinOp::Div, Se::bin(BinOp::Add, extent, 1), 2);
        let size = Range::new((range.lo + 1) / 2, (range.hi + 1) / 2);
        let half = if size.is_exact() && self.draw.chance(50) {
            Atom::Const(size.lo as i32)
        } else {
            self.named(half, size, None)
        };
        if self.draw.chance(50) { dim(Atom::Const(1), half, 2) } else { dim(extent, half, -2) }
    }

    /// One element of a dimension of at least so many, again and again.
    fn one_again(&mut self, extent: Atom, least: i64) -> Dim {
        let offset = self.index_atom(extent);
        let most = 8.max(least.min(32));
        let size = self.choose_int(|builder, var| {
            let size = builder.fact(var).range;
            0 <= size.lo && size.hi <= most
        });
        let size = match size {
            Some(size) if self.draw.chance(60) => size.into(),
            _ => Atom::Const(self.size_constant(1, most) as i32),
        };
        dim(offset, size, 0)
    }

    /// A shape of this rank with at most `most` elements.
    pub(super) fn any_shape(&mut self, rank: usize, most: i64) -> Shape {
        let mut dims = Vec::with_capacity(rank);
        let mut left = most.max(1);
        for _ in 0..rank {
            let dim = self.count_atom(left.min(64));
            left /= self.range(dim).hi.max(1);
            dims.push(dim);
        }
        Shape::new(&dims)
    }
}

fn dim(offset: Atom, size: Atom, stride: i32) -> Dim {
    Dim { offset, size, stride: Atom::Const(stride) }
}
