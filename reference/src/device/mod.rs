//! The device language, to which every language compiles: our IR, with a semantics of its own.
//!
//! A program is a host program over kernels. [`syntax`] declares it, [`types`] and [`validate`]
//! say which programs are valid, [`host`] is the judgement of the host over a machine, [`eval`]
//! is the machine that defines what kernels mean. [`record`] lays out the words in which
//! compiled kernels tell of failed checks, [`arena`] places blocks, [`levels`] says what a
//! parallel loop captures.
//!
//! The floor plan differs: `eval.rs` is a folder, since bodies are translated to flat code so
//! that invocations can wait at barriers; `values.rs` is the host's; there is no `laws.rs`, for
//! no paper states laws of this language. The types of the design's sketch that nothing makes
//! use of, arrays without a length and tasks of the host, are left out: a block is the one, and
//! nothing runs side by side with a launch.

pub mod arena;
mod copy;
pub mod eval;
mod exp;
mod floats;
pub mod host;
pub mod levels;
pub mod parse;
pub mod print;
pub mod record;
pub mod rules;
pub mod scalar;
mod surface;
pub mod syntax;
#[cfg(test)]
mod tests;
pub mod types;
pub mod validate;
pub mod visit;
pub mod visit_mut;

lalrpop_util::lalrpop_mod!(
    #[allow(clippy::all, clippy::pedantic, missing_docs, unreachable_pub, unused)]
    grammar,
    "/device/grammar.rs"
);
