//! IMP (figs. 11 to 13): a simple imperative language with a parallel loop. The project adds
//! `check`, a sequential `for`, and small steps.
//!
//! The corpus tests the judgements of this room, `laws.rs` its runs, so there is no `tests.rs`.

mod count;
pub mod eval;
pub mod laws;
mod observe;
pub mod parse;
pub mod print;
mod regular;
pub mod rules;
mod simple;
pub mod step;
mod surface;
pub mod syntax;
pub mod types;
pub mod values;

use crate::kit::derivation::Recorder;
use crate::kit::fit::Takes;
use crate::kit::language::{Around, How, Language, Operation, Variant};
use crate::kit::outcome::{Outcome, Value};
use crate::kit::regular::{Irregular, Loops};
use crate::kit::schedule::Order;
use crate::kit::text::Rejected;

lalrpop_util::lalrpop_mod!(
    #[allow(clippy::all, clippy::pedantic, missing_docs, unreachable_pub, unused)]
    grammar,
    "/imp/grammar.rs"
);

/// The language IMP.
pub struct Imp;

impl Language for Imp {
    const NAME: &'static str = "imp";
    const VARIANTS: &'static [Variant] = &[
        Variant { name: "in-order", about: "IMP, its threads in order" },
        Variant { name: "reversed", about: "IMP, from the last thread to the first" },
        Variant { name: "shuffled", about: "IMP, its threads in a drawn order" },
        Variant { name: "interleaved", about: "IMP, its threads interleaved by small steps" },
    ];
    const RACES_AT: &'static str = "E-IMP-KERNEL";
    const OPERATIONS: &'static [&'static str] = &count::OPERATIONS;
    type Program = syntax::Program;
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
        let names = &program.names;
        program.params.iter().map(|param| names.written(param.var).to_owned()).collect()
    }

    fn regular(program: &Self::Program) -> Result<Loops, Irregular> {
        regular::flow(program).regular()
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
        let order = Order::of_variant(how.variant, how.schedule);
        eval::run_in(how.memory, program, input, order, how.budget, to)
    }

    fn count(program: &Self::Program, operation: &Operation<'_>) -> u64 {
        count::count(&program.body, operation, Around::default())
    }
}
