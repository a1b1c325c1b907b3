//! The shrinker of programs of the device language, on the principles of the one beside it: every
//! candidate is validated before it is tested, and taken only if it is smaller.
//!
//! The host loses statements first, and with its launches go kernels. Then kernels and functions
//! lose theirs; what is left is put in the place of what holds it; what names, parameters and
//! expressions are left become plain.

mod code;
mod dead_code;
mod forward;
mod inline;
mod measure;
mod params;
mod placeholder;
mod remove;
mod simplify;
mod sizes;
#[cfg(test)]
mod tests;
mod unwrap;

use super::{Effort, Shrink, Shrinking, Shrunk, Size, Subject, Test};
use dead_code::Dead;
use reference::device::Device;
use reference::device::syntax::{Host, Kind, Program};
use reference::device::validate;
use reference::kit::derivation::Recorder;
use reference::kit::outcome::Value;

/// A program of the device language that still shows it, and how it came about.
pub type ShrunkDevice = Shrunk<Program>;

impl Subject for Program {
    fn size(&self) -> Size {
        measure::size(self)
    }

    fn is_valid(&self) -> bool {
        validate::check(self, &mut Recorder::counting()).is_ok()
    }

    fn fit(&mut self, input: &mut Vec<Value>) -> Option<()> {
        // In a text each site has a check.
        dead_code::sites(self);
        sizes::resize(self, input)
    }

    fn without_unused(&self, input: &[Value]) -> Vec<(Self, Vec<Value>)> {
        // What is not used may be what gets stuck.
        let smaller = [Dead::All, Dead::Passed, Dead::Declared].map(|what| {
            let (mut program, mut input) = (self.clone(), input.to_vec());
            let any = dead_code::remove_dead(&mut program, &mut input, what);
            any.then_some((program, input))
        });
        let mut smaller: Vec<_> = smaller.into_iter().flatten().collect();
        smaller.dedup();
        smaller
    }
}

impl Shrink for Device {
    fn shrink(
        program: &Program,
        input: &[Value],
        test: &mut Test<'_, Program>,
        effort: Effort,
    ) -> Shrunk<Program> {
        shrink_device(program, input, test, effort)
    }

    fn resize(program: &Program, input: &mut Vec<Value>) -> Option<()> {
        sizes::resize(program, input)
    }

    fn statements(program: &Program) -> usize {
        Size::of(program, &[]).statements
    }
}

/// Shrinks a program of the device language and its input as long as `test` holds of them.
///
/// The program must be valid; `test` must hold of what is given, and answer the same every time.
pub fn shrink_device(
    program: &Program,
    input: &[Value],
    test: &mut Test<'_, Program>,
    effort: Effort,
) -> ShrunkDevice {
    let mut shrinking = Shrinking::of(program, input, test, effort);
    loop {
        let before = shrinking.size;
        shrinking.cut_results();
        shrinking.remove_unused();
        shrinking.cut_declared();
        shrinking.remove_chunks::<Host>();
        shrinking.remove_chunks::<Kind>();
        shrinking.inline::<Host>();
        shrinking.inline::<Kind>();
        shrinking.cut_carried::<Host>();
        shrinking.cut_carried::<Kind>();
        shrinking.cut_variables();
        shrinking.cut_fields();
        shrinking.unwrap();
        shrinking.cut_records();
        shrinking.cut_arguments();
        shrinking.cut_params();
        shrinking.forward_stores();
        shrinking.inline_lets::<Host>();
        shrinking.inline_lets::<Kind>();
        shrinking.simplify_statements();
        shrinking.simplify_exps();
        shrinking.cut_dimensions();
        shrinking.reduce_sizes();
        shrinking.simplify_data();
        if shrinking.size == before || shrinking.is_spent() {
            break;
        }
    }
    shrinking.shrunk(dead_code::compact)
}
