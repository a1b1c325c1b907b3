//! The scalar table: one meaning of every operator for all languages.
//!
//! `int` is a 32-bit two's-complement integer. Reading "Scalars, all languages" in
//! `proofs-notes/readings.md` settles the corner cases.

use super::outcome::Cause;
use serde::{Deserialize, Serialize};

/// The binary operators `⊕` of scalar expressions over `int`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BinOp {
    /// Wraps.
    Add,
    /// Wraps.
    Sub,
    /// Wraps.
    Mul,
    /// Truncates toward zero; `MIN / -1` is `MIN`; a zero divisor is stuck.
    Div,
    /// The sign of the dividend; `MIN % -1` is 0; a zero divisor is stuck.
    Rem,
    /// Signed minimum.
    Min,
    /// Signed maximum.
    Max,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// The low five bits of the amount count.
    Shl,
    /// Keeps the sign; the low five bits of the amount count.
    Shr,
    /// 0 or 1.
    Eq,
    /// 0 or 1.
    Ne,
    /// 0 or 1, signed.
    Lt,
    /// 0 or 1, signed.
    Le,
    /// 0 or 1, signed.
    Gt,
    /// 0 or 1, signed.
    Ge,
}

/// How an operator is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// Between its operands, with the binding strength (higher binds tighter).
    Infix(&'static str, u8),
    /// As a function of two arguments.
    Call(&'static str),
}

impl BinOp {
    /// Every operator.
    pub const ALL: [BinOp; 18] = [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::Div,
        BinOp::Rem,
        BinOp::Min,
        BinOp::Max,
        BinOp::And,
        BinOp::Or,
        BinOp::Xor,
        BinOp::Shl,
        BinOp::Shr,
        BinOp::Eq,
        BinOp::Ne,
        BinOp::Lt,
        BinOp::Le,
        BinOp::Gt,
        BinOp::Ge,
    ];

    /// How the operator is written. All infix operators associate to the left; comparisons do
    /// not associate.
    pub fn notation(self) -> Notation {
        use Notation::{Call, Infix};
        match self {
            BinOp::Or => Infix("|", 1),
            BinOp::Xor => Infix("^", 2),
            BinOp::And => Infix("&", 3),
            BinOp::Eq => Infix("==", 4),
            BinOp::Ne => Infix("!=", 4),
            BinOp::Lt => Infix("<", 4),
            BinOp::Le => Infix("<=", 4),
            BinOp::Gt => Infix(">", 4),
            BinOp::Ge => Infix(">=", 4),
            BinOp::Shl => Infix("<<", 5),
            BinOp::Shr => Infix(">>", 5),
            BinOp::Add => Infix("+", 6),
            BinOp::Sub => Infix("-", 6),
            BinOp::Mul => Infix("*", 7),
            BinOp::Div => Infix("/", 7),
            BinOp::Rem => Infix("%", 7),
            BinOp::Min => Call("min"),
            BinOp::Max => Call("max"),
        }
    }

    /// Is `a ⊕ b ⊕ c` written for `(a ⊕ b) ⊕ c`? Comparisons do not associate.
    pub fn associates(self) -> bool {
        !matches!(self, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge)
    }

    /// Can the operator get stuck?
    pub fn is_partial(self) -> bool {
        matches!(self, BinOp::Div | BinOp::Rem)
    }

    /// `a ⊕ b`.
    ///
    /// # Errors
    /// [`Cause::DivisionByZero`] for `/` and `%` with `b = 0`.
    #[inline]
    pub fn apply(self, a: i32, b: i32) -> Result<i32, Cause> {
        self.checked(a, b).ok_or(Cause::DivisionByZero)
    }

    /// `a ⊕ b`; `None` for a zero divisor.
    #[inline]
    pub fn checked(self, a: i32, b: i32) -> Option<i32> {
        Some(match self {
            BinOp::Add => a.wrapping_add(b),
            BinOp::Sub => a.wrapping_sub(b),
            BinOp::Mul => a.wrapping_mul(b),
            BinOp::Div | BinOp::Rem if b == 0 => return None,
            BinOp::Div => a.wrapping_div(b),
            BinOp::Rem => a.wrapping_rem(b),
            BinOp::Min => a.min(b),
            BinOp::Max => a.max(b),
            BinOp::And => a & b,
            BinOp::Or => a | b,
            BinOp::Xor => a ^ b,
            BinOp::Shl => a.wrapping_shl(b as u32),
            BinOp::Shr => a.wrapping_shr(b as u32),
            BinOp::Eq => i32::from(a == b),
            BinOp::Ne => i32::from(a != b),
            BinOp::Lt => i32::from(a < b),
            BinOp::Le => i32::from(a <= b),
            BinOp::Gt => i32::from(a > b),
            BinOp::Ge => i32::from(a >= b),
        })
    }

    /// `a ⊕ b` exactly, saturating at 128 bits, as sizes and offsets are evaluated;
    /// comparisons give 0 or 1; `None` for a zero divisor.
    pub fn exact(self, a: i128, b: i128) -> Option<i128> {
        Some(match self {
            BinOp::Add => a.saturating_add(b),
            BinOp::Sub => a.saturating_sub(b),
            BinOp::Mul => a.saturating_mul(b),
            BinOp::Div | BinOp::Rem if b == 0 => return None,
            BinOp::Div => a.saturating_div(b),
            BinOp::Rem => a.wrapping_rem(b),
            BinOp::Min => a.min(b),
            BinOp::Max => a.max(b),
            BinOp::And => a & b,
            BinOp::Or => a | b,
            BinOp::Xor => a ^ b,
            BinOp::Shl => a.saturating_mul(1 << (b & 31)),
            BinOp::Shr => a >> (b & 31),
            BinOp::Eq => i128::from(a == b),
            BinOp::Ne => i128::from(a != b),
            BinOp::Lt => i128::from(a < b),
            BinOp::Le => i128::from(a <= b),
            BinOp::Gt => i128::from(a > b),
            BinOp::Ge => i128::from(a >= b),
        })
    }
}

/// The greatest common divisor; that of 0 and a number is the number.
pub(crate) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
