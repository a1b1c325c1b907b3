//! The shrinker of λG: an expression gives way to one of its parts or to a constant, `on` and regions go, vectors, numbers
//! and inputs become less. What a change makes is read again from its text, and must have a type.

mod passes;
mod walk;

use super::{Effort, Shrink, Shrinking, Shrunk, Size, Subject, Test, numbers};
use reference::kit::derivation::Recorder;
use reference::kit::language::Language;
use reference::kit::outcome::Value;
use reference::lambda_g::syntax::{Kind, Program};
use reference::lambda_g::{LambdaG, types};

impl Shrink for LambdaG {
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
            shrinking.replace_by_parts();
            shrinking.replace_by_constants();
            shrinking.unfold();
            shrinking.shorten_vectors();
            shrinking.remove_regions();
            shrinking.shrink_effects();
            shrinking.reduce_numbers();
            shrinking.shorten_inputs();
            shrinking.reduce_scalars();
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

    /// Expressions.
    fn statements(program: &Program) -> usize {
        walk::count(&program.body)
    }
}

fn fits(program: &Program, input: &[Value]) -> Option<()> {
    LambdaG::fit(program, input.to_vec()).ok().map(drop)
}

impl Subject for Program {
    fn size(&self) -> Size {
        let mut size = Size { statements: 0, weight: 0 };
        let mut body = self.body.clone();
        walk::regions(&mut body, &mut |at| {
            size.weight += 1 + u64::from(at.var.0 > 0) + u64::from(at.world.is_some());
        });
        walk::all(&self.body, &mut |exp| {
            size.statements += 1;
            size.weight += match &exp.kind {
                Kind::Int(k, _) => 1 + numbers::digits((*k).into()),
                Kind::Bool(value) => 1 + u64::from(*value),
                Kind::Var(_) => 1,
                Kind::LetRegion(_, Some(words), _) => 8 + numbers::digits((*words).into()),
                _ => 6,
            };
        });
        size.weight += 10 * self.params.len() as u64;
        size
    }

    fn is_valid(&self) -> bool {
        types::check(self, &mut Recorder::counting()).is_ok()
    }

    fn fit(&mut self, input: &mut Vec<Value>) -> Option<()> {
        *self = LambdaG::parse(&LambdaG::print(self)).ok()?;
        // An input is held against types that are known to be right.
        if !self.is_valid() {
            return None;
        }
        fits(self, input)
    }

    fn without_unused(&self, input: &[Value]) -> Vec<(Self, Vec<Value>)> {
        let (mut program, mut left) = (self.clone(), input.to_vec());
        walk::all_mut(&mut program.body, &mut |exp| {
            if let Kind::Let(var, parts) = &exp.kind
                && walk::uses(&parts[1], *var) == 0
            {
                *exp = parts[1].clone();
            }
        });
        for at in (0..program.params.len()).rev() {
            if walk::uses(&program.body, program.params[at].var) == 0 && at < left.len() {
                program.params.remove(at);
                left.remove(at);
            }
        }
        let smaller = program != *self;
        let smaller = smaller.then_some((program, left));
        // Names of what went are not kept.
        let read = smaller.and_then(|(program, left)| {
            Some((LambdaG::parse(&LambdaG::print(&program)).ok()?, left))
        });
        read.into_iter().collect()
    }
}
