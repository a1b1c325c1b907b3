//! `||` and `parmap`: one branch after the other, or as threads of the device.

use super::code::{add, and, eq, lt, ne, or, sub};
use super::machine::{GAVE_UP, Machine, PHASE, Reg, word_of};
use super::{Mode, Start, Task};
use reference::device::syntax::Exp;
use reference::kit::scalar::BinOp;
use reference::lambda_g::syntax::{Exp as Source, Kind, Over, Region};

impl<'p> Machine<'_, 'p> {
    /// `e₁ || e₂ at ρ`
    pub(super) fn par(&mut self, parts: &'p [Source; 2], at: Region) -> Exp {
        let [a, b] = match self.mode {
            Mode::Serial => {
                self.asks(Task::Par(parts), Exp::i32(2));
                let out = self.out.clone();
                [self.read(&out, Exp::i32(0)), self.read(&out, Exp::i32(1))]
            }
            Mode::Host => {
                self.splits();
                let both = self.two(parts);
                self.joins();
                both
            }
            Mode::Thread => self.two(parts),
        };
        let region = self.region(at);
        let pair = self.allocate(&region, Exp::i32(2));
        self.put(&pair, &[a, b]);
        pair
    }

    /// `parmap f over at ρ`
    pub(super) fn parmap(&mut self, f: &'p Source, over: &'p Over, at: Region) -> Exp {
        // Whether its branches are told of with the thread.
        self.hold(Exp::i32(0));
        let count = match over {
            Over::Elements(elements) => Exp::i32(elements.len() as i32),
            Over::Vector(vector) => {
                let vector = self.value(vector);
                self.hold(vector.clone());
                self.length(&vector)
            }
        };
        self.hold(count.clone());
        let task = Task::ParMap(f, over);
        let vector = match self.mode {
            Mode::Serial => {
                self.asks(task, count);
                self.copied(at)
            }
            Mode::Host | Mode::Thread => self.in_turn(task, at),
        };
        let held = if matches!(over, Over::Vector(_)) { 3 } else { 2 };
        self.live.truncate(self.live.len() - held);
        vector
    }

    /// The host goes into branches (L63).
    fn splits(&mut self) {
        let more = add(self.register(Reg::BRANCHES), Exp::i32(1));
        self.set(Reg::BRANCHES, more);
    }

    /// Stops until threads have done a task, with what is alive on the stack.
    fn asks(&mut self, task: Task<'p>, count: Exp) {
        let (scope, live) = (self.scope.clone(), self.live.clone());
        let number = self.lower.lambdas.all.len() + 1 + self.lower.threads.len();
        if let Task::ParMap(f, _) = task {
            self.lower.nested.extend(nested(f).map(std::ptr::from_ref));
        }
        self.lower.threads.push(Start { task, scope, live });
        let state = self.state();
        let frame = self.get(Reg::Stack);
        self.saves(&[]);
        self.set(Reg::Frame, frame);
        self.set(Reg::Request, Exp::i32(number as i32));
        self.set(Reg::Count, count);
        self.set(Reg::Pc, Exp::i32(state));
        self.set(Reg::Halt, Exp::i32(PHASE));
        self.starts(state);
    }

    /// The vector of what threads came to, as many as the last of what is alive says.
    fn copied(&mut self, at: Region) -> Exp {
        let count = self.last();
        let vector = self.vector(at, &count);
        let (block, first) = self.place(&vector);
        let out = self.out.clone();
        self.each(count, |to, k| {
            let value = to.read(&out, k.clone());
            let cell = to.cell(k);
            to.write(&block, add(first, cell), value);
        });
        vector
    }

    fn last(&self) -> Exp {
        self.live.last().cloned().unwrap_or_else(|| unreachable!("the number of branches is held"))
    }

    /// The branches of a `parmap` one after the other. What they came to is on the stack behind what is alive, and
    /// behind that, while a branch is done, are its number and the state that is next.
    fn in_turn(&mut self, task: Task<'p>, at: Region) -> Exp {
        let (test, next) = (self.state(), self.state());
        if self.mode == Mode::Host {
            self.splits();
        }
        let told = self.begins_nested(task);
        self.saves(&[]);
        self.set(Reg::Branch, Exp::i32(0));
        self.set(Reg::Pc, Exp::i32(test));
        self.after_branch(test, next);
        self.opens(test);
        let done = self.get(Reg::Branch);
        let sp = self.get(Reg::Stack);
        let words = self.saves_words();
        let from = self.named("from", sub(sub(sp.clone(), done.clone()), Exp::i32(words)));
        let stack = self.stack.clone();
        self.restores(&stack, &from);
        let count = self.last();
        let scope = self.scope.clone();
        let (then, orelse) = self.branch(lt(done.clone(), count.clone()));
        let live = self.live.clone();
        self.at = then;
        if let Some(told) = told {
            self.guards(told, (&sp, &done), test);
        }
        self.turn(task, &done, &sp, next);
        self.live = live;
        self.scope = scope;
        self.at = orelse;
        if let Some(told) = told {
            self.ends_nested(told);
        }
        if self.mode == Mode::Host {
            self.joins();
        }
        let results = self.named("results", add(from.clone(), Exp::i32(words)));
        let vector = self.vector(at, &count);
        let (block, first) = self.place(&vector);
        self.each(count, |to, k| {
            let value = to.read(&stack, add(results, k.clone()));
            let cell = to.cell(k);
            to.write(&block, add(first, cell), value);
        });
        self.set(Reg::Stack, from);
        vector
    }

    /// A branch: ends the state with it.
    fn turn(&mut self, task: Task<'p>, number: &Exp, sp: &Exp, next: i32) {
        let more = Exp::i32(2);
        let held = self.live.len();
        self.pushes(sp, &[number.clone(), Exp::i32(next)]);
        self.set(Reg::Stack, add(sp.clone(), more));
        debug_assert_eq!(held, self.live.len());
        self.task(task, number);
    }

    /// Writes words to the stack, from there on.
    fn pushes(&mut self, sp: &Exp, words: &[Exp]) {
        let end = add(sp.clone(), Exp::i32(words.len() as i32));
        self.is_deep_enough(end);
        let stack = self.stack.clone();
        for (offset, word) in words.iter().enumerate() {
            self.write(&stack, add(sp.clone(), Exp::i32(offset as i32)), word.clone());
        }
    }

    /// The state behind a branch: what it came to stands where its number stood.
    fn after_branch(&mut self, test: i32, next: i32) {
        self.opens(next);
        let sp = self.get(Reg::Stack);
        let top = self.named("top", sub(sp, Exp::i32(1)));
        let stack = self.stack.clone();
        let number = self.read(&stack, top.clone());
        let value = self.get(Reg::Acc);
        self.write(&stack, top, value);
        self.set(Reg::Branch, add(number, Exp::i32(1)));
        self.set(Reg::Pc, Exp::i32(test));
    }

    /// Ends the state with the branch of this number, from 0.
    pub(super) fn task(&mut self, task: Task<'p>, number: &Exp) {
        match task {
            Task::On(body) => self.tail(body),
            Task::Par(parts) => self.chooses(number, 2, &mut |to, at| to.tail(&parts[at])),
            Task::ParMap(f, Over::Vector(_)) => {
                self.hold(number.clone());
                let f = self.value(f);
                let number = self.take();
                let vector = self.live[self.live.len() - 2].clone();
                let argument = self.element(&vector, &number);
                self.applies(f, argument);
            }
            Task::ParMap(f, Over::Elements(elements)) => {
                self.hold(number.clone());
                let f = self.value(f);
                let number = self.take();
                self.hold(f);
                self.chooses(&number, elements.len(), &mut |to, at| {
                    let argument = to.value(&elements[at]);
                    let f = to.last();
                    to.applies(f, argument);
                });
            }
        }
    }

    /// A thread that does nothing but a `parmap` tells of its branches (L68). Where it is alive whether this is that one,
    /// if it may be.
    fn begins_nested(&mut self, task: Task<'p>) -> Option<usize> {
        let Task::ParMap(f, over) = task else { return None };
        let number = self.lower.nested_number(f).filter(|_| self.mode == Mode::Thread)?;
        let nests = self.get(Reg::Nests);
        let told = self.named("told", word_of(eq(nests, Exp::i32(number))));
        // It is only once.
        self.when(ne(told.clone(), Exp::i32(0)), |to| to.set(Reg::Nests, Exp::i32(0)));
        let held = if matches!(over, Over::Vector(_)) { 3 } else { 2 };
        let at = self.live.len() - held;
        self.live[at] = told;
        Some(at)
    }

    /// Before a branch that is told of: where to go on if it fails.
    fn guards(&mut self, told: usize, (sp, number): (&Exp, &Exp), test: i32) {
        let told = self.live[told].clone();
        self.when(ne(told, Exp::i32(0)), |to| {
            to.set(Reg::Guard, sp.clone());
            to.set(Reg::Next, Exp::i32(test));
            to.set(Reg::Inner, add(number.clone(), Exp::i32(1)));
        });
    }

    /// Behind the last one: the thread fails if one of them did.
    fn ends_nested(&mut self, told: usize) {
        let told = self.live[told].clone();
        self.when(ne(told, Exp::i32(0)), |to| {
            to.set(Reg::Guard, Exp::i32(0));
            to.set(Reg::Inner, Exp::i32(0));
        });
        let kept = self.get(Reg::Kept);
        self.either_fails(ne(kept, Exp::i32(0)));
    }

    /// Where the condition holds the thread fails as it was kept; what follows is done where it does not.
    fn either_fails(&mut self, cond: Exp) {
        let (then, orelse) = self.branch(cond);
        self.at = then;
        let kept = [Reg::Kept, Reg::KeptSite, Reg::KeptFirst, Reg::KeptSecond, Reg::KeptInner];
        let told = [Reg::Halt, Reg::Site, Reg::First, Reg::Second, Reg::Inner];
        for (from, to) in kept.into_iter().zip(told) {
            let value = self.get(from);
            self.set(to, value);
        }
        self.at = orelse;
    }

    /// Behind each state of a thread: a branch that is told of has failed, and the next one goes on.
    pub(super) fn catches(&mut self) {
        let (halt, guard) = (self.get(Reg::Halt), self.get(Reg::Guard));
        let failed = Exp::bin(BinOp::Le, Exp::i32(GAVE_UP), halt.clone());
        let caught = and(failed, ne(guard.clone(), Exp::i32(0)));
        self.when(caught, |to| {
            let kept = to.get(Reg::Kept);
            let inner = to.get(Reg::Inner);
            let first = or(eq(kept.clone(), Exp::i32(0)), lt(halt.clone(), kept));
            to.when(first, |to| {
                let told = [Reg::Halt, Reg::Site, Reg::First, Reg::Second, Reg::Inner];
                let kept =
                    [Reg::Kept, Reg::KeptSite, Reg::KeptFirst, Reg::KeptSecond, Reg::KeptInner];
                for (from, into) in told.into_iter().zip(kept) {
                    let value = to.get(from);
                    to.set(into, value);
                }
            });
            to.set(Reg::Halt, Exp::i32(0));
            // The number of the branch stands for what it came to.
            to.set(Reg::Stack, add(guard, Exp::i32(1)));
            to.set(Reg::Branch, inner);
            let next = to.get(Reg::Next);
            to.set(Reg::Pc, next);
        });
    }
}

/// Is a function literally one that does nothing but a `parmap`? That `parmap`'s function.
pub(super) fn nested(f: &Source) -> Option<&Source> {
    match &f.kind {
        Kind::Fn(lambda) => match &lambda.body.kind {
            Kind::ParMap(inner, ..) => Some(inner),
            _ => None,
        },
        _ => None,
    }
}
