//! The order of the sections of a module.

use super::listing::Listing;
use super::{Valid, wrong};
use crate::spirv::rules::Rule;
use rspirv::spirv::Op;

/// The number of the section that an instruction belongs to, where it stands outside of functions. The parts of the
/// section of debug instructions count as one.
fn section(op: Op) -> Option<u32> {
    Some(match op {
        Op::Capability => 1,
        Op::Extension => 2,
        Op::ExtInstImport => 3,
        Op::MemoryModel => 4,
        Op::EntryPoint => 5,
        Op::ExecutionMode | Op::ExecutionModeId => 6,
        Op::String
        | Op::SourceExtension
        | Op::Source
        | Op::SourceContinued
        | Op::Name
        | Op::MemberName
        | Op::ModuleProcessed => 7,
        Op::Decorate
        | Op::MemberDecorate
        | Op::DecorateId
        | Op::DecorateString
        | Op::MemberDecorateString
        | Op::DecorationGroup
        | Op::GroupDecorate
        | Op::GroupMemberDecorate => 8,
        Op::TypeVoid
        | Op::TypeBool
        | Op::TypeInt
        | Op::TypeFloat
        | Op::TypeVector
        | Op::TypeMatrix
        | Op::TypeArray
        | Op::TypeRuntimeArray
        | Op::TypeStruct
        | Op::TypePointer
        | Op::TypeFunction
        | Op::Constant
        | Op::ConstantTrue
        | Op::ConstantFalse
        | Op::ConstantNull
        | Op::ConstantComposite
        | Op::SpecConstant
        | Op::SpecConstantTrue
        | Op::SpecConstantFalse
        | Op::SpecConstantComposite
        | Op::SpecConstantOp => 9,
        _ => return None,
    })
}

const NAMES: [&str; 10] = [
    "",
    "capabilities",
    "extensions",
    "imports of instructions",
    "the memory model",
    "entry points",
    "execution modes",
    "debug instructions",
    "annotations",
    "types and constants",
];

/// Logical Layout of a Module
///
/// ```text
/// each instruction stands behind those of the sections before its own, and in none of a function   (order)
/// there is one OpMemoryModel                                                                       (memory model)
/// ────────────────────────────────────────────────────────────────────────────────────────────────────────────
/// the sections are read
/// ```
pub(super) fn check(listing: &Listing<'_>) -> Valid {
    let (mut latest, mut models) = (0, 0);
    for (at, instruction) in listing.all.iter().enumerate() {
        let Some(section) = section(instruction.op) else {
            continue;
        };
        if instruction.function != 0 {
            let text = format!("{} stand outside of functions", NAMES[section as usize]);
            return wrong(Rule::Sections, "order", at, text);
        }
        if section < latest {
            let [own, other] = [section, latest].map(|section| NAMES[section as usize]);
            let text = format!("it stands behind {other}: {own} come before them");
            return wrong(Rule::Sections, "order", at, text);
        }
        latest = section;
        models += u32::from(instruction.op == Op::MemoryModel);
        if models > 1 {
            return wrong(Rule::Sections, "memory model", at, "the module has two memory models");
        }
    }
    match models {
        0 => wrong(Rule::Sections, "memory model", 0, "the module has no OpMemoryModel"),
        _ => Ok(()),
    }
}
