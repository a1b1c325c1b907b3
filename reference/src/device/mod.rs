//! The device language, to which every language compiles: our IR, with a semantics of its own.
//!
//! A program is a host program over kernels. [`syntax`] declares it, [`host`] is the judgement
//! of the host over a machine, [`record`] the words in which kernels tell of failed checks,
//! [`levels`] what a parallel loop captures.

pub mod arena;
pub mod eval;
pub mod host;
pub mod levels;
pub mod parse;
pub mod print;
pub mod record;
pub mod rules;
pub mod scalar;
mod surface;
pub mod syntax;
pub mod types;
pub mod validate;
pub mod visit;

lalrpop_util::lalrpop_mod!(
    #[allow(clippy::all, clippy::pedantic, missing_docs, unreachable_pub, unused)]
    grammar,
    "/device/grammar.rs"
);
