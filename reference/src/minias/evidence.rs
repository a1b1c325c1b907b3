//! Evidence for predicates (fig. 9, reading M16): what a function is passed for `r\a`, by either of the paper's two
//! readings, and the row tables that places need.
//!
//! By *fixed ids* (2.2) the evidence of `ρ\a` is the id of a, whatever the row. By *places* (fig. 9) it is the place of a in
//! `{a | ρ}`: a number, plus what is passed for the variable at the end of the row. A place does not say which space it
//! stands for, since in `{local}` local is at 0; so who loads or stores at a row variable is passed its *row table* too, from
//! places to ids.

use super::rows::{Row, RowVar};
use super::rules::Rule;
use super::syntax::{Space, Spaces};
use crate::kit::derivation::Recorder;

/// What the tag of a pointer means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The id of its space (2.2).
    Fixed,
    /// The place of its space in its row (fig. 9).
    Places,
}

/// Evidence: a number, and the evidence of a variable besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The variable and space of the predicate that is assumed.
    pub of: Option<(RowVar, Space)>,
    /// What is added to it.
    pub plus: u32,
}

/// A row table: the spaces of the places of a row, as far as they are known, and the variable whose table they go into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Ids by place, of a row without an end; else ids that are put into the table of the end, each at its evidence.
    pub ids: Vec<(Evidence, u32)>,
    /// The variable at the end.
    pub end: Option<RowVar>,
}

/// The id of a space.
pub fn id(space: Space) -> u32 {
    space as u32
}

/// `P ⊨ e : ρ\a` (fig. 9), where P has evidence for whatever is wanted of the variable at the end of the row. `None` if the
/// row has the name: then nothing follows.
pub fn evidence(
    row: Row,
    space: Space,
    reading: Reading,
    to: &mut Recorder<Rule>,
) -> Option<Evidence> {
    if row.names.has(space) {
        return None;
    }
    match reading {
        Reading::Fixed => {
            to.enter(Rule::VFixed, || format!("{space}"));
            to.leave(|| id(space).to_string());
            Some(Evidence { of: None, plus: id(space) })
        }
        Reading::Places => Some(place(row.names, row.end, space, to)),
    }
}

/// The rules of fig. 9, one name of the row after the other.
///
/// ```text
/// P ⊨ e : ρ\a
/// ───────────────────── V-EXT     m = e if a < a', e + 1 if a' < a
/// P ⊨ m : {a' | ρ}\a
/// ```
fn place(names: Spaces, end: Option<RowVar>, space: Space, to: &mut Recorder<Rule>) -> Evidence {
    let Some(other) = names.first() else {
        let rule = if end.is_some() { Rule::VAssume } else { Rule::VEmpty };
        to.enter(rule, || format!("{space}"));
        to.leave(String::new);
        return Evidence { of: end.map(|end| (end, space)), plus: 0 };
    };
    to.enter(Rule::VExt, || format!("{space} behind {other}"));
    let rest = place(names.without(other), end, space, to);
    let plus = rest.plus + u32::from(other < space);
    to.leave(|| plus.to_string());
    Evidence { plus, ..rest }
}

/// The row table: `tab({}) = []`, and `tab({a | ρ})` is `tab(ρ)` with the id of a put in at the evidence of `ρ\a`.
pub fn table(row: Row, to: &mut Recorder<Rule>) -> Table {
    let mut ids = Vec::new();
    let mut below = Spaces::NONE;
    for space in row.names.iter() {
        let at = evidence(Row { names: below, end: row.end }, space, Reading::Places, to);
        ids.push((at.expect("a row has a name once"), id(space)));
        below = below.with(space);
    }
    Table { ids, end: row.end }
}

impl Evidence {
    /// The number that it is, where evidence of what is assumed is known.
    pub fn number(self, assumed: impl Fn(RowVar, Space) -> u32) -> u32 {
        self.plus + self.of.map_or(0, |(var, space)| assumed(var, space))
    }

    /// `v`, `v + 1`, `2`: with the name of the variable's evidence.
    pub fn text(self, name: impl FnOnce(RowVar, Space) -> String) -> String {
        match self.of {
            None => self.plus.to_string(),
            Some((var, space)) if self.plus == 0 => name(var, space),
            Some((var, space)) => format!("{} + {}", name(var, space), self.plus),
        }
    }
}

impl Table {
    /// Ids by place, where the table of the end and the evidence of what is assumed are known.
    pub fn by_place(
        &self,
        end: impl Fn(RowVar) -> Vec<u32>,
        assumed: impl Fn(RowVar, Space) -> u32 + Copy,
    ) -> Vec<u32> {
        let mut table = self.end.map_or_else(Vec::new, end);
        for (at, id) in &self.ids {
            table.insert(at.number(assumed) as usize, *id);
        }
        table
    }
}
