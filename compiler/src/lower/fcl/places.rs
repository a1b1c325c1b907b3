//! Where arrays of a work group lie in its memory: two that do not live at the same time may share words.
//!
//! While a kernel is written each array has words of its own, and is noted when it is made and touched. If some could
//! share words, not all have a place, or some are read along columns, the kernel is written once more by a plan that says
//! where each lies. It makes the same arrays in the same order.
//!
//! The memory has [`BANKS`] banks, of which each serves a word at a time. Words that are a multiple of that apart are in
//! one bank, so the invocations that read a column of a tile wait for each other. In an array that is read so a word is
//! left out behind as many as there are banks.

use super::{Lower, fold};
use reference::device::syntax::{Exp, Sc};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;

/// The banks of the memory of a group, a power of two.
const BANKS: u32 = 32;

/// How far the words of a column are apart at least: others are in so many banks that padding gains little.
const LEAST_STRIDE: i64 = 8;

/// The arrays of a kernel in the memory of its groups.
#[derive(Clone)]
pub(super) struct Places {
    /// The words that there are.
    most: u32,
    arrays: Vec<Array>,
    /// How often one was made or touched.
    now: usize,
    /// Where each lies, if it has a place.
    plan: Option<Plan>,
}

/// The most expressions of an index that are looked at.
const MOST_STEPS: usize = 128;

/// Where arrays lie.
pub(super) type Plan = Vec<Option<Base>>;

/// Where an array lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Base {
    /// The first word, as if none was left out.
    pub(super) at: u32,
    /// Are words left out?
    pub(super) is_padded: bool,
}

impl Base {
    /// The word that it really is.
    fn start(self) -> u32 {
        if self.is_padded { self.at + self.at / BANKS } else { self.at }
    }
}

/// The word of a padded array that would be at this one if none was left out.
pub(super) fn padded(at: Exp) -> Exp {
    let left_out = Exp::bin(BinOp::Shr, at.clone(), Exp::i32(BANKS.ilog2() as i32));
    Exp::bin(BinOp::Add, at, left_out)
}

/// Are words so far apart in few banks?
fn is_column(stride: i64) -> bool {
    stride != 0 && stride % LEAST_STRIDE == 0
}

#[derive(Clone)]
struct Array {
    words: u32,
    place: Option<Base>,
    /// Is it read or written along columns?
    has_columns: bool,
    /// When it is made, and touched for the last time.
    life: [usize; 2],
}

impl Array {
    fn start(&self) -> u32 {
        self.place.map_or(0, Base::start)
    }

    fn end(&self) -> u32 {
        let end = |place: Base| match place.is_padded {
            true => {
                let last = place.at.saturating_add(self.words - 1);
                last.saturating_add(last / BANKS + 1)
            }
            false => place.at.saturating_add(self.words),
        };
        self.place.map_or(0, end)
    }

    fn lives_with(&self, other: &Array) -> bool {
        self.life[0] <= other.life[1] && other.life[0] <= self.life[1]
    }

    /// Have both the word at the end of one?
    fn overlaps(&self, other: &Array) -> bool {
        let both = self.place.is_some() && other.place.is_some();
        both && self.start() < other.end() && other.start() < self.end()
    }
}

impl Places {
    /// In so many words, and by a plan if there is one.
    pub(super) fn new(most: u32, plan: Option<Plan>) -> Self {
        Self { most, arrays: Vec::new(), now: 0, plan }
    }

    /// An array of so many words: its number and its place, if it has one. One without words has a place too, for code
    /// that nobody reaches.
    pub(super) fn make(&mut self, words: u32) -> Option<(usize, Base)> {
        let words = words.max(1);
        if words > self.most {
            return None;
        }
        let number = self.arrays.len();
        let place = match &self.plan {
            Some(plan) => plan.get(number).copied().flatten(),
            None => Some(Base { at: self.used(), is_padded: false }),
        };
        self.now += 1;
        self.arrays.push(Array { words, place, has_columns: false, life: [self.now; 2] });
        place.map(|place| (number, place))
    }

    /// One is read or written along columns.
    fn has_columns(&mut self, number: usize) {
        self.arrays[number].has_columns = true;
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

    /// A plan by which arrays with columns are padded; or else fewer words are used, or some arrays have no place since
    /// there are too few words.
    pub(super) fn better(&self) -> Option<Plan> {
        if self.plan.is_some() {
            return None;
        }
        if self.arrays.iter().any(|array| array.has_columns) {
            let padded = self.laid_out(true);
            if padded.iter().all(|array| array.place.is_some()) {
                return Some(padded.into_iter().map(|array| array.place).collect());
            }
        }
        let placed = self.laid_out(false);
        let used = placed.iter().map(Array::end).max().unwrap_or(0);
        (used < self.used()).then(|| placed.into_iter().map(|array| array.place).collect())
    }

    /// The arrays, each at the first place where there is room.
    fn laid_out(&self, pads: bool) -> Vec<Array> {
        let mut placed: Vec<Array> = Vec::with_capacity(self.arrays.len());
        for array in &self.arrays {
            let is_padded = pads && array.has_columns;
            let others = || placed.iter().filter(|other| other.lives_with(array));
            let from = |start: u32| match is_padded {
                // The first row that starts there or behind it.
                true => Base { at: start.div_ceil(BANKS + 1) * BANKS, is_padded },
                false => Base { at: start, is_padded },
            };
            let mut starts: Vec<u32> = others().map(Array::end).collect();
            starts.push(0);
            starts.sort_unstable();
            let at = |start: u32| Array { place: Some(from(start)), ..array.clone() };
            let fits = |there: &Array| {
                there.end() <= self.most && others().all(|other| !there.overlaps(other))
            };
            let there = starts.into_iter().map(at).find(fits);
            placed.push(there.unwrap_or(Array { place: None, ..array.clone() }));
        }
        placed
    }
}

impl Lower<'_> {
    /// An element of a shared array is read or written: along a column, if from one invocation to the next it is another
    /// one so far away that there are few banks.
    pub(super) fn reaches(&mut self, array: u32, index: &Exp) {
        let group = self.group();
        let (Some(number), Some(dealt)) = (group.shared[array as usize].number, group.dealt) else {
            return;
        };
        if self.stride(index, dealt, &mut { MOST_STEPS }).is_some_and(is_column) {
            self.group().places.has_columns(number);
        }
    }

    /// How far an index goes on where a number does by one, mostly.
    fn stride(&self, index: &Exp, number: Var, steps: &mut usize) -> Option<i64> {
        *steps = steps.checked_sub(1)?;
        let mut of = |exp: &Exp| self.stride(exp, number, steps);
        match index {
            Exp::Lit(_) | Exp::Builtin(_) => Some(0),
            Exp::Var(var) if *var == number => Some(1),
            Exp::Var(var) => self.definitions.get(var).map_or(Some(0), of),
            Exp::Cast(Sc::I32 | Sc::U32, exp) => of(exp),
            Exp::Bin(op, ab) => {
                let (a, b) = (of(&ab[0])?, of(&ab[1])?);
                let [_, by] = [0, 1].map(|at| fold::literal(&ab[at]).map(i64::from));
                match (op, by) {
                    (BinOp::Add, _) => a.checked_add(b),
                    (BinOp::Sub, _) => a.checked_sub(b),
                    (BinOp::Mul, Some(by)) => a.checked_mul(by),
                    (BinOp::Mul, _) => match fold::literal(&ab[0]) {
                        Some(by) => b.checked_mul(by.into()),
                        None => (a == 0 && b == 0).then_some(0),
                    },
                    (BinOp::Div, Some(by)) if by > 0 => Some(a / by),
                    (BinOp::Rem, Some(by)) if by > 0 => Some(a % by),
                    _ => (a == 0 && b == 0).then_some(0),
                }
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Base, Places, Plan};

    /// Arrays at these words, none of them padded.
    fn plain<const N: usize>(places: [u32; N]) -> Option<Plan> {
        Some(places.map(|at| Some(Base { at, is_padded: false })).to_vec())
    }

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
        assert_eq!(places.better(), plain([0, 4, 0]));
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
        assert_eq!(places.better(), plain([0, 0]));
        places.repeats(begin);
        assert_eq!(places.better(), None);
        // One more lives when both are dead, and a larger one has no place.
        places.make(4);
        assert_eq!(places.better(), plain([0, 4, 0]));
        let begin = places.begins();
        [outer, inner].into_iter().for_each(|number| places.touch(number));
        places.make(4);
        places.at_once(begin);
        assert_eq!(places.better().map(|plan| plan[3]), Some(None));
    }

    #[test]
    fn arrays_with_columns_are_padded() {
        for (most, fits) in [(98, true), (97, false)] {
            let mut places = Places::new(most, None);
            for words in [5, 64, 8] {
                places.make(words).expect("it has a place");
            }
            places.has_columns(1);
            (0..3).for_each(|number| places.touch(number));
            // It starts at the second row, and has a word more behind the first one of its own.
            let [first, last] = [0, 5].map(|at| Some(Base { at, is_padded: false }));
            let padded = Some(Base { at: 32, is_padded: true });
            assert_eq!(places.better(), fits.then(|| vec![first, padded, last]));
        }
    }
}
