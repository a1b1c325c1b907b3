//! Making expressions, and taking them apart.

use super::syntax::{Exp, Lit, Place};
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

    /// `ku`
    pub fn u32(k: u32) -> Exp {
        Exp::Lit(Lit::U32(k))
    }

    /// `kl`
    pub fn i64(k: i64) -> Exp {
        Exp::Lit(Lit::I64(k))
    }

    /// `a ⊕ b`
    pub fn bin(op: BinOp, a: Exp, b: Exp) -> Exp {
        Exp::Bin(op, Box::new(a), Box::new(b))
    }

    /// `place`, read.
    pub fn load(place: Place) -> Exp {
        Exp::Load(Box::new(place))
    }

    /// The expressions directly inside, in the order of evaluation; those inside of places
    /// not.
    pub fn parts(&self) -> impl Iterator<Item = &Exp> {
        let (some, many): ([Option<&Exp>; 3], &[Exp]) = match self {
            Exp::Lit(_) | Exp::Var(_) | Exp::Builtin(_) | Exp::Load(_) | Exp::Ref(_) => {
                ([None; 3], &[])
            }
            Exp::Un(_, a)
            | Exp::Cast(_, a)
            | Exp::Bitcast(_, a)
            | Exp::Field(a, _)
            | Exp::Length(a)
            | Exp::Base(a) => ([Some(a), None, None], &[]),
            Exp::Bin(_, a, b) | Exp::At(a, b) | Exp::Block(_, a, b) => {
                ([Some(a), Some(b), None], &[])
            }
            Exp::Select(a, b, c) => ([Some(a), Some(b), Some(c)], &[]),
            Exp::Make(_, parts) => ([None; 3], parts),
        };
        some.into_iter().flatten().chain(many)
    }
}
