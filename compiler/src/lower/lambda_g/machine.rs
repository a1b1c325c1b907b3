//! States, registers, the stack and memory of a machine.
//!
//! What is alive where a state ends is written to the stack by [`Machine::saves`] and read again by [`Machine::starts`].
//! While an expression is lowered, whatever was computed and is still wanted is on the list of what is alive, so that the
//! state may end anywhere in its parts.

use super::closures::Lambda;
use super::code::{COUNTS, Code, Item, State, add, and, is_atom, lt, max, mul, sub};
use super::on::Shared;
use super::{DEPTH, Lower, MOST_WORDS, Mode, OFFSET, ROOM};
use reference::device::syntax::{
    AtomicOp, Check, Copy, Exp, Host, I32, Kind, Lit, Place, Sc, Site, Ty,
};
use reference::kit::cause::Cause;
use reference::kit::faults::WrongLambdaG;
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use reference::lambda_g::syntax::Region;
use rustc_hash::FxHashMap;

/// A register. Those of a kernel are kept in so many words between its launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reg {
    /// The state that is next; 0 where there is none.
    Pc,
    /// An argument, or a result.
    Acc,
    /// The closure that is applied.
    Closure,
    /// How many words of the stack are used.
    Stack,
    /// The branch that is next.
    Branch,
    /// On the host, how many `||` and `parmap` are around; in a kernel, why it stops: [`PHASE`], or a failure.
    Halt,
    /// How many regions there are; in a kernel the site that failed, from 0.
    Site,
    /// An operand of it.
    First,
    /// Another one.
    Second,
    /// What the threads begin with.
    Request,
    /// How many threads there are.
    Count,
    /// Where what they begin with lies on the stack.
    Frame,
    /// The branch of a nested `parmap` that is told of with the thread, from 1, or 0.
    Inner,
    /// Where the stack goes back to if such a branch fails, or 0.
    Guard,
    /// The state that goes on then.
    Next,
    /// Does the thread do nothing but a `parmap`?
    Nests,
    /// The failure that was told of such a branch: as [`Reg::Halt`], and what follows that.
    Kept,
    KeptSite,
    KeptFirst,
    KeptSecond,
    KeptInner,
}

impl Reg {
    /// How many there are.
    pub(super) const COUNT: usize = 21;
    /// All of them, in the order in which they are kept.
    pub(super) const ALL: [Reg; Self::COUNT] = [
        Reg::Pc,
        Reg::Acc,
        Reg::Closure,
        Reg::Stack,
        Reg::Branch,
        Reg::Halt,
        Reg::Site,
        Reg::First,
        Reg::Second,
        Reg::Request,
        Reg::Count,
        Reg::Frame,
        Reg::Inner,
        Reg::Guard,
        Reg::Next,
        Reg::Nests,
        Reg::Kept,
        Reg::KeptSite,
        Reg::KeptFirst,
        Reg::KeptSecond,
        Reg::KeptInner,
    ];
    /// On the host.
    pub(super) const BRANCHES: Reg = Reg::Halt;
    /// On the host.
    pub(super) const REGIONS: Reg = Reg::Site;
}

/// The serial kernel waits for threads.
pub(super) const PHASE: i32 = 1;

/// A failure: compiled code gave up, a region was full, or another one. The least is told.
pub(super) const GAVE_UP: i32 = 2;
pub(super) const WAS_FULL: i32 = 3;
pub(super) const FAILED: i32 = 4;

/// Words that are kept of a region of the host, and which they are.
pub(super) const ROW: i32 = 8;
pub(super) const BASE: i32 = 0;
pub(super) const SIZE: i32 = 1;
pub(super) const USED: i32 = 2;
/// Are words reserved for the device (L63), from where and up to where?
pub(super) const HELD: i32 = 3;
pub(super) const FROM: i32 = 4;
pub(super) const UP_TO: i32 = 5;
/// Is it copied to the device, and what is the first cell of the copy there?
pub(super) const PUSHED: i32 = 6;
pub(super) const COPY: i32 = 7;
/// Words that are kept of a region of the device: its first cell, and how many it has.
pub(super) const DEVICE_ROW: i32 = 2;

/// The deepest branches in one another that a state has.
const MOST_NESTED: usize = 24;

/// A machine that is written.
pub(super) struct Machine<'l, 'p> {
    pub(super) lower: &'l mut Lower<'p>,
    pub(super) mode: Mode,
    pub(super) code: Code,
    /// The block that is written.
    pub(super) at: usize,
    /// How many branches of its state are around it.
    nested: usize,
    pub(super) states: Vec<State>,
    /// The number of the next state.
    pub(super) next: i32,
    pub(super) registers: Vec<Var>,
    /// The table of regions.
    pub(super) table: Exp,
    /// The memory of all regions, of a kernel.
    pub(super) heap: Exp,
    /// What is used of each region, of a kernel.
    pub(super) used: Exp,
    pub(super) stack: Exp,
    /// Where the stack ends.
    pub(super) limit: Exp,
    /// Where the results of threads are.
    pub(super) out: Exp,
    /// The place of what is written.
    pub(super) span: Span,
    /// What is alive.
    pub(super) live: Vec<Exp>,
    /// Which of it variables are.
    pub(super) scope: FxHashMap<Var, usize>,
    /// What the host shares with the kernels, if there are any.
    pub(super) shared: Option<Shared>,
}

impl<'l, 'p> Machine<'l, 'p> {
    pub(super) fn new(lower: &'l mut Lower<'p>, mode: Mode) -> Self {
        let registers = Reg::ALL.map(|_| lower.names.fresh("r")).to_vec();
        let mut code = Code::default();
        let at = code.block();
        let next = lower.lambdas.all.len() as i32 + 1;
        Self {
            lower,
            mode,
            code,
            at,
            nested: 0,
            states: Vec::new(),
            next,
            registers,
            table: Exp::i32(0),
            heap: Exp::i32(0),
            used: Exp::i32(0),
            stack: Exp::i32(0),
            limit: Exp::i32(0),
            out: Exp::i32(0),
            span: Span::default(),
            live: Vec::new(),
            scope: FxHashMap::default(),
            shared: None,
        }
    }

    pub(super) fn emit(&mut self, item: Item) {
        self.code.emit(self.at, self.span, item);
    }

    pub(super) fn fresh(&mut self, wish: &'static str) -> Var {
        self.lower.names.fresh(wish)
    }

    /// A name for a number.
    pub(super) fn named(&mut self, wish: &'static str, exp: Exp) -> Exp {
        if is_atom(&exp) {
            return exp;
        }
        let var = self.fresh(wish);
        self.emit(Item::Let(var, I32, exp));
        Exp::Var(var)
    }

    /// What a register holds now.
    pub(super) fn get(&mut self, reg: Reg) -> Exp {
        let now = self.register(reg);
        let var = self.fresh("x");
        self.emit(Item::Let(var, I32, now));
        Exp::Var(var)
    }

    /// What a register holds where the expression is evaluated.
    pub(super) fn register(&self, reg: Reg) -> Exp {
        let var = self.registers[reg as usize];
        match self.mode {
            Mode::Host => Exp::Var(var),
            Mode::Serial | Mode::Thread => Exp::load(Place::Var(var)),
        }
    }

    pub(super) fn set(&mut self, reg: Reg, exp: Exp) {
        self.emit(Item::Set(self.registers[reg as usize], exp));
    }

    /// `block[i]`
    pub(super) fn read(&mut self, block: &Exp, index: Exp) -> Exp {
        let var = self.fresh("w");
        self.emit(Item::Load(var, block.clone(), index));
        Exp::Var(var)
    }

    /// `block[i] = e`
    pub(super) fn write(&mut self, block: &Exp, index: Exp, value: Exp) {
        self.emit(Item::Store(block.clone(), index, value));
    }

    /// A branch: its two blocks.
    pub(super) fn branch(&mut self, cond: Exp) -> (usize, usize) {
        let blocks = (self.code.block(), self.code.block());
        self.emit(Item::If(cond, blocks.0, blocks.1));
        blocks
    }

    /// Writes into a block that does not end the state.
    pub(super) fn within<T>(&mut self, block: usize, write: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.at, block);
        let made = write(self);
        self.at = outer;
        made
    }

    /// Where a condition holds, does what does not end the state.
    pub(super) fn when(&mut self, cond: Exp, write: impl FnOnce(&mut Self)) {
        let (then, _) = self.branch(cond);
        self.within(then, write);
    }

    /// For each number from 0 on below another one, does what does not end the state.
    pub(super) fn each(&mut self, count: Exp, write: impl FnOnce(&mut Self, Exp)) {
        let (var, body) = (self.fresh("i"), self.code.block());
        self.emit(Item::For(var, count, body));
        self.within(body, |to| write(to, Exp::Var(var)));
    }

    /// Keeps a value alive.
    pub(super) fn hold(&mut self, value: Exp) {
        self.live.push(value);
    }

    /// The value that was kept alive last.
    pub(super) fn take(&mut self) -> Exp {
        self.live.pop().unwrap_or_else(|| unreachable!("it is held"))
    }

    /// A variable of the program is this.
    pub(super) fn bind(&mut self, var: Var, value: Exp) {
        self.scope.insert(var, self.live.len());
        self.hold(value);
    }

    /// The value of a variable, or the number of a region.
    pub(super) fn variable(&self, var: Var) -> Exp {
        let at = self.scope.get(&var).unwrap_or_else(|| unreachable!("T-VAR, PLACE: in scope"));
        self.live[*at].clone()
    }

    pub(super) fn region(&self, at: Region) -> Exp {
        self.variable(at.var)
    }

    /// A number of a site.
    pub(super) fn site(&mut self, cause: Cause) -> u32 {
        let site = Site { span: self.span, cause };
        let next = self.lower.sites.len() as u32;
        let number = *self.lower.numbers.entry(site).or_insert(next);
        if number == next {
            self.lower.sites.push(site);
        }
        number
    }

    /// What follows is only done where a condition holds; else the run stops for this cause with these operands.
    pub(super) fn require(&mut self, cond: Exp, cause: Cause, operands: &[Exp]) {
        let site = self.site(cause);
        let (then, orelse) = self.branch(cond);
        let outer = std::mem::replace(&mut self.at, orelse);
        self.fails(site, cause, operands);
        self.at = outer;
        match self.mode {
            Mode::Host => {}
            Mode::Serial | Mode::Thread => {
                self.at = then;
                self.nested += 1;
            }
        }
    }

    fn fails(&mut self, site: u32, cause: Cause, operands: &[Exp]) {
        if self.mode == Mode::Host {
            let operands = operands.to_vec();
            let check = Check { site, operands, path: Vec::new(), order: None };
            return self.emit(Item::Host(Host::Check(check)));
        }
        let rank = match cause {
            cause if !cause.is_premise() => GAVE_UP,
            cause if cause == Cause::RegionFull => WAS_FULL,
            _ => FAILED,
        };
        self.set(Reg::Site, Exp::i32(site as i32));
        for (reg, operand) in [Reg::First, Reg::Second].into_iter().zip(operands) {
            self.set(reg, operand.clone());
        }
        self.set(Reg::Halt, Exp::i32(rank));
    }

    /// The number of a new state.
    pub(super) fn state(&mut self) -> i32 {
        self.next += 1;
        self.next - 1
    }

    /// What follows is this state.
    pub(super) fn opens(&mut self, state: i32) {
        self.at = self.code.block();
        self.nested = 0;
        self.states.push((state, self.at));
    }

    /// What is alive and not known is on the stack, in this order.
    fn saved(&self) -> impl Iterator<Item = usize> + use<> {
        let is_saved = |exp: &Exp| !matches!(exp, Exp::Lit(_));
        let saved: Vec<usize> =
            (0..self.live.len()).filter(|at| is_saved(&self.live[*at])).collect();
        saved.into_iter()
    }

    /// How many words it takes.
    pub(super) fn saves_words(&self) -> i32 {
        self.saved().count() as i32
    }

    /// Writes what is alive to the stack, and these words.
    pub(super) fn saves(&mut self, more: &[Exp]) {
        let sp = self.get(Reg::Stack);
        let count = self.saves_words() + more.len() as i32;
        self.is_deep_enough(add(sp.clone(), Exp::i32(count)));
        let saved: Vec<Exp> = self.saved().map(|at| self.live[at].clone()).collect();
        let stack = self.stack.clone();
        for (offset, word) in saved.into_iter().chain(more.iter().cloned()).enumerate() {
            self.write(&stack, add(sp.clone(), Exp::i32(offset as i32)), word);
        }
        self.set(Reg::Stack, add(sp, Exp::i32(count)));
    }

    /// The stack has room up to there.
    pub(super) fn is_deep_enough(&mut self, end: Exp) {
        match self.mode {
            Mode::Host => self.when(lt(self.limit.clone(), end.clone()), |to| to.deepens(&end)),
            Mode::Serial | Mode::Thread => {
                let fits = Exp::bin(BinOp::Le, end, self.limit.clone());
                self.require(fits, DEPTH, &[]);
            }
        }
    }

    /// Reads again what is alive, from there in a block on.
    pub(super) fn restores(&mut self, block: &Exp, from: &Exp) {
        let mut saved: Vec<usize> = self.saved().collect();
        if self.lower.has(WrongLambdaG::FrameReversed) {
            saved.reverse();
        }
        for (offset, at) in saved.into_iter().enumerate() {
            self.live[at] = self.read(block, add(from.clone(), Exp::i32(offset as i32)));
        }
    }

    /// What follows is this state, where what is alive is on top of the stack.
    pub(super) fn starts(&mut self, state: i32) {
        self.opens(state);
        let sp = self.get(Reg::Stack);
        let from = sub(sp, Exp::i32(self.saves_words()));
        let from = self.named("from", from);
        let stack = self.stack.clone();
        self.restores(&stack, &from);
        self.set(Reg::Stack, from);
    }

    /// Goes on in a state of its own, if there are many branches around.
    pub(super) fn breathes(&mut self) {
        if self.nested < MOST_NESTED {
            return;
        }
        let state = self.state();
        self.saves(&[]);
        self.set(Reg::Pc, Exp::i32(state));
        self.starts(state);
    }

    /// Ends the state with a value.
    pub(super) fn returns(&mut self, value: Exp) {
        self.set(Reg::Acc, value);
        let sp = self.get(Reg::Stack);
        let top = self.named("top", sub(sp, Exp::i32(1)));
        let stack = self.stack.clone();
        let pc = self.read(&stack, top.clone());
        self.set(Reg::Stack, top);
        self.set(Reg::Pc, pc);
    }

    /// The state of a function.
    pub(super) fn function(&mut self, number: usize) {
        let Lambda { param, own, body, is_of_host, .. } = self.lower.lambdas.all[number];
        if is_of_host && self.mode != Mode::Host {
            return;
        }
        let free = self.lower.lambdas.all[number].free.clone();
        self.live.clear();
        self.scope.clear();
        self.opens(number as i32 + 1);
        let argument = self.get(Reg::Acc);
        self.bind(param, argument);
        let closure = self.get(Reg::Closure);
        let place = self.place(&closure);
        let first = if self.lower.has(WrongLambdaG::EnvironmentShifted) { 2 } else { 1 };
        for (nth, var) in free.into_iter().enumerate() {
            let value = self.word(&place, Exp::i32(nth as i32 + first));
            self.bind(var, value);
        }
        if let Some(own) = own {
            self.bind(own, closure);
        }
        self.tail(body);
    }

    /// The memory that a location is in: a block, and the index of the first word of the value. A kernel has one block for
    /// all regions.
    pub(super) fn place(&mut self, location: &Exp) -> (Exp, Exp) {
        let region = self.named("r", Exp::bin(BinOp::Shr, location.clone(), Exp::i32(OFFSET)));
        let offset = Exp::bin(BinOp::And, location.clone(), Exp::i32(MOST_WORDS));
        if self.mode == Mode::Host {
            let memory = self.memory(&region);
            let first = self.named("at", mul(offset, Exp::i32(self.lower.width)));
            return (memory, first);
        }
        let (table, row) = (self.table.clone(), mul(region, Exp::i32(DEVICE_ROW)));
        let base = self.read(&table, add(row, Exp::i32(BASE)));
        let first = self.named("at", mul(add(base, offset), Exp::i32(self.lower.width)));
        (self.heap.clone(), first)
    }

    /// A word of a value.
    pub(super) fn word(&mut self, (block, first): &(Exp, Exp), word: Exp) -> Exp {
        self.read(block, add(first.clone(), word))
    }

    /// The first word of a value: what an int is, and what a closure is of.
    pub(super) fn first_word(&mut self, location: &Exp) -> Exp {
        let place = self.place(location);
        self.word(&place, Exp::i32(0))
    }

    /// Writes the first words of a value.
    pub(super) fn put(&mut self, location: &Exp, words: &[Exp]) {
        let (block, first) = self.place(location);
        for (nth, word) in words.iter().enumerate() {
            self.write(&block, add(first.clone(), Exp::i32(nth as i32)), word.clone());
        }
    }

    /// The first word of a cell of a value.
    pub(super) fn cell(&self, cell: Exp) -> Exp {
        mul(cell, Exp::i32(self.lower.width))
    }

    /// `R; σ; v ↓ o @ R'` for a value of so many words: its location.
    pub(super) fn allocate(&mut self, region: &Exp, words: Exp) -> Exp {
        let offset = match self.mode {
            Mode::Host => self.allocate_on_host(region, words),
            Mode::Serial | Mode::Thread => self.allocate_within(region, words),
        };
        let number = mul(region.clone(), Exp::i32(1 << OFFSET));
        self.named("l", add(number, offset))
    }

    /// By an atomic addition. Who adds too much goes no further, so a region that is full stays so.
    fn allocate_within(&mut self, region: &Exp, words: Exp) -> Exp {
        let row = add(mul(region.clone(), Exp::i32(DEVICE_ROW)), Exp::i32(SIZE));
        let table = self.table.clone();
        let size = self.read(&table, row);
        let used = Place::Element(self.used.clone(), region.clone());
        let seen = self.atomic(AtomicOp::Load, used.clone(), Vec::new());
        self.fits(&seen, &size, &words);
        let overlaps = self.mode == Mode::Thread && self.lower.has(WrongLambdaG::ThreadsOverlap);
        let more = if overlaps { sub(words.clone(), Exp::i32(1)) } else { words.clone() };
        let offset = self.atomic(AtomicOp::Add, used, vec![more]);
        self.fits(&offset, &size, &words);
        offset
    }

    fn fits(&mut self, used: &Exp, size: &Exp, words: &Exp) {
        let left = self.named("left", sub(size.clone(), used.clone()));
        let fits = Exp::bin(BinOp::Le, words.clone(), left.clone());
        let fits = and(Exp::bin(BinOp::Le, Exp::i32(0), used.clone()), fits);
        let free = max(Exp::i32(0), left);
        if self.lower.has(WrongLambdaG::FullUnnoticed) {
            return;
        }
        self.require(fits, Cause::RegionFull, &[words.clone(), free]);
    }

    pub(super) fn atomic(&mut self, op: AtomicOp, place: Place, operands: Vec<Exp>) -> Exp {
        let into = self.fresh("old");
        self.emit(Item::Kernel(Kind::Atomic { into: Some(into), op, place, operands }));
        Exp::Var(into)
    }

    /// So many words are few enough for a region.
    pub(super) fn is_room(&mut self, words: &Exp) {
        let cond = Exp::bin(BinOp::Le, words.clone(), Exp::i32(MOST_WORDS / 4));
        if !matches!(words, Exp::Lit(Lit::I32(k)) if *k <= MOST_WORDS / 4) {
            self.require(cond, ROOM, &[]);
        }
    }
}

/// A block of the host, by a view of it.
pub(super) fn in_a_row(span: Span, count: Exp, from: (Exp, Exp), to: (Exp, Exp)) -> Item {
    Item::Host(Host::Copy(Box::new(Copy::in_a_row(span, count, from, to))))
}

/// A bool as the word that it is.
pub(super) fn word_of(cond: Exp) -> Exp {
    Exp::Cast(Sc::I32, Box::new(cond))
}

/// Blocks that atomics work on.
pub(super) const USED_BLOCK: Ty = Ty::Block(COUNTS);

/// `Lit` of a bool.
pub(super) fn truth(value: bool) -> Exp {
    Exp::i32(i32::from(value))
}
