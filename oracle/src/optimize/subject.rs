//! What is rewritten: a program of FUN, of FCL or of λG.
//!
//! A FUN program is priced as it is compiled to IMP, and so are its plans. FCL and λG are compiled to the device language,
//! so a program of these and its plans are priced there, as the last of its passes leaves them.
//!
//! λG has nested values. Its plans, as its term, take and give an array for each component of them.

use super::price::{Cost, price};
use super::regions::{self, Original, Region, Values};
use super::{No, Request};
use crate::pricing::Sample;
use crate::rolls::Rolls;
use crate::stages::{self, Plan, Stages};
use compiler::rewrite::import::{StaysOut, fcl as of_fcl, lambda_g as of_lambda_g, size_params};
use reference::device::Device;
use reference::fcl::Fcl;
use reference::fcl::location::{LOCATION, Machine};
use reference::fcl::syntax as fcl;
use reference::fun::syntax::{self as fun, Fun};
use reference::kit::faults::Planted;
use reference::kit::language::{How, Language, Settings};
use reference::kit::memory::Memory;
use reference::kit::outcome::{Budget, Ending, Scalar, Value};
use reference::lambda_g::types::{Facts, facts};
use reference::lambda_g::{LambdaG, syntax as lambda_g};
use reference::languages::{Artifact, Listed};

/// A program that is rewritten.
#[derive(Clone, Debug)]
pub enum Subject {
    /// Of FUN.
    Fun(fun::Program<Fun>),
    /// Of FCL, with what is set of its options: the sizes of groups are part of what it means.
    Fcl(fcl::Program, Settings),
    /// Of λG.
    LambdaG(lambda_g::Program),
}

impl Subject {
    /// The program, if it is of a language that is rewritten.
    pub fn of(program: &Artifact, settings: &Settings) -> Option<Self> {
        let fun = Fun::of(program).cloned().map(Subject::Fun);
        let fcl = || Some(Subject::Fcl(Fcl::of(program)?.clone(), settings.clone()));
        let lambda_g = || LambdaG::of(program).cloned().map(Subject::LambdaG);
        fun.or_else(fcl).or_else(lambda_g)
    }

    /// The program of this text.
    ///
    /// # Errors
    /// It is none, or is ill typed.
    pub(super) fn read(language: &str, location: &str, text: &str) -> Result<Self, String> {
        let none = |no: reference::kit::text::Rejected| {
            format!("its source is no program: {}", no.message)
        };
        let mut settings = Settings::default();
        let program = match language {
            Fun::NAME => Fun::LANG.parse(text).map_err(none)?,
            Fcl::NAME => {
                settings.set(Fcl::OPTIONS, LOCATION.name, location)?;
                Fcl::LANG.parse(text).map_err(none)?
            }
            LambdaG::NAME => LambdaG::LANG.parse(text).map_err(none)?,
            other => return Err(format!("its source is of {other}, which is not rewritten")),
        };
        program
            .check(&mut Rolls::default())
            .map_err(|no| format!("its source is ill typed: {}", no.message))?;
        Self::of(&program, &settings).ok_or_else(|| "its source is not rewritten".to_owned())
    }

    /// As a program of its language.
    pub fn artifact(&self) -> Artifact {
        match self {
            Subject::Fun(program) => Fun::artifact(program.clone()),
            Subject::Fcl(program, _) => Fcl::artifact(program.clone()),
            Subject::LambdaG(program) => LambdaG::artifact(program.clone()),
        }
    }

    /// What is set of the options of its language.
    pub fn settings(&self) -> Settings {
        match self {
            Subject::Fun(_) | Subject::LambdaG(_) => Settings::default(),
            Subject::Fcl(_, settings) => settings.clone(),
        }
    }

    /// Runs it by its own semantics.
    pub fn run(&self, input: &[Value], budget: &Budget) -> Ending {
        let program = self.artifact();
        let how = How {
            variant: program.lang().variants()[0].name,
            schedule: 0,
            budget,
            settings: &self.settings(),
            planted: Planted::NONE,
            memory: &mut Memory::default(),
        };
        program.run(input, how, &mut Rolls::default()).ending
    }

    /// Where it runs, as text; empty for a language without locations.
    pub(super) fn location(&self) -> &str {
        match self {
            Subject::Fun(_) | Subject::LambdaG(_) => "",
            Subject::Fcl(_, settings) => settings.get(&LOCATION),
        }
    }

    /// What its term and its plans are run on when it is run on this input.
    pub fn given(&self, input: &[Value]) -> Vec<Value> {
        let arrays = self.facts().and_then(|facts| of_lambda_g::flat(&facts.params, input));
        arrays.unwrap_or_else(|| input.to_vec())
    }

    /// What it is run on when its term is run on this.
    pub(super) fn taken(&self, arrays: &[Value]) -> Option<Vec<Value>> {
        match self.facts() {
            Some(facts) => of_lambda_g::nested(&facts.params, arrays),
            None => Some(arrays.to_vec()),
        }
    }

    /// What its term and its plans give when it gives these results; `None` if they are not what a term gives.
    pub fn as_of_plans(&self, results: Vec<Value>) -> Option<Vec<Value>> {
        match self.facts() {
            Some(Facts { result, .. }) => of_lambda_g::flat(&[result], &results),
            None => Some(results),
        }
    }

    /// The types of a program of λG.
    fn facts(&self) -> Option<Facts> {
        match self {
            Subject::LambdaG(program) => facts(program).ok(),
            Subject::Fun(_) | Subject::Fcl(..) => None,
        }
    }

    /// The sizes of an input: the ints that sizes depend on; of FCL all ints, and how long arrays are; of λG how long
    /// vectors are.
    pub fn sizes(&self, input: &[Value]) -> Vec<(String, i32)> {
        match self {
            Subject::Fun(program) => {
                let needed = size_params(program);
                let ints = self.ints(input.iter().enumerate());
                ints.into_iter().filter(|(name, _)| needed.contains(name)).collect()
            }
            Subject::Fcl(..) => self.ints(input.iter().enumerate()),
            Subject::LambdaG(program) => of_lambda_g::sizes(program, input),
        }
    }

    /// The numbers that these values of parameters say: ints, and of FCL how long arrays are.
    pub(super) fn ints<'v>(
        &self,
        said: impl Iterator<Item = (usize, &'v Value)>,
    ) -> Vec<(String, i32)> {
        let (names, lengths) = match self {
            Subject::Fun(program) => {
                let written = program.params.iter().map(|of| program.names.written(of.var));
                (written.map(str::to_owned).collect::<Vec<_>>(), false)
            }
            Subject::Fcl(program, _) => {
                let takes = Fcl::takes(program);
                let written = takes.params.iter().map(|of| program.names.written(of.var));
                (written.map(str::to_owned).collect(), true)
            }
            Subject::LambdaG(program) => (LambdaG::parameters(program), true),
        };
        let mut ints: Vec<(String, i32)> = Vec::new();
        for (nth, value) in said {
            let number = match value {
                Value::Scalar(Scalar::I32(k)) => Some(*k),
                Value::Array { shape, .. } if lengths => {
                    shape.first().and_then(|length| i32::try_from(*length).ok())
                }
                Value::List(parts) if lengths => i32::try_from(parts.len()).ok(),
                _ => None,
            };
            if let (Some(name), Some(number)) = (names.get(nth), number)
                && !ints.iter().any(|(other, _)| lengths && other == name)
            {
                ints.push((name.clone(), number));
            }
        }
        ints
    }

    /// What enters of it, and what does not: FCL enters as a whole.
    ///
    /// # Errors
    /// Nothing enters.
    pub fn regions(&self, sizes: &[(String, i32)]) -> Result<(Vec<Region>, Vec<StaysOut>), No> {
        match self {
            Subject::Fun(program) => regions::regions(program, sizes),
            Subject::Fcl(program, settings) => {
                let machine = Machine::parse(settings.get(&LOCATION)).unwrap_or_default();
                let term = of_fcl::import(program, sizes, machine)
                    .map_err(|no| No::StaysOut(Box::new(no.into()), Vec::new()))?;
                let span = program.main().map(|main| main.span).unwrap_or_default();
                Ok((vec![Region::whole(span, term)], Vec::new()))
            }
            Subject::LambdaG(program) => {
                let term = of_lambda_g::import(program, sizes)
                    .map_err(|no| No::StaysOut(Box::new(no.into()), Vec::new()))?;
                Ok((vec![Region::whole(program.body.span, term)], Vec::new()))
            }
        }
    }

    /// Is a region all of it?
    pub fn is_whole(&self, region: &Region) -> bool {
        match self {
            Subject::Fun(program) => region.is_whole(program),
            Subject::Fcl(..) | Subject::LambdaG(_) => true,
        }
    }

    /// What a region is run on when the program is run on this input.
    pub(super) fn values(
        &self,
        region: &Region,
        input: &[Value],
        budget: &Budget,
    ) -> Result<Values, String> {
        match self {
            Subject::Fun(program) => region.values(program, input, budget),
            Subject::Fcl(..) | Subject::LambdaG(_) => {
                Ok(Values { of_term: self.given(input), of_part: input.to_vec() })
            }
        }
    }

    /// It without rewriting: what is handed out for FUN is compiled to IMP.
    pub(super) fn original(&self, compile: &Plan) -> Result<Artifact, String> {
        match self {
            Subject::Fun(program) => Ok(Original::new(program, compile)?.program()),
            Subject::Fcl(..) | Subject::LambdaG(_) => Ok(self.artifact()),
        }
    }

    /// Prices it, or a plan of it, and its results as its plans give them, as [`price`].
    pub(super) fn price(
        &self,
        program: &Artifact,
        input: &[Value],
        request: &Request,
        sample: Sample,
    ) -> Result<(Cost, Option<Vec<Value>>), String> {
        match self {
            Subject::Fun(_) => price(program, input, request, sample),
            Subject::Fcl(_, settings) => {
                let compile = request.compile.with(settings);
                price(&on_device(program, compile)?, input, request, sample)
            }
            Subject::LambdaG(_) => {
                let device = on_device(program, request.compile)?;
                let (cost, results) = price(&device, input, request, sample)?;
                let results = match LambdaG::of(program) {
                    Some(_) => results.and_then(|results| self.as_of_plans(results)),
                    None => results,
                };
                Ok((cost, results))
            }
        }
    }

    /// What a region costs without rewriting, alone, and its results, when the program is run on this input
    /// and the region on these values.
    pub(super) fn alone(
        &self,
        region: &Region,
        (input, values): (&[Value], &Values),
        request: &Request,
    ) -> Result<(Cost, Option<Vec<Value>>), String> {
        match self {
            Subject::Fun(program) if !region.is_whole(program) => {
                let part = region.compiled(program, &request.compile)?;
                price(&part, &values.of_part, request, request.sample)
            }
            _ => {
                let original = self.original(&request.compile)?;
                self.price(&original, input, request, request.sample)
            }
        }
    }
}

/// A program as the last pass of the device language leaves it.
fn on_device(program: &Artifact, compile: Plan) -> Result<Artifact, String> {
    let last = stages::last_of(Device::LANG, program.lang());
    let stages = Stages::up_to(program, compile, last);
    if let Some((pass, end)) = &stages.end {
        return Err(match end {
            stages::End::Refused(no) => format!("{} is not compiled: {}", no.statement, no.reason),
            stages::End::Invalid(why) | stages::End::Panicked(why) => {
                format!("{} makes what is wrong: {why}", pass.0)
            }
        });
    }
    let stage = stages.last(Device::LANG).map(|at| stages.list[at].artifact.clone().into_owned());
    stage.ok_or_else(|| "it is not compiled to the device language".to_owned())
}
