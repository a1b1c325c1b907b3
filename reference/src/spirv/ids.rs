//! What is known of some of the ids of a module.

use rspirv::spirv::Word;

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
