//! Which floats are open: where WGSL ("Floating Point Accuracy") and Vulkan ("Precision and Operation of SPIR-V
//! Instructions") leave it to a device what an operation gives, and by about how much.
//!
//! Of 32 and of 16 bits: WGSL has no floats of 64. An estimate is of 32 bits, in units of the last place of these; of 16 bits it
//! is asked with errors in the units of 32, and its answer taken in those of 16 ([`Rounding::half`]). What is exact stays exact: a device may round up or down, fuse and reassociate,
//! which does not show where nothing is lost. How errors of operands add up is estimated, not bounded: in front of a
//! branch it tells what may go either way from what is far off.

use super::Floats;
use super::body::{Body, Here};
use crate::spirv::half;
use crate::spirv::syntax::{At, Estimate, Op, Real, Rounding};
use crate::spirv::types::{Scalar, Width};
use rspirv::spirv::{GlslStd450Op, Op as Opcode};

/// How many units in the last place of 32 bits make one of 16.
pub(in crate::spirv) const HALF: f64 = 8192.0;

/// A unit in the last place of a float of 32 bits, and the least normal one, which may be flushed to 0.
fn ulp(a: f64) -> f64 {
    (a.abs() * f64::from(f32::EPSILON)).max(f64::from(f32::MIN_POSITIVE))
}

/// The error of a result that is nearest to `exact`.
fn nearest(result: f64, exact: f64) -> f64 {
    let subnormal = result != 0.0 && result.abs() < f64::from(f32::MIN_POSITIVE);
    if result == exact && !subnormal { 0.0 } else { ulp(result) }
}

fn is_power_of_two(a: f64) -> bool {
    const FRACTION: u64 = (1 << (f64::MANTISSA_DIGITS - 1)) - 1;
    a.is_normal() && a.to_bits() & FRACTION == 0
}

fn product([a, b, ..]: &[Real; 4], result: f64) -> f64 {
    a.value.abs() * b.error + b.value.abs() * a.error + nearest(result, a.value * b.value)
}

/// By how much a number that a function gives differs at most, of 32 bits or of 16.
const fn most(half: bool, of_32: f64, of_16: f64) -> f64 {
    if half { of_16 / HALF } else { of_32 }
}

/// Beyond pi, for which nothing is promised, the error is taken to grow as the operand does.
fn turns(a: f64) -> f64 {
    (a.abs() / std::f64::consts::PI).max(1.0)
}

/// Of sine and cosine between -pi and pi: 2^-11, and 2^-7 of 16 bits.
const fn of_sine(half: bool) -> f64 {
    most(half, 0.000_488_281_25, 0.007_812_5)
}

/// Of logarithms of numbers between 0.5 and 2: 2^-21, and 2^-7 of 16 bits. Of others three units.
fn of_logarithm(half: bool, a: f64, result: f64) -> f64 {
    let units = 3.0 * ulp(result);
    if (0.5..=2.0).contains(&a) {
        units.max(most(half, 4.768_371_582_031_25e-7, 0.007_812_5))
    } else {
        units
    }
}

/// Of functions that are defined by exponentials and logarithms: what these lose near 0 is lost there too.
fn by_parts<const HALF: bool>([a, ..]: &[Real; 4], result: f64) -> f64 {
    let units =
        if HALF { relative::<16>(&[*a; 4], result) } else { relative::<4096>(&[*a; 4], result) };
    units.max(a.error + most(HALF, 1e-6, 0.01))
}

/// The error is so many units more than what the operand's makes of the result, if that grows as the result does.
fn relative<const UNITS: u32>([a, ..]: &[Real; 4], result: f64) -> f64 {
    let carried = if a.error == 0.0 { 0.0 } else { result.abs() * a.error / a.value.abs() };
    carried + f64::from(UNITS) * ulp(result)
}

/// The same of a function whose slope is about 1.
fn absolute<const UNITS: u32>([a, ..]: &[Real; 4], result: f64) -> f64 {
    a.error + f64::from(UNITS) * ulp(result)
}

fn of_opcode(opcode: Opcode) -> Option<Estimate> {
    // Whether a sum of two floats of 32 bits is one is told in 64 bits but for the widest differences, by the error of the
    // sum (Knuth), which is exact there.
    fn sum(a: f64, b: f64, result: f64) -> f64 {
        let sum = a + b;
        let of_b = sum - a;
        let lost = (a - (sum - of_b)) + (b - of_b);
        if lost == 0.0 { nearest(result, sum) } else { ulp(result) }
    }
    Some(match opcode {
        Opcode::FAdd => |[a, b, ..], result| a.error + b.error + sum(a.value, b.value, result),
        Opcode::FSub => |[a, b, ..], result| a.error + b.error + sum(a.value, -b.value, result),
        Opcode::FMul | Opcode::VectorTimesScalar | Opcode::MatrixTimesScalar => product,
        // 2.5 units.
        Opcode::FDiv => |[a, b, ..], result| {
            let carried = (a.error + result.abs() * b.error) / b.value.abs();
            let own = if is_power_of_two(b.value) {
                nearest(result, a.value / b.value)
            } else {
                2.5 * ulp(result)
            };
            if carried.is_finite() { carried + own } else { own }
        },
        Opcode::FRem | Opcode::FMod => |[a, b, ..], result| {
            let whole = a.value.fract() == 0.0 && is_power_of_two(b.value);
            if whole && a.error + b.error == 0.0 {
                nearest(result, result)
            } else {
                a.error + ulp(a.value)
            }
        },
        Opcode::ConvertSToF | Opcode::ConvertUToF => |[a, ..], result| nearest(result, a.value),
        Opcode::FConvert => |[a, ..], result| a.error + nearest(result, a.value),
        // One unit of 16 bits.
        Opcode::QuantizeToF16 => {
            |[a, ..], result| a.error + if result == a.value { 0.0 } else { HALF * ulp(result) }
        }
        _ => return None,
    })
}

fn of_glsl<const H: bool>(instruction: GlslStd450Op) -> Option<Estimate> {
    use GlslStd450Op as G;
    Some(match instruction {
        G::Fma => |[a, b, c, d], result| {
            let twice = a.value * b.value;
            let fused = nearest(result, twice + c.value) + nearest(twice, f64::from(twice as f32));
            product(&[*a, *b, *c, *d], twice) + c.error + fused
        },
        // x - floor(x)
        G::Fract => |[a, ..], result| a.error + nearest(result, a.value - a.value.floor()),
        // x (1 - a) + y a
        G::FMix => |[x, y, a, _], result| {
            let exact = [x, y, a].iter().all(|real| real.error == 0.0 && real.value.fract() == 0.0);
            let own = if exact { 0.0 } else { 2.0 * ulp(x.value.abs().max(y.value.abs())) };
            x.error + y.error + (y.value - x.value).abs() * a.error + own + nearest(result, result)
        },
        G::SmoothStep => {
            |[low, high, x, _], result| match x.value <= low.value || x.value >= high.value {
                true => 0.0,
                false => {
                    let slope = 1.5 / (high.value - low.value).abs();
                    slope * (x.error + low.error + high.error) + 8.0 * ulp(result)
                }
            }
        }
        // 3 + 2 |x| units.
        G::Exp | G::Exp2 => {
            |[a, ..], result| result.abs() * a.error + (3.0 + 2.0 * a.value.abs()) * ulp(result)
        }
        G::Log | G::Log2 => |[a, ..], result| {
            let carried = if a.error == 0.0 { 0.0 } else { 1.5 * a.error / a.value.abs() };
            carried + of_logarithm(H, a.value, result)
        },
        G::Pow => |[a, b, ..], result| {
            let carried =
                b.value.abs() * a.error / a.value.abs() + a.value.abs().ln().abs() * b.error;
            let carried = if carried.is_finite() { carried } else { 0.0 };
            // exp2(b * log2(a))
            let power = a.value.abs().log2();
            let lost = b.value.abs() * of_logarithm(H, a.value, power) + ulp(b.value * power);
            let own = result.abs() * lost + (3.0 + 2.0 * (b.value * power).abs()) * ulp(result);
            result.abs() * carried + if own.is_finite() { own } else { 16.0 * ulp(result) }
        },
        G::Sin | G::Cos => |[a, ..], _| a.error + of_sine(H) * turns(a.value),
        // Or by atan2 and sqrt(1 - a * a), which is steep where a is near 1.
        G::Asin | G::Acos => |[a, ..], result| {
            let steep = 1.0 / (1.0 - a.value * a.value).max(1e-6).sqrt();
            let by_parts = if H { 5.0 } else { 4096.0 } * ulp(result) + 6e-8 * steep;
            a.error * steep + by_parts.max(most(H, 6.81e-5, 3.91e-3))
        },
        G::Tan => |[a, ..], result| {
            (1.0 + result * result) * (a.error + 1.5 * of_sine(H) * turns(a.value))
        },
        G::Atan | G::Atan2 => {
            if H {
                absolute::<5>
            } else {
                absolute::<4096>
            }
        }
        G::Sqrt | G::InverseSqrt | G::Degrees | G::Radians => relative::<2>,
        G::Tanh => {
            |[a, ..], result| by_parts::<H>(&[*a; 4], result).max(a.error + most(H, 1e-5, 0.01))
        }
        G::Sinh | G::Cosh | G::Asinh | G::Acosh | G::Atanh => by_parts::<H>,
        // Three units, of what is none of the ends of its range.
        G::UnpackSnorm4x8 | G::UnpackUnorm4x8 | G::UnpackSnorm2x16 | G::UnpackUnorm2x16 => {
            |_, result| {
                if [0.0, 1.0].contains(&result.abs()) { 0.0 } else { 3.0 * ulp(result) }
            }
        }
        _ => return None,
    })
}

/// A sum of products in 64 bits, rounded: exact in any order if all are whole numbers, of which this asks the sum. Else the
/// error is of the size of the terms.
fn sum([a, size, ..]: &[Real; 4], result: f64) -> f64 {
    match a.value == result && result.fract() == 0.0 {
        true => a.error,
        false => a.error + 4.0 * ulp(result.abs().max(size.value)),
    }
}

fn float(bits: u64) -> f64 {
    f64::from(f32::from_bits(bits as u32))
}

impl Body<'_> {
    /// Behind an operation whose result may be open stands another one that says so.
    pub(super) fn rounding(&mut self, at: &Here<'_>, to: At, operands: &[At], width: Width) {
        if self.reader.floats == Floats::Nearest {
            return;
        }
        let of_half = |bits: u64| half::from_bits(bits as u16);
        let operand = if at.opcode() == Opcode::ExtInst { 2 } else { 0 };
        let from = self.operand(at, operand).ok().map(|value| self.width(value.ty));
        let decode: fn(u64) -> f64 = match (at.opcode(), from) {
            (Opcode::ConvertSToF, Some(Width::W16)) => |bits| f64::from(bits as u16 as i16),
            (Opcode::ConvertSToF, _) => |bits| f64::from(bits as u32 as i32),
            (Opcode::ConvertUToF, _) => |bits| f64::from(bits as u32),
            (_, Some(Width::W16)) => of_half,
            (_, Some(Width::W64)) => f64::from_bits,
            _ => float,
        };
        let half = width == Width::W16;
        let estimate = match at.opcode() {
            Opcode::ExtInst => {
                let instruction = self.literal(at, 1).ok().and_then(GlslStd450Op::from_u32);
                instruction
                    .and_then(|it| if half { of_glsl::<true>(it) } else { of_glsl::<false>(it) })
            }
            opcode => of_opcode(opcode),
        };
        if estimate.is_some() && matches!(width, Width::W32 | Width::W16) {
            self.opens(at, Rounding { estimate, decode, half, to, operands: [to; 4] }, operands);
        } else if self.compares_floats(at) {
            let rounding = Rounding { estimate: None, decode, half, to, operands: [to; 4] };
            self.opens(at, rounding, operands);
        }
    }

    /// Behind the rounding of a number of 64 bits, which is a sum of products.
    pub(super) fn sum_is_open(&mut self, at: &Here<'_>, to: At, from: [At; 2], width: Width) {
        if self.reader.floats == Floats::Open {
            let (decode, half) = (f64::from_bits, width == Width::W16);
            let rounding = Rounding { estimate: Some(sum), decode, half, to, operands: [to; 4] };
            self.opens(at, rounding, &from);
        }
    }

    /// Behind a sum or a product of a subgroup, whose lanes come in any order.
    pub(super) fn reduction_is_open(&mut self, at: &Here<'_>, to: At, width: Width) {
        if self.reader.floats == Floats::Open && width != Width::W64 {
            let half = width == Width::W16;
            let decode: fn(u64) -> f64 = match half {
                true => |bits| half::from_bits(bits as u16),
                false => float,
            };
            // By the errors of the lanes, which the result has.
            let estimate: Estimate = |[a, ..], result| match result.fract() == 0.0 {
                true => a.error,
                false => a.error + 16.0 * ulp(result),
            };
            let estimate = Some(estimate);
            self.opens(at, Rounding { estimate, decode, half, to, operands: [to; 4] }, &[to]);
        }
    }

    fn opens(&mut self, at: &Here<'_>, mut rounding: Rounding, operands: &[At]) {
        let [first, ..] = operands else { return };
        rounding.operands = [*first; 4];
        for (to, operand) in rounding.operands.iter_mut().zip(operands) {
            *to = *operand;
        }
        self.module.roundings.push(rounding);
        self.emit(at, Op::Rounding(self.module.roundings.len() as u32 - 1));
    }

    /// Does it compare two floats of 32 bits, or of 16?
    fn compares_floats(&mut self, at: &Here<'_>) -> bool {
        let ordered = matches!(
            at.opcode(),
            Opcode::FOrdEqual
                | Opcode::FOrdNotEqual
                | Opcode::FOrdLessThan
                | Opcode::FOrdGreaterThan
                | Opcode::FOrdLessThanEqual
                | Opcode::FOrdGreaterThanEqual
                | Opcode::FUnordEqual
                | Opcode::FUnordNotEqual
                | Opcode::FUnordLessThan
                | Opcode::FUnordGreaterThan
                | Opcode::FUnordLessThanEqual
                | Opcode::FUnordGreaterThanEqual
        );
        ordered
            && self.operand(at, 0).is_ok_and(|value| {
                let scalars = self.reader.types.scalars(value.ty);
                scalars.is_some_and(|it| it.scalar == Scalar::Float && it.width <= Width::W32)
            })
    }
}
