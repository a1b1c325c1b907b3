//! From the state of a machine back to the term that it stands for: values for variables, and the context
//! around what is evaluated.
//!
//! A delayed array whose chunks are being forced is read back as it was before, since (42) is one step. Each
//! `concat` is the body of a function here: a step may bring it to another level than that of the term around
//! it, which typing allows in functions only (reading 8).

use super::code::{At, Code, Node};
use super::is_lazy_op;
use super::machine::{Control, Frame, Loop, Machine, Sequential, Stage};
use crate::fcl::syntax::{Exp, Kind, Let, Level, Op};
use crate::fcl::values::Id;
use crate::fcl::values::{Arg, Closure, Delayed, Env, Pull, Thunk, Val};
use crate::kit::names::{Names, Var};
use crate::kit::text::Span;

/// The code that the term is of, and the names of the variables that it binds.
pub(crate) struct ReadBack<'r, 'p> {
    code: &'r Code<'p>,
    names: Names,
    /// The level of the location.
    level: u32,
    /// Variables that are bound inside of the environment, the innermost last.
    scope: Vec<Var>,
    /// How many expressions may still be made.
    left: usize,
}

/// More expressions are no term that anybody looks at: an array of all ints is one value, and 2³¹ elements as a term.
const MOST_EXPRESSIONS: usize = 20_000;

fn exp(kind: Kind) -> Exp {
    Exp::new(Span::default(), kind)
}

/// `push <γ> array`
pub(super) fn push(level: u32, array: Exp) -> Exp {
    let push = Kind::LevelApp(Box::new(exp(Kind::Op(Op::Push))), Level::number(level));
    Exp::app(exp(push), array)
}

impl<'r, 'p> ReadBack<'r, 'p> {
    /// Reads back what a machine does at a location of this level.
    pub(crate) fn new(code: &'r Code<'p>, names: Names, level: u32) -> Self {
        Self { code, names, level, scope: Vec::new(), left: MOST_EXPRESSIONS }
    }

    /// The term, and the names that it takes beside those of the program; nothing if it has more than
    /// [`MOST_EXPRESSIONS`].
    pub(crate) fn machine(mut self, machine: &Machine) -> Option<(Exp, Names)> {
        let mut hole = match &machine.control {
            Control::Eval(id, env) => self.code(*id, env),
            Control::Return(val) => self.val(val),
            Control::Apply(f, arg, _) => Exp::app(self.val(f), self.val(arg)),
        };
        let mut operands = machine.operands.len();
        for frame in machine.frames.iter().rev() {
            hole = self.frame(frame, hole, &machine.operands, &mut operands);
        }
        (self.left > 0).then_some((hole, self.names))
    }

    /// Is the term small enough with so many expressions more?
    fn has_room(&mut self, expressions: usize) -> bool {
        self.left = self.left.saturating_sub(expressions);
        self.left > 0
    }

    fn frame(&mut self, frame: &Frame, hole: Exp, vals: &[Val], operands: &mut usize) -> Exp {
        match frame {
            Frame::Fun(arg, env, _) => Exp::app(hole, self.code(*arg, env)),
            Frame::Arg(f, _) => Exp::app(self.val(f), hole),
            Frame::To(arg, _) => Exp::app(hole, self.val(arg)),
            Frame::Level(level) => exp(Kind::LevelApp(Box::new(hole), Level::number(*level))),
            Frame::Left(right, env) => exp(Kind::Pair(Box::new([hole, self.code(*right, env)]))),
            Frame::Right(left) => exp(Kind::Pair(Box::new([self.val(left), hole]))),
            Frame::Let(body, env) => {
                let (var, body) = self.inside(*body, env);
                exp(Kind::Let(Box::new(Let { var, sig: None, bound: hole, body })))
            }
            Frame::If(then, orelse, env) => {
                let branches = [hole, self.code(*then, env), self.code(*orelse, env)];
                exp(Kind::If(Box::new(branches)))
            }
            Frame::Operand(id, next, env) => {
                let Node::Apply(op, first) = self.code.node(*id) else {
                    unreachable!("operands are of an operator")
                };
                let before = *next as usize - 1;
                *operands -= before;
                let mut args: Vec<Exp> =
                    vals[*operands..*operands + before].iter().map(|val| self.val(val)).collect();
                args.push(hole);
                let after = *next..op.arity() as u32;
                args.extend(after.map(|at| self.code(self.code.part(first + at), env)));
                self.apply(op, args)
            }
            Frame::LengthSize(delayed, _) => {
                let array = self.delayed_of(delayed, hole);
                self.apply(Op::LengthPush, [array])
            }
            Frame::LengthChunks(m) => {
                let array = self.apply(Op::Concat, [exp(Kind::Int(*m)), hole]);
                self.apply(Op::LengthPush, [array])
            }
            Frame::Sequential(force) => self.sequential(force, hole),
            Frame::Size(delayed, _) | Frame::Chunks(delayed, ..) => self.forced(delayed),
            Frame::Chunk(chunks) => self.forced(&chunks.delayed),
            Frame::Loop(rounds) => self.rounds(rounds, hole),
        }
    }

    /// `force [bv, …, □, …, e]<thread>`
    fn sequential(&mut self, force: &Sequential, hole: Exp) -> Exp {
        let at = force.at as usize;
        if !self.has_room(force.cells.len()) {
            return hole;
        }
        let mut elements: Vec<Exp> =
            (0..force.cells.len()).map(|done| self.val(&force.cells.get(done))).collect();
        elements.push(hole);
        let rest = force
            .job
            .elements
            .iter()
            .flat_map(|pull| (at as i32 + 1..pull.len()).map(move |at| (pull, at)));
        elements.extend(rest.map(|(pull, at)| self.element(pull, at)).collect::<Vec<_>>());
        self.apply(Op::Force, [push(0, exp(Kind::Array(elements)))])
    }

    fn forced(&mut self, delayed: &Delayed) -> Exp {
        let size = self.thunk(&delayed.size);
        let array = self.delayed_of(delayed, size);
        self.apply(Op::Force, [array])
    }

    fn rounds(&mut self, rounds: &Loop, hole: Exp) -> Exp {
        let parts = |it: &mut Self| [it.val(&rounds.condition), it.val(&rounds.step)];
        let [condition, step] = parts(self);
        match &rounds.stage {
            Stage::Force => self.apply(Op::While, [condition, step, push(self.level, hole)]),
            Stage::Step => self.apply(Op::While, [condition, step, hole]),
            Stage::Condition(array) => {
                let [condition, again] = [condition, self.val(&rounds.step)];
                let array = self.pull(array);
                let next = Exp::app(again, array.clone());
                let more = self.apply(Op::While, [condition, step, next]);
                exp(Kind::If(Box::new([hole, more, array])))
            }
        }
    }

    fn op(&mut self, op: Op) -> Exp {
        if !is_lazy_op(op) {
            return exp(Kind::Op(op));
        }
        let function = Kind::Fn(self.names.fresh("x"), Box::new(exp(Kind::Op(op))));
        Exp::app(exp(function), exp(Kind::Int(0)))
    }

    fn apply(&mut self, op: Op, args: impl IntoIterator<Item = Exp>) -> Exp {
        let op = self.op(op);
        args.into_iter().fold(op, Exp::app)
    }

    /// An expression of the program, in an environment.
    fn code(&mut self, id: Id, env: &Env) -> Exp {
        if !self.has_room(1) {
            return exp(Kind::Int(0));
        }
        let kind = match self.code.node(id) {
            Node::Int(k) => Kind::Int(k),
            Node::Bool(b) => Kind::Bool(b),
            Node::Double(_) => return self.code.source(id).clone(),
            Node::Local(at) => match (at as usize).checked_sub(self.scope.len()) {
                None => Kind::Var(self.scope[self.scope.len() - 1 - at as usize]),
                Some(at) => return self.outside(env.get(at as u32)),
            },
            Node::Def(body) => Kind::Var(self.code.name_of(body)),
            Node::Op(op) => return self.op(op),
            Node::Array(first, count) => Kind::Array(
                (first..first + count).map(|at| self.code(self.code.part(at), env)).collect(),
            ),
            Node::Pair(a, b) => Kind::Pair(Box::new([self.code(a, env), self.code(b, env)])),
            Node::Fn(body) => {
                let (var, body) = self.inside(body, env);
                Kind::Fn(var, Box::new(body))
            }
            Node::LevelFn(body) => {
                let (var, body) = self.inside(body, env);
                Kind::LevelFn(var, Box::new(body))
            }
            Node::App(f, arg) => Kind::App(Box::new([self.code(f, env), self.code(arg, env)])),
            Node::LevelApp(f, at) => {
                let level = self.at(at, env);
                Kind::LevelApp(Box::new(self.code(f, env)), level)
            }
            Node::Let(bound, body) => {
                let bound = self.code(bound, env);
                let (var, body) = self.inside(body, env);
                Kind::Let(Box::new(Let { var, sig: None, bound, body }))
            }
            Node::If(cond, then, orelse) => {
                Kind::If(Box::new([cond, then, orelse].map(|part| self.code(part, env))))
            }
            Node::Apply(op, first) => {
                let args = (first..first + op.arity() as u32).map(|at| self.code.part(at));
                let args: Vec<Exp> = args.map(|arg| self.code(arg, env)).collect();
                return self.apply(op, args);
            }
        };
        exp(kind)
    }

    /// The body of what binds a variable.
    fn inside(&mut self, body: Id, env: &Env) -> (Var, Exp) {
        let var = self.names.fresh("x");
        self.scope.push(var);
        let body = self.code(body, env);
        self.scope.pop();
        (var, body)
    }

    /// A value of the environment, which knows nothing of the variables inside of it.
    fn outside(&mut self, val: &Val) -> Exp {
        let scope = std::mem::take(&mut self.scope);
        let val = self.val(val);
        self.scope = scope;
        val
    }

    fn at(&self, at: At, env: &Env) -> Level {
        match at.var.map(|var| (var, (var as usize).checked_sub(self.scope.len()))) {
            None => Level::number(at.succs),
            Some((var, None)) => {
                let var = self.scope[self.scope.len() - 1 - var as usize];
                Level { succs: at.succs, var: Some(var) }
            }
            Some((_, Some(at_env))) => match env.get(at_env as u32) {
                Val::Level(level) => Level::number(at.succs + level),
                other => unreachable!("K-VAR promises a level, not {other:?}"),
            },
        }
    }

    fn val(&mut self, val: &Val) -> Exp {
        if !self.has_room(1) {
            return exp(Kind::Int(0));
        }
        exp(match val {
            Val::Int(k) => Kind::Int(*k),
            Val::Bool(b) => Kind::Bool(*b),
            Val::Double(x) => Kind::Double(x.value.into()),
            Val::Level(_) => unreachable!("a level stands for no expression"),
            Val::Pair(pair) => {
                let [a, b] = &pair.parts;
                Kind::Pair(Box::new([self.val(a), self.val(b)]))
            }
            Val::Fn(closure) => {
                let (var, body) = self.closure(closure);
                Kind::Fn(var, Box::new(body))
            }
            Val::LevelFn(closure) => {
                let (var, body) = self.closure(closure);
                Kind::LevelFn(var, Box::new(body))
            }
            Val::Op(op) => return self.op(*op),
            Val::PushAt(level) => {
                Kind::LevelApp(Box::new(exp(Kind::Op(Op::Push))), Level::number(*level))
            }
            Val::Partial(partial) => {
                let arg = |arg: &Arg| match arg {
                    Arg::Val(val) => self.val(val),
                    Arg::Thunk(thunk) => self.thunk(thunk),
                };
                let args: Vec<Exp> = partial.args.iter().map(arg).collect();
                return self.apply(partial.op, args);
            }
            Val::Pull(pull) => return self.pull(pull),
            Val::Push(array) => return push(array.level, self.pull(&array.elements)),
            Val::Delayed(delayed) => {
                let size = self.thunk(&delayed.size);
                return self.delayed_of(delayed, size);
            }
        })
    }

    fn closure(&mut self, closure: &Closure) -> (Var, Exp) {
        let scope = std::mem::take(&mut self.scope);
        let function = self.inside(closure.body, &closure.env);
        self.scope = scope;
        function
    }

    /// `concat size e`, or `interleave size g e`
    fn delayed_of(&mut self, delayed: &Delayed, size: Exp) -> Exp {
        let chunks = self.thunk(&delayed.chunks);
        match &delayed.order {
            None => self.apply(Op::Concat, [size, chunks]),
            Some(order) => {
                let order = self.thunk(order);
                self.apply(Op::Interleave, [size, order, chunks])
            }
        }
    }

    fn pull(&mut self, pull: &Pull) -> Exp {
        let shown = if self.has_room(pull.len() as usize) { pull.len() } else { 0 };
        exp(Kind::Array((0..shown).map(|at| self.element(pull, at)).collect()))
    }

    fn element(&mut self, pull: &Pull, at: i32) -> Exp {
        match pull {
            Pull::Literal { first, env, .. } => {
                let scope = std::mem::take(&mut self.scope);
                let element = self.code(self.code.part(first + at as u32), env);
                self.scope = scope;
                element
            }
            Pull::Generate { f, .. } => Exp::app(self.val(f), exp(Kind::Int(at))),
            Pull::Map { f, of, .. } => Exp::app(self.val(f), self.element(of, at)),
            Pull::Cells(cells) => self.val(&cells.get(at as usize)),
        }
    }

    fn thunk(&mut self, thunk: &Thunk) -> Exp {
        match thunk {
            Thunk::Code(id, env) => {
                let scope = std::mem::take(&mut self.scope);
                let code = self.code(*id, env);
                self.scope = scope;
                code
            }
            Thunk::Val(val) => self.val(val),
            Thunk::Element(pull, at) => self.element(pull, *at),
            Thunk::MapChunks { f, of, .. } => {
                let f = self.val(f);
                let each = self.apply(Op::MapPush, [f]);
                let of = self.thunk(of);
                self.apply(Op::MapPull, [each, of])
            }
        }
    }
}
