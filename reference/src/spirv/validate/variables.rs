//! Variables: where they stand, what is stored to, and what the built-in ones are.

use super::listing::{Instruction, Listing};
use super::{Valid, wrong};
use crate::spirv::rules::Rule;
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass, Word};

pub(super) fn check(listing: &Listing<'_>) -> Valid {
    let mut first = First::default();
    let buffer_blocks = listing
        .all
        .iter()
        .any(|it| it.op == Op::Decorate && it.operand(1) == Decoration::BufferBlock as u32);
    for (at, instruction) in listing.all.iter().enumerate() {
        match instruction.op {
            Op::Variable => declared(listing, at, &first)?,
            Op::Store | Op::CopyMemory => stored(listing, at, buffer_blocks)?,
            Op::Decorate => built_in(listing, at)?,
            _ => {}
        }
        first.pass(instruction);
    }
    Ok(())
}

/// What of a function has been passed.
#[derive(Default)]
struct First {
    /// Blocks.
    blocks: u32,
    /// Has its present block an instruction that is no variable?
    others: bool,
}

impl First {
    fn pass(&mut self, instruction: &Instruction<'_>) {
        match instruction.op {
            Op::Function => *self = Self::default(),
            Op::Label => (self.blocks, self.others) = (self.blocks + 1, false),
            // Debug information of extensions may stand between.
            Op::Variable | Op::ExtInst => {}
            _ => self.others = true,
        }
    }
}

/// OpVariable
///
/// ```text
/// its storage class is that of its pointer type                                     (class)
/// that is Function in functions, and another one outside                            (function)
/// variables of a function are the first instructions of its first block             (first)
/// ──────────────────────────────────────────────────────────────────────────────────────────
/// it is a variable
/// ```
fn declared(listing: &Listing<'_>, at: usize, first: &First) -> Valid {
    let variable = &listing.all[at];
    let Some(class) = StorageClass::from_u32(variable.operand(0)) else { return Ok(()) };
    if let Some((of_pointer, _)) = listing.pointer(variable.ty)
        && of_pointer != class
    {
        let text =
            format!("a variable of storage class {class:?}, whose type points to {of_pointer:?}");
        return wrong(Rule::Declared, "class", at, text);
    }
    match (variable.function != 0, class == StorageClass::Function) {
        (false, true) => {
            let text = "a variable of storage class Function outside of functions";
            wrong(Rule::Declared, "function", at, text)
        }
        (true, false) => {
            let text = format!("a variable of storage class {class:?} in a function");
            wrong(Rule::Declared, "function", at, text)
        }
        (true, true) if first.blocks != 1 || first.others => {
            let text = "a variable that does not stand first in the first block of its function";
            wrong(Rule::Declared, "first", at, text)
        }
        _ => Ok(()),
    }
}

/// Storage classes that are read only
///
/// ```text
/// what is stored to is no input, uniform or push constant     (stored)
/// ──────────────────────────────────────────────────────────────────────
/// the store writes
/// ```
fn stored(listing: &Listing<'_>, at: usize, buffer_blocks: bool) -> Valid {
    match listing.pointer_of(listing.all[at].operand(0)) {
        Some((StorageClass::Uniform, _)) if buffer_blocks => Ok(()),
        Some((
            class @ (StorageClass::Input
            | StorageClass::Uniform
            | StorageClass::UniformConstant
            | StorageClass::PushConstant),
            _,
        )) => {
            let text = format!("memory of storage class {class:?} cannot be stored to");
            wrong(Rule::ReadOnly, "stored", at, text)
        }
        _ => Ok(()),
    }
}

/// Built-In Variables
///
/// ```text
/// a built-in variable is an input                                           (class)
/// it is an integer of 32 bits, or a vector of three, as its name says       (type)
/// ─────────────────────────────────────────────────────────────────────────────────
/// the device gives its value
/// ```
fn built_in(listing: &Listing<'_>, at: usize) -> Valid {
    let decoration = &listing.all[at];
    let [id, name, built_in] = *decoration.operands else { return Ok(()) };
    if name != Decoration::BuiltIn as u32 {
        return Ok(());
    }
    let Some(built_in) = BuiltIn::from_u32(built_in) else { return Ok(()) };
    let Some(components) = components(built_in) else { return Ok(()) };
    let Some(at) = listing.number_of(id) else { return Ok(()) };
    let said = &listing.all[at];
    let ty = match (said.op, listing.pointer(said.ty)) {
        (Op::Variable, Some((StorageClass::Input, pointee))) => pointee,
        (Op::Variable, Some((class, _))) => {
            let text =
                format!("{built_in:?} is an input, and the variable is of storage class {class:?}");
            return wrong(Rule::BuiltIn, "class", at, text);
        }
        // The size of a group is a constant.
        _ => said.ty,
    };
    if is_of(listing, ty, components) {
        return Ok(());
    }
    let what = match components {
        1 => "an integer of 32 bits",
        _ => "a vector of three integers of 32 bits",
    };
    wrong(Rule::BuiltIn, "type", at, format!("{built_in:?} is {what}"))
}

/// Of how many integers a built-in variable of compute shaders consists.
fn components(built_in: BuiltIn) -> Option<u32> {
    match built_in {
        BuiltIn::GlobalInvocationId
        | BuiltIn::LocalInvocationId
        | BuiltIn::WorkgroupId
        | BuiltIn::NumWorkgroups
        | BuiltIn::WorkgroupSize => Some(3),
        BuiltIn::LocalInvocationIndex
        | BuiltIn::SubgroupSize
        | BuiltIn::SubgroupLocalInvocationId
        | BuiltIn::NumSubgroups
        | BuiltIn::SubgroupId => Some(1),
        _ => None,
    }
}

fn is_of(listing: &Listing<'_>, ty: Word, components: u32) -> bool {
    let Some(ty) = listing.definition(ty) else { return true };
    let is_word = |ty: &Instruction<'_>| ty.op == Op::TypeInt && ty.operand(0) == 32;
    match (components, ty.op) {
        (1, _) => is_word(ty),
        (_, Op::TypeVector) => {
            ty.operand(1) == components && listing.definition(ty.operand(0)).is_some_and(is_word)
        }
        _ => false,
    }
}
