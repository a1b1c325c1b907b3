//! Levels and places of work groups, where a plan can have them
//! ([`reference::axes::levels`]).

use super::Terms;
use reference::axes::syntax::{Level, Name, Place};

/// What stands around.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around {
    /// Levels from this one on may stand here.
    level: Level,
    /// Is there a work group?
    grouped: bool,
    /// Does one of its invocations come here for itself?
    apart: bool,
}

impl Around {
    /// Nothing.
    pub(super) const NOTHING: Around = Around { level: Level::Grid, grouped: false, apart: false };

    /// What stands around the body of a build.
    fn of_build(self, level: Level) -> Around {
        Around {
            level,
            grouped: self.grouped || level >= Level::Lane,
            apart: self.apart || level == Level::Lane,
        }
    }

    /// What stands around the body of a loop or a side of a condition: there is no launch in it, and no
    /// lanes are in others.
    fn of_loop(self) -> Around {
        let most = if self.apart { Level::Seq } else { Level::Lane };
        Around { level: self.level.min(most), ..self }
    }
}

impl Terms<'_, '_> {
    /// A level that may stand here.
    pub(super) fn level(&mut self) -> Level {
        if !self.groups {
            return self.draw.pick(&[Level::Seq, Level::Grid]);
        }
        let weights: [u32; 5] = match self.around.level {
            Level::Grid => [10, 20, 45, 25, 0],
            Level::Group => [10, 0, 30, 60, 0],
            Level::Lane => [35, 0, 0, 65, 0],
            Level::Seq => [90, 0, 0, 0, 10],
            Level::Vec => [0, 0, 0, 0, 1],
        };
        Level::ALL[self.draw.weighed(&weights)]
    }

    /// The body of a build.
    pub(super) fn in_build<R>(
        &mut self,
        level: Level,
        axis: &Name,
        make: impl FnOnce(&mut Self) -> R,
    ) -> R {
        match level > Level::Lane {
            true => self.lanes.remove(axis),
            false => self.lanes.insert(axis.clone()),
        };
        let inside = self.around.of_build(level);
        self.within(inside, |terms| terms.round(axis, 3, make))
    }

    /// The body of a loop over tensors, or a side of a condition.
    pub(super) fn in_loop<R>(&mut self, make: impl FnOnce(&mut Self) -> R) -> R {
        let inside = self.around.of_loop();
        self.within(inside, make)
    }

    fn within<R>(&mut self, inside: Around, make: impl FnOnce(&mut Self) -> R) -> R {
        let around = std::mem::replace(&mut self.around, inside);
        let made = make(self);
        self.around = around;
        made
    }

    /// A place that an array may have here.
    pub(super) fn some_place(&mut self) -> Place {
        match (self.groups, self.around.grouped) {
            (false, _) => Place::Glob,
            (true, false) => self.draw.pick(&[Place::Glob, Place::Priv]),
            (true, true) => self.draw.pick(&[
                Place::Group { pad: 0 },
                Place::Priv,
                Place::Group { pad: 1 },
                Place::Glob,
            ]),
        }
    }

    /// The tensor of an array in a place: it depends on what it may, and now and then on a state.
    pub(super) fn in_store<R>(&mut self, place: Place, make: impl FnOnce(&mut Self) -> R) -> R {
        if !self.groups {
            return make(self);
        }
        let (bound, states) = (self.bound.clone(), self.states.clone());
        let inside = match place {
            Place::Glob => {
                self.bound.clear();
                self.states.clear();
                Around::NOTHING
            }
            Place::Group { .. } => {
                let lanes = &self.lanes;
                self.bound.retain(|axis| !lanes.contains(axis));
                if self.draw.chance(80) {
                    self.states.clear();
                }
                Around { level: Level::Lane, grouped: true, apart: false }
            }
            Place::Priv => Around { level: Level::Seq, ..self.around },
        };
        let made = self.within(inside, make);
        (self.bound, self.states) = (bound, states);
        made
    }
}
