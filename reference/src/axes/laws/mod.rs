//! The laws. Each is a line: name, left sides, right side, class and guard. Those that substitute
//! are functions under the same heading. `proofs-notes/axes.md` says of each why it holds.
//!
//! A guard is decided from the matched term alone: an explanation of an e-graph does not keep it,
//! and a certificate is replayed from the terms. A law without its guard is its twin, which some
//! instance refutes; so what only keeps a search small (the least size of a tile) is no guard.

mod absent;
pub mod apply;
mod arrays;
mod exhibits;
mod loops;
mod places;
mod reductions;
mod scalars;
mod wrong;

pub use absent::{ABSENT, Absent};
pub use exhibits::EXHIBITS;
pub use wrong::book;

use self::apply::At;
use super::index::Index;
use super::parse;
use super::syntax::{Name, Term, identity};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// What a law needs of an operator, or of cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Equal bit by bit.
    Exact,
    /// The value is equal; the cost is not.
    Cost,
    /// Needs an operator that is associative, commutative or has an identity. On ints that wrap
    /// these laws are exact too.
    Assoc,
}

impl Class {
    /// Every class.
    pub const ALL: [Class; 3] = [Class::Exact, Class::Cost, Class::Assoc];

    /// Its word in the table.
    pub fn name(self) -> &'static str {
        match self {
            Class::Exact => "exact",
            Class::Cost => "cost",
            Class::Assoc => "assoc",
        }
    }
}

/// What a law is about: a heading of `proofs-notes/axes.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// Loops over results, and the axes that merges make.
    Loops,
    /// Reductions, and loops with a state.
    Reductions,
    /// Arrays in memory.
    Arrays,
    /// Work groups, and what is in their memory.
    Places,
    /// Operators and conditions.
    Scalars,
}

impl Group {
    /// Every group, in the order of the notes.
    pub const ALL: [Group; 5] =
        [Group::Loops, Group::Reductions, Group::Arrays, Group::Places, Group::Scalars];

    /// The heading.
    pub fn heading(self) -> &'static str {
        match self {
            Group::Loops => "Loops",
            Group::Reductions => "Reductions",
            Group::Arrays => "Arrays",
            Group::Places => "Places",
            Group::Scalars => "Scalars",
        }
    }
}

/// A law.
pub struct Law {
    /// Its name.
    pub name: &'static str,
    /// What it is about.
    pub group: Group,
    /// Patterns; each is a left side.
    pub left: Vec<Term>,
    /// The right side.
    pub right: Right,
    /// Is it applied from right to left too?
    pub both: bool,
    /// Does it take the size of a tile?
    pub tiles: bool,
    /// Does it take a number of words?
    pub words: bool,
    /// Of which class.
    pub class: Class,
    /// The guard in words; empty if there is none.
    pub guard: &'static str,
    /// The text of the sides, for the table.
    pub text: (&'static str, &'static str),
}

/// When a law whose right side is a pattern holds.
pub type Guard = fn(&At<'_>) -> bool;

/// The right side of a law that substitutes; `None` where it does not apply.
pub type Makes = fn(&mut At<'_>) -> Option<Term>;

/// The right side of a law.
pub enum Right {
    /// A pattern, and when it holds.
    Pattern {
        /// The pattern.
        right: Term,
        /// The guard.
        guard: Guard,
    },
    /// What substitutes.
    Function(Makes),
}

impl Law {
    /// The law of this name.
    pub fn named(name: &str) -> Option<&'static Law> {
        BOOK.iter().find(|law| law.name == name)
    }

    /// The right side, if it is a pattern.
    pub fn pattern(&self) -> Option<&Term> {
        match &self.right {
            Right::Pattern { right, .. } => Some(right),
            Right::Function(_) => None,
        }
    }

    /// The row of the rule book that it is a form of: several forms of one law count once.
    pub fn row(&self) -> &'static str {
        let forms = [
            ("halve-red", "halve-red-stored"),
            ("level", "level-"),
            ("place", "place-"),
            ("layout", "layout-"),
            ("pack", "pack-"),
            ("fold", "fold-"),
            ("permute-red", "permute-red-"),
            ("unroll", "unroll-"),
            ("if-push", "if-push-"),
        ];
        let form = forms.into_iter().find(|(_, prefix)| self.name.starts_with(prefix));
        form.map_or(self.name, |(row, _)| row)
    }
}

/// The line of a law.
struct Line {
    name: &'static str,
    left: &'static [&'static str],
    right: &'static str,
    side: Side,
    both: bool,
    tiles: bool,
    words: bool,
    class: Class,
    guard: &'static str,
}

/// How a line says its right side: by its text, or by a function that the text stands for in the
/// table.
enum Side {
    Pattern(Guard),
    Function(Makes),
}

/// The line of a law whose right side is a pattern.
const fn law(
    name: &'static str,
    left: &'static [&'static str],
    right: &'static str,
    class: Class,
) -> Line {
    let side = Side::Pattern(|_| true);
    Line { name, left, right, side, both: false, tiles: false, words: false, class, guard: "" }
}

/// The line of a law whose right side is computed.
const fn computed(
    name: &'static str,
    left: &'static [&'static str],
    right: &'static str,
    class: Class,
    makes: Makes,
) -> Line {
    let side = Side::Function(makes);
    Line { name, left, right, side, both: false, tiles: false, words: false, class, guard: "" }
}

impl Line {
    /// Applied from right to left too.
    const fn both(mut self) -> Line {
        self.both = true;
        self
    }

    /// Takes the size of a tile.
    const fn tiles(mut self) -> Line {
        self.tiles = true;
        self
    }

    /// Takes a number of words.
    const fn words(mut self) -> Line {
        self.words = true;
        self
    }

    /// Holds where the guard does.
    const fn when(mut self, words: &'static str, guard: Guard) -> Line {
        self.guard = words;
        self.side = Side::Pattern(guard);
        self
    }

    /// Applied where this holds only. Both sides mean the same elsewhere too, so it is no guard: the right side would
    /// be nothing that can be run.
    const fn only(mut self, where_: Guard) -> Line {
        self.side = Side::Pattern(where_);
        self
    }

    /// What the function asks for by [`At::guard`].
    const fn guarded(mut self, words: &'static str) -> Line {
        self.guard = words;
        self
    }

    fn read(&self, group: Group) -> Law {
        let pattern = |text: &&'static str| {
            parse::pattern(text).unwrap_or_else(|no| panic!("the pattern {text}: {}", no.message))
        };
        Law {
            name: self.name,
            group,
            left: self.left.iter().map(pattern).collect(),
            right: match self.side {
                Side::Pattern(guard) => Right::Pattern { right: pattern(&self.right), guard },
                Side::Function(makes) => Right::Function(makes),
            },
            both: self.both,
            tiles: self.tiles,
            words: self.words,
            class: self.class,
            guard: self.guard,
            text: (self.left[0], self.right),
        }
    }
}

/// All laws, in the order in which they are tried.
pub static BOOK: LazyLock<Vec<Law>> = LazyLock::new(|| {
    let groups = [
        (Group::Loops, loops::LINES),
        (Group::Reductions, reductions::LINES),
        (Group::Arrays, arrays::LINES),
        (Group::Places, places::LINES),
        (Group::Scalars, scalars::LINES),
    ];
    let read =
        |(group, lines): (Group, &'static [Line])| lines.iter().map(move |line| line.read(group));
    groups.into_iter().flat_map(read).collect()
});

/// Do none of these holes stand for the same axis?
fn differ(at: &At<'_>, holes: &[&str]) -> bool {
    let names: Vec<_> = holes.iter().map(|hole| at.axis(hole)).collect();
    (0..names.len()).all(|nth| !names[..nth].contains(&names[nth]))
}

/// Is the operator associative and commutative, with an identity?
fn combines(at: &At<'_>) -> bool {
    at.op("o").is_some_and(|op| identity(op).is_some())
}

/// Notes new axes; `None` if a name has another meaning.
fn declare(at: &mut At<'_>, axes: &[(&Name, u32)]) -> Option<()> {
    for (name, size) in axes {
        if at.scope.params.contains_key(*name) || at.scope.states.contains(*name) {
            return None;
        }
        at.scope.declare(name, *size).ok()?;
    }
    Some(())
}

/// A new axis that is called by the old one and a suffix.
fn new_axis(at: &mut At<'_>, axis: &str, suffix: &str, size: u32) -> Option<Name> {
    let name = Name::new(&format!("{}{suffix}", at.axis(axis)?));
    declare(at, &[(&name, size)])?;
    Some(name)
}

/// `i` of size `n` as two axes of sizes `n / t` and `t`, and `t·outer + inner`.
struct Split {
    outer: Name,
    rounds: u32,
    inner: Name,
    index: Index,
}

/// Splits an axis into so many rounds of tiles.
fn split(at: &mut At<'_>, axis: &str, rounds: u32, mark: &str) -> Option<Split> {
    let tile = at.parameter;
    let outer = new_axis(at, axis, &format!("_{mark}o{tile}"), rounds)?;
    let inner = new_axis(at, axis, &format!("_{mark}i{tile}"), tile)?;
    let index = Index::axis(&inner).plus(&Index::axis(&outer), i64::from(tile))?;
    Some(Split { outer, rounds, inner, index })
}

/// Splits an axis whose size the tile divides; a tile has at least two rounds, and is smaller.
fn split_evenly(at: &mut At<'_>, axis: &str, size: &str) -> Option<Split> {
    let (size, tile) = (at.size(size)?, at.parameter);
    if tile < 2 || size <= tile {
        return None;
    }
    at.guard(|_| size.is_multiple_of(tile))?;
    split(at, axis, size / tile, "")
}
