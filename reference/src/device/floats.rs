//! Where WGSL leaves it to a device what a float comes to (its section "Floating Point Evaluation"): the
//! evaluator computes by IEEE 754, and marks a run in which an operation may be something else on a GPU. An
//! open float that no operation sees is marked where a kernel stores it to a block: that is how it gets out.

use super::scalar::{Cell, float};
use super::syntax::Sc;
use crate::kit::scalar::BinOp;

/// Is the result of an operation on these operands open? An operation on one ignores the second.
pub(super) type Open = fn(Cell, Cell) -> bool;

/// What `a ⊕ b` of floats leaves open. Devices round up or down, fuse and reassociate, which does
/// not show where a result is exact; they flush what is subnormal, ignore the sign of a zero, and
/// take for granted that there is no NaN and no infinity.
pub(super) fn binary(op: BinOp) -> Open {
    match op {
        BinOp::Add => |a, b| of(a, b, |a, b| !plain(a + b) || !exact_sum(a, b)),
        BinOp::Sub => |a, b| of(a, b, |a, b| !plain(a - b) || !exact_sum(a, -b)),
        BinOp::Mul => {
            |a, b| of(a, b, |a, b| !plain(a * b) || f64::from(a * b) != f64::from(a) * f64::from(b))
        }
        // It may be off by 2.5 units in the last place, but not for a division by a power of two.
        BinOp::Div => |a, b| of(a, b, |a, b| !plain(a / b) || !is_power_of_two(b)),
        BinOp::Min | BinOp::Max => {
            |a, b| of(a, b, |a, b| a == b && a.is_sign_negative() != b.is_sign_negative())
        }
        _ => |a, b| of(a, b, |_, _| false),
    }
}

/// What an operation on one float leaves open.
pub(super) fn unary(a: Cell, _: Cell) -> bool {
    !plain(float(a))
}

/// What a conversion leaves open, if anything. Out of range it saturates.
pub(super) fn cast(from: Sc, to: Sc) -> Option<Open> {
    match (from, to) {
        (Sc::F32, Sc::F32) => None,
        (Sc::F32, _) => Some(|a, _| !plain(float(a))),
        (Sc::Bool, Sc::F32) => None,
        (_, Sc::F32) => Some(|a, _| {
            let k = a as i64;
            (k as f32) as i128 != i128::from(k)
        }),
        _ => None,
    }
}

/// What is open of the bits of a float.
pub(super) fn bitcast(from: Sc, to: Sc) -> Option<Open> {
    let bits: Open = |a, _| is_open(a) || is_minus_zero(a);
    ((from == Sc::F32) != (to == Sc::F32)).then_some(bits)
}

fn of(a: Cell, b: Cell, open: fn(f32, f32) -> bool) -> bool {
    let (a, b) = (float(a), float(b));
    !plain(a) || !plain(b) || open(a, b)
}

/// Is it open what a device stores that stores this f32 to a block?
pub(super) fn is_open(cell: Cell) -> bool {
    !plain(float(cell))
}

/// Is it the zero whose sign a device may ignore?
pub(super) fn is_minus_zero(cell: Cell) -> bool {
    cell as u32 == (-0.0_f32).to_bits()
}

/// A number that every device takes for the same.
fn plain(x: f32) -> bool {
    x.is_normal() || x == 0.0
}

/// Is `a + b` a float? By the error of the sum (Knuth), which is exact.
fn exact_sum(a: f32, b: f32) -> bool {
    let sum = a + b;
    let of_b = sum - a;
    (a - (sum - of_b)) + (b - of_b) == 0.0
}

fn is_power_of_two(x: f32) -> bool {
    const FRACTION: u32 = (1 << (f32::MANTISSA_DIGITS - 1)) - 1;
    x.is_normal() && x.to_bits() & FRACTION == 0
}

#[cfg(test)]
mod tests {
    use super::{binary, bitcast, cast};
    use crate::device::scalar::Cell;
    use crate::device::syntax::Sc;
    use crate::kit::scalar::BinOp;

    fn open(op: BinOp, a: f32, b: f32) -> bool {
        binary(op)(a.to_bits().into(), b.to_bits().into())
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
