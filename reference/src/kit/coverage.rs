//! Which rules fired, which premises failed, and which never did: coverage of both signs.

use super::rules::{Roll, RuleInfo};
use super::text::Rejected;
use std::collections::BTreeMap;

/// Premises, each with its room, that hold in every run of a program that has a type, since its types were made for that:
/// reads of regions that ended, of λG. Tests of their room make them fail in programs without a type.
const HOLD: [(&str, &str); 1] = [("lambda_g", "region_gone")];

/// Counts over the roll of one room. Coverages of the same room add up.
#[derive(Clone, Debug)]
pub struct Coverage {
    /// The room.
    pub room: &'static str,
    rules: Vec<&'static RuleInfo>,
    /// By number of the rule. Rolls are enums of one byte, so no place is outside.
    fired: [u64; 1 << u8::BITS],
    /// By rule, and within it by premise: one after the other, for a validator counts anew for each
    /// program.
    failed: Vec<u64>,
}

impl Coverage {
    /// Nothing fired yet.
    pub fn new<R: Roll>() -> Self {
        let rules: Vec<_> = R::ALL.iter().map(|rule| rule.info()).collect();
        let premises = rules.iter().map(|rule| rule.premises().len()).sum();
        Self { room: R::ROOM, fired: [0; 1 << u8::BITS], failed: vec![0; premises], rules }
    }

    /// The rule fired.
    #[inline]
    pub fn fire<R: Roll>(&mut self, rule: R) {
        self.fired[rule.number()] += 1;
    }

    /// The rule fired so many times.
    pub fn fire_times<R: Roll>(&mut self, rule: R, times: u64) {
        self.fired[rule.number()] += times;
    }

    /// How often the rule fired.
    pub fn fired<R: Roll>(&self, rule: R) -> u64 {
        self.fired[rule.number()]
    }

    /// The premise failed.
    ///
    /// # Panics
    /// If the roll does not name the premise: the roll comes before the code.
    pub fn fail<R: Roll>(&mut self, rule: R, premise: &str) {
        let info = rule.info();
        let at = info.premises().iter().position(|name| *name == premise);
        let at =
            at.unwrap_or_else(|| panic!("{} has no premise `{premise}` on the roll", info.name));
        let before = self.before(rule.number());
        self.failed[before + at] += 1;
    }

    /// A parser rejected a program by a type rule, before the rule was looked at. Rules and
    /// premises that are not on this roll are another room's.
    pub fn rejected(&mut self, rejected: &Rejected) {
        let Some((rule, premise)) = rejected.rule else { return };
        let place = self.rules.iter().enumerate().find_map(|(number, info)| {
            let at = info.premises().iter().position(|name| *name == premise)?;
            (info.name == rule).then_some((number, at))
        });
        if let Some((number, at)) = place {
            let before = self.before(number);
            self.failed[before + at] += 1;
        }
    }

    /// How many premises the rules before this one have.
    fn before(&self, number: usize) -> usize {
        self.rules[..number].iter().map(|rule| rule.premises().len()).sum()
    }

    /// Adds the counts of another run.
    ///
    /// # Panics
    /// If the rooms differ.
    pub fn add(&mut self, other: &Coverage) {
        assert_eq!(self.room, other.room, "coverages of two rooms do not add up");
        for (mine, theirs) in self.fired.iter_mut().zip(&other.fired) {
            *mine += theirs;
        }
        for (mine, theirs) in self.failed.iter_mut().zip(&other.failed) {
            *mine += theirs;
        }
    }

    /// Each rule with how often it fired and, for each premise, how often that failed.
    pub fn lines(&self) -> impl Iterator<Item = (&'static RuleInfo, u64, &[u64])> + '_ {
        let mut left = self.failed.as_slice();
        self.rules.iter().zip(&self.fired).map(move |(rule, fired)| {
            let (failed, rest) = left.split_at(rule.premises().len());
            left = rest;
            (*rule, *fired, failed)
        })
    }

    /// All counts by the names of the rules, to be kept: how often the rule fired, then how often
    /// each of its premises failed.
    pub fn kept(&self) -> BTreeMap<String, Vec<u64>> {
        self.lines()
            .map(|(rule, fired, failed)| (rule.name.to_owned(), [&[fired], failed].concat()))
            .collect()
    }

    /// Takes counts back that were kept.
    ///
    /// # Errors
    /// The rule that is not on this roll, or is there with other premises, or is not among the
    /// counts.
    pub fn restore(&mut self, kept: &BTreeMap<String, Vec<u64>>) -> Result<(), String> {
        if let Some(name) = kept.keys().find(|name| self.rules.iter().all(|r| r.name != **name)) {
            return Err(format!("{} has no rule {name}", self.room));
        }
        let mut left = self.failed.as_mut_slice();
        for (rule, fired_here) in self.rules.iter().zip(&mut self.fired) {
            let (failed_here, rest) = left.split_at_mut(rule.premises().len());
            left = rest;
            match kept.get(rule.name).map(Vec::as_slice) {
                Some([fired, failed @ ..]) if failed.len() == failed_here.len() => {
                    *fired_here = *fired;
                    failed_here.copy_from_slice(failed);
                }
                _ => return Err(format!("{} has another rule {}", self.room, rule.name)),
            }
        }
        Ok(())
    }

    /// What never happened: `RULE` for a rule that never fired, `RULE premise` for a premise
    /// that never failed, but for those that [hold](HOLD) of every program with a type.
    pub fn missing(&self) -> Vec<String> {
        let mut missing = Vec::new();
        for (rule, fired, failed) in self.lines() {
            if fired == 0 {
                missing.push(rule.name.to_owned());
            }
            for (premise, count) in rule.premises().iter().zip(failed) {
                if *count == 0 && !HOLD.contains(&(self.room, premise)) {
                    missing.push(format!("{} {premise}", rule.name));
                }
            }
        }
        missing
    }
}
