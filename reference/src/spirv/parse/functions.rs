//! Functions of floating-point numbers, of core and of GLSL.std.450, applied a component at a time.
//!
//! Each is computed in 64 bits and then rounded once, which gives the number nearest to the exact result
//! in all but the rarest cases. The specifications permit more than one result for most of these functions;
//! this one is always permitted. The mathematical libraries of platforms may differ in the last of the 64
//! bits, which the rounding to 32 bits hardly ever lets through.

use super::arithmetic::{Apply, Entry, Kind};
use crate::spirv::rules::Rule;
use crate::spirv::syntax::PartialFn;
use rspirv::spirv::GlslStd450Op as G;

/// A function of numbers of both widths that is computed in 64 bits and rounded once.
macro_rules! real {
    ($wide:expr, |$($x:ident),+| $f:expr) => {
        if $wide {
            |$($x: u64),+| { $(let $x = f64::from_bits($x);)+ f64::to_bits($f) }
        } else {
            |$($x: u64),+| {
                $(let $x = f64::from(f32::from_bits($x as u32));)+
                u64::from((($f) as f32).to_bits())
            }
        }
    };
}

/// The same of a function that is undefined for some operands; a premise that fails says that they are
/// such.
macro_rules! within {
    ($wide:expr, |$($x:ident),+| $outside:expr, $f:expr) => {
        if $wide {
            |operands: [u64; 4]| {
                let [$($x),+, ..] = operands;
                $(let $x = f64::from_bits($x);)+
                (f64::to_bits($f), u8::from($outside))
            }
        } else {
            |operands: [u64; 4]| {
                let [$($x),+, ..] = operands;
                $(let $x = f64::from(f32::from_bits($x as u32));)+
                (u64::from((($f) as f32).to_bits()), u8::from($outside))
            }
        }
    };
}
pub(super) use real;

fn entry(rule: Rule, apply: Apply) -> Option<Entry> {
    Some(Entry { rule, operand: Kind::Float, result: Kind::Float, apply })
}

fn unary(f: fn(u64) -> u64) -> Option<Entry> {
    entry(Rule::Extended, Apply::Unary(f))
}

fn binary(f: fn(u64, u64) -> u64) -> Option<Entry> {
    entry(Rule::Extended, Apply::Binary(f))
}

fn ternary(f: PartialFn) -> Option<Entry> {
    entry(Rule::Extended, Apply::Partial(f))
}

/// GLSL.std.450 `Log`, `Pow`, `Asin` and others
///
/// ```text
/// the function is defined for the operands  (domain)
/// ──────────────────────────────────────────────────
/// its value
/// ```
fn partial(f: PartialFn) -> Option<Entry> {
    entry(Rule::Domain, Apply::Partial(f))
}

/// What an instruction does to numbers, if it is one of these functions.
pub(super) fn function(instruction: G, wide: bool) -> Option<Entry> {
    let elementary = || match wide {
        true => None,
        false => circular(instruction).or_else(|| exponential(instruction)),
    };
    common(instruction, wide).or_else(elementary)
}

/// Functions that there are for all widths.
fn common(instruction: G, wide: bool) -> Option<Entry> {
    match instruction {
        // The direction of ties is left open.
        G::Round => unary(real!(wide, |a| a.round_ties_even())),
        G::Fract => unary(real!(wide, |a| a - a.floor())),
        G::FSign => unary(real!(wide, |a| match a {
            a if a > 0.0 => 1.0,
            a if a < 0.0 => -1.0,
            a => a,
        })),
        G::InverseSqrt => partial(within!(wide, |a| a <= 0.0, 1.0 / a.sqrt())),
        G::Step => binary(real!(wide, |edge, x| if x < edge { 0.0 } else { 1.0 })),
        G::FMix => ternary(within!(wide, |x, y, a| false, x * (1.0 - a) + y * a)),
        G::SmoothStep => {
            partial(within!(wide, |low, high, x| low >= high, smooth((x - low) / (high - low))))
        }
        _ => None,
    }
}

fn smooth(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Trigonometry, of 32 bits.
fn circular(instruction: G) -> Option<Entry> {
    match instruction {
        G::Degrees => unary(real!(false, |a| a.to_degrees())),
        G::Radians => unary(real!(false, |a| a.to_radians())),
        G::Sin => unary(real!(false, |a| a.sin())),
        G::Cos => unary(real!(false, |a| a.cos())),
        G::Tan => unary(real!(false, |a| a.tan())),
        G::Asin => partial(within!(false, |a| a.abs() > 1.0, a.asin())),
        G::Acos => partial(within!(false, |a| a.abs() > 1.0, a.acos())),
        G::Atan => unary(real!(false, |a| a.atan())),
        G::Atan2 => partial(within!(false, |y, x| y == 0.0 && x == 0.0, y.atan2(x))),
        _ => None,
    }
}

/// Exponential functions, of 32 bits.
fn exponential(instruction: G) -> Option<Entry> {
    match instruction {
        G::Exp => unary(real!(false, |a| a.exp())),
        G::Exp2 => unary(real!(false, |a| a.exp2())),
        G::Log => partial(within!(false, |a| a <= 0.0, a.ln())),
        G::Log2 => partial(within!(false, |a| a <= 0.0, a.log2())),
        G::Pow => partial(within!(false, |x, y| x < 0.0 || (x == 0.0 && y <= 0.0), x.powf(y))),
        G::Sinh => unary(real!(false, |a| a.sinh())),
        G::Cosh => unary(real!(false, |a| a.cosh())),
        G::Tanh => unary(real!(false, |a| a.tanh())),
        G::Asinh => unary(real!(false, |a| a.asinh())),
        G::Acosh => partial(within!(false, |a| a < 1.0, a.acosh())),
        G::Atanh => partial(within!(false, |a| a.abs() >= 1.0, a.atanh())),
        _ => None,
    }
}
