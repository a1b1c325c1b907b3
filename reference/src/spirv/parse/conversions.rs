//! Conversions of numbers from one type or width to another.

use super::arithmetic::{Apply, Kind};
use crate::spirv::half;
use crate::spirv::rules::Rule;
use crate::spirv::syntax::PartialFn;
use crate::spirv::types::Width;
use rspirv::spirv::Op as Opcode;

/// The function of which the two widths are parameters.
macro_rules! of_widths {
    ($from:expr, $to:expr, $f:ident) => {
        match $from {
            Width::W8 => of_widths!(@to $to, $f, 8),
            Width::W16 => of_widths!(@to $to, $f, 16),
            Width::W32 => of_widths!(@to $to, $f, 32),
            Width::W64 => of_widths!(@to $to, $f, 64),
        }
    };
    (@to $to:expr, $f:ident, $from:literal) => {
        match $to {
            Width::W8 => $f::<$from, 8>,
            Width::W16 => $f::<$from, 16>,
            Width::W32 => $f::<$from, 32>,
            Width::W64 => $f::<$from, 64>,
        }
    };
}

/// Conversions, from one width to another.
pub(super) fn conversion(
    opcode: Opcode,
    from: Width,
    to: Width,
) -> Option<(Rule, Kind, Kind, Apply)> {
    use Kind::{Float, Int};
    use Opcode as O;
    let (operand, result, f): (_, _, fn(u64) -> u64) = match opcode {
        O::UConvert => (Int, Int, of_widths!(from, to, resized)),
        O::SConvert => (Int, Int, of_widths!(from, to, resized_signed)),
        O::FConvert => (Float, Float, of_widths!(from, to, rounded)),
        O::ConvertSToF => (Int, Float, of_widths!(from, to, of_signed)),
        O::ConvertUToF => (Int, Float, of_widths!(from, to, of_unsigned)),
        O::QuantizeToF16 if (from, to) == (Width::W32, Width::W32) => (Float, Float, quantized),
        O::ConvertFToS | O::ConvertFToU => {
            let f: PartialFn = match opcode {
                O::ConvertFToS => of_widths!(from, to, truncated_signed),
                _ => of_widths!(from, to, truncated),
            };
            return Some((Rule::FloatToInt, Float, Int, Apply::Partial(f)));
        }
        _ => return None,
    };
    Some((Rule::Convert, operand, result, Apply::Unary(f)))
}

/// The floating-point number with these bits.
pub(super) fn number<const WIDTH: u32>(bits: u64) -> f64 {
    match WIDTH {
        16 => half::from_bits(bits as u16),
        32 => f32::from_bits(bits as u32).into(),
        _ => f64::from_bits(bits),
    }
}

/// The bits of the nearest floating-point number.
pub(super) fn bits<const WIDTH: u32>(x: f64) -> u64 {
    match WIDTH {
        16 => half::to_bits(x).into(),
        32 => (x as f32).to_bits().into(),
        _ => x.to_bits(),
    }
}

fn resized<const FROM: u32, const TO: u32>(a: u64) -> u64 {
    a & u64::MAX >> (64 - TO)
}

/// The integer with these bits.
fn signed<const WIDTH: u32>(bits: u64) -> i64 {
    (bits << (64 - WIDTH)) as i64 >> (64 - WIDTH)
}

fn resized_signed<const FROM: u32, const TO: u32>(a: u64) -> u64 {
    signed::<FROM>(a) as u64 & u64::MAX >> (64 - TO)
}

fn rounded<const FROM: u32, const TO: u32>(a: u64) -> u64 {
    bits::<TO>(number::<FROM>(a))
}

/// To 32 bits at once, since a number of 64 bits may be rounded itself. Integers that are not exact in
/// 64 bits are beyond all numbers of 16 bits.
fn of_signed<const FROM: u32, const TO: u32>(a: u64) -> u64 {
    match TO {
        32 => (signed::<FROM>(a) as f32).to_bits().into(),
        _ => bits::<TO>(signed::<FROM>(a) as f64),
    }
}

/// What is unsigned stands in 64 bits as it is.
fn of_unsigned<const FROM: u32, const TO: u32>(a: u64) -> u64 {
    match TO {
        32 => (a as f32).to_bits().into(),
        _ => bits::<TO>(a as f64),
    }
}

/// The nearest of the normal numbers of 16 bits, or zero.
fn quantized(a: u64) -> u64 {
    let a = number::<32>(a);
    let nearest = half::from_bits(half::to_bits(a));
    bits::<32>(if nearest.abs() < half::LEAST_NORMAL { 0f64.copysign(a) } else { nearest })
}

/// Towards zero; a number that the integer cannot hold gives an undefined value.
fn truncated<const FROM: u32, const TO: u32>([a, ..]: [u64; 4]) -> (u64, u8) {
    let x = number::<FROM>(a).trunc();
    let most = u64::MAX >> (64 - TO);
    let inside = x >= 0.0 && x < 2f64.powi(TO as i32);
    ((x as u64).min(most), u8::from(!inside))
}

fn truncated_signed<const FROM: u32, const TO: u32>([a, ..]: [u64; 4]) -> (u64, u8) {
    let x = number::<FROM>(a).trunc();
    let beyond = 2f64.powi(TO as i32 - 1);
    let most = i64::MAX >> (64 - TO);
    let inside = x >= -beyond && x < beyond;
    ((x as i64).clamp(-most - 1, most) as u64 & u64::MAX >> (64 - TO), u8::from(!inside))
}
