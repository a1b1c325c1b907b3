//! What languages with work groups share: the shadow memory of a launch, that is the accesses of each cell,
//! and their conflicts.
//!
//! Two accesses of one cell by different invocations conflict if one of them writes, not both
//! are atomic, and no barrier parts them: invocations of one work group are parted by a barrier
//! of the cell's memory, those of different groups by nothing. Beside each cell stands its last
//! writer and two of its readers; a writer or reader of another group stands for all of that
//! group, one of the same group for its epoch, the time between two barriers. The invocations of a
//! group run epoch by epoch, and up to the first conflict only one group accesses a cell that is written,
//! which is why that is enough, also where the steps of work groups are interleaved.

use std::collections::HashMap;

/// An invocation at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Who {
    /// Number in the launch.
    pub(crate) invocation: u32,
    /// Number of the first invocation of its group.
    pub(crate) group: u32,
    /// Invocations of a group.
    pub(crate) size: u32,
    /// Barriers that its group has passed.
    pub(crate) epoch: u32,
}

impl Who {
    /// Does an access by `other` (1 more than its number; 0 for none) at `epoch` conflict with one
    /// by this invocation now?
    fn clashes(self, other: u32, epoch: u32) -> bool {
        let Some(other) = other.checked_sub(1) else { return false };
        if other == self.invocation {
            return false;
        }
        !self.same_group(other) || epoch == self.epoch
    }

    fn same_group(self, other: u32) -> bool {
        other.wrapping_sub(self.group) < self.size
    }
}

/// An access, as far as conflicts go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
    AtomicRead,
    AtomicWrite,
}

impl Access {
    /// Does it write?
    pub(crate) fn writes(self) -> bool {
        matches!(self, Access::Write | Access::AtomicWrite)
    }
}

/// A conflict with an earlier access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    /// The invocation of the earlier access.
    pub(crate) other: u32,
    /// Did it write?
    pub(crate) other_wrote: bool,
}

/// Up to two different invocations, 1 more than their numbers: of one epoch of a group, or of two groups. If there are
/// accesses by two groups two such stand here, since whoever comes conflicts with one of them.
#[derive(Clone, Copy, Debug, Default)]
struct Pair {
    first: u32,
    second: u32,
    epoch: u32,
}

impl Pair {
    #[inline]
    fn add(&mut self, who: Who) {
        let me = who.invocation + 1;
        if self.first == 0 {
            *self = Pair { first: me, second: 0, epoch: who.epoch };
        } else if self.first == me && self.epoch == who.epoch {
            // It stands there already.
        } else if !who.same_group(self.first - 1) {
            self.second = me;
        } else if self.second != 0 && !who.same_group(self.second - 1) {
            // Those of two groups stand there already.
        } else if self.epoch != who.epoch {
            *self = Pair { first: me, second: 0, epoch: who.epoch };
        } else {
            self.second = me;
        }
    }

    #[inline]
    fn clash(&self, who: Who) -> Option<u32> {
        [self.first, self.second]
            .into_iter()
            .find(|other| who.clashes(*other, self.epoch))
            .map(|other| other - 1)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    /// The launch or group in which it was accessed last; an older one counts as untouched.
    instance: u32,
    /// Was it accessed by atomics too?
    atomics: bool,
    /// 1 more than the last writer's number.
    writer: u32,
    written: u32,
    readers: Pair,
}

#[derive(Clone, Copy, Debug, Default)]
struct Atomics {
    readers: Pair,
    writers: Pair,
}

/// The shadow of the arena or of a group's memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shadow {
    instance: u32,
    cells: Vec<Cell>,
    atomics: HashMap<usize, Atomics>,
}

/// Bytes of shadow for each word of the arena, as far as the memory budget goes.
pub(crate) const BYTES: u64 = std::mem::size_of::<Cell>() as u64;

impl Shadow {
    /// A launch or a group starts, over so many cells.
    pub(crate) fn start(&mut self, cells: usize) {
        if self.cells.len() < cells {
            self.cells.resize(cells, Cell::default());
        }
        if self.instance == u32::MAX {
            self.cells.fill(Cell::default());
            self.instance = 0;
        }
        self.instance += 1;
        self.atomics.clear();
    }

    /// `who` accesses the cell `at`.
    #[inline]
    pub(crate) fn access(&mut self, access: Access, at: usize, who: Who) -> Option<Conflict> {
        let cell = &mut self.cells[at];
        if cell.instance != self.instance {
            *cell = Cell { instance: self.instance, ..Cell::default() };
        }
        let me = who.invocation + 1;
        let wrote = |other: u32| Conflict { other, other_wrote: true };
        let read = |other: u32| Conflict { other, other_wrote: false };
        let mut conflict = None;
        if cell.writer != me && who.clashes(cell.writer, cell.written) {
            conflict = Some(wrote(cell.writer - 1));
        }
        if access.writes() && conflict.is_none() && cell.readers.first != 0 {
            conflict = cell.readers.clash(who).map(read);
        }
        match access {
            Access::Read if !cell.atomics => cell.readers.add(who),
            Access::Write if !cell.atomics => (cell.writer, cell.written) = (me, who.epoch),
            _ => {
                let others = self.atomic(access, at, who);
                return conflict.or(others);
            }
        }
        conflict
    }

    /// The same for an access that is atomic or to a cell that atomics accessed.
    #[cold]
    fn atomic(&mut self, access: Access, at: usize, who: Who) -> Option<Conflict> {
        let cell = &mut self.cells[at];
        let atomics = self.atomics.entry(at).or_default();
        cell.atomics = true;
        let writer = atomics.writers.clash(who);
        let writer = writer.map(|other| Conflict { other, other_wrote: true });
        let reader = atomics.readers.clash(who);
        let reader = reader.map(|other| Conflict { other, other_wrote: false });
        match access {
            Access::Read => {
                cell.readers.add(who);
                writer
            }
            Access::Write => {
                (cell.writer, cell.written) = (who.invocation + 1, who.epoch);
                writer.or(reader)
            }
            Access::AtomicRead => {
                atomics.readers.add(who);
                None
            }
            Access::AtomicWrite => {
                atomics.writers.add(who);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Access::{AtomicRead, AtomicWrite, Read, Write};

    /// The definition: some two earlier accesses conflict.
    fn races(accesses: &[(u32, u32, Access)], size: u32) -> bool {
        accesses.iter().enumerate().any(|(i, (a, ea, x))| {
            accesses[..i].iter().any(|(b, eb, y)| {
                let writes = |access| matches!(access, Write | AtomicWrite);
                let atomic = |access| matches!(access, AtomicRead | AtomicWrite);
                a != b
                    && (writes(*x) || writes(*y))
                    && !(atomic(*x) && atomic(*y))
                    && (a / size != b / size || ea == eb)
            })
        })
    }

    /// Over runs of three groups of two invocations, group by group or together, each epoch by epoch.
    #[test]
    fn agrees_with_the_definition() {
        fn property(steps: Vec<(u8, u8)>, plain: bool, together: bool) -> bool {
            let mut runs = steps;
            let group = |who: u8| who % 6 / 2;
            if !together {
                runs.sort_by_key(|(who, _)| group(*who));
            }
            let mut epochs = [0; 3];
            let mut shadow = Shadow::default();
            shadow.start(1);
            let mut seen = false;
            let mut accesses = Vec::new();
            for (who, how) in runs {
                let access = match how % if plain { 2 } else { 4 } {
                    0 => Read,
                    1 => Write,
                    2 => AtomicRead,
                    _ => AtomicWrite,
                };
                let epoch = &mut epochs[usize::from(group(who))];
                *epoch = u32::from(how / 8 % 3).max(*epoch);
                let invocation = u32::from(who % 6);
                let first = u32::from(group(who)) * 2;
                let who = Who { invocation, group: first, size: 2, epoch: *epoch };
                seen |= shadow.access(access, 0, who).is_some();
                accesses.push((invocation, *epoch, access));
                if seen != races(&accesses, 2) {
                    return false;
                }
            }
            true
        }
        quickcheck::QuickCheck::new()
            .tests(10_000)
            .quickcheck(property as fn(Vec<(u8, u8)>, bool, bool) -> bool);
    }

    /// A reader of another group stays, whoever reads before and behind it.
    #[test]
    fn a_read_of_another_group_is_not_forgotten() {
        for order in [[0, 2, 1], [0, 1, 2], [2, 0, 1]] {
            let mut shadow = Shadow::default();
            shadow.start(1);
            let who = |invocation: u32, epoch| Who {
                invocation,
                group: invocation / 2 * 2,
                size: 2,
                epoch,
            };
            for reader in order {
                assert_eq!(shadow.access(Read, 0, who(reader, 0)), None);
            }
            let conflict = Conflict { other: 2, other_wrote: false };
            assert_eq!(shadow.access(Write, 0, who(0, 1)), Some(conflict), "{order:?}");
        }
    }

    #[test]
    fn another_launch_starts_anew() {
        let mut shadow = Shadow::default();
        let who = |invocation| Who { invocation, group: 0, size: 8, epoch: 0 };
        shadow.start(1);
        assert_eq!(shadow.access(Write, 0, who(3)), None);
        shadow.start(1);
        assert_eq!(shadow.access(Write, 0, who(4)), None);
        let conflict = Conflict { other: 4, other_wrote: true };
        assert_eq!(shadow.access(Read, 0, who(3)), Some(conflict));
    }
}
