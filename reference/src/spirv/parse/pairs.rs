//! Instructions with two results: carries, products of double width, and parts of a floating-point number.

use super::Read;
use super::arithmetic::{Kind, float, int, of_width};
use super::body::{Body, Here, Value};
use super::conversions::{bits, number};
use super::functions::outside;
use crate::spirv::rules::Rule;
use crate::spirv::syntax::{At, Op, Partial, PartialFn, Premise};
use crate::spirv::types::{Scalar, Scalars, Type, Width};
use rspirv::spirv::{GlslStd450Op as G, Op as Opcode, Word};

/// The two numbers of a result.
type Two = [fn(u64, u64) -> u64; 2];

/// The result of an integer instruction: the lower part and what is beyond it.
fn integers(opcode: Opcode, width: Width) -> Option<Two> {
    let product: fn(u64, u64) -> u64 = int!(width, int, u, |a, b| a.wrapping_mul(b));
    Some(match opcode {
        Opcode::IAddCarry => [
            int!(width, int, u, |a, b| a.wrapping_add(b)),
            int!(width, bool, u, |a, b| a.checked_add(b).is_none()),
        ],
        Opcode::ISubBorrow => {
            [int!(width, int, u, |a, b| a.wrapping_sub(b)), int!(width, bool, u, |a, b| a < b)]
        }
        Opcode::UMulExtended => [product, of_width!(width, high)],
        Opcode::SMulExtended => [product, of_width!(width, high_signed)],
        _ => return None,
    })
}

/// The bits of a product beyond the width of its factors.
fn high<const BITS: u32>(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> BITS) as u64
}

fn high_signed<const BITS: u32>(a: u64, b: u64) -> u64 {
    let [a, b] = [a, b].map(|k| i128::from((k << (64 - BITS)) as i64 >> (64 - BITS)));
    ((a * b) >> BITS) as u64 & u64::MAX >> (64 - BITS)
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

/// `x · 2ᵉ` in 64 bits, if the exponent is permitted and the product a number of the width. As [`Rule::Domain`] states it, the
/// first of these is a premise of its own.
fn scaled<const WIDTH: u32>([x, exponent, ..]: [u64; 4]) -> (u64, Premise) {
    let (x, exponent) = (f64::from_bits(x), exponent as u32 as i32);
    let most = match WIDTH {
        16 => 16,
        32 => 128,
        _ => 1024,
    };
    // In two steps, so that neither leaves the numbers of 64 bits if the product does not.
    let by = exponent.clamp(-2200, 1024);
    let product = x * 2f64.powi(by / 2) * 2f64.powi(by - by / 2);
    let rounded = number::<WIDTH>(bits::<WIDTH>(product));
    let premise = match exponent > most {
        true => 1,
        false => outside(x.is_finite() && rounded.is_infinite()),
    };
    (product.to_bits(), premise)
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
        let (a, width, count) = self.scalars(at, 0, Kind::Int)?;
        let (b, other, same) = self.scalars(at, 1, Kind::Int)?;
        let fits = |it: Scalars| (it.scalar, it.width, it.count) == (Scalar::Int, width, count);
        if !self.two_members(at)?.into_iter().all(fits) || (other, same) != (width, count) {
            return Err(self.reader.ill_typed(at.number, "the operands do not fit"));
        }
        let Some(both) = integers(at.opcode(), width) else {
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
        let (from, width, count) = self.scalars(at, 2, Kind::Float)?;
        let modf = matches!(instruction, G::Modf | G::ModfStruct);
        let (scalar, part) = match modf {
            true => (Scalar::Float, width),
            false => (Scalar::Int, Width::W32),
        };
        let fits = (one.scalar, one.width, one.count) == (Scalar::Float, width, count)
            && (other.scalar, other.width, other.count) == (scalar, part, count);
        if !fits {
            return Err(self.reader.ill_typed(at.number, "the result is of another type"));
        }
        let numbers = self.widened(at, from, count, width);
        for (i, number) in (0..count).zip(numbers) {
            if modf {
                let behind = self.unary(at, |x| fraction(f64::from_bits(x)).to_bits(), number);
                let before = self.unary(at, float!(Width::W64, float, |x| x.trunc()), number);
                self.round_to(at, first + i, &[behind], width);
                self.round_to(at, second + i, &[before], width);
            } else {
                let significand = self.slots(1);
                for (f, to) in SPLIT.into_iter().zip([significand, second + i]) {
                    self.partial(
                        at,
                        Partial { f, to, operands: [number; 4], rule: Rule::Domain, half: false },
                    );
                }
                self.round_to(at, first + i, &[significand], width);
            }
        }
        Ok(())
    }

    /// GLSL.std.450 `Ldexp`: undefined where the product is too large, as [`Rule::Domain`] states it.
    fn scale(&mut self, at: &Here<'_>) -> Read<()> {
        let (from, width, count) = self.scalars(at, 2, Kind::Float)?;
        let (exponents, other, same) = self.scalars(at, 3, Kind::Int)?;
        if (other, same) != (Width::W32, count) || self.result(at, Kind::Float)? != (width, count) {
            return Err(self.reader.ill_typed(at.number, "the operands do not fit"));
        }
        let numbers = self.widened(at, from, count, width);
        let f: PartialFn = match width {
            Width::W64 => scaled::<64>,
            Width::W32 => scaled::<32>,
            _ => scaled::<16>,
        };
        let mut products = Vec::new();
        for (i, number) in (0..count).zip(numbers) {
            let (to, exponent) = (self.slots(1), exponents + i);
            let operands = [number, exponent, exponent, exponent];
            self.partial(at, Partial { f, to, operands, rule: Rule::Domain, half: false });
            products.push(to);
        }
        self.rounded(at, &products)
    }
}
