//! The evaluator: a [`Machine`] that runs the invocations of work groups by small steps, one group after the other,
//! or some of them together.
//!
//! [`step`] has the rules of statements, [`exp`] and [`place`] those of expressions and places,
//! [`group`] makes the steps in the order of a [`Schedule`], and [`launch`] runs the groups.

mod code;
mod exp;
mod group;
mod launch;
mod layout;
mod memory;
mod place;
mod step;
mod values;

use super::arena::{Arena, Region, Where, Words};
use super::host::{self, Code as Launched, Dim, Halt, Machine, Report};
use super::levels::pars;
use super::rules::Rule;
use super::syntax::{Element, Program};
use crate::kit::derivation::Recorder;
use crate::kit::groups::{self, Shadow};
use crate::kit::heap::has_room;
use crate::kit::names::Var;
use crate::kit::outcome::{Broken, Budget, Outcome, Stuck, Unwritten, Value, Why};
pub use crate::kit::schedule::Order;
use crate::kit::schedule::Schedule;
use crate::kit::tap::{Access, Launch, Tap};
use crate::kit::text::Span;
use code::Code;
use layout::Layout;
use memory::Written;
use std::collections::HashMap;

/// Runs a validated program in the evaluator.
pub fn run(
    program: &Program,
    input: &[Value],
    schedule: impl Into<Box<dyn Schedule>>,
    budget: &Budget,
    recorder: &mut Recorder<Rule>,
) -> Outcome {
    run_watched(program, input, schedule, (budget, false), recorder)
}

/// The same, which looks for reads of memory that nothing wrote if that is asked for beside the budget.
pub fn run_watched(
    program: &Program,
    input: &[Value],
    schedule: impl Into<Box<dyn Schedule>>,
    (budget, watches): (&Budget, bool),
    recorder: &mut Recorder<Rule>,
) -> Outcome {
    let mut evaluator = Evaluator::new(program, schedule, budget, recorder).watched(watches);
    host::run(program, input, &mut evaluator, budget)
}

/// What a launch takes besides its statements and the blocks that lie in the arena, in fuel.
const LAUNCH: u64 = 32;

/// The evaluator.
pub struct Evaluator<'p, 'r> {
    layout: Layout<'p>,
    schedule: Box<dyn Schedule>,
    budget: Budget,
    recorder: &'r mut Recorder<Rule>,
    /// What was launched already, by [`Launched`]; kernels, then parallel loops.
    codes: HashMap<u32, Code<'p>>,
    arena: Arena,
    words: Words,
    shadow: Shadow,
    group_shadow: Shadow,
    fuel: u64,
    report: Report,
    /// Statements that the host has come to, and the last of them.
    executed: u64,
    at: Span,
    /// Which words were written, if the run looks for reads of others.
    written: Option<Written>,
}

impl<'p, 'r> Evaluator<'p, 'r> {
    /// A machine with an empty arena.
    pub fn new(
        program: &'p Program,
        schedule: impl Into<Box<dyn Schedule>>,
        budget: &Budget,
        recorder: &'r mut Recorder<Rule>,
    ) -> Self {
        Self {
            layout: Layout::of(program),
            schedule: schedule.into(),
            budget: *budget,
            recorder,
            codes: HashMap::new(),
            arena: Arena::new(),
            words: Words::default(),
            shadow: Shadow::default(),
            group_shadow: Shadow::default(),
            fuel: budget.fuel,
            report: Report::default(),
            executed: 0,
            at: Span::default(),
            written: None,
        }
    }

    /// The same, which looks for reads of memory that nothing wrote, or does not.
    pub fn watched(self, watches: bool) -> Self {
        Self { written: watches.then(Written::default), ..self }
    }

    /// A word is read that nothing wrote.
    fn lacks(&mut self, span: Span, thread: Vec<i32>, at: u32) {
        let Some((base, placed)) = self.arena.around(at) else { return };
        let block = self.layout.program().names.written(placed.block).to_owned();
        let offset = u64::from((at - base) / placed.element.words());
        let read = Unwritten { span, thread, block, offset };
        self.report.unwritten.get_or_insert(read);
    }

    /// The number of what is launched among the codes.
    fn number(&self, launched: Launched) -> u32 {
        match launched {
            Launched::Kernel(k) => k,
            Launched::Par(k) => self.layout.program().kernels.len() as u32 + k,
        }
    }

    /// What is launched, with its names resolved.
    fn code(&mut self, launched: Launched) -> Code<'p> {
        if let Some(code) = self.codes.remove(&self.number(launched)) {
            return code;
        }
        let program = self.layout.program();
        match launched {
            Launched::Kernel(k) => Code::kernel(&self.layout, &program.kernels[k as usize]),
            Launched::Par(k) => {
                let (span, par) = pars(program)[k as usize];
                Code::par(&self.layout, par, span)
            }
        }
    }

    /// Every guard word is as it was.
    fn verify(&self) -> Result<(), Halt> {
        if let Some(at) = self.words.broken(&self.arena) {
            let names = &self.layout.program().names;
            return Err(Halt::Broken(Broken::Guard(self.arena.broken(at, names))));
        }
        Ok(())
    }

    /// Copies words, as if all were read before any is written.
    fn moves(&mut self, from: u32, to: u32, words: u32) -> Result<(), Halt> {
        self.charge(words.into())?;
        self.words.copy(from, to, words).ok_or_else(|| beyond(from.max(to), words))?;
        let (source, target) = (Region::split(from), Region::split(to));
        match (&mut self.written, source, target) {
            (Some(written), (Region::Plain, from), (Region::Plain, to)) => {
                written.copy(from as usize, to as usize, words as usize);
            }
            (Some(written), (Region::Atomic, _), (Region::Plain, to)) => {
                written.write(to as usize, words as usize);
            }
            (Some(_), _, (Region::Atomic, _)) | (None, ..) => {}
        }
        Ok(())
    }

    /// Tells the tap that the recorder carries, with the clock; most carry none.
    fn tells(&mut self, tell: impl FnOnce(&mut dyn Tap, &Arena, u64)) {
        if let Some(tap) = self.recorder.tap() {
            tell(tap, &self.arena, self.executed + self.report.statements);
        }
    }

    /// A copy of so many words, which count as threads (eq. 5): from where to where each of them goes.
    fn tells_copy(&mut self, words: u64, of: impl Fn(u64) -> (u32, u32)) {
        let site = self.at;
        self.tells(|tap, arena, clock| {
            tap.launch(Launch { site, threads: words, group: None, group_words: 0 }, clock);
            let mut next = tap.next_thread(0);
            while next < words {
                let number = next;
                next = tap.next_thread(number + 1);
                tap.thread(number, clock);
                let (from, to) = of(number);
                for (address, writes) in [(from, false), (to, true)] {
                    let (space, block, offset) = arena.offset(address);
                    tap.access(Access { space, block, offset, writes, site }, clock);
                }
            }
            tap.ends(clock);
        });
    }

    fn charge(&mut self, fuel: u64) -> Result<(), Halt> {
        self.fuel = self.fuel.checked_sub(fuel).ok_or(Halt::Unknown(Why::Fuel))?;
        Ok(())
    }
}

/// A host that leaves memory broke.
fn beyond(at: u32, count: u32) -> Halt {
    Halt::Broken(Broken::Panic(format!("{count} words from {at} on are beyond memory")))
}

impl Machine for Evaluator<'_, '_> {
    fn alloc(&mut self, block: (Var, Where), element: Element, words: u64) -> Result<u32, Halt> {
        // Each word has its shadow.
        let each = 4 + groups::BYTES;
        let limit = self.budget.memory / each;
        let Some(base) = self.arena.place(block, element, words, limit) else {
            let bytes = (u64::from(self.arena.words()) + words).saturating_mul(each);
            return Err(Halt::Unknown(Why::Memory(bytes)));
        };
        let bytes = u64::from(self.arena.words()).saturating_mul(each);
        if !has_room(bytes) {
            return Err(Halt::Unknown(Why::Memory(bytes)));
        }
        self.words.fresh(base, words as u32);
        self.tells(|tap, _, clock| tap.alloc(base, words, clock));
        if let (Some(written), (Region::Plain, base)) = (&mut self.written, Region::split(base)) {
            written.fresh(base, words as u32);
            // The record of a launch is zeros where no check fails.
            if block.1 == Where::Apart {
                written.write(base as usize, words as usize);
            }
        }
        Ok(base)
    }

    fn free(&mut self, base: u32) -> Result<(), Halt> {
        self.arena.remove(base);
        self.tells(|tap, _, _| tap.free(base));
        Ok(())
    }

    fn write(&mut self, at: u32, words: &[u32]) -> Result<(), Halt> {
        self.words.write(at, words).ok_or_else(|| beyond(at, words.len() as u32))?;
        self.tells(|tap, arena, _| tap.passes(arena.offset(at).1, true));
        if let (Some(written), (Region::Plain, at)) = (&mut self.written, Region::split(at)) {
            written.write(at as usize, words.len());
        }
        Ok(())
    }

    fn read(&mut self, at: u32, count: u32) -> Result<Vec<u32>, Halt> {
        self.tells(|tap, arena, _| tap.passes(arena.offset(at).1, false));
        self.words.read(at, count).map(<[u32]>::to_vec).ok_or_else(|| beyond(at, count))
    }

    fn copy(&mut self, from: u32, to: u32, words: u32) -> Result<(), Halt> {
        self.tells_copy(words.into(), |at| (from + at as u32, to + at as u32));
        self.moves(from, to, words)
    }

    fn copy_strided(&mut self, dims: &[Dim], from: u32, to: u32) -> Result<(), Halt> {
        self.tells_copy(Dim::words(dims), |number| Dim::moved(dims, number, (from, to)));
        for number in 0..Dim::words(dims) {
            let (from, to) = Dim::moved(dims, number, (from, to));
            self.moves(from, to, 1)?;
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
        self.codes.insert(self.number(launched), code);
        let stuck = stuck?;
        self.verify()?;
        Ok(stuck)
    }

    fn report(&mut self) -> Report {
        self.report.clone()
    }

    fn comes_to(&mut self, span: Span) {
        (self.executed, self.at) = (self.executed + 1, span);
    }

    fn watches(&self) -> bool {
        self.written.is_some()
    }

    fn looks(&mut self, span: Span, at: u32, words: u32) {
        let (Some(written), (Region::Plain, word)) = (&self.written, Region::split(at)) else {
            return;
        };
        if written.lacks(word, words) {
            self.lacks(span, Vec::new(), at);
        }
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
