//! Lines at hand: so many of those that were used last.

use rustc_hash::FxHashMap;

/// The lines that were used last, the least recently used of which goes first.
pub(super) struct Lines {
    most: usize,
    /// Where each line stands in `order`.
    at: FxHashMap<u64, u32>,
    /// A ring: each line with those that were used before and after it.
    order: Vec<Line>,
    /// The one that was used least recently.
    oldest: u32,
    /// Lines of which nothing is known but that they were used.
    others: u64,
}

#[derive(Clone, Copy)]
struct Line {
    line: u64,
    before: u32,
    after: u32,
}

impl Lines {
    /// At most so many are at hand.
    pub(super) fn new(most: usize) -> Self {
        Self { most, at: FxHashMap::default(), order: Vec::new(), oldest: 0, others: 0 }
    }

    /// None is at hand.
    pub(super) fn clear(&mut self) {
        self.at.clear();
        self.order.clear();
        self.oldest = 0;
    }

    /// So many lines are used that nothing else uses.
    pub(super) fn uses_others(&mut self, lines: u64) {
        if lines >= self.most as u64 {
            return self.clear();
        }
        for _ in 0..lines {
            self.others += 1;
            self.uses(u64::MAX - self.others);
        }
    }

    /// A line is used. Was it at hand? It is from now on.
    pub(super) fn uses(&mut self, line: u64) -> bool {
        if let Some(at) = self.at.get(&line) {
            self.renews(*at);
            return true;
        }
        if self.order.len() < self.most {
            let at = self.order.len() as u32;
            // Before the oldest in the ring is the place of the newest.
            let newest = self.order.get(self.oldest as usize).map_or(at, |oldest| oldest.before);
            self.order.push(Line { line, before: newest, after: self.oldest });
            self.order[newest as usize].after = at;
            self.order[self.oldest as usize].before = at;
            self.at.insert(line, at);
        } else if self.most > 0 {
            let at = self.oldest;
            let own = &mut self.order[at as usize];
            self.at.remove(&own.line);
            own.line = line;
            // The ring is turned: the oldest is now the newest.
            self.oldest = own.after;
            self.at.insert(line, at);
        }
        false
    }

    /// Makes a line the newest.
    fn renews(&mut self, at: u32) {
        if at == self.oldest {
            self.oldest = self.order[at as usize].after;
            return;
        }
        let Line { before, after, .. } = self.order[at as usize];
        self.order[before as usize].after = after;
        self.order[after as usize].before = before;
        let newest = self.order[self.oldest as usize].before;
        self.order[newest as usize].after = at;
        self.order[self.oldest as usize].before = at;
        let own = &mut self.order[at as usize];
        (own.before, own.after) = (newest, self.oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;
    use crate::kit::dice::Dice;

    /// Against a list in the order of use.
    #[test]
    fn the_least_recently_used_goes_first() {
        for most in [0, 1, 2, 3, 8] {
            let (mut lines, mut list) = (Lines::new(most), Vec::new());
            let mut dice = Dice::new(most as u64);
            for _ in 0..2_000 {
                let line = dice.below(12);
                let found = list.iter().position(|other| *other == line);
                if let Some(at) = found {
                    list.remove(at);
                }
                list.push(line);
                list.drain(..list.len().saturating_sub(most));
                assert_eq!(lines.uses(line), found.is_some(), "{most}: {list:?}");
            }
        }
    }

    #[test]
    fn others_drive_the_oldest_out() {
        let mut lines = Lines::new(4);
        let uses = |lines: &mut Lines, all: &[u64]| -> Vec<bool> {
            all.iter().map(|line| lines.uses(*line)).collect()
        };
        uses(&mut lines, &[1, 2, 3]);
        lines.uses_others(2);
        assert_eq!(uses(&mut lines, &[3, 2, 1]), [true, true, false]);
        lines.uses_others(9);
        assert_eq!(uses(&mut lines, &[3, 2, 1]), [false; 3]);
    }
}
