//! Everything that a run consists of: slots, buffers, findings, and how a run ends.

use super::rules::Rule;
use crate::kit::faults::Planted;
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
    /// 0 if it is what it is on every device. Up to [`OPEN`] it is *open*: defined, within what a specification permits,
    /// and these are the nearest bits. Above it is undefined. Both hold the operation since which it is so.
    pub origin: u32,
}

/// The greatest origin of a slot that is open. The lowest bits are the operation, those above them an exponent of its error,
/// so that of two origins the greater one has the greater error.
pub const OPEN: u32 = 1 << 30;
const OPERATION_BITS: u32 = 21;
const OPERATION: u32 = (1 << OPERATION_BITS) - 1;

/// What is added to an exponent, which then lies between 0 and [`UNBOUNDED`].
const BIAS: f64 = 300.0;

/// The exponent of what may be any number, an infinity or NaN.
const UNBOUNDED: u32 = 511;

impl Slot {
    /// Nothing was ever written here.
    pub const UNWRITTEN: Slot = Slot { bits: 0, origin: u32::MAX };
    /// An undefined constant.
    pub const UNDEFINED: Slot = Slot { bits: 0, origin: u32::MAX - 1 };

    /// A defined one.
    pub fn new(bits: u64) -> Self {
        Self { bits, origin: 0 }
    }

    /// What the operation with this number leaves undefined.
    pub(super) fn undefined_at(at: usize) -> Self {
        Self { bits: 0, origin: OPEN + 1 + at as u32 }
    }

    /// These bits, or others that a device may have there since the operation with this number. They differ by about `error`,
    /// which is infinite if they need not be a finite number.
    pub(super) fn open_at(bits: u64, at: usize, error: f64) -> Self {
        let exponent = (error.log2().round() + BIAS).clamp(0.0, UNBOUNDED.into()) as u32;
        let operation = (at as u32).saturating_add(1).min(OPERATION);
        Self { bits, origin: exponent << OPERATION_BITS | operation }
    }

    /// By about how much what devices have here may differ from these bits.
    pub(super) fn error(self) -> f64 {
        error_of(self.origin)
    }

    /// Is it open, and may it be any number, an infinity or NaN?
    pub(super) fn is_unbounded(self) -> bool {
        self.origin <= OPEN && self.error() == f64::INFINITY
    }

    /// Has it no value that a specification gives?
    #[inline]
    pub fn is_undefined(self) -> bool {
        self.origin > OPEN
    }

    /// The number of the operation since which a slot of this origin is open or undefined, if an operation made it so.
    pub(super) fn since(origin: u32) -> Option<usize> {
        match origin {
            0 | u32::MAX => None,
            1..=OPEN => Some(((origin & OPERATION) as usize).saturating_sub(1)),
            _ => Some((origin - OPEN) as usize - 1),
        }
    }
}

/// By about how much devices may differ in a slot of this origin; infinite if that may be anything.
pub(super) fn error_of(origin: u32) -> f64 {
    match origin {
        0 => 0.0,
        1..=OPEN if origin >> OPERATION_BITS == UNBOUNDED => f64::INFINITY,
        1..=OPEN => (f64::from(origin >> OPERATION_BITS) - BIAS).exp2(),
        _ => f64::INFINITY,
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
    /// What ends the run.
    pub strictness: Strictness,
    /// The fault that the executor has, if any.
    pub planted: Planted,
}

/// What ends a run, and what is noted while it goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// A read outside of memory ends the run, whatever becomes of its value.
    #[default]
    Accesses,
    /// Such a read gives an undefined value. The run ends where something hangs on it.
    Values,
    /// As [`Values`](Strictness::Values), for a module made from WGSL: where the SPIR-V is undefined and WGSL is not, the
    /// run goes on with the value of WGSL.
    Wgsl,
}

impl Strictness {
    /// Does a run go on behind a read outside of memory?
    pub(super) fn goes_on(self) -> bool {
        self != Strictness::Accesses
    }
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
    /// Did both write, and the same value? Known only if the launch is traced.
    pub equal: bool,
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
    /// Of an index that is outside: the element, if its array has a name.
    pub element: Option<String>,
    /// Where something hung on an open float before, so that what is found may be on some devices only.
    pub behind: Option<Place>,
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

/// What is no fault by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Remark {
    /// A read outside of memory. If something hangs on its value, there is a finding too.
    BadRead,
    /// A value of WGSL where the SPIR-V has none.
    Translator,
    /// A branch, an index, a conversion or an atomic operation hangs on an open value.
    Rounding,
    /// Finite numbers gave an infinity or NaN, or a device may have one on the way to their result.
    NotFinite,
}

/// A remark, of one instruction: the first time that it is met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What is remarked.
    pub remark: Remark,
    /// At which instruction.
    pub place: Place,
    /// Number of the invocation in the launch.
    pub invocation: u32,
    /// Since where the value is open, if it is about one.
    pub origin: Option<Place>,
    /// In a sentence.
    pub text: String,
    /// Of an index that is outside: the element, if its array has a name.
    pub element: Option<String>,
}

/// Of a launch without an end: what is left of it comes back to a state in which it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeats {
    /// The first instruction on the way that has a line.
    pub place: Place,
    /// The invocation, if a single one goes on.
    pub invocation: Option<u32>,
    /// Is that so in any order? Else only if no other invocation goes on meanwhile, as under this schedule.
    pub settled: bool,
}

/// What a launch saw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// What is wrong: races, and last what ended the run before its time. At most
    /// [`MAX_FINDINGS`] races.
    pub findings: Vec<Finding>,
    /// What was remarked, once for each instruction.
    pub notes: Vec<Note>,
    /// What comes back to a state in which it was, so that it does not end.
    pub repeats: Option<Repeats>,
    /// The last atomic operation of an invocation that had no fuel left.
    pub waits: Option<Place>,
    /// Where atomic loads gave another value than the last one, if the schedule relaxes them.
    pub stale: Vec<Place>,
    /// How many words atomic operations stored to, if it does.
    pub atomic_words: usize,
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

/// How many remarks a launch keeps.
pub const MAX_NOTES: usize = 256;

/// How many races a launch keeps.
pub const MAX_FINDINGS: usize = 8;
