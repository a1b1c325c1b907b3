//! What releases lack: constructs of WGSL that came later. A style does not use them on such a
//! release, and a refusal that says so is no fault; both are counted.

use crate::program::Program;
use crate::releases::{RELEASES, Release, named};
use crate::signature::marked;
use compiler::emit::style::{Construct, Sites, Style};

/// Something that came with a release.
#[derive(Debug)]
pub struct Lack {
    /// What it is.
    pub what: &'static str,
    /// The first release that has it.
    pub since: &'static str,
    /// Where that is said.
    pub source: &'static str,
    /// Constructs of styles that need it.
    pub constructs: &'static [Construct],
    /// How releases without it refuse it: parts of what they say.
    pub messages: &'static [&'static str],
    /// Part of the code that they underline then.
    pub code: &'static str,
    /// Programs that need it, where that is known before: they are not shown.
    pub needed: Option<fn(&Program) -> bool>,
}

impl Lack {
    /// Does the release lack it?
    pub fn is_lacked_by(&self, release: &Release) -> bool {
        let since = named(self.since).map_or(RELEASES.len(), |since| since.number);
        release.number < since
    }
}

/// What a release lacks that the program cannot do without.
pub fn of(release: &Release, program: &Program) -> Option<&'static Lack> {
    let needed = |lack: &&Lack| lack.needed.is_some_and(|needed| needed(program));
    TABLE.iter().filter(|lack| lack.is_lacked_by(release)).find(needed)
}

/// The style without the constructs that the release lacks.
pub fn masked(release: &Release, style: Style) -> Style {
    TABLE
        .iter()
        .filter(|lack| lack.is_lacked_by(release))
        .flat_map(|lack| lack.constructs)
        .fold(style, |style, construct| style.with(*construct, Sites::None))
}

/// The entry by which this refusal is no fault of the release.
pub fn excuse(release: &Release, message: &str) -> Option<&'static Lack> {
    let says = |lack: &&Lack| {
        lack.messages.iter().any(|part| message.contains(part))
            && marked(message).contains(lack.code)
    };
    TABLE.iter().filter(|lack| lack.is_lacked_by(release)).find(says)
}

/// What came after the oldest release.
pub const TABLE: &[Lack] = &[
    Lack {
        what: "names declared again in an inner scope",
        since: "0.10",
        source: "naga's change log, 0.10: lexical scopes (naga#2024)",
        constructs: &[Construct::Shadow],
        messages: &[],
        code: "",
        needed: None,
    },
    Lack {
        what: "`const` declarations",
        since: "0.11",
        source: "naga's change log, 0.11",
        constructs: &[Construct::Const, Construct::ConstChain],
        messages: &[],
        code: "",
        needed: None,
    },
    Lack {
        what: "the structure that `atomicCompareExchangeWeak` returns",
        since: "0.11",
        source: "naga's change log, 0.11 (naga#2165); the result was a vector before gpuweb#2113",
        constructs: &[],
        messages: &["invalid field accessor `old_value`"],
        code: "",
        needed: None,
    },
    Lack {
        what: "`workgroupUniformLoad`",
        since: "0.13",
        source: "naga's change log, 0.13 (naga#2201)",
        constructs: &[],
        messages: &["workgroupUniformLoad"],
        code: "",
        needed: None,
    },
    Lack {
        what: "constants that are computed",
        since: "0.14",
        source: "naga's change log, 0.14: const-expressions (naga#2309)",
        constructs: &[],
        messages: &["The expression is not a constant expression", "Composing of type"],
        code: "",
        needed: None,
    },
    Lack {
        what: "selectors of cases that are not literals",
        since: "0.14",
        source: "naga#2106; WGSL takes const-expressions there since gpuweb#2764",
        constructs: &[],
        messages: &["expected unsigned/signed integer literal"],
        code: "",
        needed: None,
    },
    Lack {
        what: "integers of 64 bits",
        since: "0.20",
        source: "wgpu's change log, 0.20 (wgpu#5154)",
        constructs: &[],
        messages: &[],
        code: "",
        needed: Some(Program::is_long),
    },
    Lack {
        what: "negative constants of 64 bits",
        since: "24",
        source: "wgpu#6616; 23's constant evaluator has no case for them",
        constructs: &[],
        messages: &["Cannot apply the unary op to the argument"],
        code: "li",
        needed: None,
    },
    Lack {
        what: "arrays indexed as values at run time",
        since: "23",
        source: "wgpu's change log, 23 (wgpu#4337, wgpu#6188)",
        constructs: &[Construct::ByValue],
        messages: &["may only be indexed by a constant"],
        code: "",
        needed: None,
    },
];

#[cfg(test)]
mod tests {
    use super::{TABLE, excuse, masked};
    use crate::releases::named;
    use compiler::emit::style::{Construct, Style};

    #[test]
    fn every_entry_names_a_release() {
        for lack in TABLE {
            assert!(named(lack.since).is_some_and(|since| since.number > 0), "{lack:?}");
        }
    }

    #[test]
    fn a_refusal_is_excused_on_releases_that_lack_what_it_names() {
        let says = "error: no definition in scope for identifier: 'workgroupUniformLoad'";
        let release = |version| named(version).expect("it is there");
        assert!(excuse(release("0.12"), says).is_some());
        assert!(excuse(release("0.13"), says).is_none());
        assert!(excuse(release("0.12"), "error: addition operation overflowed").is_none());
    }

    #[test]
    fn a_refusal_is_excused_where_what_it_underlines_says_so() {
        let says = |code: &str| {
            let marks = "^".repeat(code.len());
            format!(
                "error: Cannot apply the unary op to the argument\n   ┌─ wgsl:63:17\n   │\n\
                 63 │ if ({code}) <= n {{\n   │     {marks} see msg\n"
            )
        };
        let release = |version| named(version).expect("it is there");
        assert!(excuse(release("23"), &says("-2li")).is_some());
        assert!(excuse(release("24"), &says("-2li")).is_none());
        assert!(excuse(release("23"), &says("-2i")).is_none());
    }

    #[test]
    fn styles_lose_what_a_release_lacks() {
        let (old, new) = (named("0.9").expect("it is there"), named("30").expect("it is there"));
        let has = |style: Style, construct| style.constructs().any(|other| other == construct);
        assert!(has(Style::FULL, Construct::Shadow));
        assert!(!has(masked(old, Style::FULL), Construct::Shadow));
        assert!(has(masked(old, Style::FULL), Construct::While));
        assert_eq!(masked(new, Style::FULL), Style::FULL);
    }
}
