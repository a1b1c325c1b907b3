//! MiniAS: C with address spaces in rows, which are inferred (seed 000).
//!
//! [`parse`] reads the text as [`syntax`], with every name resolved; [`infer`] finds their [`types`] over [`rows`] in one of four
//! modes; [`evidence`] says what calls pass for predicates, and [`translate`] makes programs of a [`target`] of it by two
//! readings; [`eval`] runs a [`launch`] of either by big steps over groups and items. [`rules`] has the roll. [`sycl`]
//! is the front for C++.
//!
//! There is no `laws.rs`: theorems 4.1 and 4.2 are held against brute force over drawn problems and functions, which tests make.

mod cursor;
pub mod eval;
pub mod evidence;
pub mod facts;
pub mod infer;
pub mod launch;
mod lex;
pub mod parse;
pub mod print;
pub mod rows;
pub mod rules;
pub mod sycl;
pub mod syntax;
pub mod target;
pub mod translate;
pub mod types;
mod values;

use crate::kit::derivation::Recorder;
use crate::kit::faults::Planted;
use crate::kit::fit::Takes;
use crate::kit::language::{Choice, How, Language, Settings, Variant};
use crate::kit::outcome::{Outcome, Value};
use crate::kit::schedule::Order;
use crate::kit::text::{Rejected, Span};
use evidence::Reading;
use launch::{LAUNCH, Launch};
use syntax::{Options, Program};
use types::{MODE, Mode};

/// MiniAS, as a language.
pub struct Minias;

impl Language for Minias {
    const NAME: &'static str = "minias";
    const EXTENSION: &'static str = "mas";
    const VARIANTS: &'static [Variant] = &[
        Variant { name: "", about: "MiniAS by big steps of its items: the reference" },
        Variant { name: "reversed", about: "the same, from the last group and item to the first" },
        Variant { name: "shuffled", about: "the same, groups and items in a drawn order" },
        Variant { name: "fixed", about: "its translation by evidence that is the id of a space" },
        Variant {
            name: "positions",
            about: "its translation by evidence that is a place in a row",
        },
    ];
    const TRANSLATIONS: &'static [&'static str] = &["minias:fixed", "minias:positions"];
    const HAS_MEMORY: bool = false;
    const OPTIONS: &'static [Choice] = &[MODE, LAUNCH];
    type Program = Program;
    type Rule = rules::Rule;

    fn parse(text: &str) -> Result<Self::Program, Rejected> {
        parse::program(text)
    }

    fn print(program: &Self::Program) -> String {
        print::program(program)
    }

    fn under(program: Self::Program, settings: &Settings) -> Self::Program {
        let mode = Mode::named(settings.get(&MODE)).unwrap_or_default();
        let launch = Launch::read(settings.get(&LAUNCH)).unwrap_or_default();
        Program { options: Options { mode, launch }, ..program }
    }

    fn options_of(program: &Self::Program) -> Settings {
        let Options { mode, launch } = &program.options;
        let mut settings = launch.settings();
        let set = settings.set(Self::OPTIONS, MODE.name, mode.name());
        set.unwrap_or_else(|told| unreachable!("a mode has its name: {told}"));
        settings
    }

    fn check(program: &Self::Program, to: &mut Recorder<Self::Rule>) -> Result<(), Rejected> {
        infer::infer(program, program.options.mode, to).map(drop)
    }

    fn has_entry(program: &Self::Program) -> bool {
        program.options.launch != Launch::default() || program.kernels().next().is_some()
    }

    fn parameters(program: &Self::Program) -> Vec<String> {
        let takes = Self::takes(program);
        takes.params.iter().map(|param| program.names.written(param.var).to_owned()).collect()
    }

    fn takes(program: &Self::Program) -> Takes<'_> {
        let kernel = program.options.launch.kernel(program).ok();
        let span = kernel.map_or(Span::default(), |kernel| kernel.span);
        let params = kernel.map(launch::params).unwrap_or_default();
        Takes { names: &program.names, params, span }
    }

    fn fit(program: &Self::Program, input: Vec<Value>) -> Result<Vec<Value>, Rejected> {
        program.options.launch.fit(program, input)
    }

    fn run(
        program: &Self::Program,
        input: &[Value],
        how: How<'_>,
        to: &mut Recorder<Self::Rule>,
    ) -> Outcome {
        let launch = &program.options.launch;
        let Some(reading) = reading(how.variant) else {
            let order = Order::of_variant(how.variant, how.schedule);
            return eval::run(program, launch, input, order, how.budget, to);
        };
        let target = translated(program, reading, how.planted, to);
        eval::run_target(&target, launch, input, Order::InOrder, how.budget, false, to).0
    }

    fn translation(program: &Self::Program, variant: &str) -> String {
        reading(variant).map_or_else(
            || print::program(program),
            |reading| translated(program, reading, Planted::NONE, &mut Recorder::counting()).text(),
        )
    }

    /// The principal types of the functions.
    fn bindings(program: &Self::Program) -> Vec<String> {
        let typed = infer::types_of(program, program.options.mode, &mut Recorder::counting());
        typed.map(|typed| typed.lines(&program.names)).unwrap_or_default()
    }
}

/// The reading of evidence by which a variant translates.
fn reading(variant: &str) -> Option<Reading> {
    match variant {
        "fixed" => Some(Reading::Fixed),
        "positions" => Some(Reading::Places),
        _ => None,
    }
}

/// The translation of a program by a reading.
///
/// # Panics
/// If the program is not well typed.
fn translated(
    program: &Program,
    reading: Reading,
    planted: Planted,
    to: &mut Recorder<rules::Rule>,
) -> target::Program {
    let typed =
        infer::with_planted(program, program.options.mode, planted, &mut Recorder::counting());
    let typed = typed.expect("a program that is run or translated is well typed");
    translate::with_planted(program, &typed, reading, planted, to)
}

#[cfg(test)]
mod tests;
