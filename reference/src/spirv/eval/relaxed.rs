//! Relaxed atomic operations: what a load may give besides the value of the last store.
//!
//! ```text
//! no store that happens before the load comes behind the store in the order of the word  (WGSL and Vulkan, Memory Model)
//! the invocation, and those whose barrier it has passed, saw none that comes behind it   (coherence)
//! ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────
//! the load may give the value of the store
//! ```
//!
//! The order of a word is that in which the run executes. Operations that read and write take the last value, since they are
//! atomic. Barriers order a little more than the specifications say: what a group stored before a barrier of buffers, another
//! group sees behind a later one. So what is found to be stale is so by any reading, and some of what may be is not found.

use super::Running;
use crate::kit::groups::Who;
use crate::kit::schedule::Schedule;
use crate::spirv::syntax::{Atomic, AtomicKind};
use crate::spirv::values::{Place, Slot};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// A word that atomic operations access: of a buffer, by its number, or of the memory of a group, by the number of the group's
/// first invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Word {
    Buffer(usize, usize),
    Group(u32, usize),
}

impl Word {
    fn is_of_buffer(self) -> bool {
        matches!(self, Word::Buffer(..))
    }
}

/// How many stores to a word are kept.
const KEPT: usize = 16;

/// The stores to a word, in its order.
#[derive(Default)]
struct Stores {
    /// The number of the first one that is kept.
    first: usize,
    kept: VecDeque<Store>,
}

/// A value, and the group that stored it: by its first invocation, with the epoch of the group. `None` is the value before
/// all stores.
struct Store {
    value: Slot,
    by: Option<(u32, u32)>,
}

/// What invocations of a group saw of a word: up to their last barrier, and since then. The numbers of stores.
#[derive(Clone, Copy, Default)]
struct Seen {
    epoch: u32,
    before: usize,
    now: usize,
}

/// What is kept of the atomic operations of a launch.
#[derive(Default)]
pub(super) struct Relaxed {
    words: FxHashMap<Word, Stores>,
    own: FxHashMap<(Word, u32), usize>,
    groups: FxHashMap<(Word, u32), Seen>,
    /// When each group passed its barriers of buffers.
    barriers: FxHashMap<u32, Vec<u64>>,
    passed: u64,
    /// The loads that gave an older value that is another one than the last.
    stale: Vec<usize>,
}

impl Relaxed {
    /// The number of the first store whose value a load may give.
    fn floor(&self, word: Word, who: Who) -> usize {
        let Some(stores) = self.words.get(&word) else { return 0 };
        let own = self.own.get(&(word, who.invocation)).copied().unwrap_or(0);
        let group = self.groups.get(&(word, who.group)).map_or(0, |seen| {
            if seen.epoch < who.epoch { seen.now.max(seen.before) } else { seen.before }
        });
        let ordered = if word.is_of_buffer() { self.ordered(stores, who) } else { 0 };
        own.max(group).max(ordered).max(stores.first)
    }

    /// The last store that a barrier of its group parts from a later one of the group of `who`.
    fn ordered(&self, stores: &Stores, who: Who) -> usize {
        let passed = |group: u32, epoch: Option<u32>| {
            self.barriers.get(&group)?.get(epoch? as usize).copied()
        };
        let Some(last) = passed(who.group, who.epoch.checked_sub(1)) else { return 0 };
        let before = |store: &Store| {
            let (group, epoch) = store.by?;
            passed(group, Some(epoch)).filter(|passed| *passed <= last)
        };
        let at = stores.kept.iter().rposition(|store| before(store).is_some());
        at.map_or(0, |at| stores.first + at)
    }

    fn saw(&mut self, word: Word, who: Who, number: usize) {
        self.own.insert((word, who.invocation), number);
        let seen = self.groups.entry((word, who.group)).or_default();
        if seen.epoch < who.epoch {
            *seen = Seen { epoch: who.epoch, before: seen.before.max(seen.now), now: 0 };
        }
        seen.now = seen.now.max(number);
    }

    fn store(&mut self, word: Word, who: Who, (before, now): (Slot, Slot)) {
        let stores = self.words.entry(word).or_default();
        if stores.kept.is_empty() {
            stores.kept.push_back(Store { value: before, by: None });
        }
        stores.kept.push_back(Store { value: now, by: Some((who.group, who.epoch)) });
        if stores.kept.len() > KEPT {
            stores.kept.pop_front();
            stores.first += 1;
        }
        let number = stores.first + stores.kept.len() - 1;
        self.saw(word, who, number);
    }

    fn load(&mut self, word: Word, who: Who, last: Slot, schedule: &mut dyn Schedule) -> Slot {
        let floor = self.floor(word, who);
        let Some(stores) = self.words.get(&word) else { return last };
        let newest = stores.first + stores.kept.len() - 1;
        let number = newest - schedule.older(newest - floor);
        let value = stores.kept[number - stores.first].value;
        self.saw(word, who, number);
        value
    }
}

impl Running<'_> {
    /// What an atomic operation gives, which found `old` and left `new`.
    pub(super) fn relaxed(
        &mut self,
        atomic: &Atomic,
        word: Word,
        (old, new): (Slot, Slot),
        at: usize,
    ) -> Slot {
        let who = self.who(!word.is_of_buffer());
        let Some(relaxed) = &mut self.relaxed else { return old };
        if atomic.wide {
            return old;
        }
        if !matches!(atomic.kind, AtomicKind::Load) {
            relaxed.store(word, who, (old, new));
            return old;
        }
        let given = relaxed.load(word, who, old, &mut *self.schedule);
        if given.bits != old.bits && !relaxed.stale.contains(&at) {
            relaxed.stale.push(at);
        }
        given
    }

    /// The group passes a barrier of buffers.
    pub(super) fn passes(&mut self) {
        if let Some(relaxed) = &mut self.relaxed {
            relaxed.passed += 1;
            relaxed.barriers.entry(self.first).or_default().push(relaxed.passed);
        }
    }

    /// Where loads gave an older value.
    pub(super) fn stale(&self) -> Vec<Place> {
        let stale = self.relaxed.iter().flat_map(|relaxed| &relaxed.stale);
        stale.map(|at| self.place(*at)).collect()
    }

    /// To how many words did atomic operations store? The memory of each group is the same here.
    pub(super) fn atomic_words(&self) -> usize {
        let words = self.relaxed.iter().flat_map(|relaxed| relaxed.words.keys());
        let words = words.map(|word| match *word {
            Word::Buffer(buffer, word) => (Some(buffer), word),
            Word::Group(_, slot) => (None, slot),
        });
        words.collect::<FxHashSet<_>>().len()
    }
}
