//! All routes, and those of the languages of every build.

use super::passes::{
    BOUND_LOOPS, ELIDE_COPIES, ELIMINATE_CHECKS, EMIT, EXPAND_MEMORY, EXPOSE_CHECKS,
    HOIST_ALLOCATIONS, INLINE_CALLS, INLINE_FAILING, INSERT_MEMORY, LOWER, MAP_LEVELS,
    NARROW_CHECKS, PLAN, PLAN_GROUPS, POISON_CHECKS, SIMPLIFY, TO_FUN, TO_IMP,
};
use crate::route::{Compiled, Lang, Route, Routes, Step};
use reference::axes::Axes;
use reference::device::Device;
use reference::fun::Fun;
use reference::funmem::FunMem;
use reference::imp::Imp;
use reference::languages;

macro_rules! table {
    ($($(#[$meta:meta])* $name:ident = $room:ident;)*) => {
        /// All routes, one for each language of the table, and those beside them.
        pub const ROUTES: Routes = Routes {
            first: &[$($(#[$meta])* <reference::$room::$name as Compiled>::ROUTE,)*],
            beside: &[$($(#[$meta])* <reference::$room::$name as Compiled>::BESIDE,)*],
        };
    };
}

languages!(table);

impl Compiled for Axes {
    const ROUTE: Route = AXES_TO_FUN;
    const BESIDE: &'static [Route] = &[AXES_TO_IMP, AXES_TO_DEVICE];
}

impl Compiled for Fun {
    const ROUTE: Route = FUN_TO_FUNMEM;
}

impl Compiled for FunMem {
    const ROUTE: Route = FUNMEM_TO_IMP;
}

impl Compiled for Imp {
    const ROUTE: Route = IMP_TO_DEVICE;
}

impl Compiled for reference::fcl::Fcl {
    const ROUTE: Route = FCL_TO_DEVICE;
}

impl Compiled for Device {
    const ROUTE: Route = DEVICE_TO_WGSL;
}

/// A term to what it means.
pub(super) const AXES_TO_FUN: Route =
    Route { from: Lang::Axes, to: Lang::Fun, steps: &[Step::of(&TO_FUN)] };

/// A term to its plan.
pub(super) const AXES_TO_IMP: Route =
    Route { from: Lang::Axes, to: Lang::Imp, steps: &[Step::of(&PLAN)] };

/// A term for work groups to its plan.
pub(super) const AXES_TO_DEVICE: Route =
    Route { from: Lang::Axes, to: Lang::Device, steps: &[Step::of(&PLAN_GROUPS)] };

/// FUN to FUNMEM: every array gets memory.
pub(super) const FUN_TO_FUNMEM: Route =
    Route { from: Lang::Fun, to: Lang::FunMem, steps: &[Step::of(&INSERT_MEMORY)] };

/// FUNMEM to IMP: memory is improved, leaves the kernels, and arrays become accesses to it.
pub(super) const FUNMEM_TO_IMP: Route = Route {
    from: Lang::FunMem,
    to: Lang::Imp,
    steps: &[
        Step::of(&ELIDE_COPIES),
        Step::of(&HOIST_ALLOCATIONS),
        Step::of(&EXPAND_MEMORY),
        Step::of(&TO_IMP),
    ],
};

/// IMP to the device language.
pub(super) const IMP_TO_DEVICE: Route =
    Route { from: Lang::Imp, to: Lang::Device, steps: &[Step::of(&LOWER)] };

/// FCL to the device language.
pub(super) const FCL_TO_DEVICE: Route = Route {
    from: Lang::Fcl,
    to: Lang::Device,
    steps: &[Step::of(&super::passes::SPECIALISE), Step::of(&super::passes::LOWER_FCL)],
};

/// The device language to WGSL.
pub(super) const DEVICE_TO_WGSL: Route = Route {
    from: Lang::Device,
    to: Lang::Shaders,
    steps: &[
        Step::of(&INLINE_CALLS),
        Step::of(&EXPOSE_CHECKS),
        Step::of(&MAP_LEVELS),
        Step::of(&SIMPLIFY),
        Step::of(&INLINE_FAILING),
        Step::of(&ELIMINATE_CHECKS),
        Step::of(&BOUND_LOOPS),
        Step::of(&NARROW_CHECKS),
        Step::of(&POISON_CHECKS),
        Step::of(&EMIT),
    ],
};
