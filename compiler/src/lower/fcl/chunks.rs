//! Chunks below the grid: the invocations of a group take one each, and an invocation makes one after the other.
//!
//! A chunk at a warp is made by one of its invocations.

use super::code::{Item, Items};
use super::force::{Into, base, chosen, elements};
use super::launch::taken_apart;
use super::memory::Room;
use super::value::{Part, Pull, Push, Shape, Stored, Val};
use super::{Lower, Lowered, fold, refused};
use reference::device::syntax::{Carried, Exp, I32, Sc};
use reference::fcl::rules;
use reference::kit::faults::WrongFcl;
use reference::kit::outcome::Cause;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use std::rc::Rc;

/// Chunks that are made.
struct Made<'p> {
    /// How long each is.
    size: Exp,
    /// They.
    chunks: Rc<Pull<'p>>,
    maps: Vec<(Val<'p>, Span)>,
    /// The application that made them, and the one that forces them.
    spans: [Span; 2],
    /// Where they are written.
    to: Stored,
}

impl<'p> Lower<'p> {
    /// Chunks at a location below the grid.
    pub(super) fn chunks_below(
        &mut self,
        span: Span,
        push: &Push<'p>,
        into: &Into,
    ) -> Lowered<Room> {
        let (chunks, maps) = taken_apart(push);
        let at = chunks.span;
        if chunks.order.is_some() {
            return Err(refused(
                at,
                "`interleave`",
                "chunks with an order below the level of the grid",
            ));
        }
        let size = self.forced(at, &chunks.size)?.scalar();
        self.check(at, Cause::NegativeSize, vec![size.clone()])?;
        let size = self.named(at, "m", Sc::I32, size);
        self.ranges_of(&size, super::bounds::LENGTH);
        let pull = self.forced(at, &chunks.chunks)?.as_pull();
        let count = self.length(&pull);
        let count = self.named(at, "chunks", Sc::I32, count);
        let length = self.product(at, &size, &count);
        let shape = self.shape_of(span, push)?;
        let (spine, level) = (self.context.is_spine(), self.context.level);
        let room = self.room_for(span, if spine { level } else { 0 }, (&shape, &length), into)?;
        let Room { stored, side, declared } = room;
        declared.into_iter().for_each(|(span, item)| self.emit(span, item));
        let made = Made { size, chunks: pull, maps, spans: [at, span], to: stored.clone() };
        let fails = self.fails;
        if spine {
            self.deal(at, &count, |to, number| {
                to.context.level = level - 1;
                to.chunk_below(&made, number)
            })?;
        } else {
            self.chunks_in_order(&made, &count, fails)?;
        }
        self.after(at, fails)?;
        Ok(Room { stored, side, declared: Items::new() })
    }

    fn chunks_in_order(&mut self, made: &Made<'p>, count: &Exp, fails: usize) -> Lowered {
        let var = self.names.fresh("k");
        self.ranges.insert(var, (0, i64::from(i32::MAX) - 1));
        let number = Exp::Var(var);
        self.is_below(&number, count);
        let mut context = self.context.within(&number);
        context.level -= 1;
        let ((), body) = self.inside(context, |to| to.chunk_below(made, &number))?;
        let more = Exp::bin(BinOp::Lt, number.clone(), count.clone());
        let cond = if self.fails > fails { fold::and(more, self.is_well()) } else { more };
        let carried = vec![Carried { var, ty: I32, init: Exp::i32(0) }];
        let next = vec![Exp::bin(BinOp::Add, number, Exp::i32(1))];
        self.emit(made.spans[0], Item::Loop { carried, cond, body, next });
        Ok(())
    }

    /// A chunk, of this number from 0, is made and written to its place.
    fn chunk_below(&mut self, made: &Made<'p>, number: &Exp) -> Lowered {
        let [at, span] = made.spans;
        let mut chunk = self.element(at, &made.chunks, number.clone())?.as_push();
        for (f, at) in made.maps.iter().rev() {
            chunk = Rc::new(Push::Map(f.clone(), chunk, *at));
        }
        let found = self.length_to_force(at, &chunk)?;
        let found = self.named(at, "found", Sc::I32, found);
        if !self.has(WrongFcl::NoLengthTest) {
            self.check(at, rules::LENGTH, vec![found, made.size.clone()])?;
        }
        let first = fold::bin(BinOp::Mul, number.clone(), made.size.clone());
        let first = self.named(at, "first", Sc::I32, first);
        let to = behind(&made.to, &first);
        self.force(span, &chunk, Into::There(to))?;
        Ok(())
    }

    /// The length of an array that is about to be forced: what fails is what made it.
    pub(super) fn length_to_force(&mut self, span: Span, push: &Push<'p>) -> Lowered<Exp> {
        let mut at = push;
        loop {
            match at {
                Push::Map(_, of, _) => at = of,
                Push::Chunks(chunks) => return self.length_push(chunks.span, push),
                Push::Elements(..) | Push::Either(..) => return self.length_push(span, push),
            }
        }
    }

    /// What elements of an array are.
    pub(super) fn shape_of(&mut self, span: Span, push: &Push<'p>) -> Lowered<Shape> {
        if let Some(pull) = elements(push) {
            return self.tried(0, |to| {
                let value = to.element(span, &pull, Exp::i32(0))?;
                Ok(base(span, &value)?.0)
            });
        }
        if let Some((_, [first, _])) = chosen(push) {
            return self.shape_of(span, &first);
        }
        let (chunks, maps) = taken_apart(push);
        self.tried(2, |to| {
            let pull = to.forced(span, &chunks.chunks)?.as_pull();
            let mut chunk = to.element(span, &pull, Exp::i32(0))?.as_push();
            for (f, at) in maps.iter().rev() {
                chunk = Rc::new(Push::Map(f.clone(), chunk, *at));
            }
            to.shape_of(span, &chunk)
        })
    }
}

/// The array from this element on.
pub(super) fn behind(stored: &Stored, first: &Exp) -> Stored {
    let part = |part: &Part| {
        let offset = fold::bin(BinOp::Add, part.offset.clone(), first.clone());
        Part { memory: part.memory.clone(), offset }
    };
    let parts = Rc::new(stored.parts.iter().map(part).collect());
    Stored { parts, ..stored.clone() }
}
