//! The ways a run ends, and what is observed of it. Every engine answers with an [`Outcome`].

pub use super::cause::{Cause, holds};
use super::text::Span;
use super::value::Tolerance;
pub use super::value::{Cells, Scalar, Value};
use serde::{Deserialize, Serialize};

/// A place that can get stuck. It survives every pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Site {
    /// The statement.
    pub span: Span,
    /// What can go wrong there.
    pub cause: Cause,
}

/// A run that got stuck: no rule applies. A value of the semantics, never a crash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stuck {
    /// Where and why.
    pub site: Site,
    /// The rule whose premise failed. It differs between languages and is not compared.
    pub rule: String,
    /// Which thread: indices of the kernels around the place, outermost first, from 1. Empty
    /// outside kernels.
    pub thread: Vec<i32>,
    /// As [`Cause::operands`] names them.
    pub operands: Vec<i64>,
}

impl Stuck {
    /// What went wrong, in words.
    pub fn sentence(&self) -> String {
        self.site.cause.sentence(&self.operands)
    }

    /// Do two stages report the same end? Cause, place, operands and thread count; the rule
    /// does not. Of a cause that [anyone may meet](Cause::is_met_by_anyone) only the cause does.
    pub fn agrees(&self, other: &Stuck) -> bool {
        if self.site.cause.is_met_by_anyone() {
            return self.site.cause == other.site.cause;
        }
        self.site == other.site && self.thread == other.thread && self.operands == other.operands
    }
}

/// Why a run has no answer that could be compared. Counted and printed, never agreement.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Why {
    /// Out of fuel.
    Fuel,
    /// Beyond the memory budget; how many bytes would have been needed, at least.
    Memory(u64),
    /// The engine does not model something.
    NotModelled(String),
    /// The compiler refused: the statement and the reason.
    Refused(String),
    /// There is no adapter, or it lacks a feature, or a limit of it is too small.
    NoAdapter(String),
}

/// An engine that broke, which is a finding.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Broken {
    /// A process died: signal or status.
    Crash(String),
    /// No answer in time.
    Hang,
    /// The device was lost.
    Lost(String),
    /// A promise of ours was broken.
    Panic(String),
    /// The device rejected what the compiler emitted.
    Invalid(String),
    /// A guard word beside a block was overwritten: block and offset.
    Guard(String),
    /// A shader does what its language leaves undefined: the rule, the instruction, its source.
    Undefined(String),
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// With results, in the order of the program's `in`.
    Value(Vec<Value>),
    /// No rule applied.
    Stuck(Stuck),
    /// No answer.
    Unknown(Why),
    /// The engine broke.
    Broken(Broken),
}

/// Two accesses of one location by two threads, one of them a write (eq. 4).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Race {
    /// The kernel or copy that ran the threads.
    pub span: Span,
    /// The earlier access.
    pub first: Side,
    /// The later access.
    pub second: Side,
    /// Name of the block, as the program calls it where it was allocated.
    pub block: String,
    /// Offset in the block, in elements from 0.
    pub offset: u64,
}

/// One of the two accesses of a race.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Side {
    /// The path of the thread, outermost first.
    pub thread: Vec<i32>,
    /// Did it write?
    pub wrote: bool,
    /// The statement, if it is known: of a run whose recorder
    /// [locates](super::derivation::Recorder::locating) accesses.
    pub span: Option<Span>,
}

/// A read of memory that was allocated and that nothing wrote. Its value is zero by definition; no pass
/// may make such a read.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Unwritten {
    /// The statement that reads; empty for a result of a program whose results have no place.
    pub span: Span,
    /// The thread that reads, outermost first, from 1; empty outside of kernels.
    pub thread: Vec<i32>,
    /// Name of the block, as the program calls it where it was allocated.
    pub block: String,
    /// Offset in the block, in elements from 0.
    pub offset: u64,
}

/// What a run counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stats {
    /// Statements executed.
    pub statements: u64,
    /// Iterations of outermost kernels.
    pub threads: u64,
    /// The longest run of loop rounds in one thread of an outermost kernel; the device language
    /// counts the last look at each loop's condition too, as some drivers do.
    pub rounds: u64,
    /// Elements in the largest sum of live blocks or arrays that the engine saw.
    pub elements: u64,
    /// Kernel launches (compiled programs only).
    pub launches: u64,
    /// Invocations of those launches.
    pub invocations: u64,
    /// Did floats come to what a GPU may have otherwise (evaluator of the device language only)?
    pub open_floats: bool,
}

/// All that an engine answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// Of a run without an answer: the statement that it stopped in, if it had come to one.
    pub stopped: Option<Span>,
    /// Races that were seen, in order, at most [`MAX_RACES`].
    pub races: Vec<Race>,
    /// The first read of memory that nothing wrote, if the run looks for it
    /// ([`Memory::watched`](super::memory::Memory::watched)).
    pub unwritten: Option<Unwritten>,
    /// What it counted.
    pub stats: Stats,
    /// Memory that the program leaves behind and that counts as a result, in a language that has
    /// such memory.
    pub stores: Vec<Store>,
    /// For results whose floats are not exact: how far off they may be.
    pub tolerances: Vec<Tolerance>,
}

/// Memory that a program leaves behind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Store {
    /// What the program calls it. Engines may call it otherwise; it is not compared.
    pub name: String,
    /// What is in it.
    pub contents: Value,
}

impl From<Ending> for Outcome {
    /// An end of which nothing else is known.
    fn from(ending: Ending) -> Self {
        Self {
            ending,
            stopped: None,
            races: Vec::new(),
            unwritten: None,
            stats: Stats::default(),
            stores: Vec::new(),
            tolerances: Vec::new(),
        }
    }
}

/// How many races a run keeps.
pub const MAX_RACES: usize = 8;

/// What a run may use. Beyond it the answer is [`Ending::Unknown`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Statements, rounds of loops, elements copied or shown, and cells made ([`cells`]); on the host of a
    /// compiled program also what a launch takes besides its statements.
    pub fuel: u64,
    /// Bytes of arrays and blocks.
    pub memory: u64,
}

impl Default for Budget {
    /// No engine takes longer than some ten seconds to use so much fuel up: small steps of IMP
    /// take 30 to 80 ns a unit, cells 30 to 60, the others less.
    fn default() -> Self {
        Self { fuel: 100_000_000, memory: 2 << 30 }
    }
}

/// The fuel that it takes to make so many cells at once, zeroed or from others that lie side by
/// side. A cell takes half a nanosecond, or one where the system has to find memory for it; a few
/// are paid for by the statement that makes them.
#[inline]
pub fn cells(cells: u64) -> u64 {
    cells / 64
}
