//! What is emitted is good WGSL: naga accepts every shader, in its quiet form as well.

use super::stages::EMIT;
use super::verdict::{Finding, Kind, Part};
use crate::engine::EngineId;
use crate::panics::catch;
use compiler::emit::spirv;
use compiler::emit::wgsl::Shader;

/// Hands every form of every shader to naga's parser and validator.
///
/// # Errors
/// What naga says against one.
pub fn check(shaders: &[Shader]) -> Result<(), Box<Finding>> {
    for wgsl in shaders.iter().flat_map(Shader::forms) {
        let (kind, text) = match catch(|| spirv::for_vulkan(wgsl)) {
            Ok(Ok(_)) => continue,
            Ok(Err(error)) => (Kind::Rejected, format!("naga refuses a shader: {error}")),
            Err(text) => (Kind::Panic, format!("naga panics on a shader: {text}")),
        };
        let engine = EngineId::Device;
        let part = Part::Whole;
        return Err(Box::new(Finding { stage: EMIT, engine, kind, part, site: None, text }));
    }
    Ok(())
}
