//! Places of blocks in the arena, with guard words around each. Every machine may place its
//! blocks so; what it keeps in the words is its own affair.

use super::syntax::Sc;
use crate::kit::names::{Names, Var};
use std::collections::BTreeMap;

/// Guard words before and behind each block.
pub const GUARD: u32 = 4;

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
    pub element: Sc,
    /// Words, without guards.
    pub words: u32,
}

/// Which words of the arena are taken.
#[derive(Clone, Debug, Default)]
pub struct Arena {
    /// Blocks by address.
    blocks: BTreeMap<u32, Placed>,
    /// Holes between them: first word and how many.
    holes: BTreeMap<u32, u32>,
    end: u32,
    /// Where the furthest block ended that was not placed apart, whether it is still there or not.
    furthest: u32,
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

impl Arena {
    /// An empty arena.
    pub fn new() -> Self {
        Self::default()
    }

    /// Places a block in the first hole that takes it and is where it may be, else at the end; `None` if
    /// the arena would have more than `limit` words. The address is never 0. Who owns the memory must
    /// write zeros into the block and [`guard`]s around it.
    pub fn place(
        &mut self,
        (block, at): (Var, Where),
        element: Sc,
        words: u64,
        limit: u64,
    ) -> Option<u32> {
        let needed = words.checked_add(2 * u64::from(GUARD))?;
        if at == Where::Apart && self.end < self.furthest {
            if u64::from(self.furthest) + needed > limit.min(u64::from(u32::MAX)) {
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
                if end > limit.min(u64::from(u32::MAX)) {
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

    /// How many blocks lie in it.
    pub fn count(&self) -> usize {
        self.blocks.len()
    }

    /// Takes a block away; false if there is none at this address.
    pub fn remove(&mut self, base: u32) -> bool {
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

    /// Words from the start of the arena to the end of its last block.
    pub fn words(&self) -> u32 {
        self.end
    }

    /// The blocks, by address.
    pub fn blocks(&self) -> impl Iterator<Item = (u32, &Placed)> {
        self.blocks.iter().map(|(base, placed)| (*base, placed))
    }

    /// The block that holds a word, or whose guards do, with its address.
    pub fn around(&self, address: u32) -> Option<(u32, &Placed)> {
        let (base, placed) = self.blocks.range(..=address.saturating_add(GUARD)).next_back()?;
        (address < base + placed.words + GUARD).then_some((*base, placed))
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
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever comes and goes, blocks and their guards never overlap, and what is given back is
    /// used again.
    #[test]
    fn blocks_stay_apart() {
        fn property(steps: Vec<(bool, u8)>) -> bool {
            let mut arena = Arena::new();
            for (take, k) in steps {
                if take {
                    let at = if k % 3 == 0 { Where::Apart } else { Where::Anywhere };
                    arena.place((Var(0), at), Sc::I32, k.into(), 1 << 20);
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

    /// What is placed apart has no place of another block, though that be gone; what is not may have one of
    /// what was apart.
    #[test]
    fn what_is_apart_is_taken_for_nothing_else() {
        let mut arena = Arena::new();
        let place = |arena: &mut Arena, at, words| {
            arena.place((Var(0), at), Sc::I32, words, 1000).expect("there is room")
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
        assert_eq!(arena.place((Var(0), Where::Apart), Sc::I32, 1000, 1000), None);
        assert_eq!(arena.words(), 0);
    }

    #[test]
    fn an_arena_ends() {
        let mut arena = Arena::new();
        let mut names = Names::new();
        let (b, c) = (names.fresh("b"), names.fresh("c"));
        let (b_here, c_here) = ((b, Where::Anywhere), (c, Where::Anywhere));
        assert_eq!(arena.place(b_here, Sc::I32, 100, 107), None);
        assert_eq!(arena.place(b_here, Sc::I64, 100, 108), Some(GUARD));
        assert_eq!(arena.place(c_here, Sc::I32, u64::MAX, 108), None);
        assert_eq!(arena.broken(GUARD - 1, &names), "b at -1");
        assert_eq!(arena.broken(GUARD + 100, &names), "b at 50");
    }
}
