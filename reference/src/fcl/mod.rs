//! FCL: functions over pull and push arrays, whose levels say what runs where (seed 004).

pub mod doubles;
pub mod eval;
pub mod location;
pub mod rules;
pub mod syntax;
mod values;

/// Where the places of the prelude begin: behind the end of every program.
pub const PRELUDE: u32 = 2 * crate::kit::text::MAX_SOURCE as u32;
