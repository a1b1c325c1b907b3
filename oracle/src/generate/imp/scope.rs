//! What is in scope where a statement is made.

use super::super::draw::Draw;
use super::super::range::Range;
use reference::fun::syntax::{Atom, Se};
use reference::imp::syntax::{Kind, Stm};
use reference::kit::names::{Names, Var, Wish};
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;

/// A block, and the part of it that this thread may touch: `width` elements from `base` on.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) var: Var,
    pub(super) base: Se,
    pub(super) width: i64,
    /// How many elements it has in all.
    pub(super) length: i64,
    /// May the part be written? If not, no thread of the kernel writes the block.
    pub(super) writable: bool,
    /// Blocks of the same group may be the same block; they have the same length.
    pub(super) group: u32,
    /// In how many kernels it was declared.
    pub(super) level: usize,
}

impl Block {
    pub(super) fn whole(var: Var, width: i64, group: u32, level: usize) -> Self {
        let base = Se::from(0);
        Block { var, base, width, length: width, writable: true, group, level }
    }
}

/// A program that is being made.
pub(super) struct Builder<'u, 'b> {
    pub(super) draw: Draw<'u, 'b>,
    pub(super) names: Names,
    /// Percentage of statements that get stuck in which two parts fail.
    pub(super) two_fail: u32,
    next: u32,
    groups: u32,
    /// Ints that are never assigned again, with their ranges.
    pub(super) fixed: Vec<(Var, Range)>,
    /// Ints that may be anything, and may be assigned.
    pub(super) wild: Vec<Var>,
    pub(super) blocks: Vec<Block>,
    /// The threads around, outermost first, with how many there are.
    pub(super) threads: Vec<(Var, i64)>,
    /// In how many loops and branches.
    pub(super) nested: usize,
    /// How many statements are left.
    pub(super) left: i64,
    /// How often a statement here is executed, at most.
    pub(super) times: i64,
    /// How many statements that get stuck are still to be made.
    pub(super) trouble: usize,
    pub(super) trouble_outside: bool,
    pub(super) trouble_in_results: bool,
}

impl<'u, 'b> Builder<'u, 'b> {
    pub(super) fn new(draw: Draw<'u, 'b>, two_fail: u32) -> Self {
        Self {
            draw,
            two_fail,
            names: Names::new(),
            next: 0,
            groups: 0,
            fixed: Vec::new(),
            wild: Vec::new(),
            blocks: Vec::new(),
            threads: Vec::new(),
            nested: 0,
            left: 50,
            times: 1,
            trouble: 0,
            trouble_outside: false,
            trouble_in_results: false,
        }
    }

    pub(super) fn stm(&mut self, kind: Kind) -> Stm {
        let span = Span::nth(self.next);
        self.next += 1;
        Stm { span, kind }
    }

    /// A new int that is never assigned again.
    pub(super) fn fixed(&mut self, letter: char, range: Range) -> Var {
        let var = self.names.fresh(Wish::Numbered(letter));
        self.fixed.push((var, range));
        var
    }

    /// A new int that may be anything.
    pub(super) fn wild(&mut self, letter: char) -> Var {
        let var = self.names.fresh(Wish::Numbered(letter));
        self.wild.push(var);
        var
    }

    pub(super) fn fresh_group(&mut self) -> u32 {
        self.groups += 1;
        self.groups
    }

    /// What is declared inside is in scope inside only; what is assigned to ints inside is no matter.
    pub(super) fn scoped<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        let lengths = (self.fixed.len(), self.wild.len());
        let blocks = self.blocks.clone();
        let made = inside(self);
        self.fixed.truncate(lengths.0);
        self.wild.truncate(lengths.1);
        self.blocks = blocks;
        made
    }

    /// A number that some operator treats specially.
    pub(super) fn corner(&mut self) -> i32 {
        const CORNERS: [i32; 14] =
            [1, 2, 0, -1, 3, 5, i32::MAX, i32::MIN, 31, 32, 33, -7, 255, 0x5bd1_e995];
        self.draw.pick(&CORNERS)
    }

    /// A size and its value, which is known.
    pub(super) fn size(&mut self) -> (Atom, i64) {
        let known: Vec<(Var, Range)> =
            self.fixed.iter().copied().filter(|(_, range)| range.lo == range.hi).collect();
        if !known.is_empty() && self.draw.chance(75) {
            let (var, range) = self.draw.pick(&known);
            return (var.into(), range.lo);
        }
        let k = self.draw.pick(&[4, 2, 3, 1, 6, 8]);
        (Atom::Const(k as i32), k)
    }

    /// A known number, as a name where one has this value.
    pub(super) fn known(&mut self, k: i64) -> Atom {
        let named = self.fixed.iter().find(|(_, range)| *range == Range::exactly(k));
        match named {
            Some((var, _)) if self.draw.chance(70) => (*var).into(),
            _ => Atom::Const(k as i32),
        }
    }
}

/// `a + b`, without zeros.
pub(super) fn sum(a: Se, b: Se) -> Se {
    match (&a, &b) {
        (Se::Atom(Atom::Const(0)), _) => b,
        (_, Se::Atom(Atom::Const(0))) => a,
        _ => Se::bin(BinOp::Add, a, b),
    }
}
