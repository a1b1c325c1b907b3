//! Entry points, their interfaces and their execution modes.

use super::listing::{Instruction, Listing, string, string_words};
use super::{Valid, wrong};
use crate::spirv::rules::Rule;
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass, Word};
use rustc_hash::{FxHashMap, FxHashSet};

/// The version from which on an interface names all variables that are used.
const ALL_VARIABLES: u32 = 0x0001_0400;

pub(super) fn check(listing: &Listing<'_>) -> Valid {
    let mut points: Vec<Word> = Vec::new();
    let mut names = FxHashSet::default();
    for (at, instruction) in listing.all.iter().enumerate() {
        match instruction.op {
            Op::EntryPoint => {
                points.push(instruction.operand(1));
                let text = instruction.operands.get(2..).unwrap_or_default();
                if !names.insert((instruction.operand(0), string(text))) {
                    let text = "two entry points of one name and one execution model";
                    return wrong(Rule::EntryPoint, "name", at, text);
                }
                function(listing, at)?;
                interface(listing, at)?;
                local_size(listing, at)?;
            }
            Op::ExecutionMode | Op::ExecutionModeId
                if !points.contains(&instruction.operand(0)) =>
            {
                let id = listing.called(instruction.operand(0));
                let text = format!("an execution mode of {id}, which is no entry point");
                return wrong(Rule::EntryMode, "entry point", at, text);
            }
            Op::FunctionCall if points.contains(&instruction.operand(0)) => {
                let text = "an entry point is called";
                return wrong(Rule::EntryPoint, "called", at, text);
            }
            _ => {}
        }
    }
    Ok(())
}

/// OpEntryPoint: type
///
/// ```text
/// the function takes no parameters     (parameters)
/// it gives no result                   (void)
/// ──────────────────────────────────────────────────
/// a pipeline starts with it
/// ```
fn function(listing: &Listing<'_>, at: usize) -> Valid {
    let Some(function) = listing.definition(listing.all[at].operand(1)) else { return Ok(()) };
    let Some(ty) = listing.definition(function.operand(1)) else { return Ok(()) };
    if ty.op == Op::TypeFunction && ty.operands.len() > 1 {
        let text = "an entry point takes parameters";
        return wrong(Rule::EntryType, "parameters", at, text);
    }
    match listing.definition(function.ty) {
        Some(Instruction { op: Op::TypeVoid, .. }) | None => Ok(()),
        Some(_) => wrong(Rule::EntryType, "void", at, "an entry point gives a result"),
    }
}

/// OpEntryPoint
///
/// ```text
/// no two have one name and one execution model                                        (name)
/// no OpFunctionCall calls it                                                          (called)
/// its interface names variables                                                       (variable)
/// and the inputs and outputs that its functions use, from version 1.4 all globals     (interface)
/// ────────────────────────────────────────────────────────────────────────────────────────────────
/// a pipeline can be made of it
/// ```
fn interface(listing: &Listing<'_>, at: usize) -> Valid {
    let operands = listing.all[at].operands;
    let Some((_, behind)) = operands.split_at_checked(2) else { return Ok(()) };
    let named = &behind[string_words(behind)..];
    for id in named {
        if let Some(other) = listing.definition(*id)
            && !matches!(other.op, Op::Variable | Op::UntypedVariableKHR)
        {
            let text = format!("its interface names {}, which is no variable", listing.called(*id));
            return wrong(Rule::EntryPoint, "variable", at, text);
        }
    }
    let named: FxHashSet<Word> = named.iter().copied().collect();
    let mut missing = used(listing, operands[1]).into_iter().filter(|(id, class)| {
        let in_and_out = matches!(class, StorageClass::Input | StorageClass::Output);
        (in_and_out || listing.version >= ALL_VARIABLES) && !named.contains(id)
    });
    match missing.next() {
        Some((id, _)) => {
            let id = listing.called(id);
            let text = format!("its interface does not name {id}, which its functions use");
            wrong(Rule::EntryPoint, "interface", at, text)
        }
        None => Ok(()),
    }
}

/// The global variables that a function and those that it calls name, in the order of their numbers.
pub(super) fn used(listing: &Listing<'_>, entry: Word) -> Vec<(Word, StorageClass)> {
    let functions: FxHashMap<Word, _> =
        listing.functions.iter().map(|range| (listing.all[range.start].id, range)).collect();
    let (mut open, mut seen) = (vec![entry], FxHashSet::default());
    let mut used = FxHashMap::default();
    while let Some(id) = open.pop() {
        let Some(range) = functions.get(&id) else { continue };
        if !seen.insert(id) {
            continue;
        }
        for instruction in &listing.all[(*range).clone()] {
            if instruction.op == Op::FunctionCall {
                open.push(instruction.operand(0));
            }
            for id in instruction.ids() {
                if let Some(it @ Instruction { op: Op::Variable, function: 0, .. }) =
                    listing.definition(id)
                    && let Some(class) = StorageClass::from_u32(it.operand(0))
                {
                    used.insert(id, class);
                }
            }
        }
    }
    let mut used: Vec<_> = used.into_iter().collect();
    used.sort_unstable_by_key(|(id, _)| *id);
    used
}

/// LocalSize
///
/// ```text
/// a compute entry point has LocalSize, LocalSizeId, or there is a WorkgroupSize     (size)
/// ─────────────────────────────────────────────────────────────────────────────────────────
/// its work groups have a size
/// ```
fn local_size(listing: &Listing<'_>, at: usize) -> Valid {
    let point = &listing.all[at];
    if point.operand(0) != ExecutionModel::GLCompute as u32 {
        return Ok(());
    }
    let says = |it: &Instruction<'_>| match it.op {
        Op::ExecutionMode | Op::ExecutionModeId => {
            let size = [ExecutionMode::LocalSize as u32, ExecutionMode::LocalSizeId as u32];
            it.operand(0) == point.operand(1) && size.contains(&it.operand(1))
        }
        Op::Decorate => {
            it.operand(1) == Decoration::BuiltIn as u32
                && it.operand(2) == BuiltIn::WorkgroupSize as u32
        }
        _ => false,
    };
    match listing.all.iter().any(says) {
        true => Ok(()),
        false => {
            let text = "a compute entry point without a size of its work groups";
            wrong(Rule::LocalSize, "size", at, text)
        }
    }
}
