//! MiniAS: C with address spaces in rows, which are inferred (seed 000).
//!
//! [`parse`] reads the text as [`syntax`], with every name resolved; [`infer`] finds their [`types`] over [`rows`] in one of four
//! modes; [`evidence`] says what calls pass for predicates, and [`translate`] makes programs of a [`target`] of it by two
//! readings; [`eval`] runs a [`launch`] of either by big steps over groups and items. [`rules`] has the roll. [`sycl`]
//! is the front for C++.

mod cursor;
pub mod eval;
pub mod evidence;
pub mod infer;
pub mod launch;
mod lex;
pub mod parse;
pub mod print;
pub mod rows;
pub mod rules;
pub mod sycl;
pub mod syntax;
pub mod target;
pub mod translate;
pub mod types;
mod values;

#[cfg(test)]
mod tests;
