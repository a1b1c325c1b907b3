//! The shrinker: from a program and an input that show something to small ones that still show
//! it. Typed: every candidate is type-checked before it is tested, but where what is shown is that it is ill typed.
//!
//! Passes are ordered by how much they take away and repeated until none helps. A candidate is
//! taken only if it is smaller ([`Size`]), so shrinking ends; nothing is drawn at random, so it
//! is the same again. What holds of every language is here, in `data` and in `numbers`; FUN and
//! FUNMEM share the folder `fun`.

mod axes;
mod data;
mod device;
mod fcl;
mod fun;
mod imp;
mod lambda_g;
mod minias;
mod numbers;
mod sycl;
#[cfg(feature = "toy")]
mod toy;

pub use device::{ShrunkDevice, shrink_device};
pub use fun::{Shrinks, shrink};

use crate::language::{Artifact, Listed};
use reference::kit::outcome::Value;
use reference::with;

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
            size.weight += data::weight(value);
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
    /// The program without what is not used, and the input without the values of such parameters;
    /// none if all is used. Where there are several they lose less and less.
    fn without_unused(&self, input: &[Value]) -> Vec<(Self, Vec<Value>)>;
}

/// What a shrinker may use.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How many candidates are tested.
    pub tests: usize,
    /// How many candidates are made, most of which are ill typed and never tested.
    pub candidates: usize,
    /// Are candidates tested too that are not well typed? They are where this is what is wrong.
    pub ill_typed: bool,
}

impl Default for Effort {
    fn default() -> Self {
        Self { tests: 4_000, candidates: 60_000, ill_typed: false }
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

/// The shrinker of a language.
pub trait Shrink: Listed {
    /// Shrinks a program and its input as long as `test` holds of them.
    fn shrink(
        program: &Self::Program,
        input: &[Value],
        test: &mut Test<'_, Self::Program>,
        effort: Effort,
    ) -> Shrunk<Self::Program>;

    /// Brings the arrays of an input to the sizes of the parameters; `None` if that cannot be.
    fn resize(program: &Self::Program, input: &mut Vec<Value>) -> Option<()>;

    /// How many statements the program has.
    fn statements(program: &Self::Program) -> usize {
        Self::print(program).lines().count()
    }
}

/// Shrinks a program of any language and its input as long as `test` holds of them.
pub fn artifact(
    program: &Artifact,
    input: &[Value],
    test: &mut dyn FnMut(Artifact, &[Value]) -> bool,
    effort: Effort,
) -> Shrunk<Artifact> {
    with!(program, |L, program| {
        let mut typed = |program: &_, input: &[_]| test(L::artifact(Clone::clone(program)), input);
        let Shrunk { program, input, steps, tests } = L::shrink(program, input, &mut typed, effort);
        Shrunk { program: L::artifact(program), input, steps, tests }
    })
}

/// The input with its arrays in the sizes of the parameters; `None` if none is like it.
pub fn fitted(program: &Artifact, mut input: Vec<Value>) -> Option<Vec<Value>> {
    with!(program, |L, program| L::resize(program, &mut input))?;
    program.fit(input).ok()
}

/// How many statements a program of any language has.
pub fn statements(program: &Artifact) -> usize {
    with!(program, |L, program| L::statements(program))
}

/// What is still shown by a program and its input.
pub type Test<'t, P> = dyn FnMut(&P, &[Value]) -> bool + 't;

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
        let smaller = program.without_unused(&input);
        smaller.into_iter().any(|(program, input)| self.take(program, input))
            || self.take(program, input)
    }

    /// Takes the candidate, as it is, on the same conditions.
    fn take(&mut self, program: P, input: Vec<Value>) -> bool {
        let size = Size::of(&program, &input);
        if size >= self.size || self.is_spent() {
            return false;
        }
        self.candidates += 1;
        if !self.effort.ill_typed && !program.is_valid() {
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

    /// Takes out what is not used.
    fn remove_unused(&mut self) {
        let smaller = self.program.without_unused(&self.input);
        let _ = smaller.into_iter().any(|(program, input)| self.take(program, input));
    }
}
