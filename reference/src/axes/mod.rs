//! Axes: terms over named axes and their laws, what rewriting works on.
//!
//! A term has no semantics of its own: it means the FUN program that it [prints to](meaning). So
//! there is no `values.rs`: values are FUN's. [`syntax`] has the terms, [`index`] the canonical form of
//! indices, [`types`] what is a term, [`total`] what may get stuck, [`levels`] what work groups can
//! run, [`laws`] the laws and how one is applied at a position. Nothing here searches.

pub mod eval;
pub mod index;
pub mod laws;
pub mod levels;
pub mod meaning;
pub mod parse;
pub mod print;
pub mod rules;
pub mod syntax;
pub mod total;
pub mod types;

pub use eval::Meant;
pub use laws::apply;

use crate::kit::derivation::Recorder;
use crate::kit::fit::Takes;
use crate::kit::language::{How, Language, Variant};
use crate::kit::outcome::{Outcome, Value};
use crate::kit::text::Rejected;

/// Terms over named axes, as a language.
pub struct Axes;

impl Language for Axes {
    const NAME: &'static str = "axes";
    const VARIANTS: &'static [Variant] =
        &[Variant { name: "", about: "terms over named axes: the FUN program that they mean" }];
    const HAS_MEMORY: bool = false;
    type Program = Meant;
    type Rule = rules::Rule;

    fn parse(text: &str) -> Result<Self::Program, Rejected> {
        Meant::read(text)
    }

    fn print(program: &Self::Program) -> String {
        print::program(program.program())
    }

    fn check(program: &Self::Program, to: &mut Recorder<Self::Rule>) -> Result<(), Rejected> {
        eval::derive(program.program(), to);
        Ok(())
    }

    fn parameters(program: &Self::Program) -> Vec<String> {
        program.program().params.iter().map(|param| param.name.to_string()).collect()
    }

    fn takes(program: &Self::Program) -> Takes<'_> {
        program.takes()
    }

    fn run(
        program: &Self::Program,
        input: &[Value],
        how: How<'_>,
        to: &mut Recorder<Self::Rule>,
    ) -> Outcome {
        eval::run(program, input, how, to)
    }
}

#[cfg(test)]
mod tests;
