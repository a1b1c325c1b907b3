//! The adapters at hand, as wgpu describes them.

use crate::target::{Adapter, Defect, Features, Limits};

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
    let defects = Defect::of(&info.name, &info.driver, &info.driver_info);
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

#[cfg(test)]
mod tests {
    use super::short_name;

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
