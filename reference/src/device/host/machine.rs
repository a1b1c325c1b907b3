//! What the host needs of a device. The evaluator is one, every GPU runtime another.

use crate::device::arena::Where;
use crate::device::rules::Rule;
use crate::device::syntax::Element;
use crate::kit::names::Var;
use crate::kit::outcome::{Broken, Race, Stuck, Unwritten, Why};
use crate::kit::text::Span;

/// Why a machine stops without an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// Out of fuel or memory, or something is missing.
    Unknown(Why),
    /// The machine broke, which is a finding.
    Broken(Broken),
}

/// What is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The kernel with this number.
    Kernel(u32),
    /// The `par` of the host with this number, counted as they stand in the text. Only the
    /// evaluator knows these; the pass `map_levels` leaves none.
    Par(u32),
}

/// A dimension of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim {
    /// How many words, at least 2.
    pub size: u64,
    /// How far apart they are where they are read.
    pub from: i64,
    /// And where they are written.
    pub to: i64,
}

impl Dim {
    /// Where the word with this number, counted from 0 in the order of the indices, is read and written,
    /// if that with the number 0 is `first`.
    pub fn moved(dims: &[Dim], mut number: u64, first: (u32, u32)) -> (u32, u32) {
        let (mut from, mut to) = first;
        for dim in dims.iter().rev() {
            let index = number % dim.size;
            number /= dim.size;
            // The words are there, so that it comes out right whatever is in between.
            from = from.wrapping_add((index as u32).wrapping_mul(dim.from as u32));
            to = to.wrapping_add((index as u32).wrapping_mul(dim.to as u32));
        }
        (from, to)
    }

    /// How many words a copy copies.
    pub fn words(dims: &[Dim]) -> u64 {
        dims.iter().map(|dim| dim.size).fold(1, u64::saturating_mul)
    }
}

/// What a machine saw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Races, if the machine looks for them.
    pub races: Vec<Race>,
    /// Statements executed in kernels, if it counts them.
    pub statements: u64,
    /// Most loop rounds of one invocation, if it counts them.
    pub rounds: u64,
    /// The first read of memory that nothing wrote, if the machine looks for it.
    pub unwritten: Option<Unwritten>,
    /// Did floats come to what a device may have otherwise, if it looks for that?
    pub open_floats: bool,
}

/// Memory of 32-bit words in two [regions](crate::device::arena), and launches. Addresses are in words;
/// address 0 is never a block's.
pub trait Machine {
    /// A block of `words` zero words, with guard words before and behind it; its address.
    /// `block` is its variable, with where it may be placed; `element` says in which region.
    ///
    /// # Errors
    /// [`Why::Memory`] beyond the budget or the adapter's limits.
    fn alloc(&mut self, block: (Var, Where), element: Element, words: u64) -> Result<u32, Halt>;

    /// Gives back the block at this address.
    ///
    /// # Errors
    /// If the machine broke.
    fn free(&mut self, base: u32) -> Result<(), Halt>;

    /// Writes words inside a block.
    ///
    /// # Errors
    /// If the machine broke.
    fn write(&mut self, at: u32, words: &[u32]) -> Result<(), Halt>;

    /// Reads words inside a block.
    ///
    /// # Errors
    /// If the machine broke.
    fn read(&mut self, at: u32, count: u32) -> Result<Vec<u32>, Halt>;

    /// Copies words from inside one block to inside another or the same, as if all were read before any is
    /// written.
    ///
    /// # Errors
    /// If the machine broke.
    fn copy(&mut self, from: u32, to: u32, words: u32) -> Result<(), Halt>;

    /// Copies words from inside one block to inside another or the same, each on its own: none of them
    /// is written that another is read from or written to. The first ones lie at `from` and `to`, and
    /// there are one to three dimensions, outermost first.
    ///
    /// # Errors
    /// If the machine broke, or has no time left.
    fn copy_strided(&mut self, dims: &[Dim], from: u32, to: u32) -> Result<(), Halt>;

    /// Runs as many work groups as `invocations` (at least 1) take, and verifies the guard words
    /// of every block afterwards. `args` are the words of the arguments in the order of the
    /// parameters: one word for bool (0 or 1), i32, u32 and f32, two for i64 and f64 (low word first)
    /// and for a block (base in its region, length). The arguments of a `par` are its captured variables
    /// ([`captured`](crate::device::levels::captured)).
    ///
    /// The answer is the failure of the lowest invocation that got stuck, if the machine can
    /// see that itself; a GPU cannot, the host decodes what the kernel wrote.
    ///
    /// # Errors
    /// [`Why::Fuel`], or what broke: [`Broken::Guard`] if a guard word changed.
    fn launch(&mut self, code: Code, invocations: u32, args: &[u32])
    -> Result<Option<Stuck>, Halt>;

    /// Is there time for more? The host asks before each statement and each round of a loop.
    ///
    /// # Errors
    /// [`Why::Fuel`] if there is none.
    fn go_on(&mut self) -> Result<(), Halt> {
        Ok(())
    }

    /// The host comes to the statement at `span`. Only machines that tell what they are told of listen.
    fn comes_to(&mut self, span: Span) {
        let _ = span;
    }

    /// What was seen since the machine was made.
    fn report(&mut self) -> Report;

    /// Does the machine look for reads of memory that nothing wrote?
    fn watches(&self) -> bool {
        false
    }

    /// The host reads so many words of an element from `at` on, in the statement at `span`. Told only to a
    /// machine that [watches](Machine::watches).
    fn looks(&mut self, span: Span, at: u32, words: u32) {
        let _ = (span, at, words);
    }

    /// The host starts to apply a rule; only recorders of derivations listen.
    fn enter(&mut self, rule: Rule, subject: &dyn Fn() -> String) {
        let _ = (rule, subject);
    }

    /// The host has applied the rule that it entered last.
    fn leave(&mut self) {}

    /// A premise of a rule that the host applies failed.
    fn fail(&mut self, rule: Rule, premise: &'static str) {
        let _ = (rule, premise);
    }
}
