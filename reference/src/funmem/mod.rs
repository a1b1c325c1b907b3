//! Room of funmem.

pub mod syntax;
