//! Exact offsets in 32 bits.
//!
//! IMP evaluates offsets exactly, over all integers; a kernel has 32 bits. What `+ - *` give in 32 bits
//! is right modulo 2³², whatever overflowed on the way, so it is the true value where that fits.
//! Whether it does is asked of the same expression in 64 bits, which holds where the true value is
//! inside of a block and huge terms cancel out, as they do in `o + i · s` with an offset `o` that holds
//! a `- s`. Where it does not fit the kernel gives up
//! ([`Cause::Width`](reference::kit::outcome::Cause::Width)) rather than go on with a value that
//! wrapped. Not every adapter has i64: [`narrow_checks`](crate::pass::narrow_checks) makes tests in
//! floating point of what was not proved until then.
//!
//! Intervals of what is known anyway (constants; threads, rounds and checked indices from 1) make the test needless
//! for most one-dimensional accesses. They also say where 64 bits would not do: what may be beyond them
//! is made of parts that have to fit 32 bits by themselves. So `x · y + z · w` of unknowns gives up where
//! `x · y` is 2³², even if the sum is 7.

use reference::device::syntax::{Exp, Lit, Sc};
use reference::fun::syntax::{Atom, Se};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;

/// The integers from the first to the last, exactly.
type Interval = (i128, i128);

const I32: Interval = (i32::MIN as i128, i32::MAX as i128);
const I64: Interval = (i64::MIN as i128, i64::MAX as i128);

fn is_inside((low, high): Interval, (least, most): Interval) -> bool {
    least <= low && high <= most
}

fn fits(interval: Interval) -> bool {
    is_inside(interval, I32)
}

/// What the lowering knows of a variable.
pub(super) trait Scope {
    /// Its value.
    fn value(&self, var: Var) -> Exp;
    /// Is it at least 1, as threads and rounds are?
    fn counts(&self, var: Var) -> bool;
    /// What is 1 less than the variable, modulo 2³², if that has a name.
    fn less_one(&self, var: Var) -> Option<Exp>;
}

/// A scalar expression in 32 bits, with what must hold for it to be exact.
pub(super) struct Exact {
    /// The value, if every condition holds.
    pub(super) value: Exp,
    /// Conditions; none if the value is exact in any case.
    pub(super) conditions: Vec<Condition>,
}

/// What must hold for a value to be exact.
pub(super) enum Condition {
    /// This bool.
    Holds(Exp),
    /// This i64 is an i32.
    Fits(Exp),
}

/// Is `se` exact in 32 bits in any case?
pub(super) fn is_exact(se: &Se, scope: &impl Scope) -> bool {
    interval(se, scope).is_some_and(fits)
}

/// What the true value of `se` lies in, if there is no condition for a part of it.
fn interval(se: &Se, scope: &impl Scope) -> Option<Interval> {
    match se {
        Se::Atom(atom) => Some(interval_of(*atom, scope)),
        Se::Bin(op, ab) => {
            let [a, b] = &**ab;
            let (a, b) = (interval(a, scope)?, interval(b, scope)?);
            if is_ring(*op) {
                return Some(of_ring(*op, a, b));
            }
            (fits(a) && fits(b) && !is_wide_quotient(*op, a, b)).then(|| of_other(*op))
        }
    }
}

/// `se`, exactly.
pub(super) fn exact(se: &Se, scope: &impl Scope) -> Exact {
    let mut conditions = Vec::new();
    let mut term = term(se, scope, &mut conditions);
    term.narrow(None, &mut conditions);
    Exact { value: term.value, conditions }
}

/// `se` in 32 bits, where it wraps.
pub(super) fn wrapping(se: &Se, scope: &impl Scope) -> Exp {
    match se {
        Se::Atom(Atom::Const(k)) => Exp::i32(*k),
        Se::Atom(Atom::Var(var)) => scope.value(*var),
        Se::Bin(op, ab) => less_one(se, scope).unwrap_or_else(|| {
            let [a, b] = &**ab;
            bin(*op, wrapping(a, scope), wrapping(b, scope))
        }),
    }
}

/// The name of `x - 1`, if it is that and has one.
fn less_one(se: &Se, scope: &impl Scope) -> Option<Exp> {
    let Se::Bin(BinOp::Sub, ab) = se else { return None };
    let [Se::Atom(Atom::Var(var)), Se::Atom(Atom::Const(1))] = &**ab else { return None };
    scope.less_one(*var)
}

/// `se` in 64 bits, for the host: exact but for products of more than two factors, which the
/// memory budget excludes long before.
pub(super) fn wide(se: &Se, scope: &impl Scope) -> Exp {
    match se {
        Se::Atom(atom) => Exp::Cast(Sc::I64, Box::new(wrapping(&Se::Atom(*atom), scope))),
        Se::Bin(op, ab) => {
            let [a, b] = &**ab;
            let value = bin(*op, wide(a, scope), wide(b, scope));
            let widen = is_comparison(*op);
            if widen { Exp::Cast(Sc::I64, Box::new(value)) } else { value }
        }
    }
}

/// Does `se` look at this variable?
pub(super) fn mentions(se: &Se, var: Var) -> bool {
    match se {
        Se::Atom(atom) => *atom == Atom::Var(var),
        Se::Bin(_, ab) => ab.iter().any(|part| mentions(part, var)),
    }
}

/// Can evaluating `se` get stuck?
pub(super) fn partial(se: &Se) -> bool {
    match se {
        Se::Atom(_) => false,
        Se::Bin(op, ab) => op.is_partial() || ab.iter().any(partial),
    }
}

fn is_comparison(op: BinOp) -> bool {
    use BinOp::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge)
}

/// `a ⊕ b` as the scalar table has it: comparisons give 0 or 1.
fn bin(op: BinOp, a: Exp, b: Exp) -> Exp {
    let applied = Exp::bin(op, a, b);
    if is_comparison(op) { Exp::Cast(Sc::I32, Box::new(applied)) } else { applied }
}

/// A subexpression.
struct Term {
    /// Its value modulo 2³².
    value: Exp,
    /// Its true value, an i64, if that is not the value.
    wide: Option<Exp>,
    /// What that lies in.
    interval: Interval,
}

impl Term {
    /// A value that is exact.
    fn of(value: Exp, interval: Interval) -> Self {
        Self { value, wide: None, interval }
    }

    /// Takes the true value out. What is not negative is taken for a u32, so that a pass that looks at it
    /// sees that.
    fn take_wide(&mut self) -> Exp {
        let cast = |to: Sc, exp: Exp| Exp::Cast(to, Box::new(exp));
        match (self.wide.take(), &self.value) {
            (Some(wide), _) => wide,
            (None, Exp::Lit(Lit::I32(k))) => Exp::i64((*k).into()),
            (None, value) if self.interval.0 >= 0 => cast(Sc::I64, cast(Sc::U32, value.clone())),
            (None, value) => cast(Sc::I64, value.clone()),
        }
    }

    /// Its value is to be exact, which is a condition, if that is not so in any case. With a `factor`
    /// it may be anything where that is 0.
    fn narrow(&mut self, factor: Option<&Term>, conditions: &mut Vec<Condition>) {
        if fits(self.interval) {
            return;
        }
        let mut wide = self.take_wide();
        if let Some(factor) = factor {
            let is_zero = Exp::bin(BinOp::Eq, factor.value.clone(), Exp::i32(0));
            wide = Exp::select(is_zero, Exp::i64(0), wide);
        }
        conditions.push(Condition::Fits(wide));
        *self = Self::of(std::mem::replace(&mut self.value, Exp::i32(0)), I32);
    }

    /// How large its true value may be.
    fn size(&self) -> i128 {
        let (low, high) = self.interval;
        high.max(low.saturating_neg())
    }
}

fn term(se: &Se, scope: &impl Scope, conditions: &mut Vec<Condition>) -> Term {
    match se {
        Se::Atom(atom) => Term::of(wrapping(se, scope), interval_of(*atom, scope)),
        Se::Bin(op, ab) => {
            let [a, b] = &**ab;
            let (a, b) = (term(a, scope, conditions), term(b, scope, conditions));
            if !is_ring(*op) {
                return other(*op, a, b, conditions);
            }
            let mut term = ring(*op, a, b, conditions);
            if let Some(value) = less_one(se, scope) {
                term.value = value;
            }
            term
        }
    }
}

/// What a constant or a variable lies in.
fn interval_of(atom: Atom, scope: &impl Scope) -> Interval {
    match atom {
        Atom::Const(k) => (k.into(), k.into()),
        Atom::Var(var) if scope.counts(var) => (1, I32.1),
        Atom::Var(_) => I32,
    }
}

fn is_ring(op: BinOp) -> bool {
    matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul)
}

/// What `a ± b` or `a * b` lies in.
fn of_ring(op: BinOp, a: Interval, b: Interval) -> Interval {
    match op {
        BinOp::Add => (a.0.saturating_add(b.0), a.1.saturating_add(b.1)),
        BinOp::Sub => (a.0.saturating_sub(b.1), a.1.saturating_sub(b.0)),
        _ => product(a, b),
    }
}

/// What `a ⊕ b` lies in for any other operator.
fn of_other(op: BinOp) -> Interval {
    match op {
        op if is_comparison(op) => (0, 1),
        BinOp::Shl => (I32.0 << 31, I32.1 << 31),
        _ => I32,
    }
}

/// Can `a ⊕ b` be the one quotient that is 2³¹?
fn is_wide_quotient(op: BinOp, a: Interval, b: Interval) -> bool {
    op == BinOp::Div && a.0 <= I32.0 && b.0 <= -1 && b.1 >= -1
}

/// `a ± b`, `a * b`.
fn ring(op: BinOp, mut a: Term, mut b: Term, conditions: &mut Vec<Condition>) -> Term {
    let interval = |a: &Term, b: &Term| of_ring(op, a.interval, b.interval);
    let is_wide = |a: &Term, b: &Term| !is_inside(interval(a, b), I64);
    if is_wide(&a, &b) {
        // The factor that is smaller by its interval has to fit 32 bits; where it is 0 the other may be
        // anything: strides are like that, of slices of one element.
        let (wide, other) = if a.size() > b.size() { (&mut a, &mut b) } else { (&mut b, &mut a) };
        if op == BinOp::Mul {
            other.narrow(None, conditions);
            if is_wide(wide, other) {
                wide.narrow(Some(&*other), conditions);
            }
        } else {
            wide.narrow(None, conditions);
            if is_wide(wide, other) {
                other.narrow(None, conditions);
            }
        }
    }
    let interval = interval(&a, &b);
    let wide = (!fits(interval)).then(|| Exp::bin(op, a.take_wide(), b.take_wide()));
    Term { value: Exp::bin(op, a.value, b.value), wide, interval }
}

/// The product of two intervals; anything at all if one of them is very wide.
fn product(a: Interval, b: Interval) -> Interval {
    const WIDE: i128 = 1 << 60;
    if [a.0, a.1, b.0, b.1].iter().any(|bound| !(-WIDE..=WIDE).contains(bound)) {
        return (i128::MIN, i128::MAX);
    }
    let corners = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
    corners.into_iter().fold((i128::MAX, i128::MIN), |(low, high), x| (low.min(x), high.max(x)))
}

/// An operator that is no ring operation needs exact operands; then it is the scalar table's.
fn other(op: BinOp, mut a: Term, mut b: Term, conditions: &mut Vec<Condition>) -> Term {
    a.narrow(None, conditions);
    b.narrow(None, conditions);
    if is_wide_quotient(op, a.interval, b.interval) {
        let smallest = Exp::bin(BinOp::Ne, a.value.clone(), Exp::i32(i32::MIN));
        let minus_one = Exp::bin(BinOp::Ne, b.value.clone(), Exp::i32(-1));
        let exact = Exp::bin(BinOp::Or, smallest, minus_one);
        conditions.push(Condition::Holds(exact));
    }
    match op {
        // Exactly, a shift to the left is a product with a power of two.
        BinOp::Shl => {
            let amount = Exp::Cast(Sc::U32, Box::new(b.value.clone()));
            let power = Exp::bin(BinOp::Shl, Exp::u32(1), amount);
            let power = Exp::Cast(Sc::I64, Box::new(power));
            let wide = Exp::bin(BinOp::Mul, a.take_wide(), power);
            Term { value: bin(op, a.value, b.value), wide: Some(wide), interval: of_other(op) }
        }
        _ => Term::of(bin(op, a.value, b.value), of_other(op)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Variable 0 is a thread, all others are anything.
    struct Known;

    impl Scope for Known {
        fn value(&self, var: Var) -> Exp {
            Exp::Var(var)
        }
        fn counts(&self, var: Var) -> bool {
            var.slot() == 0
        }
        fn less_one(&self, _: Var) -> Option<Exp> {
            None
        }
    }

    fn conditions(se: &Se) -> usize {
        exact(se, &Known).conditions.len()
    }

    #[test]
    fn offsets_of_threads_need_no_test_and_products_do() {
        let thread = || Se::from(Var(0));
        let any = || Se::from(Var(1));
        let from_zero = || Se::bin(BinOp::Sub, thread(), 1);
        assert_eq!(conditions(&any()), 0);
        assert_eq!(conditions(&from_zero()), 0);
        assert_eq!(conditions(&Se::bin(BinOp::Sub, any(), 1)), 1);
        assert_eq!(conditions(&Se::bin(BinOp::Mul, from_zero(), any())), 1);
        assert_eq!(conditions(&Se::bin(BinOp::Rem, any(), 7)), 0);
        assert_eq!(conditions(&Se::bin(BinOp::Div, any(), -1)), 1);
        assert_eq!(conditions(&Se::bin(BinOp::Min, Se::bin(BinOp::Add, any(), any()), 7)), 1);
    }

    #[test]
    fn deep_products_stay_within_the_interval_arithmetic() {
        let mut se = Se::from(Var(1));
        for _ in 0..200 {
            se = Se::bin(BinOp::Mul, se, Var(1));
        }
        // A product of three may be beyond 64 bits, so that of two has to fit 32 unless the third is 0.
        assert_eq!(conditions(&se), 200);
        let product = || Se::bin(BinOp::Mul, Var(1), Var(2));
        let sum =
            |terms: usize| (1..terms).fold(product(), |sum, _| Se::bin(BinOp::Add, sum, product()));
        assert_eq!(conditions(&sum(1)), 1);
        assert_eq!(conditions(&Se::bin(BinOp::Add, sum(1), Var(3))), 1);
        assert_eq!(conditions(&sum(2)), 2);
        assert_eq!(conditions(&sum(3)), 3);
    }
}
