//! Shaders that others wrote, with bind groups of their own.

use serde::{Deserialize, Serialize};

/// A compute shader and what it is launched with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// Its text.
    pub wgsl: String,
    /// Its entry point.
    pub entry: String,
    /// Constants of the pipeline, by name or number.
    pub constants: Vec<(String, f64)>,
    /// The buffers that the entry point uses.
    pub buffers: Vec<BoundBuffer>,
    /// Work groups of each dispatch; all go over the same buffers, one after the other.
    pub dispatches: Vec<[u32; 3]>,
}

/// A buffer at its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoundBuffer {
    /// Its `@group`.
    pub group: u32,
    /// Its `@binding`.
    pub binding: u32,
    /// How it is bound.
    pub access: Access,
    /// What it holds before the first dispatch.
    pub words: Vec<u32>,
}

/// How a buffer is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Access {
    /// As a uniform buffer.
    #[serde(rename = "uniform")]
    Uniform,
    /// As a storage buffer that is only read.
    #[serde(rename = "read-only-storage")]
    Read,
    /// As a storage buffer.
    #[serde(rename = "storage")]
    Write,
}

/// Words of which the size of a uniform buffer is a multiple.
const ROW: usize = 4;

impl BoundBuffer {
    /// Words that the buffer takes on a device.
    pub fn room(&self) -> usize {
        match self.access {
            Access::Uniform => self.words.len().next_multiple_of(ROW),
            Access::Read | Access::Write => self.words.len(),
        }
    }
}
