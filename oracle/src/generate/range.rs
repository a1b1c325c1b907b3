//! What is known of an int of a program that is being made.

/// What an int may be, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) lo: i64,
    pub(crate) hi: i64,
}

impl Range {
    pub(crate) fn exactly(k: i64) -> Self {
        Range { lo: k, hi: k }
    }

    pub(crate) fn has(self, k: i64) -> bool {
        (self.lo..=self.hi).contains(&k)
    }
}
