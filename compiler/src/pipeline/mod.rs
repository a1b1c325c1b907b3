//! From a program to its shaders, a pass at a time. Every stage can be taken out and looked at.
//!
//! ```text
//! AXES_TO_FUN     axes ─ to_fun → fun
//! AXES_TO_IMP     axes ─ plan → imp, beside the first
//! AXES_TO_DEVICE  axes ─ plan_groups → device, beside it too
//! FUN_TO_FUNMEM   fun ─ insert_memory → funmem
//! FUNMEM_TO_IMP   funmem ─ elide_copies ─ hoist_allocations ─ expand_memory ─ to_imp → imp
//! IMP_TO_DEVICE   imp ─ lower → device
//! FCL_TO_DEVICE   fcl ─ specialise ─ lower_fcl → device
//! DEVICE_TO_WGSL  device ─ inline_calls ─ expose_checks ─ map_levels ─ simplify ─ inline_failing
//!                 ─ eliminate_checks ─ bound_loops ─ narrow_checks ─ poison_checks ─ emit → wgsl
//! ```
//!
//! The routes of MiniAS, MiniSYCL and λG stand beside their passes, in files of their names.
//!
//! After each pass to the device language the program is validated; a pass that breaks it is
//! named.
mod lambda_g;
mod minias;
mod passes;
mod routes;
mod sycl;

use crate::route::{Artifact, Pass, PassCx, Plan, Position, Routes};
use reference::device::{self, syntax::Program as Device};
use reference::kit::derivation::Recorder;
use reference::kit::text::Refused;
pub use routes::ROUTES;
use std::borrow::Cow;

/// The tag of the stage in which kernels have all of their checks and nothing yet that a failed one does:
/// what the forms of kernels are made of when they are launched ([`crate::run::forms`]).
pub const CHECKED: &str = "simplify";

/// The tag of a stage that no pass made: the program itself.
pub const SOURCE: &str = "source";

/// A stage of a compilation.
#[derive(Clone, Debug)]
pub struct Stage {
    /// Where on the routes it is; `None` for the source.
    pub at: Option<Position>,
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

    /// The stage with this tag.
    pub fn by(&self, tag: &str) -> Option<&Stage> {
        self.stages.iter().find(|stage| stage.by() == tag)
    }
}

/// All stages from `source` on.
pub fn stages(source: Artifact, plan: &Plan) -> Stages {
    ROUTES.stages(source, plan)
}

/// What the next pass makes of a stage; none is left after the shaders. A pass within a language changes
/// the program that it is given, so a stage that is kept is copied.
///
/// # Errors
/// A pass refused a statement, or broke the program.
pub fn next(stage: Cow<'_, Stage>, cx: &mut PassCx) -> Result<Option<Stage>, Stop> {
    ROUTES.step(stage, cx)
}

/// What the step at this place makes of a stage.
///
/// # Errors
/// A pass refused a statement, or broke the program.
pub fn step_to(at: Position, stage: &Stage, cx: &mut PassCx) -> Result<Stage, Stop> {
    let made = run(at.tag(), at.step().pass, Cow::Borrowed(&stage.artifact), cx);
    let artifact = made.map_err(|refused| Stop::Refused(at.tag(), refused))?;
    let stage = Stage { at: Some(at), artifact };
    stage.validate()?;
    Ok(stage)
}

/// The same, not validated: for a caller that validates a later stage, and calls [`next`] where that
/// stage is wrong.
///
/// # Errors
/// A pass refused a statement.
///
/// # Panics
/// If a pass before it broke the program.
pub fn unchecked(stage: Cow<'_, Stage>, cx: &mut PassCx) -> Result<Option<Stage>, Stop> {
    ROUTES.step_unchecked(stage, cx)
}

/// What one step makes of a program, with no other pass before it.
///
/// # Errors
/// The pass refuses a statement.
///
/// # Panics
/// The program is of another language than the pass takes.
pub fn alone(
    at: Position,
    program: Cow<'_, Artifact>,
    cx: &mut PassCx,
) -> Result<Artifact, Refused> {
    run(at.tag(), at.step().pass, program, cx)
}

/// A pass at the step with this tag.
fn run(
    tag: &'static str,
    pass: &Pass,
    program: Cow<'_, Artifact>,
    cx: &mut PassCx,
) -> Result<Artifact, Refused> {
    cx.decisions.begin(tag);
    pass.run(program, cx)
}

impl Routes {
    /// All stages from `source` on, as [`stages`].
    pub fn stages(self, source: Artifact, plan: &Plan) -> Stages {
        let cx = &mut PassCx::new(*plan);
        let mut run = Stages { stages: vec![Stage::source(source)], stop: None };
        while run.stop.is_none() {
            let Some(last) = run.stages.last() else { break };
            match self.step(Cow::Borrowed(last), cx) {
                Ok(Some(stage)) => run.stages.push(stage),
                Ok(None) => break,
                Err(stop) => run.stop = Some(stop),
            }
        }
        run
    }

    /// As [`next`](fn@next).
    ///
    /// # Errors
    /// A pass refused a statement, or broke the program.
    pub fn step(self, stage: Cow<'_, Stage>, cx: &mut PassCx) -> Result<Option<Stage>, Stop> {
        let made = self.step_unchecked(stage, cx)?;
        made.iter().try_for_each(Stage::validate)?;
        Ok(made)
    }

    /// As [`unchecked`].
    ///
    /// # Errors
    /// A pass refused a statement.
    ///
    /// # Panics
    /// If a pass before it broke the program.
    pub fn step_unchecked(
        self,
        stage: Cow<'_, Stage>,
        cx: &mut PassCx,
    ) -> Result<Option<Stage>, Stop> {
        let Some(at) = self.behind(&stage) else { return Ok(None) };
        let artifact = match stage {
            Cow::Borrowed(stage) => Cow::Borrowed(&stage.artifact),
            Cow::Owned(stage) => Cow::Owned(stage.artifact),
        };
        let step = at.step();
        let made = run(step.tag, step.pass, artifact, cx);
        let artifact = made.map_err(|refused| Stop::Refused(step.tag, refused))?;
        Ok(Some(Stage { at: Some(at), artifact }))
    }

    /// Where the next step behind a stage leads.
    pub fn behind(self, stage: &Stage) -> Option<Position> {
        match stage.at {
            Some(at) => self.next(at),
            None => self.first(stage.artifact.lang()),
        }
    }
}

impl Stage {
    /// A program as it was handed in.
    pub fn source(artifact: Artifact) -> Self {
        Self { at: None, artifact }
    }

    /// The tag of the step that made it, [`SOURCE`] for the source.
    pub fn by(&self) -> &'static str {
        self.at.map_or(SOURCE, Position::tag)
    }

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
            Stop::Broken(self.by(), text)
        })
    }
}

#[cfg(test)]
mod tests;
