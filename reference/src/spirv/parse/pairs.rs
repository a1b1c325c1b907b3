//! Instructions with two results: carries, products of double width, and parts of a floating-point number.

use super::Read;
use super::arithmetic::{Kind, float, int};
use super::body::{Body, Here, Value};
use crate::spirv::rules::Rule;
use crate::spirv::syntax::{At, Op, Partial, PartialFn, Premise};
use crate::spirv::types::{Scalar, Scalars, Type};
use rspirv::spirv::{GlslStd450Op as G, Op as Opcode, Word};

/// The two numbers of a result.
type Two = [fn(u64, u64) -> u64; 2];

/// The result of an integer instruction: the lower part and what is beyond it.
fn integers(opcode: Opcode, wide: bool) -> Option<Two> {
    let product: fn(u64, u64) -> u64 = int!(wide, int, u, |a, b| a.wrapping_mul(b));
    Some(match opcode {
        Opcode::IAddCarry => [
            int!(wide, int, u, |a, b| a.wrapping_add(b)),
            int!(wide, bool, u, |a, b| a.checked_add(b).is_none()),
        ],
        Opcode::ISubBorrow => {
            [int!(wide, int, u, |a, b| a.wrapping_sub(b)), int!(wide, bool, u, |a, b| a < b)]
        }
        Opcode::UMulExtended if wide => {
            [product, |a, b| (u128::from(a) * u128::from(b) >> 64) as u64]
        }
        Opcode::UMulExtended => [product, |a, b| a * b >> 32],
        Opcode::SMulExtended if wide => {
            [product, |a, b| (i128::from(a as i64) * i128::from(b as i64) >> 64) as u64]
        }
        Opcode::SMulExtended => [product, |a, b| {
            let product = i64::from(a as u32 as i32) * i64::from(b as u32 as i32);
            u64::from((product >> 32) as u32)
        }],
        _ => return None,
    })
}

/// A number as a significand from ½ up to 1 and an exponent.
fn split(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    // What is not normal is made so.
    let (x, by) = if x.is_subnormal() { (x * 2f64.powi(64), 64) } else { (x, 0) };
    let exponent = (x.to_bits() >> 52 & 0x7ff) as i32 - 1022;
    (f64::from_bits(x.to_bits() & !(0x7ff << 52) | 1022 << 52), exponent - by)
}

/// What is behind the point, with the sign of the number.
fn fraction(x: f64) -> f64 {
    let behind = if x.is_infinite() { 0.0 } else { x - x.trunc() };
    behind.copysign(x)
}

/// GLSL.std.450 `Frexp`, which is undefined for infinities and for what is no number, as [`Rule::Domain`]
/// states it.
const SPLIT: [PartialFn; 2] = [
    |[x, ..]| {
        let x = f64::from_bits(x);
        (split(x).0.to_bits(), u8::from(!x.is_finite()))
    },
    |[x, ..]| {
        let x = f64::from_bits(x);
        (u64::from(split(x).1 as u32), u8::from(!x.is_finite()))
    },
];

/// `x · 2ᵉ`, if it is a number of the result's width; `most` is the greatest exponent that is permitted.
fn scaled(x: f64, exponent: u64, most: i32, rounds: fn(f64) -> f64) -> (f64, Premise) {
    let exponent = exponent as u32 as i32;
    // In two steps, so that neither leaves the numbers of 64 bits if the product does not.
    let by = exponent.clamp(-2200, 1024);
    let product = x * 2f64.powi(by / 2) * 2f64.powi(by - by / 2);
    let beyond = exponent > most || x.is_finite() && rounds(product).is_infinite();
    (product, Premise::from(beyond))
}

impl Body<'_> {
    /// The two types of the result's members.
    fn two_members(&self, at: &Here<'_>) -> Read<[Scalars; 2]> {
        let members = match self.reader.types.get(at.ty()) {
            Some(Type::Struct { members }) => members.as_slice(),
            _ => &[],
        };
        let scalars = |ty: Word| self.reader.types.scalars(ty);
        match *members {
            [a, b] => scalars(a).zip(scalars(b)).map(|(a, b)| [a, b]),
            _ => None,
        }
        .ok_or_else(|| self.reader.ill_typed(at.number, "the result is of another type"))
    }

    /// `OpIAddCarry`, `OpISubBorrow`, `OpUMulExtended`, `OpSMulExtended`
    pub(super) fn double(&mut self, at: &Here<'_>) -> Read<Rule> {
        let (a, wide, count) = self.scalars(at, 0, Kind::Int)?;
        let (b, other, same) = self.scalars(at, 1, Kind::Int)?;
        let fits = |it: Scalars| (it.scalar, it.wide, it.count) == (Scalar::Int, wide, count);
        if !self.two_members(at)?.into_iter().all(fits) || (other, same) != (wide, count) {
            return Err(self.reader.ill_typed(at.number, "the operands do not fit"));
        }
        let Some(both) = integers(at.opcode(), wide) else {
            return Err(self.reader.unsupported(at.number, ""));
        };
        let to = self.define(at)?;
        for (f, to) in both.into_iter().zip([to, to + count]) {
            for i in 0..count {
                self.emit(at, Op::Binary { f, to: to + i, a: a + i, b: b + i });
            }
        }
        Ok(Rule::Arithmetic)
    }

    /// An instruction of GLSL.std.450, if it takes numbers apart or puts them together.
    pub(super) fn split(&mut self, at: &Here<'_>, instruction: G) -> Read<Option<Rule>> {
        match instruction {
            G::Ldexp => self.scale(at)?,
            G::ModfStruct | G::FrexpStruct => {
                let [whole, part] = self.two_members(at)?;
                let to = self.define(at)?;
                self.parts(at, instruction, (to, whole), (to + whole.count, part))?;
            }
            G::Modf | G::Frexp => {
                let ty = at.ty();
                let Value { ty: pointer, .. } = self.operand(at, 3)?;
                let pointee = self.pointee(at, pointer)?;
                let members = [ty, pointee].map(|ty| self.reader.types.scalars(ty));
                let [Some(whole), Some(part)] = members else {
                    return Err(self.other_type(at, 3));
                };
                let to = self.define(at)?;
                let other = self.slots(part.count);
                self.parts(at, instruction, (to, whole), (other, part))?;
                self.store_value(at, 3, (other, pointee))?;
            }
            _ => return Ok(None),
        }
        Ok(Some(if instruction == G::Modf || instruction == G::ModfStruct {
            Rule::Extended
        } else {
            Rule::Domain
        }))
    }

    /// The number's parts: of `Modf` what is behind the point and what is before it, of `Frexp` the
    /// significand and the exponent.
    fn parts(
        &mut self,
        at: &Here<'_>,
        instruction: G,
        (first, one): (At, Scalars),
        (second, other): (At, Scalars),
    ) -> Read<()> {
        let (from, wide, count) = self.scalars(at, 2, Kind::Float)?;
        let modf = matches!(instruction, G::Modf | G::ModfStruct);
        let (scalar, other_wide) = if modf { (Scalar::Float, wide) } else { (Scalar::Int, false) };
        let fits = (one.scalar, one.wide, one.count) == (Scalar::Float, wide, count)
            && (other.scalar, other.wide, other.count) == (scalar, other_wide, count);
        if !fits {
            return Err(self.reader.ill_typed(at.number, "the result is of another type"));
        }
        let numbers = self.widened(at, from, count, wide);
        for (i, number) in (0..count).zip(numbers) {
            if modf {
                let behind = self.unary(at, |x| fraction(f64::from_bits(x)).to_bits(), number);
                let before = self.unary(at, float!(true, float, |x| x.trunc()), number);
                self.round_to(at, first + i, &[behind], wide);
                self.round_to(at, second + i, &[before], wide);
            } else {
                let significand = self.slots(1);
                for (f, to) in SPLIT.into_iter().zip([significand, second + i]) {
                    self.partial(at, Partial { f, to, operands: [number; 4], rule: Rule::Domain });
                }
                self.round_to(at, first + i, &[significand], wide);
            }
        }
        Ok(())
    }

    /// GLSL.std.450 `Ldexp`: undefined where the product is too large, as [`Rule::Domain`] states it.
    fn scale(&mut self, at: &Here<'_>) -> Read<()> {
        let (from, wide, count) = self.scalars(at, 2, Kind::Float)?;
        let (exponents, other, same) = self.scalars(at, 3, Kind::Int)?;
        if (other, same) != (false, count) || self.result(at, Kind::Float)? != (wide, count) {
            return Err(self.reader.ill_typed(at.number, "the operands do not fit"));
        }
        let numbers = self.widened(at, from, count, wide);
        let f: PartialFn = match wide {
            true => |[x, exponent, ..]| {
                let (product, premise) = scaled(f64::from_bits(x), exponent, 1024, |x| x);
                (product.to_bits(), premise)
            },
            false => |[x, exponent, ..]| {
                let single = |x: f64| f64::from(x as f32);
                let (product, premise) = scaled(f64::from_bits(x), exponent, 128, single);
                (product.to_bits(), premise)
            },
        };
        let mut products = Vec::new();
        for (i, number) in (0..count).zip(numbers) {
            let (to, exponent) = (self.slots(1), exponents + i);
            let operands = [number, exponent, exponent, exponent];
            self.partial(at, Partial { f, to, operands, rule: Rule::Domain });
            products.push(to);
        }
        self.rounded(at, &products)
    }
}
