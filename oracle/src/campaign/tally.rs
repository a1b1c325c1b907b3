//! What a campaign counts: programs, verdicts, engines, time, and what was not compared.

use super::causes::Alike;
use super::confirm::{Shown, TRIES};
use crate::check::{Answer, Class, Examination, Finding, Signature};
use crate::engine::EngineId;
use crate::engines::child::End;
use crate::mutate::Tries;
use crate::rolls::Counts;
use reference::kit::outcome::Ending;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

/// The counts of a campaign or of one of its workers. They are kept on the disk with the campaign.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// Programs examined.
    pub programs: u64,
    /// Programs whose runs were to end with a result, and that did.
    pub ran: u64,
    /// Programs meant to end with a result.
    pub meant_to_run: u64,
    /// Programs whose every stage was looked at.
    pub whole: u64,
    /// What became of the tries to make mutants.
    pub mutants: Tries,
    /// Programs that are not accepted with the options that the campaign sets, and were run with those drawn for them.
    #[serde(default)]
    pub not_set: u64,
    /// Programs by how they end in their own language.
    #[serde(with = "pairs")]
    pub shares: BTreeMap<Class, u64>,
    /// By engine: programs that it ran and that were compared.
    pub engines: BTreeMap<EngineId, Count>,
    /// By pass, and `generate`: how often and how long.
    pub passes: BTreeMap<Cow<'static, str>, Count>,
    /// Engine and reason: programs that were not compared.
    #[serde(with = "pairs")]
    pub skipped: BTreeMap<(EngineId, String), u64>,
    /// Programs by the binary logarithm of the statements that they execute.
    pub sizes: BTreeMap<u32, u64>,
    /// Findings by signature.
    #[serde(with = "pairs")]
    pub findings: BTreeMap<Signature, u64>,
    /// Findings that were not shrunk, by what they have in common.
    #[serde(with = "pairs")]
    pub alike: BTreeMap<Alike, u64>,
    /// What adapters showed, but not each time alone, by signature.
    #[serde(with = "pairs")]
    pub flakes: BTreeMap<Signature, Flakes>,
    /// By adapter: how often its child processes ended before the campaign, and how.
    #[serde(with = "pairs")]
    pub ends: BTreeMap<(EngineId, End), u64>,
    /// What fired.
    pub rules: Counts,
}

/// Programs of which an adapter showed something, but not each time alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flakes {
    /// How many programs.
    pub programs: u64,
    /// How often they showed it alone, all together.
    pub shown: u64,
    /// Of how many times.
    pub tries: u64,
}

/// After so many reasons why programs were not compared no more are told apart.
const REASONS: usize = 500;

/// How often something was done, and how long it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// How often.
    pub runs: u64,
    /// How long, in all.
    pub took: Duration,
    /// Statements executed, where they are counted.
    pub statements: u64,
    /// Runs whose end was held against another.
    pub compared: u64,
}

impl Count {
    /// Adds one run.
    pub fn add(&mut self, took: Duration, statements: u64, compared: bool) {
        self.runs += 1;
        self.took += took;
        self.statements += statements;
        self.compared += u64::from(compared);
    }

    /// Runs a second of its own time.
    pub fn rate(&self) -> f64 {
        self.runs as f64 / self.took.as_secs_f64().max(1e-9)
    }
}

impl Tally {
    /// Counts an examination.
    pub fn count(&mut self, seen: &Examination) {
        self.programs += 1;
        *self.shares.entry(seen.class.clone()).or_default() += 1;
        for Answer { engine, outcome, took, .. } in &seen.sides {
            let compared = !matches!(outcome.ending, Ending::Unknown(_));
            let count = self.engines.entry(engine.clone()).or_default();
            count.add(*took, outcome.stats.statements, compared);
        }
        for (pass, took) in &seen.passes {
            self.passes.entry(Cow::Borrowed(pass.0)).or_default().add(*took, 0, false);
        }
        for skipped in &seen.skipped {
            self.skip(skipped.not_run.engine.clone(), skipped.not_run.reason.clone(), 1);
        }
        if let Some(first) = seen.sides.first() {
            let size = first.outcome.stats.statements.max(1).ilog2();
            *self.sizes.entry(size).or_default() += 1;
        }
    }

    /// Counts a finding, if it was shown each time; else a flake.
    pub fn count_finding(&mut self, finding: &Finding, shown: Shown) {
        let signature = finding.signature();
        match shown {
            Shown::Alone(times) if !shown.counts() => {
                let flakes = self.flakes.entry(signature).or_default();
                flakes.programs += 1;
                flakes.shown += u64::from(times);
                flakes.tries += u64::from(TRIES);
            }
            _ => *self.findings.entry(signature).or_default() += 1,
        }
    }

    /// Counts programs that were not compared. Reasons may name sizes, of which there is no end.
    fn skip(&mut self, engine: EngineId, reason: String, programs: u64) {
        let mut key = (engine, reason);
        if self.skipped.len() >= REASONS && !self.skipped.contains_key(&key) {
            key.1 = "another reason".to_owned();
        }
        *self.skipped.entry(key).or_default() += programs;
    }

    /// Adds the counts of another worker.
    pub fn add(&mut self, other: Tally) {
        self.programs += other.programs;
        self.ran += other.ran;
        self.meant_to_run += other.meant_to_run;
        self.whole += other.whole;
        self.mutants.made += other.mutants.made;
        self.mutants.refused += other.mutants.refused;
        self.not_set += other.not_set;
        self.rules.add(&other.rules);
        merge(&mut self.shares, other.shares, |mine, theirs| *mine += theirs);
        for ((engine, reason), programs) in other.skipped {
            self.skip(engine, reason, programs);
        }
        merge(&mut self.sizes, other.sizes, |mine, theirs| *mine += theirs);
        merge(&mut self.findings, other.findings, |mine, theirs| *mine += theirs);
        merge(&mut self.alike, other.alike, |mine, theirs| *mine += theirs);
        merge(&mut self.ends, other.ends, |mine, theirs| *mine += theirs);
        merge(&mut self.flakes, other.flakes, |mine: &mut Flakes, theirs| {
            mine.programs += theirs.programs;
            mine.shown += theirs.shown;
            mine.tries += theirs.tries;
        });
        let counts = |mine: &mut Count, theirs: Count| {
            mine.runs += theirs.runs;
            mine.took += theirs.took;
            mine.statements += theirs.statements;
            mine.compared += theirs.compared;
        };
        merge(&mut self.engines, other.engines, counts);
        merge(&mut self.passes, other.passes, counts);
    }

    /// How many findings there were, those of one signature counted each.
    pub fn found(&self) -> u64 {
        self.findings.values().copied().fold(0, u64::saturating_add)
    }
}

fn merge<K: Ord, V: Default>(
    mine: &mut BTreeMap<K, V>,
    theirs: BTreeMap<K, V>,
    add: impl Fn(&mut V, V),
) {
    for (key, value) in theirs {
        add(mine.entry(key).or_default(), value);
    }
}

/// Maps whose keys are no strings, as JSON has it: a list of pairs.
mod pairs {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::collections::BTreeMap;

    pub(super) fn serialize<K: Serialize, V: Serialize, S: Serializer>(
        map: &BTreeMap<K, V>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(map)
    }

    pub(super) fn deserialize<'de, K, V, D>(deserializer: D) -> Result<BTreeMap<K, V>, D::Error>
    where
        K: Deserialize<'de> + Ord,
        V: Deserialize<'de>,
        D: Deserializer<'de>,
    {
        Ok(Vec::<(K, V)>::deserialize(deserializer)?.into_iter().collect())
    }
}
