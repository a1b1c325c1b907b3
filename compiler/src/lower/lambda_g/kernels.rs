//! The two kernels: what an `on` does outside of branches, and its threads.

use super::code::{Item, LE, WORDS, add, and, eq, lt, mul, ne, or, sub};
use super::machine::{GAVE_UP, Machine, Reg, USED_BLOCK};
use super::parallel::nested;
use super::{Lower, Mode, Start, Task};
use reference::device::syntax::{
    AtomicOp, Block, Builtin, Carried, Exp, I32, Kernel, Kind, Loop, Place, Sc, Ty,
};
use reference::kit::faults::WrongLambdaG;
use reference::kit::names::Var;
use reference::kit::text::Span;

/// Which kernel is launched.
#[derive(Clone, Copy)]
pub(super) enum Given {
    Serial,
    Threads,
}

/// The state where there is nothing to do any more.
pub(super) const DONE: i32 = 0;

/// Marks of threads: is one of them not done, and of each kind of failure the lowest thread that has it.
pub(super) const MARKS: i32 = 4;

/// Words of a thread that stand before its stack.
pub(super) const THREAD_WORDS: i32 = Reg::COUNT as i32;

/// Invocations of a work group of threads.
const GROUP: u32 = 32;

impl<'p> Lower<'p> {
    /// Both kernels, in the order of [`Given`].
    pub(super) fn kernels(&mut self) -> Vec<Kernel> {
        let serial = self.serial();
        let mut kernels = vec![serial];
        self.has_threads = !self.threads.is_empty();
        if self.has_threads {
            kernels.push(self.threads());
        }
        kernels
    }

    fn serial(&mut self) -> Kernel {
        let starts = std::mem::take(&mut self.ons);
        let limit = Exp::i32(self.limits.device_stack as i32);
        let mut machine = Machine::new(self, Mode::Serial);
        machine.next += starts.len() as i32;
        let (mut params, block) = machine.shared_params();
        let kept = machine.param("kept", Ty::Block(WORDS), &mut params);
        machine.limit = limit;
        for reg in Reg::ALL {
            let word = machine.read(&kept, Exp::i32(reg as i32));
            machine.declares_register(reg, word);
        }
        machine.states_of(starts, |machine, Start { task, .. }, number| {
            machine.starts(number);
            if let Task::On(body) = task {
                machine.tail(body);
            }
        });
        machine.goes(block);
        let forgets = machine.lower.has(WrongLambdaG::StackForgotten);
        for reg in Reg::ALL.into_iter().filter(|reg| !forgets || *reg != Reg::Stack) {
            let word = machine.get(reg);
            machine.write(&kept, Exp::i32(reg as i32), word);
        }
        let body = machine.code.kernel(block);
        kernel("serial", params, 1, body)
    }

    fn threads(&mut self) -> Kernel {
        let starts = std::mem::take(&mut self.threads);
        let words = Exp::i32(self.limits.device_stack as i32);
        let mut machine = Machine::new(self, Mode::Thread);
        machine.next += starts.len() as i32;
        let (mut params, block) = machine.shared_params();
        let frame = machine.param("frame", Ty::Block(WORDS), &mut params);
        let marks = machine.param("marks", USED_BLOCK, &mut params);
        let numbers = ["request", "frame_at", "begins", "count"];
        let [request, frame_at, begins, count] =
            numbers.map(|name| machine.param(name, I32, &mut params));
        let number = Exp::Cast(Sc::I32, Box::new(Exp::Builtin(Builtin::GlobalId)));
        let thread = machine.named("thread", number);
        let (inside, _) = machine.branch(lt(thread.clone(), count));
        machine.at = inside;
        let own = machine.named("own", mul(thread.clone(), words.clone()));
        machine.limit = machine.named("limit", add(own.clone(), words));
        let first = machine.named("first", add(own.clone(), Exp::i32(THREAD_WORDS)));
        let stack = machine.stack.clone();
        for reg in Reg::ALL {
            let init = match reg {
                Reg::Pc => request.clone(),
                Reg::Stack => add(first.clone(), Exp::i32(1)),
                _ => Exp::i32(0),
            };
            machine.declares_register(reg, init);
        }
        let (begun, goes_on) = machine.branch(ne(begins, Exp::i32(0)));
        machine.within(begun, |to| to.write(&stack, first, Exp::i32(DONE)));
        machine.within(goes_on, |to| {
            for reg in Reg::ALL {
                let kept = to.read(&stack, add(own.clone(), Exp::i32(reg as i32)));
                to.set(reg, kept);
            }
        });
        machine.states_of(starts, |machine, Start { task, .. }, number| {
            machine.opens(number);
            machine.restores(&frame, &frame_at);
            let tells = match task {
                Task::ParMap(f, _) => nested(f).and_then(|f| machine.lower.nested_number(f)),
                Task::Par(_) | Task::On(_) => None,
            };
            if let Some(tells) = tells {
                machine.set(Reg::Nests, Exp::i32(tells));
            }
            machine.task(*task, &thread);
        });
        machine.goes(inside);
        machine.ends(&marks, &thread, &own);
        let body = machine.code.kernel(block);
        kernel("threads", params, GROUP, body)
    }
}

impl<'p> Machine<'_, 'p> {
    fn param(&mut self, wish: &'static str, ty: Ty, params: &mut Vec<(Var, Ty)>) -> Exp {
        let var = self.fresh(wish);
        params.push((var, ty));
        Exp::Var(var)
    }

    /// The parameters that both kernels have, and the block of the body.
    fn shared_params(&mut self) -> (Vec<(Var, Ty)>, usize) {
        let mut params = Vec::new();
        self.table = self.param("table", Ty::Block(WORDS), &mut params);
        self.heap = self.param("heap", Ty::Block(WORDS), &mut params);
        self.used = self.param("used", USED_BLOCK, &mut params);
        self.stack = self.param("stack", Ty::Block(WORDS), &mut params);
        self.out = self.param("out", Ty::Block(WORDS), &mut params);
        (params, self.at)
    }

    fn declares_register(&mut self, reg: Reg, exp: Exp) {
        let var = self.registers[reg as usize];
        self.emit(Item::Kernel(Kind::Var(var, I32, Some(exp))));
    }

    /// The states of all functions, and of what the machine starts with.
    fn states_of(
        &mut self,
        starts: Vec<Start<'p>>,
        mut write: impl FnMut(&mut Self, &Start<'p>, i32),
    ) {
        let outer = self.at;
        let functions = self.lower.lambdas.all.len();
        for number in 0..functions {
            self.function(number);
        }
        for (nth, start) in starts.iter().enumerate() {
            self.live.clone_from(&start.live);
            self.scope.clone_from(&start.scope);
            write(self, start, (functions + 1 + nth) as i32);
        }
        self.live.clear();
        self.at = outer;
    }

    /// Goes from state to state, in this block, until there is nothing to do, or for so many rounds.
    fn goes(&mut self, block: usize) {
        self.at = self.code.block();
        let body = self.at;
        let pc = self.get(Reg::Pc);
        let states = std::mem::take(&mut self.states);
        let switch = self.code.switch(pc, &states);
        self.emit(Item::Kernel(switch));
        if self.mode == Mode::Thread && !self.lower.nested.is_empty() {
            self.catches();
        }
        let (halt, pc) = (self.get(Reg::Halt), self.get(Reg::Pc));
        let goes_on = and(eq(halt, Exp::i32(0)), ne(pc, Exp::i32(DONE)));
        let left = self.fresh("left");
        let rounds = Exp::i32(self.lower.limits.rounds as i32);
        let goes = self.get_pair();
        let body = self.code.kernel(body);
        self.at = block;
        let next = Exp::select(goes_on, sub(Exp::Var(left), Exp::i32(1)), Exp::i32(0));
        let init = Exp::select(goes, rounds, Exp::i32(0));
        let carried = vec![Carried { var: left, ty: I32, init }];
        let cond = lt(Exp::i32(0), Exp::Var(left));
        let rounds = Loop { carried, cond, fuel: None, body, next: vec![next] };
        self.emit(Item::Kernel(Kind::Loop(Box::new(rounds))));
    }

    /// Is there something to do, where the expression is evaluated?
    fn get_pair(&self) -> Exp {
        let (halt, pc) = (self.register(Reg::Halt), self.register(Reg::Pc));
        and(eq(halt, Exp::i32(0)), ne(pc, Exp::i32(DONE)))
    }

    /// Keeps what a thread goes on with, or tells what it came to, or that it failed.
    fn ends(&mut self, marks: &Exp, thread: &Exp, own: &Exp) {
        let stack = self.stack.clone();
        for reg in Reg::ALL {
            let word = self.get(reg);
            self.write(&stack, add(own.clone(), Exp::i32(reg as i32)), word);
        }
        let (halt, pc) = (self.get(Reg::Halt), self.get(Reg::Pc));
        let failed = Exp::bin(LE, Exp::i32(GAVE_UP), halt.clone());
        self.when(failed.clone(), |to| {
            let mark = Place::Element(marks.clone(), sub(halt.clone(), Exp::i32(1)));
            to.atomic(AtomicOp::Min, mark, vec![thread.clone()]);
        });
        let is_done = or(failed, eq(pc.clone(), Exp::i32(DONE)));
        let (_, more) = self.branch(is_done);
        self.within(more, |to| {
            let mark = Place::Element(marks.clone(), Exp::i32(0));
            to.atomic(AtomicOp::Max, mark, vec![Exp::i32(1)]);
        });
        let done = and(eq(halt, Exp::i32(0)), eq(pc, Exp::i32(DONE)));
        self.when(done, |to| {
            let result = to.get(Reg::Acc);
            let out = to.out.clone();
            to.write(&out, thread.clone(), result);
        });
    }
}

fn kernel(name: &str, params: Vec<(Var, Ty)>, group: u32, body: Block) -> Kernel {
    Kernel {
        name: name.to_owned(),
        params,
        group,
        workgroup: Vec::new(),
        private: Vec::new(),
        body,
        record: None,
        span: Span::default(),
    }
}
