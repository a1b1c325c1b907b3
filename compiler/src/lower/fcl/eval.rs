//! `e ⇓ v`: expressions, in the order of the semantics.

use super::value::{Binding, Chunks, Env, Pull, Push, Val};
use super::{Lower, Lowered, MOST_DEPTH, MOST_STATEMENTS, MOST_STEPS, fold, force, refused};
use reference::device::syntax::{Exp, Sc};
use reference::fcl::syntax::{self as fcl, Kind, Op};
use reference::kit::outcome::Cause;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use std::rc::Rc;

impl<'p> Lower<'p> {
    /// `e ⇓ v`
    pub(super) fn eval(&mut self, exp: &'p fcl::Exp, env: &Env<'p>) -> Lowered<Val<'p>> {
        if self.depth > MOST_DEPTH {
            let reason = format!("evaluations more than {MOST_DEPTH} deep");
            return Err(refused(exp.span, "an expression", reason));
        }
        if self.code.written > MOST_STATEMENTS {
            let reason = format!("more than {MOST_STATEMENTS} statements");
            return Err(refused(exp.span, "an expression", reason));
        }
        self.steps += 1;
        if self.steps > MOST_STEPS {
            let reason = format!("more than {MOST_STEPS} evaluations");
            return Err(refused(exp.span, "an expression", reason));
        }
        self.depth += 1;
        let (mut exp, mut env) = (exp, env.clone());
        // What follows a binding is not inside of it.
        while let Kind::Let(binding) = &exp.kind {
            let value = self.eval(&binding.bound, &env)?;
            let value = self.shared(binding.bound.span, value);
            env = env.with(binding.var, Binding::Value(value));
            exp = &binding.body;
        }
        let value = self.eval_kind(exp, &env);
        self.depth -= 1;
        value
    }

    fn eval_kind(&mut self, exp: &'p fcl::Exp, env: &Env<'p>) -> Lowered<Val<'p>> {
        Ok(match &exp.kind {
            Kind::Int(k) => Val::int(Exp::i32(*k)),
            Kind::Bool(b) => Val::bool(fold::bool(*b)),
            Kind::Double(x) => Val::Scalar(self.double(), fold::float(self.double(), x.get())),
            Kind::Var(var) => match env.get(*var) {
                Some(Binding::Value(value)) => value.clone(),
                Some(Binding::Def(outer, body)) => {
                    let (outer, body) = (outer.clone(), *body);
                    return self.eval(body, &outer);
                }
                _ => panic!("`{}` is not bound", self.source.names.written(*var)),
            },
            Kind::Op(op) => return self.operator(*op, None, Vec::new(), exp.span),
            Kind::Array(elements) if elements.is_empty() => {
                Val::pull(Pull::Empty(self.elements.get(&std::ptr::from_ref(exp)).cloned()))
            }
            Kind::Array(elements) => Val::pull(Pull::Literal(env.clone(), elements)),
            Kind::Pair(parts) => {
                let first = self.eval(&parts[0], env)?;
                Val::Pair(Rc::new([first, self.eval(&parts[1], env)?]))
            }
            Kind::Fn(var, body) => Val::Fn(env.clone(), *var, body),
            Kind::LevelFn(var, body) => Val::LevelFn(env.clone(), *var, body),
            Kind::App(parts) => {
                let function = self.eval(&parts[0], env)?;
                let argument = match &function {
                    Val::Op(Op::Concat | Op::Interleave, ..) => Val::Lazy(env.clone(), &parts[1]),
                    _ => self.eval(&parts[1], env)?,
                };
                return self.apply(function, argument, exp.span);
            }
            Kind::LevelApp(inner, level) => {
                let level = env.level(*level);
                let function = self.eval(inner, env)?;
                return self.apply_level(function, level, exp.span);
            }
            Kind::Let(_) => unreachable!("bindings come before"),
            Kind::If(parts) => {
                let cond = self.eval(&parts[0], env)?.scalar();
                let [_, then, orelse] = &**parts;
                return self.branch(
                    exp.span,
                    cond,
                    |to| to.eval(then, env),
                    |to| to.eval(orelse, env),
                );
            }
        })
    }

    /// The value, each scalar of it computed once.
    pub(super) fn shared(&mut self, span: Span, value: Val<'p>) -> Val<'p> {
        match value {
            Val::Scalar(sc, exp) => Val::Scalar(sc, self.named(span, "x", sc, exp)),
            Val::Pair(parts) => {
                let [first, second] = (*parts).clone();
                let first = self.shared(span, first);
                Val::Pair(Rc::new([first, self.shared(span, second)]))
            }
            other => other,
        }
    }

    /// What stayed unevaluated is evaluated.
    pub(super) fn forced(&mut self, span: Span, value: &Val<'p>) -> Lowered<Val<'p>> {
        match value {
            Val::Lazy(env, exp) => self.eval(exp, env),
            Val::LazyElement(of, index) => self.element(span, of, index.clone()),
            other => Ok(other.clone()),
        }
    }

    /// `v v'`, applied there.
    pub(super) fn apply(
        &mut self,
        function: Val<'p>,
        argument: Val<'p>,
        span: Span,
    ) -> Lowered<Val<'p>> {
        match function {
            Val::Fn(env, var, body) => {
                let argument = self.shared(span, argument);
                self.eval(body, &env.with(var, Binding::Value(argument)))
            }
            Val::Op(op, level, args) => {
                let mut args = (*args).clone();
                args.push(argument);
                self.operator(op, level, args, span)
            }
            Val::Either(cond, of) => {
                let [first, second] = (*of).clone();
                let argument = self.shared(span, argument);
                let other = argument.clone();
                self.branch(
                    span,
                    cond,
                    |to| to.apply(first, argument, span),
                    |to| to.apply(second, other, span),
                )
            }
            _ => panic!("a function is wanted"),
        }
    }

    /// `v <γ>`
    fn apply_level(&mut self, function: Val<'p>, level: u32, span: Span) -> Lowered<Val<'p>> {
        match function {
            Val::LevelFn(env, var, body) => self.eval(body, &env.with(var, Binding::Level(level))),
            Val::Op(op, _, args) => Ok(Val::Op(op, Some(level), args)),
            Val::Either(cond, of) => {
                let [first, second] = (*of).clone();
                self.branch(
                    span,
                    cond,
                    |to| to.apply_level(first, level, span),
                    |to| to.apply_level(second, level, span),
                )
            }
            _ => panic!("a level function is wanted"),
        }
    }

    /// An operator with some of its arguments.
    fn operator(
        &mut self,
        op: Op,
        level: Option<u32>,
        args: Vec<Val<'p>>,
        span: Span,
    ) -> Lowered<Val<'p>> {
        if args.len() < op.arity() {
            return Ok(Val::Op(op, level, Rc::new(args)));
        }
        let pull = |at: usize| args[at].as_pull();
        Ok(match op {
            Op::BlockSize => Val::int(Exp::i32(self.target.machine.threads_of_block() as i32)),
            Op::WarpSize => Val::int(Exp::i32(self.target.machine.warp as i32)),
            Op::Fst | Op::Snd => match &args[0] {
                Val::Pair(parts) => parts[usize::from(op == Op::Snd)].clone(),
                _ => panic!("a pair is wanted"),
            },
            Op::Generate => {
                let size = args[0].scalar();
                self.check(span, Cause::NegativeSize, vec![size.clone()])?;
                let size = self.named(span, "n", Sc::I32, size);
                self.ranges_of(&size, super::bounds::LENGTH);
                Val::pull(Pull::Generate(size, args[1].clone(), span))
            }
            Op::Index => {
                let index = args[1].scalar();
                let index = self.named(span, "i", Sc::I32, index);
                return self.index(span, &pull(0), index);
            }
            Op::LengthPull => Val::int(self.length(&pull(0))),
            Op::LengthPush => Val::int(self.length_push(span, &args[0].as_push())?),
            Op::MapPull => Val::pull(Pull::Map(args[0].clone(), pull(1), span)),
            Op::MapPush => Val::Push(Rc::new(Push::Map(args[0].clone(), args[1].as_push(), span))),
            Op::Push => {
                let level = level.unwrap_or_else(|| panic!("`push` takes a level"));
                Val::Push(Rc::new(Push::Elements(level, pull(0))))
            }
            Op::Concat => chunks(span, &args[0], None, &args[1]),
            Op::Interleave => chunks(span, &args[0], Some(&args[1]), &args[2]),
            Op::Force => {
                let made = self.force(span, &args[0].as_push(), force::Into::Fresh(1))?;
                Val::pull(Pull::Stored(made.stored))
            }
            Op::While => {
                let made = self.repeated(span, &args[0], &args[1], &args[2].as_push())?;
                Val::pull(Pull::Stored(made))
            }
            _ => {
                let operands: Vec<Exp> = args.iter().map(Val::scalar).collect();
                return self.scalar(span, op, operands);
            }
        })
    }

    /// An operator of scalars.
    fn scalar(&mut self, span: Span, op: Op, operands: Vec<Exp>) -> Lowered<Val<'p>> {
        let mut operands = operands.into_iter();
        let a = operands.next().unwrap_or(Exp::i32(0));
        let Some(b) = operands.next() else { return self.unary(span, op, a) };
        let double = self.double();
        if let Some((bin, sc)) = binary(op, double) {
            if let Some(wrong) = self.wrong_product(op, &a, &b) {
                return Ok(Val::int(wrong));
            }
            let exp = if sc.is_float() { Exp::bin(bin, a, b) } else { fold::bin(bin, a, b) };
            let truth = matches!(
                op,
                Op::Eq | Op::Neq | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::EqD | Op::LtD | Op::LeD
            );
            return Ok(if truth { Val::bool(exp) } else { Val::Scalar(sc, exp) });
        }
        Ok(match op {
            Op::Div | Op::Mod => {
                if let Some(wrong) = self.wrong_quotient(op, &a, &b) {
                    return Ok(Val::int(wrong));
                }
                let bin = if op == Op::Div { BinOp::Div } else { BinOp::Rem };
                let (a, b) = (self.named(span, "a", Sc::I32, a), self.named(span, "b", Sc::I32, b));
                self.check(span, Cause::DivisionByZero, vec![a.clone(), b.clone()])?;
                let exp = fold::bin(bin, a, b);
                Val::int(self.named(span, "q", Sc::I32, exp))
            }
            // b if b < a, else a.
            Op::MinD | Op::MaxD => {
                let (a, b) = (self.named(span, "a", double, a), self.named(span, "b", double, b));
                let (low, high) = if op == Op::MinD { (&b, &a) } else { (&a, &b) };
                let less = Exp::bin(BinOp::Lt, low.clone(), high.clone());
                Val::Scalar(double, fold::select(less, b, a))
            }
            _ => unreachable!("{} of two scalars", op.name()),
        })
    }

    fn unary(&mut self, span: Span, op: Op, a: Exp) -> Lowered<Val<'p>> {
        use reference::device::syntax::UnOp;
        let double = self.double();
        let less = |a: Exp, b: Exp| fold::cast(Sc::I32, fold::bin(BinOp::Lt, a, b));
        Ok(match op {
            Op::Neg => Val::int(fold::bin(BinOp::Sub, Exp::i32(0), a)),
            Op::Abs => {
                let a = self.named(span, "a", Sc::I32, a);
                let negated = fold::bin(BinOp::Sub, Exp::i32(0), a.clone());
                let negative = fold::bin(BinOp::Lt, a.clone(), Exp::i32(0));
                Val::int(fold::select(negative, negated, a))
            }
            Op::Sign => {
                let a = self.named(span, "a", Sc::I32, a);
                let (up, down) = (less(Exp::i32(0), a.clone()), less(a, Exp::i32(0)));
                Val::int(fold::bin(BinOp::Sub, up, down))
            }
            Op::Clz => self.leading_zeros(span, a),
            Op::NegD => Val::Scalar(double, Exp::Un(UnOp::Neg, Box::new(a))),
            Op::AbsD => {
                let a = self.named(span, "a", double, a);
                let (word, all_but_sign) = match double {
                    Sc::F64 => (Sc::I64, Exp::i64(i64::MAX)),
                    _ => (Sc::U32, Exp::u32(i32::MAX as u32)),
                };
                let bits = Exp::Bitcast(word, Box::new(a));
                let magnitude = Exp::bin(BinOp::And, bits, all_but_sign);
                Val::Scalar(double, Exp::Bitcast(double, Box::new(magnitude)))
            }
            Op::I2d => Val::Scalar(double, fold::cast(double, a)),
            Op::D2i => Val::int(fold::cast(Sc::I32, a)),
            Op::B2i => Val::int(fold::cast(Sc::I32, a)),
            Op::Not => Val::bool(fold::not(a)),
            _ => unreachable!("{} of a scalar", op.name()),
        })
    }

    /// How many zeros stand before the first one of the bits, by halves.
    fn leading_zeros(&mut self, span: Span, a: Exp) -> Val<'p> {
        if let Some(k) = fold::literal(&a) {
            return Val::int(Exp::i32(k.leading_zeros() as i32));
        }
        let mut bits = self.named(span, "bits", Sc::U32, fold::cast(Sc::U32, a));
        let mut zeros = Exp::u32(0);
        for half in [16_u32, 8, 4, 2, 1] {
            let least = Exp::u32(1 << (32 - half));
            let small = Exp::bin(BinOp::Lt, bits.clone(), least);
            let by = fold::select(small, Exp::u32(half), Exp::u32(0));
            let by = self.named(span, "by", Sc::U32, by);
            let shifted = Exp::bin(BinOp::Shl, bits, by.clone());
            bits = self.named(span, "bits", Sc::U32, shifted);
            zeros = Exp::bin(BinOp::Add, zeros, by);
        }
        let none = Exp::bin(BinOp::Eq, bits, Exp::u32(0));
        let last = fold::select(none, Exp::u32(1), Exp::u32(0));
        Val::int(fold::cast(Sc::I32, Exp::bin(BinOp::Add, zeros, last)))
    }
}

fn chunks<'p>(span: Span, size: &Val<'p>, order: Option<&Val<'p>>, chunks: &Val<'p>) -> Val<'p> {
    let (size, order, chunks) = (size.clone(), order.cloned(), chunks.clone());
    Val::Push(Rc::new(Push::Chunks(Rc::new(Chunks { size, order, chunks, span }))))
}

/// The operator of the device language that is the same where doubles are of this type, with the type of what it gives
/// if that is no comparison.
fn binary(op: Op, double: Sc) -> Option<(BinOp, Sc)> {
    Some(match op {
        Op::Add => (BinOp::Add, Sc::I32),
        Op::Sub => (BinOp::Sub, Sc::I32),
        Op::Mul => (BinOp::Mul, Sc::I32),
        Op::Min => (BinOp::Min, Sc::I32),
        Op::Max => (BinOp::Max, Sc::I32),
        Op::And => (BinOp::And, Sc::I32),
        Op::Or => (BinOp::Or, Sc::I32),
        Op::Xor => (BinOp::Xor, Sc::I32),
        Op::Sll => (BinOp::Shl, Sc::I32),
        Op::Srl => (BinOp::Shr, Sc::I32),
        Op::Eq => (BinOp::Eq, Sc::I32),
        Op::Neq => (BinOp::Ne, Sc::I32),
        Op::Lt => (BinOp::Lt, Sc::I32),
        Op::Le => (BinOp::Le, Sc::I32),
        Op::Gt => (BinOp::Gt, Sc::I32),
        Op::Ge => (BinOp::Ge, Sc::I32),
        Op::AddD => (BinOp::Add, double),
        Op::SubD => (BinOp::Sub, double),
        Op::MulD => (BinOp::Mul, double),
        Op::DivD => (BinOp::Div, double),
        Op::EqD => (BinOp::Eq, double),
        Op::LtD => (BinOp::Lt, double),
        Op::LeD => (BinOp::Le, double),
        _ => return None,
    })
}
