//! The host judgement `M; E ⊢ s̄ ⇓ M'; E'`: one loop over a [`Machine`] `M`, which the evaluator
//! implements and every GPU runtime. What a machine does not do itself, it cannot do
//! differently.

pub mod border;
mod copy;
mod exp;
mod machine;
mod reach;
mod results;
mod run;
pub mod values;

pub use machine::{Code, Dim, Halt, Machine, Report};

use super::arena::Where;
use super::levels;
use super::rules::Rule;
use super::scalar::literal;
use super::syntax::{Element, Exp, Given, Host, HostBlock, Launch, Lit, Param, Program, Sc};
use super::visit;
use crate::kit::fit;
use crate::kit::names::Var;
use crate::kit::nested;
use crate::kit::outcome::{Budget, MAX_RACES, Outcome, Value as Input, Why};
use crate::kit::run::{Eval, Meter};
use crate::kit::text::{Rejected, Span};
use reach::Reach;
use run::Run;
use values::{Env, Value};

/// Runs a validated program on a machine.
///
/// An input that does not fit the parameters is [`Why::Refused`].
pub fn run(
    program: &Program,
    input: &[Input],
    machine: &mut dyn Machine,
    budget: &Budget,
) -> Outcome {
    let records = records(&program.host);
    let mut run = Run {
        program,
        machine,
        budget,
        pars: levels::pars(program),
        reach: Reach::of(program, &records),
        records,
        env: Env::new(program.names.len()),
        meter: Meter::new(budget),
        blocks: std::collections::BTreeMap::new(),
        live: 0,
        fresh: false,
        observed: 0,
        open_floats: false,
    };
    let ended = run.program(input);
    let mut outcome = run.meter.outcome(ended);
    let read_open = run.open_floats;
    let report = machine.report();
    outcome.races.extend(report.races);
    outcome.unwritten = report.unwritten;
    outcome.races.truncate(MAX_RACES);
    outcome.stats.statements += report.statements;
    outcome.stats.rounds = report.rounds;
    outcome.stats.open_floats = report.open_floats || read_open;
    outcome
}

/// Variables of the blocks that launches keep their records in.
fn records(host: &HostBlock) -> Vec<Var> {
    let mut found = Vec::new();
    visit::stms(host, &mut |stm| {
        if let Host::Launch(Launch { record: Some(Exp::Var(record)), .. }) = &stm.kind {
            found.push(*record);
        }
    });
    found
}

/// The input as the parameters want it, with the extents of empty arrays filled in.
///
/// # Errors
/// Says which parameter an input does not fit, and why.
pub fn fit(program: &Program, input: Vec<Input>) -> Result<Vec<Input>, Rejected> {
    takes(program).fit(input)
}

/// What a program takes.
pub fn takes(program: &Program) -> fit::Takes<'_> {
    let size = |size: &Exp| match size {
        Exp::Lit(Lit::I32(k)) => fit::Size::Const(*k),
        Exp::Var(var) => fit::Size::Param(*var),
        Exp::Length(_) => fit::Size::Any,
        other => unreachable!("D-T-PARAM: {other:?} is no size"),
    };
    let params = program.params.iter().map(|Param { var, given }| fit::Param {
        var: *var,
        ty: match given {
            Given::Scalar(sc) => fit::Type::Scalar(border::scalar_type(*sc)),
            Given::Array(sc, shape) => {
                fit::Type::Array(border::scalar_type(*sc), shape.iter().map(size).collect())
            }
            Given::Words(nested) => fit::Type::nested(nested),
        },
    });
    fit::Takes { names: &program.names, params: params.collect(), span: Span::default() }
}

impl Run<'_> {
    /// The parameters are bound, the host runs, the results are gathered.
    fn program(&mut self, input: &[Input]) -> Eval<Vec<Input>> {
        let program = self.program;
        let input = fit(program, input.to_vec()).map_err(|no| Why::Refused(no.message))?;
        for (param, value) in program.params.iter().zip(&input) {
            let bound = match (&param.given, value) {
                (Given::Scalar(_), Input::Scalar(scalar)) => {
                    let lit = border::given(*scalar);
                    Value::Scalar(lit.sc(), literal(lit))
                }
                (Given::Array(sc, _), Input::Array { cells, .. }) => {
                    self.holds(param.var, *sc, cells.len(), &border::given_words(cells))?
                }
                (Given::Words(_), value) => {
                    let words: Vec<u32> = nested::words(value).iter().map(|k| *k as u32).collect();
                    self.holds(param.var, Sc::I32, words.len(), &words)?
                }
                (_, other) => unreachable!("the input fits, and is not {other}"),
            };
            self.env.bind(param.var, bound);
        }
        self.block(&program.host)?;
        let mut results = Vec::new();
        for output in &program.results {
            self.by(
                Rule::Result,
                || "result".to_owned(),
                |run| {
                    results.push(run.result(output)?);
                    Ok(())
                },
            )?;
        }
        Ok(results)
    }

    /// A block of a parameter with elements of a type at the border, and these words.
    fn holds(&mut self, param: Var, sc: Sc, length: usize, words: &[u32]) -> Eval<Value> {
        let element = Element::Plain(sc.inside());
        let block = self.allocate((param, Where::Anywhere), element, length as i128)?;
        if let (Value::Block(_, base, _), false) = (block, words.is_empty()) {
            self.machine.write(base, words)?;
        }
        Ok(block)
    }
}
