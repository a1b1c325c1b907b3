//! λG: functions over values in regions, on a host and on its device (seed 003).
//!
//! [`parse`] reads fig. 13 in the concrete form of readings L49 to L51, with every name bound; [`infer`] finds what a
//! program leaves out of it; [`types`] is the region
//! type system of appendix A; [`eval`] runs programs and makes the cost graphs of their runs; [`laws`] is what holds of all of them.

mod device_box;
pub mod eval;
mod graph;
pub mod hole;
pub mod infer;
pub mod laws;
mod lex;
pub mod parse;
pub mod placement;
pub mod print;
pub mod region_sizes;
pub mod report;
pub mod rewriting;
pub mod rules;
pub mod syntax;
mod trace;
pub mod types;
mod values;
pub mod visit;

use crate::kit;
use crate::kit::derivation::Recorder;
use crate::kit::fit::Takes;
use crate::kit::language::{How, Language, Variant};
use crate::kit::outcome::{Outcome, Value};
use crate::kit::text::Rejected;
use eval::Setting;
use syntax::Program;

/// λG, as a language.
pub struct LambdaG;

impl Language for LambdaG {
    const NAME: &'static str = "lambda_g";
    const EXTENSION: &'static str = "lg";
    const VARIANTS: &'static [Variant] =
        &[Variant { name: "", about: "λG over regions of two worlds: the reference" }];
    const HAS_MEMORY: bool = false;
    const MAKES_GRAPHS: bool = true;
    type Program = Program;
    type Rule = rules::Rule;

    fn parse(text: &str) -> Result<Self::Program, Rejected> {
        parse::program(text)
    }

    fn print(program: &Self::Program) -> String {
        print::program(program)
    }

    fn check(program: &Self::Program, to: &mut Recorder<Self::Rule>) -> Result<(), Rejected> {
        types::check(program, to).map(drop)
    }

    fn parameters(program: &Self::Program) -> Vec<String> {
        let names = program.params.iter().map(|param| program.names.written(param.var));
        names.map(str::to_owned).collect()
    }

    fn takes(program: &Self::Program) -> Takes<'_> {
        eval::takes(program)
    }

    /// What is no value of its parameter is told with the type as it is written.
    fn fit(program: &Self::Program, input: Vec<Value>) -> Result<Vec<Value>, Rejected> {
        let takes = eval::takes(program);
        if takes.params.len() != input.len() {
            return takes.fit(input);
        }
        let fits = |((param, of), value): ((&syntax::Param, &kit::fit::Param), Value)| {
            let described = value.described();
            of.ty.fit(value).map_err(|_| {
                let (name, ty) =
                    (program.names.written(param.var), print::ty(&program.names, &param.ty));
                let message =
                    format!("parameter `{name}` is of type `{ty}`, and its input is {described}");
                let refused = Rejected::new(param.span, message, "the input does not fit it");
                refused.help(format!("values of it are written like `{}`", of.ty.example()))
            })
        };
        program.params.iter().zip(&takes.params).zip(input).map(fits).collect()
    }

    fn run(
        program: &Self::Program,
        input: &[Value],
        how: How<'_>,
        to: &mut Recorder<Self::Rule>,
    ) -> Outcome {
        let setting = Setting { planted: how.planted, ..Setting::default() };
        eval::run(program, input, &setting, how.budget, to)
    }

    /// The whole program behind its parameters, if it leaves something out; then the types of its bindings and of its result.
    fn bindings(program: &Self::Program) -> Vec<String> {
        let whole = if program.inferred { print::program(program) } else { String::new() };
        let whole = whole.lines().skip(program.params.len()).map(str::to_owned);
        whole.chain(types::lines(program)).collect()
    }
}

#[cfg(test)]
mod tests;
