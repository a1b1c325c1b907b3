//! Running on real devices, through wgpu. A build without the feature `wgpu` sees no device.

pub mod bound;
pub mod forms;
#[cfg(feature = "wgpu")]
mod gpu;
#[cfg(not(feature = "wgpu"))]
#[path = "no_gpu.rs"]
mod gpu;
pub mod launcher;
mod options;
mod passes;
mod timed;

pub use gpu::{Gpu, adapters};
pub use options::Options;
pub use passes::{Pass, Passes};
pub use timed::Moves;

/// Was this built with wgpu?
pub const HAS_WGPU: bool = cfg!(feature = "wgpu");
