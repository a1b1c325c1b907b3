//! Evaluation of scalar expressions, shared by FUN, FUNMEM and IMP: over 32-bit integers that
//! wrap, and exactly, as sizes, offsets and index functions are evaluated.

use crate::fun::syntax::{Atom, Se};
use crate::kit::names::Var;
use crate::kit::outcome::Cause;
use crate::kit::scalar::BinOp;

/// A zero divisor: the only way in which a scalar expression gets stuck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZeroDivisor {
    /// What was to be divided (an exact value is clamped to 64 bits).
    pub dividend: i64,
}

impl ZeroDivisor {
    /// Why it is stuck.
    pub const CAUSE: Cause = Cause::DivisionByZero;

    /// The operands of [`ZeroDivisor::CAUSE`].
    pub fn operands(self) -> [i64; 2] {
        [self.dividend, 0]
    }
}

/// The conventional value of `se`, where `int` gives the values of names: operands from left to
/// right, then the operator.
///
/// # Errors
/// A zero divisor.
#[inline]
pub fn wrapping(se: &Se, int: &impl Fn(Var) -> i32) -> Result<i32, ZeroDivisor> {
    value(se, int).ok_or_else(|| divided_by_zero(se, int))
}

/// The value, if no divisor is zero: a result that fits into registers.
#[inline]
fn value(se: &Se, int: &impl Fn(Var) -> i32) -> Option<i32> {
    match se {
        Se::Atom(atom) => Some(self::atom(*atom, int)),
        Se::Bin(op, ab) => {
            let [a, b] = &**ab;
            let a = operand(a, int)?;
            let b = operand(b, int)?;
            op.apply(a, b).ok()
        }
    }
}

/// A name or a constant; only what is neither pays for a call.
#[inline]
fn operand(se: &Se, int: &impl Fn(Var) -> i32) -> Option<i32> {
    match se {
        Se::Atom(atom) => Some(self::atom(*atom, int)),
        Se::Bin(..) => compound(se, int),
    }
}

#[inline(never)]
fn compound(se: &Se, int: &impl Fn(Var) -> i32) -> Option<i32> {
    value(se, int)
}

/// The first zero divisor of an expression that has one.
#[cold]
#[inline(never)]
fn divided_by_zero(se: &Se, int: &impl Fn(Var) -> i32) -> ZeroDivisor {
    let Se::Bin(_, ab) = se else { unreachable!("names and constants have values") };
    let [a, b] = &**ab;
    match (value(a, int), value(b, int)) {
        (None, _) => divided_by_zero(a, int),
        (Some(_), None) => divided_by_zero(b, int),
        (Some(a), Some(_)) => ZeroDivisor { dividend: a.into() },
    }
}

/// The value of a name or constant.
#[inline]
pub fn atom(atom: Atom, int: &impl Fn(Var) -> i32) -> i32 {
    match atom {
        Atom::Const(k) => k,
        Atom::Var(var) => int(var),
    }
}

/// The exact value of `se`, where `int` gives the values of names: integers do not wrap. Beyond
/// 64 bits, far beyond any block, it is the nearest number of 64 bits.
///
/// # Errors
/// A zero divisor.
#[inline(always)] // Of each address, so the outermost operation costs no call.
pub fn exact(se: &Se, int: &impl Fn(Var) -> i32) -> Result<i64, ZeroDivisor> {
    match narrow(se, int) {
        Some(k) => Ok(k),
        None => wide(se, int).map(clamp),
    }
}

/// The exact value where every part of it fits into 64 bits, and nothing but sums, products and
/// bounds occurs: the case of every address that a translation makes.
#[inline(always)]
fn narrow(se: &Se, int: &impl Fn(Var) -> i32) -> Option<i64> {
    let mut fits = true;
    let k = part(se, int, &mut fits);
    fits.then_some(k)
}

/// The value of a part of an address, if everything `fits`: most of the time of IMP goes here, so
/// what does not is noted beside the values, and innermost operations cost no call.
#[inline]
fn part(se: &Se, int: &impl Fn(Var) -> i32, fits: &mut bool) -> i64 {
    match se {
        Se::Atom(atom) => self::atom(*atom, int).into(),
        Se::Bin(op, ab) => match &**ab {
            [Se::Atom(a), Se::Atom(b)] => {
                operation(*op, self::atom(*a, int).into(), self::atom(*b, int).into(), fits)
            }
            ab => compound_part(*op, ab, int, fits),
        },
    }
}

#[inline(never)]
fn compound_part(op: BinOp, [a, b]: &[Se; 2], int: &impl Fn(Var) -> i32, fits: &mut bool) -> i64 {
    let a = part(a, int, fits);
    let b = part(b, int, fits);
    operation(op, a, b, fits)
}

#[inline]
fn operation(op: BinOp, a: i64, b: i64, fits: &mut bool) -> i64 {
    let (k, left) = match op {
        BinOp::Add => a.overflowing_add(b),
        BinOp::Sub => a.overflowing_sub(b),
        BinOp::Mul => a.overflowing_mul(b),
        BinOp::Max => (a.max(b), false),
        BinOp::Min => (a.min(b), false),
        _ => (0, true),
    };
    if left {
        *fits = false;
    }
    k
}

/// The exact value, saturated at 128 bits. Shifts to the left multiply by a power of two.
fn wide(se: &Se, int: &impl Fn(Var) -> i32) -> Result<i128, ZeroDivisor> {
    match se {
        Se::Atom(atom) => Ok(self::atom(*atom, int).into()),
        Se::Bin(op, ab) => {
            let [a, b] = &**ab;
            let a = wide(a, int)?;
            let b = wide(b, int)?;
            op.exact(a, b).ok_or(ZeroDivisor { dividend: clamp(a) })
        }
    }
}

/// The nearest 64-bit integer.
pub fn clamp(k: i128) -> i64 {
    k.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::scalar::BinOp;

    fn value(_: Var) -> i32 {
        7
    }

    #[test]
    fn exact_does_not_wrap() {
        let big = Se::bin(BinOp::Mul, Se::from(i32::MAX), Se::from(i32::MAX));
        let max = i64::from(i32::MAX);
        assert_eq!(exact(&big, &value), Ok(max * max));
        assert_eq!(wrapping(&big, &value), Ok(1));
    }

    #[test]
    fn operands_come_before_the_operator() {
        let inner = Se::bin(BinOp::Div, Se::from(3), Se::from(0));
        let outer = Se::bin(BinOp::Rem, inner, Se::from(0));
        assert_eq!(wrapping(&outer, &value), Err(ZeroDivisor { dividend: 3 }));
        assert_eq!(exact(&outer, &value), Err(ZeroDivisor { dividend: 3 }));
    }

    /// Where nothing overflows both evaluations agree.
    #[test]
    fn both_agree_on_small_numbers() {
        fn property(a: i16, b: i16) -> bool {
            BinOp::ALL.into_iter().all(|op| {
                let b = if op == BinOp::Shl { b.rem_euclid(16) } else { b };
                let se = Se::bin(op, Se::from(i32::from(a)), Se::from(i32::from(b)));
                exact(&se, &value).ok() == wrapping(&se, &value).ok().map(i64::from)
            })
        }
        quickcheck::quickcheck(property as fn(i16, i16) -> bool);
    }
}
