//! What follows from a condition that is known to hold, or not to: of a branch, of a loop, or of a check.

use super::{Interval, Intervals, Name};
use reference::device::syntax::{Exp, Lit, Sc, UnOp};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;

impl Intervals<'_> {
    /// The name is bound to this, which nothing changes; of a condition that is kept.
    pub(in crate::pass::eliminate_checks) fn learn_condition(&mut self, var: Var, exp: &Exp) {
        let says = match exp {
            Exp::Cast(_, a) => self.types.sc(a) == Some(Sc::Bool),
            Exp::Bin(BinOp::And | BinOp::Or, ..) => true,
            Exp::Bin(..) => self.types.sc(exp) == Some(Sc::Bool),
            _ => false,
        };
        if says {
            self.conditions.push((var, exp.clone()));
        }
    }

    /// The bool is what it is said to be: learns what follows for the values that it compares.
    /// `tested` if it may be otherwise in a poisoned invocation.
    pub(in crate::pass::eliminate_checks) fn assume(
        &mut self,
        exp: &Exp,
        holds: bool,
        tested: bool,
    ) {
        match (exp, holds) {
            (Exp::Un(UnOp::Not, a), _) => self.assume(a, !holds, tested),
            (Exp::Bin(BinOp::And, ab), true) | (Exp::Bin(BinOp::Or, ab), false) => {
                ab.iter().for_each(|part| self.assume(part, holds, tested));
            }
            (Exp::Var(_), _) => self.assume_any(exp, holds, tested),
            (Exp::Bin(BinOp::Ne, ab), _) if is_zero(&ab[1]) => {
                let [a, zero] = &**ab;
                self.assume_any(a, holds, tested);
                if !holds {
                    self.bound(BinOp::Eq, a, zero, tested);
                }
            }
            (Exp::Bin(op, ab), _) => {
                let [a, b] = &**ab;
                let Some(op) = (if holds { Some(*op) } else { negated(*op) }) else { return };
                self.bound(op, a, b, tested);
                self.bound(turned(op), b, a, tested);
            }
            _ => {}
        }
    }

    /// Some bit of a value is set, or none: a bool, or an integer that may say whether conditions hold.
    fn assume_any(&mut self, exp: &Exp, set: bool, tested: bool) {
        match exp {
            Exp::Cast(_, a) if self.types.sc(a) == Some(Sc::Bool) => self.assume(a, set, tested),
            Exp::Bin(BinOp::And, ab) if set => {
                ab.iter().for_each(|part| self.assume_any(part, true, tested));
            }
            Exp::Bin(BinOp::Or, ab) if !set => {
                ab.iter().for_each(|part| self.assume_any(part, false, tested));
            }
            Exp::Bin(..) if self.types.sc(exp) == Some(Sc::Bool) => self.assume(exp, set, tested),
            Exp::Var(var) => {
                if set {
                    let found = Interval { tested, ..Interval::certain((1, 1)) };
                    let known = self.known(Name::NotZero(*var));
                    self.learn(
                        Name::NotZero(*var),
                        known.filter(|known| !known.tested).unwrap_or(found),
                    );
                }
                let condition = self.conditions.iter().find(|(name, _)| name == var);
                if let Some((_, condition)) = condition.cloned() {
                    self.assume_any(&condition, set, tested);
                }
            }
            _ => {}
        }
    }

    /// `a op b`, where `a` has a name.
    fn bound(&mut self, op: BinOp, a: &Exp, b: &Exp, tested: bool) {
        // A caller that does not say what variables hold does not say either when that changes.
        let name = Name::of(a).filter(|name| match name {
            Name::Held(_) | Name::HeldLength(_) | Name::HeldBase(_) => self.known(*name).is_some(),
            _ => true,
        });
        let (Some(name), Some(b)) = (name, self.int(b)) else { return };
        let Some(before) = self.int(a) else { return };
        let ((low, high), b_range) = (before.range, b.range);
        let (low, high) = match op {
            BinOp::Le => (low, high.min(b_range.1)),
            BinOp::Lt => (low, high.min(b_range.1 - 1)),
            BinOp::Ge => (low.max(b_range.0), high),
            BinOp::Gt => (low.max(b_range.0 + 1), high),
            BinOp::Eq => (low.max(b_range.0), high.min(b_range.1)),
            _ => return,
        };
        // Where none is left the statement is never reached with results that count.
        if low <= high && (low, high) != before.range {
            let mut found = before.and(b, (low, high));
            found.tested |= tested;
            self.learn(name, found);
        }
    }
}

fn is_zero(exp: &Exp) -> bool {
    matches!(exp, Exp::Lit(Lit::I32(0) | Lit::U32(0)))
}

/// The comparison that holds where `op` does not.
fn negated(op: BinOp) -> Option<BinOp> {
    match op {
        BinOp::Lt => Some(BinOp::Ge),
        BinOp::Le => Some(BinOp::Gt),
        BinOp::Gt => Some(BinOp::Le),
        BinOp::Ge => Some(BinOp::Lt),
        BinOp::Eq => Some(BinOp::Ne),
        BinOp::Ne => Some(BinOp::Eq),
        _ => None,
    }
}

/// The comparison of `b` with `a` that says what `a op b` says.
fn turned(op: BinOp) -> BinOp {
    match op {
        BinOp::Lt => BinOp::Gt,
        BinOp::Le => BinOp::Ge,
        BinOp::Gt => BinOp::Lt,
        BinOp::Ge => BinOp::Le,
        other => other,
    }
}
