//! One file an engine, and the list of them.

pub mod adapter;
pub mod child;
pub mod dawn;
pub mod device;
pub mod fun;
pub mod funmem;
pub mod imp;
pub mod spirv;
pub mod wgpu;
mod words;

pub use self::adapter::AdapterEngine;
pub use self::dawn::DawnEngine;
pub use self::device::DeviceEngine;
pub use self::fun::FunEngine;
pub use self::funmem::{HeapEngine, ValuesEngine};
pub use self::imp::ImpEngine;
pub use self::spirv::SpirvEngine;
pub use self::wgpu::WgpuEngine;

use crate::engine::{Engine, EngineId, NotRun, Threads};
use crate::language::Lang;
use reference::kit::faults::Planted;
use reference::kit::outcome::{Ending, Outcome, Why};

/// The engines that need no adapter, and what each is. Names are read, engines listed and asked
/// for by this list; what one is held against, `check::tester` says.
pub const SEMANTIC: [(EngineId, &str); 9] = [
    (EngineId::Fun, "FUN by values: the reference"),
    (EngineId::Values, "FUNMEM with its memory removed, by values"),
    (EngineId::FunMem, "FUNMEM by heap, with the traces of its threads"),
    (EngineId::Imp(Threads::InOrder), "IMP, its threads in order"),
    (EngineId::Imp(Threads::Reversed), "IMP, from the last thread to the first"),
    (EngineId::Imp(Threads::Shuffled), "IMP, its threads in a drawn order"),
    (EngineId::Imp(Threads::Interleaved), "IMP, its threads interleaved by small steps"),
    (EngineId::Device, "the device language, our evaluator"),
    (EngineId::Spirv, "the shaders, as naga hands them to a driver: executed and judged"),
];

/// An engine of the list; none for an adapter, which has to be opened.
pub fn semantic(id: &EngineId) -> Option<Box<dyn Engine>> {
    Some(match id {
        EngineId::Fun => Box::new(FunEngine),
        EngineId::Values => Box::new(ValuesEngine),
        EngineId::FunMem => Box::new(HeapEngine::new(Planted::NONE)),
        EngineId::Imp(threads) => Box::new(ImpEngine::new(*threads)),
        EngineId::Device => Box::new(DeviceEngine),
        EngineId::Spirv => Box::new(SpirvEngine::default()),
        EngineId::Wgpu(_) | EngineId::Dawn | EngineId::Tint => return None,
    })
}

/// The answer of an engine that was handed what it does not run.
fn not_its_language(engine: &dyn Engine, given: Lang) -> Outcome {
    let why = Why::NotModelled(format!("{} does not run {given}", engine.id()));
    Ending::Unknown(why).into()
}

/// Refuses a stage of another language.
fn only(engine: &dyn Engine, wants: Lang, given: Lang) -> Result<(), NotRun> {
    if wants == given {
        return Ok(());
    }
    Err(NotRun { engine: engine.id(), reason: format!("a stage of {given}, not of {wants}") })
}

#[cfg(test)]
mod tests {
    use super::{SEMANTIC, semantic};

    #[test]
    fn engines_are_called_by_their_names() {
        for (id, _) in SEMANTIC {
            assert_eq!(id.to_string().parse().as_ref(), Ok(&id));
            assert_eq!(semantic(&id).map(|engine| engine.id()), Some(id));
        }
    }
}
