//! Capabilities: what a module uses it declares.

use super::listing::{Instruction, Listing};
use super::{Valid, wrong};
use crate::spirv::rules::Rule;
use rspirv::dr::Operand;
use rspirv::grammar::OperandKind as Kind;
use rspirv::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, Dim, ExecutionMode, ExecutionModel,
    GroupOperation, MemoryModel, Op, StorageClass, Word,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Capabilities by which numbers of 16 bits may stand in buffers, inputs and push constants.
const STORAGE_16: [Capability; 4] = [
    Capability::StorageBuffer16BitAccess,
    Capability::UniformAndStorageBuffer16BitAccess,
    Capability::StoragePushConstant16,
    Capability::StorageInputOutput16,
];

/// The same of 8 bits.
const STORAGE_8: [Capability; 3] = [
    Capability::StorageBuffer8BitAccess,
    Capability::UniformAndStorageBuffer8BitAccess,
    Capability::StoragePushConstant8,
];

/// Capability
///
/// ```text
/// an instruction, an operand or a width that needs a capability has one of those that allow it,
/// or one that implies such                                                              (declared)
/// ─────────────────────────────────────────────────────────────────────────────────────────────
/// the module may use it
/// ```
pub(super) fn check(listing: &Listing<'_>) -> Valid {
    let declared = declared(listing);
    let mut narrow = Narrow::default();
    for (at, instruction) in listing.all.iter().enumerate() {
        // What a capability implies it does not need.
        if instruction.op == Op::Capability {
            continue;
        }
        let mut needs = vec![instruction.class.capabilities.to_vec()];
        needs.extend(of_operands(instruction));
        needs.extend(of_width(instruction));
        needs.extend(narrow.of_storage(instruction));
        for one_of in needs {
            if !one_of.is_empty() && !one_of.iter().any(|it| declared.contains(it)) {
                let names: Vec<String> = one_of.iter().map(|it| format!("{it:?}")).collect();
                let text = format!("it needs the capability {}", names.join(" or "));
                return wrong(Rule::Capability, "declared", at, text);
            }
        }
    }
    Ok(())
}

/// The capabilities that a module declares, and those that they imply.
fn declared(listing: &Listing<'_>) -> FxHashSet<Capability> {
    let mut declared = FxHashSet::default();
    let said = listing.all.iter().filter(|it| it.op == Op::Capability);
    let mut open: Vec<Capability> =
        said.filter_map(|it| Capability::from_u32(it.operand(0))).collect();
    while let Some(capability) = open.pop() {
        if declared.insert(capability) {
            open.extend(Operand::Capability(capability).required_capabilities());
        }
    }
    declared
}

/// What enumerants among the operands need.
fn of_operands(instruction: &Instruction<'_>) -> impl Iterator<Item = Vec<Capability>> {
    let operands = instruction.kinds().zip(instruction.operands.iter().copied());
    let enumerants = operands.filter_map(|(kind, word)| {
        Some(match kind {
            Kind::ExecutionModel => Operand::ExecutionModel(ExecutionModel::from_u32(word)?),
            Kind::AddressingModel => Operand::AddressingModel(AddressingModel::from_u32(word)?),
            Kind::MemoryModel => Operand::MemoryModel(MemoryModel::from_u32(word)?),
            Kind::ExecutionMode => Operand::ExecutionMode(ExecutionMode::from_u32(word)?),
            Kind::StorageClass => Operand::StorageClass(StorageClass::from_u32(word)?),
            Kind::Decoration => Operand::Decoration(Decoration::from_u32(word)?),
            Kind::GroupOperation => Operand::GroupOperation(GroupOperation::from_u32(word)?),
            Kind::Dim => Operand::Dim(Dim::from_u32(word)?),
            _ => return None,
        })
    });
    let built_in = match (instruction.op, instruction.operands) {
        (Op::Decorate, [_, decoration, built_in])
        | (Op::MemberDecorate, [_, _, decoration, built_in])
            if *decoration == Decoration::BuiltIn as u32 =>
        {
            BuiltIn::from_u32(*built_in).map(Operand::BuiltIn)
        }
        _ => None,
    };
    enumerants.chain(built_in).map(|operand| operand.required_capabilities())
}

/// What the width of a number needs.
fn of_width(instruction: &Instruction<'_>) -> Option<Vec<Capability>> {
    let with = |own: &[Capability], others: &[Capability]| Some([own, others].concat());
    match (instruction.op, instruction.operand(0)) {
        (Op::TypeInt, 8) => with(&[Capability::Int8], &STORAGE_8),
        (Op::TypeInt, 16) => with(&[Capability::Int16], &STORAGE_16),
        (Op::TypeInt, 64) => with(&[Capability::Int64], &[]),
        (Op::TypeFloat, 16) => with(&[Capability::Float16, Capability::Float16Buffer], &STORAGE_16),
        (Op::TypeFloat, 64) => with(&[Capability::Float64], &[]),
        _ => None,
    }
}

/// Which types hold numbers of 8 and of 16 bits.
#[derive(Default)]
struct Narrow(FxHashMap<Word, [bool; 2]>);

impl Narrow {
    /// What a pointer type needs by what it points to. Types come before those that they are part of.
    fn of_storage(&mut self, instruction: &Instruction<'_>) -> Vec<Vec<Capability>> {
        use Capability as C;
        let parts = match instruction.op {
            Op::TypeInt | Op::TypeFloat => {
                let bits = instruction.operand(0);
                self.0.insert(instruction.id, [bits == 8, bits == 16]);
                return Vec::new();
            }
            Op::TypeVector | Op::TypeMatrix | Op::TypeArray | Op::TypeRuntimeArray => {
                &instruction.operands[..instruction.operands.len().min(1)]
            }
            Op::TypeStruct => instruction.operands,
            Op::TypePointer => {
                let [of_8, of_16] = self.of(instruction.operand(1));
                let (eight, sixteen): (&[C], &[C]) =
                    match StorageClass::from_u32(instruction.operand(0)) {
                        Some(StorageClass::StorageBuffer) => (
                            &[C::StorageBuffer8BitAccess, C::UniformAndStorageBuffer8BitAccess],
                            &[C::StorageBuffer16BitAccess, C::UniformAndStorageBuffer16BitAccess],
                        ),
                        // A block of it may be a buffer of the kind that came before storage buffers.
                        Some(StorageClass::Uniform) => (
                            &[C::UniformAndStorageBuffer8BitAccess, C::StorageBuffer8BitAccess],
                            &[C::UniformAndStorageBuffer16BitAccess, C::StorageBuffer16BitAccess],
                        ),
                        Some(StorageClass::PushConstant) => {
                            (&[C::StoragePushConstant8], &[C::StoragePushConstant16])
                        }
                        _ => return Vec::new(),
                    };
                let needed = [(of_8, eight), (of_16, sixteen)];
                let needed = needed.iter().filter(|(needed, _)| *needed);
                return needed.map(|(_, one_of)| one_of.to_vec()).collect();
            }
            _ => return Vec::new(),
        };
        let held = parts.iter().map(|part| self.of(*part));
        let held = held.fold([false; 2], |[a, b], [c, d]| [a || c, b || d]);
        self.0.insert(instruction.id, held);
        Vec::new()
    }

    fn of(&self, ty: Word) -> [bool; 2] {
        self.0.get(&ty).copied().unwrap_or_default()
    }
}
