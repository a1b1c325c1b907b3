//! WGSL through naga: validation, and SPIR-V.

use naga::back::spv;
use naga::valid::{Capabilities, ValidationFlags, Validator};

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
pub fn validate(wgsl: &str) -> Result<(naga::Module, naga::valid::ModuleInfo), Rejection> {
    let module = naga::front::wgsl::parse_str(wgsl)
        .map_err(|error| Rejection(error.emit_to_string(wgsl)))?;
    let info = Validator::new(ValidationFlags::all(), capabilities())
        .validate(&module)
        .map_err(|error| Rejection(error.emit_to_string(wgsl)))?;
    Ok((module, info))
}

/// The words of the SPIR-V module.
///
/// # Errors
/// What naga says against it.
pub fn spirv(wgsl: &str) -> Result<Vec<u32>, Rejection> {
    let (module, info) = validate(wgsl)?;
    spv::write_vec(&module, &info, &spv::Options::default(), None)
        .map_err(|error| Rejection(error.to_string()))
}
