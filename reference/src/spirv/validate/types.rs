//! Types and constants.

use super::listing::Listing;
use super::{Valid, wrong};
use crate::spirv::rules::Rule;
use rspirv::spirv::Op;
use rustc_hash::FxHashSet;

/// Types and Variables: types once
///
/// ```text
/// no two types that are no aggregates and no pointers have one opcode and the same operands  (once)
/// ──────────────────────────────────────────────────────────────────────────────────────────────
/// an id is a type
/// ```
///
/// OpTypeVector, OpTypeArray
///
/// ```text
/// a vector has 2 to 4 components        (components)
/// an array has an element at least      (length)
/// ───────────────────────────────────────────────
/// the type has values
/// ```
///
/// OpConstant
///
/// ```text
/// its type is an integer or a float     (scalar)
/// ───────────────────────────────────────────────
/// the literal is read by its type
/// ```
pub(super) fn check(listing: &Listing<'_>) -> Valid {
    let mut known = FxHashSet::default();
    for (at, instruction) in listing.all.iter().enumerate() {
        match instruction.op {
            Op::TypeVoid
            | Op::TypeBool
            | Op::TypeInt
            | Op::TypeFloat
            | Op::TypeVector
            | Op::TypeMatrix
            | Op::TypeFunction
                if !known.insert((instruction.op, instruction.operands)) =>
            {
                let text = "the type is declared twice";
                return wrong(Rule::TypeOnce, "once", at, text);
            }
            Op::TypeVector if !(2..=4).contains(&instruction.operand(1)) => {
                let text =
                    format!("a vector of {} components: it has 2 to 4", instruction.operand(1));
                return wrong(Rule::TypeSize, "components", at, text);
            }
            Op::TypeArray if listing.constant(instruction.operand(1)) == Some(0) => {
                return wrong(Rule::TypeSize, "length", at, "an array of 0 elements");
            }
            Op::Constant | Op::SpecConstant
                if listing
                    .definition(instruction.ty)
                    .is_some_and(|ty| !matches!(ty.op, Op::TypeInt | Op::TypeFloat)) =>
            {
                let text = "its type is no integer and no float";
                return wrong(Rule::Constant, "scalar", at, text);
            }
            _ => {}
        }
    }
    Ok(())
}
