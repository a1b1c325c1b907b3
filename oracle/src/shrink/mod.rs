//! The shrinker: from a program and an input that show something to small ones that still show
//! it. Typed: every candidate is type-checked before it is tested.
//!
//! Passes are ordered by how much they take away and repeated until none helps. A candidate is
//! taken only if it is smaller ([`Size`]), so shrinking ends; nothing is drawn at random, so it
//! is the same again.

mod cut;
mod dialect;
mod inline;
mod inputs;
mod ranks;
mod remove;
mod simplify;
mod walk;

pub use dialect::Shrinks;

use remove::Stand;

use reference::fun::syntax::{Atom, Program};
use reference::kit::outcome::Value;

/// What a program is measured by: first its statements, then everything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    /// Statements, those of inner bodies included.
    pub statements: usize,
    /// Names, constants by their digits, parameters, and values of the input.
    pub weight: u64,
}

impl Size {
    /// The size of a program with its input.
    pub fn of<D: Shrinks>(program: &Program<D>, input: &[Value]) -> Self {
        let mut weight = 4 * program.params.len() as u64;
        walk::each_atom(program, &mut |atom| {
            weight += match atom {
                Atom::Var(_) => 12,
                Atom::Const(k) => 1 + digits(k),
            };
        });
        for value in input {
            weight += match value {
                Value::Int(k) => 1 + digits(*k),
                Value::Array { data, .. } => {
                    data.iter().map(|k| 1 + digits(*k).min(4)).sum::<u64>()
                }
            };
        }
        Self { statements: program.body.size(), weight }
    }
}

/// How much a constant weighs: 1 weighs least, then 0, then the short ones.
fn digits(k: i32) -> u64 {
    match k {
        1 => 0,
        0 => 1,
        k if k < 0 => 3 + u64::from(k.unsigned_abs().ilog2()),
        k => 2 + u64::from(k.ilog2()),
    }
}

/// What a shrinker may use.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How many candidates are tested.
    pub tests: usize,
    /// How many candidates are made, most of which are ill typed and never tested.
    pub candidates: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Self { tests: 4_000, candidates: 60_000 }
    }
}

/// A program that still shows it, and how it came about.
#[derive(Clone, Debug)]
pub struct Shrunk<D: Shrinks> {
    /// The program.
    pub program: Program<D>,
    /// Its input.
    pub input: Vec<Value>,
    /// How many candidates were taken.
    pub steps: usize,
    /// How many were tested.
    pub tests: usize,
}

/// Shrinks a program and its input as long as `test` holds of them.
///
/// `test` must hold of what is given, and answer the same every time.
pub fn shrink<D: Shrinks>(
    program: &Program<D>,
    input: &[Value],
    test: &mut dyn FnMut(&Program<D>, &[Value]) -> bool,
    effort: Effort,
) -> Shrunk<D> {
    let mut shrinking = Shrinking {
        size: Size::of(program, input),
        program: program.clone(),
        input: input.to_vec(),
        test,
        effort,
        tests: 0,
        candidates: 0,
        steps: 0,
    };
    loop {
        let before = shrinking.size;
        shrinking.cut_results();
        shrinking.sweep();
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
    Shrunk {
        program: walk::compact(shrinking.program),
        input: shrinking.input,
        steps: shrinking.steps,
        tests: shrinking.tests,
    }
}

/// A program that is being shrunk.
struct Shrinking<'t, D: Shrinks> {
    program: Program<D>,
    input: Vec<Value>,
    size: Size,
    test: &'t mut dyn FnMut(&Program<D>, &[Value]) -> bool,
    effort: Effort,
    tests: usize,
    candidates: usize,
    steps: usize,
}

impl<D: Shrinks> Shrinking<'_, D> {
    fn is_spent(&self) -> bool {
        self.tests >= self.effort.tests || self.candidates >= self.effort.candidates
    }

    /// Takes the candidate if it is smaller, well typed, and still shows it; first without what
    /// became useless by it. The input is brought to the sizes of the parameters.
    fn attempt(&mut self, program: Program<D>, mut input: Vec<Value>) -> bool {
        if inputs::resize::<D>(&program, &mut input).is_none() {
            return false;
        }
        let mut swept = program.clone();
        let mut swept_input = input.clone();
        if walk::sweep(&mut swept, &mut swept_input) && self.take(swept, swept_input) {
            return true;
        }
        self.take(program, input)
    }

    /// Takes the candidate, as it is, on the same conditions.
    fn take(&mut self, program: Program<D>, input: Vec<Value>) -> bool {
        let size = Size::of(&program, &input);
        if size >= self.size || self.is_spent() {
            return false;
        }
        self.candidates += 1;
        if !D::is_well_typed(&program) {
            return false;
        }
        self.tests += 1;
        if !(self.test)(&program, &input) {
            return false;
        }
        self.steps += 1;
        self.size = size;
        self.program = program;
        self.input = input;
        true
    }

    /// Takes out what nobody uses.
    fn sweep(&mut self) {
        let (mut program, mut input) = (self.program.clone(), self.input.clone());
        if walk::sweep(&mut program, &mut input) {
            self.take(program, input);
        }
    }
}
