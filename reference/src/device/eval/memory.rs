//! `M`: the arena and the memory of a work group, with the accesses of both, and what invocations
//! share besides.

use super::layout::Layout;
use super::values::{Eval, Halt, Times};
use crate::device::arena::{Arena, Region, Words};
use crate::device::floats;
use crate::device::rules::Rule;
use crate::device::scalar::{self, Cell, from_words, words};
use crate::device::syntax::{AtomicOp, Element, Sc};
use crate::kit::accesses::Accesses;
use crate::kit::derivation::Recorder;
use crate::kit::groups::{Access, Conflict, Shadow, Who};
use crate::kit::scalar::BinOp;
use crate::kit::schedule::Step;
use crate::kit::tap::{self, Space, Tap};
use crate::kit::text::Span;

/// Where a conflict was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Cells {
    /// A word of the arena.
    Arena(usize),
    /// A word of the region of atomic blocks.
    Atomic(usize),
    /// A cell of the group's memory.
    Group(usize),
}

/// A conflict of an access by the invocation `who`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raced {
    pub(super) at: Cells,
    pub(super) who: Who,
    pub(super) wrote: bool,
    pub(super) conflict: Conflict,
    /// The statements of both accesses, the earlier one first.
    pub(super) spans: [Option<Span>; 2],
}

/// A read of a word that nothing wrote.
#[derive(Clone, Debug)]
pub(super) struct Lacked {
    pub(super) span: Span,
    pub(super) thread: Vec<i32>,
    pub(super) at: u32,
}

/// Which words of the arena were written since their blocks were allocated. Words of the region of atomic blocks are
/// left out: counters start from zero, which nobody writes.
#[derive(Clone, Debug, Default)]
pub(super) struct Written {
    words: Vec<bool>,
}

impl Written {
    /// A block of so many words is allocated at `base`.
    pub(super) fn fresh(&mut self, base: u32, words: u32) {
        self.set(base as usize, words as usize, false);
    }

    /// So many words are written from `at` on.
    #[inline]
    pub(super) fn write(&mut self, at: usize, words: usize) {
        self.set(at, words, true);
    }

    fn set(&mut self, at: usize, words: usize, written: bool) {
        let end = at + words;
        if self.words.len() < end {
            self.words.resize(end, false);
        }
        self.words[at..end].fill(written);
    }

    /// Words are copied, as if all were read before any is written. What was not written stays so.
    pub(super) fn copy(&mut self, from: usize, to: usize, words: usize) {
        let end = from.max(to) + words;
        if self.words.len() < end {
            self.words.resize(end, false);
        }
        self.words.copy_within(from..from + words, to);
    }

    /// Did nothing write one of these words?
    #[inline]
    pub(super) fn lacks(&self, at: u32, words: u32) -> bool {
        let mut all = at as usize..(at + words) as usize;
        all.any(|at| self.words.get(at) != Some(&true))
    }
}

/// Conflicts that a launch remembers.
const MAX_RACED: usize = 64;

/// What the invocations of a launch share.
pub(super) struct Shared<'m, 'p> {
    pub(super) layout: &'m Layout<'p>,
    /// Where the blocks lie.
    pub(super) arena: &'m Arena,
    pub(super) words: &'m mut Words,
    pub(super) shadow: &'m mut Shadow,
    pub(super) group: Vec<Cell>,
    pub(super) group_shadow: &'m mut Shadow,
    pub(super) fuel: &'m mut u64,
    pub(super) recorder: &'m mut Recorder<Rule>,
    /// Statements and rounds that were executed.
    pub(super) statements: u64,
    /// Did the launch make up a block of some elements? It may lie where no block is.
    pub(super) made_up: bool,
    /// Did a float come to what a device may have otherwise?
    pub(super) open_floats: bool,
    pub(super) raced: Vec<Raced>,
    /// The statement that is executed.
    pub(super) span: Span,
    /// The statements of the accesses, by cell, invocation, and whether it writes.
    pub(super) located: Option<Accesses<(Cells, u32, bool)>>,
    /// The words of the arena that were written, if the run looks for reads of others.
    pub(super) written: Option<&'m mut Written>,
    /// The first such read.
    pub(super) lacked: Option<Lacked>,
    /// Invocations that the launch asked for.
    pub(super) invocations: u32,
    /// The number of the group that runs.
    pub(super) number: u32,
    /// What the step at hand did.
    pub(super) step: Step,
    /// The clock when the launch started, for a tap.
    pub(super) before: u64,
}

impl Shared<'_, '_> {
    #[inline]
    pub(super) fn charge(&mut self, fuel: u64) -> Eval {
        match self.fuel.checked_sub(fuel) {
            Some(left) => {
                *self.fuel = left;
                Ok(())
            }
            None => Err(Box::new(Halt::Fuel)),
        }
    }

    /// The word of an element in its region, if the index lies in the block, and the element in memory: where blocks
    /// are made up, in a block that was allocated.
    #[inline]
    pub(super) fn word(
        &self,
        element: Element,
        base: u32,
        index: Cell,
        length: u32,
    ) -> Option<u32> {
        if index >= length.into() {
            return None;
        }
        let (words, all) = (u64::from(element.words()), self.words.of(Region::of(element)).len());
        let at = u64::from(base) + index * words;
        let inside = base != 0 && at + words <= all as u64;
        (inside && (!self.made_up || self.is_allocated(element, at as u32))).then_some(at as u32)
    }

    /// Does the element at this word of its region lie in a block that was allocated?
    #[cold]
    fn is_allocated(&self, element: Element, at: u32) -> bool {
        self.arena.holds(Region::of(element).address(at), element.words())
    }

    /// `M(w)`, the scalar at a word of the arena.
    #[inline]
    pub(super) fn load(&mut self, sc: Sc, at: u32, times: Times) -> Cell {
        let at = at as usize;
        self.of_arena(Access::Read, at, times);
        let arena = &self.words.plain;
        let high = if sc.words() == 2 { arena[at + 1] } else { 0 };
        from_words(sc, arena[at], high)
    }

    /// `M, w ↦ v`, likewise.
    #[inline]
    pub(super) fn store(&mut self, sc: Sc, at: u32, cell: Cell, times: Times) {
        let at = at as usize;
        self.of_arena(Access::Write, at, times);
        if let Some(written) = &mut self.written {
            written.write(at, sc.words() as usize);
        }
        self.open_floats |= sc.is_float() && floats::is_open(sc, cell);
        let [low, high] = words(sc, cell);
        self.words.plain[at] = low;
        if sc.words() == 2 {
            self.words.plain[at + 1] = high;
        }
    }

    /// A cell of the group's memory.
    #[inline]
    pub(super) fn load_group(&mut self, at: u32, times: Times) -> Cell {
        self.of_group(Access::Read, at as usize, times);
        self.group[at as usize]
    }

    /// The same, written.
    #[inline]
    pub(super) fn store_group(&mut self, at: u32, cell: Cell, times: Times) {
        self.of_group(Access::Write, at as usize, times);
        self.group[at as usize] = cell;
    }

    /// A cell that is written with what it holds.
    pub(super) fn rewrite_group(&mut self, at: u32, times: Times) {
        self.of_group(Access::Write, at as usize, times);
    }

    /// An atomic operation: it reads and writes without another access between, and gives the old
    /// value.
    pub(super) fn atomic(
        &mut self,
        op: AtomicOp,
        sc: Sc,
        at: Cells,
        operands: [Cell; 2],
        times: Times,
    ) -> Cell {
        let access = match op {
            AtomicOp::Load => Access::AtomicRead,
            _ => Access::AtomicWrite,
        };
        let old = match at {
            Cells::Group(at) => {
                self.of_group(access, at, times);
                self.group[at]
            }
            // No access of these is another one, so none conflicts.
            Cells::Atomic(at) => from_words(sc, self.words.atomic[at], 0),
            Cells::Arena(_) => unreachable!("validated: no atomic lies there"),
        };
        if let Cells::Atomic(_) = at {
            self.tells_access(access, at);
        }
        let by = |op: BinOp| {
            let f = scalar::binary(op, sc).expect("validated: atomics are integers");
            Some(f(old, operands[0]))
        };
        let new = match op {
            AtomicOp::Load => None,
            AtomicOp::Store | AtomicOp::Exchange => Some(operands[0]),
            AtomicOp::Add => by(BinOp::Add),
            AtomicOp::Min => by(BinOp::Min),
            AtomicOp::Max => by(BinOp::Max),
            AtomicOp::And => by(BinOp::And),
            AtomicOp::Or => by(BinOp::Or),
            AtomicOp::Xor => by(BinOp::Xor),
            AtomicOp::CompareExchange => (old == operands[0]).then_some(operands[1]),
        };
        self.step = Step::Atomic { changes: new.is_some_and(|new| new != old) };
        match (new, at) {
            (None, _) => {}
            (Some(new), Cells::Group(at)) => self.group[at] = new,
            (Some(new), Cells::Atomic(at)) => self.words.atomic[at] = words(sc, new)[0],
            (Some(_), Cells::Arena(_)) => unreachable!("validated: no atomic lies there"),
        }
        old
    }

    /// Notes an access of the arena, an i64 or f64 by its first word.
    #[inline]
    fn of_arena(&mut self, access: Access, at: usize, times: Times) {
        if let Some(conflict) = self.shadow.access(access, at, times.arena) {
            self.race(access, Cells::Arena(at), times.arena, conflict);
        }
        self.locate(access, Cells::Arena(at), times.arena);
    }

    #[inline]
    fn of_group(&mut self, access: Access, at: usize, times: Times) {
        if let Some(conflict) = self.group_shadow.access(access, at, times.group) {
            self.race(access, Cells::Group(at), times.group, conflict);
        }
        self.locate(access, Cells::Group(at), times.group);
    }

    #[cold]
    fn race(&mut self, access: Access, at: Cells, who: Who, conflict: Conflict) {
        if self.raced.len() < MAX_RACED {
            let wrote = access.writes();
            let spans = self.located.as_ref().map(|located| {
                [located.at(&(at, conflict.other, conflict.other_wrote)), Some(self.span)]
            });
            self.raced.push(Raced { at, who, wrote, conflict, spans: spans.unwrap_or_default() });
        }
    }

    /// Notes which statement accesses a cell, if that is asked for.
    #[inline]
    fn locate(&mut self, access: Access, at: Cells, who: Who) {
        if let Some(located) = &mut self.located {
            located.note((at, who.invocation, access.writes()), self.span);
        }
        self.tells_access(access, at);
    }

    /// Tells the tap that the recorder carries, with the clock; most carry none.
    #[inline]
    pub(super) fn tells(&mut self, tell: impl FnOnce(&mut dyn Tap, u64)) {
        if let Some(tap) = self.recorder.tap() {
            tell(tap, self.before + self.statements);
        }
    }

    /// Out of fuel, if a tap listens no more.
    #[inline]
    pub(super) fn is_heard(&mut self) -> Eval {
        match self.recorder.tap() {
            Some(tap) if tap.is_over() => self.charge(u64::MAX),
            _ => Ok(()),
        }
    }

    #[inline]
    fn tells_access(&mut self, access: Access, at: Cells) {
        if self.recorder.tap().is_some() {
            let (space, block, offset) = match at {
                Cells::Arena(at) => self.arena.offset(at as u32),
                Cells::Atomic(at) => self.arena.offset(Region::Atomic.address(at as u32)),
                Cells::Group(at) => (Space::Group, 0, at as u64),
            };
            let (writes, site) = (access.writes(), self.span);
            let access = tap::Access { space, block, offset, writes, site };
            self.tells(|tap, clock| tap.access(access, clock));
        }
    }
}
