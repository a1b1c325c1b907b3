//! Scalars: ints whose range is known, any ints, bools, doubles and pairs.

use super::super::range::Range;
use super::builder::{Array, Base, Builder, Place, Scalar};
use super::stuck::Trouble;
use reference::fcl::syntax::{Exp, Kind, Op};
use reference::kit::names::Var;

/// Ints at the borders of what an operator does.
const CORNERS: [i32; 12] =
    [0, 1, -1, 2, 7, 31, 32, 33, i32::MAX, i32::MIN, i32::MIN + 1, 0x5bd1_e995];

/// The doubles that are made stay whole numbers below this, so that their sums and products are exact in f32.
const EXACT: i64 = 1 << 10;

impl Builder<'_, '_> {
    /// A scalar of this type, nested so deep at most.
    pub(super) fn scalar(&mut self, ty: &Base, depth: usize) -> Exp {
        match ty {
            Base::Int => self.any_int(depth),
            Base::Bool => self.truth(depth),
            Base::Double => self.double(depth),
            Base::Pair(parts) => {
                if let Some(exp) = self.in_scope(ty)
                    && self.draw.chance(30)
                {
                    return exp;
                }
                let [a, b] = [&parts[0], &parts[1]].map(|part| self.scalar(part, depth / 2));
                self.exp(Kind::Pair(Box::new([a, b])))
            }
        }
    }

    /// A scalar of this type that is in scope, or an element of an array; parts of pairs too.
    pub(super) fn in_scope(&mut self, ty: &Base) -> Option<Exp> {
        let arrays: Vec<Array> = self
            .arrays
            .iter()
            .filter(|array| array.len > 0 && array.cost * self.times < 4_000)
            .filter(|array| array.ty == *ty || part(&array.ty, ty).is_some())
            .cloned()
            .collect();
        let scalars: Vec<Scalar> = self
            .scalars
            .iter()
            .filter(|scalar| scalar.ty == *ty || part(&scalar.ty, ty).is_some())
            .cloned()
            .collect();
        let at = self.draw.below(arrays.len() + scalars.len());
        let (exp, found) = match scalars.get(at) {
            Some(scalar) => (self.var(scalar.var), scalar.ty.clone()),
            None => {
                let array = arrays.get(at - scalars.len())?;
                (self.element(array), array.ty.clone())
            }
        };
        Some(match part(&found, ty) {
            Some(which) if found != *ty => self.call1(which, exp),
            _ => exp,
        })
    }

    /// An element of an array that is not empty.
    pub(super) fn element(&mut self, array: &Array) -> Exp {
        let outside = matches!(self.trouble, Some(Trouble::Inside)) && self.draw.chance(40);
        let at = if outside {
            self.trouble = None;
            self.outside(array.len)
        } else {
            self.within(array.len)
        };
        let of = self.var(array.var);
        self.call2(Op::Index, of, at)
    }

    /// An index that is outside of so many, at least for one element.
    fn outside(&mut self, len: i64) -> Exp {
        let off = match self.draw.below(3) {
            0 => len,
            1 => -1,
            _ => len + 5,
        };
        match self.some_index() {
            Some((var, hi)) if self.draw.chance(60) => {
                // The last ones are outside.
                let (at, by) = (self.var(var), self.int(len - hi.min(len)));
                let at = self.call2(Op::Add, at, by);
                let more = self.int(1);
                self.call2(Op::Add, at, more)
            }
            _ => self.int(off),
        }
    }

    /// An int in scope that counts from 0, with its largest value.
    fn some_index(&mut self) -> Option<(Var, i64)> {
        let counts = |scalar: &&Scalar| scalar.range.is_some_and(|r| r.lo == 0 && r.hi > 0);
        let found: Vec<(Var, i64)> = self
            .scalars
            .iter()
            .filter(counts)
            .map(|scalar| (scalar.var, scalar.range.map_or(0, |range| range.hi)))
            .collect();
        found.get(self.draw.below(found.len())).copied()
    }

    /// An index of an array of so many elements, at least one.
    pub(super) fn within(&mut self, len: i64) -> Exp {
        let fits = |scalar: &&Scalar| {
            scalar.range.is_some_and(|range| 0 <= range.lo && range.hi < len && range.hi > range.lo)
        };
        let found: Vec<(Var, Range)> = self
            .scalars
            .iter()
            .rev()
            .filter(fits)
            .filter_map(|scalar| Some((scalar.var, scalar.range?)))
            .collect();
        let Some((var, range)) = found.get(self.draw.below(found.len())).copied() else {
            return self.wrapped(len);
        };
        match self.draw.weighed(&[6, 3, 2, 2, 2]) {
            // The same, from behind.
            1 => {
                let (last, at) = (self.int(range.hi), self.var(var));
                self.call2(Op::Sub, last, at)
            }
            // Further on.
            2 if range.hi + 1 < len => {
                let by = 1 + self.draw.below((len - 1 - range.hi) as usize) as i64;
                let (at, by) = (self.var(var), self.int(by));
                self.call2(Op::Add, at, by)
            }
            3 => self.wrapped(len),
            4 => {
                let stride = (len - 1) / range.hi.max(1);
                let (at, by) = (self.var(var), self.int(stride));
                self.call2(Op::Mul, at, by)
            }
            _ => self.var(var),
        }
    }

    /// Any int, brought into `0..len`.
    fn wrapped(&mut self, len: i64) -> Exp {
        if len == 1 || self.draw.chance(30) {
            let at = self.draw.below(len as usize) as i64;
            return self.int(at);
        }
        let indices: Vec<Var> = self
            .scalars
            .iter()
            .filter(|scalar| scalar.range.is_some_and(|range| range.lo >= 0 && range.hi < 1 << 20))
            .map(|scalar| scalar.var)
            .collect();
        let size = self.int(len);
        let at = match indices.is_empty() {
            true => {
                let any = self.any_int(1);
                let mask = self.int(0x7fff_ffff);
                self.call2(Op::And, any, mask)
            }
            false => {
                let var = self.draw.pick(&indices);
                let (at, by) = (self.var(var), self.draw.below(7) as i64 * 2 + 1);
                let by = self.int(by);
                self.call2(Op::Mul, at, by)
            }
        };
        self.call2(Op::Mod, at, size)
    }

    /// Any int.
    pub(super) fn any_int(&mut self, depth: usize) -> Exp {
        self.left -= 1;
        if depth == 0 || self.is_full() {
            return match self.draw.chance(75).then(|| self.in_scope(&Base::Int)).flatten() {
                Some(exp) => exp,
                None => self.number(),
            };
        }
        match self.draw.weighed(&[26, 24, 6, 5, 7, 5, 4, 3, 3]) {
            1 => match self.in_scope(&Base::Int) {
                Some(exp) => exp,
                None => self.number(),
            },
            2 => self.quotient(depth),
            3 => {
                let op = self.draw.pick(&[Op::Neg, Op::Abs, Op::Sign, Op::Clz]);
                let of = self.any_int(depth - 1);
                self.call1(op, of)
            }
            4 => {
                let cond = self.truth(depth - 1);
                let (then, orelse) = (self.any_int(depth - 1), self.any_int(depth - 1));
                self.branch(cond, then, orelse)
            }
            5 => {
                let bound = self.any_int(depth - 1);
                self.named(Base::Int, bound, |builder| builder.any_int(depth - 1))
            }
            8 => self.unforced_length(),
            6 if self.types.contains(&Base::Bool) => {
                let truth = self.truth(depth - 1);
                self.call1(Op::B2i, truth)
            }
            // What a double that is not exact compares to, or is cut to, is open.
            7 if self.types.contains(&Base::Double) && !self.inexact => {
                let double = self.double(depth - 1);
                self.call1(Op::D2i, double)
            }
            _ => {
                let ops = [
                    Op::Add,
                    Op::Mul,
                    Op::Sub,
                    Op::Xor,
                    Op::Add,
                    Op::Min,
                    Op::Max,
                    Op::And,
                    Op::Or,
                    Op::Sll,
                    Op::Srl,
                ];
                let op = self.draw.pick(&ops);
                let (a, b) = (self.any_int(depth - 1), self.any_int(depth - 1));
                self.call2(op, a, b)
            }
        }
    }

    /// `let x = bound in body`, of scalars.
    pub(super) fn named(
        &mut self,
        ty: Base,
        bound: Exp,
        body: impl FnOnce(&mut Self) -> Exp,
    ) -> Exp {
        let var = self.fresh('x');
        let mark = self.mark();
        self.scalars.push(Scalar { var, ty, range: None });
        let body = body(self);
        self.reset(mark);
        self.bind(var, bound, body)
    }

    /// A quotient or a remainder; its divisor is 0 only where the program is to get stuck.
    fn quotient(&mut self, depth: usize) -> Exp {
        let troubled = matches!(self.trouble, Some(Trouble::Division));
        if troubled && self.draw.chance(30) {
            self.trouble = None;
            return self.zero_by_itself();
        }
        if !troubled && self.draw.chance(12) {
            // What rounds twice: it is no other quotient.
            let (c, d) = (self.draw.pick(&[4, 6, 7, -8, 16]), self.draw.pick(&[2, 3, 4]));
            let (dividend, c, d) = (self.any_int(depth - 1), self.int(c), self.int(d));
            let rounded = self.call2(Op::Div, dividend, c);
            return self.call2(Op::Mul, rounded, d);
        }
        let op = self.draw.pick(&[Op::Div, Op::Mod]);
        let mut dividend = self.any_int(depth - 1);
        // Most ints that are in scope count something.
        if self.draw.chance(40) {
            dividend = self.call1(Op::Neg, dividend);
        }
        let divisor = if matches!(self.trouble, Some(Trouble::Division)) {
            self.trouble = None;
            self.zero_somewhere()
        } else if self.draw.chance(50) {
            let by = self.draw.pick(&[2, 3, -1, 4, -4, 16, 8, 7, 64, 1 << 20]);
            self.int(by)
        } else {
            let (any, one) = (self.any_int(depth - 1), self.int(1));
            self.call2(Op::Or, any, one)
        };
        self.call2(op, dividend, divisor)
    }

    /// `let z = 0 in z / z`, if only for one element.
    pub(super) fn zero_by_itself(&mut self) -> Exp {
        let (zero, z) = (self.zero_somewhere(), self.fresh('z'));
        let (dividend, divisor) = (self.var(z), self.var(z));
        let quotient = self.call2(Op::Div, dividend, divisor);
        self.bind(z, zero, quotient)
    }

    /// An int that is 0, if only for one element.
    fn zero_somewhere(&mut self) -> Exp {
        match self.some_index() {
            Some((var, hi)) if self.draw.chance(75) => {
                let at = self.draw.below(hi as usize + 1) as i64;
                let (index, at) = (self.var(var), self.int(at));
                self.call2(Op::Sub, index, at)
            }
            _ => self.int(0),
        }
    }

    fn number(&mut self) -> Exp {
        let k = match self.draw.chance(40) {
            true => self.draw.pick(&CORNERS).into(),
            false => self.draw.between(-20, 100),
        };
        self.int(k)
    }

    /// A bool.
    pub(super) fn truth(&mut self, depth: usize) -> Exp {
        self.left -= 1;
        if depth == 0 || self.is_full() {
            return match self.in_scope(&Base::Bool) {
                Some(exp) => exp,
                None => {
                    let truth = self.draw.chance(50);
                    self.exp(Kind::Bool(truth))
                }
            };
        }
        match self.draw.weighed(&[20, 8, 4, 5]) {
            1 => match self.in_scope(&Base::Bool) {
                Some(exp) => exp,
                None => self.truth(0),
            },
            2 => {
                let of = self.truth(depth - 1);
                self.call1(Op::Not, of)
            }
            3 => {
                // `a && b`, `a || b`
                let (a, b) = (self.truth(depth - 1), self.truth(depth - 1));
                let or = self.draw.chance(50);
                let other = self.exp(Kind::Bool(or));
                if or { self.branch(a, other, b) } else { self.branch(a, b, other) }
            }
            _ if self.types.contains(&Base::Double) && !self.inexact && self.draw.chance(30) => {
                let op = self.draw.pick(&[Op::LtD, Op::LeD, Op::EqD]);
                let (a, b) = (self.double(0), self.double(0));
                self.call2(op, a, b)
            }
            _ => {
                let op = self.draw.pick(&[Op::Lt, Op::Eq, Op::Neq, Op::Le, Op::Gt, Op::Ge]);
                let (a, b) = (self.any_int(depth - 1), self.any_int(depth - 1));
                self.call2(op, a, b)
            }
        }
    }

    /// A double: exact in f32, if the program does not allow others. So sums and products have a small whole number
    /// on one side, and the other one comes straight from a small int.
    pub(super) fn double(&mut self, depth: usize) -> Exp {
        self.left -= 1;
        if self.inexact && depth > 0 && self.draw.chance(80) {
            let op = self.draw.pick(&[Op::DivD, Op::MulD, Op::AddD, Op::SubD]);
            let a = self.double(depth - 1);
            // A divisor that may be 0 is open.
            let b = match op {
                Op::DivD => {
                    let by = self.draw.pick(&[3.0, 7.0, -1.5, 0.3]);
                    self.exp(Kind::Double(f64::into(by)))
                }
                _ => self.small_double(),
            };
            return self.call2(op, a, b);
        }
        if depth == 0 || self.is_full() {
            return self.small_double();
        }
        match self.draw.weighed(&[6, 3, 3, 2]) {
            1 => {
                let op = self.draw.pick(&[Op::MinD, Op::MaxD]);
                let (a, b) = (self.double(depth - 1), self.small_double());
                self.call2(op, a, b)
            }
            2 => {
                let op = self.draw.pick(&[Op::NegD, Op::AbsD]);
                let of = self.double(depth - 1);
                self.call1(op, of)
            }
            3 => {
                let cond = self.truth(depth - 1);
                let (then, orelse) = (self.small_double(), self.small_double());
                self.branch(cond, then, orelse)
            }
            _ => {
                let op = self.draw.pick(&[Op::AddD, Op::SubD, Op::MulD]);
                let (a, b) = (self.small_double(), self.small_double());
                self.call2(op, a, b)
            }
        }
    }

    /// A whole number, or half of one, between ±1,024.
    fn small_double(&mut self) -> Exp {
        match self.draw.below(4) {
            0 => {
                let halves = self.draw.between(-EXACT, EXACT) as f64 / 2.0;
                self.exp(Kind::Double(halves.into()))
            }
            1 => match self.arrays.iter().any(|array| array.ty == Base::Double) {
                true => self.in_scope(&Base::Double).unwrap_or_else(|| self.converted()),
                false => self.converted(),
            },
            _ => self.converted(),
        }
    }

    fn converted(&mut self) -> Exp {
        let of = self.any_int(0);
        let mask = self.int(EXACT - 1);
        let small = self.call2(Op::And, of, mask);
        self.call1(Op::I2d, small)
    }

    /// The base types' own function: `fn x => e`, from one to the other.
    pub(super) fn function(&mut self, from: &Base, to: &Base, times: i64) -> Exp {
        let var = self.fresh('x');
        self.scoped(times, |builder| {
            builder.scalars.push(Scalar { var, ty: from.clone(), range: None });
            let depth = 1 + builder.draw.below(2);
            let mut body = builder.scalar(to, depth);
            if *from == Base::Int && *to == Base::Int && builder.draw.chance(70) {
                let of = builder.var(var);
                let op = builder.draw.pick(&[Op::Add, Op::Xor, Op::Sub]);
                body = builder.call2(op, of, body);
            }
            builder.lambda(var, body)
        })
    }

    /// A function of two that is combined with: `fn a => fn b => a + b`.
    pub(super) fn combination(&mut self, ty: &Base) -> Exp {
        let (a, b) = (self.fresh('a'), self.fresh('b'));
        let body = self.combined(ty, a, b);
        let inner = self.lambda(b, body);
        self.lambda(a, inner)
    }

    fn combined(&mut self, ty: &Base, a: Var, b: Var) -> Exp {
        let (x, y) = (self.var(a), self.var(b));
        match ty {
            Base::Int => {
                let op = self.draw.pick(&[Op::Add, Op::Max, Op::Xor, Op::Sub, Op::Mul, Op::Min]);
                self.call2(op, x, y)
            }
            Base::Double => {
                let op = self.draw.pick(&[Op::MaxD, Op::MinD]);
                self.call2(op, x, y)
            }
            Base::Bool => {
                let not = self.call1(Op::Not, y);
                let again = self.var(b);
                self.branch(x, not, again)
            }
            Base::Pair(_) => {
                let (first, second) = (self.call1(Op::Fst, x), self.call1(Op::Snd, y));
                self.exp(Kind::Pair(Box::new([first, second])))
            }
        }
    }

    /// May scalars be read here as often as they are made?
    pub(super) fn is_cheap(&self, place: Place, len: i64) -> bool {
        place != Place::Element || self.times * len < 2_000
    }
}

/// The operator that takes a part of this type out of a pair.
fn part(pair: &Base, wanted: &Base) -> Option<Op> {
    match pair {
        Base::Pair(parts) if parts[0] == *wanted => Some(Op::Fst),
        Base::Pair(parts) if parts[1] == *wanted => Some(Op::Snd),
        _ => None,
    }
}
