//! FUN, the functional array language without memory: figs. 1 to 5 of the paper.

pub(crate) mod arrays;
pub(crate) mod count;
pub(crate) mod elaborate;
pub mod eval;
pub mod laws;
pub mod parse;
pub mod print;
pub(crate) mod regular;
pub mod rules;
pub(crate) mod surface;
pub mod syntax;
#[cfg(test)]
mod tests;
pub mod types;
pub(crate) mod values;

pub use self::syntax::Fun;

use crate::kit::derivation::Recorder;
use crate::kit::fit::Takes;
use crate::kit::language::{How, Language, Operation, Variant};
use crate::kit::outcome::{Outcome, Value};
use crate::kit::text::Rejected;

lalrpop_util::lalrpop_mod!(
    #[allow(clippy::all, clippy::pedantic, missing_docs, unreachable_pub, unused)]
    grammar,
    "/fun/grammar.rs"
);

impl Language for Fun {
    const NAME: &'static str = "fun";
    const VARIANTS: &'static [Variant] =
        &[Variant { name: "", about: "FUN by values: the reference" }];
    const OPERATIONS: &'static [&'static str] = &count::OPERATIONS;
    const HAS_MEMORY: bool = false;
    type Program = syntax::Program<Fun>;
    type Rule = rules::Rule;

    fn parse(text: &str) -> Result<Self::Program, Rejected> {
        parse::program(text)
    }

    fn print(program: &Self::Program) -> String {
        print::program(program)
    }

    fn check(program: &Self::Program, to: &mut Recorder<Self::Rule>) -> Result<(), Rejected> {
        types::check(program, to)
    }

    fn parameters(program: &Self::Program) -> Vec<String> {
        program.parameters()
    }

    fn takes(program: &Self::Program) -> Takes<'_> {
        eval::takes(program)
    }

    fn run(
        program: &Self::Program,
        input: &[Value],
        how: How<'_>,
        to: &mut Recorder<Self::Rule>,
    ) -> Outcome {
        eval::run(program, input, how.budget, to)
    }

    fn bindings(program: &Self::Program) -> Vec<String> {
        print::bindings(program)
    }

    fn count(program: &Self::Program, operation: &Operation<'_>) -> u64 {
        count::count(program, operation)
    }
}
