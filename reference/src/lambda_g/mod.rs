//! λG: functions over values in regions, on a host and on its device (seed 003).
//!
//! [`parse`] reads fig. 13 in the concrete form of readings L49 to L51, with every name bound; [`types`] is the region
//! type system of appendix A.
//!
//! The room is behind the feature `lambda_g` until it is whole.

mod lex;
pub mod parse;
pub mod print;
pub mod rules;
pub mod syntax;
pub mod types;

#[cfg(test)]
mod tests;
