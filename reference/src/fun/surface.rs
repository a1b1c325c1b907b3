//! What the grammar makes of a source: expressions nest, names are text, and the derived forms
//! are still there. [`elaborate`](super::elaborate) brings it to the core. FUN and FUNMEM
//! share it.

use crate::kit::scalar::BinOp;
use crate::kit::surface::{self, Tree};
use crate::kit::text::{Rejected, Span};

pub(crate) use crate::kit::surface::{Name, bin, expr, user};

/// An expression, scalar or array.
pub(crate) type Expr<'s> = surface::Expr<ExprKind<'s>>;

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
    /// `-e`; the minus of a number belongs to the number.
    pub(crate) fn negated(self, span: Span) -> Result<Self, Rejected> {
        match self.kind {
            ExprKind::Int(k) if k >= 0 => Expr::new(ExprKind::Int(-k), span),
            _ => Expr::new(ExprKind::Neg(Box::new(self)), span),
        }
    }
}

impl<'s> Tree for ExprKind<'s> {
    fn bin(op: BinOp, a: Box<Expr<'s>>, b: Box<Expr<'s>>) -> Self {
        ExprKind::Bin(op, a, b)
    }

    fn parts(&self) -> Vec<&Expr<'s>> {
        match self {
            ExprKind::Int(_) | ExprKind::Name(_) => vec![],
            ExprKind::Neg(e)
            | ExprKind::Not(e)
            | ExprKind::Transpose(e)
            | ExprKind::Copy(e)
            | ExprKind::Iota(e) => vec![e],
            ExprKind::Bin(_, a, b) | ExprKind::Replicate(a, b) | ExprKind::Concat(a, b) => {
                vec![a, b]
            }
            ExprKind::Subscript(e, subs) => {
                let mut parts: Vec<&Expr<'s>> = vec![e];
                for Sub { offset, range } in subs {
                    parts.push(offset);
                    if let Some((size, stride)) = range {
                        parts.push(size);
                        parts.extend(stride);
                    }
                }
                parts
            }
            ExprKind::Literal(list) => list.iter().collect(),
        }
    }
}
