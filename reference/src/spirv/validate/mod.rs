//! What a module of SPIR-V must be for Vulkan, whatever runs: the rules that concern its text alone.
//!
//! [`parse`](super::parse) checks what it needs to give a module a meaning. The rules here have none for a run, so
//! the modules of our own compiler, which are made by the thousand, are not asked for them; those that
//! others made are. Modules are read by the grammar of `rspirv` ([`listing`]) and not by `parse`, because
//! one that `parse` does not model can be invalid too. Each file holds a chapter.
//!
//! A module that is cut off or has unknown instructions is left to `parse`. An operand that is no type, constant
//! or block where one belongs is left to it as well.

mod atomics;
mod capabilities;
mod control;
mod decorations;
mod entry;
mod layout;
mod listing;
mod sections;
mod types;
mod variables;

use super::excused::is_excused;
use super::rules::Rule;
use super::values::{Finding, Place};
use crate::kit::derivation::Recorder;
use listing::Listing;
use rspirv::spirv::{StorageClass, Word};

/// A premise that an instruction breaks.
#[derive(Debug)]
struct Wrong {
    rule: Rule,
    premise: &'static str,
    /// The number of the instruction in the listing.
    at: usize,
    text: String,
}

/// What a chapter says of a module.
type Valid = Result<(), Wrong>;

/// The instruction breaks the premise.
fn wrong<T>(
    rule: Rule,
    premise: &'static str,
    at: usize,
    text: impl Into<String>,
) -> Result<T, Wrong> {
    Err(Wrong { rule, premise, at, text: text.into() })
}

/// The rules that are asked here.
const RULES: [Rule; 19] = [
    Rule::Sections,
    Rule::Capability,
    Rule::TypeOnce,
    Rule::TypeSize,
    Rule::Constant,
    Rule::Declared,
    Rule::ReadOnly,
    Rule::BuiltIn,
    Rule::EntryPoint,
    Rule::EntryType,
    Rule::EntryMode,
    Rule::LocalSize,
    Rule::Decorated,
    Rule::Resource,
    Rule::Explicit,
    Rule::RuntimeArray,
    Rule::Structured,
    Rule::AtomicMemory,
    Rule::Semantics,
];

/// Checks a module against the rules of this folder.
///
/// # Errors
/// The first premise that fails, chapter by chapter.
pub fn validate(words: &[u32], recorder: &mut Recorder<Rule>) -> Result<(), Box<Finding>> {
    let Some(listing) = Listing::read(words) else { return Ok(()) };
    for rule in RULES {
        recorder.fire(rule, 1);
    }
    let generator = words.get(2).copied().unwrap_or(0);
    for chapter in [
        sections::check,
        capabilities::check,
        types::check,
        variables::check,
        entry::check,
        decorations::check,
        layout::check,
        control::check,
        atomics::check,
    ] {
        match chapter(&listing) {
            Err(wrong) if !is_excused(generator, wrong.rule, wrong.premise) => {
                recorder.fail(wrong.rule, wrong.premise);
                return Err(Box::new(listing.finding(wrong)));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The global variables that a function and those that it calls name.
pub(in crate::spirv) fn used_by(words: &[u32], function: Word) -> Vec<(Word, StorageClass)> {
    Listing::read(words).map_or_else(Vec::new, |listing| entry::used(&listing, function))
}

impl Listing<'_> {
    fn finding(&self, Wrong { rule, premise, at, text }: Wrong) -> Finding {
        Finding {
            rule,
            premise,
            place: self.place(at),
            invocation: None,
            text,
            origin: None,
            failed: None,
            clash: None,
            element: None,
            behind: None,
        }
    }

    fn place(&self, at: usize) -> Place {
        let instruction = &self.all[at];
        let result = match (instruction.id, instruction.operands.first()) {
            (0, Some(id)) if instruction.begins_with_id() => Some(*id),
            (0, _) => None,
            (id, _) => Some(id),
        };
        Place {
            opcode: format!("Op{}", instruction.name()),
            result,
            name: result.and_then(|id: Word| self.names.get(&id).cloned()),
            line: (instruction.line > 0).then_some(instruction.line),
            function: match instruction.function {
                0 => String::new(),
                id => self.names.get(&id).cloned().unwrap_or_else(|| format!("%{id}")),
            },
        }
    }
}
