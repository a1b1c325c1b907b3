//! What every room shares. Nothing here knows a language.

pub(crate) mod accesses;
pub mod cause;
pub mod cost;
pub mod coverage;
pub mod decisions;
pub mod derivation;
pub mod faults;
pub mod fit;
pub mod groups;
pub mod header;
pub(crate) mod heap;
pub mod language;
pub mod lex;
pub mod memory;
pub mod names;
pub mod outcome;
pub(crate) mod row;
pub mod rules;
pub mod run;
pub mod same;
pub mod scalar;
pub mod shadow;
pub(crate) mod surface;
pub mod text;
pub mod value;
pub mod verdict;
