//! Small steps of IMP (extension): a read or a write is one step, and so is every other
//! statement without statements inside, the choice of a branch, the start of a round and the
//! start of a kernel. A [`Schedule`] chooses which thread makes the next step; threads of nested
//! kernels take part like any other.
//!
//! In order the small steps equal the big step ([`laws`](super::laws)).

use super::observe;
use super::rules::Rule;
use super::syntax::{Kind, Program, Stm};
use super::values::{Env, Path, Shared};
use crate::kit::derivation::Recorder;
use crate::kit::memory::Memory;
use crate::kit::names::Var;
use crate::kit::outcome::{Budget, Cause, Outcome, Stuck, Value, Why, cells, holds};
use crate::kit::run::{Eval, Stop};
use crate::kit::schedule::{Permutation, Schedule, Step};
use crate::kit::text::Span;

/// How many threads of one kernel have started and not ended, at most, in a schedule that preempts. Every
/// order of the steps of so many neighbours is possible, and a kernel of a million threads needs no
/// million environments.
const WINDOW: usize = 32;

/// Bytes of a thread besides its environment, and of the kernel that it may wait for: their
/// records, and what these own.
const AROUND: usize = size_of::<Thread<'_>>() + size_of::<Kernel<'_>>() + 256;

/// Runs a well-typed program by small steps, until no thread can make one.
pub fn run(
    program: &Program,
    input: &[Value],
    schedule: impl Into<Box<dyn Schedule>>,
    budget: &Budget,
    recorder: &mut Recorder<Rule>,
) -> Outcome {
    run_in(&mut Memory::default(), program, input, schedule, budget, recorder)
}

/// [`run`] in the memory of runs before.
pub fn run_in(
    memory: &mut Memory,
    program: &Program,
    input: &[Value],
    schedule: impl Into<Box<dyn Schedule>>,
    budget: &Budget,
    recorder: &mut Recorder<Rule>,
) -> Outcome {
    // Its threads have no turns that a tap could be told of.
    recorder.take_tap();
    let mut shared = Shared::new(memory, program, budget, recorder);
    let mut env = Env::new(&program.names);
    let started = observe::start(&mut shared, program, input, &mut env);
    let schedule = schedule.into();
    let mut machine = Machine {
        shared,
        each: (AROUND + 4 * program.names.len()) as u64,
        memory: budget.memory,
        preempts: schedule.preempts(),
        schedule,
        threads: Vec::new(),
        free: Vec::new(),
        kernels: Vec::new(),
        runnable: Vec::new(),
        env: None,
    };
    let body = started.and_then(|()| {
        machine.spawn(Thread {
            env: env.clone(),
            frames: vec![Frame::Seq(&program.body)],
            path: Path::default(),
            kernel: None,
            rounds: 0,
        });
        machine.run()
    });
    let env = machine.env.take().unwrap_or(env);
    observe::outcome(memory, machine.shared, program, &env, body)
}

/// What a thread still has to do, innermost last.
enum Frame<'p> {
    /// The rest of a sequence.
    Seq(&'p [Stm]),
    /// The rounds of a `for` from `next` on.
    For { counter: Var, next: i64, count: i64, body: &'p [Stm] },
}

struct Thread<'p> {
    env: Env,
    frames: Vec<Frame<'p>>,
    path: Path,
    /// The kernel whose iteration it is.
    kernel: Option<usize>,
    /// Rounds of loops and of nested kernels.
    rounds: u64,
}

/// A kernel that runs. The thread that started it waits.
struct Kernel<'p> {
    parent: usize,
    thread: Var,
    count: u64,
    body: &'p [Stm],
    span: Span,
    instance: u32,
    order: Permutation,
    started: u64,
    running: usize,
    rounds: u64,
    lowest: Option<Stuck>,
}

struct Machine<'r, 'p> {
    shared: Shared<'r>,
    /// Bytes of a thread, and how many all of them may have: kernels in one another run as many as
    /// the product of their windows.
    each: u64,
    memory: u64,
    schedule: Box<dyn Schedule>,
    /// Of the schedule: is a thread left where it could go on?
    preempts: bool,
    threads: Vec<Option<Thread<'p>>>,
    free: Vec<usize>,
    kernels: Vec<Option<Kernel<'p>>>,
    runnable: Vec<usize>,
    /// The environment of the thread outside kernels, when it has ended.
    env: Option<Env>,
}

impl<'p> Machine<'_, 'p> {
    fn spawn(&mut self, thread: Thread<'p>) {
        let id = match self.free.pop() {
            Some(id) => {
                self.threads[id] = Some(thread);
                id
            }
            None => {
                self.threads.push(Some(thread));
                self.threads.len() - 1
            }
        };
        self.runnable.push(id);
    }

    fn run(&mut self) -> Eval {
        while !self.runnable.is_empty() {
            // Without preemption there is one: a kernel starts a thread when the one before has ended.
            let at = if self.preempts { self.schedule.next(self.runnable.len()) } else { 0 };
            while self.advance(at)? && (!self.preempts || self.schedule.stays(Step::Plain)) {}
        }
        Ok(())
    }

    /// One step of the runnable thread at place `at`: can it make another one?
    fn advance(&mut self, at: usize) -> Eval<bool> {
        let id = self.runnable[at];
        let Some(mut thread) = self.threads[id].take() else {
            unreachable!("a runnable thread exists")
        };
        match self.step(&mut thread) {
            Ok(Made::Step) => {
                self.threads[id] = Some(thread);
                return Ok(true);
            }
            Ok(Made::End) => {
                self.runnable.swap_remove(at);
                self.free.push(id);
                self.end(thread, None)?;
            }
            Ok(Made::Kernel(kernel)) => {
                self.runnable.swap_remove(at);
                self.threads[id] = Some(thread);
                self.kernels.push(Some(Kernel { parent: id, ..*kernel }));
                let kernel = self.kernels.len() - 1;
                if self.start(kernel)? == 0 {
                    self.join(kernel)?;
                }
            }
            Err(stop) => match *stop {
                Stop::Stuck(stuck) => {
                    self.runnable.swap_remove(at);
                    self.free.push(id);
                    self.end(thread, Some(stuck))?;
                }
                stop => return Err(Box::new(stop)),
            },
        }
        Ok(false)
    }

    /// Starts threads of the kernel as long as the window allows: how many run.
    fn start(&mut self, id: usize) -> Eval<usize> {
        let window = if self.preempts { WINDOW } else { 1 };
        loop {
            let Some(kernel) = &mut self.kernels[id] else { return Ok(0) };
            if kernel.started == kernel.count || kernel.running == window {
                return Ok(kernel.running);
            }
            // A thread has an environment of its own.
            self.shared.charge(1 + cells(self.shared.state.names.len() as u64))?;
            let bytes = (self.threads.len() - self.free.len()) as u64 * self.each;
            if bytes > self.memory {
                return Err(Why::Memory(bytes).into());
            }
            let i = (kernel.order.at(kernel.started) + 1) as i32;
            kernel.started += 1;
            kernel.running += 1;
            let Some(parent) = &self.threads[kernel.parent] else {
                unreachable!("who started a kernel waits for it")
            };
            let mut env = parent.env.clone();
            env.set_int(kernel.thread, i);
            let mut path = parent.path.clone();
            path.enter(kernel.instance, i, kernel.span);
            if path.places.len() == 1 {
                self.shared.state.meter.stats.threads += 1;
            }
            let frames = vec![Frame::Seq(kernel.body)];
            self.spawn(Thread { env, frames, path, kernel: Some(id), rounds: 0 });
        }
    }

    /// The thread has nothing left to do, or is stuck.
    fn end(&mut self, thread: Thread<'p>, stuck: Option<Stuck>) -> Eval {
        let Some(id) = thread.kernel else {
            self.env = Some(thread.env);
            return stuck.map_or(Ok(()), |stuck| Err(stuck.into()));
        };
        if thread.path.places.len() == 1 {
            self.shared.state.meter.stats.rounds =
                self.shared.state.meter.stats.rounds.max(thread.rounds);
        }
        let Some(kernel) = &mut self.kernels[id] else {
            unreachable!("a kernel lives as long as its threads")
        };
        kernel.running -= 1;
        kernel.rounds += thread.rounds;
        if let Some(stuck) = stuck
            && kernel.lowest.as_ref().is_none_or(|lowest| stuck.thread < lowest.thread)
        {
            kernel.lowest = Some(stuck);
            if kernel.order.is_forward() && !self.preempts {
                // None that would follow is lower.
                kernel.started = kernel.count;
            }
        }
        if self.start(id)? == 0 { self.join(id) } else { Ok(()) }
    }

    /// All threads of the kernel have ended: the thread that started it goes on, or is stuck as the lowest
    /// of them.
    fn join(&mut self, id: usize) -> Eval {
        let Some(kernel) = self.kernels[id].take() else { return Ok(()) };
        while matches!(self.kernels.last(), Some(None)) {
            self.kernels.pop();
        }
        let Some(parent) = &mut self.threads[kernel.parent] else {
            unreachable!("who started a kernel waits for it")
        };
        if !parent.path.places.is_empty() {
            parent.rounds += kernel.rounds + kernel.count;
        }
        match kernel.lowest {
            None => self.runnable.push(kernel.parent),
            Some(stuck) => {
                self.free.push(kernel.parent);
                if let Some(parent) = self.threads[kernel.parent].take() {
                    return self.end(parent, Some(stuck));
                }
            }
        }
        Ok(())
    }

    fn step(&mut self, thread: &mut Thread<'p>) -> Eval<Made<'p>> {
        let stm: &'p Stm = loop {
            match thread.frames.last_mut() {
                None => return Ok(Made::End),
                Some(Frame::Seq([])) => {
                    thread.frames.pop();
                }
                Some(Frame::Seq(stms)) => {
                    let [first, rest @ ..] = *stms else { unreachable!("it is not empty") };
                    *stms = rest;
                    break first;
                }
                Some(Frame::For { next, count, .. }) if *next > *count => {
                    thread.frames.pop();
                }
                Some(Frame::For { counter, next, body, .. }) => {
                    self.shared.charge(1)?;
                    thread.rounds += 1;
                    thread.env.set_int(*counter, *next as i32);
                    *next += 1;
                    let body = *body;
                    thread.frames.push(Frame::Seq(body));
                    return Ok(Made::Step);
                }
            }
        };
        self.shared.state.meter.stopped = Some(stm.span);
        self.shared.state.meter.statement()?;
        let (span, env, path) = (stm.span, &mut thread.env, &thread.path);
        match &stm.kind {
            Kind::If { cond, then, orelse } => {
                let k = env.atom(*cond);
                let (rule, branch) =
                    if k != 0 { (Rule::ETrue, then) } else { (Rule::EFalse, orelse) };
                self.shared.state.recorder.enter(rule, || format!("if, condition {k}"));
                self.shared.state.recorder.leave(String::new);
                thread.frames.push(Frame::Seq(branch));
            }
            Kind::For { counter, count, body } => {
                let rule = Rule::EFor;
                self.shared.state.recorder.enter(rule, || "for".to_owned());
                let k = self.shared.exact(rule, span, count, env, path)?;
                if !holds(Cause::NegativeCount, &[k]) {
                    let cause = Cause::NegativeCount;
                    return Err(self.shared.stuck(rule, span, cause, &[k], path));
                }
                self.shared.state.recorder.leave(|| format!("{k} rounds"));
                thread.frames.push(Frame::For { counter: *counter, next: 1, count: k, body });
            }
            Kind::Kernel { thread: own, count, body } => {
                let rule = Rule::EKernel;
                self.shared.state.recorder.enter(rule, || "kernel".to_owned());
                let k = self.shared.exact(rule, span, count, env, path)?;
                if !holds(Cause::NegativeSize, &[k]) {
                    let cause = Cause::NegativeSize;
                    return Err(self.shared.stuck(rule, span, cause, &[k], path));
                }
                self.shared.state.recorder.leave(|| format!("{k} iterations"));
                let order = self.schedule.order(k as u64);
                return Ok(Made::Kernel(Box::new(Kernel {
                    parent: 0,
                    thread: *own,
                    count: k as u64,
                    body,
                    span,
                    instance: self.shared.kernel(),
                    order,
                    started: 0,
                    running: 0,
                    rounds: 0,
                    lowest: None,
                })));
            }
            _ => self.shared.simple(stm, env, path)?,
        }
        Ok(Made::Step)
    }
}

/// What a step came to.
enum Made<'p> {
    /// The thread can make another.
    Step,
    /// The thread had nothing left to do.
    End,
    /// The thread waits for a kernel, whose parent is filled in by the machine.
    Kernel(Box<Kernel<'p>>),
}
