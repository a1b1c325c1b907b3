//! SPIR-V, the language that drivers are given: an executor that also reports undefined behaviour.
//!
//! It covers the compute subset that naga and Tint write, without images: integers of 8 to 64 bits and
//! floating-point numbers of 16 to 64 bits, vectors, matrices, arrays and structures, buffers, memory of work groups, atomics of integers, subgroups, and the functions of GLSL.std.450. [`parse`]
//! reads a module and checks the structural rules without which it has no meaning, [`validate`] the others, [`types`] lays its values out, [`eval`] runs work groups one
//! after the other, or some at once where a schedule preempts, and the invocations of a group from barrier to barrier. Every scalar carries whether it is
//! defined. A [`values::Finding`] reports what the specification leaves undefined or forbids; drivers give some
//! result there.
//!
//! There is no `print.rs`, since `spirv-dis` and `rspirv` print modules, and no `laws.rs`, for no
//! paper states laws of this language. `parse.rs` and `eval.rs` are folders.

pub mod assemble;
pub mod bindings;
pub mod decides;
pub mod disassemble;
pub mod eval;
pub mod excused;
pub mod half;
mod ids;
mod open;
pub mod parse;
pub mod rules;
pub mod syntax;
#[cfg(test)]
mod tests;
pub mod types;
pub mod validate;
pub mod values;
