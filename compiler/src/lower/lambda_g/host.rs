//! What only the host does: it makes regions, lets them grow, and frees them.

use super::closures::has_on;
use super::code::{Item, LE, WORDS, add, and, eq, lt, max, mul, ne, sub, view};
use super::kernels::DONE;
use super::machine::{BASE, FROM, HELD, Machine, PUSHED, ROW, Reg, SIZE, UP_TO, USED, in_a_row};
use super::{DEPTH, MOST_REGIONS, MOST_WORDS, ROOM};
use reference::device::syntax::{
    BOOL, Carried, Element, Exp, Host, I32, Kernel, Lit, Loop, Param, Sc, Ty,
};
use reference::kit::faults::WrongLambdaG;
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;
use reference::lambda_g::syntax::{Exp as Source, Program};
use reference::lambda_g::types::Facts;

/// Words of the stack of the host at first.
const FIRST_STACK: i32 = 64;

impl<'p> Machine<'_, 'p> {
    /// What is kept of a region.
    pub(super) fn kept(&mut self, region: &Exp, what: i32) -> Exp {
        let table = self.table.clone();
        self.read(&table, add(mul(region.clone(), Exp::i32(ROW)), Exp::i32(what)))
    }

    pub(super) fn keeps(&mut self, region: &Exp, what: i32, value: Exp) {
        let table = self.table.clone();
        self.write(&table, add(mul(region.clone(), Exp::i32(ROW)), Exp::i32(what)), value);
    }

    /// The block of a region.
    pub(super) fn memory(&mut self, region: &Exp) -> Exp {
        let base = self.kept(region, BASE);
        let size = self.kept(region, SIZE);
        let length = mul(size, Exp::i32(self.lower.width));
        self.global("region", Ty::Block(WORDS), view(base, length))
    }

    /// A fresh block for so many words of a region.
    pub(super) fn cells(&mut self, words: &Exp) -> Exp {
        let block = self.fresh("cells");
        let size = mul(max(Exp::i32(1), words.clone()), Exp::i32(self.lower.width));
        self.emit(Item::Host(Host::Alloc { block, element: WORDS, size }));
        Exp::Var(block)
    }

    /// `|v| + ap <= s`, or the region grows by `max(BSIZE, |v| + ap - s)`: the offset.
    pub(super) fn allocate_on_host(&mut self, region: &Exp, words: Exp) -> Exp {
        let used = self.kept(region, USED);
        let size = self.kept(region, SIZE);
        let end = self.named("end", add(used.clone(), words));
        let base = Exp::i32(self.lower.limits.base as i32);
        self.when(lt(size.clone(), end.clone()), |to| {
            let more = max(base, sub(end.clone(), size.clone()));
            to.grows(region, add(size, more));
        });
        self.keeps(region, USED, end);
        used
    }

    /// The region has so many words.
    pub(super) fn grows(&mut self, region: &Exp, words: Exp) {
        let words = self.named("size", words);
        let fits = Exp::bin(BinOp::Le, words.clone(), Exp::i32(MOST_WORDS));
        self.require(fits, ROOM, &[]);
        let used = self.kept(region, USED);
        let old = self.memory(region);
        let new = self.cells(&words);
        let count = mul(used, Exp::i32(self.lower.width));
        let start = Exp::i32(0);
        let copy = in_a_row(self.span, count, (old.clone(), start.clone()), (new.clone(), start));
        if !self.lower.has(WrongLambdaG::GrowthLoses) {
            self.emit(copy);
        }
        self.emit(Item::Host(Host::Free(old)));
        self.lies(region, &new, words);
    }

    /// The region lies in this block.
    fn lies(&mut self, region: &Exp, block: &Exp, words: Exp) {
        self.keeps(region, BASE, base_of(block));
        self.keeps(region, SIZE, words);
    }

    /// A new region of so many words.
    pub(super) fn begins(&mut self, words: Exp) -> Exp {
        let region = self.get(Reg::REGIONS);
        let fits = and(
            Exp::bin(BinOp::Le, words.clone(), Exp::i32(MOST_WORDS)),
            lt(region.clone(), Exp::i32(MOST_REGIONS)),
        );
        self.require(fits, ROOM, &[]);
        self.set(Reg::REGIONS, add(region.clone(), Exp::i32(1)));
        let block = self.cells(&words);
        self.lies(&region, &block, words);
        for what in [USED, HELD, PUSHED] {
            self.keeps(&region, what, Exp::i32(0));
        }
        region
    }

    /// `letregion ρ of s in e`
    pub(super) fn letregion(
        &mut self,
        e: &'p Source,
        (var, said): (Var, Option<u32>),
        body: &'p Source,
    ) -> Exp {
        let words = said.unwrap_or(self.lower.limits.base);
        let region = self.begins(Exp::i32(i32::try_from(words).unwrap_or(i32::MAX)));
        let facts = self.lower.facts;
        self.outlives(&region, facts.bounds.get(&e.span).map_or(&[][..], Vec::as_slice));
        self.bind(var, region);
        let value = self.value(body);
        let region = self.take();
        let memory = self.memory(&region);
        self.emit(Item::Host(Host::Free(memory)));
        self.set(Reg::REGIONS, region);
        value
    }

    /// Branches of the host are joined; behind the outermost ones nothing is reserved any more (L63).
    pub(super) fn joins(&mut self) {
        let left = sub(self.register(Reg::BRANCHES), Exp::i32(1));
        self.set(Reg::BRANCHES, left);
        let outermost = eq(self.register(Reg::BRANCHES), Exp::i32(0));
        self.when(outermost, |to| {
            let regions = to.register(Reg::REGIONS);
            to.each(regions, |to, region| to.releases(&region));
        });
    }

    /// Nothing of the region is reserved any more; what is left is free, unless something was put behind it.
    pub(super) fn releases(&mut self, region: &Exp) {
        let held = self.kept(region, HELD);
        self.when(ne(held, Exp::i32(0)), |to| {
            to.keeps(region, HELD, Exp::i32(0));
            let used = to.kept(region, USED);
            let end = to.kept(region, UP_TO);
            to.when(eq(used, end), |to| {
                let from = to.kept(region, FROM);
                to.keeps(region, USED, from);
            });
        });
    }

    /// The registers, the table of regions and the stack, and `r0` with the parameters.
    pub(super) fn begins_run(&mut self, program: &Program, facts: &Facts) -> Vec<Param> {
        self.declares();
        self.table = self.words("regions", WORDS, ROW * (MOST_REGIONS + 1));
        let stack = self.words("stack", WORDS, FIRST_STACK);
        self.stack = self.global("stack", Ty::Block(WORDS), stack);
        self.limit = self.global("limit", I32, Exp::i32(FIRST_STACK));
        self.takes(program, &facts.params)
    }

    /// The stack becomes twice as deep, and is deep enough to end there.
    pub(super) fn deepens(&mut self, end: &Exp) {
        let most = Exp::i32(self.lower.limits.host_stack as i32);
        self.require(Exp::bin(LE, end.clone(), most.clone()), DEPTH, &[]);
        let (old, limit) = (self.stack.clone(), self.limit.clone());
        let twice = max(mul(limit.clone(), Exp::i32(2)), end.clone());
        let words = self.named("words", Exp::bin(BinOp::Min, most, twice));
        let new = self.allocates("stack", words.clone());
        let start = Exp::i32(0);
        let (from, to) = ((old.clone(), start.clone()), (new.clone(), start));
        self.emit(in_a_row(self.span, limit.clone(), from, to));
        self.emit(Item::Host(Host::Free(old.clone())));
        self.assigns(&old, new);
        self.assigns(&limit, words);
    }

    /// All states of the host, and the loop that goes from one to the next; the kernels.
    pub(super) fn whole(&mut self, body: &'p Source) -> Vec<Kernel> {
        let main = self.state();
        if has_on(body) {
            self.shared = Some(self.shares());
        }
        let stack = self.stack.clone();
        self.write(&stack, Exp::i32(0), Exp::i32(DONE));
        self.set(Reg::Stack, Exp::i32(1));
        self.set(Reg::Pc, Exp::i32(main));
        let outer = self.at;
        let (live, scope) = (self.live.clone(), self.scope.clone());
        for number in 0..self.lower.lambdas.all.len() {
            self.function(number);
        }
        (self.live, self.scope) = (live, scope);
        self.opens(main);
        self.tail(body);
        let mut kernels = Vec::new();
        if let Some(shared) = self.shared.clone() {
            kernels = self.lower.kernels();
            self.runs(&shared);
        }
        let mut states = std::mem::take(&mut self.states);
        states.sort_unstable();
        let pc = self.registers[Reg::Pc as usize];
        let body = self.code.dispatch(pc, &states);
        self.at = outer;
        let (var, ty) = (self.fresh("goes"), BOOL);
        let carried = vec![Carried { var, ty, init: Exp::Lit(Lit::Bool(true)) }];
        let next = vec![ne(Exp::Var(pc), Exp::i32(DONE))];
        let rounds = Loop { carried, cond: Exp::Var(var), fuel: None, body, next };
        self.emit(Item::Host(Host::Loop(Box::new(rounds))));
        kernels
    }

    /// A variable of the host, for the whole run.
    pub(super) fn global(&mut self, wish: &'static str, ty: Ty, exp: Exp) -> Exp {
        let var = self.fresh(wish);
        self.emit(Item::Let(var, ty, exp));
        Exp::Var(var)
    }

    /// A block of the host, for the whole run.
    pub(super) fn words(&mut self, wish: &'static str, element: Element, words: i32) -> Exp {
        let block = self.fresh(wish);
        let size = Exp::i32(words);
        self.emit(Item::Host(Host::Alloc { block, element, size }));
        Exp::Var(block)
    }

    /// The registers, all 0.
    pub(super) fn declares(&mut self) {
        for at in 0..Reg::COUNT {
            let var = self.registers[at];
            self.emit(Item::Let(var, I32, Exp::i32(0)));
        }
    }
}

/// Where a block lies.
pub(super) fn base_of(block: &Exp) -> Exp {
    Exp::Cast(Sc::I32, Box::new(Exp::Base(Box::new(block.clone()))))
}
