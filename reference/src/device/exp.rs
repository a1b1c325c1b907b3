//! Making expressions, and taking them apart.

use super::syntax::{Exp, Lit, Place, Ty};
use crate::kit::names::Var;
use crate::kit::scalar::BinOp;

impl Exp {
    /// A variable.
    pub fn var(var: Var) -> Exp {
        Exp::Var(var)
    }

    /// `k`
    pub fn i32(k: i32) -> Exp {
        Exp::Lit(Lit::I32(k))
    }

    /// `u32 k`
    pub fn u32(k: u32) -> Exp {
        Exp::Lit(Lit::U32(k))
    }

    /// `i64 k`
    pub fn i64(k: i64) -> Exp {
        Exp::Lit(Lit::I64(k))
    }

    /// `a ⊕ b`
    pub fn bin(op: BinOp, a: Exp, b: Exp) -> Exp {
        Exp::Bin(op, Box::new(a), Box::new(b))
    }

    /// A vector, an array or a structure of these parts.
    pub fn make(ty: Ty, parts: Vec<Exp>) -> Exp {
        Exp::Make(Box::new((ty, parts)))
    }

    /// `place`, read.
    pub fn load(place: Place) -> Exp {
        Exp::Load(Box::new(place))
    }
}
