//! Where arrays of a work group lie in its memory: two that do not live at the same time may share words.
//!
//! While a kernel is written each array has words of its own, and is noted when it is made and touched. If some could
//! share words, or not all have a place, the kernel is written once more by a plan that says where each lies. It makes
//! the same arrays in the same order.

/// The arrays of a kernel in the memory of its groups.
#[derive(Clone)]
pub(super) struct Places {
    /// The words that there are.
    most: u32,
    arrays: Vec<Array>,
    /// How often one was made or touched.
    now: usize,
    /// Where each lies, if it has a place.
    plan: Option<Vec<Option<u32>>>,
}

#[derive(Clone)]
struct Array {
    words: u32,
    place: Option<u32>,
    /// When it is made, and touched for the last time.
    life: [usize; 2],
}

impl Array {
    fn end(&self) -> u32 {
        self.place.map_or(0, |place| place.saturating_add(self.words))
    }

    fn lives_with(&self, other: &Array) -> bool {
        self.life[0] <= other.life[1] && other.life[0] <= self.life[1]
    }

    /// Have both the word at the end of one?
    fn overlaps(&self, other: &Array) -> bool {
        let (Some(a), Some(b)) = (self.place, other.place) else { return false };
        a < other.end() && b < self.end()
    }
}

impl Places {
    /// In so many words, and by a plan if there is one.
    pub(super) fn new(most: u32, plan: Option<Vec<Option<u32>>>) -> Self {
        Self { most, arrays: Vec::new(), now: 0, plan }
    }

    /// An array of so many words: its number and its place, if it has one. One without words has a place too, for code
    /// that nobody reaches.
    pub(super) fn make(&mut self, words: u32) -> Option<(usize, u32)> {
        let words = words.max(1);
        if words > self.most {
            return None;
        }
        let number = self.arrays.len();
        let place = match &self.plan {
            Some(plan) => plan.get(number).copied().flatten(),
            None => Some(self.used()),
        };
        self.now += 1;
        self.arrays.push(Array { words, place, life: [self.now; 2] });
        place.map(|place| (number, place))
    }

    /// So many words are for others.
    pub(super) fn reserve(&mut self, words: u32) {
        self.most = self.most.saturating_sub(words);
    }

    /// One is read or written.
    pub(super) fn touch(&mut self, number: usize) {
        self.now += 1;
        self.arrays[number].life[1] = self.now;
    }

    /// When what follows begins.
    pub(super) fn begins(&self) -> usize {
        self.now + 1
    }

    /// What began then was a loop that ends here: an array from before it that is touched in it lives to its end.
    pub(super) fn repeats(&mut self, begin: usize) {
        for array in self.arrays.iter_mut().filter(|array| array.life[1] >= begin) {
            if array.life[0] < begin {
                array.life[1] = self.now;
            }
        }
    }

    /// What began then was done by the invocations in whatever order: all arrays in it live at the same time.
    pub(super) fn at_once(&mut self, begin: usize) {
        for array in self.arrays.iter_mut().filter(|array| array.life[1] >= begin) {
            array.life = [array.life[0].min(begin), self.now];
        }
    }

    /// Do two arrays have words in common?
    pub(super) fn overlap(&self, a: usize, b: usize) -> bool {
        self.arrays[a].overlaps(&self.arrays[b])
    }

    /// How many words are used.
    pub(super) fn used(&self) -> u32 {
        self.arrays.iter().map(Array::end).max().unwrap_or(0)
    }

    /// A plan by which fewer words are used, or by which some arrays have no place since there are too few words.
    pub(super) fn better(&self) -> Option<Vec<Option<u32>>> {
        if self.plan.is_some() {
            return None;
        }
        let mut placed: Vec<Array> = Vec::with_capacity(self.arrays.len());
        for array in &self.arrays {
            let others = || placed.iter().filter(|other| other.lives_with(array));
            let mut places: Vec<u32> = others().map(Array::end).collect();
            places.push(0);
            places.sort_unstable();
            let fits = |place: &u32| {
                let there = Array { place: Some(*place), ..array.clone() };
                there.end() <= self.most && others().all(|other| !there.overlaps(other))
            };
            let place = places.into_iter().find(fits);
            placed.push(Array { place, ..array.clone() });
        }
        let used = placed.iter().map(Array::end).max().unwrap_or(0);
        (used < self.used()).then(|| placed.into_iter().map(|array| array.place).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::Places;

    #[test]
    fn arrays_share_words_when_they_do_not_live_together() {
        let mut places = Places::new(10, None);
        // Three arrays, each made of the one before.
        let numbers = [4, 4, 4].map(|words| {
            let begin = places.begins();
            let last = places.arrays.len().checked_sub(1);
            last.into_iter().for_each(|last| places.touch(last));
            let number = places.make(words).expect("it has a place").0;
            places.touch(number);
            places.at_once(begin);
            number
        });
        places.touch(numbers[2]);
        assert_eq!(places.used(), 12);
        assert_eq!(places.better(), Some(vec![Some(0), Some(4), Some(0)]));
        assert_eq!(places.make(11), None);
    }

    #[test]
    fn what_a_loop_reads_again_stays() {
        let mut places = Places::new(10, None);
        let outer = places.make(4).expect("it has a place").0;
        places.touch(outer);
        let begin = places.begins();
        places.touch(outer);
        let inner = places.make(4).expect("it has a place").0;
        places.touch(inner);
        assert_eq!(places.better(), Some(vec![Some(0), Some(0)]));
        places.repeats(begin);
        assert_eq!(places.better(), None);
        // One more lives when both are dead, and a larger one has no place.
        places.make(4);
        assert_eq!(places.better(), Some(vec![Some(0), Some(4), Some(0)]));
        let begin = places.begins();
        [outer, inner].into_iter().for_each(|number| places.touch(number));
        places.make(4);
        places.at_once(begin);
        assert_eq!(places.better().map(|plan| plan[3]), Some(None));
    }
}
