//! The memory of a run, to be used again by the next one: most programs are small, and what they
//! touch has left the caches when it is asked for anew.

use super::faults::Planted;
use super::heap::Heap;
use super::shadow::Shadow;

/// A heap and its shadow between two runs: empty, with the memory of blocks that are not large.
#[derive(Debug, Default)]
pub struct Memory {
    heap: Heap,
    shadow: Shadow,
    watches: bool,
}

impl Memory {
    /// The same, whose runs look for reads of memory that nothing wrote, or do not.
    pub fn watched(self, watches: bool) -> Self {
        Self { watches, ..self }
    }

    /// Do runs look for such reads?
    pub(crate) fn watches(&self) -> bool {
        self.watches
    }

    /// An empty heap and its shadow, of at most `limit` bytes each. A run that panics puts nothing
    /// back.
    pub(crate) fn take(&mut self, planted: Planted, limit: u64) -> (Heap, Shadow) {
        let Memory { heap, shadow, watches } = std::mem::take(self);
        self.watches = watches;
        (heap.again(limit, watches), shadow.again(planted, limit))
    }

    /// The run is over.
    pub(crate) fn put_back(&mut self, mut heap: Heap, mut shadow: Shadow) {
        heap.clear();
        shadow.clear();
        *self = Memory { heap, shadow, watches: self.watches };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::names::Names;

    #[test]
    fn what_was_written_is_known_of_each_block() {
        let name = Names::default().fresh("b");
        for watches in [true, false] {
            let memory = &mut Memory::default().watched(watches);
            for length in [3, 2, 5] {
                let (mut heap, shadow) = memory.take(Planted::NONE, u64::MAX);
                let label = heap.allocate(Some(length), name).expect("there is room");
                heap.wrote(label, 1);
                assert_eq!((heap.lacks(label, 0), heap.lacks(label, 1)), (watches, false));
                heap.wrote_all(label);
                assert!(!heap.lacks(label, length - 1));
                memory.put_back(heap, shadow);
            }
        }
    }

    #[test]
    fn each_run_starts_with_an_empty_heap() {
        let mut memory = Memory::default();
        let name = Names::default().fresh("b");
        for length in [3, 5, 2, 70_000, 4] {
            let (mut heap, shadow) = memory.take(Planted::NONE, u64::MAX);
            let label = heap.allocate(Some(length), name).expect("there is room");
            assert_eq!((label.number(), heap.peak()), (0, length as u64));
            assert_eq!(heap.block(label).data, vec![0; length]);
            heap.block_mut(label).data.fill(7);
            memory.put_back(heap, shadow);
        }
    }
}
