//! The host judgement `M; E ⊢ s̄ ⇓ M'; E'`: one loop over a [`Machine`] `M`, which the evaluator
//! implements and every GPU runtime. What a machine does not do itself, it cannot do
//! differently.

mod exp;
mod machine;
mod results;
mod run;
pub mod values;

pub use machine::{Code, Halt, Machine, Report};

use super::levels;
use super::rules::Rule;
use super::syntax::{Exp, Program};
use crate::kit::outcome::{Budget, Ending, Outcome, Stats, Value as Input, Why};
use run::Run;
use values::{Env, Stop, Value};

/// Runs a validated program on a machine.
///
/// An input that does not fit the parameters is [`Why::Refused`].
pub fn run(
    program: &Program,
    input: &[Input],
    machine: &mut dyn Machine,
    budget: &Budget,
) -> Outcome {
    let mut run = Run {
        program,
        machine,
        budget,
        pars: levels::pars(program),
        env: Env::new(program.names.len()),
        fuel: budget.fuel,
        blocks: std::collections::BTreeMap::new(),
        live: 0,
        stats: Stats::default(),
    };
    let ending = run.program(input).map_or_else(Stop::ending, Ending::Value);
    let mut stats = run.stats;
    let report = machine.report();
    stats.statements += report.statements;
    stats.rounds = report.rounds;
    Outcome { ending, races: report.races, stats }
}

/// `⊢ input fits params`, or why not.
fn fit(program: &Program, input: &[Input]) -> Result<(), String> {
    let params = &program.params;
    if params.len() != input.len() {
        return Err(format!("{} parameters, but {} inputs", params.len(), input.len()));
    }
    let mut env = Env::new(program.names.len());
    for (param, value) in params.iter().zip(input) {
        let name = program.names.text(param.var);
        match (&param.shape, value) {
            (None, Input::Int(k)) => env.bind(param.var, exp::i32_value(*k)),
            (Some(sizes), Input::Array { shape, .. }) => {
                let sizes = extents(&env, sizes);
                let fits = sizes.len() == shape.len()
                    && sizes.iter().zip(shape).all(|(size, extent)| *size == *extent as i64);
                if !fits {
                    return Err(format!("`{name}` is of shape {sizes:?}, the input {shape:?}"));
                }
            }
            (None, _) => return Err(format!("`{name}` is an int, the input an array")),
            (Some(_), _) => return Err(format!("`{name}` is an array, the input an int")),
        }
    }
    Ok(())
}

/// Sizes of a parameter: literals and earlier parameters.
fn extents(env: &Env, sizes: &[Exp]) -> Vec<i64> {
    sizes.iter().map(|size| exp::integer(env, size).unwrap_or(-1)).collect()
}

impl Run<'_> {
    /// The parameters are bound, the host runs, the results are gathered.
    fn program(&mut self, input: &[Input]) -> Result<Vec<Input>, Stop> {
        let program = self.program;
        fit(program, input).map_err(Why::Refused)?;
        for (param, value) in program.params.iter().zip(input) {
            let bound = match value {
                Input::Int(k) => exp::i32_value(*k),
                Input::Array { data, .. } => {
                    let element = super::syntax::Sc::I32;
                    let length = data.len() as i128;
                    let block = self.allocate(param.var, element, length)?;
                    let words: Vec<u32> = data.iter().map(|k| *k as u32).collect();
                    if let (Value::Block(_, base, _), false) = (block, words.is_empty()) {
                        self.machine.write(base, &words)?;
                    }
                    block
                }
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
}
