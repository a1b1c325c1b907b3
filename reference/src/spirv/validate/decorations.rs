//! Decorations of variables and types.

use super::entry::used;
use super::listing::Listing;
use super::{Valid, wrong};
use crate::spirv::rules::Rule;
use rspirv::spirv::{Decoration, Op, StorageClass};

/// Decorations that an id or a member has once.
const ONCE: [Decoration; 8] = [
    Decoration::ArrayStride,
    Decoration::MatrixStride,
    Decoration::Offset,
    Decoration::Binding,
    Decoration::DescriptorSet,
    Decoration::BuiltIn,
    Decoration::SpecId,
    Decoration::Location,
];

/// Decorations
///
/// ```text
/// a place, a number or a built-in is said once of an id or a member     (once)
/// ─────────────────────────────────────────────────────────────────────────────
/// it is known
/// ```
///
/// Shader Resource Interface
///
/// ```text
/// a buffer that an entry point uses has a DescriptorSet     (set)
/// and a Binding                                             (binding)
/// ──────────────────────────────────────────────────────────────────
/// a buffer can be bound
/// ```
pub(super) fn check(listing: &Listing<'_>) -> Valid {
    let once = |number: u32| ONCE.iter().find(|it| **it as u32 == number);
    let again = listing.said_again().filter_map(|(number, at)| Some((at, once(number)?)));
    if let Some((at, decoration)) = again.min_by_key(|(at, _)| *at) {
        let text = format!("the decoration {decoration:?} is said twice");
        return wrong(Rule::Decorated, "once", at, text);
    }
    for point in listing.all.iter().filter(|it| it.op == Op::EntryPoint) {
        for (id, class) in used(listing, point.operand(1)) {
            if !matches!(
                class,
                StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::UniformConstant
            ) {
                continue;
            }
            for (decoration, premise) in
                [(Decoration::DescriptorSet, "set"), (Decoration::Binding, "binding")]
            {
                if listing.said(id, decoration).is_none()
                    && let Some(at) = listing.number_of(id)
                {
                    let text = format!("a buffer without the decoration {decoration:?}");
                    return wrong(Rule::Resource, premise, at, text);
                }
            }
        }
    }
    Ok(())
}
