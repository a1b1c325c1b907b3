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
    /// For ids below this, without growing.
    pub(super) fn below(bound: Word) -> Self {
        Self { places: vec![0; bound as usize], things: Vec::with_capacity(16) }
    }

    /// The later one counts.
    pub(super) fn insert(&mut self, id: Word, thing: T) {
        let place = id as usize;
        if place >= self.places.len() {
            self.places.resize(place + 1, 0);
        }
        self.things.push(thing);
        self.places[place] = self.things.len() as u32;
    }

    #[inline]
    pub(super) fn get(&self, id: Word) -> Option<&T> {
        let place = self.places.get(id as usize)?.checked_sub(1)?;
        self.things.get(place as usize)
    }
}
