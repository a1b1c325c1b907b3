//! Locations: what of a parallel machine runs something.
//!
//! ```text
//! loc ::= Thread(t) | Group({loc, …, loc})
//! ```
//!
//! All members of a group are alike here, so a location is known by its level and its first thread.

use super::rules::Rule;
use crate::kit::derivation::Recorder;
use crate::kit::language::{Choice, Values};
use std::fmt::{self, Display, Formatter};

/// How many members the groups have. A grid has one group above it, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Threads of a warp.
    pub warp: u32,
    /// Warps of a block.
    pub block: u32,
    /// Blocks of a grid.
    pub grid: u32,
}

/// The machine that a program runs on.
pub const LOCATION: Choice = Choice {
    name: "location",
    values: Values::Form {
        form: "three numbers from 1 to 1024, `32x2x4`: threads of a warp, warps of a block, blocks of a grid",
        admits: |text| Machine::parse(text).is_some(),
    },
    default: "32x2x4",
};

/// Members of a group, at most.
const MEMBERS: u32 = 1024;

impl Default for Machine {
    fn default() -> Self {
        Self::parse(LOCATION.default).expect("the default has the form")
    }
}

impl Machine {
    /// Threads of a block, which are the invocations of a work group.
    pub fn threads_of_block(self) -> u32 {
        self.warp * self.block
    }

    /// `32x2x4`
    pub fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| match text.as_bytes() {
            [b'1'..=b'9', rest @ ..] if rest.iter().all(u8::is_ascii_digit) => {
                text.parse().ok().filter(|number| *number <= MEMBERS)
            }
            _ => None,
        };
        let mut parts = text.split('x').map(number);
        let machine = Self { warp: parts.next()??, block: parts.next()??, grid: parts.next()?? };
        parts.next().is_none().then_some(machine)
    }

    /// The location of this level, its threads counted from 0.
    pub fn location(self, level: u32) -> Location {
        Location { machine: self, level, first: 0 }
    }
}

/// A thread, or a group of locations that are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    machine: Machine,
    /// How often it is a group of groups; 0 is a thread.
    pub level: u32,
    /// Its first thread.
    first: u64,
}

impl Location {
    /// How many members it has; a thread has none.
    pub fn members(self) -> u32 {
        match self.level {
            0 => 0,
            1 => self.machine.warp,
            2 => self.machine.block,
            3 => self.machine.grid,
            _ => 1,
        }
    }

    /// How many threads it has.
    pub fn threads(self) -> u64 {
        let groups = (1..=self.level).map(|level| u64::from(Self { level, ..self }.members()));
        groups.product()
    }

    /// The member that is given the `number`th of several things, which are dealt in turn; `None` if
    /// it is a thread.
    pub fn member(self, number: u64) -> Option<Location> {
        let level = self.level.checked_sub(1)?;
        let member = Self { level, ..self };
        let first = self.first + number % u64::from(self.members()) * member.threads();
        Some(Self { first, ..member })
    }

    /// The thread that is given the `number`th of several things, which are dealt in turn.
    pub fn thread(self, number: u64) -> Location {
        Self { level: 0, first: self.first + number % self.threads(), ..self }
    }

    /// `loc ▷ γ`
    ///
    /// ```text
    ///                            locᵢ ▷ γ for all i
    /// ───────────── LOC-THREAD   ───────────────────── LOC-GROUP
    /// Thread(t) ▷ Z              Group({…}) ▷ 1 + γ
    /// ```
    ///
    /// No group is empty, and its first member is like the others.
    pub fn respects(self, level: u32, to: &mut Recorder<Rule>) -> bool {
        let groups = self.level.min(level);
        to.fire(Rule::LGroup, groups.into());
        to.fire(Rule::LThread, u64::from(self.level == level));
        self.level == level
    }
}

impl Display for Location {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let kind = match self.level {
            0 => "thread",
            1 => "warp",
            2 => "block",
            3 => "grid",
            level => return write!(f, "group of level {level}"),
        };
        write!(f, "{kind} {}", self.first / self.threads())
    }
}

#[cfg(test)]
mod tests {
    use super::{LOCATION, Machine};
    use crate::fcl::rules::Rule;
    use crate::kit::derivation::Recorder;
    use crate::kit::language::Settings;

    #[test]
    fn members_and_threads_are_dealt_in_turn() {
        let machine = Machine::parse("4x2x3").expect("three numbers");
        let grid = machine.location(3);
        assert_eq!((grid.members(), grid.threads()), (3, 24));
        let block = grid.member(4).expect("a grid has blocks");
        assert_eq!(block.to_string(), "block 1");
        assert_eq!(block.member(1).expect("a block has warps").to_string(), "warp 3");
        assert_eq!(
            (block.thread(9).to_string(), block.thread(9).member(0)),
            ("thread 9".into(), None)
        );
        assert_eq!(machine.location(5).threads(), 24);
        assert_eq!(machine.location(5).to_string(), "group of level 5");
    }

    #[test]
    fn a_location_respects_its_own_level() {
        let mut recorder = Recorder::<Rule>::counting();
        let machine = Machine::parse("1x1x1").expect("three numbers");
        for level in 0..5 {
            for other in 0..5 {
                let respects = machine.location(level).respects(other, &mut recorder);
                assert_eq!(respects, level == other);
            }
        }
    }

    #[test]
    fn an_option_says_its_form() {
        let mut settings = Settings::default();
        for wrong in ["32x2", "0x1x1", "1x1x1x1", "1x1x1025", "+1x1x1", "01x1x1", "", "axbxc"] {
            let error = settings.set(&[LOCATION], "location", wrong).unwrap_err();
            assert!(
                error.starts_with(&format!("`location` cannot be `{wrong}`; it is three")),
                "{error}"
            );
        }
        assert_eq!(settings.set(&[LOCATION], "location", "1x1024x3"), Ok(()));
        assert_eq!(settings.get(&LOCATION), "1x1024x3");
        assert_eq!(settings.set(&[LOCATION], "location", "32x2x4"), Ok(()));
        assert_eq!(settings.get(&LOCATION), Settings::default().get(&LOCATION));
    }
}
