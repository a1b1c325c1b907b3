//! The shrinker: from a program and an input that show something to small ones that still show
//! it. Typed: every candidate is type-checked before it is tested.
//!
//! Passes are ordered by how much they take away and repeated until none helps. A candidate is
//! taken only if it is smaller ([`Size`]), so shrinking ends; nothing is drawn at random, so it
//! is the same again. What holds of every language is here, in `data` and in `numbers`; FUN and
//! FUNMEM share their passes, and the device language has a folder of its own.

mod cut;
mod data;
mod device;
mod dialect;
mod inline;
mod inputs;
mod numbers;
mod ranks;
mod remove;
mod simplify;
mod walk;

pub use device::{ShrunkDevice, shrink_device};
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
    pub fn of<P: Subject>(program: &P, input: &[Value]) -> Self {
        let mut size = program.size();
        for value in input {
            size.weight += match value {
                Value::Int(k) => 1 + numbers::digits((*k).into()),
                Value::Array { data, .. } => {
                    data.iter().map(|k| 1 + numbers::digits((*k).into()).min(4)).sum::<u64>()
                }
            };
        }
        size
    }
}

/// A program that can be made smaller.
pub trait Subject: Clone {
    /// What it is measured by, the input aside.
    fn size(&self) -> Size;
    /// Is it well typed? Every candidate is asked before it is tested.
    fn is_valid(&self) -> bool;
    /// Makes it a program that a text can be, and brings the input to the sizes of the parameters;
    /// `None` if that cannot be.
    fn fit(&mut self, input: &mut Vec<Value>) -> Option<()>;
    /// The program without what nobody uses, and the input without the values of such parameters;
    /// none if all is used. Where there are several they lose less and less.
    fn swept(&self, input: &[Value]) -> Vec<(Self, Vec<Value>)>;
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

    fn swept(&self, input: &[Value]) -> Vec<(Self, Vec<Value>)> {
        let (mut program, mut input) = (self.clone(), input.to_vec());
        let any = walk::sweep(&mut program, &mut input);
        any.then_some((program, input)).into_iter().collect()
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
pub struct Shrunk<P> {
    /// The program.
    pub program: P,
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
) -> Shrunk<Program<D>> {
    let mut shrinking = Shrinking::of(program, input, test, effort);
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
    shrinking.shrunk(walk::compact)
}

/// What is still shown by a program and its input.
type Test<'t, P> = dyn FnMut(&P, &[Value]) -> bool + 't;

/// A program that is being shrunk.
struct Shrinking<'t, P> {
    program: P,
    input: Vec<Value>,
    size: Size,
    test: &'t mut Test<'t, P>,
    effort: Effort,
    tests: usize,
    candidates: usize,
    steps: usize,
}

impl<'t, P: Subject> Shrinking<'t, P> {
    fn of(program: &P, input: &[Value], test: &'t mut Test<'t, P>, effort: Effort) -> Self {
        Self {
            size: Size::of(program, input),
            program: program.clone(),
            input: input.to_vec(),
            test,
            effort,
            tests: 0,
            candidates: 0,
            steps: 0,
        }
    }

    /// What is left, with only the names that it needs.
    fn shrunk(self, compact: impl FnOnce(P) -> P) -> Shrunk<P> {
        let Self { program, input, steps, tests, .. } = self;
        Shrunk { program: compact(program), input, steps, tests }
    }

    fn is_spent(&self) -> bool {
        self.tests >= self.effort.tests || self.candidates >= self.effort.candidates
    }

    /// Takes the candidate if it is smaller, well typed, and still shows it; first without what
    /// became useless by it. The input is brought to the sizes of the parameters.
    fn attempt(&mut self, mut program: P, mut input: Vec<Value>) -> bool {
        if program.fit(&mut input).is_none() {
            return false;
        }
        let swept = program.swept(&input);
        swept.into_iter().any(|(program, input)| self.take(program, input))
            || self.take(program, input)
    }

    /// Takes the candidate, as it is, on the same conditions.
    fn take(&mut self, program: P, input: Vec<Value>) -> bool {
        let size = Size::of(&program, &input);
        if size >= self.size || self.is_spent() {
            return false;
        }
        self.candidates += 1;
        if !program.is_valid() {
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
        let swept = self.program.swept(&self.input);
        let _ = swept.into_iter().any(|(program, input)| self.take(program, input));
    }
}
