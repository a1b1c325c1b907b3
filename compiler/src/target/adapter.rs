//! What an adapter can do, and what is known to be wrong with it.

use super::{Defect, Features, Limits, Shape};
use reference::device::host::Halt;
use reference::kit::outcome::Why;
use serde::{Deserialize, Serialize};

/// An adapter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adapter {
    /// A short name, unique on this machine: `lavapipe`, `swiftshader`, or made from the name of
    /// the device.
    pub id: String,
    /// The name of the device.
    pub name: String,
    /// The driver.
    pub driver: String,
    /// Its version, as it says itself.
    pub driver_info: String,
    /// `vulkan`, `metal` or `dx12`.
    pub backend: String,
    /// `cpu`, `discrete`, `integrated`, `virtual` or `other`.
    pub device_type: String,
    /// What it is limited to.
    pub limits: Limits,
    /// What it can do besides.
    pub features: Features,
    /// What is known to be wrong with it.
    pub defects: Vec<Defect>,
}

/// What a shader needs of an adapter.
#[derive(Clone, Copy, Debug)]
pub struct Needs<'s> {
    /// Bytes of work-group memory, at least.
    pub group_memory: u64,
    /// 64-bit integers.
    pub i64: bool,
    /// 64-bit floats.
    pub f64: bool,
    /// That the driver compiles these shapes rightly.
    pub shapes: &'s [Shape],
}

impl Adapter {
    /// The most invocations in a work group of one dimension.
    pub fn largest_group(&self) -> u32 {
        self.limits.invocations.min(self.limits.group_size)
    }

    /// Does it take a shader with these needs, with work groups of `group` invocations?
    ///
    /// # Errors
    /// The limit, its value, and what is asked.
    pub fn takes(&self, needs: Needs<'_>, group: u32) -> Result<(), Halt> {
        let limits = &self.limits;
        let most = self.largest_group();
        let (memory, most_memory) = (needs.group_memory, limits.group_memory);
        let text = if group > most {
            format!("a work group of {group} invocations; the limit is {most}")
        } else if memory > most_memory.into() {
            format!("{memory} bytes of work-group memory; the limit is {most_memory}")
        } else if needs.i64 && !self.features.i64 {
            "64-bit integers, which the adapter does not have".to_owned()
        } else if needs.f64 && !self.features.f64 {
            "64-bit floats, which the adapter does not have".to_owned()
        } else if let Some(defect) = self.defects.iter().find(|defect| defect.spoils(needs.shapes))
        {
            defect.known()
        } else {
            return Ok(());
        };
        Err(Halt::Unknown(Why::NoAdapter(text)))
    }

    /// Words that an arena may have.
    pub fn words(&self) -> u64 {
        // Addresses of elements are computed in u32, offsets in i32.
        (self.limits.binding_size.min(self.limits.buffer_size) / 4).min(i32::MAX as u64)
    }

    /// Why a block of so many words has no place in an arena of which so many are taken.
    pub fn no_room(&self, name: &str, words: u64, taken: u64) -> String {
        format!(
            "a storage binding has {} bytes at most; `{name}` of {} bytes does not fit beside {} \
             bytes",
            self.words() * 4,
            words.saturating_mul(4),
            taken * 4
        )
    }
}
