//! Orders of `interleave` that go through tiles: a target is a sum of parts of the numbers of chunk and element, each of
//! them a quotient or a remainder of one before, that are the digits of a number in mixed radix. Such an order has each
//! target once and none outside, so nothing is tested and elements are written where they belong.
//!
//! What the parts are is seen when the program is compiled. Whether sizes are multiples of what divides them, and whether
//! each factor is the product of the sizes of the digits before, may depend on sizes that only the host knows: then it
//! asks before the launch.

use super::value::Val;
use super::{Lower, Lowered, Space, bounds, fold};
use crate::radix;
use reference::device::syntax::{Exp, Sc};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use std::rc::Rc;

/// The most expressions of an order that are looked at.
const MOST_STEPS: usize = 128;

/// The most digits.
const MOST_DIGITS: usize = 8;

/// A number that an order is given, or that it makes of both.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Chunk,
    Element,
    /// The place in the order of chunks.
    Place,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Quotient,
    Remainder,
}

/// A part of a part of a number, and so on, by these divisors of the host.
#[derive(Clone, PartialEq)]
struct Number {
    of: Of,
    parts: Vec<(Part, Exp)>,
}

/// An offset, and numbers times factors. All but the numbers is the host's.
struct Sum {
    offset: Exp,
    terms: Vec<(Number, Exp)>,
}

impl Sum {
    /// The two, one after the other by `+` or `-`.
    fn with(mut self, op: BinOp, other: Sum) -> Self {
        self.offset = fold::bin(op, self.offset, other.offset);
        for (number, factor) in other.terms {
            match self.terms.iter_mut().find(|(own, _)| *own == number) {
                Some((_, own)) => *own = fold::bin(op, own.clone(), factor),
                None => self.terms.push((number, fold::bin(op, Exp::i32(0), factor))),
            }
        }
        self
    }

    fn times(mut self, by: &Exp) -> Self {
        self.offset = fold::bin(BinOp::Mul, self.offset, by.clone());
        for (_, factor) in &mut self.terms {
            *factor = fold::bin(BinOp::Mul, factor.clone(), by.clone());
        }
        self
    }

    /// The number, if it is one; the place is that of the element in its chunk behind chunks of `size`.
    fn number(&self, size: &Exp) -> Option<Number> {
        if fold::literal(&self.offset) != Some(0) {
            return None;
        }
        let whole = |of| Number { of, parts: Vec::new() };
        let factor = |of| self.terms.iter().find(|(number, _)| *number == whole(of));
        match &*self.terms {
            [(number, factor)] if fold::literal(factor) == Some(1) => Some(number.clone()),
            [_, _] => {
                let ((_, chunk), (_, element)) = (factor(Of::Chunk)?, factor(Of::Element)?);
                (chunk == size && fold::literal(element) == Some(1)).then(|| whole(Of::Place))
            }
            _ => None,
        }
    }

    /// The parts of a number with their factors, if the conditions hold.
    fn parts(&self, of: Of, conditions: &mut Vec<Exp>) -> Parts {
        let mut parts = Parts::new();
        let mut terms: Vec<_> = self.terms.iter().filter(|(number, _)| number.of == of).collect();
        // Multiples come behind what they are multiples of.
        terms.sort_by_key(|(number, _)| match number.parts.first() {
            Some((_, by)) => (matches!(by, Exp::Bin(..)), fold::literal(by)),
            None => (false, None),
        });
        for (number, factor) in terms {
            parts.add(&number.parts, factor, conditions);
        }
        parts
    }

    fn mentions(&self, of: Of) -> bool {
        self.terms.iter().any(|(number, _)| number.of == of)
    }
}

/// A number times a factor, and its quotient and remainder if these are used.
struct Parts {
    factor: Exp,
    /// By what it is divided, as the order says it.
    by: Vec<Exp>,
    of: Option<Box<[Parts; 2]>>,
}

/// A number from 0 to below a size, times a factor.
struct Digit {
    factor: Exp,
    size: Exp,
}

impl Parts {
    fn new() -> Self {
        Self { factor: Exp::i32(0), by: Vec::new(), of: None }
    }

    fn add(&mut self, path: &[(Part, Exp)], factor: &Exp, conditions: &mut Vec<Exp>) {
        let Some(((part, by), rest)) = path.split_first() else {
            self.factor = fold::bin(BinOp::Add, self.factor.clone(), factor.clone());
            return;
        };
        if let Some(least) = self.by.first().cloned()
            && let Some(times) = times(by, &least, conditions)
        {
            let mut inner = vec![(Part::Quotient, least.clone()), (*part, times)];
            inner.extend_from_slice(rest);
            if *part == Part::Quotient {
                self.add(&inner, factor, conditions);
                return;
            }
            // A part of this sum is not seen to be one of its terms.
            if rest.is_empty() {
                let scaled = fold::bin(BinOp::Mul, factor.clone(), least.clone());
                self.add(&inner, &scaled, conditions);
                self.add(&[(Part::Remainder, least)], factor, conditions);
                return;
            }
        }
        if !self.by.contains(by) {
            self.by.push(by.clone());
        }
        let parts = self.of.get_or_insert_with(|| Box::new([Self::new(), Self::new()]));
        parts[*part as usize].add(rest, factor, conditions);
    }

    /// The digits that a number of this size is made of, if the conditions hold.
    fn digits(self, size: Exp, digits: &mut Vec<Digit>, conditions: &mut Vec<Exp>) {
        let (Some(parts), Some((by, others))) = (self.of, self.by.split_first()) else {
            digits.push(Digit { factor: self.factor, size });
            return;
        };
        let zero = || Exp::i32(0);
        conditions.extend(others.iter().map(|other| equal(other.clone(), by.clone())));
        conditions.push(fold::bin(BinOp::Lt, zero(), by.clone()));
        // Where it is none, the host computes with another one.
        let divisor = fold::bin(BinOp::Max, by.clone(), Exp::i32(1));
        let rest = fold::bin(BinOp::Rem, size.clone(), divisor.clone());
        conditions.push(equal(rest, zero()));
        let [mut quotient, mut remainder] = *parts;
        let of_quotient = fold::bin(BinOp::Mul, self.factor.clone(), by.clone());
        quotient.factor = fold::bin(BinOp::Add, quotient.factor, of_quotient);
        remainder.factor = fold::bin(BinOp::Add, remainder.factor, self.factor);
        quotient.digits(fold::bin(BinOp::Div, size, divisor), digits, conditions);
        remainder.digits(by.clone(), digits, conditions);
    }
}

impl<'p> Lower<'p> {
    /// The condition, of the host, under which the order goes through tiles of so many chunks of a size: each of its
    /// targets is there once, and inside. It is `false` if that is not seen.
    pub(super) fn by_tiles(
        &mut self,
        span: Span,
        order: &Val<'p>,
        [count, size]: [&Exp; 2],
    ) -> Lowered<Exp> {
        let (Some(count), Some(size)) = (self.on_host(count), self.on_host(size)) else {
            return Ok(fold::bool(false));
        };
        let numbers = ["chunk", "element"].map(|wish| self.names.fresh(wish));
        self.ranges.extend(numbers.map(|number| (number, bounds::LENGTH)));
        let target = self.tried(0, |to| {
            let order = to.forced(span, order)?;
            let pair = numbers.map(|number| Val::int(Exp::Var(number)));
            Ok(to.apply(order, Val::Pair(Rc::new(pair)), span)?.scalar())
        })?;
        let sum = self.sum(&target, (numbers, &size), &mut { MOST_STEPS });
        let condition = sum.and_then(|sum| self.fills(span, &sum, [count, size]));
        Ok(condition.unwrap_or(fold::bool(false)))
    }

    /// A target as a sum, for the numbers of a chunk and of an element in a chunk of `size`.
    fn sum(
        &self,
        target: &Exp,
        given @ ([chunk, element], size): ([Var; 2], &Exp),
        steps: &mut usize,
    ) -> Option<Sum> {
        *steps = steps.checked_sub(1)?;
        if let Some(offset) = self.on_host(target) {
            return Some(Sum { offset, terms: Vec::new() });
        }
        let number = |number| Sum { offset: Exp::i32(0), terms: vec![(number, Exp::i32(1))] };
        let of = |of| Some(number(Number { of, parts: Vec::new() }));
        match target {
            Exp::Var(var) if *var == chunk => of(Of::Chunk),
            Exp::Var(var) if *var == element => of(Of::Element),
            Exp::Var(var) => self.sum(self.definitions.get(var)?, given, steps),
            Exp::Bin(op @ (BinOp::Add | BinOp::Sub), ab) => {
                let first = self.sum(&ab[0], given, steps)?;
                Some(first.with(*op, self.sum(&ab[1], given, steps)?))
            }
            Exp::Bin(BinOp::Mul, ab) => {
                let [a, b] = &**ab;
                match self.on_host(b) {
                    Some(by) => Some(self.sum(a, given, steps)?.times(&by)),
                    None => Some(self.sum(b, given, steps)?.times(&self.on_host(a)?)),
                }
            }
            Exp::Bin(op @ (BinOp::Div | BinOp::Rem), ab) => {
                let by = self.on_host(&ab[1])?;
                let mut of = self.sum(&ab[0], given, steps)?.number(size)?;
                of.parts
                    .push((if *op == BinOp::Div { Part::Quotient } else { Part::Remainder }, by));
                Some(number(of))
            }
            _ => None,
        }
    }

    /// The condition under which a sum has each value below the number of elements once.
    fn fills(&mut self, span: Span, sum: &Sum, [count, size]: [Exp; 2]) -> Option<Exp> {
        let (mut digits, mut conditions) = (Vec::new(), Vec::new());
        if !sum.mentions(Of::Place) {
            let parts = [Of::Chunk, Of::Element].map(|of| sum.parts(of, &mut conditions));
            for (parts, size) in parts.into_iter().zip([count, size]) {
                parts.digits(size, &mut digits, &mut conditions);
            }
        } else if !sum.mentions(Of::Chunk) && !sum.mentions(Of::Element) {
            let all = fold::bin(BinOp::Mul, count, size);
            let parts = sum.parts(Of::Place, &mut conditions);
            parts.digits(all, &mut digits, &mut conditions);
        } else {
            return None;
        }
        if digits.len() > MOST_DIGITS {
            return None;
        }
        let divides = conditions.into_iter().fold(fold::bool(true), fold::and);
        let known = |digit: &Digit| {
            Some((fold::literal(&digit.factor)?.into(), fold::literal(&digit.size)?.into()))
        };
        let known: Option<Vec<(i64, i64)>> = digits.iter().map(known).collect();
        if let (Some(known), Some(offset)) = (known, fold::literal(&sum.offset)) {
            return Some(fold::and(divides, fold::bool(is_number(&known, offset.into()))));
        }
        // Below the grid it is known when the program is compiled, or never.
        if self.context.memory == Space::Kernel || fold::truth(&divides) == Some(false) {
            return None;
        }
        let asked = self.asks(span, &digits, &sum.offset);
        Some(self.named(span, "by_tiles", Sc::Bool, fold::and(divides, asked)))
    }

    /// The host asks what [`is_number`] says.
    ///
    /// Of the digits with more than one value each has the factor 1 or the product of factor and size of another one, and
    /// no two have the same factor. So they are one after the other: the one before the digit with the least factor
    /// would have a lesser one, so that is 1, and no two come behind the same one.
    fn asks(&mut self, span: Span, digits: &[Digit], offset: &Exp) -> Exp {
        use BinOp::{Add, Eq, Le, Lt, Mul, Ne, Or, Sub};
        let (zero, one) = (|| Exp::i64(0), || Exp::i64(1));
        let mut wide = Vec::new();
        let mut least = zero();
        for Digit { factor, size } in digits {
            let [factor, size] = [factor, size].map(|exp| fold::cast(Sc::I64, exp.clone()));
            let factor = self.named(span, "factor", Sc::I64, factor);
            let size = self.named(span, "size", Sc::I64, size);
            let backwards = Exp::bin(Lt, factor.clone(), zero());
            let size_of = Exp::select(
                backwards.clone(),
                Exp::bin(Sub, zero(), factor.clone()),
                factor.clone(),
            );
            let stride = self.named(span, "stride", Sc::I64, size_of);
            let last = Exp::bin(Mul, stride.clone(), Exp::bin(Sub, size.clone(), one()));
            let last = Exp::select(backwards, last, zero());
            least = Exp::bin(Add, least, last);
            wide.push((stride, size));
        }
        let mut all = Exp::bin(Eq, fold::cast(Sc::I64, offset.clone()), least);
        for (at, (stride, size)) in wide.iter().enumerate() {
            let single = || Exp::bin(Le, size.clone(), one());
            let mut follows = Exp::bin(Or, single(), Exp::bin(Eq, stride.clone(), one()));
            for (before, (other, others)) in wide.iter().enumerate() {
                if before == at {
                    continue;
                }
                let behind = Exp::bin(Mul, other.clone(), others.clone());
                let behind = Exp::bin(Eq, behind, stride.clone());
                let several = Exp::bin(Lt, one(), others.clone());
                follows = Exp::bin(Or, follows, fold::and(several.clone(), behind));
                if before < at {
                    let differ = Exp::bin(Ne, other.clone(), stride.clone());
                    let differ = Exp::bin(Or, Exp::bin(Le, others.clone(), one()), differ);
                    all = fold::and(all, Exp::bin(Or, single(), differ));
                }
            }
            all = fold::and(all, follows);
        }
        all
    }
}

/// Has the sum of an offset and digits times their factors each value below the product of the sizes once? Digits with a
/// negative factor count down.
fn is_number(digits: &[(i64, i64)], offset: i64) -> bool {
    let last = digits.iter().map(|(factor, size)| (-factor).max(0).saturating_mul(size - 1));
    let last = last.fold(0, i64::saturating_add);
    let digits: Vec<(i64, i64)> =
        digits.iter().map(|(factor, size)| (factor.abs(), *size)).collect();
    offset == last && radix::dimensions(&digits).is_some()
}

/// How many times the other divisor, which is at least 1, this one is, if it is more than once and the conditions hold.
fn times(by: &Exp, other: &Exp, conditions: &mut Vec<Exp>) -> Option<Exp> {
    if let (Some(by), Some(other)) = (fold::literal(by), fold::literal(other)) {
        return (0 < other && other < by && by % other == 0).then(|| Exp::i32(by / other));
    }
    let Exp::Bin(BinOp::Mul, parts) = by else { return None };
    let times = match &**parts {
        [a, times] | [times, a] if a == other => times,
        _ => return None,
    };
    // Then the product is not beyond 32 bits.
    let divisor = fold::bin(BinOp::Max, other.clone(), Exp::i32(1));
    conditions.push(equal(fold::bin(BinOp::Div, by.clone(), divisor), times.clone()));
    conditions.push(fold::bin(BinOp::Lt, Exp::i32(0), times.clone()));
    Some(times.clone())
}

/// `a == b`, which is known where both are written alike.
fn equal(a: Exp, b: Exp) -> Exp {
    if a == b { fold::bool(true) } else { fold::bin(BinOp::Eq, a, b) }
}
