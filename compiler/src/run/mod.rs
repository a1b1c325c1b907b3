//! Running on real devices, through wgpu.

pub mod adapters;

pub use adapters::{Adapter, adapters};
