//! Scalars in cells of 64 bits, and the operators on them: the scalar table for `i32`, and its
//! like for the other types.
//!
//! A cell holds a bool as 0 or 1, an i32 or i64 with its sign extended, a u32 with zeros and an
//! f32 or f64 as its bits. So each integer, read as an i64, is itself.

use super::syntax::{Lit, Sc, UnOp, Wide};
use crate::kit::scalar::BinOp;

/// A scalar.
pub type Cell = u64;

/// A total operator on one cell.
pub type Unary = fn(Cell) -> Cell;

/// A total operator on two cells.
pub type Binary = fn(Cell, Cell) -> Cell;

/// The cell of an integer of type i32 or i64.
#[inline]
pub fn int(k: i64) -> Cell {
    k as u64
}

/// The cell of a literal.
pub fn literal(lit: Lit) -> Cell {
    match lit {
        Lit::Bool(b) => b.into(),
        Lit::I32(k) => int(k.into()),
        Lit::U32(k) | Lit::F32(k) => k.into(),
        Lit::I64(Wide(k)) | Lit::F64(Wide(k)) => int(k),
    }
}

/// The 32-bit words of a cell, low word first; the second is 0 but for i64 and f64.
#[inline]
pub fn words(sc: Sc, cell: Cell) -> [u32; 2] {
    [cell as u32, if sc.words() == 2 { (cell >> 32) as u32 } else { 0 }]
}

/// The cell that 32-bit words stand for; `high` counts for i64 and f64 only.
#[inline]
pub fn from_words(sc: Sc, low: u32, high: u32) -> Cell {
    match sc {
        Sc::Bool => (low != 0).into(),
        Sc::I32 => int((low as i32).into()),
        Sc::U32 | Sc::F32 => low.into(),
        Sc::I64 | Sc::F64 => u64::from(low) | u64::from(high) << 32,
    }
}

/// The type of `a ⊕ b` for operands of type `sc`, or `None` if there is no such operator.
pub fn result(op: BinOp, sc: Sc) -> Option<Sc> {
    use BinOp::{
        Add, And, Div, Eq, Ge, Gt, Le, Lt, Max, Min, Mul, Ne, Or, Rem, Shl, Shr, Sub, Xor,
    };
    match (op, sc) {
        (Eq | Ne, _) => Some(Sc::Bool),
        (And | Or | Xor, Sc::Bool) => Some(Sc::Bool),
        (_, Sc::Bool) => None,
        (Lt | Le | Gt | Ge, _) => Some(Sc::Bool),
        (Rem | And | Or | Xor | Shl | Shr, Sc::F32 | Sc::F64) => None,
        (Add | Sub | Mul | Div | Min | Max, Sc::F32 | Sc::F64) => Some(sc),
        (_, Sc::I32 | Sc::U32 | Sc::I64) => Some(sc),
    }
}

/// Can the operator get stuck on this type?
pub fn is_partial(op: BinOp, sc: Sc) -> bool {
    op.is_partial() && !sc.is_float()
}

/// `a ⊕ b` for operators that cannot get stuck; `None` for others and where [`result`] has none.
pub fn binary(op: BinOp, sc: Sc) -> Option<Binary> {
    result(op, sc)?;
    match sc {
        Sc::Bool => boolean(op),
        Sc::I32 => signed32(op),
        Sc::U32 => unsigned32(op),
        Sc::I64 => signed64(op),
        Sc::F32 => float32(op),
        Sc::F64 => float64(op),
    }
}

/// `a ⊕ b` and its type, for the operators that programs have most: they cost no call.
#[inline]
pub fn common(op: BinOp, sc: Sc, a: Cell, b: Cell) -> Option<(Sc, Cell)> {
    let i32 = |k: i32| Some((Sc::I32, int(k.into())));
    // An integer is the i64 that its cell is.
    let integers = !sc.is_float();
    match op {
        BinOp::Add if sc == Sc::I32 => i32((a as i32).wrapping_add(b as i32)),
        BinOp::Sub if sc == Sc::I32 => i32((a as i32).wrapping_sub(b as i32)),
        BinOp::Mul if sc == Sc::I32 => i32((a as i32).wrapping_mul(b as i32)),
        BinOp::Add if sc == Sc::U32 => Some((sc, (a as u32).wrapping_add(b as u32).into())),
        BinOp::Lt if integers => Some((Sc::Bool, ((a as i64) < b as i64).into())),
        BinOp::Le if integers => Some((Sc::Bool, (a as i64 <= b as i64).into())),
        BinOp::Gt if integers => Some((Sc::Bool, (a as i64 > b as i64).into())),
        BinOp::Ge if integers => Some((Sc::Bool, (a as i64 >= b as i64).into())),
        BinOp::Eq if integers => Some((Sc::Bool, (a == b).into())),
        BinOp::And if sc == Sc::Bool => Some((sc, a & b)),
        _ => None,
    }
}

fn boolean(op: BinOp) -> Option<Binary> {
    Some(match op {
        BinOp::And => |a, b| a & b,
        BinOp::Or => |a, b| a | b,
        BinOp::Xor | BinOp::Ne => |a, b| a ^ b,
        BinOp::Eq => |a, b| (a == b).into(),
        _ => return None,
    })
}

/// Operators of an integer type of Rust.
macro_rules! integers {
    ($op:expr, $ty:ty, $cell:expr) => {
        Some(match $op {
            BinOp::Add => |a, b| $cell((a as $ty).wrapping_add(b as $ty)),
            BinOp::Sub => |a, b| $cell((a as $ty).wrapping_sub(b as $ty)),
            BinOp::Mul => |a, b| $cell((a as $ty).wrapping_mul(b as $ty)),
            BinOp::Min => |a, b| $cell((a as $ty).min(b as $ty)),
            BinOp::Max => |a, b| $cell((a as $ty).max(b as $ty)),
            BinOp::And => |a, b| a & b,
            BinOp::Or => |a, b| a | b,
            BinOp::Xor => |a, b| a ^ b,
            BinOp::Shl => |a, b| $cell((a as $ty).wrapping_shl(b as u32)),
            BinOp::Shr => |a, b| $cell((a as $ty).wrapping_shr(b as u32)),
            BinOp::Eq => |a, b| (a == b).into(),
            BinOp::Ne => |a, b| (a != b).into(),
            BinOp::Lt => |a, b| ((a as $ty) < (b as $ty)).into(),
            BinOp::Le => |a, b| ((a as $ty) <= (b as $ty)).into(),
            BinOp::Gt => |a, b| ((a as $ty) > (b as $ty)).into(),
            BinOp::Ge => |a, b| ((a as $ty) >= (b as $ty)).into(),
            BinOp::Div | BinOp::Rem => return None,
        })
    };
}

fn signed32(op: BinOp) -> Option<Binary> {
    integers!(op, i32, |k: i32| int(k.into()))
}

fn unsigned32(op: BinOp) -> Option<Binary> {
    integers!(op, u32, Cell::from)
}

fn signed64(op: BinOp) -> Option<Binary> {
    integers!(op, i64, int)
}

/// The float in a cell.
#[inline]
pub fn float(cell: Cell) -> f32 {
    f32::from_bits(cell as u32)
}

/// The f64 in a cell.
#[inline]
pub fn double(cell: Cell) -> f64 {
    f64::from_bits(cell)
}

/// Operators of a type of floats, which `$float` finds in a cell.
macro_rules! floats {
    ($op:expr, $float:expr) => {
        Some(match $op {
            BinOp::Add => |a, b| ($float(a) + $float(b)).to_bits().into(),
            BinOp::Sub => |a, b| ($float(a) - $float(b)).to_bits().into(),
            BinOp::Mul => |a, b| ($float(a) * $float(b)).to_bits().into(),
            BinOp::Div => |a, b| ($float(a) / $float(b)).to_bits().into(),
            BinOp::Min => |a, b| if $float(b) < $float(a) { b } else { a },
            BinOp::Max => |a, b| if $float(a) < $float(b) { b } else { a },
            BinOp::Eq => |a, b| ($float(a) == $float(b)).into(),
            BinOp::Ne => |a, b| ($float(a) != $float(b)).into(),
            BinOp::Lt => |a, b| ($float(a) < $float(b)).into(),
            BinOp::Le => |a, b| ($float(a) <= $float(b)).into(),
            BinOp::Gt => |a, b| ($float(a) > $float(b)).into(),
            BinOp::Ge => |a, b| ($float(a) >= $float(b)).into(),
            _ => return None,
        })
    };
}

fn float32(op: BinOp) -> Option<Binary> {
    floats!(op, float)
}

fn float64(op: BinOp) -> Option<Binary> {
    floats!(op, double)
}

/// `a / b` or `a % b` of an integer type; `None` for a zero divisor.
#[inline]
pub fn divide(op: BinOp, sc: Sc, a: Cell, b: Cell) -> Option<Cell> {
    if b == 0 {
        return None;
    }
    let rem = op == BinOp::Rem;
    Some(match sc {
        Sc::I32 if rem => int((a as i32).wrapping_rem(b as i32).into()),
        Sc::I32 => int((a as i32).wrapping_div(b as i32).into()),
        Sc::I64 if rem => int((a as i64).wrapping_rem(b as i64)),
        Sc::I64 => int((a as i64).wrapping_div(b as i64)),
        _ if rem => a % b,
        _ => a / b,
    })
}

/// `⊖a`, or `None` if there is no such operator.
pub fn unary(op: UnOp, sc: Sc) -> Option<Unary> {
    Some(match (op, sc) {
        (UnOp::Neg, Sc::I32) => |a| int((a as i32).wrapping_neg().into()),
        (UnOp::Neg, Sc::I64) => |a| int((a as i64).wrapping_neg()),
        (UnOp::Neg, Sc::F32) => |a| a ^ 0x8000_0000,
        (UnOp::Neg, Sc::F64) => |a| a ^ 1 << 63,
        (UnOp::Not, Sc::Bool) => |a| a ^ 1,
        (UnOp::Complement, Sc::I32 | Sc::I64) => |a| !a,
        (UnOp::Complement, Sc::U32) => |a| (!(a as u32)).into(),
        _ => return None,
    })
}

/// The conversion of one scalar type to another.
pub fn cast(from: Sc, to: Sc) -> Unary {
    match (from, to) {
        (Sc::F32, Sc::Bool) => |a| (float(a) != 0.0).into(),
        (Sc::F32, Sc::I32) => |a| int((float(a) as i32).into()),
        (Sc::F32, Sc::U32) => |a| (float(a) as u32).into(),
        (Sc::F32, Sc::I64) => |a| int(float(a) as i64),
        (Sc::F32, Sc::F32) | (Sc::F64, Sc::F64) => |a| a,
        (Sc::F32, Sc::F64) => |a| f64::from(float(a)).to_bits(),
        (Sc::F64, Sc::Bool) => |a| (double(a) != 0.0).into(),
        (Sc::F64, Sc::I32) => |a| int((double(a) as i32).into()),
        (Sc::F64, Sc::U32) => |a| (double(a) as u32).into(),
        (Sc::F64, Sc::I64) => |a| int(double(a) as i64),
        (Sc::F64, Sc::F32) => |a| (double(a) as f32).to_bits().into(),
        (_, Sc::Bool) => |a| (a != 0).into(),
        (_, Sc::I32) => |a| int((a as i32).into()),
        (_, Sc::U32) => |a| (a as u32).into(),
        (_, Sc::I64) => |a| a,
        (_, Sc::F32) => |a| (a as i64 as f32).to_bits().into(),
        (_, Sc::F64) => |a| (a as i64 as f64).to_bits(),
    }
}

/// The same bits as another type, or `None` where they differ in width.
pub fn bitcast(from: Sc, to: Sc) -> Option<Unary> {
    let numbers = from != Sc::Bool && to != Sc::Bool;
    (numbers && from.words() == to.words()).then_some(match to {
        Sc::I64 | Sc::F64 => |a| a,
        Sc::I32 => |a| int((a as i32).into()),
        _ => |a| (a as u32).into(),
    })
}

/// The nearest 64-bit integer.
pub fn clamp(k: i128) -> i64 {
    k.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On i32 the operators are the scalar table.
    #[test]
    fn i32_is_the_scalar_table() {
        fn property(a: i32, b: i32) -> bool {
            BinOp::ALL.into_iter().all(|op| {
                [(a, b), (i32::MIN, -1), (a, 0), (a, a), (b, 37)].into_iter().all(|(a, b)| {
                    let (x, y) = (int(a.into()), int(b.into()));
                    let same = |k| common(op, Sc::I32, x, y).is_none_or(|(_, common)| k == common);
                    let mine = match binary(op, Sc::I32) {
                        Some(f) => Some(f(x, y)),
                        None => divide(op, Sc::I32, x, y),
                    };
                    mine == op.apply(a, b).ok().map(|k| int(k.into())) && mine.is_none_or(same)
                })
            })
        }
        quickcheck::quickcheck(property as fn(i32, i32) -> bool);
    }

    /// Words keep every cell that an operator can make.
    #[test]
    fn words_keep_cells() {
        fn property(a: u64, b: u64) -> bool {
            [Sc::Bool, Sc::I32, Sc::U32, Sc::I64, Sc::F64].into_iter().all(|sc| {
                let (a, b) = (cast(Sc::I64, sc)(a), cast(Sc::I64, sc)(b));
                BinOp::ALL.into_iter().filter_map(|op| Some((op, binary(op, sc)?))).all(
                    |(op, f)| {
                        let sc = result(op, sc).expect("it has a function");
                        let [low, high] = words(sc, f(a, b));
                        from_words(sc, low, high) == f(a, b)
                    },
                )
            })
        }
        quickcheck::quickcheck(property as fn(u64, u64) -> bool);
    }

    #[test]
    fn corners_of_the_other_types() {
        let u32s = |op, a: u32, b: u32| binary(op, Sc::U32).map(|f| f(a.into(), b.into()));
        assert_eq!(u32s(BinOp::Sub, 0, 1), Some(u64::from(u32::MAX)));
        assert_eq!(u32s(BinOp::Shr, 0x8000_0000, 33), Some(0x4000_0000));
        assert_eq!(u32s(BinOp::Lt, 1, u32::MAX), Some(1));
        let min = int(i64::MIN);
        assert_eq!(divide(BinOp::Div, Sc::I64, min, int(-1)), Some(min));
        assert_eq!(divide(BinOp::Rem, Sc::U32, 7, 0), None);
        let f = |x: f32| u64::from(x.to_bits());
        assert_eq!(cast(Sc::F32, Sc::I32)(f(3e9)), int(i32::MAX.into()));
        assert_eq!(cast(Sc::F32, Sc::U32)(f(-1.5)), 0);
        assert_eq!(cast(Sc::F32, Sc::I32)(f(f32::NAN)), 0);
        assert_eq!(cast(Sc::I32, Sc::F32)(int(-3)), f(-3.0));
        assert_eq!(bitcast(Sc::U32, Sc::I32).map(|f| f(0xffff_ffff)), Some(int(-1)));
        let d = f64::to_bits;
        assert_eq!(cast(Sc::F64, Sc::I64)(d(-1e300)), int(i64::MIN));
        assert_eq!(cast(Sc::F64, Sc::F32)(d(0.1)), f(0.1));
        assert_eq!(cast(Sc::F32, Sc::F64)(f(-2.5)), d(-2.5));
        assert_eq!(binary(BinOp::Mul, Sc::F64).map(|of| of(d(0.1), d(3.0))), Some(d(0.1 * 3.0)));
        assert_eq!(bitcast(Sc::F64, Sc::I64).map(|of| of(d(-0.0))), Some(int(i64::MIN)));
        assert!(bitcast(Sc::I64, Sc::F32).is_none() && binary(BinOp::Shl, Sc::F32).is_none());
    }
}
