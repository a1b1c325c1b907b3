//! A toy language, let-bound sums of a parameter: the smallest room that a language can have. It is
//! built with the feature `toy` only, and shows what has to be written for a language.
//!
//! There is no `types.rs` and no `values.rs`, since the only type and the only value is an i32; no
//! `laws.rs` and no `tests.rs`, since the corpus tests it.

pub mod eval;
pub mod parse;
pub mod print;
pub mod rules;
pub mod syntax;

use crate::kit::derivation::Recorder;
use crate::kit::fit::{Param, Takes};
use crate::kit::language::{Choice, How, Language, Values, Variant};
use crate::kit::outcome::{Outcome, Value};
use crate::kit::text::{Rejected, Span};

/// The toy language.
pub struct Toy;

/// Which bindings are evaluated.
pub const EVALUATION: Choice = Choice {
    name: "evaluation",
    values: Values::OneOf(&["by-value", "by-need"]),
    default: "by-value",
};

impl Language for Toy {
    const NAME: &'static str = "toy";
    const VARIANTS: &'static [Variant] = &[Variant { name: "", about: "the toy language" }];
    const OPTIONS: &'static [Choice] = &[EVALUATION];
    type Program = syntax::Program;
    type Rule = rules::Rule;

    fn parse(text: &str) -> Result<Self::Program, Rejected> {
        parse::program(text)
    }

    fn print(program: &Self::Program) -> String {
        print::program(program)
    }

    fn check(program: &Self::Program, to: &mut Recorder<Self::Rule>) -> Result<(), Rejected> {
        eval::check(program, to)
    }

    fn parameters(program: &Self::Program) -> Vec<String> {
        program.params.iter().map(|var| program.names.written(*var).to_owned()).collect()
    }

    fn takes(program: &Self::Program) -> Takes<'_> {
        let params = program.params.iter().map(|var| Param::of_ints(*var, None)).collect();
        Takes { names: &program.names, params, span: Span::default() }
    }

    fn run(
        program: &Self::Program,
        input: &[Value],
        how: How<'_>,
        to: &mut Recorder<Self::Rule>,
    ) -> Outcome {
        eval::run(program, input, &how, to)
    }
}
