//! What is in scope while a program is made: the ranges of its ints, the shapes of its arrays,
//! what may alias what, and what may be consumed.

use reference::fun::syntax::{Atom, Ty};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;

/// The values that an int may have. Sound: a run never leaves it. A parameter's range is its
/// value, so sizes are known exactly wherever they do not depend on data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) lo: i64,
    pub(super) hi: i64,
}

const MIN: i64 = i32::MIN as i64;
const MAX: i64 = i32::MAX as i64;

impl Range {
    pub(super) const FULL: Range = Range { lo: MIN, hi: MAX };
    pub(super) const BOOL: Range = Range { lo: 0, hi: 1 };

    pub(super) fn new(lo: i64, hi: i64) -> Self {
        Self { lo, hi }
    }

    pub(super) fn exactly(k: i64) -> Self {
        Self { lo: k, hi: k }
    }

    pub(super) fn union(self, other: Range) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    pub(super) fn is_exact(self) -> bool {
        self.lo == self.hi
    }

    pub(super) fn has(self, k: i64) -> bool {
        self.lo <= k && k <= self.hi
    }

    /// `lo..=hi` if no value of it wraps, else anything.
    fn unless_wrapped(lo: i64, hi: i64) -> Self {
        if lo < MIN || hi > MAX { Self::FULL } else { Self { lo, hi } }
    }

    /// The range of `a ⊕ b`; the divisor is not 0.
    pub(super) fn of(op: BinOp, a: Range, b: Range) -> Self {
        if a.is_exact()
            && b.is_exact()
            && let Ok(k) = op.apply(a.lo as i32, b.lo as i32)
        {
            return Self::exactly(k.into());
        }
        match op {
            BinOp::Add => Self::unless_wrapped(a.lo + b.lo, a.hi + b.hi),
            BinOp::Sub => Self::unless_wrapped(a.lo - b.hi, a.hi - b.lo),
            BinOp::Mul => {
                let corners = [a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi];
                let lo = corners.into_iter().fold(i64::MAX, i64::min);
                let hi = corners.into_iter().fold(i64::MIN, i64::max);
                Self::unless_wrapped(lo, hi)
            }
            BinOp::Div if a.lo >= 0 && b.lo >= 1 => Self::new(a.lo / b.hi, a.hi / b.lo),
            BinOp::Rem if b.lo >= 1 => {
                let most = b.hi - 1;
                let lo = if a.lo >= 0 { 0 } else { (-most).max(a.lo) };
                Self::new(lo, if a.hi <= 0 { 0 } else { most.min(a.hi) })
            }
            BinOp::Min => Self::new(a.lo.min(b.lo), a.hi.min(b.hi)),
            BinOp::Max => Self::new(a.lo.max(b.lo), a.hi.max(b.hi)),
            BinOp::And if b.lo >= 0 => Self::new(0, if a.lo >= 0 { a.hi.min(b.hi) } else { b.hi }),
            BinOp::And if a.lo >= 0 => Self::new(0, a.hi),
            BinOp::Shr if b.is_exact() => {
                let by = b.lo & 31;
                Self::new(a.lo >> by, a.hi >> by)
            }
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => Self::BOOL,
            _ => Self::FULL,
        }
    }
}

/// Highest rank that is made.
pub(super) const MAX_RANK: usize = 3;

/// The sizes of an array, outermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    dims: [Atom; MAX_RANK],
    rank: u8,
}

impl Shape {
    pub(super) fn new(dims: &[Atom]) -> Self {
        let mut shape = Self { dims: [Atom::Const(0); MAX_RANK], rank: dims.len() as u8 };
        shape.dims[..dims.len()].copy_from_slice(dims);
        shape
    }

    pub(super) fn dims(&self) -> &[Atom] {
        &self.dims[..usize::from(self.rank)]
    }

    pub(super) fn rank(&self) -> usize {
        usize::from(self.rank)
    }

    /// With one more dimension outside.
    pub(super) fn under(&self, count: Atom) -> Self {
        let mut dims = self.dims;
        dims.copy_within(..MAX_RANK - 1, 1);
        dims[0] = count;
        Self { dims, rank: self.rank + 1 }
    }

    /// With another outermost size.
    pub(super) fn with_first(&self, size: Atom) -> Self {
        let mut shape = *self;
        shape.dims[0] = size;
        shape
    }

    pub(super) fn ty(&self) -> Ty {
        Ty::Array(self.dims().to_vec())
    }
}

/// Where arrays come from that may be one: a bit for each fresh array. An alias of an array has
/// its bits. Beyond 127 fresh arrays the rest share a bit, which only makes more things aliases.
pub(super) type Roots = u128;

/// An array in scope.
#[derive(Clone, Copy, Debug)]
pub(super) struct Array {
    pub(super) var: Var,
    pub(super) shape: Shape,
    /// What its elements may be.
    pub(super) values: Range,
    pub(super) roots: Roots,
    /// It came out of an `if` or a `loop`, or is a view of one that did.
    pub(super) joined: bool,
    /// Slices and transpositions since it was in memory of its own.
    pub(super) views: u8,
    /// Not consumed yet.
    pub(super) alive: bool,
    /// Something looked at it.
    pub(super) used: bool,
}

/// What is known of a variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fact {
    /// Its values, if it is an int.
    pub(super) range: Range,
    /// It is always in `1..=bound`: a valid index of every dimension of that size.
    pub(super) bound: Option<Atom>,
    /// Something was computed from it.
    pub(super) used: bool,
}
