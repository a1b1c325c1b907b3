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
    /// that nobody reads have none settled.
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
}

impl Arena {
    /// An empty arena.
    pub fn new() -> Self {
        Self::default()
    }

    /// Places a block in the first hole that takes it, else at the end; `None` if the arena
    /// would have more than `limit` words. The address is never 0. Who owns the memory must
    /// write zeros into the block and [`guard`]s around it.
    pub fn place(&mut self, block: Var, element: Sc, words: u64, limit: u64) -> Option<u32> {
        let needed = words.checked_add(2 * u64::from(GUARD))?;
        let hole = self.holes.iter().find(|(_, size)| u64::from(**size) >= needed);
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
                    arena.place(Var(0), Sc::I32, k.into(), 1 << 20);
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

    #[test]
    fn an_arena_ends() {
        let mut arena = Arena::new();
        let mut names = Names::new();
        let (b, c) = (names.fresh("b"), names.fresh("c"));
        assert_eq!(arena.place(b, Sc::I32, 100, 107), None);
        assert_eq!(arena.place(b, Sc::I64, 100, 108), Some(GUARD));
        assert_eq!(arena.place(c, Sc::I32, u64::MAX, 108), None);
        assert_eq!(arena.broken(GUARD - 1, &names), "b at -1");
        assert_eq!(arena.broken(GUARD + 100, &names), "b at 50");
    }
}
