//! A program that every release is shown: compiled and evaluated once.

use compiler::emit::wgsl::Writing;
use compiler::emit::workarounds::Workarounds;
use compiler::pass::poison_checks::Detail;
use compiler::pipeline::Stop;
use compiler::route::KernelOptions;
use compiler::run::forms::{Compiled, Forms};
use oracle::check::spirv::on_quick_look;
use oracle::engine::{Case, Engine, Stage};
use oracle::engines::LanguageEngine;
use oracle::language::Listed;
use oracle::profiles::reason;
use oracle::rolls::Rolls;
use oracle::stages::{CHECKED, Plan, Stages};
use reference::device::Device;
use reference::kit::outcome::{Ending, Outcome};
use reference::translate::expand_memory::Form;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

/// A program with the end that its shaders must have.
pub struct Program {
    /// The program and its input.
    pub case: Case,
    /// How its memory was expanded.
    pub form: Form,
    /// What its shaders are made of.
    pub stage: Stage<'static>,
    /// Which forms of its kernels are launched first, drawn as a campaign draws it for a quick look.
    pub first: Detail,
    /// How that ends, by the evaluator of the device language.
    pub truth: Outcome,
    long: OnceCell<bool>,
}

impl Program {
    /// Compiles and evaluates a case.
    ///
    /// # Errors
    /// Why its shaders could be held against nothing.
    pub fn of(case: Case, form: Form, rolls: &mut Rolls) -> Result<Program, String> {
        // A release is shown each program once, and any order is right.
        if case.program.is_open_to_order() {
            return Err("its results may depend on the order of threads".to_owned());
        }
        let plan = Plan { form, workarounds: Workarounds::None, ..Plan::default() };
        let stages = Stages::up_to(&case.program, plan, CHECKED);
        if let Some((pass, _)) = stages.end {
            return Err(format!("{pass} makes nothing of it"));
        }
        let stage = match stages.list.into_iter().next_back() {
            Some(Stage { id: CHECKED, artifact }) => {
                Stage { id: CHECKED, artifact: Cow::Owned(artifact.into_owned()) }
            }
            _ => return Err("it is not compiled to the end".to_owned()),
        };
        let truth = LanguageEngine::of::<Device>().run(&stage, &case, rolls);
        match &truth.ending {
            Ending::Unknown(why) => return Err(reason(why)),
            Ending::Broken(broken) => return Err(format!("the evaluator broke: {broken:?}")),
            Ending::Value(_) | Ending::Stuck(_) if !truth.races.is_empty() => {
                return Err("it races".to_owned());
            }
            Ending::Value(_) | Ending::Stuck(_) => {}
        }
        let first = on_quick_look(case.schedule);
        Ok(Program { case, form, stage, first, truth, long: OnceCell::new() })
    }

    /// Does a shader of it have integers of 64 bits?
    pub fn is_long(&self) -> bool {
        *self.long.get_or_init(|| {
            let writing = Writing { workarounds: Workarounds::None, ..Writing::default() };
            let Ok(forms) = self.forms(writing) else { return false };
            forms.iter().flatten().any(|compiled| compiled.form.i64)
        })
    }

    /// The texts of its shaders, one after the other: of each kernel the fast form, where that is launched
    /// first, and the full form.
    ///
    /// # Errors
    /// Why there are none.
    pub fn wgsl(&self, writing: Writing) -> Result<String, String> {
        let forms = self.forms(writing)?;
        let launched = forms.iter().flat_map(|[fast, full]| match self.first {
            Detail::Flag => vec![fast, full],
            Detail::Site => vec![full],
        });
        let texts: Vec<&str> = launched.map(|compiled| compiled.form.wgsl.as_str()).collect();
        Ok(texts.join("\n"))
    }

    /// The fast and the full form of each kernel, for every launch.
    fn forms(&self, writing: Writing) -> Result<Vec<[Rc<Compiled>; 2]>, String> {
        let Some(program) = Device::of(&self.stage.artifact) else {
            return Err("it is no program of the device language".to_owned());
        };
        let forms = Forms::of(program, KernelOptions { writing, ..KernelOptions::default() });
        let both = |number: usize| {
            let group = program.kernels[number].group;
            Ok([forms.fast_for_all(number, group)?, forms.full(number, group)?])
        };
        let both: Result<_, Stop> = (0..program.kernels.len()).map(both).collect();
        both.map_err(|stop| format!("{stop:?}"))
    }
}
