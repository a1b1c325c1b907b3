//! Memory of a run: the heap `H` of the languages that have one, and the ledger that keeps what
//! lives within the budget.

use super::names::Var;
use super::outcome::Why;
use std::cell::Cell;
use std::fmt::{self, Display, Formatter};

/// A heap label `ℓ`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(pub u32);

impl Display for Label {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "ℓ{}", self.0)
    }
}

impl Label {
    /// Labels count from 0.
    #[inline]
    pub fn number(self) -> usize {
        self.0 as usize
    }
}

/// A memory block, and the name that was bound to it where it was allocated.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) data: Vec<i32>,
    pub(crate) name: Var,
    /// Which cells were written since the block was allocated; empty where nobody asks.
    written: Vec<bool>,
}

impl Block {
    /// A block of zeros in the memory of one that was freed.
    fn again(&mut self, length: usize, name: Var) {
        if length <= self.data.capacity() {
            self.data.resize(length, 0);
        } else {
            self.data = vec![0; length];
        }
        self.name = name;
    }

    /// The block is freed.
    fn clear(&mut self) {
        if self.data.capacity() > KEPT {
            (self.data, self.written) = (Vec::new(), Vec::new());
        } else {
            self.data.clear();
        }
    }
}

/// The heap `H`. Blocks that nothing can name any more are freed, and their labels taken again:
/// what a thread allocated when it is over, what a round of a loop allocated when it is over and
/// does not carry it on.
#[derive(Debug, Default)]
pub(crate) struct Heap {
    /// By label. Beyond those that were taken stands memory of a run before.
    blocks: Vec<Block>,
    /// How many labels were taken.
    taken: usize,
    free: Vec<Label>,
    /// Labels that are not free, in the order of their allocation.
    live: Vec<Label>,
    ledger: Ledger,
    /// Is it kept what was written?
    watches: bool,
}

/// A freed block keeps at most so many cells for the next one of its label.
const KEPT: usize = 1024;

/// So many blocks keep them from one run to the next.
const BLOCKS: usize = 64;

impl Heap {
    /// No blocks, in the memory of a heap that was [cleared](Heap::clear); `limit` is in bytes. If it
    /// `watches`, it keeps what was written.
    pub(crate) fn again(self, limit: u64, watches: bool) -> Self {
        Self { ledger: Ledger::new(limit), watches, ..self }
    }

    /// The run is over: there are no blocks. What is not large of their memory stays.
    pub(crate) fn clear(&mut self) {
        self.blocks.truncate(BLOCKS);
        self.blocks.shrink_to(BLOCKS);
        self.blocks.iter_mut().for_each(Block::clear);
        for labels in [&mut self.free, &mut self.live] {
            labels.clear();
            labels.shrink_to(BLOCKS);
        }
        self.taken = 0;
    }

    /// `H, ℓ ↦ [0, …, 0]` with a fresh ℓ.
    pub(crate) fn allocate(&mut self, length: Option<usize>, name: Var) -> Result<Label, Why> {
        let length = self.ledger.admit(length)?;
        // Where tables are doubled they are made anew.
        if self.taken.is_power_of_two() && !has_room(self.taken as u64 * TABLES) {
            return Err(Why::Memory(self.taken as u64 * TABLES));
        }
        self.ledger.take(length);
        let label = self.free.pop().unwrap_or_else(|| {
            self.taken += 1;
            Label(self.taken as u32 - 1)
        });
        match self.blocks.get_mut(label.number()) {
            Some(block) => block.again(length, name),
            None => {
                self.blocks.push(Block { data: vec![0; length], name, written: Vec::new() });
            }
        }
        if self.watches {
            let written = &mut self.blocks[label.number()].written;
            written.clear();
            written.resize(length, false);
        }
        self.live.push(label);
        Ok(label)
    }

    /// What is allocated from now on lies beyond this mark.
    pub(crate) fn mark(&self) -> usize {
        self.live.len()
    }

    /// Frees what was allocated since the mark, but for what is to stay. Most threads and rounds
    /// allocate nothing.
    #[inline]
    pub(crate) fn release(&mut self, mark: usize, stays: impl Fn(Label) -> bool) {
        if mark < self.live.len() {
            self.free_since(mark, stays);
        }
    }

    fn free_since(&mut self, mark: usize, stays: impl Fn(Label) -> bool) {
        let mut kept = mark;
        for at in mark..self.live.len() {
            let label = self.live[at];
            if stays(label) {
                self.live[kept] = label;
                kept += 1;
                continue;
            }
            let block = &mut self.blocks[label.number()];
            self.ledger.give_back(block.data.len());
            block.clear();
            self.free.push(label);
        }
        self.live.truncate(kept);
    }

    /// What was allocated since the mark and lives.
    pub(crate) fn since(&self, mark: usize) -> impl Iterator<Item = Label> {
        self.live[mark..].iter().copied()
    }

    /// Is it kept what was written?
    #[inline]
    pub(crate) fn watches(&self) -> bool {
        self.watches
    }

    /// Is it known that nothing wrote this cell since its block was allocated?
    #[inline]
    pub(crate) fn lacks(&self, label: Label, at: usize) -> bool {
        self.watches && !self.blocks[label.number()].written[at]
    }

    /// The cell is written.
    #[inline]
    pub(crate) fn wrote(&mut self, label: Label, at: usize) {
        if self.watches {
            self.blocks[label.number()].written[at] = true;
        }
    }

    /// Every cell of the block is written.
    pub(crate) fn wrote_all(&mut self, label: Label) {
        if self.watches {
            self.blocks[label.number()].written.fill(true);
        }
    }

    /// `H(ℓ)`
    #[inline]
    pub(crate) fn block(&self, label: Label) -> &Block {
        &self.blocks[label.number()]
    }

    /// `H(ℓ)`, to be changed.
    #[inline]
    pub(crate) fn block_mut(&mut self, label: Label) -> &mut Block {
        &mut self.blocks[label.number()]
    }

    /// May so many elements more live? Asked before a value outside the heap is made.
    pub(crate) fn admit(&self, elements: Option<usize>) -> Result<usize, Why> {
        self.ledger.admit(elements)
    }

    /// May so many elements be observed, beside those that live and were observed before?
    pub(crate) fn observe(&self, elements: Option<usize>) -> Result<usize, Why> {
        self.ledger.observe(elements)
    }

    /// The most elements that lived at once.
    pub(crate) fn peak(&self) -> u64 {
        self.ledger.peak()
    }
}

/// Elements of live arrays or blocks, held against the memory budget.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    live: Cell<u64>,
    peak: Cell<u64>,
    /// Bytes.
    limit: u64,
    /// Bytes made since the system was asked for room, freed ones too.
    made: Cell<u64>,
}

/// So many bytes are never asked for beforehand: what is less is not what a system lacks.
const LARGE: u64 = 4 << 20;

/// Has the system so many bytes for one array? Within the budget it may have none all the same, and a process that
/// is refused memory by the way ends at once. What is asked for here is given back untouched, which takes
/// microseconds.
#[inline]
pub(crate) fn has_room(bytes: u64) -> bool {
    bytes < LARGE || is_given(bytes)
}

#[cold]
fn is_given(bytes: u64) -> bool {
    let mut memory: Vec<u8> = Vec::new();
    usize::try_from(bytes).is_ok_and(|bytes| memory.try_reserve_exact(bytes).is_ok())
}

/// Bytes of an element.
pub(crate) const ELEMENT: u64 = 4;

/// Bytes beside an element, and beside an array, at most: cells of the shadow, and what names and counts it.
const SHADOW: u64 = 16;
const BESIDE: u64 = 128;

/// Bytes that the system has to have beside what is asked for: what is made up to the next time, with what stands
/// beside it and what the allocator takes.
const RESERVE: u64 = 32 << 20;

/// Bytes that the tables of the heap and of its shadow take for a block, when they have just been doubled.
const TABLES: u64 = 256;

impl Ledger {
    /// Nothing lives; `limit` is in bytes.
    pub(crate) fn new(limit: u64) -> Self {
        Self { limit, ..Self::default() }
    }

    /// May so many elements more live? Asked before they are allocated.
    #[inline]
    pub(crate) fn admit(&self, elements: Option<usize>) -> Result<usize, Why> {
        let wanted = elements.map_or(u64::MAX, |more| self.live.get().saturating_add(more as u64));
        let bytes = wanted.saturating_mul(ELEMENT);
        match elements {
            Some(more) if bytes <= self.limit && self.has_room(more as u64) => Ok(more),
            _ => Err(Why::Memory(bytes)),
        }
    }

    /// Has the system room for so many elements more? Small arrays are many, so it is asked for [`RESERVE`]
    /// beside what is wanted, each time that so many bytes were made.
    #[inline]
    fn has_room(&self, more: u64) -> bool {
        let more_bytes = more.saturating_mul(ELEMENT + SHADOW);
        let made = self.made.get().saturating_add(BESIDE).saturating_add(more_bytes);
        self.made.set(made);
        made < LARGE || self.asks(more)
    }

    #[cold]
    fn asks(&self, more: u64) -> bool {
        self.made.set(0);
        is_given(more.saturating_mul(ELEMENT).saturating_add(RESERVE))
    }

    /// Admits so many elements that are observed at the end of a run, each of which is a copy. They
    /// stay beside what lives, and count for no peak.
    pub(crate) fn observe(&self, elements: Option<usize>) -> Result<usize, Why> {
        let elements = self.admit(elements)?;
        self.live.set(self.live.get() + elements as u64);
        Ok(elements)
    }

    /// So many elements live from now on.
    #[inline]
    pub(crate) fn take(&self, elements: usize) {
        let live = self.live.get() + elements as u64;
        self.live.set(live);
        if live > self.peak.get() {
            self.peak.set(live);
        }
    }

    /// So many elements live no longer.
    #[inline]
    pub(crate) fn give_back(&self, elements: usize) {
        self.live.set(self.live.get() - elements as u64);
    }

    /// The most elements that lived at once.
    pub(crate) fn peak(&self) -> u64 {
        self.peak.get()
    }
}
