//! An adapter as an engine, whichever way it is reached.

use super::child::{End, Launcher};
use super::dawn::{DawnEngine, Tint};
use super::wgpu::WgpuEngine;
use crate::engine::{Case, Engine, EngineId, NotRun, Stage};
use crate::rolls::Rolls;
use compiler::route::KernelOptions;
use compiler::run::bound::Bound;
use compiler::target::Adapter;
use reference::kit::outcome::{Ending, Outcome, Stats};
use std::time::Duration;

/// An adapter.
pub enum AdapterEngine {
    /// Through wgpu.
    Wgpu(Box<WgpuEngine>),
    /// Through Dawn.
    Dawn(Box<DawnEngine>),
}

impl AdapterEngine {
    /// The adapter; its process is started when it is first asked.
    pub fn new(adapter: &Adapter, launcher: &Launcher) -> Self {
        match EngineId::of(adapter) {
            EngineId::Dawn => Self::Dawn(Box::new(DawnEngine::new(adapter, launcher))),
            _ => Self::Wgpu(Box::new(WgpuEngine::new(adapter, launcher))),
        }
    }

    /// What it says of itself.
    pub fn adapter(&self) -> &Adapter {
        match self {
            Self::Wgpu(engine) => engine.adapter(),
            Self::Dawn(engine) => engine.adapter(),
        }
    }

    /// Compiles kernels like this from now on.
    pub fn set_options(&mut self, options: KernelOptions) {
        match self {
            Self::Wgpu(engine) => engine.options = options,
            Self::Dawn(engine) => engine.options = options,
        }
    }

    /// Runs a shader that somebody wrote, and gives what its buffers hold then.
    ///
    /// # Errors
    /// How it broke, or why there is no answer.
    pub fn launch(&mut self, bound: &Bound) -> Result<Vec<Vec<u32>>, Ending> {
        match self {
            Self::Wgpu(engine) => engine.launch(bound),
            Self::Dawn(engine) => engine.launch(bound),
        }
    }

    /// The processor time that its process has had so far, where the system says so.
    pub fn processor_time(&self) -> Option<Duration> {
        match self {
            Self::Wgpu(engine) => engine.processor_time(),
            Self::Dawn(engine) => engine.processor_time(),
        }
    }

    /// The same adapter, of whose process nothing was asked yet.
    pub fn fresh(&self) -> Self {
        match self {
            Self::Wgpu(engine) => Self::Wgpu(Box::new(engine.fresh())),
            Self::Dawn(engine) => Self::Dawn(Box::new(engine.fresh())),
        }
    }

    /// How its processes ended since this was asked last.
    pub fn take_ends(&mut self) -> Vec<End> {
        match self {
            Self::Wgpu(engine) => engine.take_ends(),
            Self::Dawn(engine) => engine.take_ends(),
        }
    }

    /// How the last of them ended.
    pub fn last_end(&self) -> Option<End> {
        match self {
            Self::Wgpu(engine) => engine.last_end(),
            Self::Dawn(engine) => engine.last_end(),
        }
    }

    /// What the Tint of Dawn writes of the same shaders.
    pub fn tint(&self) -> Option<Tint> {
        match self {
            Self::Wgpu(_) => None,
            Self::Dawn(engine) => Some(engine.tint()),
        }
    }

    fn engine(&self) -> &dyn Engine {
        match self {
            Self::Wgpu(engine) => &**engine,
            Self::Dawn(engine) => &**engine,
        }
    }
}

impl Engine for AdapterEngine {
    fn id(&self) -> EngineId {
        self.engine().id()
    }

    fn admits(&self, stage: &Stage, case: &Case, stats: &Stats) -> Result<(), NotRun> {
        self.engine().admits(stage, case, stats)
    }

    fn run(&mut self, stage: &Stage, case: &Case, rolls: &mut Rolls) -> Outcome {
        match self {
            Self::Wgpu(engine) => engine.run(stage, case, rolls),
            Self::Dawn(engine) => engine.run(stage, case, rolls),
        }
    }
}
