//! `spirv` and `spirv:tint`: the SPIR-V of the shaders, executed and judged.
//!
//! What is run is what a compiler of WGSL writes for a driver: naga
//! ([`compiler::emit::spirv::for_vulkan`]), or another [`Translator`], such as Tint. If a run
//! shows that something is wrong, it is run again with the names and lines of the WGSL in the
//! module, for the report.

mod fault;
mod machine;
mod modules;
mod trace;

pub use fault::{Evidence, Fault, Maker};
pub use modules::{Naga, NoWords, Translator};
pub use trace::{Trace, Traced};

use super::child::End;
use super::words::HostArena;
use super::{not_its_language, only};
use crate::engine::{Case, Engine, EngineId, NotRun, Stage};
use crate::language::Listed;
use crate::panics::guarded;
use crate::rolls::Rolls;
use crate::stages::CHECKED;
use compiler::emit::wgsl;
use compiler::pass::poison_checks::Detail;
use compiler::route::Plan;
use compiler::run::forms::Forms;
use compiler::run::launcher;
use fault::Form;
use machine::Executing;
use modules::Modules;
use reference::device::Device;
use reference::device::syntax::Program;
use reference::kit::derivation::Recorder;
use reference::kit::outcome::{Broken, Outcome, Stats};
use reference::kit::schedule::Order;
use reference::spirv::eval::{Executor, WORD_BYTES};
use reference::spirv::rules::Rule;
use std::sync::Arc;

/// How the shaders are made and run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How kernels are compiled and shaders written.
    pub plan: Plan,
    /// Which forms are launched first. Full forms are launched after a failed check in any case.
    pub first: Detail,
}

impl Default for Options {
    fn default() -> Self {
        Self { plan: Plan::default(), first: Detail::Flag }
    }
}

/// Bytes of a run's memory above which the executor does not keep it.
const LARGE: u64 = 16 << 20;

/// The executor of SPIR-V.
pub struct SpirvEngine {
    /// How the shaders are made and run.
    pub options: Options,
    modules: Modules,
    executor: Executor,
    /// The roll of the room, which its own tests judge.
    recorder: Recorder<Rule>,
    faults: Vec<Fault>,
}

impl Default for SpirvEngine {
    fn default() -> Self {
        Self::new(Options::default())
    }
}

impl SpirvEngine {
    /// An engine that has made nothing yet.
    pub fn new(options: Options) -> Self {
        Self::by(Arc::new(Naga::default()), options)
    }

    /// An engine of modules that another compiler than our naga makes.
    pub fn by(translator: Arc<dyn Translator>, options: Options) -> Self {
        Self {
            options,
            modules: Modules::new(translator),
            executor: Executor::new(),
            recorder: Recorder::counting(),
            faults: Vec::new(),
        }
    }

    /// The same with no options, such as one of the modules that Tint makes.
    pub fn of(translator: impl Translator + 'static) -> Self {
        Self::by(Arc::new(translator), Options::default())
    }

    /// How the processes of the maker of its modules ended since this was asked last.
    pub fn take_ends(&self) -> Vec<End> {
        self.modules.by().take_ends()
    }

    /// What was wrong with the shaders of the last run: races, and last what ended it.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Makes every shader of a compilation a module, whether it is launched or not.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub fn makes(&mut self, shaders: &[wgsl::Form]) -> Result<(), (Fault, Broken)> {
        for wgsl::Form { wgsl, .. } in shaders {
            let Err(refusal) = self.modules.of(wgsl, &mut self.recorder) else { continue };
            let by = self.modules.by();
            let detail = self.options.plan.detail;
            let form = Form { kernel: Some("main"), detail, wgsl, maker: by.maker() };
            if let Ok(refused) = Fault::refused(refusal, form, by.name()) {
                return Err(refused);
            }
        }
        Ok(())
    }

    /// Runs, and if something is wrong again, with the lines of the WGSL in the modules.
    fn executed_well(&mut self, program: &Program, case: &Case) -> Outcome {
        let forms = Forms::of(program, self.options.plan.kernels());
        let outcome = self.executed(&forms, case, false, None);
        if self.faults.is_empty() { outcome } else { self.executed(&forms, case, true, None) }
    }

    /// Runs the stage that shaders are made of, and keeps what its launches work on.
    pub fn traced(&mut self, program: &Program, case: &Case) -> Trace {
        let mut trace = Trace::default();
        let forms = Forms::of(program, self.options.plan.kernels());
        guarded(|| self.executed(&forms, case, false, Some(&mut trace)));
        trace
    }

    fn executed(
        &mut self,
        forms: &Forms<'_>,
        case: &Case,
        lines: bool,
        trace: Option<&mut Trace>,
    ) -> Outcome {
        // A program that goes by the rules does the same in each.
        let order = match case.schedule % 4 {
            0 => Order::InOrder,
            1 => Order::Reversed,
            2 => Order::Shuffled(case.schedule),
            _ => Order::Interleaved(case.schedule),
        };
        let Self { options, modules, executor, recorder, faults, .. } = self;
        let used = machine::Used { modules, executor, recorder, faults };
        let program = forms.program();
        let runner = Executing::new(program, order, lines, &case.budget, used, trace);
        let mut device = HostArena::new(runner, &program.names);
        let outcome = launcher::run(forms, &case.input, &mut device, options.first, &case.budget);
        let bytes = u64::from(device.words.placed.words()) * WORD_BYTES;
        if device.runner.most.max(bytes) > LARGE {
            self.executor = Executor::new();
        }
        outcome
    }
}

impl Engine for SpirvEngine {
    fn id(&self) -> EngineId {
        self.modules.by().engine()
    }

    fn admits(&self, stage: &Stage, _: &Case, _: &Stats) -> Result<(), NotRun> {
        only(self, Device::LANG, stage.artifact.lang())?;
        if stage.id == CHECKED {
            return Ok(());
        }
        let reason = format!("a stage of {}, not the one that shaders are made of", stage.id);
        Err(NotRun { engine: self.id(), reason })
    }

    fn run(&mut self, stage: &Stage, case: &Case, _: &mut Rolls) -> Outcome {
        let Some(program) = Device::of(&stage.artifact) else {
            return not_its_language(self, stage.artifact.lang());
        };
        guarded(|| self.executed_well(program, case))
    }
}
