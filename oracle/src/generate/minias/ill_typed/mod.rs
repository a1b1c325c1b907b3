//! Ill-typed programs of MiniAS.
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

use crate::generate::ill_typed::{Broken, of_bytes};
use reference::kit::dice::Dice;
use reference::kit::language::Language;
use reference::minias::Minias;
use reference::minias::syntax::Program;
use reference::minias::types::Mode;
use sites::At;

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

/// Makes an ill-typed program from bytes.
pub fn ill_typed(bytes: &[u8]) -> Broken {
    of_bytes::<Minias>(bytes, broken)
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
        let settings = Minias::options_of(&fitting);
        Some(Broken { text, settings, rule: way.rule, premise: way.premise })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use reference::kit::derivation::Recorder;
    use reference::minias::infer;

    /// Pointers to constant memory have rows that no cast to another space fits.
    #[test]
    fn premises_are_broken_beside_constants() {
        let text = "constant int c[2] = {1, 2};
            kernel void k(global int *g, local int *l, constant int *d) { int *p = g; if (*c + *d) *p = 1; }";
        let program = Minias::parse(text).expect("it is read");
        let mut broken_ones = 0;
        for seed in 0..4_000 {
            let Some(made) = broken(&program, seed) else { continue };
            let told = made.program::<Minias>().and_then(|read| {
                infer::types_of(&read, read.options.mode, &mut Recorder::counting()).map(drop)
            });
            let rule = told.expect_err(&made.text).rule;
            assert_eq!(rule, Some((made.rule, made.premise)), "{}", made.text);
            broken_ones += 1;
        }
        assert!(broken_ones > 2_000, "{broken_ones}");
    }
}
