//! The shrinker of IMP, on the principles of the one of FUN: every candidate is type-checked before it is
//! tested, and taken only if it is smaller.

mod passes;
mod walk;

use super::{Effort, Shrink, Shrinking, Shrunk, Size, Subject, Test, data, numbers};
use reference::fun::syntax::{Atom, Se};
use reference::imp::Imp;
use reference::imp::syntax::{Kind, Output, Program};
use reference::imp::types;
use reference::kit::derivation::Recorder;
use reference::kit::outcome::Value;
use reference::kit::value::ScalarType;

impl Shrink for Imp {
    fn shrink(
        program: &Program,
        input: &[Value],
        test: &mut Test<'_, Program>,
        effort: Effort,
    ) -> Shrunk<Program> {
        let mut shrinking = Shrinking::of(program, input, test, effort);
        loop {
            let before = shrinking.size;
            shrinking.cut_results();
            shrinking.remove_unused();
            shrinking.remove_statements();
            shrinking.unwrap_bodies();
            shrinking.cut_parameters();
            shrinking.simplify_expressions();
            shrinking.reduce_scalars();
            shrinking.reduce_constants();
            shrinking.simplify_data();
            if shrinking.size == before || shrinking.is_spent() {
                break;
            }
        }
        shrinking.shrunk(|program| program)
    }

    fn resize(program: &Program, input: &mut Vec<Value>) -> Option<()> {
        resize(program, input)
    }

    fn statements(program: &Program) -> usize {
        walk::statements(&program.body)
    }
}

impl Subject for Program {
    fn size(&self) -> Size {
        let mut weight = 4 * self.params.len() as u64 + 2 * self.results.len() as u64;
        let mut atom = |atom: &Atom| {
            weight += match atom {
                Atom::Var(_) => 6,
                Atom::Const(k) => 1 + numbers::digits((*k).into()),
            }
        };
        let mut program = self.clone();
        walk::expressions(&mut program, &mut |se| each_atom(se, &mut atom));
        walk::atoms(&mut program, &mut |one| atom(one));
        Size { statements: walk::statements(&self.body), weight }
    }

    fn is_valid(&self) -> bool {
        types::check(self, &mut Recorder::counting()).is_ok()
    }

    fn fit(&mut self, input: &mut Vec<Value>) -> Option<()> {
        resize(self, input)
    }

    fn without_unused(&self, input: &[Value]) -> Vec<(Self, Vec<Value>)> {
        let mut uses = vec![0; self.names.len()];
        let mut program = self.clone();
        walk::names(&mut program, &mut |var| uses[var.slot()] += 1);
        let mut any = false;
        walk::bodies(&mut program.body, &mut |body| {
            let before = body.len();
            body.retain(|stm| match stm.kind {
                // A declaration is a use of its own.
                Kind::Var(var, _) => uses[var.slot()] > 1,
                _ => true,
            });
            any |= body.len() < before;
        });
        let mut left = input.to_vec();
        for at in (0..program.params.len()).rev() {
            if uses[program.params[at].var.slot()] == 1 && program.params.len() == left.len() {
                program.params.remove(at);
                left.remove(at);
                any = true;
            }
        }
        any.then_some((program, left)).into_iter().collect()
    }
}

/// Brings each array of the input to the sizes of its parameter. `None` if a size is negative or not known.
fn resize(program: &Program, input: &mut Vec<Value>) -> Option<()> {
    let mut known: Vec<Option<i32>> = vec![None; program.names.len()];
    for (at, param) in program.params.iter().enumerate() {
        match &param.shape {
            None => known[param.var.slot()] = input.get(at).and_then(Value::as_int),
            Some(shape) => {
                let extent = |size: &Atom| {
                    let k = match size {
                        Atom::Const(k) => Some(*k),
                        Atom::Var(var) => known[var.slot()],
                    };
                    k.and_then(|k| usize::try_from(k).ok())
                };
                let wanted = shape.iter().map(extent).collect::<Option<_>>()?;
                data::resize(input, at, ScalarType::I32, wanted)?;
            }
        }
    }
    Some(())
}

/// Calls `each` for every name and number of an expression.
fn each_atom(se: &Se, each: &mut dyn FnMut(&Atom)) {
    match se {
        Se::Atom(atom) => each(atom),
        Se::Bin(_, parts) => parts.iter().for_each(|part| each_atom(part, each)),
    }
}

/// Is the result an array?
fn is_array(output: &Output) -> bool {
    matches!(output, Output::Array { .. })
}
