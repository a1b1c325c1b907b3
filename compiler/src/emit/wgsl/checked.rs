//! The shaders of a program whose checks still stand in its kernels ([`CHECKED`]), for who launches them
//! at once: most launches have no failed check, and that is known before they are made.
//!
//! Of such a launch the *bare* form is written, without the checks that cannot fail in it; of the others
//! it tells only that one did. Where that is so, or a loop has too many rounds, the kernel is compiled on:
//! the last passes say what a failed check does, and then it has the forms of any other.

use super::Shaders;
use super::module::{Form, module};
use super::shaders::{MOST_FORMS, grid};
use crate::pass::quiet::{Facts, bare};
use crate::pass::types::Types;
use crate::pipeline::routes::ROUTES;
use crate::pipeline::{self, CHECKED, PassCx, Plan, Stage, Stop};
use reference::device::record::Layout;
use reference::device::syntax::{Program, Site};
use reference::kit::text::Refused;
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// The kernels of a program that the pass [`CHECKED`] made.
pub struct Checked<'p> {
    program: &'p Program,
    types: Types,
    plan: Plan,
    kernels: Vec<Late>,
}

/// What was made of a kernel.
#[derive(Default)]
struct Late {
    /// Bare forms by what they take for granted.
    bare: RefCell<Vec<(Facts, Rc<Form>)>>,
    compiled: OnceCell<Result<Compiled, Stop>>,
}

/// A kernel that the passes behind [`CHECKED`] went over.
pub struct Compiled {
    /// Its forms, as those of the kernel with the number 0.
    pub shaders: Shaders<'static>,
    /// How its record is laid out, if it keeps one: the block of it is its last parameter.
    pub record: Option<Layout>,
    /// What its checks check; the passes added to those of the program.
    pub sites: Vec<Site>,
}

impl<'p> Checked<'p> {
    /// Nothing is written yet.
    pub fn of(program: &'p Program, plan: Plan) -> Self {
        let kernels = program.kernels.iter().map(|_| Late::default()).collect();
        Self { program, types: Types::of(program), plan, kernels }
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// The bare form of a kernel for a launch of so many invocations with these words of its
    /// arguments. `None` if a check fails there, or a loop may have many rounds.
    ///
    /// # Errors
    /// Its blocks nest too deeply.
    pub fn bare(
        &self,
        number: usize,
        invocations: u32,
        args: &[u32],
    ) -> Result<Option<Rc<Form>>, Refused> {
        let kernel = &self.program.kernels[number];
        let facts = Facts::of(kernel, invocations, args);
        let mut known = self.kernels[number].bare.borrow_mut();
        if let Some((_, form)) = known.iter().find(|(known, _)| *known == facts) {
            return Ok(Some(Rc::clone(form)));
        }
        let of = (&facts, invocations);
        let Some((bare, _)) = bare(kernel, &self.program.sites, &self.types, of) else {
            return Ok(None);
        };
        let (writing, grid) = (self.plan.writing(), grid(&bare, invocations));
        let form = module(self.program, (&bare, None), &self.types, writing, grid)?;
        let form = Rc::new(form);
        // One that is launched in a loop is launched with ever other arguments.
        if known.len() < MOST_FORMS {
            known.push((facts, Rc::clone(&form)));
        }
        Ok(Some(form))
    }

    /// The kernel, compiled on.
    ///
    /// # Errors
    /// A pass refuses it, or breaks it.
    pub fn compiled(&self, number: usize) -> Result<&Compiled, Stop> {
        let compile = || self.compile(number);
        self.kernels[number].compiled.get_or_init(compile).as_ref().map_err(Stop::clone)
    }

    fn compile(&self, number: usize) -> Result<Compiled, Stop> {
        let Program { names, structs, functions, kernels, sites, .. } = self.program;
        let alone = Program {
            names: names.clone(),
            structs: structs.clone(),
            functions: functions.clone(),
            kernels: vec![kernels[number].clone()],
            sites: sites.clone(),
            params: Vec::new(),
            host: Vec::new(),
            results: Vec::new(),
        };
        let at = ROUTES.tagged(CHECKED);
        let mut cx = PassCx::new(self.plan);
        let mut stage = Stage { at, artifact: alone.into() };
        while !stage.at.is_some_and(|at| ROUTES.is_last_of_language(at)) {
            let Some(next) = pipeline::next(Cow::Owned(stage), &mut cx)? else {
                unreachable!("the pass is one of those behind");
            };
            stage = next;
        }
        let Some(program) = stage.artifact.into_device() else {
            unreachable!("a pass to the device language made it");
        };
        let record = program.kernels[0].record;
        let sites = program.sites.clone();
        Ok(Compiled { shaders: Shaders::owning(program, self.plan.writing()), record, sites })
    }
}
