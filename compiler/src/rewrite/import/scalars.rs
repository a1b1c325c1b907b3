//! Scalars: what is affine in axes and cannot overflow is an index, anything else arithmetic.

use super::{Enters, Importer, Value, bounded, out};
use reference::axes::index::Index;
use reference::axes::syntax::{Head, Term};
use reference::axes::total;
use reference::fun::syntax::{Atom, Se};
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;

impl Importer<'_> {
    pub(super) fn atom(&self, atom: Atom, span: Span) -> Enters<Term> {
        match self.value(atom, span)? {
            Value::Scalar(term) => Ok(term),
            _ => out(span, "an array stands where an int is wanted"),
        }
    }

    pub(super) fn scalar(&self, se: &Se, span: Span) -> Enters<Term> {
        match se {
            Se::Atom(atom) => self.atom(*atom, span),
            Se::Bin(op, operands) => {
                let [a, b] = &**operands;
                let (a, b) = (self.scalar(a, span)?, self.scalar(b, span)?);
                if op.is_partial() {
                    let (least, largest) = self.range(&b);
                    if least <= 0 && largest >= 0 {
                        return out(span, "a divisor is not shown to be other than 0");
                    }
                }
                bounded(self.apply(*op, a, b), span)
            }
        }
    }

    /// Between which bounds a scalar is here.
    pub(super) fn range(&self, term: &Term) -> (i64, i64) {
        total::range_given(term, &self.scope, &self.given)
    }

    /// `a ⊕ b`
    pub(super) fn apply(&self, op: BinOp, a: Term, b: Term) -> Term {
        if let (Head::Const(a), Head::Const(b)) = (&a.head, &b.head)
            && let Some(k) = op.checked(*a, *b)
        {
            return Term::constant(k);
        }
        let index = match (a.as_index(), b.as_index()) {
            (Some(a), Some(b)) => self.affine(op, &a, &b),
            _ => None,
        };
        index.map_or_else(|| Term::apply(op, a, b), Term::index)
    }

    /// `a ⊕ b` as an index, if it is one and is computed without overflow.
    fn affine(&self, op: BinOp, a: &Index, b: &Index) -> Option<Index> {
        let sizes = &self.scope.sizes;
        let by = || b.constant().and_then(|k| u32::try_from(k).ok());
        let index = match op {
            BinOp::Add => a.plus(b, 1),
            BinOp::Sub => a.plus(b, -1),
            BinOp::Mul => match (a.constant(), b.constant()) {
                (Some(k), _) => b.times(k.into()),
                (None, Some(k)) => a.times(k.into()),
                (None, None) => None,
            },
            BinOp::Div => a.divided(by()?, sizes).map(|(whole, _)| whole),
            BinOp::Rem => a.divided(by()?, sizes).map(|(_, rest)| rest),
            _ => None,
        }?;
        index.fits(sizes).then_some(index)
    }

    /// An index from 0, where FUN has one from 1: `(e + 1) - 1` is `e`, also where it wraps.
    pub(super) fn counted_from_0(&self, from_1: Term) -> Term {
        if from_1.head == Head::Apply
            && from_1.args[0].as_op() == Some(BinOp::Add)
            && from_1.args[2].head == Head::Const(1)
        {
            return from_1.args[1].clone();
        }
        self.apply(BinOp::Sub, from_1, Term::constant(1))
    }
}
