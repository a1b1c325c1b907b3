//! Functions, bindings, pairs and branches.

use super::code::Node;
use super::machine::Control;
use super::{Run, is_lazy};
use crate::fcl::rules::Rule;
use crate::fcl::syntax::{Level, Op};
use crate::fcl::values::Id;
use crate::fcl::values::{Arg, Closure, Env, Partial, Pull, Thunk, Val};
use crate::kit::outcome::Why;
use crate::kit::run::{Eval, Evaluator};
use crate::kit::text::Span;
use smallvec::SmallVec;
use std::rc::Rc;

impl Run<'_> {
    /// The value that an expression without premises is.
    pub(super) fn constructor(&mut self, node: Node, env: Env) -> Eval<Val> {
        Ok(match node {
            Node::Fn(body) => Val::Fn(Rc::new(Closure { body, env })),
            Node::LevelFn(body) => Val::LevelFn(Rc::new(Closure { body, env })),
            Node::Op(op) => Val::Op(op),
            Node::Array(first, count) => {
                i32::try_from(count).map_err(|_| Why::Memory(u64::from(count) * 4))?;
                Val::Pull(Rc::new(Pull::Literal { first, count, env }))
            }
            _ => unreachable!("the others step, or have parts that are evaluated"),
        })
    }

    /// `f v`: true if that was a step.
    #[inline]
    pub(super) fn apply(&mut self, f: Val, arg: Val, span: Span) -> Eval<bool> {
        match f {
            Val::Fn(closure) => self.e_beta(closure, arg)?,
            Val::PushAt(level) => self.e_push(level, arg.pull())?,
            f if is_lazy(&f) => return self.delays(f, Thunk::Val(arg), span),
            Val::Op(op) => return self.operator_with(op, &[], arg, span),
            Val::Partial(partial) => {
                let Partial { op, ref args, .. } = *partial;
                return self.operator_with(op, args, arg, span);
            }
            other => unreachable!("T-APP promises a function, not {other:?}"),
        }
        Ok(true)
    }

    /// `op v … v v`: true if that was a step, which it is once all arguments are there.
    fn operator_with(&mut self, op: Op, args: &[Arg], arg: Val, span: Span) -> Eval<bool> {
        if args.len() + 1 < op.arity() {
            let mut args = SmallVec::from(args);
            args.push(Arg::Val(arg));
            self.charge(1)?;
            self.machine.control = Control::Return(Val::partial(op, args)?);
            return Ok(false);
        }
        for before in args {
            let Arg::Val(before) = before else { unreachable!("lazy operators are delayed") };
            self.machine.operands.push(before.clone());
        }
        self.machine.operands.push(arg);
        self.operator_at(op, span)?;
        Ok(true)
    }

    /// `f <γ>`: true if that was a step.
    pub(super) fn level_apply(&mut self, f: Val, level: u32) -> Eval<bool> {
        match f {
            Val::LevelFn(closure) => self.e_level_beta(&closure, level)?,
            Val::Op(Op::Push) => {
                self.machine.control = Control::Return(Val::PushAt(level));
                return Ok(false);
            }
            other => unreachable!("T-LAPP promises a function of levels, not {other:?}"),
        }
        Ok(true)
    }

    /// `E-BETA`
    ///
    /// ```text
    /// (fn x => e) v ↪ e[x := v]
    /// ```
    #[inline]
    pub(super) fn e_beta(&mut self, f: Rc<Closure>, v: Val) -> Eval {
        self.opens(Rule::EBeta, |told| {
            format!("({}) {}", told.val(&Val::Fn(Rc::clone(&f))), told.val(&v))
        })?;
        self.machine.control = Control::Eval(f.body, f.env.clone().bind(v)?);
        self.closes()
    }

    /// `E-LBETA`
    ///
    /// ```text
    /// (fn <α> => e) <γ> ↪ e[α := γ]
    /// ```
    fn e_level_beta(&mut self, f: &Closure, level: u32) -> Eval {
        self.opens(Rule::ELevelBeta, |_| format!("(fn <α> => …) <{}>", Level::written(level)))?;
        self.machine.control = Control::Eval(f.body, f.env.clone().bind(Val::Level(level))?);
        self.closes()
    }

    /// `E-LET`
    ///
    /// ```text
    /// let x = v in e ↪ e[x := v]
    /// ```
    #[inline]
    pub(super) fn e_let(&mut self, v: Val, body: Id, env: Env) -> Eval {
        self.opens(Rule::ELet, |told| format!("let x = {} in …", told.val(&v)))?;
        self.machine.control = Control::Eval(body, env.bind(v)?);
        self.closes()
    }

    /// `E-IF` (extension)
    ///
    /// ```text
    /// if true then e else e' ↪ e        if false then e else e' ↪ e'
    /// ```
    #[inline]
    pub(super) fn e_if(&mut self, b: bool, then: Id, orelse: Id, env: Env) -> Eval {
        self.opens(Rule::EIf, |_| format!("if {b} then … else …"))?;
        self.machine.control = Control::Eval(if b { then } else { orelse }, env);
        self.closes()
    }

    /// `E-FST`
    ///
    /// ```text
    /// fst (v, v') ↪ v
    /// ```
    pub(super) fn e_fst(&mut self) -> Eval {
        self.part(Rule::EFst, 0)
    }

    /// `E-SND`
    ///
    /// ```text
    /// snd (v, v') ↪ v'
    /// ```
    pub(super) fn e_snd(&mut self) -> Eval {
        self.part(Rule::ESnd, 1)
    }

    fn part(&mut self, rule: Rule, part: usize) -> Eval {
        let pair = self.machine.operand();
        let Val::Pair(parts) = &pair else { unreachable!("typing promises a pair, not {pair:?}") };
        self.opens(rule, |told| {
            let which = if part == 0 { "fst" } else { "snd" };
            format!("{which} {}", told.val(&pair))
        })?;
        let val = parts.parts[part].clone();
        self.gives(val)
    }
}
