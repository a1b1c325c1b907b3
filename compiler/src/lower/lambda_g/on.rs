//! `on`, as the host does it: push, run and merge (figs. 4 and 6, def. 4.3).
//!
//! All of them share one state. Its caller has marked the regions that are pushed, and has put what the body begins with
//! onto the stack of the serial kernel.

use super::closures::needs_older;
use super::code::{self, COUNTS, Item, WORDS, add, eq, lt, mul, ne, sub};
use super::kernels::{DONE, Given, MARKS, THREAD_WORDS};
use super::machine::{
    BASE, COPY, DEVICE_ROW, FAILED, FROM, GAVE_UP, HELD, Machine, PHASE, PUSHED, Reg, SIZE, UP_TO,
    USED, WAS_FULL, in_a_row,
};
use super::{MOST_REGIONS, ROOM, Start, Task};
use reference::device::syntax::{Check, Exp, Host, I32, Launch, Ty};
use reference::kit::faults::WrongLambdaG;
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;
use reference::lambda_g::syntax::{Exp as Source, Region};
use reference::lambda_g::types::Pushes;

/// The blocks of the host that the kernels work on.
#[derive(Clone)]
pub(super) struct Shared {
    /// First cell and size of each copy.
    table: Exp,
    /// The memory of all copies; assigned for each `on`.
    heap: Exp,
    /// What is used of it.
    used: Exp,
    /// The stack of the serial kernel.
    stack: Exp,
    /// The registers of the serial kernel.
    kept: Exp,
    /// What threads came to; assigned for each phase.
    out: Exp,
    /// For each region, in a row of [`MOST_REGIONS`] words, which of those before outlive it; if an `on` has to know.
    older: Option<Exp>,
    /// The state that they share.
    pub(super) state: i32,
}

impl<'p> Machine<'_, 'p> {
    /// The blocks.
    pub(super) fn shares(&mut self) -> Shared {
        let state = self.state();
        let [heap, out] = [(); 2].map(|()| self.words("none", WORDS, 1));
        Shared {
            table: self.words("table", WORDS, DEVICE_ROW * (MOST_REGIONS + 1)),
            used: self.words("used", COUNTS, MOST_REGIONS + 1),
            stack: self.words("serial_stack", WORDS, self.lower.limits.device_stack as i32),
            kept: self.words("registers", WORDS, Reg::COUNT as i32),
            older: needs_older(self.lower.facts)
                .then(|| self.words("older", WORDS, MOST_REGIONS * MOST_REGIONS)),
            heap: self.global("heap", Ty::Block(WORDS), heap),
            out: self.global("out", Ty::Block(WORDS), out),
            state,
        }
    }

    /// `on e at ρ`
    pub(super) fn on(&mut self, e: &'p Source, body: &'p Source, at: Region) -> Exp {
        let shared =
            self.shared.clone().unwrap_or_else(|| unreachable!("a program with `on` has them"));
        let Pushes { vars, latent } =
            self.lower.facts.pushes.get(&e.span).cloned().unwrap_or_default();
        for var in vars.into_iter().chain([at.var]) {
            let region = self.variable(var);
            self.keeps(&region, PUSHED, Exp::i32(1));
        }
        for var in latent {
            let region = self.variable(var);
            self.each_older(&region, |to, older| to.keeps(older, PUSHED, Exp::i32(1)));
        }
        let number = self.lower.lambdas.all.len() + 1 + self.lower.ons.len();
        let (scope, live) = (self.scope.clone(), self.live.clone());
        self.lower.ons.push(Start { task: Task::On(body), scope, live: live.clone() });
        let words: Vec<Exp> = live.into_iter().filter(|exp| !matches!(exp, Exp::Lit(_))).collect();
        // Where the stack ends there is no state.
        self.write(&shared.stack, Exp::i32(0), Exp::i32(DONE));
        for (nth, word) in words.iter().enumerate() {
            self.write(&shared.stack, Exp::i32(nth as i32 + 1), word.clone());
        }
        for reg in Reg::ALL {
            let first = match reg {
                Reg::Pc => number as i32,
                Reg::Stack => words.len() as i32 + 1,
                _ => 0,
            };
            self.write(&shared.kept, Exp::i32(reg as i32), Exp::i32(first));
        }
        let state = self.state();
        self.saves(&[Exp::i32(state)]);
        self.set(Reg::Pc, Exp::i32(shared.state));
        self.starts(state);
        self.get(Reg::Acc)
    }

    /// For each region that outlives one, if an `on` has to know.
    fn each_older(&mut self, region: &Exp, write: impl FnOnce(&mut Self, &Exp)) {
        let Some(Shared { older: Some(older), .. }) = self.shared.clone() else { return };
        self.each(region.clone(), |to, other| {
            let at = add(mul(region.clone(), Exp::i32(MOST_REGIONS)), other.clone());
            let outlives = to.read(&older, at);
            to.when(ne(outlives, Exp::i32(0)), |to| write(to, &other));
        });
    }

    /// A new region is outlived by these, and by what outlives them.
    pub(super) fn outlives(&mut self, region: &Exp, by: &[Var]) {
        let Some(Shared { older: Some(older), .. }) = self.shared.clone() else { return };
        let row = self.named("row", mul(region.clone(), Exp::i32(MOST_REGIONS)));
        let place = |other: &Exp| add(row.clone(), other.clone());
        self.each(region.clone(), |to, other| to.write(&older, place(&other), Exp::i32(0)));
        for var in by {
            let other = self.variable(*var);
            self.write(&older, place(&other), Exp::i32(1));
            self.each_older(&other, |to, other| to.write(&older, place(other), Exp::i32(1)));
        }
    }

    /// The state that all of them share.
    pub(super) fn runs(&mut self, shared: &Shared) {
        self.live.clear();
        self.opens(shared.state);
        let cells = self.global("cells", I32, Exp::i32(0));
        self.each_pushed(|to, region| to.places(shared, region, &cells));
        self.emit(Item::Host(Host::Free(shared.heap.clone())));
        let heap = self.cells(&cells);
        self.assigns(&shared.heap, heap);
        self.each_pushed(|to, region| to.pushes_region(shared, region));
        self.repeats(|to| to.launches(shared));
        self.each_pushed(|to, region| to.merges(shared, region));
        let result = self.read(&shared.kept, Exp::i32(Reg::Acc as i32));
        self.returns(result);
    }

    /// For each region that is pushed, the oldest first.
    fn each_pushed(&mut self, write: impl FnOnce(&mut Self, &Exp)) {
        let regions = self.register(Reg::REGIONS);
        self.each(regions, |to, region| {
            let pushed = to.kept(&region, PUSHED);
            to.when(ne(pushed, Exp::i32(0)), |to| write(to, &region));
        });
    }

    pub(super) fn assigns(&mut self, to: &Exp, value: Exp) {
        let Exp::Var(var) = to else { unreachable!("it is a variable") };
        self.emit(Item::Set(*var, value));
    }

    /// Finds a place for the copy of a region, with all that is left of it, behind those before. One of which the rest is
    /// reserved already grows first (L63).
    fn places(&mut self, shared: &Shared, region: &Exp, cells: &Exp) {
        let held = self.kept(region, HELD);
        let base = Exp::i32(self.lower.limits.base as i32);
        self.when(ne(held, Exp::i32(0)), |to| {
            let size = to.kept(region, SIZE);
            to.grows(region, add(size, base));
        });
        let size = self.kept(region, SIZE);
        let end = self.named("end", add(cells.clone(), size.clone()));
        let fits = Exp::bin(code::LE, end.clone(), Exp::i32(MOST_HEAP / self.lower.width));
        self.require(fits, ROOM, &[]);
        self.keeps(region, COPY, cells.clone());
        let row = self.named("row", mul(region.clone(), Exp::i32(DEVICE_ROW)));
        self.write(&shared.table, add(row.clone(), Exp::i32(BASE)), cells.clone());
        self.write(&shared.table, add(row, Exp::i32(SIZE)), size);
        self.assigns(cells, end);
    }

    /// Copies a region to the device. All that is left of it is reserved, so that neither side ever writes where the other
    /// one does (L20).
    fn pushes_region(&mut self, shared: &Shared, region: &Exp) {
        let width = self.lower.width;
        let [used, size, copy] = [USED, SIZE, COPY].map(|what| self.kept(region, what));
        let here = self.memory(region);
        let copied = match self.lower.has(WrongLambdaG::CopyShort) {
            true => code::max(Exp::i32(0), sub(used.clone(), Exp::i32(1))),
            false => used.clone(),
        };
        let count = mul(copied, Exp::i32(width));
        let there = (shared.heap.clone(), mul(copy, Exp::i32(width)));
        self.emit(in_a_row(self.span, count, (here, Exp::i32(0)), there));
        self.write(&shared.used, region.clone(), used.clone());
        self.keeps(region, HELD, Exp::i32(1));
        self.keeps(region, FROM, used);
        self.keeps(region, UP_TO, size.clone());
        self.keeps(region, USED, size);
    }

    /// Brings what is new back to the same place.
    fn merges(&mut self, shared: &Shared, region: &Exp) {
        let width = self.lower.width;
        let end = self.read(&shared.used, region.clone());
        let [from, copy] = [FROM, COPY].map(|what| self.kept(region, what));
        let here = self.memory(region);
        let mut new = sub(end.clone(), from.clone());
        if self.lower.has(WrongLambdaG::MergesFirst) {
            new = Exp::bin(BinOp::Min, Exp::i32(1), new);
        }
        let [first, there, count] =
            [from.clone(), add(copy, from), new].map(|cells| mul(cells, Exp::i32(width)));
        self.emit(in_a_row(self.span, count, (shared.heap.clone(), there), (here, first)));
        self.keeps(region, FROM, end);
        self.keeps(region, PUSHED, Exp::i32(0));
        let outermost = eq(self.register(Reg::BRANCHES), Exp::i32(0));
        self.when(outermost, |to| to.releases(region));
    }

    /// Does something, and again while what it says holds.
    fn repeats(&mut self, write: impl FnOnce(&mut Self) -> Exp) {
        let (var, body) = (self.fresh("again"), self.code.block());
        let next = self.within(body, write);
        self.emit(Item::Again(var, body, next));
    }

    /// Launches the serial kernel, and the threads that it asks for. Is it not done?
    fn launches(&mut self, shared: &Shared) -> Exp {
        let args = Given::Serial.args(shared, None);
        self.emit(Item::Host(launch(0, Exp::i32(1), args)));
        let halt = self.read(&shared.kept, Exp::i32(Reg::Halt as i32));
        self.when(Exp::bin(code::LE, Exp::i32(GAVE_UP), halt.clone()), |to| {
            let told = [Reg::Site, Reg::First, Reg::Second]
                .map(|reg| to.read(&shared.kept, Exp::i32(reg as i32)));
            to.tells(&told, &[]);
        });
        if self.lower.has_threads {
            self.when(eq(halt, Exp::i32(PHASE)), |to| to.phase(shared));
        }
        let pc = self.read(&shared.kept, Exp::i32(Reg::Pc as i32));
        ne(pc, Exp::i32(DONE))
    }

    /// Launches threads until all of them are done.
    fn phase(&mut self, shared: &Shared) {
        let reads = [Reg::Request, Reg::Count, Reg::Frame];
        let [request, count, frame] =
            reads.map(|reg| self.read(&shared.kept, Exp::i32(reg as i32)));
        self.write(&shared.kept, Exp::i32(Reg::Halt as i32), Exp::i32(0));
        self.emit(Item::Host(Host::Free(shared.out.clone())));
        let some = code::max(Exp::i32(1), count.clone());
        let out = self.allocates("results", some.clone());
        self.assigns(&shared.out, out);
        let stacks =
            self.allocates("stacks", mul(some, Exp::i32(self.lower.limits.device_stack as i32)));
        let marks = self.words("marks", COUNTS, MARKS);
        for at in 0..MARKS {
            self.write(&marks, Exp::i32(at), Exp::i32(i32::MAX));
        }
        let begins = self.global("begins", I32, Exp::i32(1));
        self.repeats(|to| {
            to.write(&marks, Exp::i32(0), Exp::i32(0));
            let given =
                [stacks.clone(), marks.clone(), request, frame, begins.clone(), count.clone()];
            let args = Given::Threads.args(shared, Some(given));
            to.emit(Item::Host(launch(1, count.clone(), args)));
            to.assigns(&begins, Exp::i32(0));
            let goes_on = to.read(&marks, Exp::i32(0));
            ne(goes_on, Exp::i32(0))
        });
        for rank in [GAVE_UP, WAS_FULL, FAILED] {
            let thread = self.read(&marks, Exp::i32(rank - 1));
            self.when(lt(thread.clone(), Exp::i32(i32::MAX)), |to| to.fails_in(&stacks, thread));
        }
        self.emit(Item::Host(Host::Free(stacks)));
        self.emit(Item::Host(Host::Free(marks)));
    }

    pub(super) fn allocates(&mut self, wish: &'static str, size: Exp) -> Exp {
        let block = self.fresh(wish);
        self.emit(Item::Host(Host::Alloc { block, element: WORDS, size }));
        Exp::Var(block)
    }

    /// Tells what a thread wrote of its failure.
    fn fails_in(&mut self, stacks: &Exp, thread: Exp) {
        debug_assert_eq!(THREAD_WORDS, Reg::COUNT as i32);
        let first = mul(thread.clone(), Exp::i32(self.lower.limits.device_stack as i32));
        let first = self.named("first", first);
        let [site, a, b, inner] = [Reg::Site, Reg::First, Reg::Second, Reg::Inner]
            .map(|reg| self.read(stacks, add(first.clone(), Exp::i32(reg as i32))));
        let number = self.named("thread", add(thread, Exp::i32(1)));
        let told = [site, a, b];
        let (alone, both) = self.branch(eq(inner.clone(), Exp::i32(0)));
        self.within(alone, |to| to.tells(&told, std::slice::from_ref(&number)));
        self.within(both, |to| to.tells(&told, &[number, inner]));
    }

    /// Stuck at the site that a word says, with these operands, in this thread.
    fn tells(&mut self, [site, first, second]: &[Exp; 3], path: &[Exp]) {
        for number in 0..self.lower.sites.len() {
            let cause = self.lower.sites[number].cause;
            let operands = match cause.operands().len() {
                0 => Vec::new(),
                _ => vec![first.clone(), second.clone()],
            };
            let path = path.to_vec();
            let check = Check { site: number as u32, operands, path, order: None };
            self.when(eq(site.clone(), Exp::i32(number as i32)), |to| {
                to.emit(Item::Host(Host::Check(check)));
            });
        }
    }
}

/// The most words of all copies.
const MOST_HEAP: i32 = 1 << 28;

fn launch(kernel: u32, count: Exp, args: Vec<Exp>) -> Host {
    Host::Launch(Launch { kernel, count, args, record: None })
}

impl Given {
    /// The arguments of a kernel.
    fn args(self, shared: &Shared, threads: Option<[Exp; 6]>) -> Vec<Exp> {
        let Shared { table, heap, used, stack, kept, out, .. } = shared.clone();
        match (self, threads) {
            (Given::Threads, Some([stacks, marks, request, frame, begins, count])) => {
                vec![table, heap, used, stacks, out, stack, marks, request, frame, begins, count]
            }
            _ => vec![table, heap, used, stack, out, kept],
        }
    }
}
