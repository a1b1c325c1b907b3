//! Which thread goes next: the one choice that a semantics with threads leaves open. A run asks its
//! [`Schedule`], and the evaluators of IMP, of the device language and of SPIR-V ask all in the same words.
//!
//! A thread is an iteration of a kernel of IMP or an invocation of a shader. A program without races gives the
//! same results in every order, atomics aside.

use super::dice::Dice;
use super::scalar::gcd;

/// The orders that have names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Each thread to its end, the first one first.
    #[default]
    InOrder,
    /// Each to its end, the last one first.
    Reversed,
    /// Each to its end, shuffled by a seed.
    Shuffled(u64),
    /// The seed chooses for each step the thread that makes it; of one seed in four, behind each atomic operation only.
    Interleaved(u64),
    /// Each up to an atomic operation that changes a word, but the last one, which goes on to its end, and then the others from
    /// the last one to the first one. A thread that waits for another one waits for ever, as it may on a device that lets threads
    /// starve.
    Starving,
}

impl Order {
    /// The order of a [variant](super::language::Variant) of a language: `reversed`, `shuffled` and
    /// `interleaved`, of which two take the seed, and `in-order` or no name for the threads in order.
    ///
    /// # Panics
    /// If no order has this name.
    pub fn of_variant(name: &str, seed: u64) -> Self {
        match name {
            "reversed" => Order::Reversed,
            "shuffled" => Order::Shuffled(seed),
            "interleaved" => Order::Interleaved(seed),
            "in-order" | "" => Order::InOrder,
            other => panic!("no order of threads is called `{other}`"),
        }
    }

    /// The schedule from its beginning.
    pub fn schedule(self) -> Box<dyn Schedule> {
        match self {
            Order::InOrder => Box::new(Turns(Permutation::forward)),
            Order::Reversed => Box::new(Turns(Permutation::Backward)),
            Order::Shuffled(seed) => Box::new(Shuffled(Dice::new(seed))),
            Order::Interleaved(seed) => {
                Box::new(Interleaved { dice: Dice::new(seed), at_atomics: seed % 4 == 3 })
            }
            Order::Starving => Box::new(Starving { left: 0, stays: false }),
        }
    }
}

impl Order {
    /// The same schedule, but atomic loads may give older values, which the seed chooses.
    pub fn relaxed(self, seed: u64) -> Box<dyn Schedule> {
        Box::new(Relaxing { of: self.schedule(), dice: Dice::new(seed) })
    }
}

impl From<Order> for Box<dyn Schedule> {
    fn from(order: Order) -> Self {
        order.schedule()
    }
}

/// Which thread goes next.
///
/// Work groups start in the [`order`](Schedule::order) of the schedule, and so do the threads of a kernel or of a work
/// group. From there on there are two ways.
///
/// - A schedule that does not [preempt](Schedule::preempts) lets each thread make steps until it ends or waits
///   at a barrier, and then the next one; one group runs after the other. `next` and `stays` are not asked, so a step
///   costs no choice.
/// - One that does is asked for the [next](Schedule::next) thread among those that can make a step, and
///   after each step whether that thread [stays](Schedule::stays). If it does not, the choice is made again.
///   The device language has up to eight groups under way, and the executor of SPIR-V more where these end only through
///   others; the choice is one of all their threads. The executor executes whole blocks, so there a thread is left at atomic operations only.
///
/// A schedule that switches between threads now and then is one implementation more: it preempts, answers `next`
/// by its dice, and `stays` until it wants another thread, for example with [`Step::Atomic`] where only
/// atomics decide, or after so many steps (a bound on preemptions, as in Musuvathi and Qadeer, "Iterative
/// Context Bounding", PLDI 2007). The evaluators take any `Box<dyn Schedule>`, so none of them changes.
pub trait Schedule {
    /// In which order `n` threads start, or `n` work groups run.
    fn order(&mut self, n: u64) -> Permutation;

    /// May a thread be left where it could make another step?
    fn preempts(&self) -> bool {
        false
    }

    /// The number of the thread that goes on, of `ready` that can make a step: below `ready`, which is not 0.
    /// A schedule that does not preempt is not asked, so it need not say.
    fn next(&mut self, ready: usize) -> usize {
        ready - 1
    }

    /// All threads of a work group have passed a barrier; so many of other groups stand before them among those that can make a
    /// step.
    fn passes(&mut self, _before: usize) {}

    /// May a thread that goes on keep others from going on for ever?
    fn starves(&self) -> bool {
        false
    }

    /// May atomic loads give older values than the last one, where a language leaves that open?
    fn relaxes(&self) -> bool {
        false
    }

    /// How many stores older than the last one is the one whose value an atomic load gives, if it may be up to `most`? A
    /// schedule that does not relax them is not asked.
    fn older(&mut self, _most: usize) -> usize {
        0
    }

    /// Does the thread that made this step make the next one too, if it can? A schedule that does not preempt is not asked.
    fn stays(&mut self, _: Step) -> bool {
        true
    }
}

/// What a step did, as far as the choice of the next thread depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// No atomic operation.
    Plain,
    /// An atomic operation, by which it may have been told something by other threads, or, if that changes a word, told them.
    Atomic {
        /// Does it change a word?
        changes: bool,
    },
}

/// Each thread to its end, always in the same order.
struct Turns(fn(u64) -> Permutation);

impl Schedule for Turns {
    fn order(&mut self, n: u64) -> Permutation {
        (self.0)(n)
    }
}

/// Each thread to its end, in an order drawn anew each time.
struct Shuffled(Dice);

impl Schedule for Shuffled {
    fn order(&mut self, n: u64) -> Permutation {
        Permutation::shuffled(n, &mut self.0)
    }
}

/// Each step by a thread that is drawn.
struct Interleaved {
    dice: Dice,
    /// Is a thread left at atomic operations only? Then one may run far ahead of the others, which single steps by turns
    /// hardly ever let it.
    at_atomics: bool,
}

impl Schedule for Interleaved {
    fn order(&mut self, n: u64) -> Permutation {
        Permutation::shuffled(n, &mut self.dice)
    }

    fn preempts(&self) -> bool {
        true
    }

    fn next(&mut self, ready: usize) -> usize {
        self.dice.below(ready as u64) as usize
    }

    fn stays(&mut self, step: Step) -> bool {
        self.at_atomics && matches!(step, Step::Plain)
    }
}

/// Leaves each thread behind an atomic operation that changes a word, and the last one of them nowhere.
struct Starving {
    /// How many threads are left.
    left: usize,
    /// Is the thread at hand the last one that can go on?
    stays: bool,
}

impl Schedule for Starving {
    fn order(&mut self, _: u64) -> Permutation {
        Permutation::Forward
    }

    /// The threads of the group are left anew, and those before them stay left.
    fn passes(&mut self, before: usize) {
        self.left = before;
    }

    fn preempts(&self) -> bool {
        true
    }

    fn starves(&self) -> bool {
        true
    }

    fn next(&mut self, ready: usize) -> usize {
        self.stays = self.left + 1 >= ready;
        if self.stays { ready - 1 } else { self.left }
    }

    fn stays(&mut self, step: Step) -> bool {
        let stays = self.stays || step != Step::Atomic { changes: true };
        self.left += usize::from(!stays);
        stays
    }
}

/// A schedule under which one atomic load in two gives an older value, if it may.
struct Relaxing {
    of: Box<dyn Schedule>,
    dice: Dice,
}

impl Schedule for Relaxing {
    fn order(&mut self, n: u64) -> Permutation {
        self.of.order(n)
    }

    fn preempts(&self) -> bool {
        self.of.preempts()
    }

    fn next(&mut self, ready: usize) -> usize {
        self.of.next(ready)
    }

    fn stays(&mut self, step: Step) -> bool {
        self.of.stays(step)
    }

    fn passes(&mut self, before: usize) {
        self.of.passes(before);
    }

    fn starves(&self) -> bool {
        self.of.starves()
    }

    fn relaxes(&self) -> bool {
        true
    }

    fn older(&mut self, most: usize) -> usize {
        if most == 0 || self.dice.below(2) == 0 {
            0
        } else {
            1 + self.dice.below(most as u64) as usize
        }
    }
}

/// A bijection from `0..n` to itself.
#[derive(Clone, Debug)]
pub enum Permutation {
    /// `0, 1, …`
    Forward,
    /// `n - 1, n - 2, …`, of `n` numbers.
    Backward(u64),
    /// Any, for small `n`.
    Table(Vec<u32>),
    /// `(a · i + b) mod n` with `a` prime to `n`: no memory.
    Affine {
        /// The factor.
        a: u64,
        /// The first number.
        b: u64,
        /// How many numbers.
        n: u64,
    },
}

/// Up to here a shuffle keeps a table.
const TABLE: u64 = 1 << 12;

impl Permutation {
    fn forward(_: u64) -> Self {
        Permutation::Forward
    }

    /// `n` numbers, shuffled. Only up to 4,096 numbers every order is possible.
    #[inline(never)] // Groups in order ask for none.
    pub fn shuffled(n: u64, dice: &mut Dice) -> Self {
        if n <= TABLE {
            let mut table: Vec<u32> = (0..n as u32).collect();
            for i in (1..table.len()).rev() {
                table.swap(i, dice.below(i as u64 + 1) as usize);
            }
            return Permutation::Table(table);
        }
        let b = dice.below(n);
        let a = std::iter::repeat_with(|| 1 + dice.below(n - 1)).find(|&a| gcd(a, n) == 1);
        Permutation::Affine { a: a.unwrap_or(1), b, n }
    }

    /// The number at this place, which is below `n`.
    #[inline]
    pub fn at(&self, place: u64) -> u64 {
        match self {
            Permutation::Forward => place,
            Permutation::Backward(n) => n - 1 - place,
            Permutation::Table(table) => table[place as usize].into(),
            Permutation::Affine { a, b, n } => {
                let at = u128::from(*a) * u128::from(place) + u128::from(*b);
                (at % u128::from(*n)) as u64
            }
        }
    }

    /// Is the number at each place the place itself? Then the first thread that gets stuck is the lowest one.
    pub fn is_forward(&self) -> bool {
        matches!(self, Permutation::Forward)
    }

    /// All `n` numbers.
    #[inline]
    pub(crate) fn numbers(self, n: u32) -> impl Iterator<Item = u32> {
        (0..n).map(move |place| self.at(place.into()) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shuffle_is_a_permutation() {
        let mut dice = Dice::new(7);
        for n in [0, 1, 2, 63, TABLE, TABLE + 1, 10_000] {
            let shuffle = Permutation::shuffled(n, &mut dice);
            let mut seen: Vec<u64> = (0..n).map(|place| shuffle.at(place)).collect();
            assert!(n < 63 || !seen.is_sorted());
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..n));
        }
    }

    #[test]
    fn the_last_thread_goes_on_while_others_starve() {
        let mut schedule = Order::Starving.schedule();
        let [waits, changes] = [false, true].map(|changes| Step::Atomic { changes });
        assert_eq!(schedule.order(3).numbers(3).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(schedule.next(3), 0);
        assert_eq!(
            [Step::Plain, waits, changes].map(|step| schedule.stays(step)),
            [true, true, false]
        );
        assert_eq!((schedule.next(3), schedule.stays(changes)), (1, false));
        assert_eq!((schedule.next(3), schedule.stays(changes)), (2, true));
        // It is done.
        assert_eq!((schedule.next(2), schedule.stays(changes)), (1, true));
        // Behind a barrier, as the second group.
        schedule.passes(2);
        assert_eq!((schedule.next(5), schedule.stays(changes)), (2, false));
        assert_eq!((schedule.next(5), schedule.stays(changes)), (3, false));
        assert_eq!((schedule.next(5), schedule.stays(changes)), (4, true));
    }

    #[test]
    fn a_schedule_from_its_beginning_is_the_same_again() {
        let asked = |order: Order| {
            let mut schedule = order.schedule();
            let numbers = |schedule: &mut dyn Schedule| -> Vec<u32> {
                schedule.order(9).numbers(9).collect()
            };
            let drawn = [numbers(&mut *schedule), numbers(&mut *schedule)];
            (drawn, schedule.preempts().then(|| [(); 9].map(|()| schedule.next(5))))
        };
        for seed in [0, 5] {
            for order in [Order::Shuffled(seed), Order::Interleaved(seed)] {
                assert_eq!(asked(order), asked(order));
                assert_ne!(asked(order).0[0], asked(order).0[1], "each question has its answer");
            }
        }
        assert_ne!(asked(Order::Shuffled(0)), asked(Order::Shuffled(5)));
        let ([first, again], none) = asked(Order::Reversed);
        assert_eq!((&first[..3], none), (&[8, 7, 6][..], None));
        assert_eq!(first, again);
    }
}
