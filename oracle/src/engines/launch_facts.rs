//! The evaluator of the device language with kernels of which checks are eliminated by the facts of each
//! launch, as in the fast forms that devices are handed: it judges the pass without a shader.

use crate::engine::Case;
use compiler::pass::eliminate_checks::Facts;
use compiler::route::KernelOptions;
use compiler::run::forms::Forms;
use reference::device::arena::Where;
use reference::device::eval::{Evaluator, Order};
use reference::device::host::{self, Code, Dim, Halt, Machine, Report};
use reference::device::syntax::{Element, Program};
use reference::kit::derivation::Recorder;
use reference::kit::names::Var;
use reference::kit::outcome::{Outcome, Stuck};

/// A launch of a kernel.
#[derive(Clone, Debug)]
pub struct Launched {
    /// The number of the kernel.
    pub number: u32,
    /// How many invocations there are.
    pub invocations: u32,
    /// The words of the arguments.
    pub args: Vec<u32>,
}

/// The end of a program of the stage in which all checks stand in the kernels, and its launches.
pub fn launches(program: &Program, case: &Case) -> (Outcome, Vec<Launched>) {
    let mut recorder = Recorder::counting();
    let inner = Evaluator::new(program, Order::InOrder, &case.budget, &mut recorder);
    let mut machine = Watched { inner, launched: Vec::new(), replaced: None };
    let outcome = host::run(program, &case.input, &mut machine, &case.budget);
    (outcome, machine.launched)
}

/// Runs a program of that stage with a kernel made for each of its launches.
pub fn run(program: &Program, case: &Case, options: KernelOptions) -> Outcome {
    let forms = Forms::of(program, options);
    let mut with_made = forms.inlined().clone();
    let mut known: Vec<Made> = Vec::new();
    for Launched { number, invocations, args } in launches(program, case).1 {
        let facts = Facts::of(
            &program.kernels[number as usize],
            program.kernels[number as usize].group,
            invocations,
            &args,
        );
        if known.iter().any(|made| made.of == number && made.facts == facts) {
            continue;
        }
        let kernel = forms.eliminated(number as usize, &facts);
        known.push(Made { of: number, facts, kernel: with_made.kernels.len() as u32 });
        with_made.kernels.push(kernel);
    }
    let mut recorder = Recorder::counting();
    let inner = Evaluator::new(&with_made, Order::InOrder, &case.budget, &mut recorder);
    let replaced = Some((program, known.as_slice()));
    let mut machine = Watched { inner, launched: Vec::new(), replaced };
    host::run(program, &case.input, &mut machine, &case.budget)
}

/// A kernel made for launches of these facts.
struct Made {
    /// The number of the kernel that it is made of.
    of: u32,
    facts: Facts,
    /// Its number.
    kernel: u32,
}

/// An evaluator that notes launches, or launches kernels that were made for them.
struct Watched<'l, 'p, 'r> {
    inner: Evaluator<'p, 'r>,
    launched: Vec<Launched>,
    replaced: Option<(&'l Program, &'l [Made])>,
}

impl Machine for Watched<'_, '_, '_> {
    fn alloc(&mut self, block: (Var, Where), element: Element, words: u64) -> Result<u32, Halt> {
        self.inner.alloc(block, element, words)
    }

    fn free(&mut self, base: u32) -> Result<(), Halt> {
        self.inner.free(base)
    }

    fn write(&mut self, at: u32, words: &[u32]) -> Result<(), Halt> {
        self.inner.write(at, words)
    }

    fn read(&mut self, at: u32, count: u32) -> Result<Vec<u32>, Halt> {
        self.inner.read(at, count)
    }

    fn copy(&mut self, from: u32, to: u32, words: u32) -> Result<(), Halt> {
        self.inner.copy(from, to, words)
    }

    fn copy_strided(&mut self, dims: &[Dim], from: u32, to: u32) -> Result<(), Halt> {
        self.inner.copy_strided(dims, from, to)
    }

    fn launch(
        &mut self,
        code: Code,
        invocations: u32,
        args: &[u32],
    ) -> Result<Option<Stuck>, Halt> {
        let Code::Kernel(number) = code else { return self.inner.launch(code, invocations, args) };
        let kernel = match self.replaced {
            None => {
                self.launched.push(Launched { number, invocations, args: args.to_vec() });
                number
            }
            Some((program, known)) => {
                let facts = Facts::of(
                    &program.kernels[number as usize],
                    program.kernels[number as usize].group,
                    invocations,
                    args,
                );
                let made = known.iter().find(|made| made.of == number && made.facts == facts);
                // A pass that is wrong may lead the program to another launch.
                made.map_or(number, |made| made.kernel)
            }
        };
        self.inner.launch(Code::Kernel(kernel), invocations, args)
    }

    fn report(&mut self) -> Report {
        self.inner.report()
    }
}
