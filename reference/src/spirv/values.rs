//! Everything that a run consists of: slots, buffers, findings, and how a run ends.

use super::rules::Rule;
use crate::kit::rules::Roll;
use rspirv::spirv::Word;
use std::fmt;

/// A scalar component or a pointer, and whether it is defined.
///
/// A pointer is the number of a buffer above 32 bits of a word's address in it, or the number of a
/// slot of the invocation's or of the group's memory. The byte in the word stands in the two highest bits;
/// it is 0 but for what has less than 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its bits; those above its width are 0.
    pub bits: u64,
    /// 0 if it is defined, else 1 more than the number of the operation that left it undefined.
    pub origin: u32,
}

impl Slot {
    /// Nothing was ever written here.
    pub const UNWRITTEN: Slot = Slot { bits: 0, origin: u32::MAX };
    /// An undefined constant.
    pub const UNDEFINED: Slot = Slot { bits: 0, origin: u32::MAX - 1 };

    /// A defined one.
    pub fn new(bits: u64) -> Self {
        Self { bits, origin: 0 }
    }
}

/// A byte of a word, as pointers have it.
pub(super) fn byte_of_word(byte: u32) -> u64 {
    u64::from(byte) << 62
}

/// A storage or uniform buffer, whose words are all defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Descriptor set.
    pub set: u32,
    /// Binding in the set.
    pub binding: u32,
    /// Its bytes, four by four, little end first.
    pub words: Vec<u32>,
}

/// Descriptor set and binding by which push constants are handed over, as a buffer.
pub const PUSH_CONSTANTS: (u32, u32) = (u32::MAX, u32::MAX);

/// What a launch may choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Work groups in each dimension.
    pub groups: [u32; 3],
    /// Instructions that it may execute.
    pub fuel: u64,
    /// Invocations of a subgroup: those of consecutive numbers in their group.
    pub subgroup: u32,
    /// Whether it is kept which instruction accessed each word, so that the earlier one of a race
    /// can be named too. It takes time and memory.
    pub traced: bool,
}

/// Memory that invocations share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// A word of a buffer: descriptor set, binding, word.
    Buffer(u32, u32, u32),
    /// A component of the group's memory.
    Group(u32),
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Buffer(set, binding, word) => write!(f, "word {word} of binding {set}.{binding}"),
            Cell::Group(slot) => write!(f, "component {slot} of the group's memory"),
        }
    }
}

/// The accesses of a race, besides the later one's instruction and invocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    /// What both access.
    pub cell: Cell,
    /// Does the later one write?
    pub wrote: bool,
    /// The invocation of the earlier one.
    pub other: u32,
    /// Did the earlier one write?
    pub other_wrote: bool,
    /// The instruction of the earlier one, if the launch is traced.
    pub other_place: Option<Place>,
}

/// An instruction of a module, as reports name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// For example `OpIAdd`.
    pub opcode: String,
    /// The id that it defines, or of its function or block if it defines none.
    pub result: Option<Word>,
    /// The name of that id in the module's debug information.
    pub name: Option<String>,
    /// The line in the source from which the module was made.
    pub line: Option<u32>,
    /// The function.
    pub function: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.opcode)?;
        if let Some(id) = self.result {
            write!(f, " %{id}")?;
        }
        if let Some(name) = &self.name {
            write!(f, " \"{name}\"")?;
        }
        if !self.function.is_empty() {
            write!(f, " in {}", self.function)?;
        }
        match self.line {
            Some(line) => write!(f, ", line {line}"),
            None => Ok(()),
        }
    }
}

/// A premise that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Of which rule.
    pub rule: Rule,
    /// Which premise.
    pub premise: &'static str,
    /// At which instruction.
    pub place: Place,
    /// Number of the invocation in the launch, if it ran.
    pub invocation: Option<u32>,
    /// What is wrong, in a sentence.
    pub text: String,
    /// Where the undefined value came from.
    pub origin: Option<Place>,
    /// A premise of arithmetic that failed there, if one did.
    pub failed: Option<&'static str>,
    /// Of a race.
    pub clash: Option<Clash>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rule = self.rule.info();
        write!(f, "{} ({}: {}, {})", self.text, rule.source, rule.name, self.premise)?;
        write!(f, " at {}", self.place)?;
        if let Some(invocation) = self.invocation {
            write!(f, ", invocation {invocation}")?;
        }
        if let Some(origin) = &self.origin {
            write!(f, "; undefined since {origin}")?;
        }
        if let Some(premise) = self.failed {
            write!(f, " ({premise})")?;
        }
        match self.clash.as_ref().and_then(|clash| clash.other_place.as_ref()) {
            Some(other) => write!(f, "; before that {other}"),
            None => Ok(()),
        }
    }
}

/// Why a module cannot be executed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// It breaks a structural rule.
    #[error("{0}")]
    Invalid(Box<Finding>),
    /// It is outside of the subset: the instruction and what of it.
    #[error("not modelled: {0}")]
    Unsupported(String),
}

/// What a launch saw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// What is wrong: races, and last what ended the run before its time. At most
    /// [`MAX_FINDINGS`] races.
    pub findings: Vec<Finding>,
    /// Instructions executed.
    pub instructions: u64,
    /// Buffers that the module asks for and that were not given: the launch did not start.
    pub missing: Option<(u32, u32)>,
}

impl Report {
    /// Did it end for want of fuel?
    pub fn out_of_fuel(&self) -> bool {
        self.findings.last().is_some_and(|finding| finding.rule == Rule::Loop)
    }
}

/// How many races a launch keeps.
pub const MAX_FINDINGS: usize = 8;
