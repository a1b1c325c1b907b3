//! Chunks below the grid: the invocations or the warps of a group take one each, and make one after the other. Above
//! the grid the host does so.

use super::code::Items;
use super::force::{Into, base, chosen, elements};
use super::launch::taken_apart;
use super::memory::Room;
use super::orders::Interleaved;
use super::value::{Chunks, Part, Pull, Push, Shape, Stored, Val};
use super::{Lower, Lowered, Space, fold};
use reference::device::syntax::{Exp, Sc};
use reference::fcl::rules;
use reference::kit::faults::WrongFcl;
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
    /// Where they are written, one after the other.
    to: Stored,
    /// Where their elements go, if not there.
    interleaved: Option<Interleaved<'p>>,
}

impl<'p> Lower<'p> {
    /// Chunks at a location below the grid or above it.
    pub(super) fn put_together(
        &mut self,
        span: Span,
        push: &Push<'p>,
        into: &Into,
    ) -> Lowered<Room> {
        let (chunks, maps) = taken_apart(push);
        let at = chunks.span;
        let (size, pull) = self.chunks_of(at, &chunks)?;
        let count = self.length(&pull);
        let count = self.named(at, "chunks", Sc::I32, count);
        let length = self.product(at, &size, &count);
        let shape = self.shape_of(span, push)?;
        let level = match self.context.is_spine() {
            true => self.context.level,
            false if self.context.memory == Space::Host => 3,
            false => 0,
        };
        let room = self.room_for(span, level, (&shape, &length), into)?;
        let Room { stored, side, declared } = room;
        declared.into_iter().for_each(|(span, item)| self.emit(span, item));
        let interleaved = match self.order_of(&chunks, &maps) {
            Some(order) => {
                let by_tiles = self.by_tiles(at, &order, [&count, &size])?;
                let (interleaved, declared) = match fold::truth(&by_tiles) {
                    Some(true) => (Interleaved::straight(order, &stored), Items::new()),
                    _ => self.interleaved(at, level, order, (&shape, &length))?,
                };
                declared.into_iter().for_each(|(span, item)| self.emit(span, item));
                if level < 3 {
                    self.clear_owners(at, &interleaved)?;
                }
                Some(interleaved)
            }
            None => None,
        };
        let made =
            Made { size, chunks: pull, maps, spans: [at, span], to: stored.clone(), interleaved };
        self.each_chunk(at, &count, |to, number| to.chunk_below(&made, number))?;
        match &made.interleaved {
            Some(interleaved) if level == 3 => {
                self.settle_targets(at, &made.size, interleaved, &made.to)?;
            }
            Some(interleaved) => self.each_chunk(at, &count, |to, number| {
                let first = fold::bin(BinOp::Mul, number.clone(), made.size.clone());
                let first = to.named(at, "first", Sc::I32, first);
                to.settle_chunk(at, interleaved, (&first, &made.size), &made.to)
            })?,
            None => {}
        }
        Ok(Room { stored, side, declared: Items::new() })
    }

    /// Where elements of chunks go, if not one after the other.
    pub(super) fn order_of(
        &self,
        chunks: &Chunks<'p>,
        maps: &[(Val<'p>, Span)],
    ) -> Option<Val<'p>> {
        let forgotten = !maps.is_empty() && self.has(WrongFcl::MapForgetsOrder);
        chunks.order.clone().filter(|_| !forgotten)
    }

    /// Does this for each chunk, by its number from 0: an invocation or a warp of the group
    /// each, or the one at hand, or the host.
    pub(super) fn each_chunk<T>(
        &mut self,
        span: Span,
        count: &Exp,
        write: impl FnOnce(&mut Self, &Exp) -> Lowered<T>,
    ) -> Lowered<T> {
        let level = self.context.level - 1;
        if !self.context.is_spine() {
            return self.each(span, "k", count, level, |to, number| {
                Ok((write(to, number)?, Items::new()))
            });
        }
        let fails = self.fails;
        let made = match level {
            0 => self.deal(span, count, write)?,
            _ => self.each_warp(span, count, write)?,
        };
        self.after(span, fails)?;
        Ok(made)
    }

    /// A chunk, of this number from 0, is made and written to its place.
    fn chunk_below(&mut self, made: &Made<'p>, number: &Exp) -> Lowered {
        let [at, span] = made.spans;
        let chunk = self.element(at, &made.chunks, number.clone())?.as_push();
        let chunk = mapped(chunk, &made.maps);
        let found = self.length_to_force(at, &chunk)?;
        let found = self.named(at, "found", Sc::I32, found);
        if !self.has(WrongFcl::NoLengthTest) {
            self.check(at, rules::LENGTH, vec![found, made.size.clone()])?;
        }
        let first = fold::bin(BinOp::Mul, number.clone(), made.size.clone());
        let first = self.named(at, "first", Sc::I32, first);
        match &made.interleaved {
            Some(to) => {
                let numbers = [number.clone(), first];
                self.ordered_chunk(made.spans, to, (&numbers, &made.size), &chunk)
            }
            None => self.force(span, &chunk, Into::There(behind(&made.to, &first))).map(drop),
        }
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
        self.tried(self.level_of_chunks(), |to| {
            let pull = to.forced(span, &chunks.chunks)?.as_pull();
            let chunk = to.element(span, &pull, Exp::i32(0))?.as_push();
            to.shape_of(span, &mapped(chunk, &maps))
        })
    }
}

/// The array that is mapped by these functions, the last one first.
pub(super) fn mapped<'p>(push: Rc<Push<'p>>, maps: &[(Val<'p>, Span)]) -> Rc<Push<'p>> {
    maps.iter().rev().fold(push, |of, (f, at)| Rc::new(Push::Map(f.clone(), of, *at)))
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
