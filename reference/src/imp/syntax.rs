//! Syntactic objects of IMP (fig. 11), with `check` and the sequential `for` of
//! `proofs-notes/readings.md`.

use crate::fun::syntax::{Atom, Se};
use crate::kit::names::{Names, Var};
use crate::kit::outcome::Cause;
use crate::kit::text::Span;
use serde::{Deserialize, Serialize};

/// Types `τ` of IMP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Ty {
    /// `int`
    Int,
    /// `mem`
    Mem,
}

/// A statement and where the statement stands that it came from: the site of whatever gets
/// stuck in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stm {
    /// The place.
    pub span: Span,
    /// The statement itself.
    pub kind: Kind,
}

/// Statements `s`; a sequence `s; s` is a vector, `skip` the empty one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// `skip`
    Skip,
    /// `var x : τ`: an int is 0, a block is `⊥` until it is assigned.
    Var(Var, Ty),
    /// `x ← se`, ints
    Assign(Var, Se),
    /// `x ← y`, blocks
    AssignMem(Var, Var),
    /// `x ← alloc se`: a fresh block of zeros; its size is evaluated exactly.
    Alloc(Var, Se),
    /// `x ← y[se]`; offsets count from 0.
    Read {
        /// `x`
        into: Var,
        /// `y`
        block: Var,
        /// `se`
        offset: Se,
    },
    /// `x[se] ← se`
    Write {
        /// `x`
        block: Var,
        /// The offset, from 0.
        offset: Se,
        /// What is written.
        value: Se,
    },
    /// `if x then s else s fi`
    If {
        /// `x`; any number but 0 is true.
        cond: Atom,
        /// Taken when `x ≠ 0`.
        then: Vec<Stm>,
        /// Taken when `x = 0`.
        orelse: Vec<Stm>,
    },
    /// `kernel x ≤ se do s done`: iterations share the heap; each starts from the environment
    /// at entry, which is restored after it.
    Kernel {
        /// The thread, `1..=count`.
        thread: Var,
        /// `se`
        count: Se,
        /// `s`
        body: Vec<Stm>,
    },
    /// `for x ≤ se do s done` (extension): rounds one after the other in one environment.
    For {
        /// The round, `1..=count`.
        counter: Var,
        /// `se`
        count: Se,
        /// `s`
        body: Vec<Stm>,
    },
    /// `check cause(se, …, se)` (extension): stuck unless [`holds`](crate::kit::outcome::holds) for the operands.
    Check {
        /// What is tested.
        cause: Cause,
        /// As [`Cause::operands`] names them.
        operands: Vec<Se>,
    },
}

/// A parameter of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    /// The name.
    pub var: Var,
    /// `None` for an int; the sizes of the array that the block holds, row-major.
    pub shape: Option<Vec<Atom>>,
}

/// A result of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Output {
    /// An int.
    Int(Atom),
    /// An array: what `block` holds at `offset + ∑ (yᵢ - 1) · sᵢ`.
    Array {
        /// The block.
        block: Var,
        /// Sizes, outermost first.
        shape: Vec<Atom>,
        /// Offset of the first element.
        offset: Se,
        /// One stride for each size.
        strides: Vec<Se>,
    },
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Every name.
    pub names: Names,
    /// The initial environment.
    pub params: Vec<Param>,
    /// The statements.
    pub body: Vec<Stm>,
    /// What is observed at the end.
    pub results: Vec<Output>,
}
