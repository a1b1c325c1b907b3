//! The passes between the languages of every build, each with the languages that it leads between.

use crate::emit::wgsl;
use crate::lower;
use crate::pass::{
    bound_loops, elide_copies, eliminate_checks, expose_checks, inline_calls, inline_failing,
    map_levels, narrow_checks, poison_checks, simplify,
};
use crate::route::{Lang, Pass, run};
use reference::translate::{expand_memory, fun_to_funmem, funmem_to_imp};

macro_rules! passes {
    ($($(#[$meta:meta])* $pass:ident $name:literal: $how:ident $from:ident => $to:ident,
        |$program:ident, $cx:ident| $body:expr;)*) => {
        $(
            $(#[$meta])*
            pub(super) static $pass: Pass = Pass::new(
                $name,
                Lang::$from,
                Lang::$to,
                run!($how $from => $to, |$program, $cx| $body),
            );
        )*
    };
}

passes! {
    /// The FUN program that a term means.
    TO_FUN "to_fun": reads Axes => Fun,
        |program, _cx| Ok(program.meaning().clone());
    /// A term read as loops.
    PLAN "plan": reads Axes => Imp,
        |program, _cx| lower::axes::planned(program);
    /// A term read as loops of work groups.
    PLAN_GROUPS "plan_groups": reads Axes => Device,
        |program, _cx| lower::axes::planned_as_groups(program);
    /// TransformProgram: every array gets a block and an LMAD.
    INSERT_MEMORY "insert_memory": reads Fun => FunMem,
        |program, cx| Ok(fun_to_funmem::transform_program(program, cx.plan.planted));
    /// Results that have a block of their own are not copied.
    ELIDE_COPIES "elide_copies": takes FunMem => FunMem,
        |program, cx| Ok(elide_copies::elide_copies(program, &mut cx.decisions));
    /// Allocations leave the `if`s and `loop`s of kernels.
    HOIST_ALLOCATIONS "hoist_allocations": takes FunMem => FunMem,
        |program, cx| Ok(expand_memory::hoist_allocations(program, &mut cx.decisions));
    /// MemoryExpand: allocations leave the kernels.
    EXPAND_MEMORY "expand_memory": takes FunMem => FunMem,
        |program, cx| expand_memory::expand(program, cx.plan.form, cx.plan.planted, &mut cx.decisions);
    /// FunMemToImp.
    TO_IMP "to_imp": reads FunMem => Imp,
        |program, cx| Ok(funmem_to_imp::translate(program, cx.plan.planted));
    /// FCL without definitions, functions and levels.
    SPECIALISE "specialise": reads Fcl => Fcl,
        |program, _cx| crate::pass::specialise::specialise(program);
    /// FCL to the device language.
    LOWER_FCL "lower_fcl": reads Fcl => Device,
        |program, cx| lower::fcl::lower_typed(program, cx.plan.fcl, cx.plan.planted, &mut cx.decisions);
    /// IMP to the device language.
    LOWER "lower": reads Imp => Device,
        |program, cx| lower::imp::lower(program, cx.plan.planted, &mut cx.decisions);
    /// Functions that may fail and have loops stand where they are called.
    INLINE_CALLS "inline_calls": takes Device => Device,
        |program, cx| inline_calls::inline_calls(program, &mut cx.decisions);
    /// Whatever can get stuck in a kernel gets a check.
    EXPOSE_CHECKS "expose_checks": takes Device => Device,
        |program, _cx| expose_checks::expose_checks(program);
    /// Parallel loops become launches and loops.
    MAP_LEVELS "map_levels": takes Device => Device,
        |program, cx| Ok(map_levels::map_levels(program, cx.plan.group));
    /// Less in each kernel that computes the same.
    SIMPLIFY "simplify": takes Device => Device,
        |program, cx| Ok(simplify::simplify(program, &mut cx.decisions));
    /// Functions that may fail stand where they are called, if invocations go on behind a failed check.
    INLINE_FAILING "inline_failing": takes Device => Device,
        |program, cx| Ok(inline_failing::inline_failing(program, cx.plan.detail, &mut cx.decisions));
    /// Checks that always hold are gone.
    ELIMINATE_CHECKS "eliminate_checks": takes Device => Device,
        |program, cx| Ok(eliminate_checks::eliminate_checks(program, cx.plan.detail, &mut cx.decisions));
    /// Every loop ends.
    BOUND_LOOPS "bound_loops": takes Device => Device,
        |program, cx| Ok(bound_loops::bound_loops(program, cx.plan.rounds));
    /// Whether 32 bits do is asked without 64.
    NARROW_CHECKS "narrow_checks": takes Device => Device,
        |program, _cx| Ok(narrow_checks::narrow_checks(program));
    /// What a failed check does.
    POISON_CHECKS "poison_checks": takes Device => Device,
        |program, cx| poison_checks::poison_checks(program, cx.plan.detail);
    /// A shader for each kernel.
    EMIT "emit": reads Device => Shaders,
        |program, cx| wgsl::shaders(program, cx.plan.writing());
}
