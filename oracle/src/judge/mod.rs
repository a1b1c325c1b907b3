//! Judges compute shaders that others wrote: runs them in several orders of their invocations by the executor of SPIR-V, and
//! says what the specifications of WGSL and SPIR-V leave undefined or open.
//!
//! ```no_run
//! let report = oracle::judge::judge(include_str!("mod.rs"))
//!     .constant("N", 64)
//!     .buffer("data", &[1u32, 2, 3, 4])
//!     .dispatch([1, 1, 1])
//!     .run()
//!     .expect("it can be judged");
//! report.assert_clean();
//! assert_eq!(report.buffer::<u32>("data"), Some(vec![1, 2, 3, 4]));
//! ```

mod class;
mod contents;
mod data;
mod devices;
mod made_up;
mod orders;
mod relaxed;
mod runs;
mod sarif;
mod shader;
mod specialized;
mod unfit;
mod verdict;

pub use class::{Class, Level, Levels};
pub use contents::{Contents, Kind, PlaceName, Spec, written};
pub use data::Data;
pub use devices::{Devices, Heard, Launched};
pub use runs::Buffered;
pub use sarif::sarif;
pub use shader::{Loaded, NoShader, load};
pub use unfit::Unfit;
pub use verdict::Verdict;

use compiler::emit::foreign::Resource;
use reference::kit::faults::Planted;
use reference::spirv::assemble::{Unread, assemble_with_lines};
use reference::spirv::disassemble::{Disassembled, disassemble_with_lines};
use reference::spirv::parse::outline::{NoModule, words_of};
use reference::spirv::rules::Rule;
use reference::spirv::values::Finding;
use serde::Serialize;

/// The text or the words of a shader.
#[derive(Clone, Debug)]
pub enum Source {
    /// A text of WGSL, judged by the rules of WGSL.
    Wgsl(String),
    /// A module, judged by those of SPIR-V and Vulkan.
    Spirv {
        /// Its words.
        words: Vec<u32>,
        /// The text whose lines its `OpLine` says, if there is one.
        text: Option<String>,
    },
}

impl From<&str> for Source {
    fn from(text: &str) -> Self {
        Source::Wgsl(text.to_owned())
    }
}

impl From<Vec<u32>> for Source {
    /// A module, of which reports show the disassembly.
    fn from(words: Vec<u32>) -> Self {
        match disassemble_with_lines(&words) {
            Some(Disassembled { words, text }) => Source::Spirv { words, text: Some(text) },
            None => Source::Spirv { words, text: None },
        }
    }
}

impl Source {
    /// A module from the bytes of its file.
    ///
    /// # Errors
    /// They are no module, or only the beginning of one.
    pub fn binary(bytes: &[u8]) -> Result<Self, NoModule> {
        words_of(bytes).map(Self::from)
    }

    /// A module from its assembly.
    ///
    /// # Errors
    /// A line is not understood.
    pub fn assembly(text: &str) -> Result<Self, Unread> {
        Ok(Source::Spirv { words: assemble_with_lines(text)?, text: Some(text.to_owned()) })
    }

    /// The text that reports point into.
    pub fn text(&self) -> Option<&str> {
        match self {
            Source::Wgsl(text) => Some(text),
            Source::Spirv { text, .. } => text.as_deref(),
        }
    }
}

/// What is asked of a judge.
#[derive(Clone, Debug)]
pub struct Judge {
    pub(crate) source: Source,
    /// The entry point, if there are several.
    pub entry: Option<String>,
    /// Constants of the pipeline, by name or number.
    pub constants: Vec<(String, f64)>,
    /// What buffers hold before the first dispatch.
    pub buffers: Vec<(PlaceName, Contents)>,
    /// What they are to hold behind the last one.
    pub expected: Vec<(PlaceName, Contents)>,
    /// By how much of itself a float may differ from what is expected.
    pub tolerance: f32,
    /// Buffers whose words may come in any order.
    pub any_order: Vec<PlaceName>,
    /// Buffers whose contents behind the runs are asked for, or from which word of them up to which.
    pub shown: Vec<(PlaceName, Option<(usize, usize)>)>,
    /// Work groups of each dispatch; none is one of one group.
    pub dispatches: Vec<[u32; 3]>,
    /// Invocations of a subgroup: each of these is tried.
    pub subgroups: Vec<u32>,
    /// How many orders of invocations are tried.
    pub orders: u32,
    /// By what they are drawn.
    pub seed: u64,
    /// Instructions of an invocation.
    pub fuel: u64,
    /// Bytes that a run may take.
    pub memory: u64,
    /// How much classes weigh.
    pub levels: Levels,
    /// The fault that the judge has, if any.
    pub planted: Planted,
}

/// A judge of this shader.
pub fn judge(source: impl Into<Source>) -> Judge {
    Judge {
        source: source.into(),
        entry: None,
        constants: Vec::new(),
        buffers: Vec::new(),
        expected: Vec::new(),
        tolerance: 0.0,
        any_order: Vec::new(),
        shown: Vec::new(),
        dispatches: Vec::new(),
        subgroups: vec![32],
        orders: 16,
        seed: 1,
        fuel: 1 << 20,
        memory: 1 << 30,
        levels: Levels::default(),
        planted: Planted::NONE,
    }
}

impl Judge {
    /// Of this entry point.
    #[must_use]
    pub fn entry(mut self, name: &str) -> Self {
        self.entry = Some(name.to_owned());
        self
    }

    /// With a constant of the pipeline, by its name or its `@id`.
    #[must_use]
    pub fn constant(mut self, key: &str, value: impl Into<f64>) -> Self {
        self.constants.push((key.to_owned(), value.into()));
        self
    }

    /// With this in a buffer, by the name of its variable or `GROUP.BINDING`.
    #[must_use]
    pub fn buffer<T: Data>(mut self, place: &str, data: &[T]) -> Self {
        let contents = Contents { words: data::words_of(data), element: None };
        self.buffers.push((PlaceName(place.to_owned()), contents));
        self
    }

    /// With one more dispatch of so many work groups, over the same buffers.
    #[must_use]
    pub fn dispatch(mut self, groups: [u32; 3]) -> Self {
        self.dispatches.push(groups);
        self
    }

    /// Runs the shader in all orders.
    ///
    /// # Errors
    /// Why it cannot be run: the shader, or what was said of its buffers.
    pub fn run(&self) -> Result<Report, NoShader> {
        self.judged(None)
    }

    /// The same, and if nothing is told of the shader launches it on adapters too: what these leave has to be what a run
    /// leaves.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_on(&self, devices: &mut Devices) -> Result<Report, NoShader> {
        self.judged(Some(devices))
    }

    fn judged(&self, devices: Option<&mut Devices>) -> Result<Report, NoShader> {
        match load(self) {
            Ok(loaded) => runs::report(self, loaded, devices),
            Err(NoShader::Invalid(finding)) if finding.rule != Rule::Physical => {
                Ok(Report::of_invalid(self, &finding, Class::Invalid))
            }
            Err(NoShader::Mistranslated(finding)) => {
                Ok(Report::of_invalid(self, &finding, Class::Translator))
            }
            Err(no) => Err(no),
        }
    }
}

/// What a judge says.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// What is wrong, the worst first; of one pair of lines one verdict.
    pub verdicts: Vec<Verdict>,
    /// Classes of which something was found that is not told, since they are allowed.
    pub allowed: Vec<Class>,
    /// Why there is no answer, if there is none: what is not modelled, what took too long or too much.
    pub unanswered: Vec<String>,
    /// Buffers whose contents were made up.
    pub made_up: Vec<String>,
    /// The buffers behind the first run.
    pub buffers: Vec<Buffered>,
    /// How many runs were made.
    pub runs: usize,
    /// How many were to be made: fewer are if they take too many instructions, or do not end.
    pub asked_runs: usize,
    /// What the adapters leave that it was launched on.
    pub engines: Vec<Launched>,
    /// The different contents that the runs left.
    #[serde(skip)]
    pub outcomes: Vec<Vec<Buffered>>,
    /// What the shader binds.
    #[serde(skip)]
    pub resources: Vec<Resource>,
    /// Is it a module of SPIR-V that was judged, and no shader in WGSL?
    #[serde(skip)]
    pub spirv: bool,
}

impl Report {
    /// Of a module that is not valid, so that nothing is run.
    fn of_invalid(judge: &Judge, finding: &Finding, class: Class) -> Self {
        let text = judge.source.text();
        let verdict = Verdict::invalid(finding, class, text);
        let level = judge.levels.of(class);
        let mut unanswered = Vec::new();
        if level != Level::Deny {
            unanswered.push("a module that is not valid is not run".to_owned());
        }
        Self {
            verdicts: match level {
                Level::Allow => Vec::new(),
                level => vec![Verdict { level, ..verdict }],
            },
            allowed: (level == Level::Allow).then_some(class).into_iter().collect(),
            unanswered,
            made_up: Vec::new(),
            buffers: Vec::new(),
            runs: 0,
            asked_runs: 0,
            engines: Vec::new(),
            outcomes: Vec::new(),
            resources: Vec::new(),
            spirv: matches!(judge.source, Source::Spirv { .. }),
        }
    }

    /// Is there an answer of the judge, and of each adapter that was asked?
    pub fn is_answered(&self) -> bool {
        let silent = |launched: &Launched| launched.heard == Heard::NoAnswer;
        self.unanswered.is_empty() && !self.engines.iter().any(silent)
    }

    /// Is the shader wrong?
    pub fn is_wrong(&self) -> bool {
        self.verdicts.iter().any(|verdict| verdict.level == Level::Deny)
    }

    /// What a buffer holds behind the first run; none if the shader has no such buffer, or was not run.
    pub fn buffer<T: Data>(&self, place: &str) -> Option<Vec<T>> {
        self.buffered(place).map(|buffer| data::read_of(&buffer.words))
    }

    /// The buffer of this name, or at this `GROUP.BINDING`, behind the first run.
    pub fn buffered(&self, place: &str) -> Option<&Buffered> {
        let place = PlaceName(place.to_owned());
        let at = self.resources.iter().position(|resource| place.names(resource))?;
        self.buffers.get(at)
    }

    /// # Panics
    /// If anything is told of the shader, or there is no answer: with that.
    pub fn assert_clean(&self) {
        let told = self.verdicts.iter().map(ToString::to_string);
        let silent = self.engines.iter().filter(|launched| launched.heard == Heard::NoAnswer);
        let silent = silent.map(ToString::to_string);
        let told: Vec<_> = told.chain(self.unanswered.iter().cloned()).chain(silent).collect();
        assert!(told.is_empty(), "the shader is not clean:\n{}", told.join("\n"));
    }
}

#[cfg(test)]
mod tests;
