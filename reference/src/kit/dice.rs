//! Pseudo-random numbers from a seed: the same ones on every machine and in every release.

/// What a draw adds to the state: 2^64 divided by the golden ratio.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The numbers of a seed (SplitMix64 of Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
/// Generators", fig. 17).
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// The numbers of a seed, from the first on.
    pub fn new(seed: u64) -> Self {
        Dice(seed)
    }

    /// The next number.
    pub fn roll(&mut self) -> u64 {
        let number = Self::at(self.0, 1);
        self.0 = self.0.wrapping_add(STEP);
        number
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: u64) -> u64 {
        self.roll() % n
    }

    /// The number of a seed at this place, from 1.
    pub fn at(seed: u64, place: u64) -> u64 {
        let mut z = seed.wrapping_add(place.wrapping_mul(STEP));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::Dice;

    /// The first numbers of seed 1234567 by the authors' C program.
    #[test]
    fn the_numbers_are_those_of_splitmix64() {
        let mut dice = Dice::new(1_234_567);
        let numbers = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973];
        assert_eq!([dice.roll(), dice.roll()], numbers);
        assert_eq!([1, 2].map(|place| Dice::at(1_234_567, place)), numbers);
    }
}
