//! Passes, one file a pass, each with what must hold before and after: all on the device language,
//! but for `elide_copies`, which is on FUNMEM.

pub(crate) mod bind_once;
pub mod bound_loops;
pub mod elide_copies;
pub mod eliminate_checks;
pub mod expose_checks;
pub(crate) mod fold;
pub(crate) mod glance;
pub(crate) mod guard;
pub mod inline_calls;
pub mod map_levels;
pub mod narrow_checks;
pub mod poison_checks;
pub mod simplify;
pub(crate) mod slots;
pub(crate) mod steering;
pub(crate) mod stuck;
pub(crate) mod types;

use reference::device::syntax::Exp;

/// The expression, and something else in its place for now.
pub(crate) fn take(exp: &mut Exp) -> Exp {
    std::mem::replace(exp, Exp::u32(0))
}
