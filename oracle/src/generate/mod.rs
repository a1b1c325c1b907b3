//! Programs to test with: well-typed, with inputs, made from a string of bytes. One generator
//! serves quickcheck, the seeded campaign and libFuzzer.

pub mod axes;
pub mod device;
mod draw;
pub mod fcl;
pub mod fun;
pub mod funmem;
pub mod ill_typed;
pub mod imp;
pub mod lambda_g;
pub mod minias;
mod range;
pub mod sycl;
#[cfg(feature = "toy")]
mod toy;
mod weights;

pub use weights::Weights;

use crate::language::{Artifact, Lang, Listed};
use arbitrary::Unstructured;
use compiler::emit::style::Style;
use compiler::emit::style::choices::STYLE_BYTES;
pub(crate) use draw::Draw;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use reference::fun::syntax::{Fun, Program};
use reference::kit::dice::Dice;
use reference::kit::language::{Language, Settings};
use reference::kit::outcome::Value;
use reference::with_language;
use std::cmp::Reverse;

/// Makes a program from bytes: few bytes make a small program, none the smallest.
pub type Generator<L> = fn(&mut Unstructured<'_>, &Weights) -> Made<<L as Language>::Program>;

/// The generator of a language.
pub trait Generate: Listed {
    /// The generator.
    const GENERATOR: Generator<Self>;
    /// The percentage of a campaign's programs.
    const SHARE: u32 = 0;
    /// Has it all programs that no share claims? One language has.
    const HAS_REST: bool = false;

    /// Raises the weights of what makes this rule of evaluation fire, or this premise of it fail, which never
    /// did in a campaign; the premise is empty where the rule did not fire. Nothing where the generator has no
    /// such weights.
    fn steer(_weights: &mut Weights, _rule: &str, _premise: &str) {}

    /// The options of the language that a campaign runs this program with, where its user sets none.
    fn settings(_program: &Self::Program, _dice: &mut Dice) -> Settings {
        Settings::default()
    }
}

/// What a program was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// To run to its end.
    Runs,
    /// To get stuck somewhere.
    Stuck,
    /// To race, where a barrier that it forgets mattered; only programs of the device language are.
    Races,
    /// To give other results in another order of its threads, where that mattered; only programs of the device language
    /// are.
    OrderDependent,
    /// To do what its edits make of it, or the records of failures that it writes.
    Anything,
}

/// A program with its input.
#[derive(Clone, Debug)]
pub struct Made<P> {
    /// The program, well-typed.
    pub program: P,
    /// One value for each parameter but blocks.
    pub input: Vec<Value>,
    /// What it was made for.
    pub intent: Intent,
}

/// A case of a campaign: a program of any language with its input, and a style for its shaders.
#[derive(Clone, Debug)]
pub struct Material {
    /// The program.
    pub program: Artifact,
    /// One value for each parameter but blocks.
    pub input: Vec<Value>,
    /// What it was made for.
    pub intent: Intent,
    /// How its shaders are written.
    pub style: Style,
}

/// How many bytes a case of a seeded stream is made of. A generator that comes to the end of
/// them comes to its own.
pub const CASE_BYTES: usize = 2048;

/// The digest of a text by FNV-1a, which is the same in every build.
pub fn digest(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |digest, byte| {
        (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The bytes of case `index` of the stream of `seed`: the same ones on every machine.
pub fn case_bytes(seed: u64, index: u64) -> Vec<u8> {
    bytes_of(seed, index, 0, CASE_BYTES)
}

/// The style of case `index` of the stream of `seed`.
pub fn style(seed: u64, index: u64) -> Style {
    Style::drawn(&bytes_of(seed, index, 1, STYLE_BYTES))
}

pub(crate) fn bytes_of(seed: u64, index: u64, stream: u8, count: usize) -> Vec<u8> {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&index.to_le_bytes());
    key[16] = stream;
    let mut bytes = vec![0; count];
    StdRng::from_seed(key).fill_bytes(&mut bytes);
    bytes
}

/// Case `index` of the stream of `seed`.
pub fn case(seed: u64, index: u64, weights: &Weights) -> Material {
    let bytes = case_bytes(seed, index);
    let material = made_of(&mut Unstructured::new(&bytes), weights);
    Material { style: style(seed, index), ..material }
}

/// A case from any bytes; the last of them are those of its style.
pub fn material(bytes: &[u8], weights: &Weights) -> Material {
    let (program, style) = bytes.split_at(bytes.len().saturating_sub(STYLE_BYTES));
    let material = made_of(&mut Unstructured::new(program), weights);
    Material { style: Style::drawn(style), ..material }
}

/// The language of the programs that no share claims.
///
/// # Panics
/// If no language has them.
pub fn rest() -> Lang {
    let has = |lang: &Lang| with_language!(lang, |L| L::HAS_REST);
    Lang::ALL.iter().copied().find(has).expect("a language has the rest")
}

/// A case of plain style, in a language of the shares that the weights give them.
fn made_of(bytes: &mut Unstructured<'_>, weights: &Weights) -> Material {
    let mut at = Draw::new(bytes).percentile();
    // The largest first: a small one more changes few draws of the others.
    let mut shares: Vec<_> = weights.shares.iter().collect();
    shares.sort_by_key(|(lang, share)| (Reverse(**share), **lang));
    let drawn = shares.into_iter().find_map(|(lang, share)| {
        let here = at < *share;
        at = at.saturating_sub(*share);
        here.then_some(*lang)
    });
    with_language!(drawn.unwrap_or_else(rest), |L| {
        let Made { program, input, intent } = (L::GENERATOR)(bytes, weights);
        Material { program: L::artifact(program), input, intent, style: Style::PLAIN }
    })
}

/// The FUN program of case `index` of the stream of `seed`, which no edit follows.
pub fn fun_case(seed: u64, index: u64, weights: &Weights) -> Made<Program<Fun>> {
    fun::program(&mut Unstructured::new(&case_bytes(seed, index)), weights)
}
