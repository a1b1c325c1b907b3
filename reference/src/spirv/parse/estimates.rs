//! Which floats are open, by operation: where WGSL ("Floating Point Accuracy") and Vulkan ("Precision and Operation of SPIR-V
//! Instructions") leave it to a device what an operation gives, and by about how much.
//!
//! Of 32 and of 16 bits: WGSL has no floats of 64. An estimate is of 32 bits, in units of the last place of these; of 16 bits it
//! is asked with errors in the units of 32, and its answer taken in those of 16 (`HALF` of them). What is exact stays exact: a device may round up or down, fuse and reassociate,
//! which does not show where nothing is lost. How errors of operands add up is estimated, not bounded: in front of a
//! branch it tells what may go either way from what is far off.

use crate::spirv::half;
use crate::spirv::open::{Choice, Estimate, Opens, Real};
use rspirv::spirv::{GlslStd450Op as G, Op as Opcode};

/// How many units in the last place of 32 bits make one of 16.
pub(in crate::spirv) const HALF: f64 = 8192.0;

/// A unit in the last place of a float of 32 bits, and the least normal one, which may be flushed to 0.
fn ulp(a: f64) -> f64 {
    (a.abs() * f64::from(f32::EPSILON)).max(f64::from(f32::MIN_POSITIVE))
}

/// The greatest float, of 32 bits or of 16.
const fn greatest(half: bool) -> f64 {
    if half { half::GREATEST } else { f32::MAX as f64 }
}

/// The least normal one: a device may take what is less for 0.
const fn least(half: bool) -> f64 {
    if half { half::LEAST_NORMAL } else { f32::MIN_POSITIVE as f64 }
}

/// Is a number that is computed on the way to a result beyond the floats?
fn overflows<const H: bool>(passed: f64) -> bool {
    passed.is_finite() && passed.abs() > greatest(H)
}

/// May a device take it for 0, though it is not?
fn vanishes<const H: bool>(a: f64) -> bool {
    a != 0.0 && a.abs() < least(H)
}

/// The error of an operand as it is, of 32 bits or of 16.
const fn unit(half: bool) -> f64 {
    if half { HALF } else { 1.0 }
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

/// Of a square root, which is steep near 0, by two units.
fn root([a, ..]: &[Real; 4], result: f64, half: bool) -> f64 {
    match a.error * unit(half) >= a.value.abs() {
        true if a.error > 0.0 => (a.value.abs() + a.error * unit(half)).sqrt() / unit(half),
        _ => relative::<2>(&[*a; 4], result),
    }
}

/// The error is so many units more than the operand's, as of a function whose slope is about 1.
fn absolute<const UNITS: u32>([a, ..]: &[Real; 4], result: f64) -> f64 {
    a.error + f64::from(UNITS) * ulp(result)
}

/// Of `x - y * trunc(x / y)`, or of the same with `floor`. The quotient may be rounded to the next whole number.
fn remainder<const H: bool, const FLOOR: bool>([a, b, ..]: &[Real; 4], result: f64) -> f64 {
    let quotient = a.value / b.value;
    if overflows::<H>(quotient) || vanishes::<H>(b.value) {
        return f64::INFINITY;
    }
    let (whole, exact) = (a.value.fract() == 0.0, a.error + b.error == 0.0);
    if exact && (a.value == 0.0 || whole && is_power_of_two(b.value)) {
        return nearest(result, result);
    }
    let carried = unit(H) * (a.error + quotient.abs() * b.error) / b.value.abs();
    let beside = carried + 2.5 * unit(H) * ulp(quotient);
    let jumps = FLOOR || quotient.round() != 0.0;
    match jumps && (quotient - quotient.round()).abs() <= beside {
        true => b.value.abs() / unit(H),
        false => a.error + ulp(a.value),
    }
}

/// What makes the result of an instruction of core open, of 32 bits or of 16.
pub(super) fn of_opcode(opcode: Opcode, half: bool) -> Option<Opens> {
    let estimate = if half { core::<true>(opcode) } else { core::<false>(opcode) };
    estimate.map(Opens::Estimated)
}

fn core<const H: bool>(opcode: Opcode) -> Option<Estimate> {
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
            if vanishes::<H>(b.value) {
                return f64::INFINITY;
            }
            let carried = (a.error + result.abs() * b.error) / b.value.abs();
            let own = if is_power_of_two(b.value) || a.value == 0.0 {
                nearest(result, a.value / b.value)
            } else {
                2.5 * ulp(result)
            };
            if carried.is_finite() { carried + own } else { own }
        },
        Opcode::FRem => remainder::<H, false>,
        Opcode::FMod => remainder::<H, true>,
        Opcode::ConvertSToF | Opcode::ConvertUToF => |[a, ..], result| nearest(result, a.value),
        Opcode::FConvert => |[a, ..], result| a.error + nearest(result, a.value),
        // One unit of 16 bits.
        Opcode::QuantizeToF16 => {
            |[a, ..], result| a.error + if result == a.value { 0.0 } else { HALF * ulp(result) }
        }
        _ => return None,
    })
}

/// What makes the result of an instruction of GLSL.std.450 open, of 32 bits or of 16.
pub(super) fn of_glsl(instruction: G, half: bool) -> Option<Opens> {
    Some(match instruction {
        G::FMax | G::NMax => Opens::Chosen(Choice::Max),
        G::FMin | G::NMin => Opens::Chosen(Choice::Min),
        G::FClamp | G::NClamp => Opens::Chosen(Choice::Clamp),
        G::Floor => Opens::Jumps(|[_, a]| a.floor()),
        G::Ceil => Opens::Jumps(|[_, a]| a.ceil()),
        G::Trunc => Opens::Jumps(|[_, a]| a.trunc()),
        G::Round | G::RoundEven => Opens::Jumps(|[_, a]| a.round_ties_even()),
        G::FSign => Opens::Jumps(|[_, a]| if a == 0.0 { 0.0 } else { a.signum() }),
        G::Step => Opens::Jumps(|[edge, a]| if a < edge { 0.0 } else { 1.0 }),
        _ => {
            let estimate =
                if half { glsl::<true>(instruction) } else { glsl::<false>(instruction) };
            return estimate.map(Opens::Estimated);
        }
    })
}

fn glsl<const H: bool>(instruction: G) -> Option<Estimate> {
    Some(match instruction {
        G::Fma => |[a, b, c, d], result| {
            let twice = a.value * b.value;
            if overflows::<H>(twice) {
                return f64::INFINITY;
            }
            let fused = nearest(result, twice + c.value) + nearest(twice, f64::from(twice as f32));
            product(&[*a, *b, *c, *d], twice) + c.error + fused
        },
        // x - floor(x)
        G::Fract => |[a, ..], result| {
            let error = a.error * unit(H);
            match (a.value - error).floor() == (a.value + error).floor() {
                true => a.error + nearest(result, a.value - a.value.floor()),
                false => 1.0 / unit(H),
            }
        },
        // x (1 - a) + y a
        G::FMix => |[x, y, a, _], result| {
            if overflows::<H>(x.value * (1.0 - a.value)) || overflows::<H>(y.value * a.value) {
                return f64::INFINITY;
            }
            let exact = [x, y, a].iter().all(|real| real.error == 0.0 && real.value.fract() == 0.0);
            let own = if exact { 0.0 } else { 2.0 * ulp(x.value.abs().max(y.value.abs())) };
            x.error + y.error + (y.value - x.value).abs() * a.error + own + nearest(result, result)
        },
        G::SmoothStep => |[low, high, x, _], result| {
            let width = high.value - low.value;
            let (at, error) =
                ((x.value - low.value) / width, (x.error + low.error + high.error) / width.abs());
            let near = error * unit(H);
            match at + near <= 0.0 || at - near >= 1.0 {
                true => 0.0,
                false => 1.5 * error + 8.0 * ulp(result),
            }
        },
        // 3 + 2 |x| units.
        G::Exp | G::Exp2 => {
            |[a, ..], result| result.abs() * a.error + (3.0 + 2.0 * a.value.abs()) * ulp(result)
        }
        G::Log | G::Log2 => |[a, ..], result| {
            if vanishes::<H>(a.value) {
                return f64::INFINITY;
            }
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
        // Of the origin it may be any angle, and beside the half-line to the left either end of the range.
        G::Atan2 => |[y, x, ..], result| {
            let is_0 = |a: &Real| a.value.abs() <= a.error * unit(H);
            match is_0(y) {
                true if is_0(x) => std::f64::consts::PI / unit(H),
                true if x.value < 0.0 && y.error > 0.0 => std::f64::consts::TAU / unit(H),
                _ if H => absolute::<5>(&[*y; 4], result),
                _ => absolute::<4096>(&[*y; 4], result),
            }
        },
        G::Atan => {
            if H {
                absolute::<5>
            } else {
                absolute::<4096>
            }
        }
        G::InverseSqrt => |[a, ..], result| match vanishes::<H>(a.value) {
            true => f64::INFINITY,
            false => relative::<2>(&[*a; 4], result),
        },
        G::Sqrt => |[a, ..], result| root(&[*a; 4], result, H),
        // Products, of which that with 0 is exact.
        G::Degrees => |[a, ..], result| match (a.value, a.error) {
            (0.0, 0.0) => 0.0,
            _ => a.error.to_degrees() + 2.0 * ulp(result),
        },
        G::Radians => |[a, ..], result| match (a.value, a.error) {
            (0.0, 0.0) => 0.0,
            _ => a.error.to_radians() + 2.0 * ulp(result),
        },
        // By exponentials of the operand.
        G::Tanh => |[a, ..], result| match a.value.abs() > greatest(H).ln() {
            true => f64::INFINITY,
            false => by_parts::<H>(&[*a; 4], result).max(a.error + most(H, 1e-5, 0.01)),
        },
        G::Sinh | G::Cosh => |[a, ..], result| match a.value.abs() > greatest(H).ln() {
            true => f64::INFINITY,
            false => by_parts::<H>(&[*a; 4], result),
        },
        // By its square.
        G::Asinh | G::Acosh => |[a, ..], result| match overflows::<H>(a.value * a.value) {
            true => f64::INFINITY,
            false => by_parts::<H>(&[*a; 4], result),
        },
        G::Atanh => by_parts::<H>,
        // What is not normal may be taken for 0.
        G::UnpackHalf2x16 => {
            |_, result| if result.abs() < half::LEAST_NORMAL { result.abs() } else { 0.0 }
        }
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
pub(super) fn sum(half: bool) -> Estimate {
    fn sum<const H: bool>([a, size, ..]: &[Real; 4], result: f64) -> f64 {
        match a.value == result && result.fract() == 0.0 {
            _ if overflows::<H>(partly([*a, *size])) => f64::INFINITY,
            true => a.error,
            false => a.error + 4.0 * ulp(result.abs().max(size.value)),
        }
    }
    if half { sum::<true> } else { sum::<false> }
}

/// How large a sum may be on the way: what is above 0 or what is below it, of terms that are so large together.
fn partly([sum, size]: [Real; 2]) -> f64 {
    (size.value + sum.value.abs()) / 2.0
}

/// A sum of products in 64 bits that is used further: may a device that has fewer come by an infinity?
pub(super) fn passed(half: bool) -> Opens {
    fn passed<const H: bool>([sum, size, ..]: &[Real; 4], _: f64) -> bool {
        overflows::<H>(partly([*sum, *size]))
    }
    Opens::Passed(if half { passed::<true> } else { passed::<false> })
}

/// The same of one by which, or by whose root, something is divided.
pub(super) fn divides(half: bool) -> Opens {
    fn divides<const H: bool>([sum, size, ..]: &[Real; 4], _: f64) -> bool {
        overflows::<H>(partly([*sum, *size])) || sum.value.abs() < least(H)
    }
    Opens::Passed(if half { divides::<true> } else { divides::<false> })
}

/// Of the sum or the product of the lanes of a subgroup: by their errors, which it has.
pub(super) fn reduced([a, ..]: &[Real; 4], result: f64) -> f64 {
    match result.fract() == 0.0 {
        true => a.error,
        false => a.error + 16.0 * ulp(result),
    }
}
