//! Shaders that were written by hand, beside which programs are timed.

/// One launch of such a shader.
#[derive(Clone, Debug)]
pub struct Pass<'a> {
    /// Its text, whose entry point is `main`.
    pub wgsl: &'a str,
    /// The buffers at its bindings of group 0, from 0 on, by number. It uses all of them.
    pub buffers: Vec<usize>,
    /// Work groups in the two dimensions of the grid.
    pub groups: [u32; 2],
}

/// Launches one after the other, over buffers of their own. A launch may be repeated: it overwrites none of what it reads.
#[derive(Clone, Debug)]
pub struct Passes<'a> {
    /// What the buffers hold at first. None is empty.
    pub buffers: Vec<Vec<u32>>,
    /// The launches.
    pub passes: Vec<Pass<'a>>,
    /// The buffer that holds the result.
    pub result: usize,
}
