//! The list of passes from a program to its shaders. Every stage can be taken out and looked at.
//!
//! ```text
//! fun ─ insert_memory → funmem ─ elide_copies → funmem ─ hoist_allocations → funmem
//!     ─ expand_memory → funmem ─ to_imp → imp ─ lower → device ─ inline_calls → device
//!     ─ expose_checks → device ─ map_levels → device ─ simplify → device ─ bound_loops → device
//!     ─ narrow_checks → device ─ poison_checks → device ─ emit → wgsl
//! ```
//!
//! After each pass to the device language the program is validated; a pass that breaks it is
//! named.

use crate::emit::style::{EXTRA_ROUNDS, Style};
use crate::emit::wgsl::{Shader, Shaders, Writing};
use crate::emit::workarounds::Workarounds;
use crate::lower;
use crate::pass::bound_loops::Limit;
use crate::pass::elide_copies;
use crate::pass::{
    bound_loops, expose_checks, inline_calls, map_levels, narrow_checks, poison_checks, simplify,
};
use crate::run::{Adapter, Defect};
use reference::between::expand_memory::{self, Form};
use reference::between::{fun_to_funmem, funmem_to_imp};
use reference::device::{self, syntax::Program as Device};
use reference::fun::syntax::{Fun, Program};
use reference::funmem::syntax::FunMem;
use reference::imp::syntax::Program as Imp;
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::text::Refused;
use std::borrow::Cow;

/// What a stage is: a program in some language.
#[derive(Clone, Debug, PartialEq)]
pub enum Artifact {
    /// FUN.
    Fun(Program<Fun>),
    /// FUNMEM.
    FunMem(Program<FunMem>),
    /// IMP.
    Imp(Imp),
    /// The device language.
    Device(Device),
    /// A shader for each kernel of the device program before it.
    Shaders(Vec<Shader>),
}

/// What the passes are told.
#[derive(Clone, Copy, Debug)]
pub struct PassCx {
    /// Invocations in a work group.
    pub group: u32,
    /// Loop rounds that an invocation is given.
    pub rounds: Limit,
    /// How memory expansion lays out the blocks of threads.
    pub form: Form,
    /// Which bugs of the toolchain are worked around.
    pub workarounds: Workarounds,
    /// How shaders are written.
    pub style: Style,
    /// The fault that is planted, if any.
    pub planted: Planted,
}

impl Default for PassCx {
    fn default() -> Self {
        Self {
            group: 64,
            rounds: Limit { rounds: 1 << 24, iterations: None },
            form: Form::Coalesced,
            workarounds: Workarounds::All,
            style: Style::PLAIN,
            planted: Planted::NONE,
        }
    }
}

impl PassCx {
    /// How shaders are written.
    pub fn writing(&self) -> Writing {
        Writing { workarounds: self.workarounds, style: self.style }
    }

    /// The same, made to fit an adapter: work groups within its limits, and fewer iterations of
    /// loops than a known defect of its driver takes, so that a program with more of them gives up
    /// rather than goes wrong.
    pub fn fit(self, adapter: &Adapter) -> Self {
        let group = adapter.limits.invocations.min(adapter.limits.group_size);
        let defects = adapter.defects.iter().filter_map(Defect::rounds);
        let most = |wrong: u64| {
            let right = wrong.saturating_sub(1 + u64::from(EXTRA_ROUNDS));
            u32::try_from(right).unwrap_or(u32::MAX)
        };
        let iterations = defects.min().map(most);
        let iterations = self.rounds.iterations.into_iter().chain(iterations).min();
        Self { group: self.group.min(group), rounds: Limit { iterations, ..self.rounds }, ..self }
    }
}

/// A pass. What must hold before it and holds after it stands at the head of its file; it gets stuck
/// where its program does: the same site, thread and operands.
pub trait Pass {
    /// Its name, as stages and findings give it.
    const NAME: &'static str;
    /// What it takes: the program itself where it stays in its language, else a look at one.
    type From<'p>;
    /// What it makes.
    type To;
    /// The pass itself.
    ///
    /// # Errors
    /// A statement that it cannot translate, and why.
    fn run(&self, from: Self::From<'_>, cx: &PassCx) -> Result<Self::To, Refused>;
}

macro_rules! passes {
    ($($(#[$meta:meta])* $pass:ident $name:literal: $from:ty => $to:ty,
        |$program:ident, $cx:ident| $body:expr;)*) => {
        $(
            $(#[$meta])*
            #[derive(Clone, Copy, Debug)]
            pub struct $pass;

            impl Pass for $pass {
                const NAME: &'static str = $name;
                type From<'p> = $from;
                type To = $to;
                fn run(&self, $program: Self::From<'_>, $cx: &PassCx) -> Result<$to, Refused> {
                    $body
                }
            }
        )*
        /// Names of all passes, in order.
        pub const PASSES: &[&str] = &[$($name),*];
    };
}

passes! {
    /// TransformProgram: every array gets a block and an LMAD.
    InsertMemory "insert_memory": &'p Program<Fun> => Program<FunMem>,
        |program, cx| Ok(fun_to_funmem::transform_program(program, cx.planted));
    /// Results that have a block of their own are not copied.
    ElideCopies "elide_copies": Program<FunMem> => Program<FunMem>,
        |program, _cx| Ok(elide_copies::elide_copies(program));
    /// Allocations leave the `if`s and `loop`s of kernels.
    HoistAllocations "hoist_allocations": Program<FunMem> => Program<FunMem>,
        |program, _cx| Ok(expand_memory::hoist_allocations(program));
    /// MemoryExpand: allocations leave the kernels.
    ExpandMemory "expand_memory": Program<FunMem> => Program<FunMem>,
        |program, cx| expand_memory::expand(program, cx.form, cx.planted);
    /// FunMemToImp.
    ToImp "to_imp": &'p Program<FunMem> => Imp,
        |program, cx| Ok(funmem_to_imp::translate(program, cx.planted));
    /// IMP to the device language.
    Lower "lower": &'p Imp => Device,
        |program, cx| lower::imp::lower(program, cx.planted);
    /// Functions that may fail stand where they are called.
    InlineCalls "inline_calls": Device => Device,
        |program, _cx| inline_calls::inline_calls(program);
    /// Whatever can get stuck in a kernel gets a check.
    ExposeChecks "expose_checks": Device => Device,
        |program, _cx| expose_checks::expose_checks(program);
    /// Parallel loops become launches and loops.
    MapLevels "map_levels": Device => Device,
        |program, cx| Ok(map_levels::map_levels(program, cx.group));
    /// Less in each kernel that computes the same.
    Simplify "simplify": Device => Device,
        |program, _cx| Ok(simplify::simplify(program));
    /// Every loop ends.
    BoundLoops "bound_loops": Device => Device,
        |program, cx| bound_loops::bound_loops(program, cx.rounds);
    /// Whether 32 bits do is asked without 64.
    NarrowChecks "narrow_checks": Device => Device,
        |program, _cx| Ok(narrow_checks::narrow_checks(program));
    /// A failed check poisons its invocation and is written down.
    PoisonChecks "poison_checks": Device => Device,
        |program, _cx| poison_checks::poison_checks(program);
    /// A shader for each kernel.
    Emit "emit": &'p Device => Vec<Shader>,
        |program, cx| Shaders::of(program, cx.writing()).all();
}

/// The pass behind which kernels have all of their checks and nothing yet that a failed one does: what
/// bare forms are made of, and from where on the passes are of no use to a launch in which no check
/// fails.
pub const CHECKED: &str = Simplify::NAME;

/// A stage of a compilation.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The pass that made it; `source` for the first.
    pub by: &'static str,
    /// The program.
    pub artifact: Artifact,
}

/// How far a compilation came.
#[derive(Clone, Debug)]
pub struct Stages {
    /// The source, and what each pass made of it.
    pub stages: Vec<Stage>,
    /// Why it did not come to the shaders.
    pub stop: Option<Stop>,
}

/// Why a compilation stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A pass refused a statement.
    Refused(&'static str, Refused),
    /// A pass broke the program: what the validator says.
    Broken(&'static str, String),
}

impl Stages {
    /// The last device program, which a machine runs.
    pub fn device(&self) -> Option<&Device> {
        self.stages.iter().rev().find_map(|stage| match &stage.artifact {
            Artifact::Device(program) => Some(program),
            _ => None,
        })
    }

    /// The stage that this pass made.
    pub fn by(&self, pass: &str) -> Option<&Stage> {
        self.stages.iter().find(|stage| stage.by == pass)
    }
}

/// All stages from `source` on.
pub fn stages(source: Artifact, cx: &PassCx) -> Stages {
    let mut run = Stages { stages: vec![Stage { by: "source", artifact: source }], stop: None };
    while run.stop.is_none() {
        let Some(last) = run.stages.last() else { break };
        match next(Cow::Borrowed(last), cx) {
            Ok(Some(stage)) => run.stages.push(stage),
            Ok(None) => break,
            Err(stop) => run.stop = Some(stop),
        }
    }
    run
}

/// What the next pass makes of a stage; none is left after the shaders. A pass within FUNMEM or the
/// device language changes the program that it is given, so a stage that is kept is copied.
///
/// # Errors
/// A pass refused a statement, or broke the program.
pub fn next(stage: Cow<'_, Stage>, cx: &PassCx) -> Result<Option<Stage>, Stop> {
    let made = unchecked(stage, cx)?;
    made.iter().try_for_each(Stage::validate)?;
    Ok(made)
}

/// The same, not validated: for who validates a stage behind it, and asks [`next`] where that
/// stage is wrong.
///
/// # Errors
/// A pass refused a statement.
///
/// # Panics
/// If a pass before it broke the program.
pub fn unchecked(stage: Cow<'_, Stage>, cx: &PassCx) -> Result<Option<Stage>, Stop> {
    let made = match (&stage.artifact, stage.by) {
        (Artifact::Fun(program), _) => by(InsertMemory, program, cx, Artifact::FunMem)?,
        (Artifact::FunMem(program), ExpandMemory::NAME) => by(ToImp, program, cx, Artifact::Imp)?,
        (Artifact::Imp(program), _) => by(Lower, program, cx, Artifact::Device)?,
        (Artifact::Device(program), PoisonChecks::NAME) => {
            by(Emit, program, cx, Artifact::Shaders)?
        }
        (Artifact::Shaders(_), _) => return Ok(None),
        (Artifact::FunMem(_) | Artifact::Device(_), made_by) => match stage.into_owned().artifact {
            Artifact::FunMem(program) => on_funmem(program, made_by, cx)?,
            Artifact::Device(program) => on_device(program, made_by, cx)?,
            _ => return Ok(None),
        },
    };
    Ok(Some(made))
}

/// The next pass within FUNMEM.
fn on_funmem(program: Program<FunMem>, made_by: &'static str, cx: &PassCx) -> Result<Stage, Stop> {
    match made_by {
        ElideCopies::NAME => by(HoistAllocations, program, cx, Artifact::FunMem),
        HoistAllocations::NAME => by(ExpandMemory, program, cx, Artifact::FunMem),
        _ => by(ElideCopies, program, cx, Artifact::FunMem),
    }
}

/// The next pass within the device language.
fn on_device(program: Device, made_by: &'static str, cx: &PassCx) -> Result<Stage, Stop> {
    match made_by {
        InlineCalls::NAME => by(ExposeChecks, program, cx, Artifact::Device),
        ExposeChecks::NAME => by(MapLevels, program, cx, Artifact::Device),
        MapLevels::NAME => by(Simplify, program, cx, Artifact::Device),
        Simplify::NAME => by(BoundLoops, program, cx, Artifact::Device),
        BoundLoops::NAME => by(NarrowChecks, program, cx, Artifact::Device),
        NarrowChecks::NAME => by(PoisonChecks, program, cx, Artifact::Device),
        _ => by(InlineCalls, program, cx, Artifact::Device),
    }
}

fn by<P: Pass>(
    pass: P,
    from: P::From<'_>,
    cx: &PassCx,
    wrap: impl FnOnce(P::To) -> Artifact,
) -> Result<Stage, Stop> {
    let made = pass.run(from, cx).map_err(|refused| Stop::Refused(P::NAME, refused))?;
    Ok(Stage { by: P::NAME, artifact: wrap(made) })
}

impl Stage {
    /// Is the program valid? Only those of the device language are looked at.
    ///
    /// # Errors
    /// The pass that made it broke it, or one before: what the validator says.
    pub fn validate(&self) -> Result<(), Stop> {
        let Artifact::Device(program) = &self.artifact else { return Ok(()) };
        let checked = device::validate::check(program, &mut Recorder::counting());
        checked.map_err(|rejected| {
            let text = match rejected.rule {
                Some((rule, premise)) => format!("{rejected} ({rule} {premise})"),
                None => rejected.to_string(),
            };
            Stop::Broken(self.by, text)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pass_makes_a_stage() {
        let source = "param (n : int) let (xs : [n]) = kernel i <= n do in (i) in (xs)";
        let program = reference::fun::parse::program(source).expect("the program parses");
        let stages = stages(Artifact::Fun(program), &PassCx::default());
        assert_eq!(stages.stop, None);
        let by: Vec<&str> = stages.stages.iter().skip(1).map(|stage| stage.by).collect();
        assert_eq!(by, PASSES);
    }
}
