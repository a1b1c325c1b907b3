//! Ill-typed programs: a program that is well typed, with one premise broken, whose rule must be the one that refuses it.

use super::{Generate, Weights};
use arbitrary::Unstructured;
use reference::kit::dice::Dice;
use reference::kit::language::{Language, Settings};
use reference::kit::text::Rejected;

/// A program that is refused, and by which rule and premise.
#[derive(Clone, Debug)]
pub struct Broken {
    /// The program, whose premise the parser refuses or the types.
    pub text: String,
    /// The options that it is checked under.
    pub settings: Settings,
    /// The rule.
    pub rule: &'static str,
    /// Its premise.
    pub premise: &'static str,
}

impl Broken {
    /// The program, under its options.
    ///
    /// # Errors
    /// The parser refuses it.
    pub fn program<L: Language>(&self) -> Result<L::Program, Rejected> {
        L::parse(&self.text).map(|read| L::under(read, &self.settings))
    }
}

/// Makes an ill-typed program from bytes: the first eight choose the premise that `broken` breaks, the others the program.
///
/// # Panics
/// If `broken` breaks none of what is drawn.
pub(super) fn of_bytes<L: Generate>(
    bytes: &[u8],
    broken: fn(&L::Program, u64) -> Option<Broken>,
) -> Broken {
    let (first, rest) = bytes.split_at(bytes.len().min(8));
    let program = (L::GENERATOR)(&mut Unstructured::new(rest), &Weights::default()).program;
    let mut seed = [0; 8];
    seed[..first.len()].copy_from_slice(first);
    broken(&program, u64::from_le_bytes(seed)).expect("a premise of what is drawn can be broken")
}

/// Percentage of programs of which a campaign breaks a premise.
const BROKEN: u64 = 20;

/// The place of the schedule from which the premise is drawn.
const PREMISE_AT: u64 = 1 << 21;

/// The premise that a campaign breaks besides, of a program of this schedule: a number that chooses it.
pub fn premise(schedule: u64) -> Option<u64> {
    let mut dice = Dice::new(Dice::at(schedule, PREMISE_AT));
    (dice.below(100) < BROKEN).then(|| dice.roll())
}
