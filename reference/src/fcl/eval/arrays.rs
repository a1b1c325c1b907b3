//! Arrays, as far as nothing is forced.

use super::Run;
use super::is_lazy;
use super::machine::{Control, Frame};
use crate::fcl::rules::Rule;
use crate::fcl::syntax::{Level, Op};
use crate::fcl::values::{Arg, Delayed, Env, Partial, Pull, Push, Thunk, Val};
use crate::kit::outcome::{Cause, Why};
use crate::kit::run::{Eval, Evaluator};
use crate::kit::text::Span;
use smallvec::SmallVec;
use std::rc::Rc;

impl Run<'_> {
    /// `E-GENERATE`
    ///
    /// ```text
    /// n ≥ 0                                                                        (size)
    /// ──────────────────────────────────
    /// generate n f ↪ [f 0, …, f (n - 1)]
    /// ```
    pub(super) fn e_generate(&mut self, span: Span) -> Eval {
        let (f, n) = (self.machine.operand(), self.machine.int());
        self.opens(Rule::EGenerate, |told| format!("generate {n} {}", told.val(&f)))?;
        self.require(Rule::EGenerate, span, Cause::NegativeSize, [n.into()])?;
        self.gives(Val::Pull(Rc::new(Pull::Generate { count: n, f, span })))
    }

    /// `E-INDEX`
    ///
    /// ```text
    /// 0 ≤ i < n                                                                  (inside)
    /// ─────────────────────────────────
    /// index [e₀, …, e₍ₙ₋₁₎] i ↪ eᵢ
    /// ```
    #[inline]
    pub(super) fn e_index(&mut self, span: Span) -> Eval {
        let i = self.machine.int();
        let array = self.machine.operand().pull();
        self.opens(Rule::EIndex, |told| {
            format!("index {} {i}", told.val(&Val::Pull(Rc::clone(&array))))
        })?;
        let inside = [i.into(), array.len().into()];
        self.require(Rule::EIndex, span, Cause::OutsideBlock, inside)?;
        self.element(&array, i)?;
        self.closes()
    }

    /// What is evaluated next is this element.
    #[inline]
    pub(super) fn element(&mut self, array: &Rc<Pull>, at: i32) -> Eval {
        let mut pull = array;
        loop {
            self.machine.control = match &**pull {
                Pull::Cells(cells) => Control::Return(cells.get(at as usize)),
                Pull::Literal { first, env, .. } => {
                    Control::Eval(self.code.part(first + at as u32), env.clone())
                }
                Pull::Generate { f, span, .. } => Control::Apply(f.clone(), Val::Int(at), *span),
                Pull::Map { f, of, span, .. } if is_lazy(f) => {
                    self.delays(f.clone(), Thunk::Element(Rc::clone(of), at), *span)?;
                    return Ok(());
                }
                Pull::Map { f, of, span, .. } => {
                    self.push(Frame::Arg(f.clone(), *span))?;
                    pull = of;
                    continue;
                }
            };
            return Ok(());
        }
    }

    /// `E-LENGTH-PULL`
    ///
    /// ```text
    /// lengthPull [e₁, …, eₙ] ↪ n
    /// ```
    pub(super) fn e_length_pull(&mut self) -> Eval {
        let array = self.machine.operand().pull();
        self.opens(Rule::ELengthPull, |told| {
            format!("lengthPull {}", told.val(&Val::Pull(Rc::clone(&array))))
        })?;
        self.gives(Val::Int(array.len()))
    }

    /// `lengthPush v`
    pub(super) fn length_push(&mut self, span: Span) -> Eval {
        match self.machine.operand() {
            Val::Push(array) => self.e_length_push(&array),
            Val::Delayed(delayed) => {
                self.charge(1)?;
                self.push(Frame::LengthSize(Rc::clone(&delayed), span))?;
                self.eval(&delayed.size)
            }
            other => unreachable!("typing promises a push array, not {other:?}"),
        }
    }

    /// `E-LENGTH-PUSH`
    ///
    /// ```text
    /// lengthPush [e₁, …, eₙ]<γ> ↪ n
    /// ```
    fn e_length_push(&mut self, array: &Push) -> Eval {
        let n = array.elements.len();
        let level = array.level;
        self.opens(Rule::ELengthPush, |_| {
            format!("lengthPush [… {n} in all]<{}>", Level::written(level))
        })?;
        self.gives(Val::Int(n))
    }

    /// `E-LENGTH-CONCAT`: `e₁` and `e₂` are evaluated, their elements are not.
    ///
    /// ```text
    /// e₁ ↪* m ≥ 0                                                                  (size)
    /// e₂ ↪* [e'₁, …, e'ₙ]
    /// ─────────────────────────────────────────
    /// lengthPush (concatDelay e₁ e₂) ↪ m * n
    /// ```
    pub(super) fn e_length_concat(&mut self, delayed: &Delayed, m: i32, span: Span) -> Eval {
        self.opens(Rule::ELengthConcat, |_| format!("lengthPush (concatDelay {m} …)"))?;
        self.require(Rule::ELengthConcat, span, Cause::NegativeSize, [m.into()])?;
        self.push(Frame::LengthChunks(m))?;
        self.eval(&delayed.chunks)?;
        self.closes()
    }

    /// `m * n`, which is exact.
    pub(super) fn product(&mut self, m: i32, n: i32) -> Eval<i32> {
        let all = i64::from(m) * i64::from(n);
        Ok(i32::try_from(all).map_err(|_| Why::Memory(all as u64 * 4))?)
    }

    /// `E-PUSH`
    ///
    /// ```text
    /// push <γ> [e₁, …, eₙ] ↪ [e₁, …, eₙ]<γ>
    /// ```
    pub(super) fn e_push(&mut self, level: u32, elements: Rc<Pull>) -> Eval {
        self.opens(Rule::EPush, |told| {
            let elements = told.val(&Val::Pull(Rc::clone(&elements)));
            format!("push <{}> {elements}", Level::written(level))
        })?;
        self.gives(Val::Push(Rc::new(Push { elements, level })))
    }

    /// `E-MAP-PULL` (36)
    ///
    /// ```text
    /// mapPull e [e₁, e₂, …, eₙ] ↪ [e e₁, e e₂, …, e eₙ]
    /// ```
    pub(super) fn e_map_pull(&mut self, span: Span) -> Eval {
        let (array, f) = (self.machine.operand().pull(), self.machine.operand());
        self.opens(Rule::EMapPull, |told| {
            format!("mapPull {} {}", told.val(&f), told.val(&Val::Pull(Rc::clone(&array))))
        })?;
        let mapped = Val::map(f, array, span)?;
        self.gives(Val::Pull(mapped))
    }

    /// `mapPush f v`
    pub(super) fn map_push(&mut self, span: Span) -> Eval {
        let (array, f) = (self.machine.operand(), self.machine.operand());
        match array {
            Val::Push(array) => self.e_map_push(f, &array, span),
            Val::Delayed(delayed) => self.e_map_concat(f, &delayed, span),
            other => unreachable!("typing promises a push array, not {other:?}"),
        }
    }

    /// `E-MAP-PUSH` (37)
    ///
    /// ```text
    /// mapPush e [e₁, e₂, …, eₙ]<γ> ↪ [e e₁, e e₂, …, e eₙ]<γ>
    /// ```
    fn e_map_push(&mut self, f: Val, array: &Push, span: Span) -> Eval {
        let Push { elements, level } = array;
        self.opens(Rule::EMapPush, |told| {
            let elements = told.val(&Val::Pull(Rc::clone(elements)));
            format!("mapPush {} {elements}<{}>", told.val(&f), Level::written(*level))
        })?;
        let elements = Val::map(f, Rc::clone(elements), span)?;
        self.gives(Val::Push(Rc::new(Push { elements, level: *level })))
    }

    /// `E-MAP-CONCAT`; of `interleaveDelay` the order stays.
    ///
    /// ```text
    /// mapPush v (concatDelay e₁ e₂) ↪ concatDelay e₁ (mapPull (mapPush v) e₂)
    /// ```
    fn e_map_concat(&mut self, f: Val, delayed: &Delayed, span: Span) -> Eval {
        self.opens(Rule::EMapConcat, |told| format!("mapPush {} (concatDelay …)", told.val(&f)))?;
        let chunks = Thunk::map_chunks(f, delayed.chunks.clone(), span)?;
        let (size, order) = (delayed.size.clone(), delayed.order.clone());
        let mapped = Val::delayed(size, order, chunks, delayed.span)?;
        self.gives(mapped)
    }

    /// One argument more of `concat` or `interleave`: true if it was the last, which is a step.
    pub(super) fn delays(&mut self, f: Val, arg: Thunk, span: Span) -> Eval<bool> {
        let (op, mut args) = match f {
            Val::Op(op) => (op, SmallVec::new()),
            Val::Partial(partial) => {
                let Partial { op, ref args, .. } = *partial;
                (op, args.clone())
            }
            other => unreachable!("an operator, not {other:?}"),
        };
        args.push(Arg::Thunk(arg));
        if args.len() < op.arity() {
            self.charge(1)?;
            self.machine.control = Control::Return(Val::partial(op, args)?);
            return Ok(false);
        }
        let mut thunks = args.into_iter().map(|arg| match arg {
            Arg::Thunk(thunk) => thunk,
            Arg::Val(val) => Thunk::Val(val),
        });
        let mut next = || thunks.next().expect("there are as many as it takes");
        match op {
            Op::Concat => self.e_concat(next(), next(), span)?,
            _ => self.e_interleave(next(), next(), next(), span)?,
        }
        Ok(true)
    }

    /// `concat` or `interleave` of all its arguments.
    pub(super) fn delays_all(&mut self, op: Op, first: u32, env: Env, span: Span) -> Eval<bool> {
        let arg = |at: u32| Thunk::Code(self.code.part(first + at), env.clone());
        match op {
            Op::Concat => self.e_concat(arg(0), arg(1), span)?,
            _ => self.e_interleave(arg(0), arg(1), arg(2), span)?,
        }
        Ok(true)
    }

    /// `E-CONCAT` (38)
    ///
    /// ```text
    /// concat e₁ e₂ ↪ concatDelay e₁ e₂
    /// ```
    fn e_concat(&mut self, size: Thunk, chunks: Thunk, span: Span) -> Eval {
        self.opens(Rule::EConcat, |_| "concat … …".to_owned())?;
        let delayed = Val::delayed(size, None, chunks, span)?;
        self.gives(delayed)
    }

    /// `E-INTERLEAVE` (extension)
    ///
    /// ```text
    /// interleave e₁ g e₂ ↪ interleaveDelay e₁ g e₂
    /// ```
    fn e_interleave(&mut self, size: Thunk, order: Thunk, chunks: Thunk, span: Span) -> Eval {
        self.opens(Rule::EInterleave, |_| "interleave … … …".to_owned())?;
        let delayed = Val::delayed(size, Some(order), chunks, span)?;
        self.gives(delayed)
    }
}
