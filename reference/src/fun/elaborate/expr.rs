//! Expressions: what the core wants named is named.

use super::{BRACKETS, Elaborator, Front, Shape};
use crate::fun::surface::{Expr, ExprKind, Name, Sub};
use crate::fun::syntax::{Atom, Binding, Dim, Exp, Se, Stm};
use crate::kit::lex::{out_of_range, too_tall};
use crate::kit::names::Var;
use crate::kit::scalar::BinOp;
use crate::kit::text::{Limit, MAX_NESTING, MAX_RANK, Rejected, Span};

/// Names that the parts of expressions may bring a program to.
const MAX_NAMES: usize = 1 << 19;

impl<'s, D: Front> Elaborator<'s, D> {
    /// `e` as a scalar expression.
    pub(crate) fn scalar(&mut self, e: &Expr<'s>) -> Result<Se, Rejected> {
        if self.depth + e.depth + BRACKETS > MAX_NESTING {
            return Err(too_tall(e.span));
        }
        self.se(e)
    }

    fn se(&mut self, e: &Expr<'s>) -> Result<Se, Rejected> {
        Ok(match &e.kind {
            ExprKind::Int(_) | ExprKind::Name(_) => self.atom(e)?.into(),
            ExprKind::Bin(op, a, b) => {
                let a = self.se(a)?;
                Se::bin(*op, a, self.se(b)?)
            }
            ExprKind::Neg(a) => Se::bin(BinOp::Sub, 0, self.se(a)?),
            ExprKind::Not(a) => Se::bin(BinOp::Xor, self.se(a)?, -1),
            _ => self.atom(e)?.into(),
        })
    }

    /// The sizes of an array's type, and the like: as many atoms as an array may have dimensions.
    pub(crate) fn atoms(&mut self, list: &[Expr<'s>]) -> Result<Vec<Atom>, Rejected> {
        if let Some(e) = list.get(MAX_RANK) {
            let message = format!("an array of more than {MAX_RANK} dimensions");
            return Err(Rejected::new(e.span, message, "one too many").by_limit(Limit::Dimensions));
        }
        list.iter().map(|e| self.atom(e)).collect()
    }

    /// `e` as a name or constant; anything else gets a name before the current statement.
    pub(crate) fn atom(&mut self, e: &Expr<'s>) -> Result<Atom, Rejected> {
        match e.kind {
            ExprKind::Int(k) => match i32::try_from(k) {
                Ok(k) => Ok(k.into()),
                Err(_) => Err(out_of_range(e.span, 1 << 31)),
            },
            ExprKind::Name(text) => Ok(self.lookup(Name { text, span: e.span })?.into()),
            ExprKind::Bin(..) | ExprKind::Neg(_) | ExprKind::Not(_) => {
                let se = self.hoisted(e.span, |front| front.scalar(e))?;
                Ok(self.name_scalar(se, e.span)?.into())
            }
            _ => {
                let (exp, shape) = self.hoisted(e.span, |front| front.exp(e))?;
                let wish = if shape == Shape::Int { "e" } else { "v" };
                Ok(self.define(wish, shape, exp, e.span)?.into())
            }
        }
    }

    /// `e` as a name, as the core wants arrays. A number gets one too, so that the type rules
    /// can say that it is no array.
    pub(crate) fn var(&mut self, e: &Expr<'s>) -> Result<Var, Rejected> {
        match self.atom(e)? {
            Atom::Var(var) => Ok(var),
            constant => {
                self.hoisted(e.span, |_| Ok(()))?;
                self.define("e", Shape::Int, Exp::Scalar(constant.into()), e.span)
            }
        }
    }

    /// `e` as a right-hand side, and the shape of its value.
    pub(super) fn exp(&mut self, e: &Expr<'s>) -> Result<(Exp<D>, Shape), Rejected> {
        Ok(match &e.kind {
            ExprKind::Subscript(array, subs) => self.subscript(array, subs, e.span)?,
            ExprKind::Transpose(array) => {
                let array = self.var(array)?;
                let mut shape = self.shape(array).clone();
                if let Shape::Array(sizes) = &mut shape {
                    sizes.reverse();
                }
                (Exp::Transpose(array), shape)
            }
            ExprKind::Copy(array) => {
                let array = self.var(array)?;
                D::copy(self, array, e.span)?
            }
            ExprKind::Iota(count) => {
                let count = self.atom(count)?;
                self.iota(count, e.span)?
            }
            ExprKind::Replicate(count, value) => {
                let count = self.atom(count)?;
                let value = self.atom(value)?;
                self.replicate(count, value, e.span)?
            }
            ExprKind::Concat(a, b) => {
                let a = self.var(a)?;
                let b = self.var(b)?;
                self.concat(a, b, e.span)?
            }
            ExprKind::Literal(list) => self.literal(list, e.span)?,
            ExprKind::Int(_)
            | ExprKind::Name(_)
            | ExprKind::Bin(..)
            | ExprKind::Neg(_)
            | ExprKind::Not(_) => (Exp::Scalar(self.scalar(e)?), Shape::Int),
        })
    }

    fn subscript(
        &mut self,
        array: &Expr<'s>,
        subs: &[Sub<'s>],
        span: Span,
    ) -> Result<(Exp<D>, Shape), Rejected> {
        let array = self.var(array)?;
        let ranges = subs.iter().filter(|sub| sub.range.is_some()).count();
        if ranges == 0 {
            let index = subs.iter().map(|sub| self.atom(&sub.offset)).collect::<Result<_, _>>()?;
            return Ok((Exp::Index { array, index }, Shape::Int));
        }
        if ranges < subs.len() {
            let message = "indices and ranges are mixed between these brackets";
            return Err(Rejected::new(span, message, "neither an index nor a slice").help(
                "write `i : 1` for a single row, or index element by element in a `kernel`",
            ));
        }
        let slice = subs.iter().map(|sub| self.dim(sub)).collect::<Result<Vec<_>, _>>()?;
        let sizes = slice.iter().map(|dim| dim.size).collect();
        Ok((Exp::Slice { array, slice }, Shape::Array(sizes)))
    }

    /// One dimension of a slice; a single index is the slice of size 1 there.
    pub(super) fn dim(&mut self, sub: &Sub<'s>) -> Result<Dim, Rejected> {
        let offset = self.atom(&sub.offset)?;
        let (size, stride) = match &sub.range {
            None => (1.into(), 1.into()),
            Some((size, stride)) => {
                let size = self.atom(size)?;
                (size, stride.as_ref().map_or(Ok(1.into()), |stride| self.atom(stride))?)
            }
        };
        Ok(Dim { offset, size, stride })
    }

    /// What is named before the current statement may not use the names of its pattern, and
    /// before parameters nothing stands.
    fn hoisted<T>(
        &mut self,
        span: Span,
        part: impl FnOnce(&mut Self) -> Result<T, Rejected>,
    ) -> Result<T, Rejected> {
        let uses = self.open_uses;
        let part = part(self)?;
        if self.params {
            let message = "a parameter's annotation holds an expression";
            return Err(Rejected::new(span, message, "neither a name nor a number")
                .by_rule("T-PARAM", "scope")
                .help("make it an int parameter of its own, before this one"));
        }
        if self.open_uses > uses {
            let message = "an expression in an annotation uses a name of its own pattern";
            return Err(Rejected::new(span, message, "must be known before the statement")
                .by_rule("T-VAR", "scope")
                .help("bind the value of the expression itself in the pattern"));
        }
        Ok(part)
    }

    /// The name of a scalar expression, a new one unless it has one here.
    pub(super) fn name_scalar(&mut self, se: Se, span: Span) -> Result<Var, Rejected> {
        if let Some(&var) = self.numbered.get(&se) {
            return Ok(var);
        }
        let var = self.define("t", Shape::Int, Exp::Scalar(se.clone()), span)?;
        self.number(se, var);
        Ok(var)
    }

    /// A new statement that binds `exp` to a new name.
    pub(super) fn define(
        &mut self,
        wish: &str,
        shape: Shape,
        exp: Exp<D>,
        span: Span,
    ) -> Result<Var, Rejected> {
        if self.names.len() >= MAX_NAMES {
            let message = format!("a program of more than {MAX_NAMES} names");
            return Err(Rejected::new(span, message, "one too many")
                .by_limit(Limit::Names)
                .help("every part of an expression has a name in the core"));
        }
        let ty = D::unwritten(&shape, span)?;
        let var = self.fresh(wish);
        self.set_shape(var, shape);
        self.stms.push(Stm { span, pattern: vec![Binding { var, ty }], exp });
        Ok(var)
    }
}
