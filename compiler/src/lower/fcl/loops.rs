//! `while`: two copies of an array, each round reads one and writes the other.

use super::code::{Item, Items};
use super::force::Into;
use super::memory::Room;
use super::value::{Part, Pull, Push, Stored, Val};
use super::{Lower, Lowered, fold};
use reference::device::syntax::{BOOL, Carried, Exp, I32, Sc};
use reference::fcl::rules;
use reference::kit::faults::WrongFcl;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use std::rc::Rc;

impl<'p> Lower<'p> {
    /// `while c f a`
    pub(super) fn repeated(
        &mut self,
        span: Span,
        cond: &Val<'p>,
        step: &Val<'p>,
        push: &Push<'p>,
    ) -> Lowered<Stored> {
        self.trusts();
        let Room { stored, side, .. } = self.force(span, push, Into::Fresh(2))?;
        let first = stored.length.clone();
        let [side_var, length, goes] =
            ["side", "length", "goes"].map(|wish| self.names.fresh(wish));
        let range = self.range(&first).unwrap_or(super::bounds::LENGTH);
        self.ranges.insert(length, (0, range.1.max(0)));
        self.ranges.insert(side_var, (0, 1));
        self.limits.insert(length, first.clone());
        if self.context.memory == super::Space::Host {
            self.host.insert(side_var, I32);
            self.host.insert(length, I32);
            self.host.insert(goes, BOOL);
        }
        if self.context.is_spine() && self.context.warp().is_none() {
            [side_var, length, goes].into_iter().for_each(|var| self.mark_uniform(var));
        }
        let carried = vec![
            Carried { var: side_var, ty: I32, init: Exp::i32(0) },
            Carried { var: length, ty: I32, init: first.clone() },
            Carried { var: goes, ty: BOOL, init: fold::bool(true) },
        ];
        let here = |side_of: Exp, length: Exp| {
            let part = |part: &Part| {
                let by = fold::bin(BinOp::Mul, side_of.clone(), side.clone());
                let offset = fold::bin(BinOp::Add, part.offset.clone(), by);
                Part { memory: part.memory.clone(), offset }
            };
            let parts = Rc::new(stored.parts.iter().map(part).collect());
            Stored { parts, length, ..stored.clone() }
        };
        let now = here(Exp::Var(side_var), Exp::Var(length));
        let in_place = match self.context.memory {
            super::Space::Host => WrongFcl::GridLoopInPlace,
            super::Space::Kernel => WrongFcl::GroupLoopInPlace,
        };
        let other = match self.has(in_place) {
            true => Exp::Var(side_var),
            false => Exp::bin(BinOp::Sub, Exp::i32(1), Exp::Var(side_var)),
        };
        let then = here(other.clone(), Exp::Var(length));
        let fails = self.fails;
        let begin = self.group.as_ref().map(|group| group.places.begins());
        let before = self.pending();
        let (longer, body) = self.scope(|to| to.round(span, [cond, step], (&now, then), &first))?;
        let forgotten = self.has(WrongFcl::BackEdge);
        if let Some((group, begin)) = self.group.as_mut().zip(begin.filter(|_| !forgotten)) {
            group.places.repeats(begin);
        }
        let on = Exp::bin(BinOp::Le, Exp::i32(0), longer.clone());
        let next_side = fold::select(on.clone(), other, Exp::Var(side_var));
        let next_length = fold::select(on.clone(), longer, Exp::Var(length));
        let next = vec![next_side, next_length, on];
        self.emit(span, Item::Loop { carried, cond: Exp::Var(goes), body, next });
        if self.context.warp().is_some() {
            // Perhaps no warp comes here, and none to the barriers in the loop.
            self.add_pending(before);
        }
        self.after(span, fails)?;
        Ok(now)
    }

    /// A round, in which the array is the one `now`; the next one is written `then`. Gives the length of the next one, -1
    /// if there is none.
    fn round(
        &mut self,
        span: Span,
        [cond, step]: [&Val<'p>; 2],
        (now, then): (&Stored, Stored),
        first: &Exp,
    ) -> Lowered<Exp> {
        let next = self.variable(span, "next", I32, Exp::i32(-1));
        let ((), items) = self.scope(|to| {
            let array = Val::pull(Pull::Stored(now.clone()));
            let on = to.apply(cond.clone(), array.clone(), span)?.scalar();
            let on = match to.has(WrongFcl::ConditionWithoutBarrier) {
                true => on,
                false => to.steering(span, on),
            };
            let on = to.named(span, "on", Sc::Bool, on);
            let (fails, before) = (to.fails, to.pending());
            let ((), step) = to.scope(|to| {
                let push = to.apply(step.clone(), array, span)?.as_push();
                let length = to.length_to_force(span, &push)?;
                let length = to.named(span, "n", Sc::I32, length);
                to.check(span, rules::GROWTH, vec![length.clone(), first.clone()])?;
                to.force(span, &push, Into::There(then))?;
                to.emit(span, Item::Set(vec![(next, length)]));
                Ok(())
            })?;
            to.add_pending(before);
            to.emit(span, Item::If(on, step, Items::new()));
            to.after(span, fails)
        })?;
        items.into_iter().for_each(|(span, item)| self.emit(span, item));
        let next = self.read(next);
        let next = match self.context.is_spine() && self.context.warp().is_none() {
            true => self.told(span, next),
            false => self.named(span, "next_length", Sc::I32, next),
        };
        if self.context.is_spine() {
            self.ends_round(span);
        }
        Ok(next)
    }
}
