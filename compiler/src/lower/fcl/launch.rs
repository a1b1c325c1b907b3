//! What a grid writes: launches.

use super::chunks::{behind, mapped};
use super::code::{Item, Items};
use super::force::{Into, base, elements};
use super::groups::Groups;
use super::memory::Room;
use super::orders::{Interleaved, Way};
use super::value::{Chunks, Pull, Push, Stored, Val};
use super::{Context, Failing, Lower, Lowered, Space, code, fold};
use reference::device::syntax::{
    AtomicOp, Builtin, Check, Element, Exp, Host, Kind, Par, Place, Sc, Site, Ty, U32,
};
use reference::fcl::rules;
use reference::kit::faults::WrongFcl;
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use std::rc::Rc;

/// Invocations of a group that makes elements of a chunk above the grid.
const IN_A_GROUP: u32 = 64;

/// What a launch of chunks is told of them.
#[derive(Clone)]
struct Dealt<'p> {
    /// How long each is.
    size: Exp,
    /// They.
    chunks: Rc<Pull<'p>>,
    /// How many there are.
    count: Exp,
    /// What the elements of a chunk are mapped by, the last function first.
    maps: Vec<(Val<'p>, Span)>,
    /// Where elements go; one after the other without it.
    order: Option<Val<'p>>,
    /// Does the order go through tiles?
    by_tiles: bool,
    /// How many elements there are.
    length: Exp,
}

impl<'p> Lower<'p> {
    /// Elements of a grid: an invocation each.
    pub(super) fn launch_elements(
        &mut self,
        span: Span,
        pull: &Rc<Pull<'p>>,
        into: Into,
    ) -> Lowered<Room> {
        let length = self.length(pull);
        let length = self.named(span, "n", Sc::I32, length);
        self.launch(span, &length, |to, index| {
            let value = to.element(span, pull, index.clone())?;
            let (shape, leaves) = base(span, &value)?;
            let mut room = to.room_for(span, 3, (&shape, &length), &into)?;
            to.store(span, &room.stored, index, leaves);
            let declared = std::mem::take(&mut room.declared);
            Ok((room, declared))
        })
    }

    /// A launch of `count` invocations, each of which does this with its number from 0. What it says with the result is
    /// declared before.
    pub(super) fn launch<T>(
        &mut self,
        span: Span,
        count: &Exp,
        write: impl Fn(&mut Self, &Exp) -> Lowered<(T, Items)>,
    ) -> Lowered<T> {
        match &self.context.failing {
            Failing::Native(path) if path.is_empty() => self.par(span, count, write),
            _ => self.launch_in_chunk(span, count, write),
        }
    }

    /// The same in a chunk above the grid. A check of the device language tells an invocation first, but FCL the chunk, so
    /// they are in groups, of which the host tells what failed.
    fn launch_in_chunk<T>(
        &mut self,
        span: Span,
        count: &Exp,
        write: impl Fn(&mut Self, &Exp) -> Lowered<(T, Items)>,
    ) -> Lowered<T> {
        let size = Exp::i32(IN_A_GROUP as i32);
        let rest = fold::bin(BinOp::Rem, count.clone(), size.clone());
        let rest = fold::bin(BinOp::Min, rest, Exp::i32(1));
        let groups = fold::bin(BinOp::Add, fold::bin(BinOp::Div, count.clone(), size), rest);
        let groups = self.named(span, "groups", Sc::I32, groups);
        let groups = Groups { count: groups, threads: IN_A_GROUP, level: 2, of_chunks: false };
        self.grouped(span, &groups, |to| {
            let index = fold::cast(Sc::I32, Exp::Builtin(Builtin::GlobalId));
            let index = to.named(span, "i", Sc::I32, index);
            to.ranges_of(&index, super::bounds::LENGTH);
            to.is_below(&index, count);
            let mut context = to.context.within(&index);
            context.level = 0;
            let (made, body) = to.inside(context, |to| write(to, &index))?;
            let is = Exp::bin(BinOp::Lt, index.clone(), count.clone());
            to.emit(span, Item::If(is, body, Items::new()));
            Ok(made)
        })
    }

    /// The same, where the invocation is what is told of a failure.
    fn par<T>(
        &mut self,
        span: Span,
        count: &Exp,
        write: impl FnOnce(&mut Self, &Exp) -> Lowered<(T, Items)>,
    ) -> Lowered<T> {
        let var = self.names.fresh("thread");
        let most = self.range(count).map_or(i64::from(i32::MAX), |range| range.1);
        self.ranges.insert(var, (1, most.max(1)));
        let around = std::mem::take(&mut self.slabs);
        let context = Context {
            memory: Space::Kernel,
            level: 0,
            failing: Failing::Native(Vec::new()),
            invocation: Exp::i32(0),
            warp: None,
        };
        let made = self.inside(context, |to| {
            let index = fold::bin(BinOp::Sub, Exp::Var(var), Exp::i32(1));
            let index = to.named(span, "i", Sc::I32, index);
            to.is_below(&index, count);
            to.context.invocation = index.clone();
            write(to, &index)
        });
        let slabs = std::mem::replace(&mut self.slabs, around);
        let ((made, declared), body) = made?;
        declared.into_iter().for_each(|(span, item)| self.emit(span, item));
        self.allocate(span, slabs, [count.clone(), count.clone()]);
        let par = Par { var, count: count.clone(), body: code::kernel(body) };
        self.emit(span, Item::Host(Host::Par(par)));
        Ok(made)
    }

    /// Chunks of a grid: a work group each.
    pub(super) fn launch_chunks(&mut self, push: &Push<'p>, into: Into) -> Lowered<Room> {
        let (chunks, maps) = taken_apart(push);
        // Its premises are those of the application that made it.
        let span = chunks.span;
        let (size, pull) = self.chunks_of(span, &chunks)?;
        let count = self.length(&pull);
        let count = self.named(span, "chunks", Sc::I32, count);
        let length = self.product(span, &size, &count);
        let order = self.order_of(&chunks, &maps);
        let by_tiles = match &order {
            Some(order) => self.by_tiles(span, order, [&count, &size])?,
            None => fold::bool(false),
        };
        let known = fold::truth(&by_tiles);
        let is = known.unwrap_or(false);
        let dealt = Dealt { size, chunks: pull, count, maps, order, by_tiles: is, length };
        if known.is_some() {
            return self.launch_dealt(span, &dealt, into);
        }
        let shape = self.shape_of(span, push)?;
        let Room { stored, side, declared } =
            self.room_for(span, 3, (&shape, &dealt.length), &into)?;
        declared.into_iter().for_each(|(span, item)| self.emit(span, item));
        let (notes, mut ways) = (self.notes.len(), Vec::new());
        for by_tiles in [true, false] {
            let (dealt, into) = (Dealt { by_tiles, ..dealt.clone() }, Into::There(stored.clone()));
            // Both have the same arrays.
            self.notes.truncate(notes);
            ways.push(self.scope(|to| to.launch_dealt(span, &dealt, into))?.1);
        }
        let [orelse, then] = [ways.pop(), ways.pop()].map(Option::unwrap_or_default);
        self.emit(span, Item::If(by_tiles, then, orelse));
        Ok(Room { stored, side, declared: Items::new() })
    }

    fn launch_dealt(&mut self, span: Span, dealt: &Dealt<'p>, into: Into) -> Lowered<Room> {
        let threads = self.target.machine.threads_of_block();
        let groups = Groups { count: dealt.count.clone(), threads, level: 2, of_chunks: true };
        let (room, interleaved) = self.grouped(span, &groups, |to| {
            let (mut room, interleaved) = to.chunk(span, dealt, &into)?;
            let declared = std::mem::take(&mut room.declared);
            Ok(((room, interleaved), declared))
        })?;
        if let Some(interleaved) = interleaved {
            self.settle_targets(span, &dealt.size, &interleaved, &room.stored)?;
        }
        Ok(room)
    }

    /// A chunk is made by its group, and written.
    fn chunk(
        &mut self,
        span: Span,
        dealt: &Dealt<'p>,
        into: &Into,
    ) -> Lowered<(Room, Option<Interleaved<'p>>)> {
        let number = fold::cast(Sc::I32, Exp::Builtin(Builtin::GroupId));
        let number = self.named(span, "chunk", Sc::I32, number);
        self.ranges_of(&number, super::bounds::LENGTH);
        self.is_below(&number, &dealt.count);
        let chunk = self.element(span, &dealt.chunks, number.clone())?.as_push();
        let found = self.length_to_force(span, &chunk)?;
        let found = self.named(span, "found", Sc::I32, found);
        if dealt.order.is_some() || !self.has(WrongFcl::NoLengthTest) {
            self.check(span, rules::LENGTH, vec![found, dealt.size.clone()])?;
        }
        let first = fold::bin(BinOp::Mul, number.clone(), dealt.size.clone());
        let first = self.named(span, "first", Sc::I32, first);
        let chunk = mapped(chunk, &dealt.maps);
        if let Some(order) = dealt.order.clone() {
            let shape = self.shape_of(span, &chunk)?;
            let mut room = self.room_for(span, 3, (&shape, &dealt.length), into)?;
            let (interleaved, declared) = match dealt.by_tiles {
                true => (Interleaved::straight(order, &room.stored), Items::new()),
                false => self.interleaved(span, 3, order, (&shape, &dealt.length))?,
            };
            room.declared.extend(declared);
            let numbers = [number, first];
            self.ordered_chunk([span; 2], &interleaved, (&numbers, &dealt.size), &chunk)?;
            return Ok((room, Some(interleaved)));
        }
        let Some(pull) = elements(&chunk) else {
            let shape = self.shape_of(span, &chunk)?;
            let room = self.room_for(span, 3, (&shape, &dealt.length), into)?;
            self.force(span, &chunk, Into::There(behind(&room.stored, &first)))?;
            return Ok((room, None));
        };
        self.deal(span, &dealt.size, |to, index| {
            let value = to.element(span, &pull, index.clone())?;
            let (shape, leaves) = base(span, &value)?;
            let room = to.room_for(span, 3, (&shape, &dealt.length), into)?;
            let at = fold::bin(BinOp::Add, first.clone(), index.clone());
            let at = to.named(span, "at", Sc::I32, at);
            to.store(span, &room.stored, &at, leaves);
            Ok((room, None))
        })
    }

    /// Elements of an interleaving go where their targets are, if each is the first one there.
    pub(super) fn settle_targets(
        &mut self,
        span: Span,
        size: &Exp,
        interleaved: &Interleaved<'p>,
        stored: &Stored,
    ) -> Lowered {
        let Way::Owned(owned) = &interleaved.way else { return Ok(()) };
        let first = self.names.fresh("first_taken");
        let element = Element::Atomic(Sc::U32);
        self.host.insert(first, Ty::Block(element));
        let alloc = Host::Alloc { block: first, element, size: Exp::i64(1) };
        self.emit(span, Item::Host(alloc));
        self.par(span, &interleaved.length, |to, at| {
            let [target, owner, own] = to.owned(span, owned, at)?;
            let ((), then) = to.scope(|to| to.settles(span, owned, [at, &target], stored))?;
            let taken = Kind::Atomic {
                into: None,
                op: AtomicOp::Max,
                place: Place::Element(Exp::Var(first), Exp::u32(0)),
                operands: vec![own.clone()],
            };
            let is_first = Exp::bin(BinOp::Eq, owner, own);
            to.emit(span, Item::If(is_first, then, vec![(span, Item::Kernel(taken))]));
            Ok(((), Items::new()))
        })?;
        self.tell_taken(span, size, first, &owned.targets)
    }

    /// The host tells the first element whose target another one has.
    fn tell_taken(&mut self, span: Span, size: &Exp, first: Var, targets: &Stored) -> Lowered {
        let header = self.host_read(span, Exp::Var(first), Exp::i32(0), U32);
        let ((), told) = self.scope(|to| {
            let at = Exp::bin(BinOp::Sub, Exp::u32(u32::MAX), header.clone());
            let at = to.named(span, "at", Sc::I32, fold::cast(Sc::I32, at));
            let target = to.load(span, targets, at.clone())?.scalar();
            let [chunk, element] = [BinOp::Div, BinOp::Rem].map(|op| {
                let part = Exp::bin(op, at.clone(), size.clone());
                Exp::bin(BinOp::Add, part, Exp::i32(1))
            });
            let site = to.site(Site { span, cause: rules::TAKEN });
            let mut path = to.path_of_host();
            path.extend([chunk, element]);
            let check = Check { site, operands: vec![target], path, order: None };
            to.emit(span, Item::Check(check));
            Ok(())
        })?;
        self.emit(span, Item::If(Exp::bin(BinOp::Ne, header, Exp::u32(0)), told, Vec::new()));
        Ok(())
    }

    pub(super) fn host_read(&mut self, span: Span, block: Exp, offset: Exp, ty: Ty) -> Exp {
        let into = self.names.fresh("read");
        self.host.insert(into, ty);
        self.emit(span, Item::Host(Host::Read { into, block, offset }));
        Exp::Var(into)
    }
}

/// The chunks of an array, with the functions that it is mapped by, the last one first.
pub(super) fn taken_apart<'p>(push: &Push<'p>) -> (Rc<Chunks<'p>>, Vec<(Val<'p>, Span)>) {
    let (mut at, mut maps) = (push, Vec::new());
    loop {
        match at {
            Push::Map(f, of, span) => {
                maps.push((f.clone(), *span));
                at = of;
            }
            Push::Chunks(chunks) => return (Rc::clone(chunks), maps),
            Push::Elements(..) | Push::Either(..) => unreachable!("it is made of chunks"),
        }
    }
}
