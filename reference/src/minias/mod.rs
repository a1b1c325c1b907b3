//! MiniAS: C with address spaces in rows, which are inferred (seed 000).
//!
//! [`parse`] reads the text as [`syntax`], with every name resolved; [`types`] infers types over [`rows`] in one of four
//! modes. [`rules`] has the roll.

mod infer;
mod lex;
pub mod parse;
pub mod print;
pub mod rows;
pub mod rules;
pub mod syntax;
pub mod types;

#[cfg(test)]
mod tests;
