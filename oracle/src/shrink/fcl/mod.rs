//! The shrinker of FCL: an expression gives way to one of its parts or to a constant, bindings and
//! definitions are unfolded, numbers and inputs become less.

mod passes;
mod walk;

use super::{Effort, Shrink, Shrinking, Shrunk, Size, Subject, Test, numbers};
use reference::fcl::syntax::{Exp, Kind, Program, Type};
use reference::fcl::{Fcl, types};
use reference::kit::derivation::Recorder;
use reference::kit::language::Language;
use reference::kit::names::Var;
use reference::kit::outcome::{Scalar, Value};
use std::collections::BTreeSet;

impl Shrink for Fcl {
    fn shrink(
        program: &Program,
        input: &[Value],
        test: &mut Test<'_, Program>,
        effort: Effort,
    ) -> Shrunk<Program> {
        let mut shrinking = Shrinking::of(program, input, test, effort);
        loop {
            let before = shrinking.size;
            shrinking.remove_unused();
            shrinking.unfold();
            shrinking.replace_by_parts();
            shrinking.shorten_literals();
            shrinking.replace_by_constants();
            shrinking.lower_levels();
            shrinking.shorten_inputs();
            shrinking.reduce_scalars();
            shrinking.reduce_numbers();
            shrinking.simplify_data();
            if shrinking.size == before || shrinking.is_spent() {
                break;
            }
        }
        shrinking.shrunk(|program| program)
    }

    fn resize(program: &Program, input: &mut Vec<Value>) -> Option<()> {
        fits(program, input)
    }

    /// Definitions and bindings.
    fn statements(program: &Program) -> usize {
        let mut bindings = program.defs.iter().filter(|def| !def.prelude).count();
        walk::all(program, &mut |exp| {
            bindings += usize::from(matches!(exp.kind, Kind::Let(_)));
        });
        bindings
    }
}

/// Arrays are of any length, so an input fits or does not: a parameter may have another type than before.
fn fits(program: &Program, input: &[Value]) -> Option<()> {
    Fcl::fit(program, input.to_vec()).ok().map(drop)
}

impl Subject for Program {
    /// Statements are expressions here.
    fn size(&self) -> Size {
        let mut size = Size { statements: 0, weight: 0 };
        walk::all(self, &mut |exp| {
            size.statements += 1;
            size.weight += match &exp.kind {
                Kind::Int(k) => 1 + numbers::digits((*k).into()),
                Kind::Double(x) => 1 + numbers::weight(Scalar::F64(*x)),
                Kind::LevelApp(_, level) => 1 + u64::from(level.succs),
                _ => 6,
            };
        });
        size.weight += 10 * self.defs.iter().filter(|def| !def.prelude).count() as u64;
        size
    }

    fn is_valid(&self) -> bool {
        types::infer(self, &mut Recorder::counting()).is_ok()
    }

    fn fit(&mut self, input: &mut Vec<Value>) -> Option<()> {
        fits(self, input)
    }

    fn without_unused(&self, input: &[Value]) -> Vec<(Self, Vec<Value>)> {
        let Some(main) = self.main().map(|def| def.name) else { return Vec::new() };
        let (mut program, mut left) = (self.clone(), input.to_vec());
        program.keep_used(main);
        program.drop_parameters(main, &mut left);
        let smaller = program != *self;
        smaller.then_some((program, left)).into_iter().collect()
    }
}

/// What shrinking takes out of a program.
trait Cut {
    /// Takes out the definitions that `main` does not use.
    fn keep_used(&mut self, main: Var);
    /// Takes out the parameters that are not used, with their values.
    fn drop_parameters(&mut self, main: Var, input: &mut Vec<Value>);
}

impl Cut for Program {
    fn keep_used(&mut self, main: Var) {
        let mut used = BTreeSet::from([main]);
        for def in self.defs.iter().rev().filter(|def| def.name == main || !def.prelude) {
            if used.contains(&def.name) {
                def.body.walk(&mut |exp| {
                    if let Kind::Var(var) = exp.kind {
                        used.insert(var);
                    }
                });
            }
        }
        self.defs.retain(|def| def.prelude || used.contains(&def.name));
    }

    fn drop_parameters(&mut self, main: Var, input: &mut Vec<Value>) {
        let Some(def) = self.defs.iter_mut().find(|def| def.name == main) else { return };
        let (mut count, mut at) = (0, &def.body);
        while let Kind::Fn(_, body) = &at.kind {
            (count, at) = (count + 1, body);
        }
        // A pair takes two values: which ones is not known here.
        if count != input.len() {
            return;
        }
        let (mut number, mut exp) = (0, &mut def.body);
        while let Kind::Fn(var, body) = &mut exp.kind {
            if walk::uses(body, *var) == 0 {
                *exp = std::mem::replace(
                    &mut **body,
                    Exp { span: Default::default(), kind: Kind::Int(0) },
                );
                input.remove(number);
                if let Some(sig) = &mut def.sig {
                    without_parameter(&mut sig.ty, number);
                }
                continue;
            }
            number += 1;
            let Kind::Fn(_, body) = &mut exp.kind else { unreachable!("it was one") };
            exp = body;
        }
    }
}

/// The type of a function without its parameter of this number.
fn without_parameter(ty: &mut Type, number: usize) {
    let Type::Fn(parts) = ty else { return };
    match number {
        0 => *ty = parts[1].clone(),
        _ => without_parameter(&mut parts[1], number - 1),
    }
}
