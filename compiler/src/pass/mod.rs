//! Passes on the device language, one file a pass, each with what must hold before and after.

pub(crate) mod bind_once;
pub mod bound_loops;
pub mod expose_checks;
pub(crate) mod fold;
pub mod inline_calls;
pub mod map_levels;
pub mod poison_checks;
pub(crate) mod quiet;
pub mod simplify;
pub(crate) mod types;
pub(crate) mod walk;
