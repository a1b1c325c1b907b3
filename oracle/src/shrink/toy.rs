//! The shrinker of the toy language: bindings, terms and inputs go one by one.

use super::{Effort, Shrink, Shrunk, Test};
use reference::kit::derivation::Recorder;
use reference::kit::outcome::Value;
use reference::toy::Toy;
use reference::toy::eval::check;
use reference::toy::syntax::{Program, Term};

impl Shrink for Toy {
    fn shrink(
        program: &Program,
        input: &[Value],
        test: &mut Test<'_, Program>,
        effort: Effort,
    ) -> Shrunk<Program> {
        let (program, input) = (program.clone(), input.to_vec());
        let mut shrunk = Shrunk { program, input, steps: 0, tests: 0 };
        'smaller: loop {
            for (program, input) in candidates(&shrunk.program, &shrunk.input) {
                if shrunk.tests == effort.tests {
                    return shrunk;
                }
                if !effort.ill_typed && check(&program, &mut Recorder::counting()).is_err() {
                    continue;
                }
                shrunk.tests += 1;
                if test(&program, &input) {
                    let (steps, tests) = (shrunk.steps + 1, shrunk.tests);
                    shrunk = Shrunk { program, input, steps, tests };
                    continue 'smaller;
                }
            }
            return shrunk;
        }
    }

    fn resize(_: &Program, _: &mut Vec<Value>) -> Option<()> {
        Some(())
    }

    fn statements(program: &Program) -> usize {
        program.lets.len()
    }
}

/// Programs with a binding, a parameter or a term less, some of which are ill typed.
fn candidates(program: &Program, input: &[Value]) -> Vec<(Program, Vec<Value>)> {
    let mut smaller = Vec::new();
    for at in 0..program.lets.len() {
        let mut program = program.clone();
        program.lets.remove(at);
        smaller.push((program, input.to_vec()));
    }
    for at in 0..program.params.len() {
        let (mut program, mut input) = (program.clone(), input.to_vec());
        program.params.remove(at);
        input.remove(at);
        smaller.push((program, input));
    }
    for at in 0..=program.lets.len() {
        let sum = program.lets.get(at).map_or(&program.result, |(_, sum)| sum);
        for term in 0..sum.len() {
            let mut sum = sum.clone();
            match sum.len() {
                1 if sum[0] == Term::Int(0) => continue,
                1 => sum[0] = Term::Int(0),
                _ => drop(sum.remove(term)),
            }
            let mut program = program.clone();
            *program.lets.get_mut(at).map_or(&mut program.result, |(_, sum)| sum) = sum;
            smaller.push((program, input.to_vec()));
        }
    }
    smaller
}
