//! Running on real devices, through wgpu. A build without the feature `wgpu` sees no device.

#[cfg(feature = "wgpu")]
mod gpu;
#[cfg(not(feature = "wgpu"))]
#[path = "no_gpu.rs"]
mod gpu;
mod options;

pub use gpu::{Gpu, adapters};
pub use options::Options;

/// Was this built with wgpu?
pub const HAS_WGPU: bool = cfg!(feature = "wgpu");
