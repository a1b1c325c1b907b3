//! `dawn`: the shaders on an adapter of Dawn, whose Tint is a compiler of WGSL that knows nothing of
//! naga.
//!
//! Dawn comes as the npm package `webgpu` and runs in a process of node, which is driven as any
//! child is: with a time limit and a memory budget. The host loop stays here, and what is asked of
//! that process is one launch at a time, with all words of the program's memory
//! ([`words`](super::words)): Dawn holds nothing that a program could not have given it.

mod device;
mod protocol;
mod tint;

pub use protocol::FOLDER;
pub use tint::Tint;

use super::child::{End, Launcher, unlisted};
use super::words::HostArena;
use super::{not_its_language, only};
use crate::engine::{Case, Engine, EngineId, NotRun, Stage};
use crate::language::Listed;
use crate::panics::guarded;
use crate::profiles;
use crate::rolls::Rolls;
use compiler::pass::poison_checks::Detail;
use compiler::route::KernelOptions;

use compiler::run::bound::Bound;
use compiler::run::forms::Forms;
use compiler::run::launcher;
use compiler::target::{Adapter, Defect, Features, Limits};
use device::{Device, Running};
use protocol::Ready;
use reference::device::Device as Language;
use reference::device::syntax::Program;
use reference::kit::outcome::{Broken, Ending, Outcome, Stats};
use std::time::Duration;

/// The name of the engine, and of its adapter where adapters are listed.
pub use crate::engine::DAWN as NAME;

/// The name of the engine that executes what Tint writes.
pub use crate::engine::TINT;

/// What Dawn is told.
const TOGGLES: &[&str] = &[];

/// The adapter that Dawn takes here.
///
/// # Errors
/// Why there is none.
pub fn find(launcher: &Launcher) -> Result<Adapter, String> {
    Device::new(launcher, TOGGLES).describe().map(described).map_err(unlisted)
}

fn described(ready: Ready) -> Adapter {
    let small = |limit: u64| u32::try_from(limit).unwrap_or(u32::MAX);
    let [buffers, binding_size, buffer_size, invocations, group_size, group_memory, groups] =
        ready.limits;
    // Tint hands its SPIR-V to a driver that has its own.
    let defects = Defect::of(&ready.name, &ready.driver, &ready.driver);
    Adapter {
        id: NAME.to_owned(),
        name: ready.name,
        driver: format!("Dawn, webgpu {}", ready.version),
        driver_info: ready.driver,
        backend: NAME.to_owned(),
        device_type: if ready.fallback { "cpu" } else { "other" }.to_owned(),
        limits: Limits {
            storage_buffers: small(buffers),
            binding_size,
            buffer_size,
            invocations: small(invocations),
            group_size: small(group_size),
            group_memory: small(group_memory),
            groups: small(groups),
        },
        // No WGSL of Dawn has integers or floats of 64 bits.
        features: Features { i64: false, f64: false, f16: ready.f16, subgroups: ready.subgroups },
        defects,
    }
}

/// An adapter of Dawn.
pub struct DawnEngine {
    adapter: Adapter,
    device: Device,
    /// How kernels are compiled.
    pub options: KernelOptions,
}

impl DawnEngine {
    /// The adapter that [`find`] found; its process is started when it is first asked.
    pub fn new(adapter: &Adapter, launcher: &Launcher) -> Self {
        let device = Device::new(launcher, TOGGLES);
        Self { adapter: adapter.clone(), device, options: KernelOptions::default() }
    }

    /// What it says of itself.
    pub fn adapter(&self) -> &Adapter {
        &self.adapter
    }

    /// The processor time that its process has had so far, where the system says so.
    pub fn processor_time(&self) -> Option<Duration> {
        self.device.processor_time()
    }

    /// The same adapter, of whose process nothing was asked yet.
    pub fn fresh(&self) -> Self {
        let device = Device::new(self.device.launcher(), TOGGLES);
        Self { adapter: self.adapter.clone(), device, options: self.options }
    }

    /// How its processes ended since this was asked last.
    pub fn take_ends(&mut self) -> Vec<End> {
        std::mem::take(&mut self.device.ends)
    }

    /// How the last of them ended.
    pub fn last_end(&self) -> Option<End> {
        self.device.ends.last().copied()
    }

    /// What its Tint writes.
    pub fn tint(&self) -> Tint {
        Tint::new(self.device.launcher())
    }

    /// Runs a shader that somebody wrote, and gives what its buffers hold then.
    ///
    /// # Errors
    /// How it broke, or why there is no answer.
    pub fn launch(&mut self, bound: &Bound) -> Result<Vec<Vec<u32>>, Ending> {
        self.device.begin();
        let ran = self.device.launch(bound);
        self.device.settle(&match &ran {
            // What Tint says against a text is an answer like another.
            Ok(_) | Err(Ending::Broken(Broken::Invalid(_))) => Ending::Value(Vec::new()),
            Err(ending) => ending.clone(),
        });
        ran
    }

    fn compiled_and_run(&mut self, program: &Program, case: &Case) -> Outcome {
        self.device.begin();
        let running = Running { device: &mut self.device, adapter: &self.adapter, steps: 0 };
        let forms = Forms::of(program, self.options);
        let mut device = HostArena::new(running, &program.names);
        let first = Detail::Flag;
        let outcome = launcher::run(&forms, &case.input, &mut device, first, &case.budget);
        self.device.settle(&outcome.ending);
        outcome
    }
}

impl Engine for DawnEngine {
    fn id(&self) -> EngineId {
        EngineId::Dawn
    }

    fn admits(&self, stage: &Stage, _: &Case, stats: &Stats) -> Result<(), NotRun> {
        only(self, Language::LANG, stage.artifact.lang())?;
        profiles::trusted(&self.adapter, stats)
            .map_err(|reason| NotRun { engine: self.id(), reason })
    }

    fn run(&mut self, stage: &Stage, case: &Case, _: &mut Rolls) -> Outcome {
        let Some(program) = Language::of(&stage.artifact) else {
            return not_its_language(self, stage.artifact.lang());
        };
        guarded(|| self.compiled_and_run(program, case))
    }
}
