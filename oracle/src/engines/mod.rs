//! One file an engine.

pub mod child;
pub mod device;
pub mod fun;
pub mod funmem;
pub mod imp;
pub mod wgpu;

pub use self::device::DeviceEngine;
pub use self::fun::FunEngine;
pub use self::funmem::{HeapEngine, ValuesEngine};
pub use self::imp::ImpEngine;
pub use self::wgpu::WgpuEngine;

use crate::engine::{Engine, NotRun};
use crate::language::Lang;
use reference::kit::outcome::{Ending, Outcome, Stats, Why};

/// The answer of an engine that was handed what it does not run.
fn not_its_language(engine: &dyn Engine, given: Lang) -> Outcome {
    let why = Why::NotModelled(format!("{} does not run {given}", engine.id()));
    Outcome { ending: Ending::Unknown(why), races: Vec::new(), stats: Stats::default() }
}

/// Refuses a stage of another language.
fn only(engine: &dyn Engine, wants: Lang, given: Lang) -> Result<(), NotRun> {
    if wants == given {
        return Ok(());
    }
    Err(NotRun { engine: engine.id(), reason: format!("a stage of {given}, not of {wants}") })
}
