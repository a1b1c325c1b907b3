//! What is known of numbers on the way through a kernel: an interval for each value that has a
//! name, and what follows from them for expressions.
//!
//! Integers are exact: an operation that could wrap has the whole interval of its type. Floats are
//! bounded from outside: each operation widens its interval by more than it can round.

mod assume;
mod checks;

use crate::pass::slots::Slots;
use crate::pass::types::Types;
use reference::device::syntax::{Builtin, Exp, Lit, Place, Sc, Ty, UnOp};
use reference::device::visit::any_exp;
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// Facts that a kernel of many has room for without growing the list.
const LEARNED: usize = 60;

/// From the first to the last.
type Range = (i64, i64);

/// What an integer lies in, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    /// From the first to the last.
    pub(super) range: Range,
    /// Does it depend on a check that held, in a kernel that goes on after a failed one? Then it says
    /// nothing of an invocation that is poisoned.
    pub(super) tested: bool,
}

impl Interval {
    /// An interval that holds for every invocation that comes to the place.
    pub(super) fn certain(range: Range) -> Self {
        Self { range, tested: false }
    }

    /// A range derived from this one.
    fn with(self, range: Range) -> Self {
        Self { range, ..self }
    }

    /// A range derived from both.
    fn and(self, other: Self, range: Range) -> Self {
        Self { range, tested: self.tested || other.tested }
    }
}

const I32: Range = (i32::MIN as i64, i32::MAX as i64);
const U32: Range = (0, u32::MAX as i64);

/// What an operation on floats may be off, as a share of its result: more than twice a rounding to
/// nearest, since not every device rounds so.
const OFF: f64 = 2.0 * f32::EPSILON as f64;

/// What it may be off where its result is too small for that, or is taken for 0.
const SMALLEST: f64 = f32::MIN_POSITIVE as f64;

/// A value that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    Var(Var),
    Builtin(Builtin),
    /// Of a block.
    Length(Var),
    /// Of a block.
    Base(Var),
    /// What a variable of the function space holds for now.
    Held(Var),
    /// Of the block that one holds.
    HeldLength(Var),
    /// Of the block that one holds.
    HeldBase(Var),
    /// That an integer is not 0, on this way.
    NotZero(Var),
}

impl Name {
    /// The name, if the expression is one.
    pub(super) fn of(exp: &Exp) -> Option<Self> {
        let held = |exp: &Exp| match exp {
            Exp::Load(place) => match **place {
                Place::Var(var) => Some(var),
                _ => None,
            },
            _ => None,
        };
        match exp {
            Exp::Var(var) => Some(Name::Var(*var)),
            Exp::Builtin(builtin) => Some(Name::Builtin(*builtin)),
            Exp::Load(_) => held(exp).map(Name::Held),
            Exp::Length(block) => match **block {
                Exp::Var(var) => Some(Name::Length(var)),
                ref block => held(block).map(Name::HeldLength),
            },
            Exp::Base(block) => match **block {
                Exp::Var(var) => Some(Name::Base(var)),
                ref block => held(block).map(Name::HeldBase),
            },
            _ => None,
        }
    }
}

/// What is known of a variable, in two parts. A [`Name`] refers to one of them.
#[derive(Clone, Copy, Default)]
struct Known {
    /// The range of an integer, or of the length of a block.
    number: Option<Interval>,
    /// That an integer is not 0, or the range of the base of a block.
    other: Option<Interval>,
}

/// What is known.
#[derive(Clone)]
pub(super) struct Intervals<'p> {
    types: &'p Types,
    /// Of variables; of what one holds only what [`Intervals::hold`] said.
    known: Slots<Known>,
    /// Of builtins, by their number.
    builtins: [Option<Interval>; 4],
    /// Bounds of the floats that have a name: a name is bound once, so they hold wherever it is known.
    floats: FxHashMap<Var, (f64, f64)>,
    /// Integers that are not 0, though their interval may contain 0. A name is bound once, so they stay known.
    not_zero: Vec<Var>,
    /// Integers and bools that say whether conditions hold, of values that nothing changes.
    conditions: Vec<(Var, Exp)>,
    /// Are tested intervals left out for now?
    certain: Cell<bool>,
    /// What was known before, to be known again at the end of a block.
    before: Vec<(Name, Option<Interval>)>,
}

impl<'p> Intervals<'p> {
    /// Nothing is known yet.
    pub(super) fn new(types: &'p Types) -> Self {
        Self {
            types,
            known: Slots::with_room(types.slots()),
            builtins: [None; 4],
            floats: FxHashMap::default(),
            not_zero: Vec::new(),
            conditions: Vec::new(),
            certain: Cell::new(false),
            before: Vec::with_capacity(LEARNED),
        }
    }

    /// The type of a variable.
    pub(super) fn ty(&self, var: Var) -> &'p Ty {
        self.types.var(var)
    }

    /// What is found out from now on holds until [`Intervals::forget`].
    pub(super) fn mark(&self) -> usize {
        self.before.len()
    }

    /// Forgets what was found out since the mark.
    pub(super) fn forget(&mut self, mark: usize) {
        while self.before.len() > mark
            && let Some((name, before)) = self.before.pop()
        {
            *self.known_mut(name) = before;
        }
    }

    /// The value of this name is in the interval.
    pub(super) fn learn(&mut self, name: Name, interval: Interval) {
        self.hold(name, Some(interval));
    }

    /// What the name stands for is in the interval from now on, or not known.
    pub(super) fn hold(&mut self, name: Name, interval: Option<Interval>) {
        let before = std::mem::replace(self.known_mut(name), interval);
        self.before.push((name, before));
    }

    fn known_mut(&mut self, name: Name) -> &mut Option<Interval> {
        match name {
            Name::Builtin(builtin) => &mut self.builtins[builtin as usize],
            Name::Var(var) | Name::Length(var) | Name::Held(var) | Name::HeldLength(var) => {
                &mut self.known.of_mut(var).number
            }
            Name::NotZero(var) | Name::Base(var) | Name::HeldBase(var) => {
                &mut self.known.of_mut(var).other
            }
        }
    }

    /// What is known of a name.
    pub(super) fn known(&self, name: Name) -> Option<Interval> {
        let found = match name {
            Name::Builtin(builtin) => self.builtins[builtin as usize],
            Name::Var(var) | Name::Length(var) | Name::Held(var) | Name::HeldLength(var) => {
                self.known.of(var).number
            }
            Name::NotZero(var) | Name::Base(var) | Name::HeldBase(var) => self.known.of(var).other,
        };
        found.filter(|interval| !(interval.tested && self.certain.get()))
    }

    /// Runs `ask` without tested intervals, so that its answer holds for poisoned invocations too.
    pub(super) fn certainly<T>(&self, ask: impl FnOnce(&Self) -> T) -> T {
        self.certain.set(true);
        let answer = ask(self);
        self.certain.set(false);
        answer
    }

    /// Of an expression that is a block: what is known of its length, and of its base.
    pub(super) fn block(&self, exp: &Exp) -> [Option<Interval>; 2] {
        match exp {
            Exp::Var(var) => [Name::Length(*var), Name::Base(*var)].map(|name| self.known(name)),
            Exp::Load(place) => match **place {
                Place::Var(var) => {
                    [Name::HeldLength(var), Name::HeldBase(var)].map(|name| self.known(name))
                }
                _ => [None, None],
            },
            Exp::Block(_, parts) => {
                let [base, length] = &**parts;
                [self.int(length), self.int(base)]
            }
            Exp::Select(parts) => {
                let [_, a, b] = &**parts;
                let ([a_length, a_base], [b_length, b_base]) = (self.block(a), self.block(b));
                [either(a_length, b_length), either(a_base, b_base)]
            }
            _ => [None, None],
        }
    }

    /// The name is bound to this f32. Bounds of floats have no mark, so only those are kept that no test gave.
    pub(super) fn learn_float(&mut self, var: Var, exp: &Exp) {
        if let Some(bounds) = self.certainly(|known| known.float(exp)) {
            self.floats.insert(var, bounds);
        }
    }

    /// The name is bound to an integer that is not 0.
    pub(super) fn learn_not_zero(&mut self, var: Var) {
        self.not_zero.push(var);
    }

    /// Is an integer not 0, because some bit of it is set? Divisors are made so.
    pub(super) fn is_not_zero(&self, exp: &Exp) -> bool {
        match exp {
            Exp::Lit(Lit::I32(k)) => *k != 0,
            Exp::Lit(Lit::U32(k)) => *k != 0,
            Exp::Var(var) => {
                self.not_zero.contains(var) || self.known(Name::NotZero(*var)).is_some()
            }
            Exp::Bin(BinOp::Or, ab) => ab.iter().any(|part| self.is_not_zero(part)),
            _ => false,
        }
    }

    /// The interval of an i32 or u32; `None` of anything else.
    pub(super) fn int(&self, exp: &Exp) -> Option<Interval> {
        self.typed(exp).map(|(interval, _)| interval)
    }

    /// The interval of an i32 or u32, and the full range of its type.
    fn typed(&self, exp: &Exp) -> Option<(Interval, Range)> {
        let by_name = |whole| {
            let known = Name::of(exp).and_then(|name| self.known(name));
            (known.unwrap_or(Interval::certain(whole)), whole)
        };
        let (found, whole) = match exp {
            Exp::Lit(Lit::I32(k)) => {
                return Some((Interval::certain((i64::from(*k), i64::from(*k))), I32));
            }
            Exp::Lit(Lit::U32(k)) => {
                return Some((Interval::certain((i64::from(*k), i64::from(*k))), U32));
            }
            Exp::Var(var) => {
                let Ty::Scalar(sc) = self.types.var(*var) else { return None };
                by_name(whole(*sc)?)
            }
            Exp::Builtin(_) | Exp::Length(_) | Exp::Base(_) => by_name(U32),
            Exp::Un(op, a) => {
                let (a, whole) = self.typed(a)?;
                match op {
                    UnOp::Neg => (a.with((-a.range.1, -a.range.0)), whole),
                    _ => (Interval::certain(whole), whole),
                }
            }
            Exp::Bin(BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge, _) => {
                return None;
            }
            Exp::Bin(op, ab) => {
                let [a, b] = &**ab;
                let ((a, whole), b) = (self.typed(a)?, self.int(b)?);
                let anything = Interval::certain(whole);
                let range = operate(*op, a.range, b.range);
                (range.map_or(anything, |range| a.and(b, range)), whole)
            }
            Exp::Select(parts) => {
                let [_, a, b] = &**parts;
                let ((a, whole), b) = (self.typed(a)?, self.int(b)?);
                (a.and(b, union(a.range, b.range)), whole)
            }
            Exp::Cast(sc, a) | Exp::Bitcast(sc, a) => {
                let whole = whole(*sc)?;
                let is_bool = || self.types.sc(a) == Some(Sc::Bool);
                let of_other = || Interval::certain(if is_bool() { (0, 1) } else { whole });
                (self.int(a).unwrap_or_else(of_other), whole)
            }
            other => {
                let whole = whole(self.types.sc(other)?)?;
                by_name(whole)
            }
        };
        let (low, high) = found.range;
        let fits = whole.0 <= low && high <= whole.1;
        Some((if fits { found } else { Interval::certain(whole) }, whole))
    }

    /// The numbers that an i32 or u32 lies between.
    fn range(&self, exp: &Exp) -> Option<Range> {
        self.int(exp).map(|interval| interval.range)
    }

    /// Bounds of an f32, if each part of it is known.
    fn float(&self, exp: &Exp) -> Option<(f64, f64)> {
        let (low, high) = match exp {
            Exp::Lit(Lit::F32(bits)) => {
                // What is smaller than normal a device may take for 0.
                let x = f32::from_bits(*bits);
                return (x == 0.0 || x.is_normal()).then_some((x.into(), x.into()));
            }
            Exp::Var(var) => return self.floats.get(var).copied(),
            Exp::Cast(Sc::F32, a) => {
                let (low, high) = self.range(a)?;
                (low as f64, high as f64)
            }
            Exp::Un(UnOp::Neg, a) => {
                let (low, high) = self.float(a)?;
                (-high, -low)
            }
            Exp::Select(parts) => {
                let [cond, a, b] = &**parts;
                let all = || {
                    let (a, b) = (self.float(a)?, self.float(b)?);
                    Some((a.0.min(b.0), a.1.max(b.1)))
                };
                return match self.truth(cond) {
                    Some(true) => self.float(a),
                    Some(false) => self.float(b),
                    None => all(),
                };
            }
            Exp::Bin(op, ab) => {
                let [a, b] = &**ab;
                let (a, b) = (self.float(a)?, self.float(b)?);
                match op {
                    BinOp::Add => (a.0 + b.0, a.1 + b.1),
                    BinOp::Sub => (a.0 - b.1, a.1 - b.0),
                    BinOp::Min => (a.0.min(b.0), a.1.min(b.1)),
                    BinOp::Max => (a.0.max(b.0), a.1.max(b.1)),
                    BinOp::Mul => {
                        let corners = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
                        let low = corners.into_iter().fold(f64::INFINITY, f64::min);
                        (low, corners.into_iter().fold(f64::NEG_INFINITY, f64::max))
                    }
                    _ => return None,
                }
            }
            _ => return None,
        };
        let off = |x: f64| x.abs() * OFF + SMALLEST;
        let (low, high) = (low - off(low), high + off(high));
        // Beyond it an f32 may be infinite.
        let fits = |x: f64| x.abs() <= f64::from(f32::MAX) / 2.0;
        (fits(low) && fits(high)).then_some((low, high))
    }

    /// Is a bool known to be true, or to be false?
    pub(super) fn truth(&self, exp: &Exp) -> Option<bool> {
        match exp {
            Exp::Lit(Lit::Bool(b)) => Some(*b),
            Exp::Un(UnOp::Not, a) => self.truth(a).map(|b| !b),
            Exp::Bin(op, ab) => self.truth_of(*op, ab),
            _ => None,
        }
    }

    fn truth_of(&self, op: BinOp, [a, b]: &[Exp; 2]) -> Option<bool> {
        match op {
            BinOp::And => match (self.truth(a), self.truth(b)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            BinOp::Or => match (self.truth(a), self.truth(b)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            _ => match (self.range(a), self.range(b)) {
                (Some(_), Some(_)) if a == b && !any_exp(a, &mut is_load) => match op {
                    BinOp::Le | BinOp::Ge | BinOp::Eq => Some(true),
                    BinOp::Lt | BinOp::Gt | BinOp::Ne => Some(false),
                    _ => None,
                },
                (Some(x), Some(y)) => compare(op, x, y).or_else(|| {
                    let other = op == BinOp::Ne && y == (0, 0) && self.is_not_zero(a);
                    other.then_some(true)
                }),
                _ => compare(op, self.float(a)?, self.float(b)?),
            },
        }
    }
}

/// All that an i32 or u32 can be.
fn whole(sc: Sc) -> Option<Range> {
    match sc {
        Sc::I32 => Some(I32),
        Sc::U32 => Some(U32),
        _ => None,
    }
}

/// What is known of one of two values.
pub(super) fn either(a: Option<Interval>, b: Option<Interval>) -> Option<Interval> {
    let (a, b) = (a?, b?);
    Some(a.and(b, union(a.range, b.range)))
}

fn is_load(exp: &Exp) -> bool {
    matches!(exp, Exp::Load(_))
}

fn union(a: Range, b: Range) -> Range {
    (a.0.min(b.0), a.1.max(b.1))
}

/// The range of `a op b` over the integers; `None` if nothing is known of it.
fn operate(op: BinOp, a: Range, b: Range) -> Option<Range> {
    let corners = |apply: fn(i64, i64) -> i64| {
        let all = [apply(a.0, b.0), apply(a.0, b.1), apply(a.1, b.0), apply(a.1, b.1)];
        all.into_iter().map(|k| (k, k)).reduce(union)
    };
    match op {
        BinOp::Add => Some((a.0 + b.0, a.1 + b.1)),
        BinOp::Sub => Some((a.0 - b.1, a.1 - b.0)),
        BinOp::Mul => corners(i64::saturating_mul),
        BinOp::Div if b.0 >= 1 => corners(|a, b| a / b),
        BinOp::Rem if b.0 >= 1 => {
            let most = b.1 - 1;
            Some((a.0.clamp(-most, 0), a.1.clamp(0, most)))
        }
        BinOp::Min => Some((a.0.min(b.0), a.1.min(b.1))),
        BinOp::Max => Some((a.0.max(b.0), a.1.max(b.1))),
        BinOp::And if b.0 >= 0 => Some((0, b.1)),
        BinOp::And if a.0 >= 0 => Some((0, a.1)),
        BinOp::Shr if b.0 == b.1 && (0..32).contains(&b.0) => Some((a.0 >> b.0, a.1 >> b.0)),
        BinOp::Shl if b.0 == b.1 && (0..32).contains(&b.0) => Some((a.0 << b.0, a.1 << b.0)),
        _ => None,
    }
}

/// Is the comparison of any two of these known?
fn compare<T: PartialOrd>(op: BinOp, a: (T, T), b: (T, T)) -> Option<bool> {
    let less = |a: &(T, T), b: &(T, T)| match () {
        () if a.1 < b.0 => Some(true),
        () if a.0 >= b.1 => Some(false),
        () => None,
    };
    match op {
        BinOp::Lt => less(&a, &b),
        BinOp::Gt => less(&b, &a),
        BinOp::Le => less(&b, &a).map(|b| !b),
        BinOp::Ge => less(&a, &b).map(|b| !b),
        BinOp::Eq | BinOp::Ne if a.1 < b.0 || b.1 < a.0 => Some(op == BinOp::Ne),
        BinOp::Eq | BinOp::Ne if a.0 == a.1 && b.0 == b.1 && a.0 == b.0 => Some(op == BinOp::Eq),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the operator gives for numbers of two intervals is in the interval of the result.
    #[test]
    fn results_are_inside() {
        fn property(a: i32, b: i32, c: i32, d: i32, x: u8, y: u8) -> bool {
            let pick = |low: i32, high: i32, at: u8| {
                let wide = i64::from(high) - i64::from(low);
                (i64::from(low) + wide * i64::from(at) / 255) as i32
            };
            let (a, b) = (a.min(b), a.max(b));
            let (c, d) = (c.min(d), c.max(d));
            let (x, y) = (pick(a, b, x), pick(c, d, y));
            let types = two_ints();
            let mut intervals = Intervals::new(&types);
            intervals.learn(Name::Var(Var(0)), Interval::certain((a.into(), b.into())));
            intervals.learn(Name::Var(Var(1)), Interval::certain((c.into(), d.into())));
            BinOp::ALL.into_iter().all(|op| {
                let exp = Exp::bin(op, Exp::Var(Var(0)), Exp::Var(Var(1)));
                let Ok(result) = op.apply(x, y) else { return true };
                let inside =
                    |found: Interval| (found.range.0..=found.range.1).contains(&result.into());
                let true_or_unknown = |truth: bool| truth == (result != 0);
                match types.sc(&exp) {
                    Some(Sc::Bool) => intervals.truth(&exp).is_none_or(true_or_unknown),
                    _ => intervals.int(&exp).is_none_or(inside),
                }
            })
        }
        quickcheck::QuickCheck::new()
            .tests(20_000)
            .quickcheck(property as fn(i32, i32, i32, i32, u8, u8) -> bool);
    }

    #[test]
    fn what_is_assumed_is_forgotten() {
        let types = two_ints();
        let mut intervals = Intervals::new(&types);
        let mark = intervals.mark();
        let x = || Exp::Var(Var(0));
        let at_least = Exp::bin(BinOp::Le, Exp::i32(1), x());
        let test = Exp::bin(BinOp::And, at_least, Exp::bin(BinOp::Le, x(), Exp::i32(9)));
        intervals.assume(&test, true, false);
        assert_eq!(intervals.range(&x()), Some((1, 9)));
        let product = Exp::bin(BinOp::Mul, Exp::Cast(Sc::F32, Box::new(x())), float(3.0));
        let small = |bound| Exp::bin(BinOp::Lt, product.clone(), float(bound));
        assert_eq!(intervals.truth(&small(28.0)), Some(true));
        assert_eq!(intervals.truth(&small(27.0)), None);
        intervals.forget(mark);
        assert_eq!(intervals.truth(&small(28.0)), None);
    }

    /// A product that may be rounded to 0 is not known to be positive.
    #[test]
    fn floats_may_underflow() {
        let types = Types::default();
        let tiny = || float(1.0e-30);
        let positive = |exp| Exp::bin(BinOp::Gt, exp, float(0.0));
        assert_eq!(Intervals::new(&types).truth(&positive(tiny())), Some(true));
        let product = Exp::bin(BinOp::Mul, tiny(), tiny());
        assert_eq!(Intervals::new(&types).truth(&positive(product)), None);
        assert_eq!(Intervals::new(&types).truth(&positive(float(1.0e-40))), None);
    }

    fn two_ints() -> Types {
        let mut types = Types::default();
        types.enter(Var(0), &reference::device::syntax::I32);
        types.enter(Var(1), &reference::device::syntax::I32);
        types
    }

    fn float(x: f32) -> Exp {
        Exp::Lit(Lit::F32(x.to_bits()))
    }
}
