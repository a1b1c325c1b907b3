//! What a campaign or a corpus run fires, counted room by room.

pub use reference::languages::Rolls;

use reference::kit::coverage::Coverage;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

/// Is a rule one of types, by its name or by that and a premise? Programs are generated well typed,
/// so that no such premise ever fails.
pub fn is_of_types(rule: &str) -> bool {
    rule.starts_with("T-") || rule.contains("-T-")
}

/// What fired and what failed, room by room.
#[derive(Clone, Debug)]
pub struct Counts {
    /// One coverage a room, in the order of the compilation.
    pub rooms: Vec<Coverage>,
}

impl Default for Counts {
    fn default() -> Self {
        Counts::of(&Rolls::default())
    }
}

impl Counts {
    /// What these have fired so far.
    pub fn of(rolls: &Rolls) -> Self {
        Counts { rooms: rolls.coverages() }
    }

    /// Adds the counts of another worker.
    pub fn add(&mut self, other: &Counts) {
        for (mine, theirs) in self.rooms.iter_mut().zip(&other.rooms) {
            mine.add(theirs);
        }
    }

    /// What never happened, `ROOM: RULE [premise]` (see [`Coverage::missing`]).
    pub fn missing(&self) -> Vec<(&'static str, String)> {
        self.rooms
            .iter()
            .flat_map(|room| room.missing().into_iter().map(|line| (room.room, line)))
            .collect()
    }
}

/// Counts by the names of rules, by those of rooms.
type Kept = BTreeMap<String, BTreeMap<String, Vec<u64>>>;

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rooms = self.rooms.iter().map(|room| (room.room.to_owned(), room.kept()));
        rooms.collect::<Kept>().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Counts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let kept = Kept::deserialize(deserializer)?;
        let mut counts = Counts::default();
        for room in &mut counts.rooms {
            let of_room = kept
                .get(room.room)
                .ok_or_else(|| D::Error::custom(format!("no counts of {}", room.room)))?;
            room.restore(of_room).map_err(D::Error::custom)?;
        }
        Ok(counts)
    }
}
