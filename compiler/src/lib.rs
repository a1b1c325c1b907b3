//! From the languages of the reference through the device language to WGSL, run by wgpu.
//!
//! Nothing here calls an evaluator: what went wrong on a device is decoded from what the device
//! wrote and from nothing else.

pub mod emit;
pub mod lower;
pub mod pass;
pub mod pipeline;
mod radix;
pub mod recent;
pub mod rewrite;
pub mod route;
pub mod run;
pub mod target;
