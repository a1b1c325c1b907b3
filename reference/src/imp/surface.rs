//! What the grammar makes of a source: names are still text. The [parser](super::parse) finds
//! out what each stands for.

use super::syntax::Ty;
use crate::kit::lex::{Token, too_tall};
use crate::kit::scalar::BinOp;
use crate::kit::text::{MAX_NESTING, Rejected, Span};
use lalrpop_util::ParseError;

/// A name and where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'s> {
    pub(crate) text: &'s str,
    pub(crate) span: Span,
}

/// A scalar expression.
#[derive(Clone, Debug)]
pub(crate) struct Expr<'s> {
    pub(crate) kind: ExprKind<'s>,
    pub(crate) span: Span,
    /// Height of the tree, at most [`MAX_NESTING`].
    depth: usize,
}

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

impl<'s> Expr<'s> {
    pub(crate) fn leaf(kind: ExprKind<'s>, l: usize, r: usize) -> Self {
        Expr { kind, span: Span::new(l, r), depth: 1 }
    }
}

type Error<'s> = ParseError<usize, Token<'s>, Rejected>;

/// `a ⊕ b`
pub(crate) fn bin<'s>(
    op: BinOp,
    a: Expr<'s>,
    b: Expr<'s>,
    l: usize,
    r: usize,
) -> Result<Expr<'s>, Error<'s>> {
    let depth = 1 + a.depth.max(b.depth);
    let span = Span::new(l, r);
    if depth > MAX_NESTING {
        return Err(ParseError::User { error: too_tall(span) });
    }
    Ok(Expr { kind: ExprKind::Bin(op, Box::new(a), Box::new(b)), span, depth })
}

/// `-e`: a negative number, or `0 - e`.
pub(crate) fn negated<'s>(e: Expr<'s>, l: usize, r: usize) -> Result<Expr<'s>, Error<'s>> {
    match e.kind {
        ExprKind::Int(k) if k > 0 => Ok(Expr::leaf(ExprKind::Int(-k), l, r)),
        _ => bin(BinOp::Sub, Expr::leaf(ExprKind::Int(0), l, l), e, l, r),
    }
}

/// Only a name or a number may stand here.
pub(crate) fn atomic<'s>(e: Expr<'s>) -> Result<Expr<'s>, Error<'s>> {
    match e.kind {
        ExprKind::Bin(..) => {
            let message = "only a name or a number may stand here";
            let error = Rejected::new(e.span, message, "an expression")
                .help("assign it to a variable first");
            Err(ParseError::User { error })
        }
        _ => Ok(e),
    }
}
