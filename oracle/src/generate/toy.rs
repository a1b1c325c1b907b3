//! Programs of the toy language.

use super::draw::Draw;
use super::{Generate, Generator, Intent, Made, Weights};
use arbitrary::Unstructured;
use reference::kit::outcome::Value;
use reference::toy::Toy;
use reference::toy::syntax::{Program, Sum, Term};

impl Generate for Toy {
    const GENERATOR: Generator<Toy> = program;
}

/// Makes a program from bytes.
fn program(bytes: &mut Unstructured<'_>, _: &Weights) -> Made<Program> {
    let mut draw = Draw::new(bytes);
    let mut program = Program::default();
    let mut bound = Vec::new();
    for _ in 0..draw.below(4) {
        let var = program.names.fresh("n");
        program.params.push(var);
        bound.push(Term::Var(var));
    }
    let input = bound.iter().map(|_| Value::from(draw.word() as i32)).collect();
    for _ in 0..draw.below(8) {
        let sum = sum(&mut draw, &bound);
        let var = program.names.fresh("x");
        program.lets.push((var, sum));
        bound.push(Term::Var(var));
    }
    program.result = sum(&mut draw, &bound);
    Made { program, input, intent: Intent::Runs }
}

fn sum(draw: &mut Draw<'_, '_>, bound: &[Term]) -> Sum {
    let terms = 1 + draw.below(4);
    let term = |_| match draw.chance(30) || bound.is_empty() {
        true => Term::Int((draw.word() >> 1) as i32),
        false => draw.pick(bound),
    };
    (0..terms).map(term).collect()
}
