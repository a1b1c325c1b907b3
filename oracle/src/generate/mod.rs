//! Programs to test with: well-typed, with inputs, made from a string of bytes. One generator
//! serves quickcheck, the seeded campaign and libFuzzer.

mod draw;
pub mod edit;
mod expr;
pub mod fun;
mod input;
mod joins;
mod kernels;
mod layout;
mod making;
mod repeat;
mod sizes;
mod trouble;
mod types;
mod views;
mod weights;

pub use weights::Weights;

use arbitrary::Unstructured;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// How many bytes a case is made of. A generator that comes to the end of them comes to its own.
pub const CASE_BYTES: usize = 2048;

/// The bytes of case `index` of the stream of `seed`: the same ones on every machine.
pub fn case_bytes(seed: u64, index: u64) -> Vec<u8> {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&index.to_le_bytes());
    let mut bytes = vec![0; CASE_BYTES];
    StdRng::from_seed(key).fill_bytes(&mut bytes);
    bytes
}

/// Case `index` of the stream of `seed`.
pub fn fun_case(seed: u64, index: u64, weights: &Weights) -> fun::Made {
    let bytes = case_bytes(seed, index);
    let made = fun::program(&mut Unstructured::new(&bytes), weights);
    // Drawing never fails: what is missing counts as 0.
    made.unwrap_or_else(|error| unreachable!("the generator takes any bytes: {error}"))
}
