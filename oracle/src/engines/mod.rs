//! One file an engine, and the list of them. The semantics of all languages are one engine.

pub mod adapter;
pub mod child;
pub mod dawn;
pub mod language;
pub mod launch_facts;
pub mod spirv;
pub mod wgpu;
mod words;

pub use self::adapter::AdapterEngine;
pub use self::dawn::DawnEngine;
pub use self::language::LanguageEngine;
pub use self::spirv::SpirvEngine;
pub use self::wgpu::WgpuEngine;

use crate::engine::{Engine, EngineId, NotRun};
use crate::language::Lang;
use reference::kit::outcome::{Ending, Outcome, Why};

/// The engines that need no adapter, and what each is: the semantics of the table of languages, and
/// the executor of shaders.
pub fn without_adapter() -> impl Iterator<Item = (EngineId, &'static str)> {
    const SPIRV: &str = "the shaders, as naga hands them to a driver: executed and judged";
    EngineId::semantics().chain([(EngineId::Spirv, SPIRV)])
}

/// An engine of the list; none for an adapter, which has to be opened.
pub fn semantic(id: &EngineId) -> Option<Box<dyn Engine>> {
    Some(match id {
        EngineId::Semantic(lang, variant) => Box::new(LanguageEngine::new(*lang, variant)),
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
    use super::{semantic, without_adapter};

    #[test]
    fn engines_are_called_by_their_names() {
        for (id, _) in without_adapter() {
            assert_eq!(id.to_string().parse().as_ref(), Ok(&id));
            assert_eq!(semantic(&id).map(|engine| engine.id()), Some(id));
        }
    }
}
