//! Passes, one file a pass, each with what must hold before and after: all on the device language,
//! but for `elide_copies`, which is on FUNMEM, and `specialise`, which is on FCL.

pub mod bound_loops;
pub(crate) mod control_dependence;
pub mod elide_copies;
pub mod eliminate_checks;
pub mod expose_checks;
pub(crate) mod fingerprint;
pub(crate) mod fold;
pub mod inline_calls;
pub mod inline_failing;
pub mod map_levels;
pub mod narrow_checks;
pub(crate) mod padding;
pub mod poison_checks;
pub mod simplify;
pub(crate) mod single_assignment;
pub(crate) mod slots;
pub mod specialise;
pub(crate) mod stuck;
pub(crate) mod types;

use reference::device::syntax::Exp;

/// The expression, and something else in its place for now.
pub(crate) fn take(exp: &mut Exp) -> Exp {
    std::mem::replace(exp, Exp::u32(0))
}
