//! In which order the iterations of a kernel run: the choice that the semantics leaves open is
//! an argument.

use crate::kit::scalar::gcd;

/// An order of the iterations of every kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// 1, 2, …
    InOrder,
    /// The last one first.
    Reversed,
    /// By a permutation from a seed, another one for each kernel that runs.
    Shuffled(u64),
    /// By small steps: the seed chooses the thread that makes the next step.
    Interleaved(u64),
}

/// Pseudo-random numbers from a seed (splitmix64).
#[derive(Clone, Debug)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Dice(seed)
    }

    pub(super) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0.
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.roll() % n
    }
}

/// A bijection from `0..n` to itself.
#[derive(Clone, Debug)]
pub(super) enum Permutation {
    Forward,
    Backward(i64),
    /// Any permutation, for small `n`.
    Table(Vec<u32>),
    /// `(a · i + b) mod n` with `a` prime to `n`: no memory.
    Affine {
        a: u64,
        b: u64,
        n: u64,
    },
}

/// Up to here a shuffle keeps a table.
const TABLE: i64 = 1 << 12;

impl Permutation {
    pub(super) fn shuffled(n: i64, dice: &mut Dice) -> Self {
        if n <= TABLE {
            let mut table: Vec<u32> = (0..n.max(0) as u32).collect();
            for i in (1..table.len()).rev() {
                table.swap(i, dice.below(i as u64 + 1) as usize);
            }
            return Permutation::Table(table);
        }
        let n = n as u64;
        let b = dice.below(n);
        let a = std::iter::repeat_with(|| 1 + dice.below(n - 1)).find(|&a| gcd(a, n) == 1);
        Permutation::Affine { a: a.unwrap_or(1), b, n }
    }

    /// The iteration, from 1, that comes at place `at`, from 0.
    #[inline]
    pub(super) fn at(&self, at: i64) -> i64 {
        1 + match self {
            Permutation::Forward => at,
            Permutation::Backward(n) => n - 1 - at,
            Permutation::Table(table) => table[at as usize].into(),
            Permutation::Affine { a, b, n } => {
                ((u128::from(*a) * at as u128 + u128::from(*b)) % u128::from(*n)) as i64
            }
        }
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
            let mut seen: Vec<i64> = (0..n).map(|at| shuffle.at(at)).collect();
            assert!(n < 63 || !seen.is_sorted());
            seen.sort_unstable();
            assert!(seen.into_iter().eq(1..=n));
        }
    }
}
