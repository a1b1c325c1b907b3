//! `interleave`: elements that go where an order says.
//!
//! If the order goes through [tiles](super::tiles), an element goes straight to its target. Else elements and their targets
//! are written in the order of chunks, and of the elements of a target the first one owns it. When all chunks are made,
//! each element goes where its target is; one that does not own it gets stuck.

use super::chunks::behind;
use super::code::{Item, Items};
use super::force::{Into, base, chosen, elements};
use super::group::atomic_load;
use super::memory::{Room, Slab};
use super::value::{Push, Shape, Stored, Val};
use super::{Failing, Lower, Lowered, Space, fold};
use reference::device::syntax::{AtomicOp, Element, Exp, Host, Kind, Place, Sc, Ty};
use reference::fcl::rules;
use reference::kit::names::Var;
use reference::kit::outcome::Cause;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use std::rc::Rc;

/// What an `interleave` has in memory besides its result.
pub(super) struct Interleaved<'p> {
    order: Val<'p>,
    /// How many elements there are.
    pub(super) length: Exp,
    pub(super) way: Way,
}

impl<'p> Interleaved<'p> {
    /// By an order that goes through tiles, into this array.
    pub(super) fn straight(order: Val<'p>, result: &Stored) -> Self {
        Self { order, length: result.length.clone(), way: Way::Straight(result.clone()) }
    }
}

/// How elements go to their targets.
pub(super) enum Way {
    /// Straight there, into this array.
    Straight(Stored),
    /// When all elements are made, if they own the target.
    Owned(Owned),
}

/// What all targets are, and whose.
pub(super) struct Owned {
    /// The elements, in the order of chunks.
    elements: Stored,
    /// The target of each of them.
    pub(super) targets: Stored,
    /// For each target `u32::MAX` less the first element that goes there, in atomics.
    block: Var,
    /// Where those of this group or invocation are.
    offset: Exp,
    /// Their number in the kernel, for barriers.
    shared: Option<u32>,
}

/// A chunk: its number from 0, and the number of its first element.
pub(super) type Numbered = [Exp; 2];

impl<'p> Lower<'p> {
    /// Memory for an order, of an array of this level, and what declares it.
    pub(super) fn interleaved(
        &mut self,
        span: Span,
        level: u32,
        order: Val<'p>,
        (shape, length): (&Shape, &Exp),
    ) -> Lowered<(Interleaved<'p>, Items)> {
        let Room { stored: elements, mut declared, .. } =
            self.room(span, level, shape, length, 1)?;
        let int = Shape::Scalar(Sc::I32);
        let Room { stored: targets, declared: of_targets, .. } =
            self.room(span, level, &int, length, 1)?;
        declared.extend(of_targets);
        let block = self.names.fresh("owners");
        let element = Element::Atomic(Sc::U32);
        self.host.insert(block, Ty::Block(element));
        let owned = if level == 3 {
            let size = fold::cast(Sc::I64, length.clone());
            declared.push((span, Item::Host(Host::Alloc { block, element, size })));
            Owned { elements, targets, block, offset: Exp::i32(0), shared: None }
        } else {
            // Targets are places, of which nothing is asked once more where they are read.
            self.trusts();
            let whose = self.whose(level);
            let share = self.share(span, length)?;
            let offset = fold::bin(BinOp::Mul, self.sharer(whose), share.clone());
            self.slabs.push(Slab { block, element, share, copies: 1, whose });
            let shared = (!whose.is_alone()).then(|| self.group().share_block());
            Owned { elements, targets, block, offset, shared }
        };
        Ok((Interleaved { order, length: length.clone(), way: Way::Owned(owned) }, declared))
    }

    /// No target of an array below the grid has an owner yet: what is around it may have made it before.
    pub(super) fn clear_owners(&mut self, span: Span, to: &Interleaved<'p>) -> Lowered {
        let Way::Owned(owned) = &to.way else { return Ok(()) };
        self.spread(span, &to.length, |lower, target| {
            let place = lower.owner(span, owned, target);
            let operands = vec![Exp::u32(0)];
            let clear = Kind::Atomic { into: None, op: AtomicOp::Store, place, operands };
            lower.emit(span, Item::Kernel(clear));
            Ok(())
        })
    }

    /// Does this for each number from 0 below `count`: the invocations of a launch, those of a group, or the one at hand.
    pub(super) fn spread(
        &mut self,
        span: Span,
        count: &Exp,
        write: impl Fn(&mut Self, &Exp) -> Lowered,
    ) -> Lowered {
        if self.context.memory == Space::Host {
            return self.launch(span, count, |to, index| Ok((write(to, index)?, Items::new())));
        }
        if !self.context.is_spine() {
            return self
                .each(span, "j", count, 0, |to, index| Ok((write(to, index)?, Items::new())));
        }
        let fails = self.fails;
        self.deal(span, count, write)?;
        self.after(span, fails)
    }

    /// A chunk of so many elements is made, and its elements and their targets are written.
    ///
    /// A thread computes an element and then its target. Where a chunk is made of chunks, it is forced first.
    pub(super) fn ordered_chunk(
        &mut self,
        [at, span]: [Span; 2],
        to: &Interleaved<'p>,
        (numbers, size): (&Numbered, &Exp),
        chunk: &Rc<Push<'p>>,
    ) -> Lowered {
        if let Some(pull) = elements(chunk) {
            return self.spread(span, size, |lower, index| {
                let value = lower.element(span, &pull, index.clone())?;
                lower.arrives(at, to, numbers, (index, Some(&value)))
            });
        }
        if let Some((cond, [first, second])) = chosen(chunk) {
            let made = |chunk: Rc<Push<'p>>| {
                move |lower: &mut Self| {
                    lower.ordered_chunk([at, span], to, (numbers, size), &chunk)?;
                    Ok(Val::int(Exp::i32(0)))
                }
            };
            return self.branch(span, cond, made(first), made(second)).map(drop);
        }
        if let Way::Owned(owned) = &to.way {
            self.force(span, chunk, Into::There(behind(&owned.elements, &numbers[1])))?;
            return self
                .spread(at, size, |lower, index| lower.arrives(at, to, numbers, (index, None)));
        }
        // It is an array of its own, whose accesses are ordered where it is made.
        let Room { stored, declared, .. } = self.force(span, chunk, Into::Fresh(1))?;
        declared.into_iter().for_each(|(span, item)| self.emit(span, item));
        self.spread(at, size, |lower, index| {
            let value = lower.load(at, &stored, index.clone())?;
            lower.arrives(at, to, numbers, (index, Some(&value)))
        })
    }

    /// An element of a chunk is there, or already is in the memory of an order with owners: it goes to its target, or what
    /// this is and whose is written.
    fn arrives(
        &mut self,
        span: Span,
        to: &Interleaved<'p>,
        [chunk, first]: &Numbered,
        (index, value): (&Exp, Option<&Val<'p>>),
    ) -> Lowered {
        let leaves = value.map(|value| base(span, value)).transpose()?.map(|(_, leaves)| leaves);
        match &to.way {
            Way::Straight(result) => {
                let target = self.target(span, to, [chunk, index])?;
                self.store(span, result, &target, leaves.expect("the element is there"));
                Ok(())
            }
            Way::Owned(owned) => {
                let place = fold::bin(BinOp::Add, first.clone(), index.clone());
                let place = self.named(span, "at", Sc::I32, place);
                if let Some(leaves) = leaves {
                    self.store(span, &owned.elements, &place, leaves);
                }
                let target = self.target(span, to, [chunk, index])?;
                self.owns(span, to, owned, [target, place])
            }
        }
    }

    /// The target of an element of a chunk.
    fn target(
        &mut self,
        span: Span,
        to: &Interleaved<'p>,
        [chunk, index]: [&Exp; 2],
    ) -> Lowered<Exp> {
        let order = self.forced(span, &to.order)?;
        let pair = Val::Pair(Rc::new([Val::int(chunk.clone()), Val::int(index.clone())]));
        let target = self.apply(order, pair, span)?.scalar();
        Ok(self.named(span, "target", Sc::I32, target))
    }

    /// The target of the element at a place is written, and whose it is.
    fn owns(
        &mut self,
        span: Span,
        to: &Interleaved<'p>,
        owned: &Owned,
        [target, place]: [Exp; 2],
    ) -> Lowered {
        self.check(span, Cause::OutsideBlock, vec![target.clone(), to.length.clone()])?;
        self.store(span, &owned.targets, &place, vec![target.clone()]);
        let owns = Kind::Atomic {
            into: None,
            op: AtomicOp::Max,
            place: self.owner(span, owned, &target),
            operands: vec![Exp::bin(BinOp::Sub, Exp::u32(u32::MAX), fold::cast(Sc::U32, place))],
        };
        self.emit(span, Item::Kernel(owns));
        Ok(())
    }

    /// The place of the owner of a target.
    fn owner(&mut self, span: Span, owned: &Owned, target: &Exp) -> Place {
        if let Some(shared) = owned.shared {
            self.touches(span, shared, true);
        }
        let at = fold::bin(BinOp::Add, owned.offset.clone(), target.clone());
        Place::Element(Exp::Var(owned.block), at)
    }

    /// The target of an element, what is at it of its owner, and what is there if it is the element.
    pub(super) fn owned(&mut self, span: Span, to: &Owned, place: &Exp) -> Lowered<[Exp; 3]> {
        let target = self.load(span, &to.targets, place.clone())?.scalar();
        let owner = self.names.fresh("owner");
        let cell = self.owner(span, to, &target);
        self.emit(span, Item::Kernel(atomic_load(owner, cell)));
        let own = Exp::bin(BinOp::Sub, Exp::u32(u32::MAX), fold::cast(Sc::U32, place.clone()));
        let own = self.named(span, "own", Sc::U32, own);
        Ok([target, Exp::Var(owner), own])
    }

    /// The element goes where its target is.
    pub(super) fn settles(
        &mut self,
        span: Span,
        owned: &Owned,
        [place, target]: [&Exp; 2],
        result: &Stored,
    ) -> Lowered {
        let value = self.load(span, &owned.elements, place.clone())?;
        let (_, leaves) = base(span, &value)?;
        self.store(span, result, target, leaves);
        Ok(())
    }

    /// The elements of a chunk below the grid go where their targets are.
    pub(super) fn settle_chunk(
        &mut self,
        span: Span,
        to: &Interleaved<'p>,
        (first, size): (&Exp, &Exp),
        result: &Stored,
    ) -> Lowered {
        let Way::Owned(owned) = &to.way else { return Ok(()) };
        self.spread(span, size, |lower, index| {
            let place = fold::bin(BinOp::Add, first.clone(), index.clone());
            let place = lower.named(span, "at", Sc::I32, place);
            let [target, owner, own] = lower.owned(span, owned, &place)?;
            let site = lower.site(reference::device::syntax::Site { span, cause: rules::TAKEN });
            let Failing::Group(path) = lower.context.failing.clone() else {
                unreachable!("chunks below the grid are made by work groups")
            };
            let cond = Exp::bin(BinOp::Eq, owner, own);
            lower.tests(span, (site, vec![target.clone()], path), |_| cond, false)?;
            lower.settles(span, owned, [&place, &target], result)
        })
    }
}
