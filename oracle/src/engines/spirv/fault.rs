//! What is wrong with a shader, in words, and which compiler made it so.

use super::modules::Refusal;
use compiler::pass::poison_checks::Detail;
use reference::kit::outcome::Broken;
use reference::spirv::rules::Rule;
use reference::spirv::values::{Finding, Place};
use std::fmt::Write;

/// The compiler that made what is wrong with a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    /// Our compiler: WGSL leaves this to the program.
    Compiler,
    /// naga: whatever the WGSL says, the SPIR-V of it must not do this.
    Naga,
    /// Tint, likewise.
    Tint,
}

impl Maker {
    /// What reports call it.
    pub fn name(self) -> &'static str {
        match self {
            Maker::Compiler => "our compiler",
            Maker::Naga => "naga",
            Maker::Tint => "Tint",
        }
    }
}

/// What shows that a shader is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The compiler of WGSL refuses it, and says why.
    Refused(String),
    /// The compiler of WGSL panics, and says this.
    Panicked(String),
    /// A premise fails: of structure, or in a run.
    Premise(Box<Finding>),
}

/// What is wrong with a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The compiler that made it.
    pub maker: Maker,
    /// What it is: the rule, the instruction, the WGSL that it came from.
    pub text: String,
    /// What shows it.
    pub evidence: Evidence,
    /// The shader.
    pub wgsl: String,
}

/// A form of a kernel.
#[derive(Clone, Copy)]
pub(super) struct Form<'f> {
    /// The kernel; none is the shader that copies for the host.
    pub(super) kernel: Option<&'f str>,
    /// Which form it is of the kernel.
    pub(super) detail: Detail,
    pub(super) wgsl: &'f str,
    /// What made a module of it, which is blamed for what no WGSL asks for.
    pub(super) maker: Maker,
}

impl Fault {
    /// A premise failed in a form of a kernel.
    pub(super) fn of(finding: Finding, form: Form<'_>) -> Self {
        let Form { kernel, detail, wgsl, maker } = form;
        let which = match detail {
            Detail::Flag => "the fast form of ",
            Detail::Site => "",
        };
        let mut text = match kernel {
            Some(kernel) => format!("{finding}; in {which}kernel `{kernel}`"),
            None => format!("{finding}; in the shader that copies"),
        };
        let clash = finding.clash.as_ref().and_then(|clash| clash.other_place.as_ref());
        let mut said = Vec::new();
        for place in finding.origin.iter().chain([&finding.place]).chain(clash) {
            let Some((line, code)) = source(place, wgsl) else { continue };
            if !said.contains(&line) {
                said.push(line);
                let _ = write!(text, "; line {line} of its WGSL is `{code}`");
            }
        }
        let maker = whose(&finding, maker);
        let evidence = Evidence::Premise(Box::new(finding));
        Self { maker, text, evidence, wgsl: wgsl.to_owned() }
    }

    /// Of a premise that failed: the instruction that made a value undefined and what failed there, or
    /// else the one that must not be done, and why not.
    pub fn undefined(&self) -> Option<(String, Option<&'static str>)> {
        let Evidence::Premise(finding) = &self.evidence else { return None };
        Some(match &finding.origin {
            Some(origin) => (origin.opcode.clone(), finding.failed),
            None => (finding.place.opcode.clone(), Some(finding.premise)),
        })
    }

    /// A form has no module, and how the engine broke by that; what is not modelled is no fault.
    /// `by` is what makes modules.
    ///
    /// # Errors
    /// What is not modelled.
    pub(super) fn refused(
        refusal: Refusal,
        form: Form<'_>,
        by: &str,
    ) -> Result<(Self, Broken), String> {
        let wgsl = form.wgsl.to_owned();
        let (fault, broken): (_, fn(String) -> Broken) = match refusal {
            Refusal::NotModelled(text) | Refusal::Absent(text) => return Err(text),
            Refusal::Refused(said) => {
                let text = format!("{by} refuses a shader: {said}");
                let evidence = Evidence::Refused(said);
                (Self { maker: Maker::Compiler, text, evidence, wgsl }, Broken::Invalid)
            }
            Refusal::Panicked(said) => {
                let text = format!("{by} panics on a shader: {said}");
                let evidence = Evidence::Panicked(said);
                (Self { maker: form.maker, text, evidence, wgsl }, Broken::Panic)
            }
            Refusal::Invalid(finding) => (Self::of(*finding, form), Broken::Invalid),
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
fn whose(finding: &Finding, maker: Maker) -> Maker {
    match (finding.rule, finding.premise) {
        (Rule::Race | Rule::Barrier | Rule::Loop, _)
        | (Rule::Load | Rule::Store | Rule::Atomic, "inside")
        | (Rule::AccessChain, "length") => Maker::Compiler,
        _ => maker,
    }
}
