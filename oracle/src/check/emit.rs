//! What is emitted is good WGSL: naga accepts every shader, and what it makes of it is a module.

use super::spirv::whose;
use super::verdict::{Finding, Part};
use crate::engine::EngineId;
use crate::engines::SpirvEngine;
use compiler::emit::wgsl::Shader;

/// Hands every form of every shader to naga, and what that makes to the reader of SPIR-V.
///
/// # Errors
/// What is wrong with one.
pub fn check(shaders: &[Shader], engine: &mut SpirvEngine) -> Result<(), Box<Finding>> {
    engine.makes(shaders).map_err(|(fault, broken)| {
        Box::new(Finding {
            stage: whose(fault.maker),
            engine: EngineId::Spirv,
            kind: (&broken).into(),
            part: Part::Whole,
            site: None,
            text: fault.text,
        })
    })
}
