//! From WGSL to modules that can be executed, each made once.

use crate::panics::catch;
use compiler::emit::spirv::{for_vulkan, with_lines};
use reference::kit::derivation::Recorder;
use reference::spirv::parse::load;
use reference::spirv::rules::Rule;
use reference::spirv::syntax::Module;
use reference::spirv::values::{Finding, LoadError};
use std::collections::HashMap;
use std::sync::Arc;

/// Modules that are kept at most: a campaign makes ever new ones.
const MAX_MODULES: usize = 512;

/// Why a shader has no module that could be executed.
#[derive(Clone, Debug)]
pub(super) enum Refusal {
    /// naga refuses the WGSL.
    Refused(String),
    /// naga panics.
    Panicked(String),
    /// naga's module breaks a rule of structure.
    Invalid(Box<Finding>),
    /// It is outside of the executor's subset.
    NotModelled(String),
}

type Made = Result<Arc<Module>, Refusal>;

/// Modules by their WGSL.
#[derive(Default)]
pub(super) struct Modules {
    known: HashMap<String, Made>,
}

impl Modules {
    /// The module that a driver would be handed.
    pub(super) fn of(&mut self, wgsl: &str, recorder: &mut Recorder<Rule>) -> Made {
        if let Some(made) = self.known.get(wgsl) {
            return made.clone();
        }
        let made = make(wgsl, for_vulkan, recorder);
        if self.known.len() >= MAX_MODULES {
            self.known.clear();
        }
        self.known.insert(wgsl.to_owned(), made.clone());
        made
    }
}

/// The same module, with names and lines for a report.
pub(super) fn lined(wgsl: &str, recorder: &mut Recorder<Rule>) -> Made {
    make(wgsl, with_lines, recorder)
}

type Written = Result<Vec<u32>, compiler::emit::spirv::Rejection>;

fn make(wgsl: &str, write: fn(&str) -> Written, recorder: &mut Recorder<Rule>) -> Made {
    let words = match catch(|| write(wgsl)) {
        Ok(Ok(words)) => words,
        Ok(Err(error)) => return Err(Refusal::Refused(error.to_string())),
        Err(text) => return Err(Refusal::Panicked(text)),
    };
    load(&words, "main", recorder).map(Arc::new).map_err(|error| match error {
        LoadError::Invalid(finding) => Refusal::Invalid(finding),
        LoadError::Unsupported(text) => Refusal::NotModelled(text),
    })
}
