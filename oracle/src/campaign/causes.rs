//! Findings of one cause are one finding.
//!
//! Findings are *alike* if stage, kind, cause and engine are the same. Of those that are alike one is shrunk at
//! a time. Two whose smallest programs are the same but for names have one cause: the first is kept as a
//! file, the other is a member of it. After some of them no more are shrunk, and those found later count as
//! members of the finding that has most.

use super::state::Known;
use crate::check::{Finding, Signature};
use crate::engine::Artifact;
use crate::engine::EngineId;
use reference::kit::same;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What findings have in common that are alike.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alike {
    /// Stage, kind, cause and adapter.
    pub signature: Signature,
    /// The engine that shows it.
    pub engine: EngineId,
}

impl Alike {
    /// Those that are alike this one.
    pub fn of(finding: &Finding) -> Self {
        Self { signature: finding.signature(), engine: finding.engine.clone() }
    }
}

/// What tells the smallest programs of findings that are alike from each other: a digest of the program
/// without its names.
pub(super) fn smallest(program: &Artifact) -> String {
    format!("{:016x}", same::digest(program))
}

/// So many times as many as are kept are shrunk of findings that are alike.
const SHRUNK: u64 = 4;

/// Is another finding to be shrunk that is alike to these, if so many of one cause are kept?
pub(super) fn is_shrunk(known: &[Known], alike: &Alike, keep: u64) -> bool {
    let of = known.iter().filter(|known| known.alike == *alike);
    let (kept, shrunk) = of.fold((0, 0), |(kept, shrunk), one| (kept + 1, shrunk + one.members));
    kept < keep && shrunk < keep.saturating_mul(SHRUNK)
}

/// How many programs show each finding that was kept: those that were shrunk to its program, and of the
/// one that has most of those that are alike the others.
pub(super) fn members(known: &[Known], others: &BTreeMap<Alike, u64>) -> Vec<u64> {
    let mut members: Vec<u64> = known.iter().map(|known| known.members).collect();
    for (alike, others) in others {
        let of = (0..known.len()).filter(|at| known[*at].alike == *alike);
        // Of several that have as many the first.
        if let Some(most) = of.min_by_key(|at| u64::MAX - known[*at].members) {
            members[most] += others;
        }
    }
    members
}

#[cfg(test)]
mod tests {
    use super::{Alike, is_shrunk, members, smallest};
    use crate::campaign::state::Known;
    use crate::check::{Kind, Signature};
    use crate::engine::EngineId;
    use crate::language::Lang;
    use std::collections::BTreeMap;

    fn alike(stage: &str, engine: EngineId) -> Alike {
        let signature =
            Signature { stage: stage.to_owned(), kind: Kind::Value, cause: None, adapter: None };
        Alike { signature, engine }
    }

    fn known(alike: &Alike, program: &str, members: u64) -> Known {
        Known {
            file: format!("{program}.fun"),
            alike: alike.clone(),
            smallest: program.to_owned(),
            members,
            statements: 1,
            text: String::new(),
        }
    }

    #[test]
    fn programs_that_differ_in_names_have_one_cause() {
        let of = |text: &str| smallest(&Lang::Fun.parse(text).expect("it parses"));
        let program = of("param (n : int) let (x : int) = n + 1 in (x)");
        assert_eq!(program, of("param (k : int)\nlet (yy : int) = k + 1\nin (yy)"));
        assert_ne!(program, of("param (n : int) let (x : int) = n + 2 in (x)"));
        assert_ne!(program, of("param (n : int) let (x : int) = n - 1 in (x)"));
    }

    #[test]
    fn those_that_are_not_shrunk_count_for_the_finding_with_most() {
        let (a, b) = (alike("a", EngineId::Dawn), alike("a", EngineId::Spirv));
        let known = [known(&a, "one", 1), known(&a, "two", 3), known(&b, "three", 9)];
        let others = BTreeMap::from([(a.clone(), 5), (alike("c", EngineId::Dawn), 7)]);
        assert_eq!(members(&known, &others), [1, 8, 9]);
        assert!(is_shrunk(&known, &a, 3) && !is_shrunk(&known, &a, 2) && !is_shrunk(&known, &a, 1));
        assert!(is_shrunk(&known, &b, 3) && !is_shrunk(&known[2..], &b, 2));
        assert!(is_shrunk(&[], &a, 1));
    }
}
