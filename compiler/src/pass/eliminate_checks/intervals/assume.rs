//! What follows from a condition that is known to hold, or not to: of a branch, of a loop, or of a check.

use super::{Interval, Intervals, Name};
use reference::device::syntax::{Exp, Lit, Sc, UnOp};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;
use rustc_hash::FxHashSet;

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
        Assumption { known: self, tested, followed: FxHashSet::default() }.bool(exp, holds);
    }

    /// `a op b`, where `a` has a name.
    fn bound(&mut self, op: BinOp, a: &Exp, b: &Exp, tested: bool) {
        // A variable of which nothing is known may not be tracked: then no store would invalidate the fact.
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

/// A condition that is assumed, with those that names in it stand for.
struct Assumption<'i, 'p> {
    known: &'i mut Intervals<'p>,
    tested: bool,
    /// Names that were followed, and whether they hold: each once, since a condition may name another more often
    /// than once, and that one another.
    followed: FxHashSet<(Var, bool)>,
}

impl Assumption<'_, '_> {
    /// A bool holds, or does not.
    fn bool(&mut self, exp: &Exp, holds: bool) {
        match (exp, holds) {
            (Exp::Un(UnOp::Not, a), _) => self.bool(a, !holds),
            (Exp::Bin(BinOp::And, ab), true) | (Exp::Bin(BinOp::Or, ab), false) => {
                ab.iter().for_each(|part| self.bool(part, holds));
            }
            (Exp::Var(_), _) => self.any(exp, holds),
            (Exp::Bin(BinOp::Ne, ab), _) if is_zero(&ab[1]) => {
                let [a, zero] = &**ab;
                self.any(a, holds);
                if !holds {
                    self.known.bound(BinOp::Eq, a, zero, self.tested);
                }
            }
            (Exp::Bin(op, ab), _) => {
                let [a, b] = &**ab;
                let Some(op) = (if holds { Some(*op) } else { negated(*op) }) else { return };
                self.known.bound(op, a, b, self.tested);
                self.known.bound(turned(op), b, a, self.tested);
            }
            _ => {}
        }
    }

    /// The value is not zero (`set`), or zero: a bool, or an integer that may say whether conditions hold.
    fn any(&mut self, exp: &Exp, set: bool) {
        let is_bool = |exp: &Exp| self.known.types.sc(exp) == Some(Sc::Bool);
        match exp {
            Exp::Cast(_, a) if is_bool(a) => self.bool(a, set),
            Exp::Bin(BinOp::And, ab) if set => ab.iter().for_each(|part| self.any(part, true)),
            Exp::Bin(BinOp::Or, ab) if !set => ab.iter().for_each(|part| self.any(part, false)),
            Exp::Bin(..) if is_bool(exp) => self.bool(exp, set),
            Exp::Var(var) => self.name(*var, set),
            _ => {}
        }
    }

    /// The same of a name, and of the condition that it stands for.
    fn name(&mut self, var: Var, set: bool) {
        if !self.followed.insert((var, set)) {
            return;
        }
        if set {
            let found = Interval { tested: self.tested, ..Interval::certain((1, 1)) };
            let known = self.known.known(Name::NotZero(var)).filter(|known| !known.tested);
            self.known.learn(Name::NotZero(var), known.unwrap_or(found));
        }
        let condition = self.known.conditions.iter().find(|(name, _)| *name == var);
        if let Some((_, condition)) = condition.cloned() {
            self.any(&condition, set);
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
