//! Evaluation: functions, regions and worlds vanish, what is known is computed.

use super::values::{Env, Fix, Of, Rows, Val};
use super::{Enters, Importer};
use crate::rewrite::import::bounded;
use reference::axes::syntax::{Head, Term};
use reference::kit::scalar::BinOp;
use reference::lambda_g::syntax::{Comparison, Exp, Kind, Op, Over};
use std::rc::Rc;

/// The most expressions that are evaluated.
const MOST_STEPS: usize = 200_000;

/// The most evaluations in one another.
const MOST_DEPTH: usize = 200;

impl<'p> Importer<'p> {
    /// `e ⇓ v`
    pub(super) fn eval(&mut self, exp: &'p Exp, env: &Env<'p>) -> Enters<Val<'p>> {
        if self.depth > MOST_DEPTH {
            return self.refuse(format!("evaluations are more than {MOST_DEPTH} deep"));
        }
        self.depth += 1;
        let before = self.at;
        let (mut exp, mut env) = (exp, env.clone());
        loop {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return self.refuse(format!("more than {MOST_STEPS} expressions are evaluated"));
            }
            self.at = exp.span;
            exp = match &exp.kind {
                Kind::Let(var, parts) => {
                    let bound = self.eval(&parts[0], &env)?;
                    env = env.with(*var, bound);
                    &parts[1]
                }
                Kind::LetRegion(_, _, body) => body,
                _ => break,
            };
        }
        let value = self.eval_kind(exp, &env)?;
        self.depth -= 1;
        self.at = before;
        Ok(value)
    }

    fn eval_kind(&mut self, exp: &'p Exp, env: &Env<'p>) -> Enters<Val<'p>> {
        Ok(match &exp.kind {
            Kind::Int(k, _) => Val::Int(Term::constant(*k)),
            Kind::Bool(truth) => Val::Bool(Term::constant((*truth).into())),
            Kind::Var(var) => match env.get(*var) {
                Some(value) => value.clone(),
                None => unreachable!("typing: a variable is bound"),
            },
            Kind::Binary(op, parts, _) => {
                let [a, b] = self.ints(parts, env)?;
                self.at = exp.span;
                Val::Int(self.computed(binary(*op), a, b)?)
            }
            Kind::Compare(op, parts) => {
                let [a, b] = self.ints(parts, env)?;
                Val::Bool(self.computed(comparison(*op), a, b)?)
            }
            Kind::If(parts) => self.branch(parts, env)?,
            Kind::Fn(lambda) => Val::Fn(env.clone(), lambda),
            Kind::RegionFn(lambda) => Val::RegionFn(env.clone(), lambda),
            Kind::App(parts) => {
                let f = self.eval(&parts[0], env)?;
                let argument = self.eval(&parts[1], env)?;
                self.apply(&f, argument)?
            }
            Kind::Instance(of, _) => match self.eval(of, env)? {
                Val::RegionFn(inner, lambda) => self.eval(&lambda.body, &inner)?,
                _ => return self.refuse("a function of a region applies itself"),
            },
            Kind::Pair(parts, _) | Kind::Par(parts, _) => {
                let a = self.eval(&parts[0], env)?;
                Val::pair(a, self.eval(&parts[1], env)?)
            }
            Kind::Fst(of) => self.component(of, env, 0)?,
            Kind::Snd(of) => self.component(of, env, 1)?,
            Kind::Let(..) | Kind::LetRegion(..) => unreachable!("they are gone through before"),
            Kind::Fix(name, ty, of) => match &of.kind {
                Kind::Fn(lambda) => Val::Fix(env.clone(), Fix { name: *name, ty, lambda }),
                _ => return self.refuse("a function of a region applies itself"),
            },
            Kind::Vector(elements, _) => Val::elements(self.all(elements, env)?),
            Kind::ParMap(f, over, _) => {
                let f = self.eval(f, env)?;
                let over = match &**over {
                    Over::Vector(vector) => self.vector(vector, env)?,
                    Over::Elements(elements) => match Val::elements(self.all(elements, env)?) {
                        Val::Vector(rows) => rows,
                        _ => unreachable!("they are a vector"),
                    },
                };
                self.at = exp.span;
                self.mapped(&f, &over)?
            }
            Kind::On(of, _) => {
                let before = std::mem::replace(&mut self.is_on, true);
                let value = self.eval(of, env)?;
                self.is_on = before;
                value
            }
            Kind::Index(parts) => {
                let rows = self.vector(&parts[0], env)?;
                let index = self.int(&parts[1], env)?;
                self.at = exp.span;
                let (least, largest) = self.terms.range(&index);
                if least < 0 || largest >= i64::from(rows.length) {
                    let length = rows.length;
                    return self.refuse(format!(
                        "this index is not shown to be inside of a vector of {length} elements"
                    ));
                }
                self.element(&rows, &index)?
            }
            Kind::Length(of, _) => {
                let rows = self.vector(of, env)?;
                let length = i32::try_from(rows.length);
                Val::Int(Term::constant(length.or_else(|_| self.refuse("a vector is too long"))?))
            }
            Kind::Iota(of, _) => {
                let count = self.int(of, env)?;
                let Head::Const(k) = count.head else {
                    return self.refuse("how long this vector is is not a known number");
                };
                let length = u32::try_from(k).unwrap_or(0);
                Val::Vector(Rows { length, of: Rc::new(Of::Counted), at: Vec::new() })
            }
        })
    }

    fn all(&mut self, exps: &'p [Exp], env: &Env<'p>) -> Enters<Vec<Val<'p>>> {
        exps.iter().map(|exp| self.eval(exp, env)).collect()
    }

    fn int(&mut self, exp: &'p Exp, env: &Env<'p>) -> Enters<Term> {
        match self.eval(exp, env)? {
            Val::Int(term) => Ok(term),
            _ => unreachable!("typing: it is an int"),
        }
    }

    fn ints(&mut self, parts: &'p [Exp; 2], env: &Env<'p>) -> Enters<[Term; 2]> {
        let a = self.int(&parts[0], env)?;
        Ok([a, self.int(&parts[1], env)?])
    }

    fn vector(&mut self, exp: &'p Exp, env: &Env<'p>) -> Enters<Rows<'p>> {
        match self.eval(exp, env)? {
            Val::Vector(rows) => Ok(rows),
            _ => unreachable!("typing: it is a vector"),
        }
    }

    fn component(&mut self, of: &'p Exp, env: &Env<'p>, nth: usize) -> Enters<Val<'p>> {
        match self.eval(of, env)? {
            Val::Pair(parts) => Ok(parts[nth].clone()),
            _ => unreachable!("typing: it is a pair"),
        }
    }

    /// `a ⊕ b`, which does not get stuck.
    fn computed(&self, op: BinOp, a: Term, b: Term) -> Enters<Term> {
        if op.is_partial() {
            let (least, largest) = self.terms.range(&b);
            if least <= 0 && largest >= 0 {
                return self.refuse("a divisor is not shown to be other than 0");
            }
        }
        bounded(self.terms.apply(op, a, b), self.at)
    }

    /// `v₁ v₂`
    pub(super) fn apply(&mut self, f: &Val<'p>, argument: Val<'p>) -> Enters<Val<'p>> {
        match f {
            Val::Fn(env, lambda) => {
                let env = env.with(lambda.param, argument);
                self.eval(&lambda.body, &env)
            }
            Val::Fix(env, fix) => self.recursion(env, *fix, argument),
            Val::Again(number, ty) => self.again(*number, ty, &argument),
            _ => unreachable!("typing: it is a function"),
        }
    }

    fn branch(&mut self, parts: &'p [Exp; 3], env: &Env<'p>) -> Enters<Val<'p>> {
        let cond = match self.eval(&parts[0], env)? {
            Val::Bool(term) => term,
            _ => unreachable!("typing: it is a bool"),
        };
        if let Head::Const(k) = cond.head {
            return self.eval(if k != 0 { &parts[1] } else { &parts[2] }, env);
        }
        let mut side = |holds: bool, exp: &'p Exp| {
            self.terms.given.push((cond.clone(), holds));
            let value = self.eval(exp, env)?;
            self.terms.given.pop();
            Ok(value)
        };
        let (a, b) = (side(true, &parts[1])?, side(false, &parts[2])?);
        self.chosen(&cond, &a, &b)
    }
}

/// An operator of λG on ints.
fn binary(op: Op) -> BinOp {
    match op {
        Op::Add => BinOp::Add,
        Op::Sub => BinOp::Sub,
        Op::Mul => BinOp::Mul,
        Op::Div => BinOp::Div,
        Op::Mod => BinOp::Rem,
        Op::Min => BinOp::Min,
        Op::Max => BinOp::Max,
    }
}

fn comparison(op: Comparison) -> BinOp {
    match op {
        Comparison::Lt => BinOp::Lt,
        Comparison::Le => BinOp::Le,
        Comparison::Eq => BinOp::Eq,
        Comparison::Ne => BinOp::Ne,
    }
}
