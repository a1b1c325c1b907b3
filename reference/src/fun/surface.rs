//! What the grammar makes of a source: expressions nest, names are text, and the derived forms
//! are still there. [`elaborate`](super::elaborate) brings it to the core. FUN and FUNMEM
//! share it.

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

/// An expression, scalar or array.
#[derive(Clone, Debug)]
pub(crate) struct Expr<'s> {
    pub(crate) kind: ExprKind<'s>,
    pub(crate) span: Span,
    /// Height of the tree, at most [`MAX_NESTING`].
    pub(crate) depth: usize,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind<'s> {
    /// `k`; one more than the largest int is refused by the elaboration.
    Int(i64),
    Name(&'s str),
    Bin(BinOp, Box<Expr<'s>>, Box<Expr<'s>>),
    /// `-e`
    Neg(Box<Expr<'s>>),
    /// `~e`
    Not(Box<Expr<'s>>),
    /// `e[i, …]` or `e[o : n : s, …]`
    Subscript(Box<Expr<'s>>, Vec<Sub<'s>>),
    Transpose(Box<Expr<'s>>),
    Copy(Box<Expr<'s>>),
    Iota(Box<Expr<'s>>),
    Replicate(Box<Expr<'s>>, Box<Expr<'s>>),
    Concat(Box<Expr<'s>>, Box<Expr<'s>>),
    /// `[e, …]`
    Literal(Vec<Expr<'s>>),
}

/// One dimension between the brackets of an index or slice.
#[derive(Clone, Debug)]
pub(crate) struct Sub<'s> {
    pub(crate) offset: Expr<'s>,
    /// Size and stride of a slice.
    pub(crate) range: Option<(Expr<'s>, Option<Expr<'s>>)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Type<'s> {
    pub(crate) kind: TypeKind<'s>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum TypeKind<'s> {
    Int,
    Mem,
    Array { sizes: Vec<Expr<'s>>, memory: Option<(Name<'s>, LmadText<'s>)> },
}

#[derive(Clone, Debug)]
pub(crate) enum LmadText<'s> {
    /// `R(x, …)`
    RowMajor(Vec<Expr<'s>>),
    /// `se + {(x : se) …}`
    Strided { offset: Expr<'s>, dims: Vec<(Expr<'s>, Expr<'s>)> },
}

#[derive(Clone, Debug)]
pub(crate) struct Binding<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) ty: Type<'s>,
}

/// What stands behind `=`.
#[derive(Clone, Debug)]
pub(crate) struct Exp<'s> {
    pub(crate) kind: Kind<'s>,
    /// Where the head of the expression ends: before the first body, if it has one.
    pub(crate) head: usize,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind<'s> {
    Expr(Expr<'s>),
    Alloc(Expr<'s>),
    If {
        cond: Expr<'s>,
        then: Body<'s>,
        orelse: Body<'s>,
    },
    Kernel {
        thread: Name<'s>,
        count: Expr<'s>,
        body: Body<'s>,
    },
    Loop {
        carried: Vec<(Binding<'s>, Expr<'s>)>,
        counter: Name<'s>,
        count: Expr<'s>,
        body: Body<'s>,
    },
    With {
        array: Expr<'s>,
        subs: Vec<Sub<'s>>,
        value: Expr<'s>,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Stm<'s> {
    /// From `let` to the end of the head.
    pub(crate) span: Span,
    pub(crate) pattern: Vec<Binding<'s>>,
    pub(crate) exp: Exp<'s>,
}

#[derive(Clone, Debug)]
pub(crate) struct Body<'s> {
    pub(crate) stms: Vec<Stm<'s>>,
    pub(crate) results: Vec<Expr<'s>>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Program<'s> {
    pub(crate) params: Vec<Binding<'s>>,
    pub(crate) body: Body<'s>,
}

impl<'s> Expr<'s> {
    /// The expression `kind` at `span`.
    ///
    /// # Errors
    /// If it is nested too deeply: everything later may recurse over it.
    pub(crate) fn new(kind: ExprKind<'s>, span: Span) -> Result<Self, Rejected> {
        let depth = 1 + kind.children().map(|child| child.depth).max().unwrap_or(0);
        if depth > MAX_NESTING { Err(too_tall(span)) } else { Ok(Self { kind, span, depth }) }
    }

    /// `-e`; the minus of a number belongs to the number.
    pub(crate) fn negated(self, span: Span) -> Result<Self, Rejected> {
        match self.kind {
            ExprKind::Int(k) if k >= 0 => Expr::new(ExprKind::Int(-k), span),
            _ => Expr::new(ExprKind::Neg(Box::new(self)), span),
        }
    }
}

impl<'s> ExprKind<'s> {
    fn children(&self) -> impl Iterator<Item = &Expr<'s>> {
        let (few, list, subs): (Vec<&Expr<'s>>, &[Expr<'s>], &[Sub<'s>]) = match self {
            ExprKind::Int(_) | ExprKind::Name(_) => (vec![], &[], &[]),
            ExprKind::Neg(e)
            | ExprKind::Not(e)
            | ExprKind::Transpose(e)
            | ExprKind::Copy(e)
            | ExprKind::Iota(e) => (vec![e], &[], &[]),
            ExprKind::Bin(_, a, b) | ExprKind::Replicate(a, b) | ExprKind::Concat(a, b) => {
                (vec![a, b], &[], &[])
            }
            ExprKind::Subscript(e, subs) => (vec![e], &[], subs),
            ExprKind::Literal(list) => (vec![], list, &[]),
        };
        let subs = subs.iter().flat_map(|sub| {
            let range = sub.range.iter();
            std::iter::once(&sub.offset)
                .chain(range.flat_map(|(size, stride)| std::iter::once(size).chain(stride)))
        });
        few.into_iter().chain(list).chain(subs)
    }
}

/// What an action of the grammar gives.
pub(crate) type Parsed<'s> = Result<Expr<'s>, ParseError<usize, Token<'s>, Rejected>>;

/// The expression `kind` from `start` to `end`.
pub(crate) fn expr<'s>(kind: ExprKind<'s>, start: usize, end: usize) -> Parsed<'s> {
    Expr::new(kind, Span::new(start, end)).map_err(user)
}

/// `a ⊕ b` from `start` to `end`.
pub(crate) fn bin<'s>(op: BinOp, a: Expr<'s>, b: Expr<'s>, start: usize, end: usize) -> Parsed<'s> {
    expr(ExprKind::Bin(op, Box::new(a), Box::new(b)), start, end)
}

/// A refusal by an action of the grammar.
pub(crate) fn user<'s>(error: Rejected) -> ParseError<usize, Token<'s>, Rejected> {
    ParseError::User { error }
}
