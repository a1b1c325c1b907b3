//! From WGSL to modules that can be executed, each made once.

use super::fault::Maker;
use crate::engine::EngineId;
use crate::engines::child::End;
use crate::panics::catch;
use compiler::emit::spirv::{Rejection, Series, with_lines};
use compiler::recent::Recent;
use reference::kit::derivation::Recorder;
use reference::spirv::parse::load;
use reference::spirv::rules::Rule;
use reference::spirv::syntax::Module;
use reference::spirv::validate::validate;
use reference::spirv::values::{Finding, LoadError};
use std::sync::{Arc, Mutex, PoisonError};

/// Modules that are kept at most: a campaign makes ever new ones, and the memory of more than these does not
/// stay near the processor, which costs more than to make a few again.
const MAX_MODULES: usize = 64;
/// Bytes of their WGSL: a module is some times as large as its text.
const MAX_TEXTS: usize = 8 << 20;

/// A compiler of WGSL, whose SPIR-V is executed and judged. It may panic: that is a finding.
pub trait Translator: Send + Sync {
    /// What reports call it.
    fn name(&self) -> &str;

    /// The words of the module of a WGSL text, whose entry point is `main`. With `lines` the
    /// module holds names, and the lines of the text, as far as the compiler can write them.
    ///
    /// # Errors
    /// What the compiler says against the text, or why it says nothing.
    fn words(&self, wgsl: &str, lines: bool) -> Result<Vec<u32>, NoWords>;

    /// How its processes ended since this was asked last, if it has any.
    fn take_ends(&self) -> Vec<End> {
        Vec::new()
    }

    /// The engine that executes its modules.
    fn engine(&self) -> EngineId {
        EngineId::Spirv
    }

    /// The compiler that is blamed for what no WGSL asks for.
    fn maker(&self) -> Maker {
        Maker::Naga
    }

    /// Does it take 64-bit integers, which no standard of WGSL has?
    fn takes_i64(&self) -> bool {
        true
    }
}

/// Why there is no module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoWords {
    /// The compiler refuses the text.
    Refused(Rejection),
    /// Its answer cannot be read.
    Unread(String),
    /// It could not be asked this time.
    Absent(String),
}

impl From<Rejection> for NoWords {
    fn from(rejection: Rejection) -> Self {
        NoWords::Refused(rejection)
    }
}

/// The naga that emitted shaders are made for, asked as wgpu asks it.
#[derive(Default)]
pub struct Naga(Mutex<Series>);

impl Translator for Naga {
    fn name(&self) -> &'static str {
        "naga"
    }

    fn words(&self, wgsl: &str, lines: bool) -> Result<Vec<u32>, NoWords> {
        if lines {
            return Ok(with_lines(wgsl)?);
        }
        // After a panic it is as good as new.
        let mut series = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(series.for_vulkan(wgsl)?)
    }
}

/// Why a shader has no module that could be executed.
#[derive(Clone, Debug)]
pub(super) enum Refusal {
    /// The compiler refuses the WGSL.
    Refused(String),
    /// The compiler panics.
    Panicked(String),
    /// Its module breaks a rule of structure.
    Invalid(Box<Finding>),
    /// It is outside of the executor's subset.
    NotModelled(String),
    /// The compiler gave no answer; it may give one when it is asked again.
    Absent(String),
}

type Made = Result<Arc<Module>, Refusal>;

/// Modules by their WGSL, and the compiler that makes them.
pub(super) struct Modules {
    translator: Arc<dyn Translator>,
    known: Recent<Made>,
}

impl Modules {
    /// None is made yet.
    pub(super) fn new(translator: Arc<dyn Translator>) -> Self {
        Self { translator, known: Recent::new(MAX_MODULES, MAX_TEXTS) }
    }

    /// The compiler that makes them.
    pub(super) fn by(&self) -> &dyn Translator {
        &*self.translator
    }

    /// The module that a driver would be handed.
    pub(super) fn of(&mut self, wgsl: &str, recorder: &mut Recorder<Rule>) -> Made {
        if let Some(made) = self.known.get(wgsl) {
            return made;
        }
        let made = self.make(wgsl, false, recorder);
        if !matches!(made, Err(Refusal::Absent(_))) {
            self.known.insert(wgsl.to_owned(), made.clone());
        }
        made
    }

    /// The same module, with names and lines for a report.
    pub(super) fn lined(&self, wgsl: &str, recorder: &mut Recorder<Rule>) -> Made {
        self.make(wgsl, true, recorder)
    }

    fn make(&self, wgsl: &str, lines: bool, recorder: &mut Recorder<Rule>) -> Made {
        let words = match catch(|| self.translator.words(wgsl, lines)) {
            Ok(Ok(words)) => words,
            Ok(Err(NoWords::Refused(error))) => return Err(Refusal::Refused(error.to_string())),
            Ok(Err(NoWords::Unread(why))) => return Err(Refusal::NotModelled(why)),
            Ok(Err(NoWords::Absent(why))) => return Err(Refusal::Absent(why)),
            Err(text) => return Err(Refusal::Panicked(text)),
        };
        // Of what no run needs, builds for tests are asked for too.
        if cfg!(debug_assertions) {
            validate(&words, &mut Recorder::counting()).map_err(Refusal::Invalid)?;
        }
        load(&words, "main", recorder).map(Arc::new).map_err(|error| match error {
            LoadError::Invalid(finding) => Refusal::Invalid(finding),
            LoadError::Unsupported(text) => Refusal::NotModelled(text),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Modules, Naga, NoWords, Refusal, Translator};
    use reference::kit::derivation::Recorder;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Gives no answer the first time.
    struct Late(AtomicBool);

    impl Translator for Late {
        fn name(&self) -> &'static str {
            "late"
        }

        fn words(&self, wgsl: &str, lines: bool) -> Result<Vec<u32>, NoWords> {
            if self.0.swap(false, Ordering::Relaxed) {
                return Err(NoWords::Absent("not now".to_owned()));
            }
            Naga::default().words(wgsl, lines)
        }
    }

    #[test]
    fn who_gave_no_answer_is_asked_again() {
        let mut modules = Modules::new(Arc::new(Late(AtomicBool::new(true))));
        let mut made = || {
            let wgsl = "@compute @workgroup_size(1) fn main() {}";
            modules.of(wgsl, &mut Recorder::counting())
        };
        assert!(matches!(made(), Err(Refusal::Absent(why)) if why == "not now"));
        assert!(made().is_ok());
    }
}
