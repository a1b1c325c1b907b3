//! Evaluation: functions and levels vanish, what is known is computed.

use super::reductions::Reduction;
use super::values::{Binding, Env, Lazy, Of, Pull, Val};
use super::{Enters, Importer};
use crate::rewrite::import::bounded;
use reference::axes::syntax::Term;
use reference::axes::total;
use reference::fcl::syntax::{Exp, Kind, Op};
use reference::kit::scalar::BinOp;
use std::rc::Rc;

/// The most expressions that are evaluated.
const MOST_STEPS: usize = 1_000_000;

/// The most evaluations in one another.
const MOST_DEPTH: usize = 300;

impl<'p> Importer<'p> {
    /// `e ↪* v`
    pub(super) fn eval(&mut self, exp: &'p Exp, env: &Env<'p>) -> Enters<Val<'p>> {
        if self.depth > MOST_DEPTH {
            return self.refuse(format!("evaluations are more than {MOST_DEPTH} deep"));
        }
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return self.refuse(format!("more than {MOST_STEPS} expressions are evaluated"));
        }
        self.depth += 1;
        let before = self.at;
        let (mut exp, mut env) = (exp, env.clone());
        while let Kind::Let(binding) = &exp.kind {
            let bound = self.eval(&binding.bound, &env)?;
            env = env.with(binding.var, Binding::Val(bound));
            exp = &binding.body;
        }
        self.visits(exp.span);
        let value = self.eval_kind(exp, &env)?;
        self.depth -= 1;
        self.at = before;
        Ok(value)
    }

    fn eval_kind(&mut self, exp: &'p Exp, env: &Env<'p>) -> Enters<Val<'p>> {
        Ok(match &exp.kind {
            Kind::Int(k) => Val::Scalar(Term::constant(*k)),
            Kind::Bool(b) => Val::Scalar(Term::constant((*b).into())),
            Kind::Double(_) => return self.refuse("terms have no doubles"),
            Kind::Var(var) => match env.get(*var) {
                Binding::Val(val) => {
                    let val = val.clone();
                    return self.settled(val);
                }
                Binding::Def(outer, def) => {
                    let name = self.program.names.written(def.name);
                    match Reduction::of(def, name, outer) {
                        Some(reduction) => Val::Reduction(Rc::new(reduction)),
                        None => return self.eval(&def.body, &outer.clone()),
                    }
                }
                Binding::Level(_) => unreachable!("T-VAR: a level is no value"),
            },
            Kind::Op(op) if op.arity() == 0 => Val::Scalar(self.of_machine(*op)),
            Kind::Op(op) => Val::Op(*op, None, Rc::default()),
            Kind::Array(elements) => {
                let length = elements.len() as u32;
                let of = Of::Literal(env.clone(), elements);
                Val::Pull(Rc::new(Pull { length, of }))
            }
            Kind::Pair(parts) => {
                let first = self.eval(&parts[0], env)?;
                Val::pair(first, self.eval(&parts[1], env)?)
            }
            Kind::Fn(var, body) => Val::Fn(env.clone(), *var, body),
            Kind::LevelFn(var, body) => Val::LevelFn(env.clone(), *var, body),
            Kind::App(parts) => {
                let function = self.eval(&parts[0], env)?;
                let argument = match function {
                    Val::Op(Op::Concat | Op::Interleave, ..) => Lazy::Exp(env.clone(), &parts[1]),
                    _ => Lazy::Val(self.eval(&parts[1], env)?),
                };
                self.visits(exp.span);
                return self.apply(function, argument);
            }
            Kind::LevelApp(inner, level) => {
                let level = env.level(*level);
                match self.eval(inner, env)? {
                    Val::LevelFn(env, var, body) => {
                        return self.eval(body, &env.with(var, Binding::Level(level)));
                    }
                    Val::Op(op, _, args) => Val::Op(op, Some(level), args),
                    Val::Reduction(of) => Val::Reduction(Rc::new(Reduction::clone(&of).at(level))),
                    _ => unreachable!("T-LAPP: a level function is applied"),
                }
            }
            Kind::Let(_) => unreachable!("bindings come before"),
            Kind::If(parts) => {
                let [cond, then, orelse] = &**parts;
                let cond = self.eval_scalar(cond, env)?;
                self.branch(cond, |to| to.eval(then, env), |to| to.eval(orelse, env))?
            }
        })
    }

    fn eval_scalar(&mut self, exp: &'p Exp, env: &Env<'p>) -> Enters<Term> {
        let value = self.eval(exp, env)?;
        match self.settled(value)? {
            Val::Scalar(term) => Ok(term),
            _ => unreachable!("typing promises a scalar"),
        }
    }

    /// The value of what may be unevaluated.
    pub(super) fn value(&mut self, lazy: &Lazy<'p>) -> Enters<Val<'p>> {
        match lazy {
            Lazy::Val(val) => Ok(val.clone()),
            Lazy::Exp(env, exp) => self.eval(exp, env),
            Lazy::Element(array, at) => self.element(array, at),
            Lazy::Mapped(f, of) => {
                let Val::Pull(of) = self.value(of)? else { unreachable!("T-CONCAT: an array") };
                let map = Val::Op(Op::MapPush, None, Rc::new(vec![Lazy::Val(f.clone())]));
                let length = of.length;
                Ok(Val::Pull(Rc::new(Pull { length, of: Of::Map(map, of) })))
            }
        }
    }

    /// The value with its scalars as they are where it is used.
    pub(super) fn settled(&mut self, val: Val<'p>) -> Enters<Val<'p>> {
        Ok(match val {
            Val::Deferred(of) => Val::Scalar(self.read(&of, &Term::constant(0))?),
            Val::Pair(parts) => {
                let first = self.settled(parts[0].clone())?;
                Val::pair(first, self.settled(parts[1].clone())?)
            }
            other => other,
        })
    }

    /// `v v'`
    pub(super) fn apply(&mut self, function: Val<'p>, argument: Lazy<'p>) -> Enters<Val<'p>> {
        match function {
            Val::Fn(env, var, body) => {
                let argument = self.value(&argument)?;
                self.eval(body, &env.with(var, Binding::Val(argument)))
            }
            Val::Op(op, level, args) => {
                let mut args = (*args).clone();
                args.push(match op {
                    Op::Concat | Op::Interleave => argument,
                    _ => Lazy::Val(self.value(&argument)?),
                });
                if args.len() < op.arity() {
                    return Ok(Val::Op(op, level, Rc::new(args)));
                }
                self.operator(op, level, args)
            }
            Val::Reduction(of) => self.reduces(&of, argument),
            _ => unreachable!("T-APP: a function is applied"),
        }
    }

    /// What is evaluated where a condition holds, or does not.
    pub(super) fn given<T>(
        &mut self,
        cond: &Term,
        holds: bool,
        eval: impl FnOnce(&mut Self) -> Enters<T>,
    ) -> Enters<T> {
        self.terms.given.push((cond.clone(), holds));
        let value = eval(self);
        self.terms.given.pop();
        value
    }

    /// `if c then v else v`; only the branch that is taken is evaluated.
    pub(super) fn branch(
        &mut self,
        cond: Term,
        then: impl FnOnce(&mut Self) -> Enters<Val<'p>>,
        orelse: impl FnOnce(&mut Self) -> Enters<Val<'p>>,
    ) -> Enters<Val<'p>> {
        match self.known(&cond) {
            Some(true) => return then(self),
            Some(false) => return orelse(self),
            None => {}
        }
        let first = self.given(&cond, true, then)?;
        let second = self.given(&cond, false, orelse)?;
        let (first, second) = (self.settled(first)?, self.settled(second)?);
        self.either(&cond, first, second)
    }

    /// Is it known whether a condition holds here?
    fn known(&self, cond: &Term) -> Option<bool> {
        let (least, largest) = self.terms.range(cond);
        if least > 0 || largest < 0 {
            return Some(true);
        }
        if (least, largest) == (0, 0) {
            return Some(false);
        }
        total::decided(cond, &self.terms.scope)
    }

    fn either(&mut self, cond: &Term, a: Val<'p>, b: Val<'p>) -> Enters<Val<'p>> {
        Ok(match (a, b) {
            (Val::Scalar(a), Val::Scalar(b)) if a == b && a.as_index().is_some() => Val::Scalar(a),
            (Val::Scalar(a), Val::Scalar(b)) => Val::Scalar(self.choice(cond, a, b)?),
            (Val::Pair(a), Val::Pair(b)) => {
                let first = self.either(cond, a[0].clone(), b[0].clone())?;
                Val::pair(first, self.either(cond, a[1].clone(), b[1].clone())?)
            }
            (Val::Pull(a), Val::Pull(b)) => Val::Pull(self.either_of(cond, a, b)?),
            (Val::Push(a, level), Val::Push(b, other)) if level == other => {
                Val::Push(self.either_of(cond, a, b)?, level)
            }
            _ => return self.refuse("its branches give functions, or chunks"),
        })
    }

    fn either_of(&self, cond: &Term, a: Rc<Pull<'p>>, b: Rc<Pull<'p>>) -> Enters<Rc<Pull<'p>>> {
        if a.length != b.length {
            return self.refuse("its branches give arrays of different lengths");
        }
        Ok(Rc::new(Pull { length: a.length, of: Of::Either(cond.clone(), [a, b]) }))
    }

    /// `if c then a else b` of scalars. Of truths it is `&`, `|` or the condition itself, where nothing in them may get
    /// stuck: bounds are taken from these.
    fn choice(&self, cond: &Term, a: Term, b: Term) -> Enters<Term> {
        let is_truth = |term: &Term| self.terms.range(term).0 >= 0 && self.terms.range(term).1 <= 1;
        let is_total = |term: &Term| total::is_total(term, &self.terms.scope);
        let constant = |term: &Term| term.as_index().and_then(|index| index.constant());
        let term = match (constant(&a), constant(&b)) {
            (Some(1), Some(0)) if is_truth(cond) => cond.clone(),
            (_, Some(0)) if is_truth(cond) && is_truth(&a) && is_total(&a) => {
                self.terms.apply(BinOp::And, cond.clone(), a)
            }
            (Some(1), _) if is_truth(cond) && is_truth(&b) && is_total(&b) => {
                self.terms.apply(BinOp::Or, cond.clone(), b)
            }
            _ => Term::branch(cond.clone(), a, b),
        };
        bounded(term, self.at)
    }
}
