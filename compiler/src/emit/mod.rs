//! From kernels of the device language to shaders.

pub mod bundle;
pub mod copy;
pub mod enabled;
pub mod foreign;
pub mod refused;
pub mod spirv;
pub mod style;
pub mod wgsl;
pub mod workarounds;
