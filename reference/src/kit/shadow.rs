//! Race-freedom (eq. 4) checked while a program runs, by shadow memory.
//!
//! Beside each cell of each block, and for each level of nesting of kernels, stands which thread wrote it
//! last and up to two different threads that read it, in the running instance of the kernel at
//! that level. That is enough: a write conflicts if another thread wrote or read, a read if
//! another thread wrote, and of the readers two different ones always hold one that is not the
//! writer. So eq. 4 over the traces of `k` iterations costs a few comparisons per access and no
//! sets; a property test in this file holds it against eq. 4 as printed.
//!
//! The module knows no language. An evaluator keeps the [`Path`] of the running thread and
//! hands it over with each access, so threads may also be interleaved.

use super::accesses::Accesses;
use super::derivation::Recorder;
use super::faults::{Fault, Planted};
use super::heap::{ELEMENT, has_room};
use super::outcome::{Race, Side};
use super::row::Row;
use super::rules::Roll;
use super::text::Span;

/// A thread at one level of nesting: an instance of a kernel, and which of its iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The instance, from [`Shadow::kernel`].
    pub kernel: u32,
    /// The iteration, from 1.
    pub thread: i32,
}

/// The running thread: its places, outermost kernel first. Empty outside kernels.
pub type Path = [Place];

/// The indices of a thread, outermost first, as endings and races report them.
pub fn threads(path: &Path) -> Vec<i32> {
    path.iter().map(|place| place.thread).collect()
}

/// An access that races with an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// At which level of the path the two threads part: their paths are equal before it.
    pub level: usize,
    /// The iteration of the other thread at that level.
    pub other: i32,
    /// Did the earlier access write?
    pub other_wrote: bool,
    /// Does this access write?
    pub wrote: bool,
}

impl Conflict {
    /// The race to report for an access at `offset` of `block` by the thread `path`; `span` is
    /// the kernel or copy at [`Conflict::level`], and `at` are the statements of the two accesses.
    pub fn race(
        self,
        path: &Path,
        (span, at): (Span, [Option<Span>; 2]),
        (block, offset): (&str, u64),
    ) -> Race {
        let mut first = threads(&path[..self.level]);
        let mut second = first.clone();
        first.push(self.other);
        second.push(path[self.level].thread);
        let [at_first, at_second] = at;
        Race {
            span,
            first: Side { thread: first, wrote: self.other_wrote, span: at_first },
            second: Side { thread: second, wrote: self.wrote, span: at_second },
            block: block.to_owned(),
            offset,
        }
    }
}

/// The statements of the accesses of a heap, for races.
#[derive(Clone, Debug)]
pub(crate) struct Located(Accesses<(usize, usize, bool, Vec<Place>)>);

impl Located {
    /// The table that a run needs with this recorder.
    pub(crate) fn wanted<R: Roll>(by: &Recorder<R>) -> Option<Self> {
        Accesses::wanted(by).map(Self)
    }

    /// The thread `path` reads, or `writes`, at `offset` of a block in the statement at `span`.
    #[cold]
    pub(crate) fn note(
        &mut self,
        path: &Path,
        (block, offset, writes): (usize, usize, bool),
        span: Span,
    ) {
        for level in 1..=path.len() {
            self.0.note((block, offset, writes, path[..level].to_vec()), span);
        }
    }

    /// The statement of the earlier access of a conflict that the thread `path` has there.
    pub(crate) fn earlier(
        &self,
        conflict: Conflict,
        path: &Path,
        (block, offset): (usize, usize),
    ) -> Option<Span> {
        let mut other = path[..=conflict.level].to_vec();
        other[conflict.level].thread = conflict.other;
        self.0.at(&(block, offset, conflict.other_wrote, other))
    }
}

/// Instance, last writer, two different readers; 0 is none. A cell of an instance that is not
/// the running one counts as untouched. An array of integers, so that zeroed memory is lazy.
type Cell = [u32; 4];
const INSTANCE: usize = 0;
const WRITER: usize = 1;
const READERS: [usize; 2] = [2, 3];

#[derive(Clone, Debug, Default)]
struct Block {
    length: usize,
    /// Length of the path of the thread that allocated it. A block is that thread's own: no
    /// other thread of the levels above can reach it.
    own: usize,
    /// How many levels from there on have cells: as many as an access met so far.
    levels: usize,
    /// For each of the levels, a cell for each offset; after them may stand cells of blocks that
    /// had the number before.
    cells: Vec<Cell>,
    /// How many of them count against the room.
    counted: usize,
}

/// The shadow of a heap.
#[derive(Clone, Debug, Default)]
pub struct Shadow {
    kernels: u32,
    blocks: Vec<Block>,
    room: Room,
    ignores_reads: bool,
}

/// What the cells of all blocks may take.
#[derive(Clone, Debug, Default)]
struct Room {
    /// Bytes that are left.
    left: u64,
    /// How many more would have been needed, once they were too few.
    missing: u64,
    /// Elements of memory made since this was asked for.
    made: u64,
}

/// A block keeps at most so many cells that do not count for the next one of its label, as it keeps of its
/// elements.
const KEPT: usize = 512;

/// So many blocks keep them from one run to the next.
const BLOCKS: usize = 64;

impl Shadow {
    /// The shadow of an empty heap, which takes at most `limit` bytes.
    pub fn new(planted: Planted, limit: u64) -> Self {
        Self::default().again(planted, limit)
    }

    /// The shadow of another heap, empty too, in the memory of this one.
    pub(crate) fn again(mut self, planted: Planted, limit: u64) -> Self {
        self.room = Room { left: limit, missing: 0, made: 0 };
        self.ignores_reads = planted.is(Fault::R1);
        self
    }

    /// The run is over, and no block was accessed. Cells of small blocks stay as they are: they are
    /// stamped with instances that are over, since the numbers of instances go on.
    pub(crate) fn clear(&mut self) {
        if self.kernels > u32::MAX / 2 {
            *self = Self::default();
        }
        self.blocks.truncate(BLOCKS);
        self.blocks.shrink_to(BLOCKS);
        for block in &mut self.blocks {
            if block.cells.capacity() > KEPT {
                block.cells = Vec::new();
            }
            (block.levels, block.counted) = (0, 0);
        }
    }

    /// How many bytes more would have been needed. If there are any, conflicts may have been
    /// missed.
    pub fn missing(&self) -> Option<u64> {
        Some(self.room.missing).filter(|&bytes| bytes > 0)
    }

    /// How much memory was made since the last call, in elements.
    pub(crate) fn made(&mut self) -> u64 {
        std::mem::take(&mut self.room.made)
    }

    /// A kernel starts: the number of this instance of it.
    pub fn kernel(&mut self) -> u32 {
        if self.kernels == u32::MAX {
            // After four billion instances their numbers start again.
            for block in &mut self.blocks {
                block.forget(&mut self.room);
            }
            self.kernels = 0;
        }
        self.kernels += 1;
        self.kernels
    }

    /// The thread `path` allocated block number `block` of `length` cells. A number may be
    /// taken again once its block is gone.
    pub fn allocate(&mut self, path: &Path, block: usize, length: usize) {
        if self.blocks.len() <= block {
            self.blocks.resize_with(block + 1, Block::default);
        }
        let entry = &mut self.blocks[block];
        entry.own = path.len();
        entry.length = length;
        // Cells that stay are stamped with instances that are over.
        if entry.counted < length * entry.levels {
            entry.forget(&mut self.room);
        }
    }

    /// The thread `path` reads. `offset` lies inside the block. Answers with the outermost
    /// conflict.
    #[inline(always)] // Each access of each statement comes here.
    pub fn read(&mut self, path: &Path, block: usize, offset: usize) -> Option<Conflict> {
        if self.ignores_reads {
            return None;
        }
        let (own, places, mut cells) = self.blocks[block].shared(path, &mut self.room);
        cells.at(own, places, offset, read_at)
    }

    /// The thread `path` writes, likewise.
    #[inline(always)]
    pub fn write(&mut self, path: &Path, block: usize, offset: usize) -> Option<Conflict> {
        let (own, places, mut cells) = self.blocks[block].shared(path, &mut self.room);
        cells.at(own, places, offset, write_at)
    }

    /// The thread `path` reads, or `writes`, each place of the row: every conflict, with its
    /// offset.
    pub(crate) fn row(
        &mut self,
        path: &Path,
        block: usize,
        row: Row,
        writes: bool,
        found: impl FnMut(Conflict, usize),
    ) {
        if self.ignores_reads && !writes {
            return;
        }
        let (own, places, cells) = self.blocks[block].shared(path, &mut self.room);
        match writes {
            _ if places.is_empty() => {}
            true => cells.row(own, places, row, write_at, found),
            false => cells.row(own, places, row, read_at, found),
        }
    }
}

/// The cells of a block: for each level one for each offset.
struct Cells<'a> {
    length: usize,
    cells: &'a mut [Cell],
}

impl Cells<'_> {
    /// An access to one place by the thread of these places, which start at level `own`: the
    /// outermost conflict.
    #[inline(always)]
    fn at(
        &mut self,
        own: usize,
        places: &Path,
        offset: usize,
        access: impl Fn(usize, Place, &mut Cell) -> Option<Conflict>,
    ) -> Option<Conflict> {
        // Most kernels are in no other.
        if let [place] = places {
            return access(own, *place, &mut self.cells[offset]);
        }
        let mut at = offset;
        let mut levels = (own..).zip(places).map(|(level, place)| {
            let cell = &mut self.cells[at];
            at += self.length;
            access(level, *place, cell)
        });
        let conflict = levels.find_map(|found| found);
        // It is an access at the levels inside that one too.
        levels.for_each(drop);
        conflict
    }

    /// An access to each place of the row: every conflict, with its offset.
    #[inline]
    fn row(
        mut self,
        own: usize,
        places: &Path,
        row: Row,
        access: impl Fn(usize, Place, &mut Cell) -> Option<Conflict>,
        mut found: impl FnMut(Conflict, usize),
    ) {
        for offset in row.places() {
            if let Some(conflict) = self.at(own, places, offset, &access) {
                found(conflict, offset);
            }
        }
    }
}

#[inline(always)]
fn read_at(level: usize, place: Place, cell: &mut Cell) -> Option<Conflict> {
    let me = place.thread as u32;
    if cell[INSTANCE] != place.kernel {
        *cell = [place.kernel, 0, me, 0];
        return None;
    }
    if cell[READERS[0]] == 0 {
        cell[READERS[0]] = me;
    } else if cell[READERS[0]] != me {
        cell[READERS[1]] = me;
    }
    let writer = cell[WRITER];
    let races = writer != 0 && writer != me;
    races.then_some(Conflict { level, other: writer as i32, other_wrote: true, wrote: false })
}

#[inline(always)]
fn write_at(level: usize, place: Place, cell: &mut Cell) -> Option<Conflict> {
    let me = place.thread as u32;
    if cell[INSTANCE] != place.kernel {
        *cell = [place.kernel, me, 0, 0];
        return None;
    }
    let other = |who: u32| who != 0 && who != me;
    let seen = [WRITER, READERS[0], READERS[1]].into_iter().find(|&at| other(cell[at]));
    let conflict = seen.map(|at| Conflict {
        level,
        other: cell[at] as i32,
        other_wrote: at == WRITER,
        wrote: true,
    });
    cell[WRITER] = me;
    conflict
}

impl Block {
    /// The places of the path whose other threads can reach the block, as many as have cells, the
    /// level at which they start, and the cells.
    #[inline]
    fn shared<'p>(&mut self, path: &'p Path, room: &mut Room) -> (usize, &'p Path, Cells<'_>) {
        let mut places = path.get(self.own..).unwrap_or_default();
        if places.len() > self.levels {
            self.deepen(places.len(), room);
            places = &places[..places.len().min(self.levels)];
        }
        (self.own, places, Cells { length: self.length, cells: &mut self.cells })
    }

    /// Makes cells for so many levels. Without room for them the block keeps those it has.
    #[cold]
    fn deepen(&mut self, levels: usize, room: &mut Room) {
        let cells = self.length * levels;
        let (old, new) = (bytes(self.counted), bytes(cells));
        let free = room.left.saturating_add(old);
        let Some(left) = free.checked_sub(new).filter(|_| has_room(new)) else {
            room.missing = room.missing.max(new.saturating_sub(free)).max(1);
            return;
        };
        room.left = left;
        room.made += new / ELEMENT;
        // What stands there is stamped with instances that are over, and as good as zeros.
        if self.cells.len() < cells {
            if self.levels == 0 {
                self.cells = vec![[0; 4]; cells];
            } else {
                self.cells.reserve_exact(cells - self.cells.len());
                self.cells.resize(cells, [0; 4]);
            }
        } else if self.cells.len() > cells.max(KEPT) {
            self.cells.truncate(cells);
            self.cells.shrink_to_fit();
        }
        self.counted = cells;
        self.levels = levels;
    }

    /// The block was not accessed.
    fn forget(&mut self, room: &mut Room) {
        room.left = room.left.saturating_add(bytes(self.counted));
        (self.levels, self.counted) = (0, 0);
        self.cells = Vec::new();
    }
}

fn bytes(cells: usize) -> u64 {
    (cells as u64).saturating_mul(size_of::<Cell>() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn at(kernel: u32, thread: i32) -> [Place; 1] {
        [Place { kernel, thread }]
    }

    /// `racefree` as eq. 4 prints it, over the traces of threads 1 to k.
    fn racefree(reads: &[HashSet<usize>], writes: &[HashSet<usize>]) -> bool {
        (0..writes.len()).all(|i| {
            (0..writes.len()).filter(|&j| j != i).all(|j| {
                writes[i].iter().all(|at| !reads[j].contains(at) && !writes[j].contains(at))
            })
        })
    }

    /// The shadow and eq. 4 agree, in whatever order the accesses of the threads come.
    #[test]
    fn agrees_with_equation_4() {
        fn property(accesses: Vec<(u8, u8, bool)>) -> bool {
            let mut shadow = Shadow::new(Planted::NONE, u64::MAX);
            shadow.allocate(&[], 0, 6);
            let kernel = shadow.kernel();
            let mut reads = vec![HashSet::new(); 4];
            let mut writes = vec![HashSet::new(); 4];
            let mut seen = false;
            for (thread, offset, write) in accesses {
                let (thread, offset) = (usize::from(thread % 4), usize::from(offset % 6));
                let path = at(kernel, thread as i32 + 1);
                let conflict = if write {
                    writes[thread].insert(offset);
                    shadow.write(&path, 0, offset)
                } else {
                    reads[thread].insert(offset);
                    shadow.read(&path, 0, offset)
                };
                seen |= conflict.is_some();
            }
            seen != racefree(&reads, &writes)
        }
        quickcheck::QuickCheck::new().tests(2000).quickcheck(property as fn(Vec<_>) -> bool);
    }

    #[test]
    fn another_instance_starts_anew() {
        let mut shadow = Shadow::new(Planted::NONE, u64::MAX);
        shadow.allocate(&[], 0, 1);
        let (first, second) = (shadow.kernel(), shadow.kernel());
        assert_eq!(shadow.write(&at(first, 1), 0, 0), None);
        assert_eq!(shadow.write(&at(second, 2), 0, 0), None);
        assert_eq!(shadow.read(&[], 0, 0), None);
    }

    #[test]
    fn a_thread_owns_what_it_allocates() {
        let mut shadow = Shadow::new(Planted::NONE, u64::MAX);
        let outer = shadow.kernel();
        let own = [Place { kernel: outer, thread: 1 }];
        shadow.allocate(&own, 0, 1);
        assert_eq!(shadow.write(&own, 0, 0), None);
        assert_eq!(shadow.write(&at(outer, 2), 0, 0), None);
        let inner = shadow.kernel();
        let nested = |thread| [own[0], Place { kernel: inner, thread }];
        assert_eq!(shadow.read(&nested(1), 0, 0), None);
        let conflict = Conflict { level: 1, other: 1, other_wrote: false, wrote: true };
        assert_eq!(shadow.write(&nested(2), 0, 0), Some(conflict));
        let race = conflict.race(&nested(2), (Span::nth(3), [None, Some(Span::nth(4))]), ("b", 0));
        let first = Side { thread: vec![1, 1], wrote: false, span: None };
        assert_eq!(race.first, first);
        let second = Side { thread: vec![1, 2], wrote: true, span: Some(Span::nth(4)) };
        assert_eq!(race.second, second);
    }

    #[test]
    fn the_outermost_conflict_is_reported() {
        let mut shadow = Shadow::new(Planted::NONE, u64::MAX);
        shadow.allocate(&[], 0, 1);
        let (outer, inner, again) = (shadow.kernel(), shadow.kernel(), shadow.kernel());
        let path = |i, kernel, j| [Place { kernel: outer, thread: i }, Place { kernel, thread: j }];
        assert_eq!(shadow.write(&path(1, inner, 1), 0, 0), None);
        let conflict = shadow.write(&path(1, inner, 2), 0, 0).expect("inner threads race");
        assert_eq!((conflict.level, conflict.other, conflict.other_wrote), (1, 1, true));
        let conflict = shadow.read(&path(2, again, 1), 0, 0).expect("outer threads race");
        assert_eq!((conflict.level, conflict.other, conflict.wrote), (0, 1, false));
    }

    /// Threads of nested kernels that allocate and access by these steps: the conflicts, and what
    /// was made and missed of cells.
    fn run(
        shadow: &mut Shadow,
        steps: &[(u8, u8, u8)],
    ) -> (Vec<Option<Conflict>>, u64, Option<u64>) {
        let (mut path, mut blocks) = (Vec::<Place>::new(), [None; 3]);
        let mut found = Vec::new();
        for &(step, block, number) in steps {
            let (block, number) = (usize::from(block % 3), usize::from(number));
            let depth = path.len();
            match step % 8 {
                0 if depth < 3 => path.push(Place { kernel: shadow.kernel(), thread: 1 }),
                1 if depth > 0 => path[depth - 1].thread = 1 + number as i32 % 3,
                2 => _ = path.pop(),
                3 => {
                    blocks[block] = Some((depth, 1 + number % 5));
                    shadow.allocate(&path, block, 1 + number % 5);
                }
                how => {
                    let access = if how < 6 { Shadow::read } else { Shadow::write };
                    let length = blocks[block].map(|(_, length)| length);
                    found
                        .extend(length.map(|length| access(shadow, &path, block, number % length)));
                }
            }
            // What a thread allocated is gone with it.
            let lives = path.len() + usize::from(step % 8 != 1);
            for block in &mut blocks {
                *block = block.filter(|(own, _)| *own < lives);
            }
        }
        (found, shadow.made(), shadow.missing())
    }

    #[test]
    fn nothing_is_seen_of_the_run_before() {
        fn property(before: Vec<(u8, u8, u8)>, steps: Vec<(u8, u8, u8)>, limit: u16) -> bool {
            let limit = u64::from(limit % 600);
            let mut kept = Shadow::new(Planted::NONE, u64::MAX);
            run(&mut kept, &before);
            kept.clear();
            let mut kept = kept.again(Planted::NONE, limit);
            run(&mut kept, &steps) == run(&mut Shadow::new(Planted::NONE, limit), &steps)
        }
        let property = property as fn(Vec<_>, Vec<_>, u16) -> bool;
        quickcheck::QuickCheck::new().tests(5000).quickcheck(property);
    }

    /// What the room does not count any more is given back, even if the label is taken again.
    #[test]
    fn what_does_not_count_is_not_kept() {
        let mut shadow = Shadow::new(Planted::NONE, u64::MAX);
        let (outer, inner) = (shadow.kernel(), shadow.kernel());
        let path = [Place { kernel: outer, thread: 1 }, Place { kernel: inner, thread: 1 }];
        for label in 0..3 {
            shadow.allocate(&[], label, 100 * KEPT);
            shadow.write(&path[..1], label, 0);
            shadow.allocate(&[], label, 2 * KEPT);
            shadow.write(&path, label, 0);
        }
        let held: usize = shadow.blocks.iter().map(|block| block.cells.capacity()).sum();
        assert_eq!(bytes(held), u64::MAX - shadow.room.left);
        assert_eq!(held, 3 * 4 * KEPT);
    }

    /// A row is its accesses, one after the other.
    #[test]
    fn a_row_is_its_accesses() {
        for (writes, deep) in [(false, false), (true, false), (false, true), (true, true)] {
            let mut shadow = Shadow::new(Planted::NONE, u64::MAX);
            shadow.allocate(&[], 0, 6);
            let (outer, inner) = (shadow.kernel(), shadow.kernel());
            let path = |thread| {
                let places = [(outer, thread), (inner, 1)];
                let places = places.map(|(kernel, thread)| Place { kernel, thread });
                places[..1 + usize::from(deep)].to_vec()
            };
            shadow.write(&path(1), 0, 2);
            shadow.read(&path(1), 0, 4);
            let mut single = shadow.clone();
            let row = Row { first: 0, count: 3, stride: 2 };
            let mut found = Vec::new();
            shadow.row(&path(2), 0, row, writes, |conflict, at| found.push((conflict, at)));
            let access = if writes { Shadow::write } else { Shadow::read };
            let each = row.places().map(|at| (access(&mut single, &path(2), 0, at), at));
            let each: Vec<_> = each.filter_map(|(found, at)| Some((found?, at))).collect();
            assert_eq!(found, each);
            assert_eq!(found.len(), 1 + usize::from(writes));
        }
    }

    #[cfg(feature = "faults")]
    #[test]
    fn the_planted_fault_ignores_reads() {
        let mut shadow = Shadow::new(Planted::new(Fault::R1), u64::MAX);
        shadow.allocate(&[], 0, 1);
        let kernel = shadow.kernel();
        assert_eq!(shadow.read(&at(kernel, 1), 0, 0), None);
        assert_eq!(shadow.write(&at(kernel, 2), 0, 0), None);
        assert!(shadow.write(&at(kernel, 3), 0, 0).is_some());
    }
}
