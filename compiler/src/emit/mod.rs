//! From kernels of the device language to shaders.

pub mod bundle;
pub mod copy;
pub mod foreign;
pub mod spirv;
pub mod style;
pub mod wgsl;
pub mod workarounds;
