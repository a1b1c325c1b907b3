//! FCL: functions over pull and push arrays, whose levels say what runs where (seed 004).
//!
//! [`parse`] reads the paper's syntax as a core, with the definitions of the [`prelude`] that a program uses; [`types`]
//! infers types, kinds and levels; [`eval`] runs small steps at [locations](location), and [`doubles`] has what
//! is known of doubles on a device. [`laws`] says what holds of the steps.

mod count;
pub mod doubles;
pub mod eval;
pub mod laws;
mod lex;
pub mod location;
pub mod parse;
pub mod print;
pub mod rules;
pub mod syntax;
pub mod types;
mod uses;
mod values;

use crate::kit::derivation::Recorder;
use crate::kit::fit::{self, Size, Takes};
use crate::kit::language::{Choice, How, Language, Library, Operation, Variant};
use crate::kit::outcome::{Outcome, Value};
use crate::kit::text::{Rejected, Span};
use crate::kit::value::ScalarType;
use doubles::DOUBLES;
use location::LOCATION;
use syntax::{Program, Type};
use types::Typed;

/// Where the places of the prelude begin: behind the end of every program.
pub const PRELUDE: u32 = 2 * crate::kit::text::MAX_SOURCE as u32;

/// The most components that a refusal names.
const MOST_NAMED: usize = 16;

/// FCL, as a language.
pub struct Fcl;

impl Language for Fcl {
    const NAME: &'static str = "fcl";
    const VARIANTS: &'static [Variant] = &[
        Variant { name: "", about: "FCL by small steps at locations: the reference" },
        Variant { name: "reversed", about: "FCL, its chunks from the last one to the first" },
        Variant { name: "shuffled", about: "FCL, its chunks in a drawn order" },
    ];
    const HAS_MEMORY: bool = false;
    const OPTIONS: &'static [Choice] = &[LOCATION, DOUBLES];
    const OPERATIONS: &'static [&'static str] = &count::OPERATIONS;
    const LIBRARY: Option<Library> =
        Some(Library { name: "prelude", text: parse::prelude::TEXT, start: PRELUDE });
    type Program = Program;
    type Rule = rules::Rule;

    fn parse(text: &str) -> Result<Self::Program, Rejected> {
        parse::program(text)
    }

    fn print(program: &Self::Program) -> String {
        print::program(program)
    }

    fn check(program: &Self::Program, to: &mut Recorder<Self::Rule>) -> Result<(), Rejected> {
        types::infer(program, to).map(drop)
    }

    /// A pair is a parameter for each component, `p.fst` and `p.snd`.
    fn parameters(program: &Self::Program) -> Vec<String> {
        let mut names = Vec::new();
        for param in typed(program).into_iter().flat_map(|typed| typed.params) {
            let name = program.names.written(param.var);
            components(&param.ty, name, &mut |name, _| names.push(name.to_owned()));
        }
        names
    }

    fn takes(program: &Self::Program) -> Takes<'_> {
        let mut params = Vec::new();
        for param in typed(program).into_iter().flat_map(|typed| typed.params) {
            let array = matches!(param.ty, Type::Pull(_));
            components(&param.ty, "", &mut |_, ty| {
                let sizes = array.then(|| vec![Size::Any]);
                params.push(fit::Param::of(param.var, ty, sizes));
            });
        }
        let span = program.main().map_or(Span::default(), |main| main.span);
        Takes { names: &program.names, params, span }
    }

    /// The arrays of the components of a pair are equally long.
    fn fit(program: &Self::Program, input: Vec<Value>) -> Result<Vec<Value>, Rejected> {
        let takes = Self::takes(program);
        let given = input.len();
        let input = takes.fit(input).map_err(|no| match given == takes.params.len() {
            true => no,
            false => by_components(no, program),
        })?;
        let lengths = input.iter().map(|value| match value {
            Value::Array { shape, .. } => shape.first().copied(),
            _ => None,
        });
        let vars = takes.params.iter().map(|param| param.var);
        let params: Vec<_> = vars.zip(lengths).collect();
        for pair in params.windows(2) {
            let [(one, Some(first)), (other, Some(second))] = pair else { continue };
            if one == other && first != second {
                let name = program.names.written(*one);
                let message = format!(
                    "parameter `{name}` has arrays of {first} and of {second} elements for the components of its pairs"
                );
                return Err(Rejected::new(takes.span, message, "they are equally long"));
            }
        }
        Ok(input)
    }

    fn run(
        program: &Self::Program,
        input: &[Value],
        how: How<'_>,
        to: &mut Recorder<Self::Rule>,
    ) -> Outcome {
        eval::run(program, input, &how, to)
    }

    fn uses(program: &Self::Program, place: Span) -> Vec<Span> {
        uses::uses(program, place)
    }

    fn bindings(program: &Self::Program) -> Vec<String> {
        let schemes = typed(program).map(|typed| typed.schemes(&program.names));
        let of_prelude = |var| program.defs.iter().any(|def| def.name == var && def.prelude);
        let schemes = schemes.into_iter().flatten().filter(|(var, _)| !of_prelude(*var));
        let line = |(var, scheme)| format!("{} : {scheme}", program.names.written(var));
        schemes.map(line).collect()
    }

    fn count(program: &Self::Program, operation: &Operation<'_>) -> u64 {
        count::count(program, operation)
    }
}

/// A refusal of so many values, with the name of each component.
fn by_components(refused: Rejected, program: &Program) -> Rejected {
    let names = Fcl::parameters(program);
    if !(1..=MOST_NAMED).contains(&names.len()) {
        return refused;
    }
    let label = format!("the parameters: {}", names.join(", "));
    let refused = Rejected { label, ..refused };
    match names.iter().any(|name| name.contains('.')) {
        true => refused.help("of a pair there is a value for each component"),
        false => refused,
    }
}

/// The types of a program, if it has some.
fn typed(program: &Program) -> Option<Typed> {
    types::infer(program, &mut Recorder::counting()).ok()
}

/// The components of a base type, or of the elements of an array of one, and what they are called.
fn components(ty: &Type, name: &str, each: &mut impl FnMut(&str, ScalarType)) {
    match ty {
        Type::Int => each(name, ScalarType::I32),
        Type::Bool => each(name, ScalarType::Bool),
        Type::Double => each(name, ScalarType::F64),
        Type::Pair(parts) => {
            components(&parts[0], &format!("{name}.fst"), each);
            components(&parts[1], &format!("{name}.snd"), each);
        }
        Type::Pull(element) => components(element, name, each),
        other => unreachable!("T-MAIN: {other:?} is no type of a parameter"),
    }
}

#[cfg(test)]
mod tests;
