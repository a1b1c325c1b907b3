//! Applications: of functions, which vanish, and of operators, which are evaluated or left.

use super::{Binding, Known, Made, Specialise, Val, int, too_large, variable};
use reference::fcl::syntax::{Exp, Kind, Level, Op};
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use std::rc::Rc;

impl<'p> Specialise<'p> {
    /// `v v'`, applied there.
    pub(super) fn apply(
        &mut self,
        function: Val<'p>,
        argument: Val<'p>,
        span: Span,
    ) -> Made<Val<'p>> {
        match function {
            Val::Fn(env, var, body) => self.eval(body, &env.with(var, Binding::Val(argument))),
            Val::Op(op, at, level, args) => {
                let mut args = (*args).clone();
                args.push(argument);
                if args.len() < op.arity() {
                    return Ok(Val::Op(op, at, level, Rc::new(args)));
                }
                self.operator(op, (at, level), args, span)
            }
            Val::Either(cond, of) => {
                let [first, second] = (*of).clone();
                let other = argument.clone();
                self.branch(
                    span,
                    cond,
                    |to| to.apply(first, argument, span),
                    |to| to.apply(second, other, span),
                )
            }
            // A parameter or a binding: no array and no scalar is a function.
            Val::Atom(_) | Val::Pair(_) | Val::LevelFn(..) | Val::Lazy(..) => {
                unreachable!("T-APP: a function is applied")
            }
        }
    }

    /// `v <γ>`
    pub(super) fn apply_level(
        &mut self,
        function: Val<'p>,
        level: u32,
        span: Span,
    ) -> Made<Val<'p>> {
        match function {
            Val::LevelFn(env, var, body) => self.eval(body, &env.with(var, Binding::Level(level))),
            Val::Op(op, at, _, args) => Ok(Val::Op(op, at, Some(level), args)),
            Val::Either(cond, of) => {
                let [first, second] = (*of).clone();
                self.branch(
                    span,
                    cond,
                    |to| to.apply_level(first, level, span),
                    |to| to.apply_level(second, level, span),
                )
            }
            _ => unreachable!("T-LAPP: a level function is applied"),
        }
    }

    /// An operator with all of its arguments.
    fn operator(
        &mut self,
        op: Op,
        head: (Span, Option<u32>),
        args: Vec<Val<'p>>,
        span: Span,
    ) -> Made<Val<'p>> {
        if let Some(value) = self.evaluated(op, &args, span)? {
            return Ok(value);
        }
        let known = match (op, &args[..]) {
            (Op::Generate, [Val::Atom(size), f]) => {
                Some(Known::Generate(size.clone(), f.clone(), span))
            }
            (Op::MapPull, [f, Val::Atom(of)]) => Some(Known::Map(f.clone(), of.clone(), span)),
            _ => None,
        };
        let applied = self.applied(op, head, &args, span)?;
        self.bind(applied, known)
    }

    /// What an operator gives without a step that is left.
    fn evaluated(&mut self, op: Op, args: &[Val<'p>], span: Span) -> Made<Option<Val<'p>>> {
        Ok(match (op, args) {
            (Op::Fst | Op::Snd, [Val::Pair(parts)]) => {
                Some(parts[usize::from(op == Op::Snd)].clone())
            }
            (Op::Fst | Op::Snd, [Val::Either(cond, of)]) => {
                let part = |of: &Val<'p>| vec![of.clone()];
                let [first, second] = [part(&of[0]), part(&of[1])];
                let at = (span, None);
                Some(self.branch(
                    span,
                    cond.clone(),
                    |to| to.operator(op, at, first, span),
                    |to| to.operator(op, at, second, span),
                )?)
            }
            (Op::LengthPull, [Val::Atom(array)]) => {
                self.length(array).map(|length| Val::Atom(Exp { span, ..length }))
            }
            (Op::MapPull, [f, Val::Atom(array)]) => self.fused(f, array, span)?,
            (_, [Val::Atom(a)]) => unary(op, a).map(|kind| Val::Atom(Exp::new(span, kind))),
            (_, [Val::Atom(a), Val::Atom(b)]) => {
                binary(op, a, b).map(|kind| Val::Atom(Exp::new(span, kind)))
            }
            _ => None,
        })
    }

    /// The length of an array, if what made it says so.
    fn length(&self, array: &Exp) -> Option<Exp> {
        let mut at = array;
        loop {
            let Kind::Var(var) = at.kind else { return None };
            match self.known.get(&var)? {
                Known::Literal(length) => {
                    return Some(Exp::new(at.span, Kind::Int(*length as i32)));
                }
                Known::Generate(size, ..) => return Some(size.clone()),
                Known::Map(_, of, _) => at = of,
            }
        }
    }

    /// `mapPull f a` as one array, if what made `a` is known.
    fn fused(&mut self, f: &Val<'p>, array: &Exp, span: Span) -> Made<Option<Val<'p>>> {
        let Kind::Var(var) = array.kind else { return Ok(None) };
        // Their arguments stay unevaluated.
        if let Val::Op(Op::Concat | Op::Interleave, ..) = f {
            return Ok(None);
        }
        let f = f.clone();
        let (op, first, made, at) = match self.known.get(&var).cloned() {
            Some(Known::Generate(size, g, at)) => (Op::Generate, g, size, at),
            Some(Known::Map(g, of, at)) => (Op::MapPull, g, of, at),
            Some(Known::Literal(_)) | None => return Ok(None),
        };
        let index = self.names.fresh("i");
        let body = self.scope(span, |to| {
            let element = to.apply(first, Val::Atom(variable(at, index)), at)?;
            to.apply(f, element, span)
        })?;
        let of_both = Exp::new(span, Kind::Fn(index, Box::new(body)));
        let head = Exp::new(at, Kind::Op(op));
        let applied = match op {
            Op::Generate => [made, of_both],
            _ => [of_both, made],
        };
        let [first, second] = applied;
        let applied = with(with(head, first, at), second, at);
        Ok(Some(self.bind(applied, None)?))
    }

    /// An operator, written with its arguments.
    pub(super) fn applied(
        &mut self,
        op: Op,
        (at, level): (Span, Option<u32>),
        args: &[Val<'p>],
        span: Span,
    ) -> Made<Exp> {
        self.makes(span, 1 + args.len())?;
        let head = Exp::new(at, Kind::Op(op));
        let mut applied = match level {
            Some(level) => Exp::new(at, Kind::LevelApp(Box::new(head), Level::number(level))),
            None => head,
        };
        for arg in args {
            let arg = self.reify(arg, span)?;
            applied = with(applied, arg, span);
        }
        if self.own_turnstiles && matches!(op, Op::Concat | Op::Interleave) {
            self.makes(span, 3)?;
            let function = Kind::Fn(self.names.fresh("x"), Box::new(applied));
            applied = with(Exp::new(span, function), Exp::new(span, Kind::Int(0)), span);
        }
        Ok(applied)
    }

    /// The value as an expression.
    pub(super) fn reify(&mut self, val: &Val<'p>, span: Span) -> Made<Exp> {
        if self.depth > super::MOST_DEPTH {
            let reason = format!("functions more than {} deep", super::MOST_DEPTH);
            return Err(too_large(span, reason));
        }
        self.depth += 1;
        let exp = self.reified(val, span);
        self.depth -= 1;
        exp
    }

    fn reified(&mut self, val: &Val<'p>, span: Span) -> Made<Exp> {
        self.makes(span, 1)?;
        Ok(match val {
            Val::Atom(exp) => exp.clone(),
            Val::Pair(parts) => {
                let first = self.reify(&parts[0], span)?;
                Exp::new(span, Kind::Pair(Box::new([first, self.reify(&parts[1], span)?])))
            }
            Val::Fn(_, var, body) => {
                let var = self.names.fresh(reference::kit::names::Wish::Like(*var));
                let argument = Val::Atom(variable(body.span, var));
                let function = val.clone();
                let body = self.scope(body.span, |to| to.apply(function, argument, span))?;
                Exp::new(span, Kind::Fn(var, Box::new(body)))
            }
            Val::LevelFn(..) => {
                let reason = "a function of levels is left".to_owned();
                return Err(too_large(span, reason));
            }
            Val::Op(op, at, level, args) => self.applied(*op, (*at, *level), args, span)?,
            Val::Lazy(env, exp) => {
                let (env, exp) = (env.clone(), *exp);
                self.scope(exp.span, |to| to.eval(exp, &env))?
            }
            Val::Either(..) => {
                let var = self.names.fresh("x");
                let argument = Val::Atom(variable(span, var));
                let function = val.clone();
                let body = self.scope(span, |to| to.apply(function, argument, span))?;
                Exp::new(span, Kind::Fn(var, Box::new(body)))
            }
        })
    }
}

/// `f a`, at a place.
fn with(f: Exp, a: Exp, span: Span) -> Exp {
    Exp::new(span, Kind::App(Box::new([f, a])))
}

fn unary(op: Op, a: &Exp) -> Option<Kind> {
    Some(match (op, &a.kind) {
        (Op::Neg, Kind::Int(k)) => Kind::Int(k.wrapping_neg()),
        (Op::Abs, Kind::Int(k)) => Kind::Int(k.wrapping_abs()),
        (Op::Sign, Kind::Int(k)) => Kind::Int(k.signum()),
        (Op::Clz, Kind::Int(k)) => Kind::Int(k.leading_zeros() as i32),
        (Op::B2i, Kind::Bool(b)) => Kind::Int((*b).into()),
        (Op::Not, Kind::Bool(b)) => Kind::Bool(!b),
        _ => return None,
    })
}

fn binary(op: Op, a: &Exp, b: &Exp) -> Option<Kind> {
    let (Some(a), Some(b)) = (int(a), int(b)) else { return None };
    let (table, is_test) = match op {
        Op::Add => (BinOp::Add, false),
        Op::Sub => (BinOp::Sub, false),
        Op::Mul => (BinOp::Mul, false),
        Op::Div => (BinOp::Div, false),
        Op::Mod => (BinOp::Rem, false),
        Op::Min => (BinOp::Min, false),
        Op::Max => (BinOp::Max, false),
        Op::And => (BinOp::And, false),
        Op::Or => (BinOp::Or, false),
        Op::Xor => (BinOp::Xor, false),
        Op::Sll => (BinOp::Shl, false),
        Op::Srl => (BinOp::Shr, false),
        Op::Eq => (BinOp::Eq, true),
        Op::Neq => (BinOp::Ne, true),
        Op::Lt => (BinOp::Lt, true),
        Op::Le => (BinOp::Le, true),
        Op::Gt => (BinOp::Gt, true),
        Op::Ge => (BinOp::Ge, true),
        _ => return None,
    };
    let k = table.checked(a, b)?;
    Some(if is_test { Kind::Bool(k != 0) } else { Kind::Int(k) })
}
