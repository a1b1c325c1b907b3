//! Ill-typed programs: a program that is well typed, with one premise broken, whose rule must be the one that refuses it.
//!
//! A [`Way`] breaks a premise at a place of the drawn program where it can: an expression, a statement, a type, an item, or
//! between two statements. A place of all those where it can be broken is drawn ([`sites`]). Premises that hold in some
//! modes only are broken there.

mod exps;
mod fit;
mod items;
mod rows;
mod sites;
mod stmts;
mod types;

use super::program;
use crate::generate::Weights;
use arbitrary::Unstructured;
use reference::kit::dice::Dice;
use reference::kit::language::Language;
use reference::kit::text::Rejected;
use reference::minias::Minias;
use reference::minias::syntax::{Options, Program};
use reference::minias::types::Mode;
use sites::At;

/// A program that is refused, and by which rule and premise.
#[derive(Clone, Debug)]
pub struct Broken {
    /// The program, whose premise the parser refuses or the types.
    pub text: String,
    /// How it is typed and launched.
    pub options: Options,
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
    pub fn program(&self) -> Result<Program, Rejected> {
        Minias::parse(&self.text).map(|read| Program { options: self.options.clone(), ..read })
    }
}

/// A way to break a premise.
struct Way {
    rule: &'static str,
    premise: &'static str,
    /// The modes in which this is the premise that fails.
    modes: &'static [Mode],
    at: At,
}

const fn way(rule: &'static str, premise: &'static str, modes: &'static [Mode], at: At) -> Way {
    Way { rule, premise, modes, at }
}

/// All modes.
const ALL: &[Mode] = &Mode::ALL;

/// The modes that infer rows that are elided.
const INFERRING: &[Mode] = &[Mode::Infer, Mode::Single];

/// The ways, by what they change.
const LISTS: [&[Way]; 5] = [rows::WAYS, exps::WAYS, stmts::WAYS, items::WAYS, types::WAYS];

/// Percentage of broken premises that are drawn from the first list: predicates of rows, about which most can go wrong.
const OF_ROWS: u64 = 35;

/// Percentage of broken premises that can fail in the mode `infer` and fail in it.
const INFERRED: u64 = 60;

/// The rules and premises that can be broken, with the modes in which each can.
pub fn premises() -> impl Iterator<Item = (&'static str, &'static str, &'static [Mode])> {
    LISTS.into_iter().flatten().map(|way| (way.rule, way.premise, way.modes))
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

/// Makes an ill-typed program from bytes.
///
/// # Panics
/// If what is drawn has no kernel.
pub fn ill_typed(bytes: &[u8]) -> Broken {
    let (first, rest) = bytes.split_at(bytes.len().min(8));
    let program = program(&mut Unstructured::new(rest), &Weights::default()).program;
    let mut seed = [0; 8];
    seed[..first.len()].copy_from_slice(first);
    broken(&program, u64::from_le_bytes(seed)).expect("a kernel is drawn")
}

/// A program that is well typed in its mode, with a premise broken that the number chooses. In another mode only those
/// statements of its kernel stay that are well typed there. Nothing of a program without a kernel.
pub fn broken(program: &Program, seed: u64) -> Option<Broken> {
    program.kernels().next()?;
    let mut dice = Dice::new(seed);
    let ways: Vec<&Way> = LISTS.into_iter().flatten().collect();
    let first = match dice.below(100) < OF_ROWS {
        true => dice.below(LISTS[0].len() as u64),
        false => dice.below(ways.len() as u64),
    };
    let infer = dice.below(100) < INFERRED;
    let (which, place) = (dice.roll(), dice.roll());
    // Where a program has no place for a way, the next one is taken.
    let ways = ways.iter().cycle().skip(first as usize).take(ways.len());
    ways.into_iter().find_map(|way| {
        let mode = match way.modes.contains(&Mode::Infer) && infer {
            true => Mode::Infer,
            false => way.modes[which as usize % way.modes.len()],
        };
        let fitting = fit::fitting(program, mode);
        let text = sites::edited(&fitting, &way.at, place)?;
        let options = Options { mode, ..program.options.clone() };
        Some(Broken { text, options, rule: way.rule, premise: way.premise })
    })
}
