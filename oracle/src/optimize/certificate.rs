//! Certificates: the steps from a program to a plan, which something else than the search checks.

use super::Request;
use super::claim::Claim;
use super::regions::Region;
use super::subject::Subject;
use crate::generate::digest;
use compiler::rewrite::explain::Link;
use reference::axes::apply::Step;
use reference::axes::laws::{BOOK, Law};
use reference::axes::syntax::{Program, Term};
use reference::axes::{parse, print, total, types};
use reference::fun::syntax::Fun;
use reference::kit::language::Language;
use reference::kit::outcome::Value;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A certificate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The version that wrote it.
    pub lockstep: String,
    /// A digest of its law book.
    pub laws: String,
    /// The program that the term comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// The program as a term: its parameters say for which numbers the plan holds.
    pub program: String,
    /// The parts of it that may get stuck: a law that drops, copies or moves a part asks that it is none of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub partial: Vec<String>,
    /// What leads to the plan's term.
    pub steps: Vec<Certified>,
    /// A digest of the program with the plan's term, so that a certificate that lost its last steps is one of nothing.
    pub goal: String,
    /// What the plan costs, and what it is to replace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub costs: Option<Claim>,
}

/// A program of FUN, FCL or λG, or a part of it, that enters as a term.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Its language, if it is another one than FUN.
    #[serde(default = "of_fun", skip_serializing_if = "is_of_fun")]
    pub language: String,
    /// Where it runs, if it is of FCL: the sizes of groups are part of what it means.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub location: String,
    /// The program.
    pub text: String,
    /// The numbers that its parameters have; of an array of FCL and of a vector of λG how long it is.
    pub sizes: BTreeMap<String, i32>,
    /// The first of the outermost statements that enter, from 0, and the one behind the last. A program of FCL or λG is one.
    pub statements: [usize; 2],
}

fn of_fun() -> String {
    Fun::NAME.to_owned()
}

fn is_of_fun(language: &str) -> bool {
    language == Fun::NAME
}

/// A step, and the program behind it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certified {
    /// The law and where it is applied.
    #[serde(flatten)]
    pub step: Step,
    /// The guard of the law, which holds there; none if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<String>,
    /// The term behind it.
    pub term: String,
}

/// The most steps of a certificate that is read.
pub const MAX_STEPS: usize = 10_000;

/// Why a certificate is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Which step, from 1; 0 for the program itself.
    pub step: usize,
    /// Why.
    pub why: String,
}

impl Refused {
    /// It, in one sentence.
    pub fn text(&self) -> String {
        format!("its certificate is refused at step {}: {}", self.step, self.why)
    }
}

impl Certificate {
    /// That of a chain.
    pub fn of(program: &Program, chain: &[Link]) -> Self {
        let steps = chain.iter().map(|link| Certified {
            step: link.step.clone(),
            guard: guard(&link.step),
            term: print::term(&link.term),
        });
        let last = chain.last().map_or(&program.term, |link| &link.term);
        Certificate {
            lockstep: crate::VERSION.to_owned(),
            laws: book(),
            source: None,
            program: print::program(program),
            partial: partial(program),
            steps: steps.collect(),
            goal: goal(&Program { params: program.params.clone(), term: last.clone() }),
            costs: None,
        }
    }

    /// It, with what its source and its plan cost when the source is run on this input; they are priced if that is not
    /// known.
    ///
    /// # Errors
    /// It has no source, or one of them has no price.
    pub fn priced(
        self,
        input: &[Value],
        request: &Request,
        known: Option<[f64; 2]>,
    ) -> Result<Self, String> {
        let source = self.source.as_ref().ok_or(UNSOURCED)?;
        let costs = Claim::of(source, &self.last()?, input, request, known)?;
        Ok(Certificate { costs: Some(costs), ..self })
    }

    /// The program with the last term.
    fn last(&self) -> Result<Program, String> {
        let before = parse::program(&self.program).map_err(|no| no.message)?;
        match self.steps.last() {
            None => Ok(before),
            Some(last) => {
                let text = format!("{}{}", params(&before), last.term);
                parse::program(&text).map_err(|no| no.message)
            }
        }
    }

    /// It, with the program of this text that its own one comes from.
    #[must_use]
    pub fn from(
        self,
        program: &Subject,
        text: &str,
        sizes: &[(String, i32)],
        region: &Region,
    ) -> Self {
        let source = Source {
            language: program.artifact().lang().name().to_owned(),
            location: program.location().to_owned(),
            text: text.to_owned(),
            sizes: sizes.iter().cloned().collect(),
            statements: [region.statements.start, region.statements.end],
        };
        Certificate { source: Some(source), ..self }
    }
}

/// Why a certificate says nothing of costs.
pub(super) const UNSOURCED: &str =
    "without the program that its term comes from, it cannot say what that costs";

/// The guard of the law of a step, if it has one.
pub(super) fn guard(step: &Step) -> Option<String> {
    Law::named(&step.law).map(|law| law.guard).filter(|guard| !guard.is_empty()).map(str::to_owned)
}

/// The parts of a program that may get stuck, each on one line.
pub(super) fn partial(program: &Program) -> Vec<String> {
    let Ok(scope) = types::check(program) else { return Vec::new() };
    let parts = total::partial(&program.term, &scope);
    let one_line = |part: &Term| print::term(part).split_whitespace().collect::<Vec<_>>().join(" ");
    parts.iter().map(one_line).collect()
}

impl Source {
    /// The program.
    ///
    /// # Errors
    /// The text is none.
    pub fn program(&self) -> Result<Subject, String> {
        Subject::read(&self.language, &self.location, &self.text)
    }

    /// Does a term mean a program of its language?
    pub(super) fn is_meaning(&self) -> bool {
        is_of_fun(&self.language)
    }

    /// The numbers of its parameters.
    pub(super) fn sizes(&self) -> Vec<(String, i32)> {
        self.sizes.clone().into_iter().collect()
    }

    /// The statements that enter.
    ///
    /// # Errors
    /// They do not.
    pub(super) fn region(&self, program: &Subject) -> Result<Region, String> {
        let found = program.regions(&self.sizes());
        let (found, _) = found.map_err(|_| "nothing of its source enters".to_owned())?;
        let [start, end] = self.statements;
        let region = found.into_iter().find(|region| region.statements == (start..end));
        region.ok_or_else(|| format!("statements {start} to {end} of its source do not enter"))
    }

    /// Does it enter as this program?
    pub(super) fn enters_as(&self, program: &Program) -> Result<(), String> {
        match self.region(&self.program()?)?.term == *program {
            true => Ok(()),
            false => Err("its source enters as another program".to_owned()),
        }
    }
}

/// A digest of a program: another term, or one with other parameters, has another.
pub(super) fn goal(program: &Program) -> String {
    format!("{:016x}", digest(&print::program(program)))
}

/// A digest of the law book: another book has another.
pub fn book() -> String {
    let laws = BOOK.iter().map(|law| {
        let left: Vec<String> = law.left.iter().map(print::term).collect();
        let Law { name, class, both, tiles, words, guard, text, .. } = law;
        format!("{name} {left:?} {} {class:?} {both} {tiles} {words} {guard}\n", text.1)
    });
    format!("{:016x}", digest(&laws.collect::<String>()))
}

/// The text of the parameters.
pub(super) fn params(program: &Program) -> String {
    let text = print::program(program);
    let head = text.lines().take_while(|line| line.starts_with("param"));
    head.map(|line| format!("{line}\n")).collect()
}
