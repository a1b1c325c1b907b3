//! Vectors of small numbers in one of 32 bits: `PackHalf2x16` and the others of GLSL.std.450.

use super::Read;
use super::arithmetic::Kind;
use super::body::{Body, Here};
use super::conversions::{bits, number};
use crate::spirv::half;
use crate::spirv::rules::Rule;
use crate::spirv::syntax::{Op, Partial, PartialFn};
use crate::spirv::types::Width;
use rspirv::spirv::GlslStd450Op as G;

/// A component of a word.
type Unpack = fn(u64) -> u64;

/// How a vector is packed and unpacked.
struct Format {
    /// Components of the vector.
    count: u32,
    /// Its bits in one of 32 bits.
    pack: PartialFn,
    /// Each component again, of 32 bits.
    unpack: &'static [Unpack],
}

/// `COUNT` numbers side by side, the first one in the lowest bits.
fn packed<const COUNT: usize>(numbers: [u64; 4], part: fn(f64) -> u32) -> (u64, u8) {
    let width = 32 / COUNT as u32;
    let mask = u32::MAX >> (32 - width);
    let parts = numbers.iter().take(COUNT).map(|bits| part(number::<32>(*bits)) & mask);
    (u64::from((0..).zip(parts).fold(0, |all, (i, part)| all | part << (i * width))), 0)
}

/// From -1 to 1 in `1 / scale`; `floor(½ + x)` is the nearest one, as WGSL has it.
fn signed(x: f64, scale: f64) -> u32 {
    (x.clamp(-1.0, 1.0) * scale + 0.5).floor() as i32 as u32
}

/// From 0 to 1 in `1 / scale`.
fn unsigned(x: f64, scale: f64) -> u32 {
    (x.clamp(0.0, 1.0) * scale + 0.5).floor() as u32
}

/// Number `I` of those of `WIDTH` bits.
fn part<const WIDTH: u32, const I: u32>(all: u64) -> u32 {
    all as u32 >> (I * WIDTH) & (u32::MAX >> (32 - WIDTH))
}

fn half<const I: u32>(all: u64) -> u64 {
    bits::<32>(half::from_bits(part::<16, I>(all) as u16))
}

fn snorm<const WIDTH: u32, const I: u32>(all: u64) -> u64 {
    let unused = 32 - WIDTH;
    let part = (part::<WIDTH, I>(all) << unused) as i32 >> unused;
    bits::<32>((f64::from(part) / f64::from((1u32 << (WIDTH - 1)) - 1)).max(-1.0))
}

fn unorm<const WIDTH: u32, const I: u32>(all: u64) -> u64 {
    bits::<32>(f64::from(part::<WIDTH, I>(all)) / f64::from((1u32 << WIDTH) - 1))
}

fn format(instruction: G) -> Option<(Format, bool)> {
    let packs = matches!(
        instruction,
        G::PackHalf2x16 | G::PackSnorm2x16 | G::PackUnorm2x16 | G::PackSnorm4x8 | G::PackUnorm4x8
    );
    let (pack, unpack): (PartialFn, &'static [Unpack]) = match instruction {
        G::PackHalf2x16 | G::UnpackHalf2x16 => {
            (|numbers| packed::<2>(numbers, |x| half::to_bits(x).into()), &[half::<0>, half::<1>])
        }
        G::PackSnorm2x16 | G::UnpackSnorm2x16 => (
            |numbers| packed::<2>(numbers, |x| signed(x, 32767.0)),
            &[snorm::<16, 0>, snorm::<16, 1>],
        ),
        G::PackUnorm2x16 | G::UnpackUnorm2x16 => (
            |numbers| packed::<2>(numbers, |x| unsigned(x, 65535.0)),
            &[unorm::<16, 0>, unorm::<16, 1>],
        ),
        G::PackSnorm4x8 | G::UnpackSnorm4x8 => (
            |numbers| packed::<4>(numbers, |x| signed(x, 127.0)),
            &[snorm::<8, 0>, snorm::<8, 1>, snorm::<8, 2>, snorm::<8, 3>],
        ),
        G::PackUnorm4x8 | G::UnpackUnorm4x8 => (
            |numbers| packed::<4>(numbers, |x| unsigned(x, 255.0)),
            &[unorm::<8, 0>, unorm::<8, 1>, unorm::<8, 2>, unorm::<8, 3>],
        ),
        _ => return None,
    };
    Some((Format { count: unpack.len() as u32, pack, unpack }, packs))
}

impl Body<'_> {
    /// An instruction of GLSL.std.450, if it packs or unpacks.
    pub(super) fn packing(&mut self, at: &Here<'_>, instruction: G) -> Read<Option<Rule>> {
        let Some((Format { count, pack, unpack }, packs)) = format(instruction) else {
            return Ok(None);
        };
        let [operand, result] = match packs {
            true => [(Kind::Float, count), (Kind::Int, 1)],
            false => [(Kind::Int, 1), (Kind::Float, count)],
        };
        let (from, width, components) = self.scalars(at, 2, operand.0)?;
        if (width, components) != (Width::W32, operand.1) {
            return Err(self.other_type(at, 2));
        }
        if self.result(at, result.0)? != (Width::W32, result.1) {
            return Err(self.reader.ill_typed(at.number, "the result is of another type"));
        }
        let to = self.define(at)?;
        if packs {
            let operands = [0, 1, 2, 3].map(|i| from + i.min(count - 1));
            self.partial(at, Partial { f: pack, to, operands, rule: Rule::Extended, half: false });
            self.packed_is_open(at, to, operands, (pack, instruction == G::PackHalf2x16));
        } else {
            for (to, f) in (to..).zip(unpack) {
                self.emit(at, Op::Unary { f: *f, to, a: from });
                self.rounding(at, to, &[from], Width::W32);
            }
        }
        Ok(Some(Rule::Extended))
    }
}
