//! Where the accesses of a run stand, so that a race can show both of its accesses. That takes a table with a line
//! for each access, so only a run whose recorder [is asked](super::derivation::Recorder::locating) keeps one.

use super::derivation::Recorder;
use super::rules::Roll;
use super::text::Span;
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// Most lines of the table. Accesses that would need more lines are not noted.
const MOST: usize = 1 << 22;

/// For each thread and location the statement of the last read, and that of the last write. A key holds the thread,
/// the location, and whether the access writes; each evaluator has its own type of keys.
#[derive(Clone, Debug, Default)]
pub(crate) struct Accesses<K>(FxHashMap<K, Span>);

impl<K: Eq + Hash> Accesses<K> {
    /// The table that a run needs with this recorder.
    pub(crate) fn wanted<R: Roll>(by: &Recorder<R>) -> Option<Self> {
        by.locates().then(|| Self(FxHashMap::default()))
    }

    /// Notes an access by the statement at `span`.
    #[cold]
    pub(crate) fn note(&mut self, key: K, span: Span) {
        if self.0.len() < MOST || self.0.contains_key(&key) {
            self.0.insert(key, span);
        }
    }

    /// The statement of the last such access.
    pub(crate) fn at(&self, key: &K) -> Option<Span> {
        self.0.get(key).copied()
    }
}
