//! Functions of floating-point numbers, of core and of GLSL.std.450, applied a component at a time.
//!
//! Each is computed in 64 bits and then rounded once, which gives the number nearest to the exact result
//! in all but the rarest cases. The specifications permit more than one result for most of these functions;
//! this one is always permitted. The mathematical libraries of platforms may differ in the last of the 64
//! bits, which the rounding to 32 bits hardly ever lets through.

use super::arithmetic::{Apply, Entry, Kind};
use crate::spirv::rules::Rule;
use crate::spirv::syntax::{PartialFn, Premise};
use crate::spirv::types::Width;
use rspirv::spirv::GlslStd450Op as G;

/// A function of numbers of each width that is computed in 64 bits and rounded once.
macro_rules! real {
    ($width:expr, |$($x:ident),+| $f:expr) => {
        match $width {
            Width::W64 => real!(@of 64, |$($x),+| $f),
            Width::W32 => real!(@of 32, |$($x),+| $f),
            _ => real!(@of 16, |$($x),+| $f),
        }
    };
    (@of $bits:literal, |$($x:ident),+| $f:expr) => {
        |$($x: u64),+| { $(let $x = $crate::spirv::parse::conversions::number::<$bits>($x);)+ $crate::spirv::parse::conversions::bits::<$bits>($f) }
    };
}

/// The same of a function that is undefined for some operands: a premise that fails, by its number, says that they are
/// such.
macro_rules! within {
    ($width:expr, |$($x:ident),+| $outside:expr, $f:expr) => {
        match $width {
            Width::W64 => within!(@of 64, |$($x),+| $outside, $f),
            Width::W32 => within!(@of 32, |$($x),+| $outside, $f),
            _ => within!(@of 16, |$($x),+| $outside, $f),
        }
    };
    (@of $bits:literal, |$($x:ident),+| $outside:expr, $f:expr) => {
        |operands: [u64; 4]| {
            let [$($x),+, ..] = operands;
            $(let $x = $crate::spirv::parse::conversions::number::<$bits>($x);)+
            ($crate::spirv::parse::conversions::bits::<$bits>($f), $outside)
        }
    };
}
pub(super) use {real, within};

/// Premises of [`Rule::Domain`] besides the first one.
pub(in crate::spirv) const FINITE: Premise = 2;
pub(in crate::spirv) const ORDER: Premise = 3;
pub(in crate::spirv) const ORIGIN: Premise = 4;

/// The premise that fails of operands for which a function is not finite.
pub(super) const fn outside(fails: bool) -> Premise {
    if fails { FINITE } else { 0 }
}

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
/// the function has a value  (domain)        it is finite  (finite)
/// edges are in their order  (order)         the point is not the origin  (origin)
/// ───────────────────────────────────────────────────────────────────────────────
/// its value
/// ```
///
/// WGSL has the value of IEEE 754 where one of the last three fails: an infinity or NaN, what falls from one edge to the other, or
/// any angle.
fn partial(f: PartialFn) -> Option<Entry> {
    entry(Rule::Domain, Apply::Partial(f))
}

/// What an instruction does to numbers, if it is one of these functions.
pub(super) fn function(instruction: G, width: Width) -> Option<Entry> {
    let elementary = || match width {
        Width::W64 => None,
        _ => circular(instruction, width).or_else(|| exponential(instruction, width)),
    };
    common(instruction, width).or_else(elementary)
}

/// Functions that there are for all widths.
fn common(instruction: G, width: Width) -> Option<Entry> {
    match instruction {
        // The direction of ties is left open.
        G::Round => unary(real!(width, |a| a.round_ties_even())),
        G::Fract => unary(real!(width, |a| a - a.floor())),
        G::FSign => unary(real!(width, |a| match a {
            a if a > 0.0 => 1.0,
            a if a < 0.0 => -1.0,
            a => a,
        })),
        G::InverseSqrt => partial(within!(width, |a| outside(a <= 0.0), 1.0 / a.sqrt())),
        G::Step => binary(real!(width, |edge, x| if x < edge { 0.0 } else { 1.0 })),
        G::FMix => ternary(within!(width, |x, y, a| 0, x * (1.0 - a) + y * a)),
        G::SmoothStep => partial(within!(
            width,
            |low, high, x| edges(low, high),
            smooth((x - low) / (high - low))
        )),
        _ => None,
    }
}

/// The premise that fails of two edges.
fn edges(low: f64, high: f64) -> Premise {
    match low >= high {
        true if low > high => ORDER,
        fails => u8::from(fails),
    }
}

fn smooth(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// The premise that fails of a point.
fn origin(y: f64, x: f64) -> Premise {
    if y == 0.0 && x == 0.0 { ORIGIN } else { 0 }
}

/// Trigonometry, of up to 32 bits.
fn circular(instruction: G, width: Width) -> Option<Entry> {
    match instruction {
        G::Degrees => unary(real!(width, |a| a.to_degrees())),
        G::Radians => unary(real!(width, |a| a.to_radians())),
        G::Sin => unary(real!(width, |a| a.sin())),
        G::Cos => unary(real!(width, |a| a.cos())),
        G::Tan => unary(real!(width, |a| a.tan())),
        G::Asin => partial(within!(width, |a| outside(a.abs() > 1.0), a.asin())),
        G::Acos => partial(within!(width, |a| outside(a.abs() > 1.0), a.acos())),
        G::Atan => unary(real!(width, |a| a.atan())),
        G::Atan2 => partial(within!(width, |y, x| origin(y, x), y.atan2(x))),
        _ => None,
    }
}

/// Has `x` to the power of `y` no value that is finite? Both may be 0.
fn is_outside(x: f64, y: f64) -> bool {
    x < 0.0 || x == 0.0 && y <= 0.0
}

/// As `exp2(y * log2(x))`, by which the specifications define it.
fn power(x: f64, y: f64) -> f64 {
    let undefined = x < 0.0 || x == 0.0 && y == 0.0;
    if undefined { f64::NAN } else { x.powf(y) }
}

/// Exponential functions, of up to 32 bits.
fn exponential(instruction: G, width: Width) -> Option<Entry> {
    match instruction {
        G::Exp => unary(real!(width, |a| a.exp())),
        G::Exp2 => unary(real!(width, |a| a.exp2())),
        G::Log => partial(within!(width, |a| outside(a <= 0.0), a.ln())),
        G::Log2 => partial(within!(width, |a| outside(a <= 0.0), a.log2())),
        G::Pow => partial(within!(width, |x, y| outside(is_outside(x, y)), power(x, y))),
        G::Sinh => unary(real!(width, |a| a.sinh())),
        G::Cosh => unary(real!(width, |a| a.cosh())),
        G::Tanh => unary(real!(width, |a| a.tanh())),
        G::Asinh => unary(real!(width, |a| a.asinh())),
        G::Acosh => partial(within!(width, |a| outside(a < 1.0), a.acosh())),
        G::Atanh => partial(within!(width, |a| outside(a.abs() >= 1.0), a.atanh())),
        _ => None,
    }
}
