//! The differential tester: engines, generators, checks, the campaign, the shrinker.

pub mod generate;
pub mod shrink;
