//! What is known of some of the ids of a module.

use super::syntax::{At, NONE};
use rspirv::spirv::Word;

/// What is known of one id. It is in one struct, since most of it is needed at the same time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Id {
    /// The instruction that defines it; `u32::MAX` if none does.
    pub(super) defined: u32,
    /// Its type; 0 if it has none.
    pub(super) ty: Word,
    /// Its slots in the frame of its function; [`NONE`] if it has none yet.
    pub(super) slots: At,
    /// The last instruction that uses it; 0 if none does. That a pointer is loaded or stored through is
    /// no use.
    pub(super) last_use: u32,
    /// Of a label the number of its block: in its function, and once that is translated, in the
    /// module; `u32::MAX` of what is none.
    pub(super) block: u32,
}

impl Id {
    /// Nothing is known of it.
    pub(super) const NEW: Self =
        Self { defined: u32::MAX, ty: 0, slots: NONE, last_use: 0, block: u32::MAX };

    /// Does no instruction define it, as far as is known?
    #[inline]
    pub(super) fn is_new(&self) -> bool {
        self.defined == Self::NEW.defined
    }

    /// The instruction with this number defines it.
    #[inline]
    pub(super) fn begin(&mut self, at: usize, ty: Option<Word>) {
        (self.defined, self.ty) = (at as u32, ty.unwrap_or(0));
    }
}

/// Things by ids: found at once, side by side.
#[derive(Clone, Debug)]
pub(super) struct ById<T> {
    /// 1 more than the place of an id's thing; 0 if it has none.
    places: Vec<u32>,
    things: Vec<T>,
}

impl<T> Default for ById<T> {
    fn default() -> Self {
        Self { places: Vec::new(), things: Vec::new() }
    }
}

impl<T> ById<T> {
    /// For ids below this.
    pub(super) fn below(bound: Word) -> Self {
        Self { places: vec![0; bound as usize], things: Vec::with_capacity(16) }
    }

    /// The later one counts. There is nothing to know of an id that is not below the bound.
    pub(super) fn insert(&mut self, id: Word, thing: T) {
        if let Some(place) = self.places.get_mut(id as usize) {
            self.things.push(thing);
            *place = self.things.len() as u32;
        }
    }

    /// What is known of an id, which begins with what is by default; none of one that is not below the
    /// bound.
    pub(super) fn entry(&mut self, id: Word) -> Option<&mut T>
    where
        T: Default,
    {
        let place = self.places.get_mut(id as usize)?;
        if *place == 0 {
            self.things.push(T::default());
            *place = self.things.len() as u32;
        }
        self.things.get_mut(*place as usize - 1)
    }

    #[inline]
    pub(super) fn get(&self, id: Word) -> Option<&T> {
        let place = self.places.get(id as usize)?.checked_sub(1)?;
        self.things.get(place as usize)
    }
}
