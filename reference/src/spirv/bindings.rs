//! The buffers that a module binds: where, by which name, and how much memory their types take.

use super::syntax::Module;
use super::types::{Extent, Numbers};
use rspirv::spirv::Word;

/// A variable that is bound to a buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub(super) set: u32,
    pub(super) binding: u32,
    pub(super) written: bool,
    pub(super) uniform: bool,
    /// The variable, and the block that is its type.
    pub(super) ids: [Word; 2],
    pub(super) extent: Extent,
    pub(super) numbers: Numbers,
}

/// A buffer that a module binds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Its descriptor set.
    pub set: u32,
    /// Its binding.
    pub binding: u32,
    /// What the module calls it: its variable, or else the block that is its type. None that two of its buffers have.
    pub name: Option<String>,
    /// May the module write it?
    pub written: bool,
    /// Is it a uniform buffer, or of push constants?
    pub uniform: bool,
    /// Bytes that it takes at least.
    pub extent: Extent,
    /// What its numbers are.
    pub numbers: Numbers,
}

impl Module {
    /// The buffers that it binds.
    pub fn bindings(&self) -> Vec<Binding> {
        let name = |bound: &Bound| {
            // A text without names of its own has numbers.
            let is_name = |name: &&String| !name.bytes().all(|byte| byte.is_ascii_digit());
            let named = |id: &Word| self.names.get(id).filter(is_name);
            bound.ids.iter().find_map(named)
        };
        let names: Vec<_> = self.bound.iter().filter_map(name).collect();
        let only = |name: &&String| names.iter().filter(|other| *other == name).count() == 1;
        let binding = |bound: &Bound| {
            let Bound { set, binding, written, uniform, extent, numbers, .. } = *bound;
            let name = name(bound).filter(only).cloned();
            Binding { set, binding, name, written: written && !uniform, uniform, extent, numbers }
        };
        self.bound.iter().map(binding).collect()
    }
}
