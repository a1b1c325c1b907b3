//! Small steps of FCL: `e ↪ e'` at a location, one function a rule (section 5.2, rules 36 to 42).
//!
//! The term is kept as an abstract machine ([`machine`]): closures with environments instead of
//! substitution, and a stack of frames instead of the context that E-CONTEXT says nothing new about. A
//! [`step`](Run::step) looks for the next redex, to the left of which all is a value, and applies one
//! rule to it.
//!
//! One machine evaluates the program. Where it forces an array at a group, each thread of the group is
//! given a machine of its own, and all of them step together ([`force`]).
//!
//! An application that a rule makes, as E-MAP-PULL makes `e e₁` to `e eₙ`, has the place of the
//! application that the rule steps. A premise fails at the application that does not step; the premises
//! of a delayed array but for `level` fail at the `concat` or `interleave` that made it, since not every
//! force stands in the program.

mod arrays;
mod border;
mod chunks;
pub(crate) mod code;
mod force;
mod functions;
mod loops;
pub(crate) mod machine;
mod read_back;
mod scalars;
mod told;

use super::doubles::{DOUBLES, Format};
use super::location::{LOCATION, Location, Machine as Hardware};
use super::rules::Rule;
use super::syntax::{Op, Program};
use super::types::{self, Typed};
use super::values::{Arg, Env, Thunk, Val};
use crate::kit::derivation::Recorder;
use crate::kit::heap::Ledger;
use crate::kit::language::How;
use crate::kit::names::Names;
use crate::kit::outcome::{Budget, Outcome, Value, Why};
use crate::kit::run::{Eval, Evaluator, State, Stop};
use crate::kit::schedule::{Order, Schedule};
use crate::kit::text::Span;
use code::{Code, Node};
use force::Lane;
use machine::{Control, Frame, Machine, Part};
use read_back::ReadBack;
use smallvec::smallvec;
use std::rc::Rc;
use told::Told;

pub use border::Signature;
pub use chunks::UNSEEN;

/// What a run depends on besides program and input.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The machine that it runs on.
    pub machine: Hardware,
    /// The format of doubles in compiled code.
    pub doubles: Format,
    /// In which order the chunks of a delayed array are evaluated and forced.
    pub order: Order,
    /// What it may use.
    pub budget: Budget,
}

impl Setting {
    /// The one that the options of a run say.
    ///
    /// # Panics
    /// If they say none: the options refuse what is none.
    pub fn of(how: &How<'_>) -> Self {
        let machine = Hardware::parse(how.settings.get(&LOCATION)).expect("the option has a form");
        let doubles = Format::named(how.settings.get(&DOUBLES)).expect("the option has two values");
        let order = Order::of_variant(how.variant, how.schedule);
        Self { machine, doubles, order, budget: *how.budget }
    }
}

impl From<Typed> for Signature {
    fn from(typed: Typed) -> Self {
        let params = typed.params.into_iter().map(|param| param.ty).collect();
        Self { params, element: typed.element, level: typed.level }
    }
}

/// Runs a well-typed program on an input that fits, by the options `location` and `doubles`.
///
/// # Panics
/// If the program is not well typed or the input does not fit.
pub fn run(
    program: &Program,
    input: &[Value],
    how: &How<'_>,
    recorder: &mut Recorder<Rule>,
) -> Outcome {
    let typed = types::infer(program, &mut Recorder::counting()).expect("it is well typed");
    run_as(program, &typed.into(), input, &Setting::of(how), recorder)
}

/// Forces a well-typed program of this signature, applied to an input that fits, at a location of its level.
///
/// # Panics
/// If the program is not well typed or the input does not fit.
pub fn run_as(
    program: &Program,
    signature: &Signature,
    input: &[Value],
    setting: &Setting,
    recorder: &mut Recorder<Rule>,
) -> Outcome {
    execute(program, signature, input, setting, recorder, None)
}

/// [`run_as`], which shows every `every`th term that the program steps to, if it is not too large, as a program that
/// has its signature: `e`, and when that is forced, `push <γ> (force e)`.
pub fn watched(
    program: &Program,
    signature: &Signature,
    input: &[Value],
    setting: &Setting,
    every: usize,
    each: &mut dyn FnMut(&Program),
) -> Outcome {
    let watch = Watch { program, level: signature.level, every: every.max(1), passed: 0, each };
    execute(program, signature, input, setting, &mut Recorder::counting(), Some(watch))
}

fn execute(
    program: &Program,
    signature: &Signature,
    input: &[Value],
    setting: &Setting,
    recorder: &mut Recorder<Rule>,
    mut watch: Option<Watch<'_>>,
) -> Outcome {
    let (code, main) = Code::of(program, setting.doubles);
    let mut run = Run {
        state: State::new(&program.names, recorder, &setting.budget),
        code: &code,
        machine: Machine::default(),
        place: setting.machine.location(signature.level),
        element: None,
        around: Vec::new(),
        lanes: Vec::new(),
        schedule: setting.order.schedule(),
        suspended: Vec::new(),
        part: None,
        ledger: Rc::new(Ledger::new(setting.budget.memory)),
        memory: setting.budget.memory,
        stacks: 0,
        setting,
    };
    let ended = run.program(main, signature, input, &mut watch);
    run.state.meter.stats.elements = run.ledger.peak();
    let (ended, tolerances) = match ended {
        Ok((values, tolerances)) => (Ok(values), tolerances),
        Err(stop) => {
            let stop = run.noted(stop);
            let stop = match program.main() {
                Some(main) => run.state.meter.stops(main.span, stop),
                None => stop,
            };
            (Err(stop), Vec::new())
        }
    };
    Outcome { tolerances, ..run.state.meter.outcome(ended) }
}

/// Who looks at the terms that a program steps to.
struct Watch<'w> {
    program: &'w Program,
    level: u32,
    /// Of so many terms one is shown.
    every: usize,
    /// How many there were since the last that was.
    passed: usize,
    each: &'w mut dyn FnMut(&Program),
}

impl Watch<'_> {
    /// The term that the machine has come to.
    fn sees(&mut self, run: &Run<'_>, is_forced: bool) {
        self.passed += 1;
        if self.passed < self.every {
            return;
        }
        self.passed = 0;
        let names = self.program.names.clone();
        let reader = ReadBack::new(run.code, names, self.level);
        let Some((mut term, names)) = reader.machine(&run.machine) else { return };
        if is_forced {
            term = read_back::push(self.level, term);
        }
        let mut seen = Program { names, defs: self.program.defs.clone() };
        let main = self.program.main().expect("T-MAIN: a program has a definition").name;
        for def in &mut seen.defs {
            if def.name == main {
                (def.sig, def.body) = (None, term.clone());
            }
        }
        (self.each)(&seen);
    }
}

/// The state of a run.
pub(crate) struct Run<'a> {
    state: State<'a, Rule>,
    code: &'a Code<'a>,
    /// What steps.
    machine: Machine,
    /// Where it steps.
    place: Location,
    /// The element that it evaluates, from 0, if it is a thread of a group.
    element: Option<i32>,
    /// The path of the machine that waits for the threads of a group.
    around: Vec<i32>,
    /// Machines of threads, to be used again.
    lanes: Vec<Lane>,
    /// What says in which order chunks go.
    schedule: Box<dyn Schedule>,
    /// Machines that wait for chunks in another order than theirs.
    suspended: Vec<Machine>,
    /// What such a chunk came to.
    part: Option<Part>,
    ledger: Rc<Ledger>,
    /// Bytes that arrays, and bytes that stacks may take; and how many the stacks take.
    memory: u64,
    stacks: u64,
    setting: &'a Setting,
}

impl<'a> Evaluator<'a> for Run<'a> {
    type Rule = Rule;
    type Subject = str;

    #[inline]
    fn state(&mut self) -> &mut State<'a, Rule> {
        &mut self.state
    }

    fn text(_: &Names, subject: &str) -> String {
        subject.to_owned()
    }

    fn depth(&self) -> usize {
        usize::from(self.element.is_some())
    }

    fn thread(&self) -> Vec<i32> {
        let mut path = self.around.clone();
        path.extend(self.element.map(|element| element + 1));
        self.machine.path(&mut path);
        path
    }
}

impl Run<'_> {
    /// A rule is applied: a step, and a node of the derivation.
    #[inline]
    fn opens(&mut self, rule: Rule, redex: impl FnOnce(Told<'_, '_>) -> String) -> Eval {
        self.state.meter.statement()?;
        self.notes(rule, redex);
        self.state.recorder.fire(Rule::EContext, u64::from(!self.machine.frames.is_empty()));
        Ok(())
    }

    /// A node of the derivation.
    #[inline]
    fn notes(&mut self, rule: Rule, redex: impl FnOnce(Told<'_, '_>) -> String) {
        let Self { state, code, place, element, .. } = self;
        let names = state.names;
        state.recorder.enter(rule, || {
            let redex = redex(Told { names, code });
            match element {
                Some(element) => format!("{place}, element {}: {redex}", *element + 1),
                None => format!("{place}: {redex}"),
            }
        });
    }

    /// The rule was applied, and gave a value.
    #[inline]
    fn gives(&mut self, val: Val) -> Eval {
        let Self { state, code, .. } = self;
        let names = state.names;
        state.recorder.leave(|| Told { names, code }.val(&val));
        self.machine.control = Control::Return(val);
        Ok(())
    }

    /// The rule was applied, and gave what is evaluated next.
    #[inline]
    fn closes(&mut self) -> Eval {
        self.state.recorder.leave(String::new);
        Ok(())
    }

    /// What is evaluated next stands in this frame.
    #[inline]
    fn push(&mut self, frame: Frame) -> Eval {
        if self.machine.frames.len() == self.machine.frames.capacity() {
            self.grows()?;
        }
        self.machine.frames.push(frame);
        Ok(())
    }

    /// A stack gets twice as large.
    #[cold]
    fn grows(&mut self) -> Eval {
        let more = self.machine.frames.capacity().max(8);
        self.takes((more * size_of::<Frame>()) as u64)?;
        self.machine.frames.reserve_exact(more);
        Ok(())
    }

    /// Stacks take so many bytes more.
    fn takes(&mut self, bytes: u64) -> Eval {
        self.stacks += bytes;
        if self.stacks > self.memory { Err(Why::Memory(self.stacks).into()) } else { Ok(()) }
    }

    /// A stop without an answer, whose place is noted.
    #[cold]
    fn noted(&mut self, stop: Box<Stop>) -> Box<Stop> {
        let place = match &*stop {
            Stop::Stuck(stuck) if stuck.site.cause.gives_up().is_none() => return stop,
            Stop::Stuck(stuck) => Some(stuck.site.span).filter(|at| at.start < at.end),
            Stop::Unknown(_) | Stop::Broken(_) => None,
        };
        match place.or_else(|| self.last_place()) {
            Some(place) => self.state.meter.stops(place, stop),
            None => stop,
        }
    }

    /// The place of the innermost thing that waits for a value.
    fn last_place(&self) -> Option<Span> {
        let mut places =
            self.machine.frames.iter().rev().filter_map(|frame| frame.place(self.code));
        places.find(|place| place.start < place.end)
    }

    /// Steps until what is evaluated is a value.
    fn value(&mut self) -> Eval<Val> {
        while self.step()? {}
        self.result()
    }

    /// [`Run::value`], shown to whoever looks.
    fn seen(&mut self, is_forced: bool, watch: &mut Option<Watch<'_>>) -> Eval<Val> {
        let Some(watch) = watch else { return self.value() };
        watch.sees(self, is_forced);
        while self.step()? {
            watch.sees(self, is_forced);
        }
        self.result()
    }

    fn result(&mut self) -> Eval<Val> {
        match std::mem::take(&mut self.machine.control) {
            Control::Return(val) => Ok(val),
            _ => unreachable!("it does not step"),
        }
    }

    /// `e ↪ e'`: false if `e` is a value.
    ///
    /// ```text
    /// e ↪ e'
    /// ─────────────── E-CONTEXT
    /// E[e] ↪ E[e']
    /// ```
    #[inline]
    fn step(&mut self) -> Eval<bool> {
        loop {
            match std::mem::take(&mut self.machine.control) {
                Control::Eval(id, env) => match self.code.node(id) {
                    Node::Apply(op, first) => {
                        if self.operands(id, op, first, 0, env)? {
                            return Ok(true);
                        }
                    }
                    Node::App(f, arg) => {
                        self.push(Frame::Fun(arg, env.clone(), self.code.span(id)))?;
                        self.machine.control = Control::Eval(f, env);
                    }
                    Node::LevelApp(f, at) => {
                        let level = at.succs + at.var.map_or(0, |var| level(env.get(var)));
                        self.push(Frame::Level(level))?;
                        self.machine.control = Control::Eval(f, env);
                    }
                    Node::Let(bound, body) => {
                        self.push(Frame::Let(body, env.clone()))?;
                        self.machine.control = Control::Eval(bound, env);
                    }
                    Node::If(cond, then, orelse) => {
                        self.push(Frame::If(then, orelse, env.clone()))?;
                        self.machine.control = Control::Eval(cond, env);
                    }
                    Node::Pair(a, b) => {
                        self.charge(1)?;
                        self.push(Frame::Left(b, env.clone()))?;
                        self.machine.control = Control::Eval(a, env);
                    }
                    Node::Def(body) => {
                        self.charge(1)?;
                        self.machine.control = Control::Eval(body, Env::default());
                    }
                    Node::Op(op) if op.arity() == 0 => {
                        self.operator_at(op, self.code.span(id))?;
                        return Ok(true);
                    }
                    node => {
                        let val = atom(node, &env)?;
                        let val = val.map_or_else(|| self.constructor(node, env), Ok)?;
                        self.machine.control = Control::Return(val);
                    }
                },
                Control::Apply(f, arg, span) => {
                    if self.apply(f, arg, span)? {
                        return Ok(true);
                    }
                }
                Control::Return(val) => {
                    let Some(frame) = self.machine.frames.pop() else {
                        self.machine.control = Control::Return(val);
                        return Ok(false);
                    };
                    if self.resume(frame, val)? {
                        return Ok(true);
                    }
                }
            }
        }
    }

    /// A value comes into its context: true if that was a step.
    #[inline]
    fn resume(&mut self, frame: Frame, val: Val) -> Eval<bool> {
        match frame {
            Frame::Operand(id, next, env) => {
                let Node::Apply(op, first) = self.code.node(id) else {
                    unreachable!("operands are of an operator")
                };
                self.machine.operands.push(val);
                return self.operands(id, op, first, next, env);
            }
            Frame::Fun(arg, env, span) => {
                if is_lazy(&val) {
                    return self.delays(val, Thunk::Code(arg, env), span);
                }
                match atom(self.code.node(arg), &env)? {
                    Some(arg) => return self.apply(val, arg, span),
                    None => {
                        self.push(Frame::Arg(val, span))?;
                        self.machine.control = Control::Eval(arg, env);
                    }
                }
                return Ok(false);
            }
            Frame::Arg(f, span) => return self.apply(f, val, span),
            Frame::To(arg, span) => return self.apply(val, arg, span),
            Frame::Let(body, env) => self.e_let(val, body, env)?,
            Frame::If(then, orelse, env) => self.e_if(val.bool(), then, orelse, env)?,
            Frame::Left(right, env) => {
                self.push(Frame::Right(val))?;
                self.machine.control = Control::Eval(right, env);
                return Ok(false);
            }
            Frame::Right(left) => {
                self.machine.control = Control::Return(Val::pair([left, val])?);
                return Ok(false);
            }
            Frame::Level(level) => return self.level_apply(val, level),
            other => return self.resume_arrays(other, val),
        }
        Ok(true)
    }

    /// A value comes into the context of an array.
    // Out of line, so that the others keep to registers.
    #[inline(never)]
    fn resume_arrays(&mut self, frame: Frame, val: Val) -> Eval<bool> {
        match frame {
            Frame::LengthSize(delayed, span) => self.e_length_concat(&delayed, val.int(), span)?,
            Frame::LengthChunks(m) => {
                let length = self.product(m, val.pull().len())?;
                self.machine.control = Control::Return(Val::Int(length));
                return Ok(false);
            }
            Frame::Sequential(force) => return self.sequential(force, val),
            Frame::Size(delayed, span) => self.sized(delayed, val.int(), span)?,
            Frame::Chunks(delayed, m, span) => self.begin_chunks(delayed, m, val.pull(), span)?,
            Frame::Chunk(chunks) => return self.chunk(chunks, val),
            Frame::Loop(rounds) => return self.round(rounds, val),
            _ => unreachable!("the others are not of arrays"),
        }
        Ok(true)
    }

    /// Evaluates the operands of an operator from `next` on, and applies it: true if that was a step.
    #[inline]
    fn operands(&mut self, id: u32, op: Op, first: u32, mut next: u32, env: Env) -> Eval<bool> {
        if is_lazy_op(op) {
            return self.delays_all(op, first, env, self.code.span(id));
        }
        while (next as usize) < op.arity() {
            let arg = self.code.part(first + next);
            next += 1;
            match atom(self.code.node(arg), &env)? {
                Some(val) => self.machine.operands.push(val),
                None => {
                    self.push(Frame::Operand(id, next, env.clone()))?;
                    self.machine.control = Control::Eval(arg, env);
                    return Ok(false);
                }
            }
        }
        drop(env);
        self.operator_at(op, self.code.span(id))?;
        Ok(true)
    }

    /// A thunk is evaluated.
    fn eval(&mut self, thunk: &Thunk) -> Eval {
        self.machine.control = match thunk {
            Thunk::Code(id, env) => Control::Eval(*id, env.clone()),
            Thunk::Val(val) => Control::Return(val.clone()),
            Thunk::Element(of, at) => return self.element(of, *at),
            Thunk::MapChunks { f, of, span, .. } => {
                let f = Val::partial(Op::MapPush, smallvec![Arg::Val(f.clone())])?;
                let f = Val::partial(Op::MapPull, smallvec![Arg::Val(f)])?;
                self.push(Frame::Arg(f, *span))?;
                return self.eval(of);
            }
        };
        Ok(())
    }
}

/// A value that takes no step and no memory to find.
#[inline]
fn atom(node: Node, env: &Env) -> Eval<Option<Val>> {
    Ok(Some(match node {
        Node::Local(at) => env.get(at).clone(),
        Node::Int(k) => Val::Int(k),
        Node::Bool(b) => Val::Bool(b),
        Node::Double(x) => Val::Double(x.map_err(Why::from)?),
        _ => return Ok(None),
    }))
}

fn level(val: &Val) -> u32 {
    match val {
        Val::Level(level) => *level,
        other => unreachable!("K-VAR promises a level, not {other:?}"),
    }
}

/// Does the operator leave its arguments unevaluated?
fn is_lazy_op(op: Op) -> bool {
    matches!(op, Op::Concat | Op::Interleave)
}

/// Is it such an operator, with some of its arguments perhaps?
#[inline]
fn is_lazy(f: &Val) -> bool {
    match f {
        Val::Op(op) => is_lazy_op(*op),
        Val::Partial(partial) => is_lazy_op(partial.op),
        _ => false,
    }
}

/// Where a stop stands that no application of the program is at.
const NOWHERE: Span = Span { start: 0, end: 0 };

#[cfg(test)]
mod tests;
