//! Certificates: the steps from a program to a plan, which something else than the search checks.

use super::Request;
use super::claim::{Claim, NoCost};
use super::regions::{Region, regions};
use crate::generate::digest;
use crate::pricing::no_results;
use crate::profiles::reason;
use crate::rolls::Rolls;
use compiler::rewrite::explain::Link;
use compiler::rewrite::plan::Plan;
use reference::axes::apply::{Step, holds};
use reference::axes::laws::{BOOK, Class, Law};
use reference::axes::syntax::{Kind, Program, Term};
use reference::axes::{meaning, parse, print, total, types};
use reference::fun;
use reference::fun::syntax::{Fun, Program as Parsed};
use reference::kit::faults::Planted;
use reference::kit::language::{How, Settings};
use reference::kit::memory::Memory;
use reference::kit::outcome::{Budget, Ending, Value};
use reference::languages::{Artifact, Listed};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;

/// A certificate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The version that wrote it.
    pub lockstep: String,
    /// A digest of its law book.
    pub laws: String,
    /// The FUN program that the term comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// The program as a term: its parameters say for which numbers the plan holds.
    pub program: String,
    /// The parts of it that may get stuck: a law that drops, copies or moves a part asks that it is none of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub partial: Vec<String>,
    /// What leads to the plan's term.
    pub steps: Vec<Certified>,
    /// What the plan costs, and what it is to replace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub costs: Option<Claim>,
}

/// A FUN program, or a part of it, that enters as a term.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The program.
    pub text: String,
    /// The numbers that its parameters have.
    pub sizes: BTreeMap<String, i32>,
    /// The first of the outermost statements that enter, from 0, and the one behind the last.
    pub statements: [usize; 2],
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

/// What a replay saw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Why some terms were not run, so that only the laws of their steps were looked at, or costs not priced again.
    pub not_run: Option<String>,
}

impl Certificate {
    /// That of a chain.
    pub fn of(program: &Program, chain: &[Link]) -> Self {
        let steps = chain.iter().map(|link| Certified {
            step: link.step.clone(),
            guard: guard(&link.step),
            term: print::term(&link.term),
        });
        Certificate {
            lockstep: crate::VERSION.to_owned(),
            laws: book(),
            source: None,
            program: print::program(program),
            partial: partial(program),
            steps: steps.collect(),
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

    /// It, with the FUN program that its own one comes from.
    #[must_use]
    pub fn from(self, text: &str, sizes: &[(String, i32)], statements: &Range<usize>) -> Self {
        let statements = [statements.start, statements.end];
        let source =
            Source { text: text.to_owned(), sizes: sizes.iter().cloned().collect(), statements };
        Certificate { source: Some(source), ..self }
    }

    /// Replays it without the search: each law leads from one term to the next, and both run in
    /// FUN, and their plans, to the same results on drawn arrays. A run that does not end within the budget shows nothing.
    ///
    /// # Errors
    /// The first step that is wrong, and why.
    pub fn replay(&self, budget: &Budget) -> Result<Replayed, Refused> {
        self.replay_on(budget, 0)
    }

    /// The same on arrays that are drawn from this seed.
    ///
    /// # Errors
    /// The first step that is wrong, and why.
    pub fn replay_on(&self, budget: &Budget, seed: u64) -> Result<Replayed, Refused> {
        let refused = |step: usize| move |why: String| Refused { step, why };
        if self.steps.len() > MAX_STEPS {
            let why =
                format!("it has {} steps, and at most {MAX_STEPS} are read", self.steps.len());
            return Err(Refused { step: 0, why });
        }
        if self.laws != book() {
            let why = format!("it is of law book {}, and this one is {}", self.laws, book());
            return Err(Refused { step: 0, why });
        }
        let mut before = parse::program(&self.program).map_err(|no| refused(0)(no.message))?;
        if let Some(source) = &self.source {
            source.enters_as(&before).map_err(refused(0))?;
        }
        if partial(&before) != self.partial {
            let why = "it says of other parts of the program that they may get stuck".to_owned();
            return Err(Refused { step: 0, why });
        }
        let input = drawn(&before, seed).map_err(refused(0))?;
        let mut runs = Runs::default();
        runs.compare(&before, &input, budget).map_err(refused(0))?;
        let head = params(&before);
        for (nth, certified) in self.steps.iter().enumerate() {
            let no = refused(nth + 1);
            if certified.guard != guard(&certified.step) {
                return Err(no("the guard of its law is another one".to_owned()));
            }
            let text = format!("{head}{}", certified.term);
            let after = parse::program(&text).map_err(|wrong| no(wrong.message))?;
            holds(&certified.step, &before, &after, &Class::ALL).map_err(no)?;
            runs.compare(&after, &input, budget).map_err(no)?;
            before = after;
        }
        let Some(costs) = &self.costs else { return Ok(Replayed { not_run: runs.unanswered }) };
        let source = self.source.as_ref().ok_or_else(|| refused(0)(UNSOURCED.to_owned()))?;
        let unpriced = match costs.holds(source, &before, budget) {
            Ok(()) => None,
            Err(NoCost::Unpriced(why)) => Some(why),
            Err(NoCost::Wrong(why)) => return Err(refused(0)(why)),
        };
        Ok(Replayed { not_run: runs.unanswered.or(unpriced) })
    }
}

/// Why a certificate says nothing of costs.
const UNSOURCED: &str =
    "without the program that its term comes from, it cannot say what that costs";

/// The guard of the law of a step, if it has one.
fn guard(step: &Step) -> Option<String> {
    Law::named(&step.law).map(|law| law.guard).filter(|guard| !guard.is_empty()).map(str::to_owned)
}

/// The parts of a program that may get stuck, each on one line.
fn partial(program: &Program) -> Vec<String> {
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
    pub(super) fn program(&self) -> Result<Parsed<Fun>, String> {
        let fun = fun::parse::program(&self.text)
            .map_err(|no| format!("its source is no program: {}", no.message))?;
        Fun::artifact(fun.clone())
            .check(&mut Rolls::default())
            .map_err(|no| format!("its source is ill typed: {}", no.message))?;
        Ok(fun)
    }

    /// The statements that enter.
    ///
    /// # Errors
    /// They do not.
    pub(super) fn region(&self, program: &Parsed<Fun>) -> Result<Region, String> {
        let sizes: Vec<(String, i32)> = self.sizes.clone().into_iter().collect();
        let (found, _) =
            regions(program, &sizes).map_err(|_| "nothing of its source enters".to_owned())?;
        let [start, end] = self.statements;
        let region = found.into_iter().find(|region| region.statements == (start..end));
        region.ok_or_else(|| format!("statements {start} to {end} of its source do not enter"))
    }

    /// Does it enter as this program?
    fn enters_as(&self, program: &Program) -> Result<(), String> {
        match self.region(&self.program()?)?.term == *program {
            true => Ok(()),
            false => Err("its source enters as another program".to_owned()),
        }
    }
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
fn params(program: &Program) -> String {
    let text = print::program(program);
    let head = text.lines().take_while(|line| line.starts_with("param"));
    head.map(|line| format!("{line}\n")).collect()
}

/// What a program is replayed on: arrays of numbers of all sizes, so that sums overflow.
fn drawn(program: &Program, seed: u64) -> Result<Vec<Value>, String> {
    let fun = meaning::program(program).map_err(|no| no.message)?;
    let names = fun.params.iter().map(|param| fun.names.written(param.var).to_owned());
    let ints = program.params.iter().zip(names).enumerate();
    let sizes: Vec<(String, i32)> = ints
        .filter_map(|(nth, (param, name))| match param.kind {
            Kind::Int(Some(k)) => Some((name, k)),
            Kind::Int(None) => Some((name, 3 + 7 * i32::try_from(nth).unwrap_or(0))),
            Kind::Array(_) => None,
        })
        .collect();
    let made_up = Fun::artifact(fun).sized(&sizes).map_err(|no| no.message)?;
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed >> 32) as i32
    };
    let drawn = made_up.iter().map(|value| match value {
        Value::Array { shape, cells } => {
            Value::ints(shape.clone(), cells.iter().map(|_| next()).collect())
        }
        scalar => scalar.clone(),
    });
    Ok(drawn.collect())
}

/// Runs of terms that are to give the same.
#[derive(Debug, Default)]
struct Runs {
    /// What the first one gave.
    wanted: Option<Ran>,
    /// Why the first of them did not end that did not.
    unanswered: Option<String>,
}

/// What came of a run.
#[derive(Debug, PartialEq)]
enum Ran {
    Results(Vec<Value>),
    Stuck,
}

impl Runs {
    /// Runs the meaning of a program in FUN, and its plan, where there is one.
    ///
    /// # Errors
    /// The plan gives something else, or the program something else than those before it.
    fn compare(
        &mut self,
        program: &Program,
        input: &[Value],
        budget: &Budget,
    ) -> Result<(), String> {
        let fun = Fun::artifact(meaning::program(program).map_err(|no| no.message)?);
        let Some(found) = self.run(&fun, input, budget)? else { return Ok(()) };
        if let Ok(plan) = Plan::of(program)
            && self.run(&plan.artifact(), input, budget)?.is_some_and(|of_plan| of_plan != found)
        {
            return Err("its plan gives other results than FUN".to_owned());
        }
        match &self.wanted {
            Some(wanted) if *wanted != found => {
                Err("the program behind it gives other results".to_owned())
            }
            Some(_) => Ok(()),
            None => {
                self.wanted = Some(found);
                Ok(())
            }
        }
    }

    /// Runs a program. Once one did not end within the budget none is run: the others are as long.
    ///
    /// # Errors
    /// It breaks.
    fn run(
        &mut self,
        program: &Artifact,
        input: &[Value],
        budget: &Budget,
    ) -> Result<Option<Ran>, String> {
        if self.unanswered.is_some() {
            return Ok(None);
        }
        let how = How {
            variant: program.lang().variants()[0].name,
            schedule: 0,
            budget,
            settings: &Settings::default(),
            planted: Planted::NONE,
            memory: &mut Memory::default(),
        };
        let ended = program.run(input, how, &mut Rolls::default()).ending;
        match ended {
            Ending::Value(results) => Ok(Some(Ran::Results(results))),
            Ending::Stuck(_) => Ok(Some(Ran::Stuck)),
            Ending::Unknown(why) => {
                self.unanswered = Some(reason(&why));
                Ok(None)
            }
            Ending::Broken(_) => Err(no_results(&ended)),
        }
    }
}

/// The first of these programs that is not equal to the one before it on this input, or whose plan is not
/// equal to it, and what differs.
pub fn differs(programs: &[Program], input: &[Value], budget: &Budget) -> Option<(usize, String)> {
    let mut runs = Runs::default();
    programs
        .iter()
        .enumerate()
        .find_map(|(nth, program)| Some((nth, runs.compare(program, input, budget).err()?)))
}

#[cfg(test)]
mod tests {
    use super::{Program, differs, drawn};
    use reference::axes::parse;
    use reference::kit::outcome::Budget;

    fn program(term: &str) -> Program {
        let text = format!("param (xs : [6])\n{term}");
        parse::program(&text).unwrap_or_else(|no| panic!("{}: {text}", no.message))
    }

    /// Of a chain the first term that computes something else is found, whatever is behind it.
    #[test]
    fn the_first_wrong_term_of_a_chain_is_found() {
        let right = program("(out (red + k 6 (get xs k)))");
        let same = program("(out (red + k 3 (+ (get xs k) (get xs {k + 3}))))");
        // As if the rounds beyond the half were lost.
        let wrong = program("(out (red + k 3 (get xs k)))");
        let input = drawn(&right, 0).expect("it has arrays");
        let budget = Budget::default();
        assert_eq!(differs(&[right.clone(), same.clone()], &input, &budget), None);
        let chain = [right, same.clone(), wrong, same];
        let (nth, why) = differs(&chain, &input, &budget).expect("one is wrong");
        assert_eq!((nth, why.as_str()), (2, "the program behind it gives other results"));
    }
}
