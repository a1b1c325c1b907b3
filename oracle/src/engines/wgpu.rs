//! `wgpu:ADAPTER`: an adapter, in a child process.

use super::child::{Child, End, Launcher};
use super::{not_its_language, only};
use crate::engine::{Case, Engine, EngineId, NotRun, Stage};
use crate::language::Listed;
use crate::profiles;
use crate::rolls::Rolls;
use compiler::route::KernelOptions;
use compiler::run::bound::Bound;
use compiler::target::Adapter;
use reference::device::Device;
use reference::kit::outcome::{Ending, Outcome, Stats};
use std::time::Duration;

/// An adapter.
pub struct WgpuEngine {
    adapter: Adapter,
    child: Child,
    /// How kernels are compiled.
    pub options: KernelOptions,
}

impl WgpuEngine {
    /// The adapter; its child is started when it is first asked.
    pub fn new(adapter: &Adapter, launcher: &Launcher) -> Self {
        let child = Child::new(launcher, &adapter.id);
        Self { adapter: adapter.clone(), child, options: KernelOptions::default() }
    }

    /// What it says of itself.
    pub fn adapter(&self) -> &Adapter {
        &self.adapter
    }

    /// The same adapter, of whose child nothing was asked yet.
    pub fn fresh(&self) -> Self {
        Self { adapter: self.adapter.clone(), child: self.child.fresh(), options: self.options }
    }

    /// How the child's processes ended since this was asked last.
    pub fn take_ends(&mut self) -> Vec<End> {
        std::mem::take(&mut self.child.ends)
    }

    /// How the last of them ended.
    pub fn last_end(&self) -> Option<End> {
        self.child.ends.last().copied()
    }

    /// Runs a shader that somebody wrote, and gives what its buffers hold then.
    ///
    /// # Errors
    /// How it broke, or why there is no answer.
    pub fn launch(&mut self, bound: &Bound) -> Result<Vec<Vec<u32>>, Ending> {
        self.child.launch(bound)
    }

    /// The processor time that the child has had so far, where the system says so.
    pub fn processor_time(&self) -> Option<Duration> {
        self.child.processor_time()
    }
}

impl Engine for WgpuEngine {
    fn id(&self) -> EngineId {
        EngineId::Wgpu(self.adapter.id.clone())
    }

    fn admits(&self, stage: &Stage, _: &Case, stats: &Stats) -> Result<(), NotRun> {
        only(self, Device::LANG, stage.artifact.lang())?;
        profiles::trusted(&self.adapter, stats)
            .map_err(|reason| NotRun { engine: self.id(), reason })
    }

    fn run(&mut self, stage: &Stage, case: &Case, _: &mut Rolls) -> Outcome {
        let Some(program) = Device::of(&stage.artifact) else {
            return not_its_language(self, stage.artifact.lang());
        };
        self.child.run(program, &case.input, &case.budget, self.options)
    }
}
