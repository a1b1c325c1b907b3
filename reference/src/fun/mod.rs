//! Room of fun.

pub mod syntax;
