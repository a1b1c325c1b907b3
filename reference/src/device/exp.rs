//! Making expressions, and taking them apart.

use super::syntax::{Block, Element, Exp, Lit, Place, Switch, Ty, Wide};
use crate::kit::names::Var;
use crate::kit::scalar::BinOp;

impl Exp {
    /// Is it one without parts? Half of all are, so walks over expressions ask this first.
    #[inline]
    pub fn is_leaf(&self) -> bool {
        matches!(self, Exp::Lit(_) | Exp::Var(_) | Exp::Builtin(_))
    }

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
        Exp::Lit(Lit::I64(Wide(k)))
    }

    /// `a ⊕ b`
    pub fn bin(op: BinOp, a: Exp, b: Exp) -> Exp {
        Exp::Bin(op, Box::new([a, b]))
    }

    /// `select(c, a, b)`
    pub fn select(c: Exp, a: Exp, b: Exp) -> Exp {
        Exp::Select(Box::new([c, a, b]))
    }

    /// A vector, an array or a structure of these parts.
    pub fn make(ty: Ty, parts: Vec<Exp>) -> Exp {
        Exp::Make(Box::new((ty, parts)))
    }

    /// Element `i` of an array or vector that is a value.
    pub fn at(a: Exp, i: Exp) -> Exp {
        Exp::At(Box::new([a, i]))
    }

    /// The block with base and length.
    pub fn block(element: Element, base: Exp, length: Exp) -> Exp {
        Exp::Block(element, Box::new([base, length]))
    }

    /// `place`, read.
    pub fn load(place: Place) -> Exp {
        Exp::Load(Box::new(place))
    }
}

impl Switch {
    /// The block that is taken for this value.
    pub fn taken_mut(&mut self, value: Lit) -> &mut Block {
        let case = self.cases.iter_mut().find(|case| case.literal == value);
        case.map_or(&mut self.orelse, |case| &mut case.body)
    }
}
