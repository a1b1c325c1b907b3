//! How it is told which floats are open: that devices may give another result, or an infinity, behind an operation.

use super::syntax::{At, PartialFn};

/// A float, and by about how much devices may differ in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Real {
    pub(super) value: f64,
    pub(super) error: f64,
}

/// By about how much devices may differ in a result, by its operands; 0 if it is exact. Infinite if a device may come by an
/// infinity or NaN, though the operands and the result are finite.
pub(super) type Estimate = fn(&[Real; 4], f64) -> f64;

/// The operand that is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// The greater one of two.
    Max,
    /// The less one of two.
    Min,
    /// The first one, or the bound that is nearest to it.
    Clamp,
}

/// What makes a result open.
#[derive(Clone, Copy, Debug)]
pub(super) enum Opens {
    /// It is rounded.
    Estimated(Estimate),
    /// It is a comparison of two floats, or of one with itself.
    Compared,
    /// It is one of the operands, by their values.
    Chosen(Choice),
    /// It is one of the last two operands, by the truth of the first one.
    Selected,
    /// Near some operands it jumps: it is this function of up to two, which grows with the last one and falls with the other.
    Jumps(fn([f64; 2]) -> f64),
    /// It is an integer that holds these floats, each rounded by a function that grows with it: may be, as two of 16 bits.
    Packed { f: PartialFn, halves: bool },
    /// It is a number of 64 bits on the way to the result: a device that has fewer bits may come by an infinity or NaN.
    Passed(fn(&[Real; 4], f64) -> bool),
}

/// The result of an operation on floats, and what it was made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounding {
    pub(super) opens: Opens,
    /// The number that an operand is.
    pub(super) decode: fn(u64) -> f64,
    /// Has the result 16 bits?
    pub(super) half: bool,
    pub(super) to: At,
    pub(super) operands: [At; 4],
}
