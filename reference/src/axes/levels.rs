//! Where levels and places may stand, so that a term can be run as work groups. They mean nothing
//! ([`super::meaning`]), so a law knows of these rules only what its match shows: a plan asks for them.
//!
//! - On each path the levels of builds come in the order `grid`, `group`, `lane`, `seq`, `vec`.
//! - A `glob` store depends on no loop around it: it is an array that a launch of its own fills.
//! - A `group` store stands in a work group, which fills it together and alone reads it. So it
//!   depends on no axis that the invocations of the group tell apart, nor on a state that each of them has.
//! - A `priv` store is filled by the invocation that reads it.

use super::syntax::{Head, Level, Name, Place, Program, Term};
use super::types::{Scope, Wrong, free};
use std::collections::BTreeSet;

/// Is there anything in the program that only work groups run?
pub fn has_groups(program: &Program) -> bool {
    let mut found = false;
    program.term.walk(&mut |term| {
        found |= match &term.head {
            Head::Level(level) => matches!(level, Level::Group | Level::Lane),
            Head::Place(place) => *place != Place::Glob,
            _ => false,
        };
    });
    found
}

/// Holds the levels and places of a program that was checked against the rules.
///
/// # Errors
/// The first that does not hold, and where.
pub fn check(program: &Program, scope: &Scope) -> Result<(), Wrong> {
    let mut check = Check { scope, position: Vec::new(), lanes: BTreeSet::new() };
    check.term(&program.term, Around { level: None, grouped: false })
}

/// What stands around.
#[derive(Clone, Copy)]
struct Around {
    /// The level of the nearest build.
    level: Option<Level>,
    /// Is there a build whose rounds are work groups or their invocations?
    grouped: bool,
}

struct Check<'s> {
    scope: &'s Scope,
    position: Vec<usize>,
    /// The axes that tell the invocations of a group apart, and their states.
    lanes: BTreeSet<Name>,
}

impl Check<'_> {
    fn wrong(&self, message: String) -> Wrong {
        Wrong { position: self.position.clone(), message, rule: None }
    }

    fn term(&mut self, term: &Term, around: Around) -> Result<(), Wrong> {
        let mut inside = around;
        let mut lane = None;
        match (&term.head, term.args.first().map(|arg| &arg.head)) {
            (Head::Build, Some(Head::Level(level))) => {
                if around.level.is_some_and(|outer| outer < *level) {
                    let outer = around.level.map_or("", Level::word);
                    return Err(self.wrong(format!(
                        "a build of level {} stands in one of level {outer}; the order is grid, group, lane, seq, vec",
                        level.word()
                    )));
                }
                inside = Around {
                    level: Some(*level),
                    grouped: around.grouped || !matches!(level, Level::Seq | Level::Vec),
                };
                if *level <= Level::Lane {
                    lane = term.binds().map(|(axis, _)| axis.clone());
                }
            }
            // Each invocation has a state of its own.
            (Head::Seq, Some(Head::State(state))) if !self.lanes.is_empty() => {
                lane = Some(state.clone());
            }
            (Head::Store, Some(Head::Place(place))) => inside = self.store(term, *place, around)?,
            _ => {}
        }
        let new = lane.as_ref().is_some_and(|axis| self.lanes.insert(axis.clone()));
        for (nth, arg) in term.args.iter().enumerate() {
            self.position.push(nth);
            self.term(arg, inside)?;
            self.position.pop();
        }
        if let (true, Some(axis)) = (new, lane) {
            self.lanes.remove(&axis);
        }
        Ok(())
    }

    /// What stands around the tensor of a store.
    fn store(&self, store: &Term, place: Place, around: Around) -> Result<Around, Wrong> {
        let names = free(store);
        let mut depends = names.iter().filter(|name| !self.scope.params.contains_key(*name));
        match place {
            Place::Glob => match depends.next() {
                Some(name) => Err(self.wrong(format!(
                    "an array in memory of all threads is stored inside of the loop of {name}"
                ))),
                None => Ok(Around { level: None, grouped: false }),
            },
            Place::Group { .. } => {
                if !around.grouped {
                    return Err(self.wrong("a group store stands in no work group".to_owned()));
                }
                match depends.find(|name| self.lanes.contains(*name)) {
                    Some(name) => Err(self.wrong(format!(
                        "a group store depends on {name}, which differs between the invocations of the group"
                    ))),
                    None => Ok(Around { level: Some(Level::Lane), ..around }),
                }
            }
            Place::Priv => Ok(Around { level: Some(Level::Seq), ..around }),
        }
    }
}
