//! What is emitted is good WGSL: naga accepts every shader, and what it makes of it is a module.

use super::spirv::whose;
use super::verdict::Finding;
use crate::engine::EngineId;
use crate::engines::SpirvEngine;
use compiler::emit::wgsl::Form;

/// Hands every form of every shader to naga, and what that makes to the reader of SPIR-V.
///
/// # Errors
/// What is wrong with one.
pub fn check(shaders: &[Form], engine: &mut SpirvEngine) -> Result<(), Box<Finding>> {
    engine.makes(shaders).map_err(|(fault, broken)| {
        let stage = whose(fault.maker);
        Box::new(Finding::of(stage, EngineId::Spirv, (&broken).into(), fault.text))
    })
}
