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
#[inline(always)] // A name or a constant costs no call.
pub fn wrapping(se: &Se, int: impl Fn(Var) -> i32 + Copy) -> Result<i32, ZeroDivisor> {
    match se {
        Se::Atom(atom) => Ok(self::atom(*atom, int)),
        Se::Bin(op, ab) => compound(*op, ab, int).ok_or_else(|| divided_by_zero(ab, int)),
    }
}

/// The value of `a ⊕ b`, if no divisor is zero: a result that fits into registers. Only what is
/// neither a name nor a constant pays for a call.
#[inline(never)]
fn compound(op: BinOp, [a, b]: &[Se; 2], int: impl Fn(Var) -> i32 + Copy) -> Option<i32> {
    let a = match a {
        Se::Atom(a) => atom(*a, int),
        Se::Bin(op, ab) => compound(*op, ab, int)?,
    };
    let b = match b {
        Se::Atom(b) => atom(*b, int),
        Se::Bin(op, ab) => compound(*op, ab, int)?,
    };
    op.checked(a, b)
}

/// The first zero divisor of operands or operator, where there is one.
#[cold]
#[inline(never)]
fn divided_by_zero([a, b]: &[Se; 2], int: impl Fn(Var) -> i32 + Copy) -> ZeroDivisor {
    match (wrapping(a, int), wrapping(b, int)) {
        (Err(zero), _) | (Ok(_), Err(zero)) => zero,
        (Ok(a), Ok(_)) => ZeroDivisor { dividend: a.into() },
    }
}

/// The value of a name or constant.
#[inline]
pub fn atom(atom: Atom, int: impl Fn(Var) -> i32) -> i32 {
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
#[inline(always)] // Of each address, so innermost operations cost no call.
pub fn exact(se: &Se, int: impl Fn(Var) -> i32 + Copy) -> Result<i64, ZeroDivisor> {
    let (op, ab) = match se {
        Se::Atom(atom) => return Ok(self::atom(*atom, int).into()),
        Se::Bin(op, ab) => (*op, &**ab),
    };
    let mut fits = true;
    let k = part(op, ab, int, &mut fits);
    if fits { Ok(k) } else { wide(se, int).map(clamp) }
}

/// The exact value of `a ⊕ b`, if everything `fits`: where every part of it fits into 64 bits, and
/// nothing but sums, products and bounds occurs, as in every address that a translation makes.
#[inline(always)]
fn part(op: BinOp, ab: &[Se; 2], int: impl Fn(Var) -> i32 + Copy, fits: &mut bool) -> i64 {
    match ab {
        [Se::Atom(a), Se::Atom(b)] => {
            operation(op, atom(*a, int).into(), atom(*b, int).into(), fits)
        }
        ab => compound_part(op, ab, int, fits),
    }
}

/// [`part`] with an operand that is neither a name nor a constant: most of the time of IMP goes
/// here, so what does not fit is noted beside the values, and innermost operations cost no call.
#[inline(never)]
fn compound_part(
    op: BinOp,
    [a, b]: &[Se; 2],
    int: impl Fn(Var) -> i32 + Copy,
    fits: &mut bool,
) -> i64 {
    let a = match a {
        Se::Atom(a) => atom(*a, int).into(),
        Se::Bin(op, ab) => part(*op, ab, int, fits),
    };
    let b = match b {
        Se::Atom(b) => atom(*b, int).into(),
        Se::Bin(op, ab) => part(*op, ab, int, fits),
    };
    operation(op, a, b, fits)
}

#[inline(always)]
fn operation(op: BinOp, a: i64, b: i64, fits: &mut bool) -> i64 {
    match op {
        BinOp::Add => {
            if let Some(k) = a.checked_add(b) {
                return k;
            }
        }
        BinOp::Sub => {
            if let Some(k) = a.checked_sub(b) {
                return k;
            }
        }
        BinOp::Mul => {
            if let Some(k) = a.checked_mul(b) {
                return k;
            }
        }
        BinOp::Max => return a.max(b),
        BinOp::Min => return a.min(b),
        _ => {}
    }
    *fits = false;
    0
}

/// The exact value, saturated at 128 bits. Shifts to the left multiply by a power of two.
#[cold]
fn wide(se: &Se, int: impl Fn(Var) -> i32 + Copy) -> Result<i128, ZeroDivisor> {
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
        assert_eq!(exact(&big, value), Ok(max * max));
        assert_eq!(wrapping(&big, value), Ok(1));
    }

    #[test]
    fn operands_come_before_the_operator() {
        let inner = Se::bin(BinOp::Div, Se::from(3), Se::from(0));
        let outer = Se::bin(BinOp::Rem, inner, Se::from(0));
        assert_eq!(wrapping(&outer, value), Err(ZeroDivisor { dividend: 3 }));
        assert_eq!(exact(&outer, value), Err(ZeroDivisor { dividend: 3 }));
    }

    /// Where nothing overflows both evaluations agree.
    #[test]
    fn both_agree_on_small_numbers() {
        fn property(a: i16, b: i16) -> bool {
            BinOp::ALL.into_iter().all(|op| {
                let b = if op == BinOp::Shl { b.rem_euclid(16) } else { b };
                let se = Se::bin(op, Se::from(i32::from(a)), Se::from(i32::from(b)));
                exact(&se, value).ok() == wrapping(&se, value).ok().map(i64::from)
            })
        }
        quickcheck::quickcheck(property as fn(i16, i16) -> bool);
    }
}
