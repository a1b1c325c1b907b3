//! Arrays in memory: where one is put, and how elements are read and written.
//!
//! | level | memory |
//! |---|---|
//! | grid | a block for each component |
//! | block, warp | words of the work group, if the length is bounded when the program is compiled and they fit; else a share of a block |
//! | thread | an array of the invocation of few words; else a share of a block |
//!
//! Each warp of a group has as many words, one after the other. A share is as long as the host can say before the launch.

use super::code::{self, Item, Items};
use super::group::{Group, is_first};
use super::places::{Base, padded};
use super::value::{Memory, Part, Shape, Stored, Val};
use super::{Lower, Lowered, Space, fold, refused};
use reference::device::syntax::{Builtin, Element, Exp, Host, Kind, Place, Sc, Ty};
use reference::kit::faults::WrongFcl;
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use std::rc::Rc;

/// Words of the largest array of an invocation.
const MOST_PRIVATE: u32 = 16;

/// Words of an array of a group in an implementation that gives each 2,048 bytes.
const MOST_WORDS_CUT: u32 = 512;

/// A block that a kernel has a share of for each of its groups or invocations.
pub(super) struct Slab {
    /// The block, of the host.
    pub(super) block: Var,
    /// Its elements.
    pub(super) element: Element,
    /// How many of them each has for a copy, in terms of the host's values.
    pub(super) share: Exp,
    /// How many copies.
    pub(super) copies: u32,
    /// Which of them have one.
    pub(super) whose: Sharer,
}

/// Each of what has a share of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sharer {
    Group,
    Warp,
    Invocation,
}

impl Sharer {
    /// Has one invocation the whole share?
    pub(super) fn is_alone(self) -> bool {
        self == Sharer::Invocation
    }

    fn name(self) -> &'static str {
        match self {
            Sharer::Group => "group",
            Sharer::Warp => "warp",
            Sharer::Invocation => "invocation",
        }
    }
}

/// A place for an array.
pub(super) struct Room {
    /// The array.
    pub(super) stored: Stored,
    /// How far its second copy lies behind the first one.
    pub(super) side: Exp,
    /// What declares it.
    pub(super) declared: Items,
}

impl<'p> Lower<'p> {
    /// Room for so many copies of an array of this level.
    pub(super) fn room(
        &mut self,
        span: Span,
        level: u32,
        shape: &Shape,
        length: &Exp,
        copies: u32,
    ) -> Lowered<Room> {
        let leaves = shape.leaves();
        let most = self.most(length);
        let each: u32 = leaves.iter().map(|sc| sc.words()).sum();
        let words = most.and_then(|most| most.checked_mul(copies * each));
        let mut declared = Items::new();
        let (side, mut shared) = (most.unwrap_or(0), None);
        let mut parts = Vec::new();
        match (level, words) {
            (3, _) => {
                for sc in leaves {
                    let wide = fold::cast(Sc::I64, length.clone());
                    let size = match copies {
                        1 => wide,
                        _ => Exp::bin(BinOp::Mul, wide, Exp::i64(copies.into())),
                    };
                    let memory = self.block(span, "array", sc, size, &mut declared);
                    parts.push(Part { memory, offset: Exp::i32(0) });
                }
                let (side, parts) = (length.clone(), Rc::new(parts));
                let stored = Stored { shape: shape.clone(), length: length.clone(), parts, shared };
                return Ok(Room { stored, side, declared });
            }
            (0, Some(words))
                if words <= MOST_PRIVATE && !self.has(WrongFcl::ThreadsShareArrays) =>
            {
                for sc in leaves {
                    let var = self.names.fresh("own");
                    let of = Ty::Array(Box::new(code::ty(sc.inside())), (side * copies).max(1));
                    declared.push((span, Item::Kernel(Kind::Var(var, of, None))));
                    self.places.insert(var);
                    parts.push(Part { memory: Memory::Private(var), offset: Exp::i32(0) });
                }
            }
            (1 | 2, Some(_)) => {
                let words = match self.has(WrongFcl::GroupArraysCut) {
                    true => (side * copies).min(MOST_WORDS_CUT),
                    false => side * copies,
                };
                let few = most.is_some_and(|most| most <= self.target.machine.warp);
                let ordered = !(few && self.has(WrongFcl::WarpWithoutBarrier));
                let own = leaves.iter().map(|sc| sc.words()).sum::<u32>() * words;
                let all = own.checked_mul(self.sharers(level));
                let Some((number, Base { at: mut place, is_padded })) =
                    all.and_then(|all| self.group().share_words(all, ordered))
                else {
                    return self.slabs(span, level, shape, length, copies);
                };
                for sc in leaves {
                    let high = if sc.words() == 2 { words } else { 0 };
                    let offset = self.place_of_warp(level, place, own);
                    parts.push(Part { memory: Memory::Group { high, is_padded }, offset });
                    place += words * sc.words();
                }
                shared = Some(number);
            }
            _ => return self.slabs(span, level, shape, length, copies),
        }
        let parts = Rc::new(parts);
        let stored = Stored { shape: shape.clone(), length: length.clone(), parts, shared };
        Ok(Room { stored, side: Exp::i32(side as i32), declared })
    }

    /// Words of work-group memory that the arrays of a kernel may take.
    pub(super) fn group_words(&self) -> u32 {
        (self.target.group_memory / 4).saturating_sub(Group::OWN_WORDS)
    }

    /// A share of blocks.
    fn slabs(
        &mut self,
        span: Span,
        level: u32,
        shape: &Shape,
        length: &Exp,
        copies: u32,
    ) -> Lowered<Room> {
        let share = self.share(span, length)?;
        let whole = fold::bin(BinOp::Mul, share.clone(), Exp::i32(copies as i32));
        let whose = self.whose(level);
        let why = match self.most(length) {
            Some(most) => {
                format!("no room is left for {} elements", u64::from(most) * u64::from(copies))
            }
            None => "its length is not known before it runs".to_owned(),
        };
        self.notes.push(format!("an array of each {} is a share of a block: {why}", whose.name()));
        let number = self.sharer(whose);
        let mut parts = Vec::new();
        for sc in shape.leaves() {
            let block = self.names.fresh("slab");
            let element = Element::Plain(sc.inside());
            self.host.insert(block, Ty::Block(element));
            self.slabs.push(Slab { block, element, share: share.clone(), copies, whose });
            let offset = fold::bin(BinOp::Mul, number.clone(), whole.clone());
            parts.push(Part { memory: Memory::Block(Exp::Var(block)), offset });
        }
        let shared = (level > 0).then(|| self.group().share_block());
        let parts = Rc::new(parts);
        let stored = Stored { shape: shape.clone(), length: length.clone(), parts, shared };
        Ok(Room { stored, side: share, declared: Items::new() })
    }

    /// How long a share of a block is that has room for so many elements.
    pub(super) fn share(&mut self, span: Span, length: &Exp) -> Lowered<Exp> {
        self.at_most(length).ok_or_else(|| {
            let reason = "the length of an array below the grid depends on what a kernel computes";
            refused(span, "a `force`", reason)
        })
    }

    /// Who has an array of this level.
    pub(super) fn whose(&self, level: u32) -> Sharer {
        match (level, self.context.warp.is_some()) {
            (0, _) => Sharer::Invocation,
            (1, true) => Sharer::Warp,
            _ => Sharer::Group,
        }
    }

    /// The number of the invocation, of the warp or of the group whose share it is.
    pub(super) fn sharer(&self, whose: Sharer) -> Exp {
        let group = fold::cast(Sc::I32, Exp::Builtin(Builtin::GroupId));
        match (whose, &self.context.warp) {
            (Sharer::Invocation, _) if self.has(WrongFcl::ThreadsShareArrays) => Exp::i32(0),
            (Sharer::Invocation, _) => self.context.invocation.clone(),
            (Sharer::Warp, Some(warp)) => {
                let warps = Exp::i32(self.target.machine.block as i32);
                let before = Exp::bin(BinOp::Mul, group, warps);
                Exp::bin(BinOp::Add, before, warp.number.clone())
            }
            (Sharer::Warp | Sharer::Group, _) => group,
        }
    }

    /// A block of the host for a component.
    pub(super) fn block(
        &mut self,
        span: Span,
        wish: &'static str,
        sc: Sc,
        size: Exp,
        declared: &mut Items,
    ) -> Memory {
        let var = self.names.fresh(wish);
        let element = Element::Plain(sc.inside());
        self.host.insert(var, Ty::Block(element));
        declared.push((span, Item::Host(Host::Alloc { block: var, element, size })));
        Memory::Block(Exp::Var(var))
    }

    /// An element, from 0, that is there.
    pub(super) fn load(&mut self, span: Span, stored: &Stored, index: Exp) -> Lowered<Val<'p>> {
        if let Some(shared) = stored.shared {
            self.touches(span, shared, false);
            self.reaches(shared, &index);
        }
        let mut values = Vec::new();
        for (part, sc) in stored.parts.iter().zip(stored.shape.leaves()) {
            let at = self.word(span, part, &index);
            let value = match (&part.memory, self.context.memory) {
                (Memory::Block(block), Space::Host) => {
                    let into = self.names.fresh("v");
                    self.host.insert(into, code::ty(sc.inside()));
                    let read = Host::Read { into, block: block.clone(), offset: at };
                    self.emit(span, Item::Host(read));
                    Exp::Var(into)
                }
                (memory, _) => self.loaded(memory, sc, at),
            };
            let mut value = code::restored(sc, value);
            if stored.is_of_group(1) && self.has(WrongFcl::OneElementPrivate) {
                let others = code::restored(sc, fold::cast(sc.inside(), Exp::i32(0)));
                value = fold::select(is_first(), value, others);
            }
            values.push(self.named(span, "v", sc, value));
        }
        Ok(stored.shape.value(&mut values.into_iter()))
    }

    fn loaded(&mut self, memory: &Memory, sc: Sc, at: Exp) -> Exp {
        let load = Exp::load(self.cell(memory, at.clone()));
        match memory {
            Memory::Group { high, .. } if sc.words() == 2 => {
                let high = fold::bin(BinOp::Add, at, Exp::i32(*high as i32));
                let high = Exp::load(self.cell(memory, high));
                let [low, high] = [load, high].map(|word| fold::cast(Sc::I64, word));
                let high = Exp::bin(BinOp::Shl, high, Exp::i64(32));
                Exp::Bitcast(sc, Box::new(Exp::bin(BinOp::Or, high, low)))
            }
            Memory::Group { .. } => Exp::Bitcast(sc.inside(), Box::new(load)),
            Memory::Block(_) | Memory::Private(_) => load,
        }
    }

    /// Where the component of an element is in its memory, before words are left out.
    fn word(&mut self, span: Span, part: &Part, index: &Exp) -> Exp {
        let at = fold::bin(BinOp::Add, part.offset.clone(), index.clone());
        match part.memory {
            Memory::Group { is_padded: true, .. } => self.named(span, "at", Sc::I32, at),
            _ => at,
        }
    }

    /// The place of an element, in a kernel.
    fn cell(&mut self, memory: &Memory, at: Exp) -> Place {
        match memory {
            Memory::Block(block) => Place::Element(block.clone(), at),
            Memory::Group { is_padded, .. } => {
                let at = if *is_padded { padded(at) } else { at };
                Place::At(Box::new(Place::Var(self.group().words)), at)
            }
            Memory::Private(var) => Place::At(Box::new(Place::Var(*var)), at),
        }
    }

    /// Writes an element, in a kernel.
    pub(super) fn store(&mut self, span: Span, stored: &Stored, index: &Exp, leaves: Vec<Exp>) {
        if let Some(shared) = stored.shared {
            self.touches(span, shared, true);
            self.reaches(shared, index);
        }
        let of = stored.parts.iter().zip(stored.shape.leaves()).zip(leaves);
        for ((part, sc), value) in of {
            let at = self.word(span, part, index);
            let value = code::stored(sc, value);
            let value = match part.memory {
                Memory::Group { high, .. } if sc.words() == 2 => {
                    let bits = Exp::Bitcast(Sc::I64, Box::new(value));
                    let bits = self.named(span, "bits", Sc::I64, bits);
                    let above = fold::bin(BinOp::Add, at.clone(), Exp::i32(high as i32));
                    let place = self.cell(&part.memory, above);
                    let upper = Exp::bin(BinOp::Shr, bits.clone(), Exp::i64(32));
                    let upper = fold::cast(Sc::U32, upper);
                    self.emit(span, Item::Kernel(Kind::Store(place, upper)));
                    fold::cast(Sc::U32, bits)
                }
                Memory::Group { .. } => Exp::Bitcast(Sc::U32, Box::new(value)),
                Memory::Block(_) | Memory::Private(_) => value,
            };
            let place = self.cell(&part.memory, at);
            self.emit(span, Item::Kernel(Kind::Store(place, value)));
        }
    }
}
