//! What a term may be: bounds of a scalar, and whether a term may get stuck. A read whose index is
//! not shown to be inside, and a division by what may be 0, are *partial*.

use super::index::Index;
use super::syntax::{Head, Kind, Term};
use super::types::{Scope, Wrong, sort};
use crate::kit::scalar::BinOp;

/// Bounds of an `int`, as wider numbers.
type Range = (i64, i64);

const ANY: Range = (i32::MIN as i64, i32::MAX as i64);

/// Does the term never get stuck, whatever its free axes are below their sizes?
pub fn is_total(term: &Term, scope: &Scope) -> bool {
    Bounds { scope, known: Vec::new() }.walk(term, &mut |_| false)
}

/// The parts of a term that may get stuck: reads whose index is not shown to be inside, and divisions by what may be 0.
pub fn partial(term: &Term, scope: &Scope) -> Vec<Term> {
    let mut found = Vec::new();
    Bounds { scope, known: Vec::new() }.walk(term, &mut |part| {
        found.push(part.clone());
        true
    });
    found
}

/// Between which bounds a scalar is.
pub fn range(term: &Term, scope: &Scope) -> Range {
    Bounds { scope, known: Vec::new() }.range(term)
}

/// Between which bounds a scalar is where these conditions hold, or do not.
pub fn range_given(term: &Term, scope: &Scope, given: &[(Term, bool)]) -> Range {
    let mut bounds = Bounds { scope, known: Vec::new() };
    given.iter().for_each(|(cond, holds)| bounds.learn(cond, *holds));
    bounds.range(term)
}

/// Does the condition always hold, or never? `None` where its bounds do not say.
pub fn decided(cond: &Term, scope: &Scope) -> Option<bool> {
    let bounds = Bounds { scope, known: Vec::new() };
    let compared = |term: &Term| {
        let [op, a, b] = &term.args[..] else { return None };
        let difference = match (a.as_index(), b.as_index()) {
            (Some(a), Some(b)) => a.plus(&b, -1)?.range(&scope.sizes)?,
            _ => {
                let (a, b) = (bounds.range(a), bounds.range(b));
                (a.0 - b.1, a.1 - b.0)
            }
        };
        Some((op.as_op()?, difference))
    };
    let (least, largest) = bounds.range(cond);
    if least > 0 || largest < 0 || (least, largest) == (0, 0) {
        return Some((least, largest) != (0, 0));
    }
    let (op, (least, largest)) = compared(cond).filter(|_| cond.head == Head::Apply)?;
    let (always, never) = match op {
        BinOp::Lt => (largest < 0, least >= 0),
        BinOp::Le => (largest <= 0, least > 0),
        BinOp::Gt => (least > 0, largest <= 0),
        BinOp::Ge => (least >= 0, largest < 0),
        BinOp::Eq => ((least, largest) == (0, 0), least > 0 || largest < 0),
        BinOp::Ne => (least > 0 || largest < 0, (least, largest) == (0, 0)),
        _ => return None,
    };
    if always { Some(true) } else { never.then_some(false) }
}

/// What is known where a term is evaluated.
struct Bounds<'s> {
    scope: &'s Scope,
    /// What conditions around say of indices.
    known: Vec<(Index, Range)>,
}

impl Bounds<'_> {
    /// Tells `partial` of each part that may get stuck, until it says that this is enough. Was it never?
    fn walk(&mut self, term: &Term, partial: &mut dyn FnMut(&Term) -> bool) -> bool {
        match &term.head {
            Head::Apply => {
                let divides = term.args[0].as_op().is_some_and(BinOp::is_partial);
                let (least, largest) = if divides { self.range(&term.args[2]) } else { (1, 1) };
                let never_zero = least > 0 || largest < 0;
                (never_zero || partial(term))
                    && self.walk(&term.args[1], partial)
                    && self.walk(&term.args[2], partial)
            }
            Head::If => {
                let [cond, a, b] = &term.args[..] else { return partial(term) };
                self.walk(cond, partial)
                    && self.within(cond, true, |bounds| bounds.walk(a, partial))
                    && self.within(cond, false, |bounds| bounds.walk(b, partial))
            }
            Head::Get => {
                let inside = self.sizes(&term.args[0]).is_some_and(|sizes| {
                    term.args[1..].iter().zip(&sizes).all(|(at, size)| {
                        let (least, largest) = self.range(at);
                        least >= 0 && largest < i64::from(*size)
                    })
                });
                (inside || partial(term)) && term.args.iter().all(|arg| self.walk(arg, partial))
            }
            // Of no round, nothing is evaluated; an axis of size 0 is taken for one of size 1.
            _ => term.args.iter().all(|arg| self.walk(arg, partial)),
        }
    }

    /// The sizes of an array.
    fn sizes(&self, array: &Term) -> Option<Vec<u32>> {
        match &array.head {
            Head::Array(name) => match self.scope.params.get(name) {
                Some(Kind::Array(sizes)) => Some(sizes.clone()),
                _ => None,
            },
            Head::Store => {
                array.args[2..].iter().map(|axis| self.scope.size(axis.as_axis()?)).collect()
            }
            _ => None,
        }
    }

    /// Evaluates with what it means that a condition holds, or not.
    fn within<R>(&mut self, cond: &Term, holds: bool, then: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.known.len();
        self.learn(cond, holds);
        let result = then(self);
        self.known.truncate(before);
        result
    }

    fn learn(&mut self, cond: &Term, holds: bool) {
        let [op, a, b] = &cond.args[..] else { return };
        let (Head::Apply, Some(op)) = (&cond.head, op.as_op()) else { return };
        match (op, holds) {
            (BinOp::And, true) | (BinOp::Or, false) if is_truth(a) && is_truth(b) => {
                self.learn(a, holds);
                self.learn(b, holds);
                return;
            }
            _ => {}
        }
        let (Some(a), Some(b)) = (a.as_index(), b.as_index()) else { return };
        let Some(difference) = a.plus(&b, -1) else { return };
        let far = i64::MAX / 4;
        let range = match (op, holds) {
            (BinOp::Lt, true) | (BinOp::Ge, false) => (-far, -1),
            (BinOp::Le, true) | (BinOp::Gt, false) => (-far, 0),
            (BinOp::Gt, true) | (BinOp::Le, false) => (1, far),
            (BinOp::Ge, true) | (BinOp::Lt, false) => (0, far),
            (BinOp::Eq, true) | (BinOp::Ne, false) => (0, 0),
            _ => return,
        };
        self.known.push((difference, range));
    }

    fn range(&self, term: &Term) -> Range {
        match &term.head {
            Head::Const(k) => (i64::from(*k), i64::from(*k)),
            Head::Index(index) => self.index(index),
            Head::Scalar(name) => match self.scope.params.get(name) {
                Some(Kind::Int(Some(k))) => (i64::from(*k), i64::from(*k)),
                _ => ANY,
            },
            Head::If => {
                let (a, b) = (self.range(&term.args[1]), self.range(&term.args[2]));
                (a.0.min(b.0), a.1.max(b.1))
            }
            Head::Apply => match term.args[0].as_op() {
                Some(op) => apply(op, self.range(&term.args[1]), self.range(&term.args[2])),
                None => ANY,
            },
            _ => ANY,
        }
    }

    /// The bounds of an index, narrowed by what is known of a part of it.
    fn index(&self, index: &Index) -> Range {
        let sizes = &self.scope.sizes;
        let mut range = index.range(sizes).unwrap_or(ANY);
        for (known, (least, largest)) in &self.known {
            for sign in [1, -1] {
                let rest = index.plus(known, -sign).and_then(|rest| rest.range(sizes));
                let Some(rest) = rest else { continue };
                let (a, b) = (least * sign, largest * sign);
                range.0 = range.0.max(a.min(b).saturating_add(rest.0));
                range.1 = range.1.min(a.max(b).saturating_add(rest.1));
            }
        }
        range
    }
}

/// Is a scalar 0 or 1?
fn is_truth(term: &Term) -> bool {
    let op = term.args.first().and_then(Term::as_op);
    term.head == Head::Apply && op.is_some_and(|op| !op.associates())
}

/// The bounds of `a ⊕ b`; anything where it may wrap.
fn apply(op: BinOp, a: Range, b: Range) -> Range {
    let spanned = |values: [i64; 4]| {
        let least = values.into_iter().min().unwrap_or(0);
        let largest = values.into_iter().max().unwrap_or(0);
        if least < ANY.0 || largest > ANY.1 { ANY } else { (least, largest) }
    };
    match op {
        BinOp::Add => spanned([a.0 + b.0, a.1 + b.1, a.0 + b.0, a.1 + b.1]),
        BinOp::Sub => spanned([a.0 - b.1, a.1 - b.0, a.0 - b.1, a.1 - b.0]),
        BinOp::Mul => spanned([a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1]),
        BinOp::Min => (a.0.min(b.0), a.1.min(b.1)),
        BinOp::Max => (a.0.max(b.0), a.1.max(b.1)),
        BinOp::Div if b.0 > 0 => spanned([a.0 / b.0, a.0 / b.1, a.1 / b.0, a.1 / b.1]),
        BinOp::Rem if b.0 > 0 && a.0 >= 0 => (0, a.1.min(b.1 - 1)),
        BinOp::Rem if b.0 > 0 => (-(b.1 - 1), b.1 - 1),
        BinOp::And if a.0 >= 0 && b.0 >= 0 => (0, a.1.min(b.1)),
        BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => (0, 1),
        _ => ANY,
    }
}

/// Is the term a scalar, where its free names are bound?
pub fn is_scalar(term: &Term, scope: &Scope) -> Result<bool, Wrong> {
    let bound = super::types::free(term).into_iter().collect();
    let sort = sort(term, scope, bound)?;
    Ok(matches!(sort, super::types::Sort::Tensor(axes) if axes.is_empty()))
}
