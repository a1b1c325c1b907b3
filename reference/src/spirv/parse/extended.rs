//! Instructions of GLSL.std.450.

use super::Read;
use super::arithmetic::{Apply, Entry, Kind, float, int, partial};
use super::body::{Body, Here};
use super::functions::{function, within};
use crate::spirv::rules::Rule;
use crate::spirv::syntax::PartialFn;
use crate::spirv::types::Width;
use rspirv::spirv::GlslStd450Op;

/// What an instruction does to numbers of this width.
fn table(instruction: GlslStd450Op, width: Width) -> Option<Entry> {
    use GlslStd450Op as G;
    let entry = |kind, apply| Entry { rule: Rule::Extended, operand: kind, result: kind, apply };
    let ints = |f: fn(u64, u64) -> u64| Some(entry(Kind::Int, Apply::Binary(f)));
    let int1 = |f: fn(u64) -> u64| Some(entry(Kind::Int, Apply::Unary(f)));
    let floats = |f: fn(u64, u64) -> u64| Some(entry(Kind::Float, Apply::Binary(f)));
    let float1 = |f: fn(u64) -> u64| Some(entry(Kind::Float, Apply::Unary(f)));
    match instruction {
        G::SAbs => int1(int!(width, int, s, |a| a.wrapping_abs())),
        G::SSign => int1(int!(width, int, s, |a| a.signum())),
        G::SMin => ints(int!(width, int, s, |a, b| a.min(b))),
        G::SMax => ints(int!(width, int, s, |a, b| a.max(b))),
        G::UMin => ints(int!(width, int, u, |a, b| a.min(b))),
        G::UMax => ints(int!(width, int, u, |a, b| a.max(b))),
        G::FindILsb if width == Width::W32 => int1(|a| match a as u32 {
            0 => u64::from(u32::MAX),
            a => a.trailing_zeros().into(),
        }),
        G::FindUMsb if width == Width::W32 => int1(|a| match a as u32 {
            0 => u64::from(u32::MAX),
            a => (31 - a.leading_zeros()).into(),
        }),
        G::FindSMsb if width == Width::W32 => int1(|a| {
            let a = a as u32 as i32;
            match (if a < 0 { !a } else { a }) as u32 {
                0 => u64::from(u32::MAX),
                a => (31 - a.leading_zeros()).into(),
            }
        }),
        G::FMin | G::NMin => floats(float!(width, float, |a, b| a.min(b))),
        G::FMax | G::NMax => floats(float!(width, float, |a, b| a.max(b))),
        G::FAbs => float1(float!(width, float, |a| a.abs())),
        G::Floor => float1(float!(width, float, |a| a.floor())),
        G::Ceil => float1(float!(width, float, |a| a.ceil())),
        G::Trunc => float1(float!(width, float, |a| a.trunc())),
        G::RoundEven => float1(float!(width, float, |a| a.round_ties_even())),
        G::Sqrt => float1(float!(width, float, |a| a.sqrt())),
        _ => None,
    }
}

/// Instructions of three operands.
fn ternary(instruction: GlslStd450Op, width: Width) -> Option<Entry> {
    use GlslStd450Op as G;
    let entry = |rule, kind, f: PartialFn| {
        Some(Entry { rule, operand: kind, result: kind, apply: Apply::Partial(f) })
    };
    match instruction {
        G::SClamp => entry(
            Rule::Clamp,
            Kind::Int,
            partial!(width, s, |x, low, high| (x.max(low).min(high), u8::from(low > high))),
        ),
        G::UClamp => entry(
            Rule::Clamp,
            Kind::Int,
            partial!(width, u, |x, low, high| (x.max(low).min(high), u8::from(low > high))),
        ),
        G::FClamp | G::NClamp => entry(
            Rule::Clamp,
            Kind::Float,
            within!(width, |x, low, high| u8::from(low > high), x.max(low).min(high)),
        ),
        // Neither the product of numbers of 32 bits nor its sum with one is exact in 64 bits.
        G::Fma => entry(
            Rule::Extended,
            Kind::Float,
            match width {
                Width::W32 => |[a, b, c, _]| {
                    let [a, b, c] = [a, b, c].map(|k| f32::from_bits(k as u32));
                    (a.mul_add(b, c).to_bits().into(), 0)
                },
                _ => within!(width, |a, b, c| 0, a.mul_add(b, c)),
            },
        ),
        _ => None,
    }
}

impl Body<'_> {
    pub(super) fn extended(&mut self, at: &Here<'_>) -> Read<Rule> {
        let set = self.id(at, 0)?;
        let number = self.literal(at, 1)?;
        let instruction = GlslStd450Op::from_u32(number).filter(|_| set == self.reader.glsl);
        let Some(instruction) = instruction else {
            return Err(self.reader.unsupported(at.number, "a set of instructions"));
        };
        let width = self.width(at.ty());
        let each = table(instruction, width)
            .or_else(|| ternary(instruction, width))
            .or_else(|| function(instruction, width));
        if let Some(entry) = each {
            self.apply(at, &entry, (2, at.operands.len()), true)?;
            return Ok(entry.rule);
        }
        for whole in [Self::geometric, Self::matrix_function, Self::packing, Self::split] {
            if let Some(rule) = whole(self, at, instruction)? {
                return Ok(rule);
            }
        }
        Err(self.reader.unsupported(at.number, &format!("{instruction:?}")))
    }
}
