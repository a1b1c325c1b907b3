//! From text to the core of FUN.
//!
//! The grammar, `grammar.lalrpop`, stands beside figs. 1 and 6. A program:
//!
//! ```text
//! -- A comment, to the end of the line.
//! param (n : int) (xs : [n])
//! let (y : [n]) = kernel i <= n do
//!   let (a : int) = xs[i]
//!   in (a * 2, ...)
//! let (z : [n]) = loop (acc : [n] = y) for i <= 3 do
//!   ...
//!   in (next)
//! let (w : [n]) = z with [1 : n] = 0
//! let (s : int) (t : [s]) = if c then ... in (n, w) else ... in (m, u)
//! in (t[n : n : -1], s)
//! ```
//!
//! Besides the core the surface has nested expressions wherever the core wants a name,
//! `iota n`, `replicate n x`, `concat x y`, `copy x`, array literals, `-x`, `~x`, an index for a
//! slice of one element in an update, and `in x` for a single result. Operators bind, from
//! loose to tight: `|`, `^`, `&`, comparisons (which do not associate), shifts, sums, products,
//! prefixes, brackets; `min(a, b)` and `max(a, b)` are calls. Arguments of `replicate` and
//! `concat` with brackets behind them need parentheses.

use super::elaborate::{self, Elaborator, Front, Shape};
use super::surface::{self, Expr, TypeKind};
use super::syntax::{Exp, Fun, Program, Ty};
use crate::kit::lex::{self, Lexicon};
use crate::kit::names::Var;
use crate::kit::text::{Rejected, Span};

/// The words of FUN and FUNMEM.
pub(crate) const LEXICON: Lexicon = Lexicon {
    keywords: &[
        "param",
        "let",
        "in",
        "int",
        "mem",
        "R",
        "if",
        "then",
        "else",
        "kernel",
        "loop",
        "for",
        "do",
        "with",
        "alloc",
        "transpose",
        "copy",
        "iota",
        "replicate",
        "concat",
        "min",
        "max",
    ],
    opens: &["then", "else", "do"],
    closes: &["in"],
    largest: 1 << 31,
};

/// The program that `source` writes.
///
/// # Errors
/// Wrong syntax, names that are not bound or bound twice in a pattern, annotations of memory,
/// numbers out of range, sources that are too long or nested too deeply.
pub fn program(source: &str) -> Result<Program<Fun>, Rejected> {
    parse(source)
}

/// The program of either dialect that `source` writes.
pub(crate) fn parse<D: Front>(source: &str) -> Result<Program<D>, Rejected> {
    let tokens = lex::tokens(source, &LEXICON)?;
    let program = super::grammar::ProgramParser::new()
        .parse(tokens)
        .map_err(|error| lex::unexpected(error, source))?;
    elaborate::program(&program)
}

impl Front for Fun {
    fn ty<'s>(
        front: &mut Elaborator<'s, Self>,
        ty: &surface::Type<'s>,
    ) -> Result<(Ty, Shape), Rejected> {
        match &ty.kind {
            TypeKind::Int => Ok((Ty::Int, Shape::Int)),
            TypeKind::Array { sizes, memory: None } => {
                let sizes = front.atoms(sizes)?;
                Ok((Ty::Array(sizes.clone()), Shape::Array(sizes)))
            }
            TypeKind::Mem => Err(no_memory(ty.span).help("drop the binding")),
            TypeKind::Array { memory: Some((block, _)), .. } => {
                let span = Span::new(block.span.start as usize, ty.span.end as usize);
                Err(no_memory(span).help("leave out `@` and what follows it"))
            }
        }
    }

    fn unwritten(shape: &Shape, span: Span) -> Result<Ty, Rejected> {
        match shape {
            Shape::Int => Ok(Ty::Int),
            Shape::Array(sizes) => Ok(Ty::Array(sizes.clone())),
            Shape::Mem => Err(no_memory(span)),
        }
    }

    fn copy(
        front: &mut Elaborator<'_, Self>,
        array: Var,
        span: Span,
    ) -> Result<(Exp<Self>, Shape), Rejected> {
        front.copy(array, span)
    }

    fn alloc<'s>(
        _: &mut Elaborator<'s, Self>,
        _: &Expr<'s>,
        span: Span,
    ) -> Result<Exp<Self>, Rejected> {
        Err(no_memory(span).help("drop the statement: arrays need no allocation"))
    }
}

fn no_memory(span: Span) -> Rejected {
    Rejected::new(span, "FUN has no memory", "only FUNMEM knows blocks")
}

#[cfg(test)]
mod limits;
#[cfg(test)]
pub(crate) mod tests;
