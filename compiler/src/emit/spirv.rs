//! WGSL through naga: validation, and the SPIR-V that a driver is handed.

use naga::back::spv::{
    self, BindingInfo, DebugInfo, PipelineOptions, SourceLanguage, WriterFlags,
    ZeroInitializeWorkgroupMemoryMode,
};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

/// Why naga rejected a shader, as it says itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Rejection(pub String);

/// The capabilities that emitted shaders may use.
fn capabilities() -> Capabilities {
    Capabilities::SHADER_INT64
}

/// Parses and validates.
///
/// # Errors
/// What naga says against it.
pub fn validate(wgsl: &str) -> Result<(naga::Module, ModuleInfo), Rejection> {
    let module = naga::front::wgsl::parse_str(wgsl)
        .map_err(|error| Rejection(error.emit_to_string(wgsl)))?;
    let info = Validator::new(ValidationFlags::all(), capabilities())
        .validate(&module)
        .map_err(|error| Rejection(error.emit_to_string(wgsl)))?;
    Ok((module, info))
}

/// The words of the module that wgpu hands to a driver of Vulkan 1.3 for this WGSL, all of its
/// entry points in it: what wgpu-hal 30 asks of naga for a shader that is not trusted, on a driver
/// with `robustBufferAccess2` and zeroed work-group memory. There naga leaves accesses of buffers
/// unchecked, so that one which leaves its buffer can be seen; arrays of known length it checks.
///
/// # Errors
/// What naga says against it.
pub fn for_vulkan(wgsl: &str) -> Result<Vec<u32>, Rejection> {
    written(wgsl, false)
}

/// The same module with the names and lines of the WGSL in it.
///
/// # Errors
/// What naga says against it.
pub fn with_lines(wgsl: &str) -> Result<Vec<u32>, Rejection> {
    written(wgsl, true)
}

fn written(wgsl: &str, lines: bool) -> Result<Vec<u32>, Rejection> {
    let (module, info) = validate(wgsl)?;
    let bindings = module.global_variables.iter().filter_map(|(_, global)| global.binding);
    let place = |binding: naga::ResourceBinding| BindingInfo {
        descriptor_set: binding.group,
        binding: binding.binding,
        binding_array_size: None,
    };
    let debug = WriterFlags::DEBUG;
    let options = spv::Options {
        lang_version: (1, 6),
        flags: WriterFlags::LABEL_VARYINGS | if lines { debug } else { WriterFlags::empty() },
        fake_missing_bindings: false,
        binding_map: bindings.map(|binding| (binding, place(binding))).collect(),
        bounds_check_policies: BoundsCheckPolicies {
            index: BoundsCheckPolicy::Restrict,
            buffer: BoundsCheckPolicy::Unchecked,
            image_load: BoundsCheckPolicy::Unchecked,
            binding_array: BoundsCheckPolicy::Unchecked,
        },
        zero_initialize_workgroup_memory: ZeroInitializeWorkgroupMemoryMode::Native,
        debug_info: lines.then_some(DebugInfo {
            source_code: wgsl,
            file_name: "kernel.wgsl",
            language: SourceLanguage::WGSL,
        }),
        ..spv::Options::default()
    };
    // wgpu asks for one entry point, so that what others use is left out.
    let entry = match module.entry_points.as_slice() {
        [only] => {
            Some(PipelineOptions { shader_stage: only.stage, entry_point: only.name.clone() })
        }
        _ => None,
    };
    spv::write_vec(&module, &info, &options, entry.as_ref())
        .map_err(|error| Rejection(error.to_string()))
}
