//! MiniAS: C with address spaces in rows, which are inferred (seed 000).
//!
//! [`parse`] reads the text as [`syntax`], with every name resolved. [`rules`] has the roll.

mod lex;
pub mod parse;
pub mod print;
pub mod rules;
pub mod syntax;

#[cfg(test)]
mod tests;
