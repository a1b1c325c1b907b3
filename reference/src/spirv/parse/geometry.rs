//! Functions of whole vectors, of core and of GLSL.std.450: each becomes operations on numbers of 64 bits,
//! whose result is rounded once.

use super::arithmetic::{Apply, Kind, float, int, table};
use super::body::{Body, Here};
use super::conversions::{bits, number};
use super::{Floats, Read};
use crate::spirv::rules::Rule;
use crate::spirv::syntax::{At, Op};
use crate::spirv::types::Width;
use rspirv::spirv::{GlslStd450Op as G, Op as Opcode};

/// A function of integers.
type Binary = fn(u64, u64) -> u64;

/// An operation on numbers of 64 bits.
#[derive(Clone, Copy)]
pub(super) enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
}

impl Operation {
    fn function(self) -> Binary {
        match self {
            Operation::Add => float!(Width::W64, float, |a, b| a + b),
            Operation::Subtract => float!(Width::W64, float, |a, b| a - b),
            Operation::Multiply => float!(Width::W64, float, |a, b| a * b),
            Operation::Divide => float!(Width::W64, float, |a, b| a / b),
        }
    }
}

/// A vector of numbers of 64 bits: a slot each.
pub(super) type Reals = Vec<At>;

impl Body<'_> {
    /// The components of a vector, or a scalar, as numbers of 64 bits.
    pub(super) fn reals(&mut self, at: &Here<'_>, n: usize) -> Read<Reals> {
        let (from, width, count) = self.scalars(at, n, Kind::Float)?;
        Ok(self.widened(at, from, count, width))
    }

    /// So many numbers in 64 bits.
    pub(super) fn widened(&mut self, at: &Here<'_>, from: At, count: u32, width: Width) -> Reals {
        // Operands come first.
        self.sizes.clear();
        let from = from..from + count;
        let f: fn(u64) -> u64 = match width {
            Width::W64 => return from.collect(),
            Width::W32 => |a| number::<32>(a).to_bits(),
            _ => |a| number::<16>(a).to_bits(),
        };
        from.map(|a| self.unary(at, f, a)).collect()
    }

    /// The result of the instruction, which has as many components.
    pub(super) fn rounded(&mut self, at: &Here<'_>, values: &[At]) -> Read<()> {
        let (width, count) = self.result(at, Kind::Float)?;
        if count as usize != values.len() {
            return Err(self.reader.ill_typed(at.number, "the result is of another type"));
        }
        let to = self.define(at)?;
        self.round_to(at, to, values, width);
        Ok(())
    }

    /// The numbers of 64 bits, rounded.
    pub(super) fn round_to(&mut self, at: &Here<'_>, to: At, values: &[At], width: Width) {
        for (to, &a) in (to..).zip(values) {
            let op = match width {
                Width::W64 => Op::Copy { to, from: a, count: 1 },
                Width::W32 => Op::Unary { f: |a| bits::<32>(f64::from_bits(a)), to, a },
                _ => Op::Unary { f: |a| bits::<16>(f64::from_bits(a)), to, a },
            };
            self.emit(at, op);
            if width != Width::W64 && self.reader.floats == Floats::Open {
                let size = self.size_of(at, a);
                self.sum_is_open(at, to, [a, size], width);
            }
        }
    }

    pub(super) fn unary(&mut self, at: &Here<'_>, f: fn(u64) -> u64, a: At) -> At {
        let to = self.slots(1);
        self.emit(at, Op::Unary { f, to, a });
        to
    }

    pub(super) fn binary(&mut self, at: &Here<'_>, f: Operation, a: At, b: At) -> At {
        let to = self.binary_of(at, f.function(), a, b);
        if self.reader.floats == Floats::Open {
            // What is lost where terms cancel is of their size, and not of the sum's.
            let function = match f {
                Operation::Subtract => Operation::Add,
                f => f,
            };
            let of_b = match f {
                Operation::Divide => self.absolute(at, b),
                _ => self.size_of(at, b),
            };
            let of_a = self.size_of(at, a);
            let size = self.binary_of(at, function.function(), of_a, of_b);
            self.sizes.insert(to, size);
        }
        to
    }

    fn binary_of(&mut self, at: &Here<'_>, f: Binary, a: At, b: At) -> At {
        let to = self.slots(1);
        self.emit(at, Op::Binary { f, to, a, b });
        to
    }

    fn absolute(&mut self, at: &Here<'_>, a: At) -> At {
        self.unary(at, float!(Width::W64, float, |a| a.abs()), a)
    }

    /// How large the terms were that a number is a sum of.
    fn size_of(&mut self, at: &Here<'_>, a: At) -> At {
        match self.sizes.get(&a) {
            Some(size) => *size,
            None => {
                let size = self.absolute(at, a);
                self.sizes.insert(a, size);
                size
            }
        }
    }

    /// Component by component.
    pub(super) fn pairwise(&mut self, at: &Here<'_>, f: Operation, a: &[At], b: &[At]) -> Reals {
        a.iter().zip(b).map(|(a, b)| self.binary(at, f, *a, *b)).collect()
    }

    /// Each with the same number.
    pub(super) fn scaled(&mut self, at: &Here<'_>, f: Operation, a: &[At], b: At) -> Reals {
        a.iter().map(|a| self.binary(at, f, *a, b)).collect()
    }

    /// The sum of the products of components.
    pub(super) fn dot(&mut self, at: &Here<'_>, a: &[At], b: &[At]) -> At {
        let products = self.pairwise(at, Operation::Multiply, a, b);
        self.sum(at, &products)
    }

    pub(super) fn sum(&mut self, at: &Here<'_>, terms: &[At]) -> At {
        let sum =
            terms.iter().copied().reduce(|sum, term| self.binary(at, Operation::Add, sum, term));
        sum.unwrap_or_else(|| self.real(0.0))
    }

    /// A number that the instruction itself brings.
    pub(super) fn real(&mut self, k: f64) -> At {
        self.constant_slot(crate::spirv::values::Slot::new(k.to_bits()))
    }

    /// A sum of products that is used further. Where it is beyond what a device computes with, that is told. By some of them, or
    /// by their roots, something is divided.
    pub(super) fn used(&mut self, at: &Here<'_>, a: At, width: Width, divides: bool) {
        if self.reader.floats == Floats::Open {
            let size = self.size_of(at, a);
            self.passes(at, [a, size], width, divides);
        }
    }

    fn inner(&mut self, at: &Here<'_>, a: &[At], b: &[At]) -> At {
        let dot = self.dot(at, a, b);
        self.used(at, dot, self.width(at.ty()), false);
        dot
    }

    fn length(&mut self, at: &Here<'_>, a: &[At], divides: bool) -> At {
        let square = self.dot(at, a, a);
        self.used(at, square, self.width(at.ty()), divides);
        self.unary(at, float!(Width::W64, float, |a| a.sqrt()), square)
    }

    /// `OpDot`
    pub(super) fn dot_product(&mut self, at: &Here<'_>) -> Read<Rule> {
        let (a, b) = (self.reals(at, 0)?, self.reals(at, 1)?);
        self.same_length(at, &a, &b)?;
        let sum = self.dot(at, &a, &b);
        self.rounded(at, &[sum])?;
        Ok(Rule::Arithmetic)
    }

    fn same_length(&self, at: &Here<'_>, a: &[At], b: &[At]) -> Read<()> {
        match a.len() == b.len() {
            true => Ok(()),
            false => Err(self.reader.ill_typed(at.number, "the vectors do not fit")),
        }
    }

    /// `OpVectorTimesScalar` and `OpMatrixTimesScalar`: each component with the same number.
    pub(super) fn times_scalar(&mut self, at: &Here<'_>) -> Read<Rule> {
        let whole = self.typed(at, 0, at.ty())?;
        let (scalar, width, one) = self.scalars(at, 1, Kind::Float)?;
        let count = self.size(at, at.ty())?;
        let product = match table(Opcode::FMul, width).map(|entry| entry.apply) {
            Some(Apply::Binary(f)) if one == 1 && self.consists_of_floats(at.ty(), width) => f,
            _ => return Err(self.other_type(at, 1)),
        };
        let to = self.define(at)?;
        for i in 0..count {
            self.emit(at, Op::Binary { f: product, to: to + i, a: whole + i, b: scalar });
            self.rounding(at, to + i, &[whole + i, scalar], width);
        }
        Ok(Rule::Arithmetic)
    }

    /// `OpSDot`, `OpUDot`, `OpSUDot`: of vectors, or of four numbers of 8 bits in one of 32 bits. The sum
    /// wraps in the result's width.
    pub(super) fn integer_dot_product(&mut self, at: &Here<'_>) -> Read<Rule> {
        let (a, width, count) = self.scalars(at, 0, Kind::Int)?;
        let (b, other, same) = self.scalars(at, 1, Kind::Int)?;
        let (result, one) = self.result(at, Kind::Int)?;
        if (width, count) != (other, same) || one != 1 {
            return Err(self.reader.ill_typed(at.number, "the operands do not fit"));
        }
        let signs = match at.opcode() {
            Opcode::UDot => [false, false],
            Opcode::SUDot => [true, false],
            _ => [true, true],
        };
        let to = self.define(at)?;
        if count == 1 {
            if width != Width::W32 || result < width {
                return Err(self.reader.unsupported(at.number, "a product of other widths"));
            }
            let f = packed_product(signs, result == Width::W64);
            self.emit(at, Op::Binary { f, to, a, b });
            return Ok(Rule::Arithmetic);
        }
        if width != result {
            return Err(self.reader.unsupported(at.number, "a result of another width"));
        }
        for i in 0..count {
            let product = if i == 0 { to } else { self.slots(1) };
            let f = int!(width, int, u, |a, b| a.wrapping_mul(b));
            self.emit(at, Op::Binary { f, to: product, a: a + i, b: b + i });
            if i > 0 {
                let f = int!(width, int, u, |a, b| a.wrapping_add(b));
                self.emit(at, Op::Binary { f, to, a: to, b: product });
            }
        }
        Ok(Rule::Arithmetic)
    }

    /// An instruction of GLSL.std.450, if it is one of those of whole vectors.
    pub(super) fn geometric(&mut self, at: &Here<'_>, instruction: G) -> Read<Option<Rule>> {
        let vectors: usize = match instruction {
            G::Length | G::Normalize => 1,
            G::Distance | G::Cross | G::Reflect => 2,
            G::FaceForward | G::Refract => 3,
            _ => return Ok(None),
        };
        if at.operands.len() != vectors + 2 {
            return Err(self.reader.ill_typed(at.number, "another number of operands"));
        }
        let operands: Vec<Reals> =
            (2..at.operands.len()).map(|n| self.reals(at, n)).collect::<Read<_>>()?;
        let of_one_length = if instruction == G::Refract { 2 } else { vectors };
        for other in &operands[..of_one_length] {
            self.same_length(at, &operands[0], other)?;
        }
        let result = match (instruction, operands.as_slice()) {
            (G::Length, [a]) => vec![self.length(at, a, false)],
            (G::Normalize, [a]) => {
                let length = self.length(at, a, true);
                self.scaled(at, Operation::Divide, a, length)
            }
            (G::Distance, [a, b]) => {
                let apart = self.pairwise(at, Operation::Subtract, a, b);
                vec![self.length(at, &apart, false)]
            }
            (G::Cross, [a, b]) if a.len() == 3 => self.cross(at, a, b),
            (G::Reflect, [incident, normal]) => {
                let dot = self.inner(at, normal, incident);
                let twice = self.binary(at, Operation::Add, dot, dot);
                let along = self.scaled(at, Operation::Multiply, normal, twice);
                self.pairwise(at, Operation::Subtract, incident, &along)
            }
            (G::FaceForward, [normal, incident, reference]) => {
                let dot = self.inner(at, reference, incident);
                let away = self.unary(at, float!(Width::W64, bool, |dot| dot < 0.0), dot);
                let negate = float!(Width::W64, float, |a| -a);
                let back: Reals = normal.iter().map(|a| self.unary(at, negate, *a)).collect();
                self.choice(at, away, normal, &back)
            }
            (G::Refract, [incident, normal, ratio]) if ratio.len() == 1 => {
                self.refract(at, incident, normal, ratio[0])
            }
            _ => return Err(self.reader.ill_typed(at.number, "the vectors do not fit")),
        };
        self.rounded(at, &result)?;
        Ok(Some(Rule::Extended))
    }

    fn cross(&mut self, at: &Here<'_>, a: &[At], b: &[At]) -> Reals {
        [(1, 2), (2, 0), (0, 1)].map(|(i, j)| self.minor(at, [a[i], a[j]], [b[i], b[j]])).to_vec()
    }

    /// The determinant of a matrix of two columns.
    pub(super) fn minor(&mut self, at: &Here<'_>, a: [At; 2], b: [At; 2]) -> At {
        let one = self.binary(at, Operation::Multiply, a[0], b[1]);
        let other = self.binary(at, Operation::Multiply, a[1], b[0]);
        self.binary(at, Operation::Subtract, one, other)
    }

    /// One vector where the condition holds, else the other.
    fn choice(&mut self, at: &Here<'_>, condition: At, yes: &[At], no: &[At]) -> Reals {
        let choose = |(a, b): (&At, &At)| {
            let to = self.chosen(at, condition, *a, *b);
            if self.reader.floats == Floats::Open {
                let [a, b] = [*a, *b].map(|it| self.size_of(at, it));
                let size = self.chosen(at, condition, a, b);
                self.sizes.insert(to, size);
            }
            to
        };
        yes.iter().zip(no).map(choose).collect()
    }

    fn chosen(&mut self, at: &Here<'_>, condition: At, a: At, b: At) -> At {
        let to = self.slots(1);
        self.emit(at, Op::Select { to, condition, a, b, count: 1, each: false });
        to
    }

    /// With `d = N · I` and `k = 1 - η² (1 - d²)`: zero if `k < 0`, else `η I - (η d + √k) N`.
    fn refract(&mut self, at: &Here<'_>, incident: &[At], normal: &[At], ratio: At) -> Reals {
        let dot = self.inner(at, normal, incident);
        let [zero, one] = [0.0, 1.0].map(|k| self.real(k));
        let square = self.binary(at, Operation::Multiply, dot, dot);
        let sine = self.binary(at, Operation::Subtract, one, square);
        let ratios = self.binary(at, Operation::Multiply, ratio, ratio);
        let bent = self.binary(at, Operation::Multiply, ratios, sine);
        let k = self.binary(at, Operation::Subtract, one, bent);
        self.used(at, k, self.width(at.ty()), false);
        let total = self.unary(at, float!(Width::W64, bool, |k| k < 0.0), k);
        let root = self.unary(at, float!(Width::W64, float, |k| k.sqrt()), k);
        let along = self.binary(at, Operation::Multiply, ratio, dot);
        let along = self.binary(at, Operation::Add, along, root);
        let kept = self.scaled(at, Operation::Multiply, incident, ratio);
        let lost = self.scaled(at, Operation::Multiply, normal, along);
        let through = self.pairwise(at, Operation::Subtract, &kept, &lost);
        self.choice(at, total, &vec![zero; incident.len()], &through)
    }
}

/// The sum of the products of four numbers of 8 bits each; which are signed, and has the result 64 bits?
fn packed_product(signs: [bool; 2], wide: bool) -> Binary {
    fn sum<const A: bool, const B: bool>(a: u64, b: u64) -> i64 {
        let part = |signed: bool, bits: u8| match signed {
            true => i64::from(bits as i8),
            false => i64::from(bits),
        };
        let (a, b) = ((a as u32).to_le_bytes(), (b as u32).to_le_bytes());
        a.into_iter().zip(b).map(|(a, b)| part(A, a) * part(B, b)).sum()
    }
    match (signs, wide) {
        ([true, true], false) => |a, b| u64::from(sum::<true, true>(a, b) as u32),
        ([true, true], true) => |a, b| sum::<true, true>(a, b) as u64,
        ([true, false], false) => |a, b| u64::from(sum::<true, false>(a, b) as u32),
        ([true, false], true) => |a, b| sum::<true, false>(a, b) as u64,
        (_, false) => |a, b| u64::from(sum::<false, false>(a, b) as u32),
        (_, true) => |a, b| sum::<false, false>(a, b) as u64,
    }
}
