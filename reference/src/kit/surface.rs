//! What every grammar makes of a source before names are resolved: names as text, and expressions
//! with a place and a bounded height. A room adds its own kinds of expressions, types, statements.

use super::cause::Cause;
use super::lex::{Token, too_tall};
use super::scalar::BinOp;
use super::text::{MAX_NESTING, Rejected, Span};
use lalrpop_util::ParseError;

/// A name and where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'s> {
    pub(crate) text: &'s str,
    pub(crate) span: Span,
}

impl Name<'_> {
    /// The cause of that name, which a `check` tests.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn cause(self) -> Result<Cause, Rejected> {
        Cause::named(self.text).map_err(|there| {
            let message = "a `check` of nothing that is known";
            Rejected::new(self.span, message, "no cause").help(there)
        })
    }
}

/// An expression of a room with these kinds of expressions.
#[derive(Clone, Debug)]
pub(crate) struct Expr<K> {
    pub(crate) kind: K,
    pub(crate) span: Span,
    /// Height of the tree, at most [`MAX_NESTING`].
    pub(crate) depth: usize,
}

/// The kinds of expressions of a room.
pub(crate) trait Tree: Sized {
    /// `a ⊕ b`
    fn bin(op: BinOp, a: Box<Expr<Self>>, b: Box<Expr<Self>>) -> Self;

    /// The expressions that it is made of.
    fn parts(&self) -> Vec<&Expr<Self>>;
}

/// What an action of a grammar answers.
pub(crate) type Act<'s, T> = Result<T, ParseError<usize, Token<'s>, Rejected>>;

impl<K: Tree> Expr<K> {
    /// The expression `kind` at `span`.
    ///
    /// # Errors
    /// If it is nested too deeply: everything later may recurse over it.
    pub(crate) fn new(kind: K, span: Span) -> Result<Self, Rejected> {
        let depth = 1 + kind.parts().into_iter().map(|part| part.depth).max().unwrap_or(0);
        if depth > MAX_NESTING { Err(too_tall(span)) } else { Ok(Self { kind, span, depth }) }
    }
}

/// The expression `kind` from `l` to `r`.
pub(crate) fn expr<'s, K: Tree>(kind: K, l: usize, r: usize) -> Act<'s, Expr<K>> {
    Expr::new(kind, Span::new(l, r)).map_err(user)
}

/// `a ⊕ b` from `l` to `r`.
pub(crate) fn bin<'s, K: Tree>(
    op: BinOp,
    a: Expr<K>,
    b: Expr<K>,
    l: usize,
    r: usize,
) -> Act<'s, Expr<K>> {
    expr(K::bin(op, Box::new(a), Box::new(b)), l, r)
}

/// A refusal by an action of a grammar.
pub(crate) fn user<'s>(error: Rejected) -> ParseError<usize, Token<'s>, Rejected> {
    ParseError::User { error }
}
