//! Which checks hold, by what is known of their operands.

use super::{Intervals, Range, is_load, operate, union};
use reference::device::syntax::{Exp, Lit, Sc};
use reference::device::visit::any_exp;
use reference::kit::cause::{Cause, Comparison, Relation, Term, Test};
use reference::kit::scalar::BinOp;

impl Intervals<'_> {
    /// Does a check of these operands hold, by what is known of each?
    pub(in crate::pass::eliminate_checks) fn hold_of(
        &self,
        cause: Cause,
        operands: &[Exp],
    ) -> bool {
        match (cause.test(), operands) {
            (Test::Fits, [offset, size, stride, extent]) => {
                let ranges = [offset, size, stride, extent].map(|operand| self.range(operand));
                let [Some(offset_in), Some(size_in), Some(stride_in), Some(extent_in)] = ranges
                else {
                    return false;
                };
                // What is loaded twice may differ where invocations race.
                let same = size == extent && !any_exp(size, &mut is_load);
                let whole = same && offset_in == (1, 1) && stride_in == (1, 1);
                whole && 0 <= size_in.0 || slice_holds(offset_in, size_in, stride_in, extent_in)
            }
            (Test::All(tests), _) if operands.len() == cause.operands().len() => {
                tests.iter().all(|test| self.comparison_holds(test, operands))
            }
            _ => false,
        }
    }

    fn comparison_holds(&self, test: &Comparison, operands: &[Exp]) -> bool {
        let range = |term| match term {
            Term::Number(k) => Some((k, k)),
            Term::Operand(i) => self.range(&operands[i]).or_else(|| self.wide(&operands[i])),
        };
        let (left, right) = (range(test.left), range(test.right));
        let by_ranges = left.zip(right).is_some_and(|(left, right)| match test.relation {
            Relation::Le => left.1 <= right.0,
            Relation::Lt => left.1 < right.0,
            Relation::Ne => left.1 < right.0 || right.1 < left.0,
        });
        by_ranges
            || match (test.relation, test.left, test.right) {
                (Relation::Ne, Term::Operand(i), Term::Number(0)) => self.is_not_zero(&operands[i]),
                _ => false,
            }
    }

    /// A check of these operands held; `tested` if a poisoned invocation comes here too.
    pub(in crate::pass::eliminate_checks) fn held(
        &mut self,
        cause: Cause,
        operands: &[Exp],
        tested: bool,
    ) {
        let Test::All(tests) = cause.test() else { return };
        // What is known to fit into 32 bits is not yet a number of 32 bits.
        if operands.len() != cause.operands().len() || !cause.is_premise() {
            return;
        }
        for test in tests {
            let exp = |term| match term {
                Term::Operand(i) => Some(operands[i].clone()),
                Term::Number(k) => i32::try_from(k).ok().map(Exp::i32),
            };
            let (Some(left), Some(right)) = (exp(test.left), exp(test.right)) else { continue };
            // An operand stands before a number.
            let turned = matches!(test.left, Term::Number(_));
            let (left, right) = if turned { (right, left) } else { (left, right) };
            let op = match (test.relation, turned) {
                (Relation::Le, false) => BinOp::Le,
                (Relation::Lt, false) => BinOp::Lt,
                (Relation::Le, true) => BinOp::Ge,
                (Relation::Lt, true) => BinOp::Gt,
                (Relation::Ne, _) => BinOp::Ne,
            };
            self.assume(&Exp::bin(op, left, right), true, tested);
        }
    }

    /// The numbers that an i64 of sums and products lies between, none of which wraps.
    fn wide(&self, exp: &Exp) -> Option<Range> {
        match exp {
            Exp::Lit(Lit::I64(k)) => Some((k.0, k.0)),
            Exp::Cast(Sc::I64, a) => self.range(a).or_else(|| self.wide(a)),
            Exp::Select(parts) => {
                let [cond, a, b] = &**parts;
                match self.truth(cond) {
                    Some(true) => self.wide(a),
                    Some(false) => self.wide(b),
                    None => Some(union(self.wide(a)?, self.wide(b)?)),
                }
            }
            Exp::Bin(op, ab) => {
                let [a, b] = &**ab;
                let (a, b) = (self.wide(a)?, self.wide(b)?);
                let both = |low: Option<i64>, high: Option<i64>| Some((low?, high?));
                match op {
                    BinOp::Add => both(a.0.checked_add(b.0), a.1.checked_add(b.1)),
                    BinOp::Sub => both(a.0.checked_sub(b.1), a.1.checked_sub(b.0)),
                    BinOp::Mul => {
                        let corner = |a: i64, b: i64| a.checked_mul(b).map(|k| (k, k));
                        let low = union(corner(a.0, b.0)?, corner(a.0, b.1)?);
                        Some(union(low, union(corner(a.1, b.0)?, corner(a.1, b.1)?)))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// Is every slice of these inside? An empty one may start anywhere from 0 to one past the end.
fn slice_holds(offset: Range, size: Range, stride: Range, extent: Range) -> bool {
    let is_inside = |(low, high): Range| 1 <= low && high <= extent.0;
    let empty = size.0 > 0 || 0 <= offset.0 && offset.1 <= extent.0 + 1;
    let last = || {
        let (low, high) = operate(BinOp::Mul, (size.0.max(1) - 1, size.1 - 1), stride)?;
        // Of u32 the products may be as large as 64 bits go, and saturate there.
        Some((offset.0.checked_add(low)?, offset.1.checked_add(high)?))
    };
    let reaches = size.1 < 1 || is_inside(offset) && last().is_some_and(is_inside);
    0 <= size.0 && empty && reaches
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Operands may be u32.
    #[test]
    fn slices_do_not_wrap() {
        let any = (0, i64::from(u32::MAX));
        let most = (any.1, any.1);
        assert!(!slice_holds((1, 1), any, most, (10, 10)));
        assert!(!slice_holds((1, 1), any, (-most.1, -most.1), (10, 10)));
        assert!(slice_holds((1, 1), (0, 1), most, (10, 10)));
    }

    /// A slice that is known to be inside is, whichever it is, and one that is inside is known to be.
    #[test]
    fn slices_are_inside() {
        fn property(offset: (i8, u8), size: (i8, u8), stride: (i8, u8), extent: (i8, u8)) -> bool {
            let operands = [offset, size, stride, extent];
            let [o, n, s, e] = operands.map(|(low, more)| {
                let low = i64::from(low % 8);
                (low, low + i64::from(more % 3))
            });
            let all = |(low, high): Range| low..=high;
            let inside = |o, n, s, e| reference::kit::outcome::holds(Cause::Slice, &[o, n, s, e]);
            let each =
                all(o).all(|o| all(n).all(|n| all(s).all(|s| all(e).all(|e| inside(o, n, s, e)))));
            let holds = slice_holds(o, n, s, e);
            let only = [o, n, s, e].iter().all(|(low, high)| low == high);
            if only { holds == each } else { !holds || each }
        }
        quickcheck::QuickCheck::new()
            .tests(100_000)
            .quickcheck(property as fn((i8, u8), (i8, u8), (i8, u8), (i8, u8)) -> bool);
    }
}
