//! Atomic operations and memory semantics.

use super::listing::{Instruction, Listing};
use super::{Valid, wrong};
use crate::spirv::rules::Rule;
use rspirv::grammar::OperandKind;
use rspirv::spirv::{MemorySemantics, Op, StorageClass};

pub(super) fn check(listing: &Listing<'_>) -> Valid {
    for (at, instruction) in listing.all.iter().enumerate() {
        if instruction.name().starts_with("Atomic") {
            atomic(listing, at, instruction)?;
        }
        semantics(listing, at, instruction)?;
    }
    Ok(())
}

/// Atomic Instructions
///
/// ```text
/// the pointer is one to memory that invocations share                             (class)
/// what it points to is of the type of the result, and an integer or a float       (type)
/// ─────────────────────────────────────────────────────────────────────────────────────────
/// the operation is done at once
/// ```
fn atomic(listing: &Listing<'_>, at: usize, instruction: &Instruction<'_>) -> Valid {
    let Some((class, pointee)) = listing.pointer_of(instruction.operand(0)) else { return Ok(()) };
    if !matches!(
        class,
        StorageClass::Uniform
            | StorageClass::Workgroup
            | StorageClass::Image
            | StorageClass::StorageBuffer
            | StorageClass::PhysicalStorageBuffer
            | StorageClass::TaskPayloadWorkgroupEXT
    ) {
        let text = format!("an atomic operation on memory of storage class {class:?}");
        return wrong(Rule::AtomicMemory, "class", at, text);
    }
    let is_number = |op| matches!(op, Op::TypeInt | Op::TypeFloat);
    let number = listing.definition(pointee).is_none_or(|ty| is_number(ty.op));
    match number && (instruction.ty == 0 || instruction.ty == pointee) {
        true => Ok(()),
        false => {
            let text = "an atomic operation on memory of another type";
            wrong(Rule::AtomicMemory, "type", at, text)
        }
    }
}

/// Memory Semantics
///
/// ```text
/// at most one of Acquire, Release, AcquireRelease and SequentiallyConsistent is set     (order)
/// ───────────────────────────────────────────────────────────────────────────────────────────────
/// it is known what is ordered
/// ```
fn semantics(listing: &Listing<'_>, at: usize, instruction: &Instruction<'_>) -> Valid {
    let orders = MemorySemantics::ACQUIRE
        | MemorySemantics::RELEASE
        | MemorySemantics::ACQUIRE_RELEASE
        | MemorySemantics::SEQUENTIALLY_CONSISTENT;
    let operands = instruction.kinds().zip(instruction.operands);
    let said = operands.filter(|(kind, _)| *kind == OperandKind::IdMemorySemantics);
    for semantics in said.filter_map(|(_, id)| listing.constant(*id)) {
        if (semantics as u32 & orders.bits()).count_ones() > 1 {
            let text = "its memory semantics say more than one order";
            return wrong(Rule::Semantics, "order", at, text);
        }
    }
    Ok(())
}
