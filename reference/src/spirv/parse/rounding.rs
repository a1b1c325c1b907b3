//! Which floats are open: where WGSL ("Floating Point Accuracy") and Vulkan ("Precision and Operation of SPIR-V
//! Instructions") leave it to a device what an operation gives, and by about how much.
//!
//! Of 32 bits only: WGSL has no floats of 64. What is exact stays exact: a device may round up or down, fuse and reassociate,
//! which does not show where nothing is lost. How errors of operands add up is estimated, not bounded: in front of a
//! branch it tells what may go either way from what is far off.

use super::Floats;
use super::body::{Body, Here};
use crate::spirv::syntax::{At, Estimate, Op, Real, Rounding};
use crate::spirv::types::{Scalar, Width};
use rspirv::spirv::{GlslStd450Op, Op as Opcode};

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
        _ => return None,
    })
}

fn of_glsl(instruction: GlslStd450Op) -> Option<Estimate> {
    use GlslStd450Op as G;
    Some(match instruction {
        G::Fma => |[a, b, c, d], result| {
            let twice = a.value * b.value;
            let fused = nearest(result, twice + c.value) + nearest(twice, f64::from(twice as f32));
            product(&[*a, *b, *c, *d], twice) + c.error + fused
        },
        G::Fract => absolute::<1>,
        // x (1 - a) + y a
        G::FMix => |[x, y, a, _], result| {
            let exact = [x, y, a].iter().all(|real| real.error == 0.0 && real.value.fract() == 0.0);
            let own = if exact { 0.0 } else { 2.0 * ulp(x.value.abs().max(y.value.abs())) };
            x.error + y.error + (y.value - x.value).abs() * a.error + own + nearest(result, result)
        },
        G::SmoothStep => {
            |[low, high, x, _], result| match x.value <= low.value || x.value >= high.value {
                true => 0.0,
                false => x.error + low.error + high.error + 4.0 * ulp(result),
            }
        }
        // 3 + 2 |x| units.
        G::Exp | G::Exp2 => {
            |[a, ..], result| result.abs() * a.error + (3.0 + 2.0 * a.value.abs()) * ulp(result)
        }
        G::Log | G::Log2 => |[a, ..], result| {
            let carried = if a.error == 0.0 { 0.0 } else { a.error / a.value.abs() };
            carried + 3.0 * ulp(result)
        },
        G::Pow => |[a, b, ..], result| {
            let carried =
                b.value.abs() * a.error / a.value.abs() + a.value.abs().ln().abs() * b.error;
            let carried = if carried.is_finite() { carried } else { 0.0 };
            result.abs() * carried + 16.0 * ulp(result)
        },
        // 2^-11 between -pi and pi.
        G::Sin | G::Cos => |[a, ..], _| a.error + 0.000_488,
        G::Asin | G::Acos => |[a, ..], _| a.error + 0.000_067,
        G::Tan => relative::<4096>,
        G::Atan | G::Atan2 => absolute::<4096>,
        G::Sqrt | G::InverseSqrt | G::Degrees | G::Radians => relative::<2>,
        G::Sinh | G::Cosh | G::Tanh | G::Asinh | G::Acosh | G::Atanh => relative::<4096>,
        _ => return None,
    })
}

/// A sum of products in 64 bits, rounded: exact in any order if all are whole numbers, of which this asks the sum.
fn sum([a, ..]: &[Real; 4], result: f64) -> f64 {
    match a.value == result && result.fract() == 0.0 {
        true => a.error,
        false => a.error + 4.0 * ulp(result),
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
        let decode: fn(u64) -> f64 = match at.opcode() {
            Opcode::ConvertSToF => |bits| f64::from(bits as u32 as i32),
            Opcode::ConvertUToF => |bits| f64::from(bits as u32),
            _ => float,
        };
        let estimate = match at.opcode() {
            Opcode::ExtInst => {
                self.literal(at, 1).ok().and_then(GlslStd450Op::from_u32).and_then(of_glsl)
            }
            opcode => of_opcode(opcode),
        };
        if let (Some(estimate), Width::W32) = (estimate, width) {
            self.opens(
                at,
                Rounding { estimate: Some(estimate), decode, to, operands: [to; 4] },
                operands,
            );
        } else if self.compares_floats(at) {
            self.opens(at, Rounding { estimate: None, decode, to, operands: [to; 4] }, operands);
        }
    }

    /// Behind the rounding of a number of 64 bits, which is a sum of products.
    pub(super) fn sum_is_open(&mut self, at: &Here<'_>, to: At, from: At) {
        if self.reader.floats == Floats::Open {
            let decode = f64::from_bits;
            self.opens(
                at,
                Rounding { estimate: Some(sum), decode, to, operands: [to; 4] },
                &[from],
            );
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

    /// Does it compare two floats of 32 bits?
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
                scalars.is_some_and(|it| it.scalar == Scalar::Float && it.width == Width::W32)
            })
    }
}
