//! Running on real devices, through wgpu.

pub mod adapters;
mod connection;
pub mod gpu;

pub use adapters::{Adapter, Defect, adapters};
pub use gpu::{Gpu, Options};
