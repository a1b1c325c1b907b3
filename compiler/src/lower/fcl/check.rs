//! Tests of premises. Where all operands are known, nothing is left of one that holds.

use super::code::Item;
use super::{Failing, Lower, Lowered, fold};
use reference::device::syntax::{Check, Exp, Sc, Site};
use reference::kit::cause::{Comparison, Relation, Term, Test};
use reference::kit::outcome::{Cause, holds};
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;

impl Lower<'_> {
    /// The premise of an application there, over operands of i32. What follows is only reached where it holds.
    pub(super) fn check(&mut self, span: Span, cause: Cause, operands: Vec<Exp>) -> Lowered {
        let known: Option<Vec<i64>> =
            operands.iter().map(|exp| fold::literal(exp).map(i64::from)).collect();
        if known.is_some_and(|known| holds(cause, &known)) || self.holds_by_ranges(cause, &operands)
        {
            return Ok(());
        }
        let site = self.site(Site { span, cause });
        match self.context.failing.clone() {
            Failing::Native(path) => {
                self.emit(span, Item::Check(Check { site, operands, path, order: None }));
                Ok(())
            }
            Failing::Group(element) => {
                let cond = |operands: &[Exp]| condition(cause, operands);
                self.tests(span, (site, operands, element), cond, true)
            }
        }
    }

    /// Do the ranges of the operands say that it holds?
    fn holds_by_ranges(&self, cause: Cause, operands: &[Exp]) -> bool {
        let Test::All(comparisons) = cause.test() else { return false };
        if cause == Cause::OutsideBlock && self.is_part(&operands[0], &operands[1]) {
            return true;
        }
        comparisons.iter().all(|Comparison { left, relation, right }| {
            let range = |term: Term| match term {
                Term::Operand(i) => self.range(&operands[i]),
                Term::Number(k) => Some((k, k)),
            };
            let (Some(left), Some(right)) = (range(*left), range(*right)) else { return false };
            match relation {
                Relation::Le => left.1 <= right.0,
                Relation::Lt => left.1 < right.0,
                Relation::Ne => left.1 < right.0 || right.1 < left.0,
            }
        })
    }
}

/// The condition of a cause over operands of i32.
fn condition(cause: Cause, operands: &[Exp]) -> Exp {
    let Test::All(comparisons) = cause.test() else { return fold::bool(false) };
    let term = |term: Term| match term {
        Term::Operand(i) => operands[i].clone(),
        Term::Number(k) => Exp::i32(k as i32),
    };
    // One comparison of unsigned numbers says that an index is inside.
    if let [
        Comparison { left: Term::Number(0), relation: Relation::Le, right: low },
        Comparison { left, relation: Relation::Lt, right },
    ] = comparisons
        && low == left
    {
        let [a, b] = [*left, *right].map(|it| fold::cast(Sc::U32, term(it)));
        return Exp::bin(BinOp::Lt, a, b);
    }
    let test = |comparison: &Comparison| {
        let op = match comparison.relation {
            Relation::Le => BinOp::Le,
            Relation::Lt => BinOp::Lt,
            Relation::Ne => BinOp::Ne,
        };
        fold::bin(op, term(comparison.left), term(comparison.right))
    };
    comparisons.iter().map(test).reduce(fold::and).unwrap_or(fold::bool(true))
}
