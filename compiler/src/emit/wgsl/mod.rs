//! Kernels in WGSL, one module for each kernel.
//!
//! ```text
//! binding 0   the arena: words of 32 bits. A block of elements is a range of it, known by its base
//!             (the word where it starts) and its length (in elements)
//! binding 1   the launch: number of invocations, number of work groups, words of the arguments
//! binding 2   the failure record of a kernel that keeps one, as the array `records`
//! binding 3   the region of blocks of atomics, likewise
//! ```
//!
//! The *failure record* is what a kernel writes when a check fails. In a full form it is laid out by
//! [`record`](reference::device::record), with the site. In a fast form it is one word, the *flag*, which a failed
//! check sets to 1.
//!
//! A failed check of a fast form ends its invocation. In a function it sets the private variable `failed` too and returns a zero.
//! Behind each call of a function that may fail its caller tests that variable and returns likewise.
//!
//! [`module`] puts a module together from its parts: declarations, functions, entry point. What the
//! kernel needs of its surroundings is found first ([`uses`]). Then a [`Writer`](text::Writer) goes over
//! the statements ([`stmt`]), their expressions ([`expr`], [`literal`]) and places ([`place`]). Bools in
//! work-group memory are kept as u32 ([`shared_bools`]).
//!
//! Every expression becomes a `String`. One that is long, or that WGSL would evaluate at compile time,
//! is bound to a temporary in a line of its own, before the line that uses it.
//!
//! A constant expression of WGSL must not overflow, divide by zero or shift too far. So where all operands
//! of an operator are constants, one of them goes through a `var`, and the operator is evaluated at run
//! time, where all of that is defined.
//!
//! A [`Style`] asks for another text of the same kernel, to test compilers of WGSL with: [`styled`].

mod expr;
mod literal;
mod module;
mod place;
mod shapes;
mod shared_bools;
mod stmt;
mod styled;
#[cfg(test)]
mod tests;
mod text;
mod uses;

use super::style::Style;
use super::workarounds::Workarounds;
use reference::kit::faults::Planted;
use serde::{Deserialize, Serialize};

pub use module::{Form, shaders};
pub(crate) use module::{Grid, module};
use text::{Writer, scalar};

/// How kernels are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Writing {
    /// Which bugs of the toolchain are worked around.
    pub workarounds: Workarounds,
    /// Which constructs replace the plain ones.
    pub style: Style,
    /// The fault that is planted, if any. No other process is told of it.
    #[serde(skip)]
    pub planted: Planted,
}
