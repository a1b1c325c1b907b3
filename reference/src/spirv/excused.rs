//! What is invalid and taken all the same: known faults of compilers that write modules. Drivers take these
//! modules too, so nothing that a run does is lost by it.
//!
//! A module names its compiler in its header, as the generator. So a module of another one, or one that is
//! written by hand, is refused for the same.

use super::rules::Rule;
use rspirv::spirv::Word;

/// A fault of a compiler that makes its modules invalid.
#[derive(Debug, PartialEq, Eq)]
pub struct Excused {
    /// The third word of the modules of that compiler.
    pub generator: Word,
    /// The rule that its modules break.
    pub rule: Rule,
    /// The premise of it that fails.
    pub premise: &'static str,
    /// What it does.
    pub about: &'static str,
}

/// All of them. The first is of naga 30: <https://github.com/gfx-rs/wgpu/issues/7696>.
pub static EXCUSED: [Excused; 1] = [Excused {
    generator: 28,
    rule: Rule::Interface,
    premise: "laid out",
    about: "arrays and structures of work-group variables have `ArrayStride` and `Offset`",
}];

/// Is a fault known by which modules of this generator break the rule?
pub(super) fn is_excused(generator: Word, rule: Rule, premise: &'static str) -> bool {
    EXCUSED.iter().any(|it| (it.generator, it.rule, it.premise) == (generator, rule, premise))
}
