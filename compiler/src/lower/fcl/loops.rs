//! `while`: two copies of an array, each round reads one and writes the other.
//!
//! Lengths of arrays are known behind a failure too, what they hold is not. So there are three forms, the first of these
//! that the loop has:
//! - In a kernel it is written out if it goes on by the length of its array, the first length is known when the program is
//!   compiled, and it does not go round often. Each round has an array of its own, as long as it has to be.
//! - In the spine of a group it is steered by the length, which all invocations know, and failures are told in the order
//!   of rounds ([`telling`](super::telling)).
//! - Else it is steered by what is read.

use super::code::{self, Item, Items};
use super::force::Into;
use super::memory::Room;
use super::telling::Telling;
use super::value::{Memory, Part, Pull, Push, Shape, Stored, Val};
use super::{Lower, Lowered, Space, bounds, fold};
use reference::device::syntax::{BOOL, Carried, Exp, I32, Sc};
use reference::fcl::rules;
use reference::kit::faults::WrongFcl;
use reference::kit::names::Var;
use reference::kit::outcome::Cause;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use std::rc::Rc;

/// The most rounds that are written out, of loops inside of each other together.
pub(super) const MOST_ROUNDS: usize = 20;

/// The array of a loop.
struct Twice {
    /// The first copy, as long as it was before the first round.
    stored: Stored,
    /// How far the second copy lies behind it.
    side: Exp,
    /// Which copy is read.
    reads: Var,
    /// How long that is.
    length: Var,
}

impl Twice {
    fn copy(&self, number: &Exp) -> Stored {
        let part = |part: &Part| {
            let by = fold::bin(BinOp::Mul, number.clone(), self.side.clone());
            let offset = fold::bin(BinOp::Add, part.offset.clone(), by);
            Part { memory: part.memory.clone(), offset }
        };
        let parts = Rc::new(self.stored.parts.iter().map(part).collect());
        Stored { parts, length: Exp::Var(self.length), ..self.stored.clone() }
    }

    /// The copy that is read.
    fn now(&self) -> Stored {
        self.copy(&Exp::Var(self.reads))
    }

    fn first(&self) -> &Exp {
        &self.stored.length
    }

    /// What a loop carries of it.
    fn carried(&self) -> [Carried; 2] {
        [
            Carried { var: self.reads, ty: I32, init: Exp::i32(0) },
            Carried { var: self.length, ty: I32, init: self.first().clone() },
        ]
    }
}

impl<'p> Lower<'p> {
    /// `while c f a`
    pub(super) fn repeated(
        &mut self,
        span: Span,
        cond: &Val<'p>,
        step: &Val<'p>,
        push: &Push<'p>,
    ) -> Lowered<Stored> {
        if let Some(rounds) = self.rounds_by_length(span, [cond, step], push)?
            && self.is_written_out(span, rounds)
        {
            return self.written_out(span, [cond, step], push, rounds);
        }
        if self.goes_by_length(span, [cond, step], push)? {
            return self.by_length(span, [cond, step], push);
        }
        self.by_content(span, [cond, step], push)
    }

    /// The array before the first round, and which copy is written in a round.
    fn twice(&mut self, span: Span, push: &Push<'p>) -> Lowered<(Twice, Exp)> {
        let Room { stored, side, .. } = self.force(span, push, Into::Fresh(2))?;
        let [reads, length] = ["side", "length"].map(|wish| self.names.fresh(wish));
        self.has_length_of(length, &stored.length);
        self.ranges.insert(reads, (0, 1));
        if self.context.memory == Space::Host {
            self.host.insert(reads, I32);
            self.host.insert(length, I32);
        }
        let in_place = match self.context.memory {
            Space::Host => WrongFcl::GridLoopInPlace,
            Space::Kernel => WrongFcl::GroupLoopInPlace,
        };
        let writes = match self.has(in_place) {
            true => Exp::Var(reads),
            false => Exp::bin(BinOp::Sub, Exp::i32(1), Exp::Var(reads)),
        };
        Ok((Twice { stored, side, reads, length }, writes))
    }

    /// The variable is no more than the length that an array has before the first round.
    fn has_length_of(&mut self, length: Var, first: &Exp) {
        let range = self.range(first).unwrap_or(bounds::LENGTH);
        self.ranges.insert(length, (0, range.1.max(0)));
        self.limits.insert(length, first.clone());
    }

    /// What is written are the rounds of a loop, so arrays live through them that are touched in one.
    fn rounds<T>(&mut self, write: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<(T, Items)> {
        let begin = self.group.as_ref().map(|group| group.places.begins());
        let made = self.scope(write)?;
        let forgotten = self.has(WrongFcl::BackEdge);
        if let Some((group, begin)) = self.group.as_mut().zip(begin.filter(|_| !forgotten)) {
            group.places.repeats(begin);
        }
        Ok(made)
    }

    /// A loop that is steered by what is read.
    fn by_content(
        &mut self,
        span: Span,
        functions: [&Val<'p>; 2],
        push: &Push<'p>,
    ) -> Lowered<Stored> {
        self.trusts();
        let (of, other) = self.twice(span, push)?;
        let goes = self.names.fresh("goes");
        if self.context.memory == Space::Host {
            self.host.insert(goes, BOOL);
        }
        if self.context.is_spine() && self.context.warp().is_none() {
            [of.reads, goes].into_iter().for_each(|var| self.mark_uniform(var));
            // The length of an array that a branch chooses is read from a variable, and so it varies.
            if self.is_uniform(of.first()) {
                self.mark_uniform(of.length);
            }
        }
        let (now, then) = (of.now(), of.copy(&other));
        let (fails, before) = (self.fails, self.pending());
        let (longer, body) =
            self.rounds(|to| to.round(span, functions, (&now, then), of.first()))?;
        let on = Exp::bin(BinOp::Le, Exp::i32(0), longer.clone());
        let next_side = fold::select(on.clone(), other, Exp::Var(of.reads));
        let next_length = fold::select(on.clone(), longer, Exp::Var(of.length));
        let next = vec![next_side, next_length, on];
        let goes_on = Carried { var: goes, ty: BOOL, init: fold::bool(true) };
        let carried = of.carried().into_iter().chain([goes_on]).collect();
        self.emit(span, Item::Loop { carried, cond: Exp::Var(goes), body, next });
        if self.context.warp().is_some() {
            // Perhaps no warp comes here, and none to the barriers in the loop.
            self.add_pending(before);
        }
        self.after(span, fails)?;
        Ok(now)
    }

    /// A loop of a spine that is steered by the length. It ends where an array is longer than the first one, too.
    fn by_length(
        &mut self,
        span: Span,
        [cond, step]: [&Val<'p>; 2],
        push: &Push<'p>,
    ) -> Lowered<Stored> {
        let (of, other) = self.twice(span, push)?;
        let [goes, round] = ["goes", "round"].map(|wish| self.names.fresh(wish));
        [of.reads, of.length, goes, round].into_iter().for_each(|var| self.mark_uniform(var));
        let (now, then) = (of.now(), of.copy(&other));
        let array = Val::pull(Pull::Stored(now.clone()));
        let Some(on) = self.goes_on(span, cond, array.clone())? else {
            unreachable!("`goes_by_length` has seen the condition");
        };
        // Each round ends with a barrier, so none begins with one for what was written before the loop.
        self.ends_round(span);
        let before = self.pending();
        let outer = self.enters_rounds(Exp::Var(round));
        let ((length, fits), body) = self.rounds(|to| {
            let push = to.apply(step.clone(), array, span)?.as_push();
            let length = to.length_to_force(span, &push)?;
            let length = to.named(span, "n", Sc::I32, length);
            // One below 0 fails a check before, and is too long here.
            let [found, first] = [&length, of.first()].map(|n| fold::cast(Sc::U32, n.clone()));
            let fits = fold::bin(BinOp::Le, found, first);
            let fits = to.named(span, "fits", Sc::Bool, fits);
            to.check(span, rules::GROWTH, vec![length.clone(), of.first().clone()])?;
            to.force(span, &push, Into::There(then))?;
            to.ends_round(span);
            Ok((length, fits))
        })?;
        self.leaves_rounds(outer);
        // Perhaps there is no round, and no barrier of one.
        self.add_pending(before);
        let next_length = fold::select(fits.clone(), length, Exp::Var(of.length));
        let next_round = Exp::bin(BinOp::Add, Exp::Var(round), Exp::i32(1));
        let next = vec![other, next_length, fits, next_round];
        let goes_on = Carried { var: goes, ty: BOOL, init: fold::bool(true) };
        let counts = Carried { var: round, ty: I32, init: Exp::i32(0) };
        let carried = of.carried().into_iter().chain([goes_on, counts]).collect();
        let on = fold::and(Exp::Var(goes), on);
        if !self.may_fail() {
            self.emit(span, Item::Loop { carried, cond: on, body, next });
            return Ok(now);
        }
        // Of a loop that ends each round has another length. One that does not gives up where that can be told behind
        // what failed before.
        let few = Exp::bin(BinOp::Le, Exp::Var(round), of.first().clone());
        let cond = fold::and(on.clone(), few);
        self.emit(span, Item::Loop { carried, cond, body, next });
        let ((), endless) = self.scope(|to| to.check(span, Cause::Fuel, Vec::new()))?;
        self.emit(span, Item::If(on, endless, Items::new()));
        Ok(now)
    }

    /// Is a loop of a spine steered by the length alone, and are its checks such that tell the round?
    fn goes_by_length(
        &mut self,
        span: Span,
        [cond, step]: [&Val<'p>; 2],
        push: &Push<'p>,
    ) -> Lowered<bool> {
        let by_checks = |group: &super::Group| matches!(group.telling, Telling::Checks { .. });
        let is_spine = self.context.is_spine() && self.context.warp.is_none();
        if !is_spine || self.rounds_left == 0 || !self.group.as_ref().is_some_and(by_checks) {
            return Ok(false);
        }
        self.tried_once(|to| {
            let first = to.length_to_force(span, push)?;
            let first = to.named(span, "n", Sc::I32, first);
            let length = to.names.fresh("length");
            to.has_length_of(length, &first);
            to.mark_uniform(length);
            let shape = to.shape_of(span, push)?;
            let array = Val::pull(Pull::Stored(to.unwritten(&shape, Exp::Var(length))));
            let on = to.goes_on(span, cond, array.clone())?;
            if !(on.is_some_and(|on| to.is_uniform(&on)) && to.is_uniform(&first)) {
                return Ok(false);
            }
            let push = to.apply(step.clone(), array, span)?.as_push();
            let next = to.length_to_force(span, &push)?;
            Ok(to.is_uniform(&next))
        })
    }

    /// The condition of a loop over this array as one expression. `None` if it needs statements with effects, or is too long.
    fn goes_on(&mut self, span: Span, cond: &Val<'p>, array: Val<'p>) -> Lowered<Option<Exp>> {
        let (on, items) = self.scope(|to| Ok(to.apply(cond.clone(), array, span)?.scalar()))?;
        Ok(code::without_statements(on, items))
    }

    /// How often a loop of a kernel goes round, if lengths alone say so and it may be written out.
    fn rounds_by_length(
        &mut self,
        span: Span,
        [cond, step]: [&Val<'p>; 2],
        push: &Push<'p>,
    ) -> Lowered<Option<usize>> {
        let most = self.rounds_left;
        if self.context.memory == Space::Host || most == 0 {
            return Ok(None);
        }
        self.tried_once(|to| {
            let first = to.length_to_force(span, push)?;
            let Some(first) = fold::literal(&first) else { return Ok(None) };
            let (mut length, shape) = (first, to.shape_of(span, push)?);
            for rounds in 0..=most {
                let array = Val::pull(Pull::Stored(to.unwritten(&shape, Exp::i32(length))));
                let on = to.apply(cond.clone(), array.clone(), span)?.scalar();
                match fold::truth(&on) {
                    Some(false) => return Ok(Some(rounds)),
                    None => return Ok(None),
                    Some(true) => {}
                }
                let push = to.apply(step.clone(), array, span)?.as_push();
                let next = to.length_to_force(span, &push)?;
                match fold::literal(&next) {
                    Some(next) if (0..=first).contains(&next) => length = next,
                    _ => return Ok(None),
                }
            }
            Ok(None)
        })
    }

    /// What is found by writing the loop at hand; of loops inside of it nothing is found so.
    fn tried_once<T>(&mut self, write: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        let left = std::mem::replace(&mut self.rounds_left, 0);
        let found = self.tried(self.context.level, write);
        self.rounds_left = left;
        found
    }

    /// An array of which only the length is known.
    fn unwritten(&mut self, shape: &Shape, length: Exp) -> Stored {
        let mut part = || {
            let memory = Memory::Private(self.names.fresh("unwritten"));
            Part { memory, offset: Exp::i32(0) }
        };
        let parts = Rc::new(shape.leaves().iter().map(|_| part()).collect());
        Stored { shape: shape.clone(), length, parts, shared: None }
    }

    /// Is the loop there written out? A kernel that is written once more is made alike.
    fn is_written_out(&mut self, span: Span, rounds: usize) -> bool {
        let Self { decisions, written_out, .. } = self;
        *written_out.entry(span).or_insert_with(|| {
            decisions.decide(|| format!("a loop is written out: it goes round {rounds} times"))
        })
    }

    /// A loop that is known to go round so often.
    fn written_out(
        &mut self,
        span: Span,
        [cond, step]: [&Val<'p>; 2],
        push: &Push<'p>,
        rounds: usize,
    ) -> Lowered<Stored> {
        let left = self.rounds_left;
        let mut now = self.force(span, push, Into::Fresh(1))?.stored;
        self.rounds_left = left / rounds.max(1);
        for round in 0..=rounds {
            let array = Val::pull(Pull::Stored(now.clone()));
            self.apply(cond.clone(), array.clone(), span)?;
            if round < rounds {
                let next = self.apply(step.clone(), array, span)?.as_push();
                now = self.force(span, &next, Into::Fresh(1))?.stored;
            }
        }
        self.rounds_left = left;
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
