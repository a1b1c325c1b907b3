//! Certificates: the steps from a program to a plan, which something else than the search checks.

use compiler::rewrite::explain::Link;
use compiler::rewrite::plan;
use reference::axes::apply::{Step, holds};
use reference::axes::laws::Class;
use reference::axes::syntax::{Kind, Program};
use reference::axes::{meaning, parse, print};
use reference::fun::syntax::Fun;
use reference::imp::Imp;
use reference::kit::faults::Planted;
use reference::kit::language::{How, Settings};
use reference::kit::memory::Memory;
use reference::kit::outcome::{Budget, Ending, Value};
use reference::languages::{Artifact, Listed};
use serde::{Deserialize, Serialize};

/// A certificate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The version that wrote it.
    pub lockstep: String,
    /// The program as a term: its parameters say for which numbers the plan holds.
    pub program: String,
    /// What leads to the plan's term.
    pub steps: Vec<Certified>,
}

/// A step, and the program behind it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certified {
    /// The law and where it is applied.
    #[serde(flatten)]
    pub step: Step,
    /// The term behind it.
    pub term: String,
}

/// The most steps of a certificate that is read.
pub const MAX_STEPS: usize = 100_000;

/// Why a certificate is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Which step, from 1; 0 for the program itself.
    pub step: usize,
    /// Why.
    pub why: String,
}

impl Certificate {
    /// That of a chain.
    pub fn of(program: &Program, chain: &[Link]) -> Self {
        let steps = chain
            .iter()
            .map(|link| Certified { step: link.step.clone(), term: print::term(&link.term) });
        Certificate {
            lockstep: crate::VERSION.to_owned(),
            program: print::program(program),
            steps: steps.collect(),
        }
    }

    /// Replays it without the search: each law leads from one term to the next, and both run in
    /// FUN, and their plans in IMP, to the same results.
    ///
    /// # Errors
    /// The first step that is wrong, and why.
    pub fn replay(&self, budget: &Budget) -> Result<(), Refused> {
        let refused = |step: usize| move |why: String| Refused { step, why };
        if self.steps.len() > MAX_STEPS {
            let why =
                format!("it has {} steps, and at most {MAX_STEPS} are read", self.steps.len());
            return Err(Refused { step: 0, why });
        }
        let mut before = parse::program(&self.program).map_err(|no| refused(0)(no.message))?;
        let wanted = results(&before, budget).map_err(refused(0))?;
        let head = params(&before);
        for (nth, certified) in self.steps.iter().enumerate() {
            let no = refused(nth + 1);
            let text = format!("{head}{}", certified.term);
            let after = parse::program(&text).map_err(|wrong| no(wrong.message))?;
            holds(&certified.step, &before, &after, &Class::ALL).map_err(no)?;
            let found = results(&after, budget).map_err(no)?;
            if found != wanted {
                return Err(no("the program behind it gives other results".to_owned()));
            }
            before = after;
        }
        Ok(())
    }
}

/// The text of the parameters.
fn params(program: &Program) -> String {
    let text = print::program(program);
    let head = text.lines().take_while(|line| line.starts_with("param"));
    head.map(|line| format!("{line}\n")).collect()
}

/// What FUN gives for the meaning of a program on made-up arrays; its plan in IMP, where there is one,
/// gives the same.
fn results(program: &Program, budget: &Budget) -> Result<Vec<Value>, String> {
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
    let fun = Fun::artifact(fun);
    let input = fun.sized(&sizes).map_err(|no| no.message)?;
    let wanted = run(&fun, &input, budget)?;
    if let Ok(plan) = plan::plan(program)
        && run(&Imp::artifact(plan), &input, budget)? != wanted
    {
        return Err("the plan of the program gives other results than FUN".to_owned());
    }
    Ok(wanted)
}

fn run(program: &Artifact, input: &[Value], budget: &Budget) -> Result<Vec<Value>, String> {
    let how = How {
        variant: program.lang().variants()[0].name,
        schedule: 0,
        budget,
        settings: &Settings::default(),
        planted: Planted::NONE,
        memory: &mut Memory::default(),
    };
    match program.run(input, how, &mut crate::rolls::Rolls::default()).ending {
        Ending::Value(results) => Ok(results),
        other => Err(format!("its run ends otherwise than with results: {other:?}")),
    }
}
