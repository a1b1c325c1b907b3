//! What scalars lie in, so far as that is known when a program is compiled: sizes of arrays in the memory of
//! a work group or an invocation have to be.

use super::{Lower, fold};
use reference::device::syntax::{Exp, Lit, Sc};
use reference::kit::scalar::BinOp;

/// The integers from the first to the last.
pub(super) type Range = (i64, i64);

/// The most parts of a length in terms of the host's values.
const MOST_PARTS: usize = 256;

/// What lengths lie in.
pub(super) const LENGTH: Range = (0, i32::MAX as i64);

impl Lower<'_> {
    /// What an i32 lies in, if that is less than all of them.
    pub(super) fn range(&self, exp: &Exp) -> Option<Range> {
        use BinOp::{Add, And, Div, Max, Min, Mul, Rem, Shr, Sub};
        let all = (i32::MIN.into(), i32::MAX.into());
        let of = |exp: &Exp| self.range(exp);
        let range = match exp {
            Exp::Lit(Lit::I32(k)) => (i64::from(*k), i64::from(*k)),
            Exp::Lit(Lit::U32(k)) => (i64::from(*k), i64::from(*k)),
            Exp::Var(var) => *self.ranges.get(var)?,
            Exp::Cast(Sc::I32 | Sc::U32, a) => of(a).filter(|range| range.0 >= 0)?,
            Exp::Select(parts) => {
                let ((a, b), (c, d)) = (of(&parts[1])?, of(&parts[2])?);
                (a.min(c), b.max(d))
            }
            Exp::Bin(op, ab) => {
                let (a, b) = (of(&ab[0]), of(&ab[1]));
                match (op, a, b) {
                    (Min, Some(a), Some(b)) => (a.0.min(b.0), a.1.min(b.1)),
                    (Min, Some(a), None) | (Min, None, Some(a)) => (all.0, a.1),
                    (Max, Some(a), Some(b)) => (a.0.max(b.0), a.1.max(b.1)),
                    (Max, Some(a), None) | (Max, None, Some(a)) => (a.0, all.1),
                    (Add, Some(a), Some(b)) => (a.0 + b.0, a.1 + b.1),
                    (Sub, Some(a), Some(b)) => self.difference(ab, a, b),
                    (Mul, Some(a), Some(b)) if a.0 >= 0 && b.0 >= 0 => {
                        (a.0.checked_mul(b.0)?, a.1.checked_mul(b.1)?)
                    }
                    (Div, Some(a), Some(b)) if a.0 >= 0 && b.0 > 0 => (a.0 / b.1, a.1 / b.0),
                    (Rem, Some(a), Some(b)) if a.0 >= 0 && b.0 > 0 => (0, a.1.min(b.1 - 1)),
                    (Shr, Some(a), Some(b)) if a.0 >= 0 && b.0 == b.1 && (0..32).contains(&b.0) => {
                        (a.0 >> b.0, a.1 >> b.0)
                    }
                    (And, Some(a), _) if a.0 >= 0 => (0, a.1),
                    (And, _, Some(b)) if b.0 >= 0 => (0, b.1),
                    _ => return None,
                }
            }
            _ => return None,
        };
        (all.0 <= range.0 && range.1 <= all.1).then_some(range)
    }

    /// `a - b`; `x - x / k` is not negative.
    fn difference(&self, [a, b]: &[Exp; 2], x: Range, y: Range) -> Range {
        let (least, most) = (x.0 - y.1, x.1 - y.0);
        let is_part = match self.definition(b) {
            Exp::Bin(BinOp::Div, parts) => parts[0] == *a && x.0 >= 0,
            _ => false,
        };
        if is_part { (0, most) } else { (least, most) }
    }

    /// The number, which is not negative, is below this one.
    pub(super) fn is_below(&mut self, number: &Exp, limit: &Exp) {
        if let Exp::Var(var) = number {
            self.below.insert(*var, limit.clone());
        }
    }

    /// Is the index `j`, or `i * n + j`, of an array of `length` elements one of those that is made of chunks, where
    /// `i < length / n` and `j < n`, or `j < length`?
    pub(super) fn is_part(&self, index: &Exp, length: &Exp) -> bool {
        let below = |number: &Exp| match number {
            Exp::Var(var) => self.below.get(var),
            _ => None,
        };
        if below(index) == Some(length) {
            return true;
        }
        let Exp::Bin(BinOp::Add, parts) = self.definition(index) else { return false };
        let [first, j] = &**parts;
        let Exp::Bin(BinOp::Mul, product) = self.definition(first) else { return false };
        let [i, n] = &**product;
        let Some(count) = below(i) else { return false };
        let Exp::Bin(BinOp::Div, quotient) = self.definition(count) else { return false };
        quotient[0] == *length && quotient[1] == *n && below(j) == Some(n)
    }

    /// What a variable is bound to, or the expression.
    pub(super) fn definition<'e>(&'e self, exp: &'e Exp) -> &'e Exp {
        match exp {
            Exp::Var(var) => self.definitions.get(var).unwrap_or(exp),
            _ => exp,
        }
    }

    /// The value lies in this range, from here to the end of the scope.
    pub(super) fn ranges_of(&mut self, exp: &Exp, range: Range) {
        if let Exp::Var(var) = exp {
            let before = self.ranges.get(var).copied();
            let (least, most) = before.unwrap_or(range);
            self.ranges.insert(*var, (least.max(range.0), most.min(range.1)));
            self.learnt.push((*var, before));
        }
    }

    /// Forgets what was learnt since this much was.
    pub(super) fn forget(&mut self, learnt: usize) {
        for (var, before) in self.learnt.drain(learnt..).rev() {
            match before {
                Some(range) => drop(self.ranges.insert(var, range)),
                None => drop(self.ranges.remove(&var)),
            }
        }
    }

    /// The most that a length can be, if that is known to be less than what lengths can be.
    pub(super) fn most(&self, length: &Exp) -> Option<u32> {
        let (_, most) = self.range(length)?;
        (most < LENGTH.1).then_some(most.max(0) as u32)
    }

    /// The most that a length of a kernel, which is not negative, can be, in terms of the host's values.
    pub(super) fn at_most(&self, length: &Exp) -> Option<Exp> {
        let most = self.most_on_host(length, &mut { MOST_PARTS })?;
        // The host has it before the check that it is not negative.
        Some(fold::bin(BinOp::Max, most, Exp::i32(0)))
    }

    fn most_on_host(&self, exp: &Exp, parts: &mut usize) -> Option<Exp> {
        use BinOp::{Add, Div, Max, Min, Mul, Sub};
        if let Some(known) = self.of_host(exp, parts) {
            return Some(known);
        }
        *parts = parts.checked_sub(1)?;
        let mut most = |exp: &Exp| self.most_on_host(exp, parts);
        let positive = |exp: &Exp| matches!(self.range(exp), Some((0.., _)));
        match exp {
            Exp::Var(var) => match (self.limits.get(var), self.definitions.get(var)) {
                (Some(limit), _) => most(limit),
                (None, Some(definition)) => most(definition),
                (None, None) => Some(Exp::i32(self.most(exp)? as i32)),
            },
            Exp::Bin(op, ab) => {
                let [a, b] = &**ab;
                match op {
                    Min => most(a).or_else(|| most(b)),
                    Sub if positive(b) => most(a),
                    Div if positive(a) && positive(b) => most(a),
                    Add | Max => Some(Exp::bin(*op, most(a)?, most(b)?)),
                    Mul if positive(a) && positive(b) => Some(Exp::bin(Mul, most(a)?, most(b)?)),
                    _ => Some(Exp::i32(self.most(exp)? as i32)),
                }
            }
            Exp::Select(parts) => Some(Exp::bin(Max, most(&parts[1])?, most(&parts[2])?)),
            _ => Some(Exp::i32(self.most(exp)? as i32)),
        }
    }

    /// What it is in terms of the host's values. The host makes no checks: where one fails that stands before it, it is
    /// something else.
    pub(super) fn on_host(&self, exp: &Exp) -> Option<Exp> {
        self.of_host(exp, &mut { MOST_PARTS })
    }

    fn of_host(&self, exp: &Exp, parts: &mut usize) -> Option<Exp> {
        *parts = parts.checked_sub(1)?;
        let mut of = |exp: &Exp| self.of_host(exp, parts);
        Some(match exp {
            Exp::Lit(_) => exp.clone(),
            Exp::Var(var) if self.host.contains_key(var) => exp.clone(),
            Exp::Var(var) => of(self.definitions.get(var)?)?,
            // A quotient stands behind a check that the host does not make.
            Exp::Bin(op @ (BinOp::Div | BinOp::Rem), ab) => {
                let (a, b) = (of(&ab[0])?, of(&ab[1])?);
                let zero = fold::bin(BinOp::Eq, b.clone(), Exp::i32(0));
                fold::bin(*op, a, fold::select(zero, Exp::i32(1), b))
            }
            Exp::Bin(op, ab) => Exp::bin(*op, of(&ab[0])?, of(&ab[1])?),
            Exp::Un(op, a) => Exp::Un(*op, Box::new(of(a)?)),
            Exp::Cast(sc, a) => Exp::Cast(*sc, Box::new(of(a)?)),
            Exp::Select(parts) => Exp::select(of(&parts[0])?, of(&parts[1])?, of(&parts[2])?),
            Exp::Length(block) => Exp::Length(Box::new(of(block)?)),
            _ => return None,
        })
    }
}
