//! The device language, to which every language compiles: our IR, with a semantics of its own.
//!
//! A program is a host program over kernels. [`syntax`] declares it, [`types`] and [`validate`]
//! say which programs are valid, [`host`] is the judgement of the host over a machine, [`eval`]
//! is the machine that defines what kernels mean. [`record`] lays out the words in which
//! compiled kernels tell of failed checks, [`arena`] places blocks, [`levels`] says what a
//! parallel loop captures.
//!
//! The floor plan differs: `eval.rs` is a folder, with small steps only, since invocations wait
//! for each other; `values.rs` is the host's; there is no `laws.rs`, for no paper states laws of
//! this language. The types of the design's sketch that nothing makes
//! use of, arrays without a length and tasks of the host, are left out: a block is the one, and
//! nothing runs side by side with a launch.

pub mod arena;
mod atomic;
mod border;
mod copy;
pub mod eval;
mod exp;
mod floats;
pub mod globals;
pub mod host;
pub mod levels;
mod order;
pub mod parse;
pub mod parts;
pub mod print;
pub mod record;
mod regular;
pub mod rules;
pub mod scalar;
mod surface;
pub mod syntax;
#[cfg(test)]
mod tests;
pub mod types;
pub mod validate;
pub mod visit;
pub mod visit_mut;

use crate::kit::derivation::Recorder;
use crate::kit::fit::Takes;
use crate::kit::language::{How, Language, Operation, Variant};
use crate::kit::outcome::{Outcome, Value};
use crate::kit::regular::{Irregular, Loops};
use crate::kit::schedule::Order;
use crate::kit::text::Rejected;

lalrpop_util::lalrpop_mod!(
    #[allow(clippy::all, clippy::pedantic, missing_docs, unreachable_pub, unused)]
    grammar,
    "/device/grammar.rs"
);

/// The device language.
pub struct Device;

impl Language for Device {
    const NAME: &'static str = "device";
    const EXTENSION: &'static str = "dev";
    const VARIANTS: &'static [Variant] = &[
        Variant { name: "", about: "the device language, our evaluator" },
        Variant { name: "reversed", about: "the same, from the last invocation to the first" },
        Variant { name: "shuffled", about: "the same, its invocations in a drawn order" },
        Variant {
            name: "interleaved",
            about: "the same, the next step by any invocation of some groups",
        },
    ];
    const OPERATIONS: &'static [&'static str] = &["kernel", "launch", "check"];
    type Program = syntax::Program;
    type Rule = rules::Rule;

    fn parse(text: &str) -> Result<Self::Program, Rejected> {
        parse::program(text)
    }

    fn print(program: &Self::Program) -> String {
        print::program(program)
    }

    fn check(program: &Self::Program, to: &mut Recorder<Self::Rule>) -> Result<(), Rejected> {
        validate::check(program, to)
    }

    fn about_thread(path: &[i32]) -> Option<String> {
        let number = path.first()?;
        let from_zero = number.checked_sub(1)?;
        Some(format!(
            "threads are counted from 1: in a kernel, thread {number} has global_id {from_zero}"
        ))
    }

    fn parameters(program: &Self::Program) -> Vec<String> {
        let names = &program.names;
        program.params.iter().map(|param| names.written(param.var).to_owned()).collect()
    }

    fn regular(program: &Self::Program) -> Result<Loops, Irregular> {
        regular::flow(program).regular()
    }

    fn takes(program: &Self::Program) -> Takes<'_> {
        host::takes(program)
    }

    fn run(
        program: &Self::Program,
        input: &[Value],
        how: How<'_>,
        to: &mut Recorder<Self::Rule>,
    ) -> Outcome {
        let order = Order::of_variant(how.variant, how.schedule);
        let watches = how.memory.watches();
        eval::run_watched(program, input, order, (how.budget, watches), to)
    }

    fn is_open_to_order(program: &Self::Program) -> bool {
        order::is_open(program)
    }

    fn count(program: &Self::Program, operation: &Operation<'_>) -> u64 {
        let word = |line: &&str| line.trim_start().split([' ', '(']).next() == Some(operation.name);
        print::program(program).lines().filter(word).count() as u64
    }
}
