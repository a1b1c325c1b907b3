//! Room of imp.

pub mod syntax;
