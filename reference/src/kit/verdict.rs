//! The folder is the verdict: what a program below `pass`, `order`, `stuck`, `race`, `invalid` or `reject`
//! has to say of itself in its header.

use super::header::{Case, Header};
use std::path::Path;

/// What comes of the programs in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// They end with a result.
    Pass,
    /// They end with results that depend on the order of their threads, though none race.
    OrderDependent,
    /// They get stuck.
    Stuck,
    /// They race.
    Race,
    /// Their memory changes what they compute (def. 3.1), or they overwrite an array that is still read.
    Invalid,
    /// A type rule or the parser refuses them.
    Reject,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Verdict; 6] = [
        Verdict::Pass,
        Verdict::OrderDependent,
        Verdict::Stuck,
        Verdict::Race,
        Verdict::Invalid,
        Verdict::Reject,
    ];

    /// The name of the folder.
    pub fn folder(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::OrderDependent => "order",
            Verdict::Stuck => "stuck",
            Verdict::Race => "race",
            Verdict::Invalid => "invalid",
            Verdict::Reject => "reject",
        }
    }

    /// The verdict of a folder of this name.
    pub fn named(folder: &str) -> Option<Verdict> {
        Verdict::ALL.into_iter().find(|verdict| verdict.folder() == folder)
    }

    /// The verdict of the folder in which a file stands, if it is one.
    pub fn of(file: &Path) -> Option<Verdict> {
        Verdict::named(file.parent()?.file_name()?.to_str()?)
    }

    /// The key that says it in a header.
    fn key(self) -> &'static str {
        match self {
            Verdict::Pass => "result",
            Verdict::OrderDependent => "any order",
            Verdict::Stuck => "stuck",
            Verdict::Race => "race",
            Verdict::Invalid => "invalid",
            Verdict::Reject => "rejects",
        }
    }

    /// What a header says of one input. Where a program races, how it ends may be said too.
    fn of_case(case: &Case) -> Option<Verdict> {
        if case.race.is_some() {
            Some(Verdict::Race)
        } else if case.invalid.is_some() {
            Some(Verdict::Invalid)
        } else if case.stuck.is_some() {
            Some(Verdict::Stuck)
        } else if case.any_order.is_some() {
            Some(Verdict::OrderDependent)
        } else {
            case.result.as_ref().map(|_| Verdict::Pass)
        }
    }

    /// Does the header say what the folder says? One of its inputs has to show the verdict; others
    /// may end with a result.
    ///
    /// # Errors
    /// What is missing or contradicts the folder, in one sentence.
    pub fn holds(self, header: &Header) -> Result<(), String> {
        let (folder, key) = (self.folder(), self.key());
        if self == Verdict::Reject {
            return match (&header.rejects, header.cases.first()) {
                (Some(_), None) => Ok(()),
                (Some(_), Some(case)) => {
                    Err(format!("it stands in {folder}, and line {} says that it runs", case.line))
                }
                (None, _) => Err(format!("it stands in {folder}, and has no `{key}:` line")),
            };
        }
        if header.rejects.is_some() {
            return Err(format!("it stands in {folder}, and says that it is rejected"));
        }
        let mut shown = false;
        for case in &header.cases {
            match Verdict::of_case(case) {
                Some(said) if said == self => shown = true,
                Some(Verdict::Pass) | None => {}
                Some(said) => {
                    return Err(format!(
                        "it stands in {folder}, and line {} says `{}`",
                        case.line,
                        said.key()
                    ));
                }
            }
        }
        if shown {
            return Ok(());
        }
        Err(format!("it stands in {folder}, and has no `{key}:` line"))
    }
}

#[cfg(test)]
mod tests {
    use super::Verdict;
    use crate::kit::header;
    use std::path::Path;

    fn says(folder: &str, lines: &str) -> Result<(), String> {
        let verdict = Verdict::of(Path::new("corpus/fun").join(folder).join("x.fun").as_path());
        let header = header::parse(lines, &[]).expect("it is a header");
        verdict.expect("the folder is a verdict").holds(&header)
    }

    #[test]
    fn a_program_says_what_its_folder_says() {
        let inputs = [
            ("pass", "-- result: 1"),
            ("order", "-- any order: [1, 2], _"),
            ("stuck", "-- stuck: E-INDEX index"),
            ("race", "-- race: E-MEM-KERNEL"),
            ("invalid", "-- invalid: values differ"),
            ("reject", "-- rejects: T-IF branches"),
        ];
        for (folder, _) in inputs {
            for (right, lines) in inputs {
                assert_eq!(says(folder, lines).is_ok(), folder == right, "{folder}: {lines}");
            }
            let missing = says(folder, "-- It says nothing.\n").unwrap_err();
            assert!(missing.contains("has no `"), "{missing}");
        }
    }

    #[test]
    fn other_inputs_may_end_with_a_result() {
        let both = "-- input: 1\n-- result: 2\n-- input: 3\n-- stuck: E-INDEX index\n";
        assert_eq!(says("stuck", both), Ok(()));
        let contradiction = says("pass", both).unwrap_err();
        assert_eq!(contradiction, "it stands in pass, and line 3 says `stuck`");
    }

    #[test]
    fn a_race_may_get_stuck_too() {
        assert_eq!(says("race", "-- race: E-MEM-KERNEL\n-- stuck: E-INDEX index\n"), Ok(()));
    }

    #[test]
    fn other_folders_are_no_verdict() {
        assert_eq!(Verdict::of(Path::new("corpus/fun/found/x.fun")), None);
        assert_eq!(Verdict::of(Path::new("x.fun")), None);
    }
}
