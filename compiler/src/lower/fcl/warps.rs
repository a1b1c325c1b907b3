//! Warps of a work group: W consecutive invocations each, which make a chunk together.
//!
//! They are never assumed to run in lockstep. What all invocations of a warp do alike stands in barriers of the whole
//! group; where warps differ, these are [masked](super::masks).
//!
//! All invocations of a warp stop where a check fails in one of them. Each warp has a word that says whether one did,
//! and what the lowest of its elements is that failed: it makes no more chunks, so this is one element of one array.

use super::code::{Item, Items};
use super::group::{NOT_TOLD, atomic_load, is_told, load};
use super::{Context, Failing, Lower, Lowered, code, fold};
use reference::device::syntax::{AtomicOp, Builtin, Carried, Exp, Kind, Place, Sc, Scope, Ty, U32};
use reference::device::visit;
use reference::kit::names::{Names, Var};
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;

/// A warp that makes a chunk.
#[derive(Clone, Debug)]
pub(super) struct Warp {
    /// Its number in the group, from 0; an i32.
    pub(super) number: Exp,
    /// The number of the invocation in it, from 0; a u32.
    pub(super) lane: Exp,
    /// The arrays of the kernel from this number on are its own.
    pub(super) own: u32,
}

impl Warp {
    /// Is the invocation the first one of the warp?
    pub(super) fn is_first_lane(&self) -> Exp {
        Exp::bin(BinOp::Eq, self.lane.clone(), Exp::u32(0))
    }
}

/// What a kernel has for its warps.
#[derive(Clone)]
pub(super) struct Warps {
    /// How many each group has.
    count: u32,
    /// For each of them `u32::MAX` less the lowest element that failed, 0 if none did; atomics of the group.
    failed: Var,
    /// Does a warp go round once more? An atomic of the group.
    pub(super) goes: Var,
    /// Do warps differ in how often they go round?
    pub(super) differ: bool,
}

impl Warps {
    fn new(count: u32, names: &mut Names) -> Self {
        let [failed, goes] = ["failed_of_warp", "warp_goes"].map(|wish| names.fresh(wish));
        Self { count, failed, goes, differ: false }
    }

    /// Words of the group that they take.
    fn words(&self) -> u32 {
        self.count + 1
    }

    /// The variables of the group, in a kernel where a check may fail or none.
    pub(super) fn variables(&self, fails: bool) -> Vec<(Var, Ty)> {
        let atomic = Ty::Atomic(Sc::U32);
        let failed = (self.failed, Ty::Array(Box::new(atomic.clone()), self.count));
        let goes = self.differ.then_some((self.goes, atomic));
        fails.then_some(failed).into_iter().chain(goes).collect()
    }

    fn place_of(&self, warp: Exp) -> Place {
        Place::At(Box::new(Place::Var(self.failed)), warp)
    }
}

impl<'p> Lower<'p> {
    /// How many have an array of this level in the memory of a group.
    pub(super) fn sharers(&self, level: u32) -> u32 {
        match self.context.warp.is_some() && level == 1 {
            true => self.target.machine.block,
            false => 1,
        }
    }

    /// Where an array lies that has so many words, of the first warp if it is one of warps.
    pub(super) fn place_of_warp(&self, level: u32, first: u32, words: u32) -> Exp {
        let first = Exp::i32(first as i32);
        match self.context.warp.as_ref().filter(|_| level == 1) {
            Some(warp) => {
                let before = fold::bin(BinOp::Mul, warp.number.clone(), Exp::i32(words as i32));
                fold::bin(BinOp::Add, first, before)
            }
            None => first,
        }
    }

    /// Does this for each chunk of so many, by its number from 0: a warp of the group each.
    pub(super) fn each_warp<T>(
        &mut self,
        span: Span,
        count: &Exp,
        write: impl FnOnce(&mut Self, &Exp) -> Lowered<T>,
    ) -> Lowered<T> {
        // Its order would be that of a chunk first, and its warp goes on in barriers of the group behind a failure.
        self.trusts();
        let fails = self.fails;
        let (warp, own) = self.warp_of_invocation(span);
        let few = self.most(count).is_some_and(|most| most <= self.target.machine.block);
        let number = self.names.fresh("number");
        let most = self.range(count).map_or(i64::from(i32::MAX), |range| range.1);
        self.ranges.insert(number, (0, most.max(1) - 1));
        let number = Exp::Var(number);
        self.is_below(&number, count);
        let of_chunk = fold::bin(BinOp::Add, number.clone(), Exp::i32(1));
        let context = Context {
            level: 1,
            failing: Failing::Group(vec![of_chunk]),
            warp: Some(Warp { own, ..warp.clone() }),
            ..self.context.clone()
        };
        let (before, around) = (self.pending(), std::mem::take(&mut self.group().outer));
        let begin = self.group().places.begins();
        let (made, body) = self.inside(context, |to| {
            let made = write(to, &number)?;
            if !few {
                to.ends_chunk(span, own);
            }
            Ok(made)
        })?;
        self.group().places.repeats(begin);
        let outer = std::mem::replace(&mut self.group().outer, around);
        let pending = self.replace_pending(before);
        self.orders(span, &outer);
        if few {
            self.replace_pending(Vec::new());
        }
        self.add_pending(pending);
        self.add_pending(outer);
        self.rounds_of_warps(span, (&number, count), (&warp, few, self.fails > fails), body);
        Ok(made)
    }

    /// The warp that the invocation is in, and the number that the next array of the kernel has.
    fn warp_of_invocation(&mut self, span: Span) -> (Warp, u32) {
        let count = self.target.machine.block;
        if self.group().warps.is_none() {
            let warps = Warps::new(count, &mut self.names);
            self.group().places.reserve(warps.words());
            self.group().warps = Some(warps);
        }
        let of = |op| Exp::bin(op, Exp::Builtin(Builtin::LocalId), self.width());
        let [number, lane] = [BinOp::Div, BinOp::Rem].map(of);
        let number = self.named(span, "warp", Sc::I32, fold::cast(Sc::I32, number));
        let lane = self.named(span, "lane", Sc::U32, lane);
        let own = self.group().shared.len() as u32;
        (Warp { number, lane, own }, own)
    }

    fn width(&self) -> Exp {
        Exp::u32(self.target.machine.warp)
    }

    /// At the end of a chunk, when the warp goes on with another one: a barrier for its own arrays.
    fn ends_chunk(&mut self, span: Span, own: u32) {
        for scope in [Scope::Workgroup, Scope::Storage] {
            let group = self.group();
            let of_scope = |array: u32| array >= own && group.is_ordered_by(array, scope);
            if group.pending.iter().any(|(array, _)| of_scope(*array)) {
                self.barrier(span, scope);
            }
        }
    }

    /// Each warp does this for one number after the other: for the one that it has, or in rounds.
    fn rounds_of_warps(
        &mut self,
        span: Span,
        (number, count): (&Exp, &Exp),
        (warp, few, fails): (&Warp, bool, bool),
        body: Items,
    ) {
        let body = code::kernel(body);
        let Exp::Var(var) = *number else { unreachable!("it is a variable") };
        let warps = self.target.machine.block;
        let mut takes_part = match fold::literal(count) {
            Some(count) if count > 0 && (count as u32).is_multiple_of(warps) => fold::bool(true),
            _ => Exp::bin(BinOp::Lt, number.clone(), count.clone()),
        };
        if self.group().size > self.target.machine.threads_of_block() {
            let is_in = Exp::bin(BinOp::Lt, warp.number.clone(), Exp::i32(warps as i32));
            takes_part = fold::and(is_in, takes_part);
        }
        let bound = |exp| (span, Item::Let(var, code::ty(Sc::I32), exp));
        if few {
            let (span, item) = bound(warp.number.clone());
            self.emit(span, item);
            let masked = self.under_mask(span, takes_part, body);
            masked.into_iter().for_each(|(span, item)| self.emit(span, item));
            return;
        }
        if fails {
            takes_part = fold::and(takes_part, self.is_well());
        }
        let count = match visit::has_barrier(&body) && !self.is_uniform(count) {
            true => self.told(span, count.clone()),
            false => count.clone(),
        };
        let first = self.names.fresh("first_chunk");
        self.mark_uniform(first);
        let at = fold::cast(Sc::I32, Exp::Var(first));
        let mut round = vec![bound(Exp::bin(BinOp::Add, at, warp.number.clone()))];
        round.extend(self.under_mask(span, takes_part, body));
        let carried = vec![Carried { var: first, ty: U32, init: Exp::u32(0) }];
        let cond = Exp::bin(BinOp::Lt, Exp::Var(first), fold::cast(Sc::U32, count));
        let next = vec![Exp::bin(BinOp::Add, Exp::Var(first), Exp::u32(warps))];
        self.emit(span, Item::Loop { carried, cond, body: round, next });
    }

    /// All invocations of the warp ask whether a check failed in one of them; what follows is for where none did.
    pub(super) fn settle_warp(&mut self, span: Span, warp: &Warp) {
        let element = self.element_in_warp();
        let failed = self.group().failed;
        let place = self.warps().place_of(warp.number.clone());
        let note = Kind::Atomic {
            into: None,
            op: AtomicOp::Max,
            place: place.clone(),
            operands: vec![element],
        };
        // Those that stopped for another one have no element of their own.
        self.emit(span, Item::If(is_told(failed), vec![(span, Item::Kernel(note))], Vec::new()));
        self.barrier(span, Scope::Workgroup);
        let of_warp = self.names.fresh("failed_now");
        self.emit(span, Item::Kernel(atomic_load(of_warp, place)));
        // Nobody tells of what comes next before all have asked.
        self.barrier(span, Scope::Workgroup);
        let none = Exp::bin(BinOp::Eq, Exp::Var(of_warp), Exp::u32(0));
        let other = fold::and(fold::not(none.clone()), self.is_well());
        let stops = vec![(span, Item::Set(vec![(failed, Exp::i32(NOT_TOLD))]))];
        self.emit(span, Item::If(other, stops, Vec::new()));
        self.code.guard(span, none);
    }

    /// The warps of the kernel at hand.
    pub(super) fn warps(&mut self) -> &mut Warps {
        self.group().warps.as_mut().expect("a chunk of a warp is made")
    }

    /// `u32::MAX` less the element, of what a warp makes, that the invocation remembers.
    fn element_in_warp(&mut self) -> Exp {
        let element = self.group().inner.first().copied();
        let element = element.map_or(Exp::u32(0), |inner| fold::cast(Sc::U32, load(inner)));
        Exp::bin(BinOp::Sub, Exp::u32(u32::MAX), element)
    }

    /// At the end of the kernel: of the invocations of a warp the one does this whose element is the lowest.
    pub(super) fn lowest_of_warp(&mut self, span: Span, told: Items) -> Items {
        let Some(warps) = self.group().warps.clone() else { return told };
        let own = self.element_in_warp();
        let number = Exp::bin(BinOp::Div, Exp::Builtin(Builtin::LocalId), self.width());
        // Invocations that are in no warp make elements of the group, and no warp has failed then.
        let number = Exp::bin(BinOp::Min, number, Exp::u32(warps.count - 1));
        let lowest = self.names.fresh("lowest_of_warp");
        let load = atomic_load(lowest, warps.place_of(number));
        let none = Exp::bin(BinOp::Eq, Exp::Var(lowest), Exp::u32(0));
        let is_own = Exp::bin(BinOp::Eq, Exp::Var(lowest), own);
        let cond = Exp::bin(BinOp::Or, none, is_own);
        vec![(span, Item::Kernel(load)), (span, Item::If(cond, told, Items::new()))]
    }
}
