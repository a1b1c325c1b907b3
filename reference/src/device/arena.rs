//! Places of blocks in the memory of a machine, with guard words around each. Every machine may place
//! its blocks so; what it keeps in the words is its own affair.
//!
//! Memory has two regions: the arena, with the blocks of plain elements, and that of the blocks of atomic
//! ones. A shader declares every word of a binding atomic or none, so each region is a binding of its own.
//! An address names a word of either: those of the second region start at [`ATOMIC`]. The base of a block is
//! counted from the start of its region, which the type of the block says.

use super::syntax::Element;
use crate::kit::names::{Names, Var};
use crate::kit::tap::Space;
use std::collections::BTreeMap;

/// Guard words before and behind each block.
pub const GUARD: u32 = 4;

/// The address of the first word of the region of atomic blocks.
pub const ATOMIC: u32 = 1 << 31;

/// A part of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// Blocks of plain elements.
    Plain,
    /// Blocks of atomic elements.
    Atomic,
}

impl Region {
    /// The region of blocks of these elements.
    pub fn of(element: Element) -> Self {
        match element {
            Element::Plain(_) => Region::Plain,
            Element::Atomic(_) => Region::Atomic,
        }
    }

    /// The region that an address lies in, and which of its words that is.
    pub fn split(address: u32) -> (Self, u32) {
        match address.checked_sub(ATOMIC) {
            Some(word) => (Region::Atomic, word),
            None => (Region::Plain, address),
        }
    }

    /// The address of the block with this base; 0 for no block.
    pub fn address(self, base: u32) -> u32 {
        match self {
            Region::Atomic if base > 0 => base | ATOMIC,
            _ => base,
        }
    }
}

/// What a guard word holds: hardly what a program writes there by accident.
pub fn guard(address: u32) -> u32 {
    address.wrapping_mul(0x9e37_79b1) ^ 0x5afe_b10c
}

/// A block that is placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The variable that it was allocated for. Its name is asked for in reports only: programs
    /// that are never read have none settled.
    pub block: Var,
    /// Type of its elements.
    pub element: Element,
    /// Words, without guards.
    pub words: u32,
}

/// Where a block may be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// Wherever there is room.
    Anywhere,
    /// Where no other block ever was but those that are placed so: no name is left of one, for which this
    /// one could be taken.
    Apart,
}

/// Which words of memory are taken.
#[derive(Clone, Debug, Default)]
pub struct Arena {
    plain: Taken,
    atomic: Taken,
}

/// Which words of a region are taken.
#[derive(Clone, Debug, Default)]
struct Taken {
    /// Blocks by their first word.
    blocks: BTreeMap<u32, Placed>,
    /// Holes between them: first word and how many.
    holes: BTreeMap<u32, u32>,
    end: u32,
    /// Where the furthest block ended that was not placed apart, whether it is still there or not.
    furthest: u32,
}

impl Arena {
    /// Empty memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Places a block in the first hole of its region that takes it and is where it may be, else at the end;
    /// `None` if both regions together would have more than `limit` words. The address is never 0. Who owns
    /// the memory must write zeros into the block and [`guard`]s around it.
    pub fn place(
        &mut self,
        block: (Var, Where),
        element: Element,
        words: u64,
        limit: u64,
    ) -> Option<u32> {
        let region = Region::of(element);
        let limit = match region {
            Region::Plain => limit.checked_sub(self.atomic.end.into())?,
            Region::Atomic => limit.checked_sub(self.plain.end.into())?,
        };
        let base = self.taken_mut(region).place(block, element, words, limit)?;
        Some(region.address(base))
    }

    /// How many blocks lie in it.
    pub fn count(&self) -> usize {
        self.plain.blocks.len() + self.atomic.blocks.len()
    }

    /// Takes a block away; false if there is none at this address.
    pub fn remove(&mut self, address: u32) -> bool {
        let (region, base) = Region::split(address);
        self.taken_mut(region).remove(base)
    }

    /// Words from the start of each region to the end of its last block, both together.
    pub fn words(&self) -> u32 {
        self.plain.end + self.atomic.end
    }

    /// Words from the start of a region to the end of its last block.
    pub fn words_of(&self, region: Region) -> u32 {
        match region {
            Region::Plain => self.plain.end,
            Region::Atomic => self.atomic.end,
        }
    }

    /// The blocks, by address.
    pub fn blocks(&self) -> impl Iterator<Item = (u32, &Placed)> {
        self.blocks_of(Region::Plain).chain(self.blocks_of(Region::Atomic))
    }

    /// The blocks of a region, by address.
    pub fn blocks_of(&self, region: Region) -> impl Iterator<Item = (u32, &Placed)> {
        let blocks = self.taken(region).blocks.iter();
        blocks.map(move |(base, placed)| (region.address(*base), placed))
    }

    /// The block that a word belongs to, or whose guards do, with its address.
    pub fn around(&self, address: u32) -> Option<(u32, &Placed)> {
        let (region, word) = Region::split(address);
        let reach = ..=word.saturating_add(GUARD);
        let (base, placed) = self.taken(region).blocks.range(reach).next_back()?;
        (word < base + placed.words + GUARD).then_some((region.address(*base), placed))
    }

    /// Do all of so many words from this one on belong to one block?
    pub fn holds(&self, address: u32, words: u32) -> bool {
        let (region, word) = Region::split(address);
        let before = self.taken(region).blocks.range(..=word).next_back();
        before.is_some_and(|(base, placed)| word + words <= base + placed.words)
    }

    /// The block that a word lies in, by its address, and which of its words it is.
    pub(crate) fn offset(&self, address: u32) -> (Space, u32, u64) {
        let base = self.around(address).map_or(0, |(base, _)| base);
        (Space::Global, base, u64::from(address.saturating_sub(base)))
    }

    /// Addresses of the guard words of the block at `base` of `words` words.
    pub fn guards(base: u32, words: u32) -> impl Iterator<Item = u32> {
        (base - GUARD..base).chain(base + words..base + words + GUARD)
    }

    /// Says which guard word is overwritten, for a report.
    pub fn broken(&self, address: u32, names: &Names) -> String {
        match self.around(address) {
            Some((base, placed)) => {
                let offset = (i64::from(address) - i64::from(base))
                    .div_euclid(i64::from(placed.element.words()));
                format!("{} at {offset}", names.text(placed.block))
            }
            None => format!("word {address}"),
        }
    }

    fn taken(&self, region: Region) -> &Taken {
        match region {
            Region::Plain => &self.plain,
            Region::Atomic => &self.atomic,
        }
    }

    fn taken_mut(&mut self, region: Region) -> &mut Taken {
        match region {
            Region::Plain => &mut self.plain,
            Region::Atomic => &mut self.atomic,
        }
    }
}

impl Taken {
    /// As [`Arena::place`], with the base in the region and the words that it may have.
    fn place(
        &mut self,
        (block, at): (Var, Where),
        element: Element,
        words: u64,
        limit: u64,
    ) -> Option<u32> {
        let needed = words.checked_add(2 * u64::from(GUARD))?;
        if at == Where::Apart && self.end < self.furthest {
            if u64::from(self.furthest) + needed > limit.min(u64::from(ATOMIC - 1)) {
                return None;
            }
            self.holes.insert(self.end, self.furthest - self.end);
            self.end = self.furthest;
        }
        let from = if at == Where::Apart { self.furthest } else { 0 };
        let mut holes = self.holes.range(from..);
        let hole = holes.find(|(_, size)| u64::from(**size) >= needed);
        let start = match hole.map(|(start, size)| (*start, *size)) {
            Some((start, size)) => {
                self.holes.remove(&start);
                let needed = needed as u32;
                if size > needed {
                    self.holes.insert(start + needed, size - needed);
                }
                start
            }
            None => {
                let end = u64::from(self.end) + needed;
                if end > limit.min(u64::from(ATOMIC - 1)) {
                    return None;
                }
                std::mem::replace(&mut self.end, end as u32)
            }
        };
        if at == Where::Anywhere {
            self.furthest = self.furthest.max(start + needed as u32);
        }
        let base = start + GUARD;
        self.blocks.insert(base, Placed { block, element, words: words as u32 });
        Some(base)
    }

    fn remove(&mut self, base: u32) -> bool {
        let Some(placed) = self.blocks.remove(&base) else { return false };
        let (mut start, mut size) = (base - GUARD, placed.words + 2 * GUARD);
        if let Some(behind) = self.holes.remove(&(start + size)) {
            size += behind;
        }
        let before = self.holes.range(..start).next_back().map(|(at, size)| (*at, *size));
        if let Some((at, before)) = before.filter(|(at, before)| at + before == start) {
            self.holes.remove(&at);
            start = at;
            size += before;
        }
        if start + size == self.end {
            self.end = start;
        } else {
            self.holes.insert(start, size);
        }
        true
    }
}

/// The words of memory, as a host holds them.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// Those of the arena.
    pub plain: Vec<u32>,
    /// Those of the region of atomic blocks.
    pub atomic: Vec<u32>,
}

impl Words {
    /// The words of a region.
    pub fn of(&self, region: Region) -> &Vec<u32> {
        match region {
            Region::Plain => &self.plain,
            Region::Atomic => &self.atomic,
        }
    }

    /// The same, to be changed.
    pub fn of_mut(&mut self, region: Region) -> &mut Vec<u32> {
        match region {
            Region::Plain => &mut self.plain,
            Region::Atomic => &mut self.atomic,
        }
    }

    /// A block that was placed: zeros, with guard words around.
    pub fn fresh(&mut self, address: u32, count: u32) {
        let (region, base) = Region::split(address);
        let words = self.of_mut(region);
        let end = (base + count + GUARD) as usize;
        if words.len() < end {
            words.resize(end, 0);
        }
        words[base as usize..][..count as usize].fill(0);
        for at in Arena::guards(address, count) {
            words[Region::split(at).1 as usize] = guard(at);
        }
    }

    /// So many words from an address on; `None` if they are not there.
    pub fn read(&self, at: u32, count: u32) -> Option<&[u32]> {
        let (region, first) = Region::split(at);
        self.of(region).get(first as usize..)?.get(..count as usize)
    }

    /// Writes words; `None` if they are not there.
    pub fn write(&mut self, at: u32, new: &[u32]) -> Option<()> {
        let (region, first) = Region::split(at);
        let words = self.of_mut(region).get_mut(first as usize..)?.get_mut(..new.len())?;
        words.copy_from_slice(new);
        Some(())
    }

    /// Copies words as if all were read before any is written; `None` if they are not there.
    pub fn copy(&mut self, from: u32, to: u32, count: u32) -> Option<()> {
        let ((source, from_word), (target, to_word)) = (Region::split(from), Region::split(to));
        if source != target {
            let words = self.read(from, count)?.to_vec();
            return self.write(to, &words);
        }
        self.read(from, count)?;
        self.read(to, count)?;
        let first = from_word as usize;
        self.of_mut(source).copy_within(first..first + count as usize, to_word as usize);
        Some(())
    }

    /// The address of a guard word of these blocks that is overwritten.
    pub fn broken(&self, placed: &Arena) -> Option<u32> {
        let blocks = placed.blocks();
        let mut guards = blocks.flat_map(|(base, block)| Arena::guards(base, block.words));
        guards.find(|at| self.read(*at, 1) != Some(&[guard(*at)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::syntax::Sc;

    const I32: Element = Element::Plain(Sc::I32);

    /// Whatever comes and goes, blocks and their guards never overlap, and what is given back is
    /// used again.
    #[test]
    fn blocks_stay_apart() {
        fn property(steps: Vec<(bool, u8)>) -> bool {
            let mut arena = Arena::new();
            for (take, k) in steps {
                if take {
                    let at = if k % 3 == 0 { Where::Apart } else { Where::Anywhere };
                    arena.place((Var(0), at), I32, k.into(), 1 << 20);
                } else {
                    let base = arena.blocks().map(|(base, _)| base).nth(usize::from(k) % 5);
                    if base.is_some_and(|base| !arena.remove(base)) {
                        return false;
                    }
                }
                let mut last = 0;
                for (base, placed) in arena.blocks() {
                    if base < last + GUARD || base == 0 {
                        return false;
                    }
                    last = base + placed.words + GUARD;
                }
                if last != arena.words() {
                    return false;
                }
            }
            let bases: Vec<u32> = arena.blocks().map(|(base, _)| base).collect();
            bases.into_iter().all(|base| arena.remove(base)) && arena.words() == 0
        }
        quickcheck::quickcheck(property as fn(Vec<(bool, u8)>) -> bool);
    }

    /// A block that is placed apart never reuses the place of another block, even after that was freed. Other blocks
    /// may reuse the place of one that was apart.
    #[test]
    fn what_is_apart_is_taken_for_nothing_else() {
        let mut arena = Arena::new();
        let place = |arena: &mut Arena, at, words| {
            arena.place((Var(0), at), I32, words, 1000).expect("there is room")
        };
        let a = place(&mut arena, Where::Anywhere, 40);
        let b = place(&mut arena, Where::Anywhere, 10);
        assert!(arena.remove(a) && arena.remove(b));
        let record = place(&mut arena, Where::Apart, 5);
        assert!(record >= b + 10 + GUARD, "{record} is where {b} was");
        let other = place(&mut arena, Where::Apart, 5);
        assert!(other > record);
        assert_eq!(place(&mut arena, Where::Anywhere, 40), a);
        assert!(arena.remove(record));
        let again = place(&mut arena, Where::Apart, 5);
        assert!(again >= record);
        assert!(arena.remove(again) && arena.remove(other) && arena.remove(a));
        assert_eq!(arena.words(), 0);
        assert_eq!(arena.place((Var(0), Where::Apart), I32, 1000, 1000), None);
        assert_eq!(arena.words(), 0);
    }

    #[test]
    fn an_arena_ends() {
        let mut arena = Arena::new();
        let mut names = Names::new();
        let (b, c) = (names.fresh("b"), names.fresh("c"));
        let (b_here, c_here) = ((b, Where::Anywhere), (c, Where::Anywhere));
        assert_eq!(arena.place(b_here, I32, 100, 107), None);
        assert_eq!(arena.place(b_here, Element::Plain(Sc::I64), 100, 108), Some(GUARD));
        assert_eq!(arena.place(c_here, I32, u64::MAX, 108), None);
        assert_eq!(arena.broken(GUARD - 1, &names), "b at -1");
        assert_eq!(arena.broken(GUARD + 100, &names), "b at 50");
    }

    /// Blocks of atomic elements lie in a region of their own; both count against the limit.
    #[test]
    fn regions_stay_apart() {
        const ATOMIC_U32: Element = Element::Atomic(Sc::U32);
        let mut arena = Arena::new();
        let here = (Var(0), Where::Anywhere);
        let plain = arena.place(here, I32, 10, 100).expect("there is room");
        let atomic = arena.place(here, ATOMIC_U32, 10, 100).expect("there is room");
        assert_eq!((plain, atomic), (GUARD, GUARD | ATOMIC));
        assert_eq!((arena.words(), arena.words_of(Region::Atomic)), (36, 18));
        assert_eq!(arena.place(here, ATOMIC_U32, 57, 100), None);
        let mut words = Words::default();
        words.fresh(plain, 10);
        words.fresh(atomic, 10);
        words.write(plain, &[7, 8]).expect("they are there");
        words.copy(plain, atomic + 3, 2).expect("they are there");
        assert_eq!(words.read(atomic + 2, 4), Some(&[0, 7, 8, 0][..]));
        assert_eq!(words.read(atomic, 15), None);
        assert_eq!(words.broken(&arena), None);
        words.write(atomic + 10, &[0]).expect("a guard is there");
        assert_eq!(words.broken(&arena), Some(atomic + 10));
        assert!(arena.remove(atomic) && !arena.remove(atomic) && arena.remove(plain));
        assert_eq!(arena.words(), 0);
    }
}
