//! What is wrong with a shader, in words, and who made it so.

use super::modules::Refusal;
use reference::kit::outcome::Broken;
use reference::spirv::rules::Rule;
use reference::spirv::values::{Finding, Place};
use std::fmt::Write;

/// Who made what is wrong with a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    /// Our compiler: WGSL leaves this to the program.
    Compiler,
    /// naga: whatever the WGSL says, the SPIR-V of it must not do this.
    Naga,
}

/// What is wrong with a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Who made it.
    pub maker: Maker,
    /// What it is: the rule, the instruction, the WGSL that it came from.
    pub text: String,
}

impl Fault {
    /// A premise failed in the shader of a kernel.
    pub(super) fn of(finding: &Finding, kernel: &str, quiet: bool, wgsl: &str) -> Self {
        let form = if quiet { "the quiet form of " } else { "" };
        let mut text = format!("{finding}; in {form}kernel `{kernel}`");
        let clash = finding.clash.as_ref().and_then(|clash| clash.other_place.as_ref());
        let mut said = Vec::new();
        for place in finding.origin.iter().chain([&finding.place]).chain(clash) {
            let Some((line, code)) = source(place, wgsl) else { continue };
            if !said.contains(&line) {
                said.push(line);
                let _ = write!(text, "; line {line} of its WGSL is `{code}`");
            }
        }
        Self { maker: maker(finding), text }
    }

    /// A shader has no module, and how the engine broke by that; what is not modelled is no fault.
    ///
    /// # Errors
    /// What is not modelled.
    pub(super) fn refused(
        refusal: Refusal,
        kernel: &str,
        quiet: bool,
        wgsl: &str,
    ) -> Result<(Self, Broken), String> {
        let (fault, broken): (_, fn(String) -> Broken) = match refusal {
            Refusal::NotModelled(text) => return Err(text),
            Refusal::Refused(text) => {
                let text = format!("naga refuses a shader: {text}");
                (Self { maker: Maker::Compiler, text }, Broken::Invalid)
            }
            Refusal::Panicked(text) => {
                let text = format!("naga panics on a shader: {text}");
                (Self { maker: Maker::Naga, text }, Broken::Panic)
            }
            Refusal::Invalid(finding) => (Self::of(&finding, kernel, quiet, wgsl), Broken::Invalid),
        };
        let broken = broken(fault.text.clone());
        Ok((fault, broken))
    }
}

/// The line of the WGSL that an instruction came from.
fn source<'w>(place: &Place, wgsl: &'w str) -> Option<(u32, &'w str)> {
    let line = place.line?;
    Some((line, wgsl.lines().nth(line.checked_sub(1)? as usize)?.trim()))
}

/// WGSL has no undefined values, and an index of an array of known length is never beyond it. What
/// invocations do to each other, and where in a buffer they go, is the program's affair.
fn maker(finding: &Finding) -> Maker {
    match (finding.rule, finding.premise) {
        (Rule::Race | Rule::Barrier | Rule::Loop, _)
        | (Rule::Load | Rule::Store | Rule::Atomic, "inside")
        | (Rule::AccessChain, "length") => Maker::Compiler,
        _ => Maker::Naga,
    }
}
