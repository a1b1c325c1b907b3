//! Axes: terms over named axes and their laws, what rewriting works on.
//!
//! A term has no semantics of its own: it means the FUN program that it [prints to](meaning). So
//! this folder is no room. [`syntax`] has the terms, [`index`] the canonical form of indices,
//! [`types`] what is a term, [`total`] what may get stuck, [`laws`] the laws and how one is
//! applied at a position. Nothing here searches.

pub mod index;
pub mod laws;
pub mod meaning;
pub mod parse;
pub mod print;
pub mod syntax;
pub mod total;
pub mod types;

pub use laws::apply;

#[cfg(test)]
mod tests;
