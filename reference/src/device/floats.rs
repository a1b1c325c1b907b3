//! Where WGSL leaves it to a device what a float comes to (its section "Floating Point Evaluation"): the
//! evaluator computes by IEEE 754, and marks a run in which an operation may be something else on a GPU. An
//! open float that no operation sees is marked where a kernel stores it to a block: that is how it gets out.
//!
//! WGSL has no f64; of Vulkan's it is asked that it is no less precise than an f32. So what is open of the operations
//! on one type is open of those on the other.

use super::scalar::{Cell, double, float};
use super::syntax::Sc;
use crate::kit::scalar::BinOp;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Is the result of an operation on these operands open? An operation on one ignores the second.
pub(super) type Open = fn(Cell, Cell) -> bool;

/// A type of floats.
trait Float:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    const ZERO: Self;

    /// The one in a cell.
    fn of(cell: Cell) -> Self;

    /// A number that every device takes for the same.
    fn is_plain(self) -> bool;

    fn has_minus(self) -> bool;

    /// Is `self * b`, a normal float or zero, what the product is?
    fn product_is_exact(self, b: Self) -> bool;

    fn is_power_of_two(self) -> bool;

    /// Is `self + b` a float? By the error of the sum (Knuth), which is exact.
    fn sum_is_exact(self, b: Self) -> bool {
        let sum = self + b;
        let of_b = sum - self;
        (self - (sum - of_b)) + (b - of_b) == Self::ZERO
    }
}

impl Float for f32 {
    const ZERO: f32 = 0.0;

    fn of(cell: Cell) -> f32 {
        float(cell)
    }

    fn is_plain(self) -> bool {
        self.is_normal() || self == 0.0
    }

    fn has_minus(self) -> bool {
        self.is_sign_negative()
    }

    fn product_is_exact(self, b: f32) -> bool {
        f64::from(self * b) == f64::from(self) * f64::from(b)
    }

    fn is_power_of_two(self) -> bool {
        const FRACTION: u32 = (1 << (f32::MANTISSA_DIGITS - 1)) - 1;
        self.is_normal() && self.to_bits() & FRACTION == 0
    }
}

impl Float for f64 {
    const ZERO: f64 = 0.0;

    fn of(cell: Cell) -> f64 {
        double(cell)
    }

    fn is_plain(self) -> bool {
        self.is_normal() || self == 0.0
    }

    fn has_minus(self) -> bool {
        self.is_sign_negative()
    }

    fn product_is_exact(self, b: f64) -> bool {
        // Below, the error may be no float itself.
        const LEAST: f64 = f64::MIN_POSITIVE * (1_u64 << f64::MANTISSA_DIGITS) as f64;
        let product = self * b;
        let either_is_zero = self == 0.0 || b == 0.0;
        either_is_zero || product.abs() >= LEAST && self.mul_add(b, -product) == 0.0
    }

    fn is_power_of_two(self) -> bool {
        const FRACTION: u64 = (1 << (f64::MANTISSA_DIGITS - 1)) - 1;
        self.is_normal() && self.to_bits() & FRACTION == 0
    }
}

/// What `a ⊕ b` of floats of type `sc` leaves open. Devices round up or down, fuse and reassociate, which does
/// not show where a result is exact; they flush what is subnormal, ignore the sign of a zero, and
/// take for granted that there is no NaN and no infinity.
pub(super) fn binary(op: BinOp, sc: Sc) -> Open {
    if sc == Sc::F64 { binary_of::<f64>(op) } else { binary_of::<f32>(op) }
}

fn binary_of<F: Float>(op: BinOp) -> Open {
    match op {
        BinOp::Add => |a, b| open::<F>(a, b, |a, b| !(a + b).is_plain() || !a.sum_is_exact(b)),
        BinOp::Sub => |a, b| open::<F>(a, b, |a, b| !(a - b).is_plain() || !a.sum_is_exact(-b)),
        BinOp::Mul => |a, b| open::<F>(a, b, |a, b| !(a * b).is_plain() || !a.product_is_exact(b)),
        // It may be off by 2.5 units in the last place, but not for a division by a power of two.
        BinOp::Div => |a, b| open::<F>(a, b, |a, b| !(a / b).is_plain() || !b.is_power_of_two()),
        BinOp::Min | BinOp::Max => {
            |a, b| open::<F>(a, b, |a, b| a == b && a.has_minus() != b.has_minus())
        }
        _ => |a, b| open::<F>(a, b, |_, _| false),
    }
}

fn open<F: Float>(a: Cell, b: Cell, open: fn(F, F) -> bool) -> bool {
    let (a, b) = (F::of(a), F::of(b));
    !a.is_plain() || !b.is_plain() || open(a, b)
}

/// What an operation on one float of type `sc` leaves open.
pub(super) fn unary(sc: Sc) -> Open {
    if sc == Sc::F64 { |a, _| is_open(Sc::F64, a) } else { |a, _| is_open(Sc::F32, a) }
}

/// What a conversion leaves open, if anything. Out of range it saturates.
pub(super) fn cast(from: Sc, to: Sc) -> Option<Open> {
    match (from, to) {
        (Sc::F32, Sc::F32) | (Sc::F64, Sc::F64) => None,
        (Sc::F64, Sc::F32) => Some(|a, _| {
            let rounded = double(a) as f32;
            !double(a).is_plain() || !rounded.is_plain() || f64::from(rounded) != double(a)
        }),
        (Sc::F32 | Sc::F64, _) => Some(unary(from)),
        (Sc::Bool, _) => None,
        (_, Sc::F32) => Some(|a, _| {
            let k = a as i64;
            (k as f32) as i128 != i128::from(k)
        }),
        (_, Sc::F64) => Some(|a, _| {
            let k = a as i64;
            (k as f64) as i128 != i128::from(k)
        }),
        _ => None,
    }
}

/// What is open of the bits of a float.
pub(super) fn bitcast(from: Sc, to: Sc) -> Option<Open> {
    let bits: Open = |a, _| is_open(Sc::F32, a) || is_minus_zero(Sc::F32, a);
    let long: Open = |a, _| is_open(Sc::F64, a) || is_minus_zero(Sc::F64, a);
    (from.is_float() != to.is_float()).then_some(if from.words() == 2 { long } else { bits })
}

/// Is it open what a device stores that stores this float of type `sc` to a block?
pub(super) fn is_open(sc: Sc, cell: Cell) -> bool {
    if sc == Sc::F64 { !double(cell).is_plain() } else { !float(cell).is_plain() }
}

/// Is it the zero of type `sc` whose sign a device may ignore?
pub(super) fn is_minus_zero(sc: Sc, cell: Cell) -> bool {
    match sc {
        Sc::F64 => cell == (-0.0_f64).to_bits(),
        _ => cell as u32 == (-0.0_f32).to_bits(),
    }
}

#[cfg(test)]
mod tests {
    use super::{binary, bitcast, cast};
    use crate::device::scalar::Cell;
    use crate::device::syntax::Sc;
    use crate::kit::scalar::BinOp;

    fn open(op: BinOp, a: f32, b: f32) -> bool {
        let of_doubles = binary(op, Sc::F64)(f64::from(a).to_bits(), f64::from(b).to_bits());
        let of_floats = binary(op, Sc::F32)(a.to_bits().into(), b.to_bits().into());
        assert!(of_floats || !of_doubles, "{op:?} of {a} and {b}");
        of_floats
    }

    #[test]
    fn doubles_have_more_places() {
        let open = |op, a: f64, b: f64| binary(op, Sc::F64)(a.to_bits(), b.to_bits());
        for (op, a, b) in [
            (BinOp::Add, 1.0e10, 1.0),
            (BinOp::Mul, 134_217_727.0, 67_108_863.0),
            (BinOp::Mul, 0.0, 1.0e-300),
            (BinOp::Div, 3.0, -8.0),
            (BinOp::Lt, 1.0e-300, 1.0),
        ] {
            assert!(!open(op, a, b), "{op:?} of {a} and {b}");
        }
        for (op, a, b) in [
            (BinOp::Add, 1.0e16, 1.0),
            (BinOp::Mul, 134_217_729.0, 134_217_729.0),
            (BinOp::Mul, 1.0e-150, 1.0e-150),
            (BinOp::Div, 6.0, 3.0),
            (BinOp::Add, f64::NAN, 1.0),
            (BinOp::Lt, f64::MIN_POSITIVE / 2.0, 1.0),
        ] {
            assert!(open(op, a, b), "{op:?} of {a} and {b}");
        }
        let narrowed = |x: f64| cast(Sc::F64, Sc::F32).is_some_and(|open| open(x.to_bits(), 0));
        assert!(!narrowed(0.5) && !narrowed(-0.0) && narrowed(0.1) && narrowed(1e300));
        assert!(narrowed(1e-40) && narrowed(f64::NAN));
    }

    #[test]
    fn what_is_exact_is_settled() {
        for (op, a, b) in [
            (BinOp::Add, 1024.0, -2_097_152.0),
            (BinOp::Sub, 0.5, 0.25),
            (BinOp::Mul, 1023.0, 1025.0),
            (BinOp::Div, 3.0, -8.0),
            (BinOp::Min, 0.0, 0.0),
            (BinOp::Max, -0.0, 1.0),
            (BinOp::Lt, -0.0, 0.0),
        ] {
            assert!(!open(op, a, b), "{op:?} of {a} and {b}");
        }
    }

    #[test]
    fn the_rest_is_open() {
        let tiny = f32::MIN_POSITIVE / 2.0;
        for (op, a, b) in [
            (BinOp::Add, 1.0e10, 1.0),
            (BinOp::Add, f32::MAX, f32::MAX),
            (BinOp::Sub, 1.0, 1.0e-10),
            (BinOp::Sub, f32::MIN_POSITIVE * 1.5, f32::MIN_POSITIVE),
            (BinOp::Mul, 0.1, 0.1),
            (BinOp::Mul, 0.5, f32::MIN_POSITIVE),
            (BinOp::Div, 6.0, 3.0),
            (BinOp::Div, 1.0, 0.0),
            (BinOp::Min, 0.0, -0.0),
            (BinOp::Max, f32::NAN, 1.0),
            (BinOp::Ne, f32::NAN, f32::NAN),
            (BinOp::Lt, f32::INFINITY, 1.0),
            (BinOp::Gt, tiny, 0.0),
        ] {
            assert!(open(op, a, b), "{op:?} of {a} and {b}");
        }
    }

    #[test]
    fn conversions_and_bits() {
        let to_float = |k: i64| cast(Sc::I64, Sc::F32).is_some_and(|open| open(k as Cell, 0));
        assert!(!to_float(1 << 24) && !to_float(-(1 << 40)) && !to_float(i64::MIN));
        assert!(to_float((1 << 24) + 1) && to_float(i64::MAX));
        let to_int =
            |x: f32| cast(Sc::F32, Sc::I32).is_some_and(|open| open(x.to_bits().into(), 0));
        assert!(!to_int(-1.5) && !to_int(3.0e9) && to_int(f32::NAN) && to_int(f32::INFINITY));
        let bits =
            |x: f32| bitcast(Sc::F32, Sc::U32).is_some_and(|open| open(x.to_bits().into(), 0));
        assert!(!bits(0.0) && !bits(-1.0) && bits(-0.0) && bits(f32::NAN) && bits(1.0e-40));
        assert!(bitcast(Sc::I32, Sc::U32).is_none());
    }
}
