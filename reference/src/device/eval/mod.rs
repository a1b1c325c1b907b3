//! The evaluator: a [`Machine`] that runs work groups one after the other, and the invocations
//! of a group from barrier to barrier.

mod code;
mod compile;
mod exec;
mod launch;
mod places;
mod typing;

use super::arena::{Arena, GUARD, Where, guard};
use super::host::{self, Code as Launched, Dim, Halt, Machine, Report};
use super::levels::pars;
use super::rules::Rule;
use super::syntax::{Program, Sc};
use super::types::Types;
use crate::kit::derivation::Recorder;
pub use crate::kit::groups::Order;
use crate::kit::groups::{self, Shadow};
use crate::kit::names::Var;
use crate::kit::outcome::{Broken, Budget, Outcome, Stuck, Value, Why};
use code::Code;
use std::collections::HashMap;

/// Runs a validated program in the evaluator.
pub fn run(
    program: &Program,
    input: &[Value],
    order: Order,
    budget: &Budget,
    recorder: &mut Recorder<Rule>,
) -> Outcome {
    let mut evaluator = Evaluator::new(program, order, budget, recorder);
    host::run(program, input, &mut evaluator, budget)
}

/// What a launch takes besides its statements and the blocks that lie in the arena, in fuel.
const LAUNCH: u64 = 32;

/// The evaluator.
pub struct Evaluator<'p, 'r> {
    types: Types<'p>,
    order: Order,
    budget: Budget,
    recorder: &'r mut Recorder<Rule>,
    /// Translated when first launched; kernels, then parallel loops.
    codes: HashMap<u32, Code>,
    arena: Arena,
    words: Vec<u32>,
    shadow: Shadow,
    group_shadow: Shadow,
    fuel: u64,
    launches: u64,
    report: Report,
}

impl<'p, 'r> Evaluator<'p, 'r> {
    /// A machine with an empty arena.
    pub fn new(
        program: &'p Program,
        order: Order,
        budget: &Budget,
        recorder: &'r mut Recorder<Rule>,
    ) -> Self {
        Self {
            types: Types::of(program),
            order,
            budget: *budget,
            recorder,
            codes: HashMap::new(),
            arena: Arena::new(),
            words: Vec::new(),
            shadow: Shadow::default(),
            group_shadow: Shadow::default(),
            fuel: budget.fuel,
            launches: 0,
            report: Report::default(),
        }
    }

    /// Translates what is launched.
    fn code(&mut self, launched: Launched) -> Code {
        let program = self.types.program;
        let number = match launched {
            Launched::Kernel(k) => k,
            Launched::Par(k) => program.kernels.len() as u32 + k,
        };
        if let Some(code) = self.codes.remove(&number) {
            return code;
        }
        match launched {
            Launched::Kernel(k) => compile::kernel(&self.types, &program.kernels[k as usize]),
            Launched::Par(k) => {
                let (span, par) = pars(program)[k as usize];
                compile::par(&self.types, par, span)
            }
        }
    }

    fn keep(&mut self, launched: Launched, code: Code) {
        let number = match launched {
            Launched::Kernel(k) => k,
            Launched::Par(k) => self.types.program.kernels.len() as u32 + k,
        };
        self.codes.insert(number, code);
    }

    /// Every guard word is as it was.
    fn verify(&self) -> Result<(), Halt> {
        for (base, placed) in self.arena.blocks() {
            for at in Arena::guards(base, placed.words) {
                if self.words[at as usize] != guard(at) {
                    let names = &self.types.program.names;
                    return Err(Halt::Broken(Broken::Guard(self.arena.broken(at, names))));
                }
            }
        }
        Ok(())
    }

    fn charge(&mut self, fuel: u64) -> Result<(), Halt> {
        self.fuel = self.fuel.checked_sub(fuel).ok_or(Halt::Unknown(Why::Fuel))?;
        Ok(())
    }

    fn range(&self, at: u32, count: u32) -> Result<std::ops::Range<usize>, Halt> {
        let range = at as usize..at as usize + count as usize;
        if range.end > self.words.len() {
            let text = format!("words {range:?} of an arena of {}", self.words.len());
            return Err(Halt::Broken(Broken::Panic(text)));
        }
        Ok(range)
    }
}

impl Machine for Evaluator<'_, '_> {
    fn alloc(&mut self, block: (Var, Where), element: Sc, words: u64) -> Result<u32, Halt> {
        // Each word has its shadow.
        let each = 4 + groups::BYTES;
        let limit = self.budget.memory / each;
        let Some(base) = self.arena.place(block, element, words, limit) else {
            let bytes = (u64::from(self.arena.words()) + words).saturating_mul(each);
            return Err(Halt::Unknown(Why::Memory(bytes)));
        };
        let end = (base + words as u32 + GUARD) as usize;
        if self.words.len() < end {
            self.words.resize(end, 0);
        }
        self.words[base as usize..][..words as usize].fill(0);
        for at in Arena::guards(base, words as u32) {
            self.words[at as usize] = guard(at);
        }
        Ok(base)
    }

    fn free(&mut self, base: u32) -> Result<(), Halt> {
        self.arena.remove(base);
        Ok(())
    }

    fn write(&mut self, at: u32, words: &[u32]) -> Result<(), Halt> {
        let range = self.range(at, words.len() as u32)?;
        self.words[range].copy_from_slice(words);
        Ok(())
    }

    fn read(&mut self, at: u32, count: u32) -> Result<Vec<u32>, Halt> {
        let range = self.range(at, count)?;
        Ok(self.words[range].to_vec())
    }

    fn copy(&mut self, from: u32, to: u32, words: u32) -> Result<(), Halt> {
        let from = self.range(from, words)?;
        let to = self.range(to, words)?;
        self.charge(words.into())?;
        self.words.copy_within(from, to.start);
        Ok(())
    }

    fn copy_strided(&mut self, dims: &[Dim], from: u32, to: u32) -> Result<(), Halt> {
        for number in 0..Dim::words(dims) {
            let (from, to) = Dim::moved(dims, number, (from, to));
            self.copy(from, to, 1)?;
        }
        Ok(())
    }

    fn launch(
        &mut self,
        launched: Launched,
        invocations: u32,
        args: &[u32],
    ) -> Result<Option<Stuck>, Halt> {
        // What is done for a launch whatever it does: frames are made, guards are verified.
        let around = self.arena.count() as u64 + LAUNCH;
        self.charge(around)?;
        let code = self.code(launched);
        let stuck = self.grid(&code, invocations, args);
        self.keep(launched, code);
        let stuck = stuck?;
        self.verify()?;
        Ok(stuck)
    }

    fn report(&mut self) -> Report {
        self.report.clone()
    }

    fn enter(&mut self, rule: Rule, subject: &dyn Fn() -> String) {
        self.recorder.enter(rule, subject);
    }

    fn leave(&mut self) {
        self.recorder.leave(String::new);
    }

    fn fail(&mut self, rule: Rule, premise: &'static str) {
        self.recorder.fail(rule, premise);
    }
}
