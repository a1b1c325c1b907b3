//! Choices out of a string of bytes. When the bytes run out every choice is the first, the least
//! or no, so a generator that puts its simplest form first comes to an end.

use arbitrary::Unstructured;

/// Chooses by the bytes of an [`Unstructured`]; never fails.
pub(crate) struct Draw<'u, 'b> {
    bytes: &'u mut Unstructured<'b>,
}

impl<'u, 'b> Draw<'u, 'b> {
    pub(crate) fn new(bytes: &'u mut Unstructured<'b>) -> Self {
        Self { bytes }
    }

    /// Are there no bytes left?
    pub(crate) fn is_spent(&self) -> bool {
        self.bytes.is_empty()
    }

    fn byte(&mut self) -> u8 {
        // An empty string gives 0.
        self.bytes.arbitrary().unwrap_or(0)
    }

    /// One of `0..n`, or 0 if `n` is 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        match n {
            0 | 1 => 0,
            2..=64 => (usize::from(self.byte()) * n) >> 8,
            _ => (self.word() as usize) % n,
        }
    }

    /// One of `lo..=hi`.
    pub(crate) fn between(&mut self, lo: i64, hi: i64) -> i64 {
        if hi <= lo {
            return lo;
        }
        let span = (hi - lo) as u64 + 1;
        let at = if span <= 64 {
            self.below(span as usize) as u64
        } else {
            u64::from(self.word()) % span
        };
        lo + at as i64
    }

    /// Any 32 bits.
    pub(crate) fn word(&mut self) -> u32 {
        self.bytes.arbitrary().unwrap_or(0)
    }

    /// True in `percent` of 100 cases.
    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        percent > 0 && self.percentile() < percent
    }

    /// One of `0..100`, each as often but for the grain of a byte; 99 when nothing is left.
    pub(crate) fn percentile(&mut self) -> u32 {
        (255 - u32::from(self.byte())) * 100 / 256
    }

    /// One of them, the first when nothing is left to choose by.
    ///
    /// # Panics
    /// If there is none.
    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// The place of one of the weights, each as often as it weighs.
    pub(crate) fn weighed(&mut self, weights: &[u32]) -> usize {
        let total: u32 = weights.iter().sum();
        if total == 0 {
            return 0;
        }
        let unit = u64::from(self.byte()) << 8 | u64::from(self.byte());
        let mut at = ((unit * u64::from(total)) >> 16) as u32;
        for (place, weight) in weights.iter().enumerate() {
            if at < *weight {
                return place;
            }
            at -= weight;
        }
        0
    }
}
