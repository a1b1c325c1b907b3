//! The shrinker of FUN and FUNMEM, which differ in their types only ([`Shrinks`]).

mod cut;
mod dialect;
mod inline;
mod inputs;
mod ranks;
mod remove;
mod simplify;
mod walk;

pub use dialect::Shrinks;

use super::{Effort, Shrink, Shrinking, Shrunk, Size, Subject, Test, numbers};
use reference::fun::syntax::{Atom, Fun, Program};
use reference::funmem::syntax::FunMem;
use reference::kit::outcome::Value;

impl Shrink for Fun {
    fn shrink(
        program: &Program<Fun>,
        input: &[Value],
        test: &mut Test<'_, Program<Fun>>,
        effort: Effort,
    ) -> Shrunk<Program<Fun>> {
        shrink(program, input, test, effort)
    }

    fn resize(program: &Program<Fun>, input: &mut Vec<Value>) -> Option<()> {
        inputs::resize::<Fun>(program, input)
    }

    fn statements(program: &Program<Fun>) -> usize {
        program.body.size()
    }
}

impl Shrink for FunMem {
    fn shrink(
        program: &Program<FunMem>,
        input: &[Value],
        test: &mut Test<'_, Program<FunMem>>,
        effort: Effort,
    ) -> Shrunk<Program<FunMem>> {
        shrink(program, input, test, effort)
    }

    fn resize(program: &Program<FunMem>, input: &mut Vec<Value>) -> Option<()> {
        inputs::resize::<FunMem>(program, input)
    }

    fn statements(program: &Program<FunMem>) -> usize {
        program.body.size()
    }
}

impl<D: Shrinks> Subject for Program<D> {
    fn size(&self) -> Size {
        let mut weight = 4 * self.params.len() as u64;
        walk::each_atom(self, &mut |atom| {
            weight += match atom {
                Atom::Var(_) => 12,
                Atom::Const(k) => 1 + numbers::digits(k.into()),
            };
        });
        Size { statements: self.body.size(), weight }
    }

    fn is_valid(&self) -> bool {
        D::is_well_typed(self)
    }

    fn fit(&mut self, input: &mut Vec<Value>) -> Option<()> {
        inputs::resize::<D>(self, input)
    }

    fn without_unused(&self, input: &[Value]) -> Vec<(Self, Vec<Value>)> {
        let (mut program, mut input) = (self.clone(), input.to_vec());
        let any = walk::remove_unused(&mut program, &mut input);
        any.then_some((program, input)).into_iter().collect()
    }
}

/// Shrinks a program and its input as long as `test` holds of them.
///
/// `test` must hold of what is given, and answer the same every time.
pub fn shrink<D: Shrinks>(
    program: &Program<D>,
    input: &[Value],
    test: &mut Test<'_, Program<D>>,
    effort: Effort,
) -> Shrunk<Program<D>> {
    let mut shrinking = Shrinking::of(program, input, test, effort);
    loop {
        let before = shrinking.size;
        shrinking.cut_results();
        shrinking.remove_unused();
        shrinking.remove_chunks();
        shrinking.inline();
        shrinking.cut_entries();
        shrinking.cut_unused_results();
        shrinking.cut_parameters();
        shrinking.reduce_ranks();
        shrinking.simplify_scalars();
        shrinking.reduce_sizes();
        shrinking.simplify_atoms();
        shrinking.simplify_data();
        if shrinking.size == before || shrinking.is_spent() {
            break;
        }
    }
    shrinking.shrunk(walk::compact)
}
