//! FUNMEM, FUN with non-semantic memory information: figs. 6 to 10 of the paper.
//!
//! The corpus tests the judgements of this room, `laws.rs` its functions, so there is no `tests.rs`.

pub mod eval;
pub mod laws;
pub mod memory;
pub mod parse;
pub mod print;
pub mod rules;
pub mod syntax;
pub mod types;
pub mod unmem;
pub mod validity;
pub(crate) mod values;
