//! Conversions of numbers from one type or width to another.

use super::arithmetic::{Apply, Kind};
use crate::spirv::half;
use crate::spirv::rules::Rule;
use crate::spirv::syntax::PartialFn;
use rspirv::spirv::Op as Opcode;

/// Conversions, from one width to another.
pub(super) fn conversion(
    opcode: Opcode,
    from: bool,
    to: bool,
) -> Option<(Rule, Kind, Kind, Apply)> {
    use Kind::{Float, Int};
    use Opcode as O;
    let total = |operand, result, f| Some((Rule::Convert, operand, result, Apply::Unary(f)));
    match (opcode, from, to) {
        (O::UConvert, _, true) | (O::UConvert, false, _) => total(Int, Int, |a| a),
        (O::UConvert | O::SConvert, _, false) => total(Int, Int, |a| u64::from(a as u32)),
        (O::SConvert, false, true) => total(Int, Int, |a| a as u32 as i32 as i64 as u64),
        (O::SConvert, true, true) => total(Int, Int, |a| a),
        (O::FConvert, false, true) => {
            total(Float, Float, |a| f64::from(f32::from_bits(a as u32)).to_bits())
        }
        (O::FConvert, true, false) => {
            total(Float, Float, |a| u64::from((f64::from_bits(a) as f32).to_bits()))
        }
        (O::QuantizeToF16, false, false) => total(Float, Float, quantized),
        (O::ConvertSToF, false, false) => {
            total(Int, Float, |a| u64::from((a as u32 as i32 as f32).to_bits()))
        }
        (O::ConvertSToF, true, false) => {
            total(Int, Float, |a| u64::from((a as i64 as f32).to_bits()))
        }
        (O::ConvertSToF, false, true) => {
            total(Int, Float, |a| f64::from(a as u32 as i32).to_bits())
        }
        (O::ConvertSToF, true, true) => total(Int, Float, |a| (a as i64 as f64).to_bits()),
        // What is unsigned of 32 bits stands in 64 bits as it is.
        (O::ConvertUToF, _, false) => total(Int, Float, |a| u64::from((a as f32).to_bits())),
        (O::ConvertUToF, _, true) => total(Int, Float, |a| (a as f64).to_bits()),
        (O::ConvertFToS | O::ConvertFToU, ..) => {
            let f = truncation(opcode == O::ConvertFToS, from, to);
            Some((Rule::FloatToInt, Float, Int, Apply::Partial(f)))
        }
        _ => None,
    }
}

/// The nearest of the normal numbers of 16 bits, or zero.
fn quantized(a: u64) -> u64 {
    let a = f64::from(f32::from_bits(a as u32));
    let nearest = half::from_bits(half::to_bits(a));
    let nearest = if nearest.abs() < half::LEAST_NORMAL { 0f64.copysign(a) } else { nearest };
    u64::from((nearest as f32).to_bits())
}

/// Towards zero; a number that the integer cannot hold gives an undefined value.
fn truncation(signed: bool, from: bool, to: bool) -> PartialFn {
    fn within(x: f64, low: f64, high: f64) -> u8 {
        u8::from(!(x > low - 1.0 && x.trunc() >= low && x < high))
    }
    fn s32(x: f64) -> (u64, u8) {
        (u64::from(x as i32 as u32), within(x, -2_147_483_648.0, 2_147_483_648.0))
    }
    fn s64(x: f64) -> (u64, u8) {
        let high = 9_223_372_036_854_775_808.0;
        (x as i64 as u64, u8::from(!(x >= -high && x < high)))
    }
    fn u32(x: f64) -> (u64, u8) {
        (u64::from(x as u32), within(x, 0.0, 4_294_967_296.0))
    }
    fn u64(x: f64) -> (u64, u8) {
        (x as u64, within(x, 0.0, 18_446_744_073_709_551_616.0))
    }
    fn single(a: u64) -> f64 {
        f64::from(f32::from_bits(a as std::primitive::u32))
    }
    match (signed, from, to) {
        (true, false, false) => |[a, ..]| s32(single(a)),
        (true, true, false) => |[a, ..]| s32(f64::from_bits(a)),
        (true, false, true) => |[a, ..]| s64(single(a)),
        (true, true, true) => |[a, ..]| s64(f64::from_bits(a)),
        (false, false, false) => |[a, ..]| u32(single(a)),
        (false, true, false) => |[a, ..]| u32(f64::from_bits(a)),
        (false, false, true) => |[a, ..]| u64(single(a)),
        (false, true, true) => |[a, ..]| u64(f64::from_bits(a)),
    }
}
