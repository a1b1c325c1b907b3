//! FCL: functions over pull and push arrays, whose levels say what runs where (seed 004).

pub mod doubles;
pub mod eval;
mod lex;
pub mod location;
pub mod parse;
pub mod prelude;
pub mod print;
pub mod rules;
pub mod syntax;
pub mod types;
mod values;

/// Where the places of the prelude begin: behind the end of every program.
pub const PRELUDE: u32 = 2 * crate::kit::text::MAX_SOURCE as u32;

#[cfg(test)]
mod tests;
