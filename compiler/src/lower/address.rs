//! Exact offsets in 32 bits.
//!
//! IMP evaluates offsets exactly, over all integers; a kernel has 32 bits. What `+ - *` give in
//! 32 bits is right modulo 2³², whatever overflowed on the way. So it is exact as soon as it is
//! less than 2³² away from the true value, and for that floating point is good enough: beside
//! the value go an *approximation* and a *magnitude*,
//!
//! ```text
//! ~k = f32(k)           |k|     = the constant, made positive
//! ~x = f32(x)           |x|     = max(f32(x), -f32(x))
//! ~(a ⊕ b) = ~a ⊕ ~b    |a ± b| = |a| + |b|      |a * b| = |a| * |b|
//! ```
//!
//! and `|x ± c|` is that of its approximation for a variable and a small constant.
//! Each conversion and each operation rounds by at most 2⁻²³ of its result, so in whatever order
//! a device sums, the approximation of an expression of `n` of them is at most `2n · 2⁻²³ · |e|`
//! away from the true value ([`Rounding`]; twice, for the magnitude is rounded too). The value is
//! exact if
//!
//! ```text
//! |~e - f32(e)| + rounding · |e| < 2³¹
//! ```
//!
//! This holds where the true value is inside of a block and huge terms cancel out, as they do in
//! `o + i · s` with an offset `o` that holds a `- s`. Where it does not hold the kernel gives up
//! ([`Cause::Width`](reference::kit::outcome::Cause::Width)) rather than go on with a value that
//! may have wrapped. No i64 is needed, which not every adapter has. Intervals of what is known
//! anyway (constants, threads and rounds from 1) make the test needless for most one-dimensional
//! accesses; for the others a rough one comes first, `|e| < 2³⁰`, which takes less to compute and
//! leaves next to nothing to the other.

use reference::device::syntax::{Exp, Lit, Sc, UnOp};
use reference::fun::syntax::{Atom, Se};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;

/// How far off an approximation may be: 2³¹, where 2³² would do.
const LIMIT: f32 = 2_147_483_648.0;

/// Below this magnitude a value is exact, if the magnitude is off by less than itself.
const SMALL: f32 = LIMIT / 2.0;

/// The integers from the first to the last, exactly.
type Interval = (i128, i128);

const I32: Interval = (i32::MIN as i128, i32::MAX as i128);

fn fits((low, high): Interval) -> bool {
    I32.0 <= low && high <= I32.1
}

/// What the lowering knows of a variable.
pub(super) trait Scope {
    /// Its value.
    fn value(&self, var: Var) -> Exp;
    /// Is it a thread or a round, which are at least 1?
    fn counts(&self, var: Var) -> bool;
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
    /// The approximation is near to the value.
    Near(Near),
}

/// That an approximation is near to the value. Both parts are trees over all of the expression and
/// are looked at more than once, so who tests it gives them names.
pub(super) struct Near {
    /// `|e|`, an f32.
    pub(super) magnitude: Exp,
    /// `~e - f32(e)`, an f32.
    pub(super) off: Exp,
    /// What the approximation may be off.
    pub(super) rounding: Rounding,
}

/// The share of its magnitude that an approximation may be off.
#[derive(Clone, Copy)]
pub(super) struct Rounding(f32);

impl Rounding {
    /// Of so many steps, and three of the test itself.
    fn of(steps: u32) -> Self {
        Self((steps.saturating_add(3)) as f32 * 2.0 * f32::EPSILON)
    }

    /// A bool that takes less to compute and is true only where [`Rounding::test`] is, if there is
    /// one.
    pub(super) fn rough(self, magnitude: Exp) -> Option<Exp> {
        (self.0 < 1.0).then(|| Exp::bin(BinOp::Lt, magnitude, f32(SMALL)))
    }

    /// Is the approximation near, as it is off by so much? Like the rough test it is false also where
    /// something is infinite or not a number.
    pub(super) fn test(self, magnitude: &Exp, off: &Exp) -> Exp {
        let off = positive(off, (i128::MIN, i128::MAX));
        let rounded = Exp::bin(BinOp::Mul, magnitude.clone(), f32(self.0));
        Exp::bin(BinOp::Lt, Exp::bin(BinOp::Add, off, rounded), f32(LIMIT))
    }
}

/// Is `se` exact in 32 bits in any case? That is where [`exact`] has no condition for it.
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
    let term = term(se, scope, &mut conditions);
    if term.is_exact() {
        return Exact { value: term.value, conditions };
    }
    let value = term.value.clone();
    conditions.push(term.near());
    Exact { value, conditions }
}

/// `se` in 32 bits, where it wraps.
pub(super) fn wrapping(se: &Se, scope: &impl Scope) -> Exp {
    match se {
        Se::Atom(Atom::Const(k)) => Exp::i32(*k),
        Se::Atom(Atom::Var(var)) => scope.value(*var),
        Se::Bin(op, ab) => {
            let [a, b] = &**ab;
            bin(*op, wrapping(a, scope), wrapping(b, scope))
        }
    }
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
#[derive(Clone)]
struct Term {
    /// Its value modulo 2³².
    value: Exp,
    /// Nearly its true value, an f32.
    approximation: Exp,
    /// At least what any part of the approximation can be, an f32.
    magnitude: Exp,
    /// What its true value lies in.
    interval: Interval,
    /// Conversions and operations in the approximation.
    steps: u32,
}

impl Term {
    /// A value that is exact.
    fn of(value: Exp, interval: Interval) -> Self {
        let approximation = Exp::Cast(Sc::F32, Box::new(value.clone()));
        let magnitude = positive(&approximation, interval);
        Self { value, approximation, magnitude, interval, steps: 1 }
    }

    /// A literal so small that `x - c` has a magnitude of its own: where the conversion of `x`
    /// rounds at all, `x` is at least 2²⁴, and `|x - c|` nearly as large. So `(i - 1) * s` is known
    /// to be small where `i` is 1, whatever `s` is.
    fn is_near_zero(&self) -> bool {
        let (low, high) = self.interval;
        self.steps == 1 && low == high && low.abs() <= 1 << 12
    }

    /// Is the value the true one in any case?
    fn is_exact(&self) -> bool {
        fits(self.interval)
    }

    /// The condition that it is.
    fn near(self) -> Condition {
        let value = Exp::Cast(Sc::F32, Box::new(self.value));
        Condition::Near(Near {
            magnitude: self.magnitude,
            off: Exp::bin(BinOp::Sub, self.approximation, value),
            rounding: Rounding::of(self.steps),
        })
    }
}

fn term(se: &Se, scope: &impl Scope, conditions: &mut Vec<Condition>) -> Term {
    match se {
        Se::Atom(Atom::Const(k)) => Term {
            value: Exp::i32(*k),
            approximation: f32(*k as f32),
            magnitude: f32((*k as f32).abs()),
            interval: interval_of(Atom::Const(*k), scope),
            steps: 1,
        },
        Se::Atom(Atom::Var(var)) => {
            Term::of(scope.value(*var), interval_of(Atom::Var(*var), scope))
        }
        Se::Bin(op, ab) => {
            let [a, b] = &**ab;
            let (a, b) = (term(a, scope, conditions), term(b, scope, conditions));
            if is_ring(*op) { ring(*op, a, b) } else { other(*op, a, b, conditions) }
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
fn ring(op: BinOp, a: Term, b: Term) -> Term {
    let interval = of_ring(op, a.interval, b.interval);
    let of_magnitudes = if op == BinOp::Mul { BinOp::Mul } else { BinOp::Add };
    let shifted = op != BinOp::Mul && a.steps == 1 && b.is_near_zero();
    let approximation = Exp::bin(op, a.approximation, b.approximation);
    let magnitude = if shifted {
        positive(&approximation, interval)
    } else {
        Exp::bin(of_magnitudes, a.magnitude, b.magnitude)
    };
    Term {
        value: Exp::bin(op, a.value, b.value),
        approximation,
        magnitude,
        interval,
        steps: a.steps.saturating_add(b.steps).saturating_add(1),
    }
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
fn other(op: BinOp, a: Term, b: Term, conditions: &mut Vec<Condition>) -> Term {
    let unsure = [&a, &b].into_iter().filter(|term| !term.is_exact());
    conditions.extend(unsure.map(|term| term.clone().near()));
    if is_wide_quotient(op, a.interval, b.interval) {
        let smallest = Exp::bin(BinOp::Ne, a.value.clone(), Exp::i32(i32::MIN));
        let minus_one = Exp::bin(BinOp::Ne, b.value.clone(), Exp::i32(-1));
        let exact = Exp::bin(BinOp::Or, smallest, minus_one);
        conditions.push(Condition::Holds(exact));
    }
    let value = bin(op, a.value, b.value.clone());
    match op {
        // Exactly, a shift to the left is a product with a power of two.
        BinOp::Shl => {
            let amount = Exp::Cast(Sc::U32, Box::new(b.value));
            let power = Exp::bin(BinOp::Shl, Exp::u32(1), amount);
            let power = Exp::Cast(Sc::F32, Box::new(power));
            Term {
                value,
                approximation: Exp::bin(BinOp::Mul, a.approximation, power.clone()),
                magnitude: Exp::bin(BinOp::Mul, a.magnitude, power),
                interval: of_other(op),
                steps: a.steps.saturating_add(2),
            }
        }
        _ => Term::of(value, of_other(op)),
    }
}

/// `|float|`; as it is if it is not negative.
fn positive(float: &Exp, (low, _): Interval) -> Exp {
    if low >= 0 {
        return float.clone();
    }
    let negative = Exp::Un(UnOp::Neg, Box::new(float.clone()));
    Exp::bin(BinOp::Max, float.clone(), negative)
}

fn f32(x: f32) -> Exp {
    Exp::Lit(Lit::F32(x.to_bits()))
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
        assert_eq!(conditions(&se), 1);
    }
}
