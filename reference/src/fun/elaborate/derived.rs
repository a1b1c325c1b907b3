//! Derived forms (section 2 of the paper, and the project's): the parser knows them, the
//! semantics does not.
//!
//! ```text
//! iota x        ≡ kernel i ≤ x do in (i)
//! replicate n x ≡ kernel i ≤ n do in (x)
//! copy x        ≡ kernel i ≤ z₁ do … kernel iₙ ≤ zₙ do in (x[i, …, iₙ])
//! concat x y    ≡ kernel i ≤ n + m do if i ≤ n then in (x[i]) else in (y[i - n])
//! [x, …, y]     ≡ kernel i ≤ k do the i-th of x, …, y, found by halving
//! ```

use super::{Elaborator, Front, MAX_LITERALS, Shape};
use crate::fun::surface::{Expr, ExprKind};
use crate::fun::syntax::{Atom, Exp, Se};
use crate::kit::names::Var;
use crate::kit::scalar::BinOp;
use crate::kit::text::{Limit, Rejected, Span};

/// Gives the scalar at an index, with what it needs before it.
type Element<'f, E> = dyn FnMut(&mut E, Vec<Atom>) -> Result<Atom, Rejected> + 'f;

impl<'s, D: Front> Elaborator<'s, D> {
    /// `kernel i ≤ count do in (element i)`
    fn kernel(
        &mut self,
        count: Atom,
        span: Span,
        element: impl FnOnce(&mut Self, Var) -> Result<Atom, Rejected>,
    ) -> Result<Exp<D>, Rejected> {
        let thread = self.fresh("i");
        let body = self.nested(span, |front| Ok(vec![element(front, thread)?]))?;
        Ok(Exp::Kernel { thread, count, body })
    }

    pub(super) fn iota(&mut self, count: Atom, span: Span) -> Result<(Exp<D>, Shape), Rejected> {
        let exp = self.kernel(count, span, |_, thread| Ok(thread.into()))?;
        Ok((exp, Shape::Array(vec![count])))
    }

    pub(super) fn replicate(
        &mut self,
        count: Atom,
        value: Atom,
        span: Span,
    ) -> Result<(Exp<D>, Shape), Rejected> {
        let mut sizes = vec![count];
        if let Some(Shape::Array(inner)) = value.var().map(|var| self.shape(var)) {
            sizes.extend(inner);
        }
        let exp = self.kernel(count, span, |_, _| Ok(value))?;
        Ok((exp, Shape::Array(sizes)))
    }

    /// `copy x` by elements.
    pub(crate) fn copy(&mut self, array: Var, span: Span) -> Result<(Exp<D>, Shape), Rejected> {
        let sizes = self.sizes(array, "copy", span)?;
        let exp = self.rows(&sizes, &mut Vec::new(), span, &mut |front, index| {
            let exp = Exp::Index { array, index };
            Ok(front.define("e", Shape::Int, exp, span)?.into())
        })?;
        Ok((exp, Shape::Array(sizes)))
    }

    pub(super) fn concat(
        &mut self,
        a: Var,
        b: Var,
        span: Span,
    ) -> Result<(Exp<D>, Shape), Rejected> {
        let mut sizes = self.sizes(a, "concat", span)?;
        let other = self.sizes(b, "concat", span)?;
        if sizes.len() != other.len() {
            let (x, y) = (sizes.len(), other.len());
            let message = format!("`concat` of an array of rank {x} and one of rank {y}");
            return Err(Rejected::new(span, message, "ranks differ").by_rule("T-INDEX", "rank"));
        }
        if sizes[1..] != other[1..] {
            let message = "`concat` of arrays whose rows have different sizes";
            return Err(Rejected::new(span, message, "sizes of the rows differ")
                .by_rule("T-KERNEL", "size")
                .help("sizes are equal when they have the same name"));
        }
        let n = sizes[0];
        sizes[0] = self.sum(n, other[0], span)?;
        let exp = self.rows(&sizes, &mut Vec::new(), span, &mut |front, index| {
            let row = index[0];
            let first = front.name_scalar(Se::bin(BinOp::Le, row, n), span)?;
            let then = front.nested(span, |front| {
                let exp = Exp::Index { array: a, index: index.clone() };
                Ok(vec![front.define("e", Shape::Int, exp, span)?.into()])
            })?;
            let orelse = front.nested(span, |front| {
                let mut index = index.clone();
                index[0] = front.name_scalar(Se::bin(BinOp::Sub, row, n), span)?.into();
                let exp = Exp::Index { array: b, index };
                Ok(vec![front.define("e", Shape::Int, exp, span)?.into()])
            })?;
            let exp = Exp::If { cond: first.into(), then, orelse };
            Ok(front.define("e", Shape::Int, exp, span)?.into())
        })?;
        Ok((exp, Shape::Array(sizes)))
    }

    pub(super) fn literal(
        &mut self,
        list: &[Expr<'s>],
        span: Span,
    ) -> Result<(Exp<D>, Shape), Rejected> {
        let is_row = |e: &Expr<'s>| matches!(e.kind, ExprKind::Literal(_));
        let mut elements = Vec::new();
        let mut columns = None;
        for e in list {
            let row = match &e.kind {
                ExprKind::Literal(row) => row.as_slice(),
                _ => std::slice::from_ref(e),
            };
            if is_row(e) != is_row(&list[0]) || *columns.get_or_insert(row.len()) != row.len() {
                let message = "the rows of this array differ in length";
                return Err(Rejected::new(e.span, message, "not like the first row"));
            }
            if let (true, Some(deep)) = (is_row(e), row.iter().find(|e| is_row(e))) {
                let message = "an array literal of more than two dimensions";
                return Err(Rejected::new(deep.span, message, "the third dimension")
                    .help("pass the array as a parameter"));
            }
            self.literals += row.len();
            if self.literals > MAX_LITERALS {
                let message = format!("array literals of more than {MAX_LITERALS} elements");
                return Err(Rejected::new(e.span, message, "one too many")
                    .by_limit(Limit::Literals)
                    .help("pass the array as a parameter"));
            }
            for e in row {
                elements.push(self.atom(e)?);
            }
        }
        let rows = Atom::from(list.len() as i32);
        if !list.first().is_some_and(is_row) {
            let exp = self.kernel(rows, span, |front, i| front.select(&elements, 1, i, span))?;
            return Ok((exp, Shape::Array(vec![rows])));
        }
        let columns = Atom::from(columns.unwrap_or(0) as i32);
        let sizes = vec![rows, columns];
        let exp = self.rows(&sizes, &mut Vec::new(), span, &mut |front, index| {
            let rows_before = Se::bin(BinOp::Sub, index[0], 1);
            let place = Se::bin(BinOp::Add, Se::bin(BinOp::Mul, rows_before, columns), index[1]);
            let place = front.name_scalar(place, span)?;
            front.select(&elements, 1, place, span)
        })?;
        Ok((exp, Shape::Array(sizes)))
    }

    /// The element at `place`, where the first of `elements` is at `first`.
    fn select(
        &mut self,
        elements: &[Atom],
        first: i32,
        place: Var,
        span: Span,
    ) -> Result<Atom, Rejected> {
        let Some(&one) = elements.first() else { return Ok(0.into()) };
        if elements.iter().all(|element| *element == one) {
            return Ok(one);
        }
        let half = elements.len() / 2;
        let middle = first + half as i32;
        let below = self.name_scalar(Se::bin(BinOp::Lt, place, middle), span)?;
        let (low, high) = elements.split_at(half);
        let then = self.nested(span, |front| Ok(vec![front.select(low, first, place, span)?]))?;
        let orelse =
            self.nested(span, |front| Ok(vec![front.select(high, middle, place, span)?]))?;
        let exp = Exp::If { cond: below.into(), then, orelse };
        Ok(self.define("e", Shape::Int, exp, span)?.into())
    }

    /// Nested kernels over `sizes`, of which `element` gives the scalar at an index.
    fn rows(
        &mut self,
        sizes: &[Atom],
        index: &mut Vec<Atom>,
        span: Span,
        element: &mut Element<'_, Self>,
    ) -> Result<Exp<D>, Rejected> {
        let (&count, inner) = sizes.split_first().expect("an array has at least one dimension");
        self.kernel(count, span, |front, i| {
            index.push(i.into());
            if inner.is_empty() {
                return element(front, index.clone());
            }
            let row = front.rows(inner, index, span, element)?;
            Ok(front.define("v", Shape::Array(inner.to_vec()), row, span)?.into())
        })
    }

    /// `n + m`; numbers are added at once.
    fn sum(&mut self, n: Atom, m: Atom, span: Span) -> Result<Atom, Rejected> {
        if let (Atom::Const(n), Atom::Const(m)) = (n, m)
            && let Some(sum) = n.checked_add(m)
        {
            return Ok(sum.into());
        }
        Ok(self.name_scalar(Se::bin(BinOp::Add, n, m), span)?.into())
    }

    /// The sizes of an array that a derived form takes.
    fn sizes(&self, array: Var, form: &str, span: Span) -> Result<Vec<Atom>, Rejected> {
        match self.shape(array) {
            Shape::Array(sizes) => Ok(sizes.clone()),
            Shape::Int | Shape::Mem => {
                let message = format!("`{form}` takes an array");
                let label = format!("`{}` is none", self.names.written(array));
                Err(Rejected::new(span, message, label).by_rule("T-INDEX", "type"))
            }
        }
    }
}
