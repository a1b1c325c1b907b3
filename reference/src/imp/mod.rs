//! IMP (figs. 11 to 13): a simple imperative language with a parallel loop. The project adds
//! `check`, a sequential `for`, and small steps.
//!
//! The corpus tests the judgements of this room, `laws.rs` its runs, so there is no `tests.rs`.

pub mod eval;
pub mod laws;
mod observe;
pub mod order;
pub mod parse;
pub mod print;
pub mod rules;
mod simple;
pub mod step;
mod surface;
pub mod syntax;
pub mod types;
pub mod values;

lalrpop_util::lalrpop_mod!(
    #[allow(clippy::all, clippy::pedantic, missing_docs, unreachable_pub, unused)]
    grammar,
    "/imp/grammar.rs"
);
