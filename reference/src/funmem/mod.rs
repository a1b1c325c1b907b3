//! FUNMEM, FUN with non-semantic memory information: figs. 6 to 10 of the paper.
//!
//! The corpus tests the judgements of this room, `laws.rs` its functions, so there is no `tests.rs`.

pub mod eval;
pub mod laws;
pub mod memory;
pub mod parse;
pub mod print;
mod regular;
pub mod rules;
pub mod syntax;
pub mod types;
pub mod unmem;
pub mod validity;
pub(crate) mod values;

pub use self::syntax::FunMem;

use crate::fun::count::{Named, count};
use crate::kit::derivation::Recorder;
use crate::kit::fit::Takes;
use crate::kit::language::{How, Invalid, Judged, Language, Operation, Variant};
use crate::kit::outcome::{Outcome, Value};
use crate::kit::regular::{Irregular, Loops};
use crate::kit::text::Rejected;

impl Named for syntax::MemExp {
    fn name(&self) -> &'static str {
        match self {
            syntax::MemExp::Alloc(_) => "alloc",
            syntax::MemExp::Copy(_) => "copy",
        }
    }
}

impl Language for FunMem {
    const NAME: &'static str = "funmem";
    const VARIANTS: &'static [Variant] = &[
        Variant { name: "", about: "FUNMEM by heap, with the traces of its threads" },
        Variant { name: VALUES, about: "FUNMEM with its memory removed, by values" },
    ];
    const OPERATIONS: &'static [&'static str] =
        &["alloc", "copy", "scalar", "index", "slice", "transpose", "if", "kernel", "loop", "with"];
    const JUDGES_MEMORY: bool = true;
    type Program = syntax::Program<FunMem>;
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
        match how.variant {
            // The rules that fire are FUN's, and not on this roll.
            VALUES => unmem::value_run(program, input, how.budget, &mut Recorder::counting()),
            _ => {
                let planted = (how.planted, validity::Watch::Nothing);
                validity::heap(how.memory, program, input, how.budget, to, planted).0
            }
        }
    }

    fn judge(
        program: &Self::Program,
        input: &[Value],
        how: How<'_>,
        to: &mut Recorder<Self::Rule>,
    ) -> Judged {
        let judged = validity::judge_in(how.memory, program, input, how.budget, to, how.planted);
        let validity = match judged.invalid {
            Some(invalid) => {
                let span = invalid.overwritten.as_ref().map(|overwritten| overwritten.span);
                Err(Invalid { text: invalid.to_string(), help: invalid.help(), span })
            }
            None => Ok(()),
        };
        Judged { outcome: judged.heap, validity: Some(validity) }
    }

    fn bindings(program: &Self::Program) -> Vec<String> {
        crate::fun::print::bindings(program)
    }

    fn count(program: &Self::Program, operation: &Operation<'_>) -> u64 {
        count(program, operation)
    }
}

/// The name of the run by values.
pub const VALUES: &str = "values";
