//! What an expression is while it is lowered: the parts of it that are known are literals.

use super::fold;
use reference::device::syntax::{BOOL, Element, Exp, I32, Sc, Ty};
use reference::kit::scalar::BinOp;
use reference::minias::syntax::{Space, Spaces};

/// The structure of a pointer, the only one of the program.
pub(super) const POINTER: u32 = 0;

/// A value.
#[derive(Clone, Debug)]
pub(super) enum Val {
    /// The result of a function without one.
    Nothing,
    /// An int.
    Int(Exp),
    /// 0 or 1.
    Truth(Exp),
    /// A pointer.
    Pointer(Pointer),
}

/// A pointer: the tag of its space, a block of global or constant memory, where its block starts in the array of its space,
/// how long that is, and the offset in it. Blocks start at 1 or behind; NULL starts at 0 and has the offset 0, so
/// zeros are NULL. Blocks of global and constant memory start at their number.
#[derive(Clone, Debug)]
pub(super) struct Pointer {
    pub(super) tag: Exp,
    pub(super) block: Exp,
    pub(super) start: Exp,
    pub(super) size: Exp,
    pub(super) offset: Exp,
    /// Is it known not to be NULL?
    pub(super) is_some: bool,
}

/// The parts of a pointer, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Tag,
    Block,
    Start,
    Size,
    Offset,
}

/// A block of ints.
pub(super) const INTS: Ty = Ty::Block(Element::Plain(Sc::I32));

impl Part {
    pub(super) const ALL: [Part; 5] =
        [Part::Tag, Part::Block, Part::Start, Part::Size, Part::Offset];

    pub(super) fn name(self) -> &'static str {
        match self {
            Part::Tag => "tag",
            Part::Block => "memory",
            Part::Start => "start",
            Part::Size => "size",
            Part::Offset => "offset",
        }
    }

    pub(super) fn ty(self) -> Ty {
        if self == Part::Block { INTS } else { I32 }
    }

    /// The parts by which pointers to these spaces differ.
    pub(super) fn of(spaces: Spaces) -> impl Iterator<Item = Part> {
        let has = move |wanted: [Space; 2]| wanted.into_iter().any(|space| spaces.has(space));
        Part::ALL.into_iter().filter(move |part| match part {
            Part::Tag => spaces.len() > 1,
            Part::Block => has([Space::Global, Space::Constant]),
            Part::Size => has([Space::Local, Space::Private]),
            Part::Start | Part::Offset => !spaces.is_empty(),
        })
    }
}

/// No block.
pub(super) fn no_block() -> Exp {
    Exp::block(Element::Plain(Sc::I32), Exp::u32(0), Exp::u32(0))
}

/// The tag of a space.
pub(super) fn tag(space: Space) -> Exp {
    Exp::i32(space as i32)
}

impl Pointer {
    /// NULL, of these spaces.
    pub(super) fn null(spaces: Spaces) -> Self {
        Self {
            tag: spaces.first().map_or(Exp::i32(0), tag),
            block: no_block(),
            start: Exp::i32(0),
            size: Exp::i32(0),
            offset: Exp::i32(0),
            is_some: false,
        }
    }

    pub(super) fn part(&self, part: Part) -> &Exp {
        match part {
            Part::Tag => &self.tag,
            Part::Block => &self.block,
            Part::Start => &self.start,
            Part::Size => &self.size,
            Part::Offset => &self.offset,
        }
    }

    pub(super) fn part_mut(&mut self, part: Part) -> &mut Exp {
        match part {
            Part::Tag => &mut self.tag,
            Part::Block => &mut self.block,
            Part::Start => &mut self.start,
            Part::Size => &mut self.size,
            Part::Offset => &mut self.offset,
        }
    }

    /// One to these spaces, whose parts are told.
    pub(super) fn of(spaces: Spaces, mut part: impl FnMut(Part) -> Exp) -> Self {
        let mut pointer = Self::null(spaces);
        for wanted in Part::of(spaces) {
            *pointer.part_mut(wanted) = part(wanted);
        }
        pointer
    }

    /// As it is stored.
    pub(super) fn stored(&self) -> Exp {
        Exp::make(
            Ty::Struct(POINTER),
            Part::ALL.into_iter().map(|part| self.part(part).clone()).collect(),
        )
    }

    /// Is it NULL?
    pub(super) fn is_null(&self) -> Exp {
        if self.is_some {
            return fold::bool(false);
        }
        fold::bin(BinOp::Eq, self.start.clone(), Exp::i32(0))
    }

    /// Are both to one block, or both NULL?
    pub(super) fn same_block(&self, other: &Pointer) -> Exp {
        let start = fold::bin(BinOp::Eq, self.start.clone(), other.start.clone());
        let tag = fold::bin(BinOp::Eq, self.tag.clone(), other.tag.clone());
        let null = if other.is_some { fold::bool(false) } else { self.is_null() };
        fold::and(start, fold::or(tag, null))
    }
}

impl Val {
    /// The int that it is.
    pub(super) fn int(self) -> Exp {
        match self {
            Val::Int(exp) => exp,
            Val::Truth(truth) => fold::int(truth),
            other => panic!("typing promised an int, and there is {other:?}"),
        }
    }

    /// Is it neither 0 nor NULL?
    pub(super) fn truth(self) -> Exp {
        match self {
            Val::Int(exp) => match fold::literal(&exp) {
                Some(k) => fold::bool(k != 0),
                None => Exp::bin(BinOp::Ne, exp, Exp::i32(0)),
            },
            Val::Truth(truth) => truth,
            Val::Pointer(pointer) => fold::not(pointer.is_null()),
            Val::Nothing => panic!("typing promised a condition"),
        }
    }

    /// The pointer that it is.
    pub(super) fn pointer(self) -> Pointer {
        match self {
            Val::Pointer(pointer) => pointer,
            other => panic!("typing promised a pointer, and there is {other:?}"),
        }
    }

    /// The expressions that it consists of, with what to call them and their types.
    pub(super) fn parts(&self) -> Vec<(&'static str, Ty, &Exp)> {
        match self {
            Val::Nothing => Vec::new(),
            Val::Int(exp) => vec![("value", I32, exp)],
            Val::Truth(exp) => vec![("holds", BOOL, exp)],
            Val::Pointer(pointer) => Part::ALL
                .into_iter()
                .map(|part| (part.name(), part.ty(), pointer.part(part)))
                .collect(),
        }
    }

    /// The same, to be changed.
    pub(super) fn parts_mut(&mut self) -> Vec<&mut Exp> {
        match self {
            Val::Nothing => Vec::new(),
            Val::Int(exp) | Val::Truth(exp) => vec![exp],
            Val::Pointer(Pointer { tag, block, start, size, offset, .. }) => {
                vec![tag, block, start, size, offset]
            }
        }
    }
}
