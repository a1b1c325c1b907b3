//! Programs of a campaign: half of them terms, of which three in four have an instance of a law in them, and half FUN programs
//! that can enter, or runs of their statements.

use super::{input, instance};
use crate::generate::{Draw, Generate, Generator, Intent, Made, Weights, fun};
use arbitrary::Unstructured;
use compiler::rewrite::import::{import, segments};
use reference::axes::laws::BOOK;
use reference::axes::syntax::{Program, Term};
use reference::axes::{Axes, Meant, total, types};
use reference::kit::outcome::{Scalar, Value};

impl Generate for Axes {
    const GENERATOR: Generator<Axes> = program;
    const SHARE: u32 = 2;
}

/// How many FUN programs are drawn until one can enter.
const DRAWN: usize = 8;

/// Makes a program from bytes.
fn program(bytes: &mut Unstructured<'_>, weights: &Weights) -> Made<Meant> {
    let kind = Draw::new(bytes).below(8);
    let drawn = match kind {
        0 => None,
        1..=3 => {
            let law = &BOOK[Draw::new(bytes).below(BOOK.len())];
            instance(law, bytes).map(|instance| (instance.program, instance.input))
        }
        _ => (0..DRAWN).find_map(|_| entered(bytes, weights)),
    };
    let made = |(program, input): (Program, Vec<Value>)| {
        let program = Meant::of(program).ok()?;
        let scope = types::check(program.program()).ok()?;
        let total = total::is_total(&program.program().term, &scope);
        let intent = if total { Intent::Runs } else { Intent::Anything };
        Some(Made { program, input, intent })
    };
    let made = drawn.and_then(made).or_else(|| made(super::program(bytes)));
    made.unwrap_or_else(|| {
        let least = Program { params: Vec::new(), term: Term::out(Term::constant(0), &[]) };
        let program = Meant::of(least).expect("a number is a term");
        Made { program, input: Vec::new(), intent: Intent::Runs }
    })
}

/// A FUN program as a term with its input; or a run of its statements, with a made-up one. `None` if nothing of it
/// can enter.
fn entered(bytes: &mut Unstructured<'_>, weights: &Weights) -> Option<(Program, Vec<Value>)> {
    let made = fun::program(bytes, weights);
    let named = made.program.params.iter().zip(&made.input);
    let sizes = named.filter_map(|(param, value)| match value {
        Value::Scalar(Scalar::I32(k)) => {
            Some((made.program.names.written(param.var).to_owned(), *k))
        }
        _ => None,
    });
    let sizes: Vec<(String, i32)> = sizes.collect();
    if let Ok(program) = import(&made.program, &sizes) {
        return Some((program, made.input));
    }
    let runs = segments(&made.program, &sizes).ok()?.into_iter();
    let mut runs: Vec<Program> = runs.filter_map(|run| run.content.ok()).collect();
    runs.retain(|run| !run.term.args.is_empty());
    let mut draw = Draw::new(bytes);
    let nth = draw.below(runs.len());
    let run = (nth < runs.len()).then(|| runs.swap_remove(nth))?;
    let input = input::drawn(&run, &mut draw);
    Some((run, input))
}
