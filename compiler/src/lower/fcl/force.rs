//! `force`: an array is written.

use super::code::{Item, Items};
use super::group::Group;
use super::groups::Groups;
use super::launch::taken_apart;
use super::memory::Room;
use super::telling::Telling;
use super::value::{Chunks, Pull, Push, Shape, Stored, Val};
use super::{Context, Failing, Lower, Lowered, Space, fold, refused};
use reference::device::syntax::{Carried, Check, Exp, I32, Sc, Site};
use reference::fcl::eval::UNSEEN;
use reference::fcl::rules;
use reference::kit::outcome::Cause;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use std::rc::Rc;

/// Where an array is written.
pub(super) enum Into {
    /// Into memory of its own, with room for so many copies.
    Fresh(u32),
    /// There, if it is no longer than that.
    There(Stored),
}

impl<'p> Lower<'p> {
    /// `force a`, applied there.
    pub(super) fn force(&mut self, span: Span, push: &Push<'p>, into: Into) -> Lowered<Room> {
        let here = self.context.level;
        if here == 0 && has_chunks(push) {
            return self.misplaced(span, push, told(push));
        }
        let level = self.level_of(span, push)?;
        if let (None, Some((cond, [first, second]))) = (elements(push), chosen(push)) {
            // Each is made where it is chosen, then the one that there is is copied.
            let made = self.branch(
                span,
                cond,
                |to| Ok(Val::pull(Pull::Stored(to.force(span, &first, Into::Fresh(1))?.stored))),
                |to| Ok(Val::pull(Pull::Stored(to.force(span, &second, Into::Fresh(1))?.stored))),
            )?;
            return self.force(span, &Push::Elements(here, made.as_pull()), into);
        }
        if level != here {
            let level = match elements(push) {
                Some(_) => Exp::i32(level as i32),
                None => self.told_by_chunks(push)?,
            };
            return self.misplaced(span, push, level);
        }
        match elements(push) {
            Some(pull) if level >= 3 => self.launch_elements(span, &pull, into),
            Some(pull) if level > 0 && self.context.is_spine() => self.by_group(span, &pull, into),
            Some(pull) => self.in_order(span, &pull, into),
            None if level == 3 => self.launch_chunks(push, into),
            None => self.put_together(span, push, &into),
        }
    }

    /// A force of an array of a level at a location of another one.
    fn misplaced(&mut self, span: Span, push: &Push<'p>, level: Exp) -> Lowered<Room> {
        let here = self.context.level;
        self.check(span, rules::LEVEL, vec![level, Exp::i32(here as i32)])?;
        // Nothing reads what was not written, but it has a type.
        let shape = self.shape_of(span, push)?;
        let mut room = self.room(span, here.min(3), &shape, &Exp::i32(0), 1)?;
        for (span, item) in std::mem::take(&mut room.declared) {
            self.emit(span, item);
        }
        Ok(room)
    }

    /// What is evaluated of chunks of another level than that of the location, and the level that is told of them; that of
    /// the location if there are none.
    fn told_by_chunks(&mut self, push: &Push<'p>) -> Lowered<Exp> {
        let (level, count) = self.first_of_chunks(push, None)?;
        let some = fold::bin(BinOp::Lt, Exp::i32(0), count);
        Ok(fold::select(some, Exp::i32(level as i32), Exp::i32(self.context.level as i32)))
    }

    /// Evaluates chunks and the first one of them, whose force is stuck. Gives the level that is told and the number of
    /// chunks. They are a chunk themselves if so many elements are `wanted`, by the application there.
    fn first_of_chunks(
        &mut self,
        push: &Push<'p>,
        wanted: Option<(Span, &Exp)>,
    ) -> Lowered<(u32, Exp)> {
        let (chunks, _) = taken_apart(push);
        let span = chunks.span;
        let (size, pull) = self.chunks_of(span, &chunks)?;
        let count = self.length(&pull);
        let count = self.named(span, "chunks", Sc::I32, count);
        let found = self.product(span, &size, &count);
        if let Some((span, wanted)) = wanted {
            self.check(span, rules::LENGTH, vec![found, wanted.clone()])?;
            if self.range(&count).is_none_or(|(least, _)| least < 1) {
                let reason =
                    "chunks that are forced at a location of another level, if there are any";
                return Err(refused(span, "a `force`", reason));
            }
        }
        let one = fold::bin(BinOp::Min, count.clone(), Exp::i32(1));
        let look = |to: &mut Self, number: &Exp| {
            let chunk = to.element(span, &pull, number.clone())?.as_push();
            to.level_told(span, &chunk, &size)
        };
        let level = match self.context.level {
            3 => {
                let threads = self.target.machine.threads_of_block();
                let groups = Groups { count: one, threads, level: 2, of_chunks: true };
                self.grouped(span, &groups, |to| Ok((look(to, &Exp::i32(0))?, Items::new())))?
            }
            _ => self.each_chunk(span, &one, look)?,
        };
        Ok((level + 1, count))
    }

    /// The level that is told of a chunk of so many elements whose level is not that of the location.
    fn level_told(&mut self, span: Span, chunk: &Push<'p>, size: &Exp) -> Lowered<u32> {
        if elements(chunk).is_some() {
            return self.level_of(span, chunk);
        }
        let reason = "chunks that are forced at a location of another level, if they are chosen";
        let chosen_late = || refused(span, "a `force`", reason);
        if self.context.level == 0 {
            let told = fold::literal(&told(chunk)).ok_or_else(chosen_late)?;
            return Ok(told as u32);
        }
        if chosen(chunk).is_some() {
            return Err(chosen_late());
        }
        Ok(self.first_of_chunks(chunk, Some((span, size)))?.0)
    }

    /// What is found by writing statements at a location of this level; they are not kept.
    pub(super) fn tried<T>(
        &mut self,
        level: u32,
        write: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<T> {
        let (fails, slabs, kernels) = (self.fails, self.slabs.len(), self.kernels.len());
        let notes = self.notes.len();
        let mut trial = self.group.clone();
        if trial.is_none() {
            let (size, places) = (self.target.machine.threads_of_block(), self.places(None));
            trial = Some(Group::new(size, places, Telling::Memory, &mut self.names));
        }
        let group = std::mem::replace(&mut self.group, trial);
        let failing = Failing::Group(vec![Exp::i32(0); usize::from(level == 0)]);
        let invocation = self.context.invocation.clone();
        let mut context = Context { memory: Space::Kernel, level, failing, invocation, warp: None };
        if level >= 3 {
            context.memory = Space::Host;
            context.failing = Failing::Native(Vec::new());
        }
        let found = self.inside(context, write);
        (self.fails, self.group) = (fails, group);
        self.slabs.truncate(slabs);
        self.kernels.truncate(kernels);
        self.notes.truncate(notes);
        Ok(found?.0)
    }

    /// `lengthPush a`
    pub(super) fn length_push(&mut self, span: Span, push: &Push<'p>) -> Lowered<Exp> {
        match push {
            Push::Elements(_, pull) => Ok(self.length(pull)),
            Push::Map(_, of, _) => self.length_push(span, of),
            Push::Either(cond, of) => {
                let [first, second] = (**of).clone();
                let length = self.branch(
                    span,
                    cond.clone(),
                    |to| to.length_push(span, &first).map(Val::int),
                    |to| to.length_push(span, &second).map(Val::int),
                )?;
                Ok(length.scalar())
            }
            Push::Chunks(chunks) => {
                let (size, pull) = self.chunks_of(span, chunks)?;
                let count = self.length(&pull);
                let count = self.named(span, "chunks", Sc::I32, count);
                Ok(self.product(span, &size, &count))
            }
        }
    }

    /// How many elements so many chunks have. More than 32 bits can tell are more than memory has.
    pub(super) fn product(&mut self, span: Span, size: &Exp, count: &Exp) -> Exp {
        let whole = fold::bin(BinOp::Mul, size.clone(), count.clone());
        if self.range(&whole).is_none() {
            let [a, b] = [size, count].map(|exp| fold::cast(Sc::I64, exp.clone()));
            let site = self.site(Site { span, cause: Cause::Width });
            let operands = vec![Exp::bin(BinOp::Mul, a, b)];
            self.emit(span, Item::Check(Check { site, operands, path: Vec::new(), order: None }));
        }
        let whole = self.named(span, "n", Sc::I32, whole);
        self.ranges_of(&whole, super::bounds::LENGTH);
        whole
    }

    /// How often `1 +` stands in the level of an array.
    fn level_of(&mut self, span: Span, push: &Push<'p>) -> Lowered<u32> {
        match push {
            Push::Elements(level, _) => Ok(*level),
            Push::Map(_, of, _) => self.level_of(span, of),
            Push::Either(_, of) => self.level_of(span, &of[0]),
            Push::Chunks(chunks) => {
                let level = self.tried(self.level_of_chunks(), |to| {
                    let pull = to.forced(span, &chunks.chunks)?.as_pull();
                    if let Pull::Empty(_) = *pull {
                        return Ok(None);
                    }
                    let chunk = to.element(span, &pull, Exp::i32(0))?.as_push();
                    to.level_of(span, &chunk).map(Some)
                })?;
                // An array without chunks is of any level.
                Ok(level.map_or(self.context.level, |level| level + 1))
            }
        }
    }

    /// A level at which chunks may be evaluated to see what they are.
    pub(super) fn level_of_chunks(&self) -> u32 {
        self.context.level.max(3) - 1
    }

    /// How long chunks are, and they; for an application there.
    pub(super) fn chunks_of(
        &mut self,
        span: Span,
        chunks: &Chunks<'p>,
    ) -> Lowered<(Exp, Rc<Pull<'p>>)> {
        let size = self.forced(span, &chunks.size)?.scalar();
        self.check(span, Cause::NegativeSize, vec![size.clone()])?;
        let size = self.named(span, "m", Sc::I32, size);
        self.ranges_of(&size, super::bounds::LENGTH);
        let pull = self.forced(span, &chunks.chunks)?.as_pull();
        Ok((size, pull))
    }

    /// The room that an array is written into.
    pub(super) fn room_for(
        &mut self,
        span: Span,
        level: u32,
        (shape, length): (&Shape, &Exp),
        into: &Into,
    ) -> Lowered<Room> {
        match into {
            Into::Fresh(copies) => self.room(span, level, shape, length, *copies),
            Into::There(stored) => {
                let stored = Stored { length: length.clone(), ..stored.clone() };
                Ok(Room { stored, side: Exp::i32(0), declared: Items::new() })
            }
        }
    }

    /// The invocations of a group, or of a warp of it, write elements in rounds.
    fn by_group(&mut self, span: Span, pull: &Rc<Pull<'p>>, into: Into) -> Lowered<Room> {
        let length = self.length(pull);
        let length = self.named(span, "n", Sc::I32, length);
        let (fails, level) = (self.fails, self.context.level);
        let room = self.deal(span, &length.clone(), |to, index| {
            let value = to.element(span, pull, index.clone())?;
            let (shape, leaves) = base(span, &value)?;
            let room = to.room_for(span, level, (&shape, &length), &into)?;
            to.store(span, &room.stored, index, leaves);
            Ok(room)
        })?;
        self.after(span, fails)?;
        Ok(room)
    }

    /// A thread writes one element after the other.
    fn in_order(&mut self, span: Span, pull: &Rc<Pull<'p>>, into: Into) -> Lowered<Room> {
        let length = self.length(pull);
        let length = self.named(span, "n", Sc::I32, length);
        self.each(span, "j", &length.clone(), 0, |to, index| {
            let value = to.element(span, pull, index.clone())?;
            let (shape, leaves) = base(span, &value)?;
            let mut room = to.room_for(span, 0, (&shape, &length), &into)?;
            to.store(span, &room.stored, index, leaves);
            let declared = std::mem::take(&mut room.declared);
            Ok((room, declared))
        })
    }

    /// An invocation does this for one number after the other, from 0 and below `count`, at a location of this level. What
    /// it says with the result is declared before.
    pub(super) fn each<T>(
        &mut self,
        span: Span,
        wish: &'static str,
        count: &Exp,
        level: u32,
        write: impl FnOnce(&mut Self, &Exp) -> Lowered<(T, Items)>,
    ) -> Lowered<T> {
        let fails = self.fails;
        let var = self.names.fresh(wish);
        if self.context.memory == Space::Host {
            self.host.insert(var, I32);
        }
        let (_, most) = self.range(count).unwrap_or(super::bounds::LENGTH);
        self.ranges.insert(var, (0, most.max(1) - 1));
        let number = Exp::Var(var);
        self.is_below(&number, count);
        let mut context = self.context.within(&number);
        context.level = level;
        let ((made, declared), body) = self.inside(context, |to| write(to, &number))?;
        declared.into_iter().for_each(|(span, item)| self.emit(span, item));
        let more = Exp::bin(BinOp::Lt, number.clone(), count.clone());
        let cond = if self.fails > fails { fold::and(more, self.is_well()) } else { more };
        let carried = vec![Carried { var, ty: I32, init: Exp::i32(0) }];
        let next = vec![Exp::bin(BinOp::Add, number, Exp::i32(1))];
        self.emit(span, Item::Loop { carried, cond, body, next });
        self.after(span, fails)?;
        Ok(made)
    }
}

/// The elements of an array that is not made of chunks.
pub(super) fn elements<'p>(push: &Push<'p>) -> Option<Rc<Pull<'p>>> {
    match push {
        Push::Elements(_, pull) => Some(Rc::clone(pull)),
        Push::Map(f, of, at) => Some(Rc::new(Pull::Map(f.clone(), elements(of)?, *at))),
        Push::Either(cond, of) => {
            let of = Rc::new([elements(&of[0])?, elements(&of[1])?]);
            Some(Rc::new(Pull::Either(cond.clone(), of)))
        }
        Push::Chunks(_) => None,
    }
}

/// The arrays that a branch chooses one of.
pub(super) fn chosen<'p>(push: &Push<'p>) -> Option<(Exp, [Rc<Push<'p>>; 2])> {
    match push {
        Push::Either(cond, of) => Some((cond.clone(), (**of).clone())),
        Push::Map(f, of, at) => {
            let (cond, of) = chosen(of)?;
            Some((cond, of.map(|of| Rc::new(Push::Map(f.clone(), of, *at)))))
        }
        Push::Elements(..) | Push::Chunks(_) => None,
    }
}

/// May chunks have to be put together?
fn has_chunks(push: &Push<'_>) -> bool {
    match push {
        Push::Elements(..) => false,
        Push::Chunks(_) => true,
        Push::Map(_, of, _) => has_chunks(of),
        Push::Either(_, of) => of.iter().any(|of| has_chunks(of)),
    }
}

/// The level that is told of an array which a thread cannot force.
fn told(push: &Push<'_>) -> Exp {
    match push {
        Push::Elements(level, _) => Exp::i32(*level as i32),
        Push::Chunks(_) => Exp::i32(UNSEEN as i32),
        Push::Map(_, of, _) => told(of),
        Push::Either(cond, of) => fold::select(cond.clone(), told(&of[0]), told(&of[1])),
    }
}

/// The shape and the components of a base value.
pub(super) fn base(span: Span, value: &Val<'_>) -> Lowered<(Shape, Vec<Exp>)> {
    value.base().ok_or_else(|| refused(span, "a `force`", "elements that are no base values"))
}
