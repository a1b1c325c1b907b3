//! How often a generator makes what.

use super::Generate as _;
use crate::language::Lang;
use crate::rolls::is_of_types;
use reference::with_language;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Weights of the generators. Kinds of statements weigh against each other; what
/// is called a percentage is one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Weights {
    /// Scalar statements.
    pub scalar: u32,
    /// Indexing.
    pub index: u32,
    /// Slices.
    pub slice: u32,
    /// Transpositions.
    pub transpose: u32,
    /// Kernels.
    pub kernel: u32,
    /// Conditionals.
    pub branch: u32,
    /// Loops.
    pub repeat: u32,
    /// Updates.
    pub update: u32,
    /// Percentage of programs that get stuck on purpose.
    pub stuck: u32,
    /// Percentage of those whose place is outside every kernel.
    pub stuck_outside: u32,
    /// What gets stuck: index, slice, division, negative size, negative count.
    pub causes: [u32; 5],
    /// Percentage of programs with a kernel of more than 64 threads.
    pub wide: u32,
    /// Percentage of those with more than 256.
    pub very_wide: u32,
    /// Percentage of programs in which some extent is 0.
    pub empty: u32,
    /// Percentage of choices of an array that insist on one out of an `if` or a `loop`.
    pub joined: u32,
    /// Percentage of programs whose kernels may allocate sizes that differ from thread to
    /// thread or from round to round, of which memory expansion has to find a bound.
    pub varying: u32,
    /// Percentages of the cases of a campaign by language, together at most 100; the rest is of the language
    /// that has the rest ([`Generate::HAS_REST`]).
    pub shares: BTreeMap<Lang, u32>,
    /// Percentage of statements that get stuck in which two parts fail.
    pub two_fail: u32,
    /// Percentage of device programs that forget barriers, so that most of them race.
    pub racing: u32,
    /// Percentage of the other device programs whose results may depend on the order of invocations.
    pub orders: u32,
    /// Percentage of the others that write records of failures by hand.
    pub records: u32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            scalar: 16,
            index: 20,
            slice: 12,
            transpose: 7,
            kernel: 20,
            branch: 11,
            repeat: 9,
            update: 9,
            stuck: 14,
            stuck_outside: 12,
            causes: [4, 3, 3, 2, 1],
            wide: 14,
            very_wide: 85,
            empty: 14,
            joined: 45,
            varying: 12,
            shares: usual_shares(),
            two_fail: 50,
            racing: 8,
            orders: 10,
            records: 8,
        }
    }
}

impl Weights {
    /// Of a campaign whose programs are all drawn in this language; the default ones without any.
    pub fn of(language: Option<Lang>) -> Self {
        let shares =
            language.map_or_else(usual_shares, |language| BTreeMap::from([(language, 100)]));
        Self { shares, ..Self::default() }
    }

    /// May steering have made these of others? It only raises weights, up to a bound.
    pub fn may_be_steered_from(&self, others: &Self) -> bool {
        self.shares == others.shares
            && self.all().zip(others.all()).all(|(weight, least)| (least..=100).contains(&weight))
    }

    fn all(&self) -> impl Iterator<Item = u32> + use<> {
        let Self { scalar, index, slice, transpose, kernel, branch, repeat, update, .. } = *self;
        let Self { stuck, stuck_outside, causes, .. } = *self;
        let Self { wide, very_wide, empty, joined, varying, two_fail, racing, .. } = *self;
        let Self { orders, records, .. } = *self;
        [scalar, index, slice, transpose, kernel, branch, repeat, update, stuck, stuck_outside]
            .into_iter()
            .chain(causes)
            .chain([wide, very_wide, empty, joined, varying, two_fail, racing, orders, records])
    }

    /// Raises the weights of what would make a rule of evaluation fire, or a premise of one fail,
    /// that never did: by room, the lines of [`Coverage::missing`], `RULE` or `RULE premise`.
    ///
    /// [`Coverage::missing`]: reference::kit::coverage::Coverage::missing
    pub fn steer<S: AsRef<str>>(&mut self, missing: &[(&str, S)]) {
        for (room, line) in missing.iter().filter(|(_, line)| !is_of_types(line.as_ref())) {
            let (rule, premise) = line.as_ref().split_once(' ').unwrap_or((line.as_ref(), ""));
            if let Some(lang) = Lang::named(room) {
                with_language!(lang, |L| L::steer(self, rule, premise));
            }
        }
    }
}

/// The shares of a campaign in all languages.
fn usual_shares() -> BTreeMap<Lang, u32> {
    let share = |lang: &Lang| (*lang, with_language!(lang, |L| L::SHARE));
    Lang::ALL.iter().map(share).filter(|(_, share)| *share > 0).collect()
}

/// Half as much again, up to a bound that leaves room for everything else.
pub(super) fn raised(weight: u32) -> u32 {
    (weight + weight / 2 + 1).min(60)
}

#[cfg(test)]
mod tests {
    use super::Weights;

    #[test]
    fn only_what_a_well_typed_program_can_reach_is_steered_to() {
        let mut weights = Weights::default();
        weights.steer(&[
            ("fun", "T-KERNEL size"),
            ("fun", "T-INDEX"),
            ("device", "D-UNIFORM-LOAD"),
        ]);
        assert_eq!(weights, Weights::default());
        weights.steer(&[("fun", "E-KERNEL size")]);
        let default = Weights::default();
        assert!(weights.causes[3] > default.causes[3] && weights.kernel > default.kernel);
    }
}
