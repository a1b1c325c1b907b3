//! Syntactic objects of FUN (fig. 1), with the extensions of `proofs-notes/readings.md`.
//!
//! FUNMEM is FUN with other types in its patterns and a few more expressions (fig. 6). So the
//! syntax is written once, over a [`Dialect`]: [`Fun`] here, `FunMem` in its own room.
//!
//! The core is in administrative normal form and every name is bound once in a program, so a
//! [`Var`] is a slot. Where the paper wants a name, the core takes an [`Atom`]: a name or a
//! constant.

use crate::kit::names::{Names, Var};
use crate::kit::scalar::BinOp;
use crate::kit::text::Span;
use serde::{Deserialize, Serialize};
use smallvec::{SmallVec, smallvec};
use std::fmt::Debug;
use std::sync::Arc;

/// What differs between FUN and FUNMEM.
pub trait Dialect: Clone + Debug + PartialEq + Eq + 'static {
    /// Types `τ` of bindings.
    type Ty: Clone + Debug + PartialEq + Eq + Serialize + for<'de> Deserialize<'de>;
    /// Expressions that the other dialect lacks.
    type Extra: Clone + Debug + PartialEq + Eq + Serialize + for<'de> Deserialize<'de>;
}

/// The dialect FUN.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fun;

impl Dialect for Fun {
    type Ty = Ty;
    type Extra = Never;
}

/// No expression at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Never {}

/// A name or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Atom {
    /// `k`
    Const(i32),
    /// `x`
    Var(Var),
}

impl Atom {
    /// The name, if it is one.
    pub fn var(self) -> Option<Var> {
        match self {
            Atom::Var(var) => Some(var),
            Atom::Const(_) => None,
        }
    }
}

impl From<Var> for Atom {
    fn from(var: Var) -> Self {
        Atom::Var(var)
    }
}

impl From<i32> for Atom {
    fn from(k: i32) -> Self {
        Atom::Const(k)
    }
}

/// Types `τ` of FUN.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Ty {
    /// `int`
    Int,
    /// `[x]⋯[x]`: at least one size, outermost first.
    Array(Vec<Atom>),
}

/// Scalar expressions `se`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Se {
    /// `k` or `x`
    Atom(Atom),
    /// `se ⊕ se`. Shared, for a translation writes the same expression in many places.
    Bin(BinOp, Arc<[Se; 2]>),
}

impl Se {
    /// `a ⊕ b`
    pub fn bin(op: BinOp, a: impl Into<Se>, b: impl Into<Se>) -> Se {
        Se::Bin(op, Arc::new([a.into(), b.into()]))
    }
}

impl<A: Into<Atom>> From<A> for Se {
    fn from(atom: A) -> Self {
        Se::Atom(atom.into())
    }
}

/// One dimension `offset : size : stride` of a slice. Element `k` (from 1) is element
/// `offset + (k - 1) * stride` of the array; the paper's slices have stride 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Dim {
    /// Index of the first element, from 1.
    pub offset: Atom,
    /// How many elements.
    pub size: Atom,
    /// Step between elements; may be zero or negative (extension).
    pub stride: Atom,
}

/// A binding `(x : τ)`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Binding<D: Dialect> {
    /// The name.
    pub var: Var,
    /// Its type; sizes may be bound in the same pattern.
    pub ty: D::Ty,
}

/// Expressions `e`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum Exp<D: Dialect> {
    /// `se`
    Scalar(Se),
    /// `x[y, …, y]`, one index for each dimension, from 1.
    Index {
        /// `x`
        array: Var,
        /// As many as the rank.
        index: Vec<Atom>,
    },
    /// `x[y : y, …, y : y]`
    Slice {
        /// `x`
        array: Var,
        /// As many as the rank.
        slice: Vec<Dim>,
    },
    /// `transpose x`, of rank 2.
    Transpose(Var),
    /// `if x then b else b`; any number but 0 is true.
    If {
        /// `x`
        cond: Atom,
        /// Taken when `x ≠ 0`.
        then: Body<D>,
        /// Taken when `x = 0`.
        orelse: Body<D>,
    },
    /// `kernel x ≤ y do b`; the body gives one result for each name of the pattern.
    Kernel {
        /// The thread, `1..=count`.
        thread: Var,
        /// `y`
        count: Atom,
        /// `b`
        body: Body<D>,
    },
    /// `loop (x : τ = y) ⋯ for i ≤ n do b` (extension).
    Loop {
        /// Carried variables with what they start from.
        carried: Vec<(Binding<D>, Atom)>,
        /// The round, `1..=count`.
        counter: Var,
        /// `n`
        count: Atom,
        /// `b`: one result for each carried variable.
        body: Body<D>,
    },
    /// `x with [slice] = y` (extension): `y` is an array of the slice's sizes, or an int that
    /// fills the slice. Consumes `x`.
    Update {
        /// `x`
        array: Var,
        /// As many as the rank.
        slice: Vec<Dim>,
        /// `y`
        value: Atom,
    },
    /// What only this dialect has.
    Extra(D::Extra),
}

/// A statement `let p⋯p = e`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Stm<D: Dialect> {
    /// Where it stands: the site of whatever gets stuck in it.
    pub span: Span,
    /// `p⋯p`
    pub pattern: Vec<Binding<D>>,
    /// `e`
    pub exp: Exp<D>,
}

/// A body `s⋯s in (x, …, x)`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Body<D: Dialect> {
    /// The statements.
    pub stms: Vec<Stm<D>>,
    /// The results.
    pub results: Vec<Atom>,
    /// Where the result stands.
    pub span: Span,
}

/// A program: a body and the parameters that are its initial environment (extension; the
/// paper's programs have none).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Program<D: Dialect> {
    /// Every name.
    pub names: Names,
    /// `param p⋯p`; sizes of later parameters may be earlier ones.
    pub params: Vec<Binding<D>>,
    /// The body.
    pub body: Body<D>,
}

impl<D: Dialect> Exp<D> {
    /// The bodies inside, in order.
    pub fn bodies(&self) -> SmallVec<[&Body<D>; 2]> {
        match self {
            Exp::If { then, orelse, .. } => smallvec![then, orelse],
            Exp::Kernel { body, .. } | Exp::Loop { body, .. } => smallvec![body],
            _ => SmallVec::new(),
        }
    }

    /// The bodies inside, in order, to be changed.
    pub fn bodies_mut(&mut self) -> SmallVec<[&mut Body<D>; 2]> {
        match self {
            Exp::If { then, orelse, .. } => SmallVec::from_buf([then, orelse]),
            Exp::Kernel { body, .. } | Exp::Loop { body, .. } => smallvec![body],
            _ => SmallVec::new(),
        }
    }
}

impl<D: Dialect> Program<D> {
    /// The names of the parameters, in order.
    pub(crate) fn parameters(&self) -> Vec<String> {
        self.params.iter().map(|param| self.names.written(param.var).to_owned()).collect()
    }
}

impl<D: Dialect> Body<D> {
    /// How many statements it has, those of inner bodies included.
    pub fn size(&self) -> usize {
        self.stms
            .iter()
            .map(|stm| 1 + stm.exp.bodies().into_iter().map(Body::size).sum::<usize>())
            .sum()
    }
}
