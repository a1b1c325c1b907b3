//! The differential tester: engines, generators, checks, the campaign, the shrinker, and the
//! command line over them.

pub mod bench;
pub mod campaign;
pub mod check;
#[cfg(feature = "cli")]
pub mod cli;
pub mod corpus;
pub mod engine;
pub mod engines;
pub mod faults;
pub mod gate;
pub mod generate;
pub mod judge;
pub mod language;
pub mod mutate;
pub mod optimize;
pub mod panics;
pub mod pricing;
pub mod profiles;
pub mod rolls;
pub mod shrink;
pub mod stages;

/// The version, as findings name it.
pub const VERSION: &str = concat!("lockstep ", env!("CARGO_PKG_VERSION"));

/// Bytes of stack of every thread that runs or compiles programs: what a program of the deepest
/// nesting takes, many times over.
pub const STACK: usize = 256 << 20;
