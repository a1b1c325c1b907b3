//! Passes on the device language, one file a pass, each with what must hold before and after.

pub mod bound_loops;
pub mod expose_checks;
pub mod inline_calls;
pub mod map_levels;
pub mod poison_checks;
pub(crate) mod types;
pub(crate) mod walk;
