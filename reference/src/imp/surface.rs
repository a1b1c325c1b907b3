//! What the grammar makes of a source: names are still text. The [parser](super::parse) finds
//! out what each stands for.

use super::syntax::Ty;
use crate::kit::scalar::BinOp;
use crate::kit::surface::{self, Act, Tree};
use crate::kit::text::{Rejected, Span};

pub(crate) use crate::kit::surface::{Name, bin, expr, user};

/// A scalar expression.
pub(crate) type Expr<'s> = surface::Expr<ExprKind<'s>>;

#[derive(Clone, Debug)]
pub(crate) enum ExprKind<'s> {
    /// `k`, up to one more than the largest int.
    Int(i64),
    Name(&'s str),
    Bin(BinOp, Box<Expr<'s>>, Box<Expr<'s>>),
}

/// A statement; its span ends before its first body.
#[derive(Clone, Debug)]
pub(crate) struct Stm<'s> {
    pub(crate) span: Span,
    pub(crate) kind: Kind<'s>,
}

/// As in the [syntax](super::syntax), but `Assign` is of ints or blocks.
#[derive(Clone, Debug)]
pub(crate) enum Kind<'s> {
    Skip,
    Var(Name<'s>, Ty),
    Assign(Name<'s>, Expr<'s>),
    Alloc(Name<'s>, Expr<'s>),
    Read(Name<'s>, Name<'s>, Expr<'s>),
    Write(Name<'s>, Expr<'s>, Expr<'s>),
    If(Expr<'s>, Vec<Stm<'s>>, Vec<Stm<'s>>),
    Kernel(Name<'s>, Expr<'s>, Vec<Stm<'s>>),
    For(Name<'s>, Expr<'s>, Vec<Stm<'s>>),
    Check(Name<'s>, Vec<Expr<'s>>),
}

#[derive(Clone, Debug)]
pub(crate) struct Param<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) shape: Option<Vec<Expr<'s>>>,
}

#[derive(Clone, Debug)]
pub(crate) enum Output<'s> {
    Int(Expr<'s>),
    Array {
        block: Name<'s>,
        shape: Vec<Expr<'s>>,
        offset: Expr<'s>,
        /// Extent and stride.
        dims: Vec<(Expr<'s>, Expr<'s>)>,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Program<'s> {
    pub(crate) params: Vec<Param<'s>>,
    pub(crate) body: Vec<Stm<'s>>,
    pub(crate) results: Vec<Output<'s>>,
}

impl<'s> Tree for ExprKind<'s> {
    fn bin(op: BinOp, a: Box<Expr<'s>>, b: Box<Expr<'s>>) -> Self {
        ExprKind::Bin(op, a, b)
    }

    fn parts(&self) -> Vec<&Expr<'s>> {
        match self {
            ExprKind::Int(_) | ExprKind::Name(_) => Vec::new(),
            ExprKind::Bin(_, a, b) => vec![a, b],
        }
    }
}

/// `-e`: a negative number, or `0 - e`.
pub(crate) fn negated<'s>(e: Expr<'s>, l: usize, r: usize) -> Act<'s, Expr<'s>> {
    match e.kind {
        ExprKind::Int(k) if k > 0 => expr(ExprKind::Int(-k), l, r),
        _ => bin(BinOp::Sub, expr(ExprKind::Int(0), l, l)?, e, l, r),
    }
}

/// Only a name or a number may stand here.
pub(crate) fn atomic<'s>(e: Expr<'s>) -> Act<'s, Expr<'s>> {
    match e.kind {
        ExprKind::Bin(..) => {
            let message = "only a name or a number may stand here";
            let error = Rejected::new(e.span, message, "an expression")
                .help("assign it to a variable first");
            Err(user(error))
        }
        _ => Ok(e),
    }
}
