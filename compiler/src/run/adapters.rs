//! The adapters at hand, what they can do, and what is known to be wrong with them.

use crate::emit::wgsl::Form;
use reference::device::host::Halt;
use reference::kit::outcome::Why;
use serde::{Deserialize, Serialize};

/// Limits of an adapter that decide whether a program runs on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Storage buffers that one stage may bind.
    pub storage_buffers: u32,
    /// Bytes of one storage binding.
    pub binding_size: u64,
    /// Bytes of one buffer.
    pub buffer_size: u64,
    /// Invocations of one work group.
    pub invocations: u32,
    /// Invocations of one work group in its first dimension.
    pub group_size: u32,
    /// Bytes of work-group memory.
    pub group_memory: u32,
    /// Work groups in one dimension of a grid; a longer grid is folded.
    pub groups: u32,
}

/// Types that only some adapters have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Features {
    /// 64-bit integers.
    pub i64: bool,
    /// 64-bit floats.
    pub f64: bool,
    /// 16-bit floats.
    pub f16: bool,
    /// Subgroup operations.
    pub subgroups: bool,
}

/// A known defect of a driver that no emitted code can avoid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Defect {
    /// What is wrong, in one line.
    pub text: String,
    /// The loop rounds of one invocation, counted over all its loops, from which on results are
    /// wrong.
    pub rounds: Option<u64>,
}

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

impl Adapter {
    /// Does it take the form of a kernel, with work groups of `group` invocations?
    ///
    /// # Errors
    /// The limit, its value, and what is asked.
    pub fn takes(&self, form: &Form, group: u32) -> Result<(), Halt> {
        let limits = &self.limits;
        let most = limits.invocations.min(limits.group_size);
        let (memory, most_memory) = (form.group_memory, limits.group_memory);
        let text = if group > most {
            format!("a work group of {group} invocations; the limit is {most}")
        } else if memory > most_memory.into() {
            format!("{memory} bytes of work-group memory; the limit is {most_memory}")
        } else if form.i64 && !self.features.i64 {
            "64-bit integers, which the adapter does not have".to_owned()
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

/// The adapters of this machine, in the order of the system; none without a driver.
pub fn adapters() -> Vec<Adapter> {
    open_all().into_iter().map(|(described, _)| described).collect()
}

/// The adapters with their handles.
pub(super) fn open_all() -> Vec<(Adapter, wgpu::Adapter)> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::PRIMARY,
        // No validation layer: it belongs to the developers of wgpu, and costs.
        flags: wgpu::InstanceFlags::empty(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let found = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
    let mut open: Vec<(Adapter, wgpu::Adapter)> = Vec::new();
    for handle in found {
        // A device without compute shaders is of no use here.
        let able = handle.get_downlevel_capabilities().flags;
        if !able.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS) {
            continue;
        }
        let mut described = describe(&handle);
        let alike = open.iter().filter(|(other, _)| stem(&other.id) == described.id).count();
        if alike > 0 {
            described.id = format!("{}:{}", described.id, alike + 1);
        }
        open.push((described, handle));
    }
    open
}

fn stem(id: &str) -> &str {
    id.split(':').next().unwrap_or(id)
}

fn describe(handle: &wgpu::Adapter) -> Adapter {
    let info = handle.get_info();
    let limits = handle.limits();
    let features = handle.features();
    let defects = defects(&info.driver, &info.driver_info);
    Adapter {
        id: short_name(&info.name, &info.driver),
        name: info.name,
        driver: info.driver,
        driver_info: info.driver_info,
        backend: info.backend.to_str().to_owned(),
        device_type: match info.device_type {
            wgpu::DeviceType::Cpu => "cpu",
            wgpu::DeviceType::DiscreteGpu => "discrete",
            wgpu::DeviceType::IntegratedGpu => "integrated",
            wgpu::DeviceType::VirtualGpu => "virtual",
            wgpu::DeviceType::Other => "other",
        }
        .to_owned(),
        limits: Limits {
            storage_buffers: limits.max_storage_buffers_per_shader_stage,
            binding_size: limits.max_storage_buffer_binding_size,
            buffer_size: limits.max_buffer_size,
            invocations: limits.max_compute_invocations_per_workgroup,
            group_size: limits.max_compute_workgroup_size_x,
            group_memory: limits.max_compute_workgroup_storage_size,
            groups: limits.max_compute_workgroups_per_dimension,
        },
        features: Features {
            i64: features.contains(wgpu::Features::SHADER_INT64),
            f64: features.contains(wgpu::Features::SHADER_F64),
            f16: features.contains(wgpu::Features::SHADER_F16),
            subgroups: features.contains(wgpu::Features::SUBGROUP),
        },
        defects,
    }
}

/// `lavapipe`, `swiftshader`, or the words of the device's name.
fn short_name(name: &str, driver: &str) -> String {
    if driver.contains("llvmpipe") || name.contains("llvmpipe") {
        return "lavapipe".to_owned();
    }
    if name.contains("SwiftShader") {
        return "swiftshader".to_owned();
    }
    let words: Vec<String> = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    if words.is_empty() { "adapter".to_owned() } else { words.join("-") }
}

/// What is known to be wrong with a driver of this version.
fn defects(driver: &str, driver_info: &str) -> Vec<Defect> {
    let mut known = Vec::new();
    // Seen on 22.3.6; gone on 25.0.7. No release between was looked at, so every one before
    // that is held to have it.
    if driver.contains("llvmpipe") && mesa_version(driver_info).is_none_or(|v| v < (25, 0)) {
        known.push(Defect {
            text: "all loops of one invocation stop after 65,535 rounds together, silently"
                .to_owned(),
            rounds: Some(65_535),
        });
    }
    known
}

/// The version in `Mesa 22.3.6 (LLVM 15.0.6)`.
fn mesa_version(driver_info: &str) -> Option<(u32, u32)> {
    let version = driver_info.split("Mesa ").nth(1)?.split(' ').next()?;
    let mut parts = version.split('.').map(|part| part.parse().ok());
    Some((parts.next()??, parts.next()??))
}

#[cfg(test)]
mod tests {
    use super::{defects, mesa_version, short_name};

    #[test]
    fn the_driver_version_decides_on_the_loop_defect() {
        assert_eq!(mesa_version("Mesa 22.3.6 (LLVM 15.0.6)"), Some((22, 3)));
        assert_eq!(defects("llvmpipe", "Mesa 22.3.6 (LLVM 15.0.6)")[0].rounds, Some(65_535));
        assert!(defects("llvmpipe", "Mesa 25.0.7-2 (LLVM 19.1.7)").is_empty());
        assert!(defects("SwiftShader driver", "").is_empty());
    }

    #[test]
    fn devices_have_short_names() {
        assert_eq!(short_name("llvmpipe (LLVM 15.0.6, 256 bits)", "llvmpipe"), "lavapipe");
        assert_eq!(
            short_name("SwiftShader Device (LLVM 16.0.0)", "SwiftShader driver"),
            "swiftshader"
        );
        assert_eq!(short_name("NVIDIA H200", "NVIDIA"), "nvidia-h200");
    }
}
