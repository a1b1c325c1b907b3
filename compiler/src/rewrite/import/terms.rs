//! What terms are made of while a program enters: names, axes, and what stands around.

use super::names::Naming;
use super::{Enters, Home, out};
use reference::axes::index::Index;
use reference::axes::syntax::{Head, Name, Term};
use reference::axes::total;
use reference::axes::types::Scope;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;

/// The names and axes so far, and where a term is being made.
#[derive(Default)]
pub(super) struct Terms {
    pub(super) naming: Naming,
    /// All axes and parameters so far.
    pub(super) scope: Scope,
    /// Axes bound around, outermost first.
    pub(super) around: Vec<Name>,
    /// Conditions around, and whether they hold.
    pub(super) given: Vec<(Term, bool)>,
    pub(super) home: Home,
    pub(super) homes: usize,
}

impl Terms {
    /// A new axis.
    pub(super) fn declare(&mut self, axis: &Name, size: u32, span: Span) -> Enters {
        self.scope.declare(axis, size).or_else(|wrong| out(span, wrong))
    }

    /// Do the elements of an array have numbers?
    pub(super) fn fits(&self, sizes: &[u32], span: Span) -> Enters {
        let count = |n: i32, size: &u32| n.checked_mul(i32::try_from(*size).ok()?);
        match sizes.iter().try_fold(1, count) {
            Some(_) => Ok(()),
            None => {
                let sizes: String = sizes.iter().map(|size| format!("[{size}]")).collect();
                out(span, format!("an array of sizes {sizes} has too many elements"))
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
