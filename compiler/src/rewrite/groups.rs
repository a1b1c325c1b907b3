//! Work groups in a search: which instances of their laws are looked at, and what they are estimated to
//! cost.
//!
//! The names of axes tell what they are: `k_o32` counts tiles of 32 and `k_i32` through one, `k_h` through
//! half of an axis, and `k_m` is the axis of an array. The laws are sound for all axes; that only some are
//! tried keeps a search small.

use super::estimate::{Around, Candidate, Estimate, Launched};
use super::plan::strides;
use super::search::Limits;
use reference::axes::apply::Match;
use reference::axes::index::Index;
use reference::axes::laws::{BOOK, Law};
use reference::axes::syntax::{Head, Level, Name, Place, Term};
use reference::axes::types::free;
use reference::cost::Machine;
use std::collections::BTreeSet;

/// Laws that work groups are made by, beside those of every search.
const LAWS: [&str; 8] = [
    "halve-red",
    "halve-red-stored",
    "hoist",
    "level-group",
    "level-lane",
    "pad",
    "place-group",
    "materialise",
];

/// Laws that would undo what these do, or that lead to other plans than those of work groups.
const WITHOUT: [&str; 11] = [
    "build-red",
    "factor",
    "inline",
    "keep",
    "layout-3",
    "layout-3-inner",
    "pack",
    "pack-columns",
    "pack-rows",
    "red-pair",
    "vec",
];

/// The limits of a search for plans of work groups.
pub fn limits(of: &Limits) -> Limits {
    let left_out = |law: &&Law| {
        let name = &law.name.to_owned();
        let asked = LAWS.contains(&law.name);
        !asked && of.without.contains(name) || WITHOUT.contains(&law.name)
    };
    let without = BOOK.iter().filter(left_out).map(|law| law.name.to_owned());
    Limits { without: without.collect(), ..of.clone() }
}

/// Are plans of work groups searched?
pub(super) fn are_searched(limits: &Limits) -> bool {
    !limits.without.iter().any(|name| name == "place-group")
}

/// The marks that laws have left in the name of an axis: the first letters behind its underscores.
fn has_mark(axis: &Name, mark: char) -> bool {
    axis.text().split('_').skip(1).any(|part| {
        let mut letters = part.chars();
        letters.next() == Some(mark) && letters.all(|letter| letter.is_ascii_digit())
    })
}

/// The most elements that a tree adds. Its term repeats each level in the next one, twice.
const TREE: u32 = 64;

/// Is this instance looked at? `None` where work groups have no say.
pub(super) fn is_searched(law: &str, found: &Match, own: &BTreeSet<Name>) -> Option<bool> {
    let axis = |hole: &str| found.get(&Name::new(hole)).and_then(Term::as_axis);
    let size = |hole: &str| found.get(&Name::new(hole)).and_then(Term::as_size);
    Some(match law {
        // An own axis as a whole, or a tile; and a half only of what the group has stored.
        "halve-red" => {
            let k = axis("k")?;
            size("n")? <= TREE && !has_mark(k, 'h') && (own.contains(k) || has_mark(k, 'i'))
        }
        // The axes of what is reduced stay whole: a group takes a row, or a part of it.
        "split-build" => {
            let mut reduces = false;
            let body = found.get(&Name::new("T"))?;
            body.walk(&mut |term| reduces |= matches!(term.head, Head::Red | Head::Seq));
            if !reduces {
                return None;
            }
            false
        }
        "halve-red-stored" => has_mark(axis("k")?, 'h'),
        "materialise" => {
            let of = found.values().next()?;
            let names: Vec<Name> = free(of).into_iter().collect();
            let tiled = |mark| names.iter().filter(|name| has_mark(name, mark)).count();
            let halved = of.head == Head::Apply && tiled('h') > 0;
            let tile = of.head == Head::Get
                && matches!(of.args[0].head, Head::Array(_))
                && tiled('o') >= 2
                && tiled('i') >= 2;
            if !halved && !tile {
                return None;
            }
            // An array of an array is another one of the same.
            let inner = |name: &Name| has_mark(name, 'i') || has_mark(name, 'h');
            !names.iter().any(|name| inner(name) && has_mark(name, 'm'))
        }
        // What tells groups apart goes out of an array: of a tree all but the halves, else the tiles.
        "hoist" => {
            let h = axis("h")?;
            let others = ["i", "j", "k"].into_iter().filter_map(axis);
            let tree = others.clone().any(|other| has_mark(other, 'h'));
            !has_mark(h, 'h') && (tree || has_mark(h, 'o'))
        }
        "place-group" => {
            let layout = ["i", "j", "k", "l"].into_iter().filter_map(axis);
            let layout: Vec<&Name> = layout.collect();
            let inner = |name: &&Name| has_mark(name, 'h') || has_mark(name, 'i');
            layout.len() <= 2 && layout.iter().all(inner)
        }
        "pad" => true,
        "level-group" => {
            let i = axis("i")?;
            (own.contains(i) || has_mark(i, 'o')) && !has_mark(i, 'h') && !has_mark(i, 'i')
        }
        "level-lane" => {
            let i = axis("i")?;
            (has_mark(i, 'h') || has_mark(i, 'i')) && !has_mark(i, 'o')
        }
        _ => return None,
    })
}

/// A read that no lane is known for yet.
#[derive(Clone, Debug)]
pub(super) struct Read {
    /// How often.
    pub(super) count: f64,
    /// The offset, where it is computed from axes.
    pub(super) offset: Option<Index>,
    /// Is it of memory of the work group?
    pub(super) grouped: bool,
}

impl Read {
    /// Its part of the traffic if no thread is a neighbour.
    pub(super) fn alone(&self, machine: &Machine) -> f64 {
        if self.grouped { self.count / machine.width as f64 } else { self.count }
    }

    /// So many of them.
    pub(super) fn times(&self, n: f64) -> Read {
        Read { count: self.count * n, ..self.clone() }
    }
}

/// What an access of the work group's memory waits, where one of global memory waits 1.
pub(super) fn depth(machine: &Machine) -> f64 {
    machine.group_latency as f64 / machine.latency.max(1) as f64
}

/// The place of a store.
pub(super) fn place(of: &Term) -> Option<Place> {
    match (&of.head, &of.args.first()?.head) {
        (Head::Store, Head::Place(place)) => Some(*place),
        _ => None,
    }
}

/// The strides of an array in a place.
pub(super) fn strides_in(place: Place, sizes: &[u32]) -> Vec<i64> {
    let mut lengths = sizes.to_vec();
    if let (Place::Group { pad }, Some(row)) = (place, lengths.last_mut()) {
        *row = row.saturating_add(pad);
    }
    strides(&lengths)
}

/// Which part of a bank's time an access takes, if neighbours are one apart along an axis.
pub(super) fn conflicts(offset: Option<&Index>, lane: &Name, machine: &Machine) -> f64 {
    let Some(offset) = offset else { return 1.0 };
    let value = |at: i64| offset.value(&|name| Some(if name == lane { at } else { 0 }));
    let (Some(a), Some(b)) = (value(0), value(1)) else { return 1.0 };
    let (mut apart, mut width) = ((a - b).unsigned_abs(), machine.width);
    if apart == 0 {
        return 1.0 / width as f64;
    }
    // The words of a warp that fall into one bank: the greatest common divisor.
    while apart > 0 {
        (width, apart) = (apart, width % apart);
    }
    width as f64 / machine.width as f64
}

/// So many groups in the place of one.
pub(super) fn more(to: &mut Candidate, n: f64, around: Around<'_>) {
    // What no lane reads is read by each group for itself.
    to.own.traffic += alone(&std::mem::take(&mut to.reads), around.machine);
    to.fetches(around);
    to.own = to.own.wide(n);
    to.own.launches = 1.0;
    to.threads *= n;
    to.shared.values_mut().for_each(|cost| *cost = cost.wide(n));
}

/// The traffic of reads if no thread is a neighbour.
fn alone(reads: &[Read], machine: &Machine) -> f64 {
    reads.iter().map(|read| read.alone(machine)).sum()
}

/// A build of groups or lanes over a candidate. `None` if it cannot stand there.
pub(super) fn build(
    to: &mut Candidate,
    of: &Candidate,
    level: Level,
    axis: &Name,
    n: f64,
    around: Around<'_>,
) -> Option<()> {
    to.grouped = true;
    match (level, of.launched) {
        (Level::Lane, Launched::None | Launched::Lanes) => {
            // What the group stores is the same for all of them.
            if to.shared.keys().any(|store| free(store).contains(axis)) {
                return None;
            }
            if of.launched == Launched::None {
                to.close(axis, around);
            }
            to.own = to.own.wide(n);
            to.threads *= n;
            to.launched = Launched::Lanes;
        }
        (Level::Group, Launched::None | Launched::Lanes | Launched::Groups) => {
            more(to, n, around);
            to.launched = Launched::Groups;
        }
        _ => return None,
    }
    Some(())
}

/// The rounds of a loop: a group fills a store again in each, if it depends on the axis.
pub(super) fn repeat(to: &mut Candidate, axis: &Name, n: f64) {
    for (store, cost) in &mut to.shared {
        if free(store).contains(axis) {
            *cost = cost.times(n);
        }
    }
}

/// A store of a work group or an invocation. `None` if there is none of the tensor.
pub(super) fn store(to: &mut Candidate, args: &[&Candidate], around: Around<'_>) -> Option<()> {
    let machine = around.machine;
    let place = place(&to.term)?;
    let of = args[1];
    let axes: Vec<&Name> = args[2..].iter().filter_map(|axis| axis.term.as_axis()).collect();
    let sizes: Vec<u32> = axes.iter().map(|axis| around.scope.size(axis)).collect::<Option<_>>()?;
    to.grouped = true;
    if place == Place::Priv {
        to.own.work += of.writes;
        return (of.launched == Launched::None).then_some(());
    }
    if !matches!(of.launched, Launched::None | Launched::Lanes) {
        return None;
    }
    let mut offset = Some(Index::number(0));
    for (axis, stride) in axes.iter().zip(strides_in(place, &sizes)) {
        offset = offset.zip(of.axes.get(*axis)).and_then(|(sum, at)| sum.plus(at, stride));
    }
    let share = match &of.lane {
        Some(lane) => conflicts(offset.as_ref(), lane, machine),
        None => 1.0 / machine.width as f64,
    };
    // Padding counts for nothing: whether it pays off is known when the lanes are.
    let words = Place::Glob.words(&sizes) as f64;
    let mut cost = of.own;
    cost.traffic += alone(&of.reads, machine) + of.writes * share;
    cost.work += of.writes;
    cost.space += words;
    // A barrier follows.
    cost.depth += depth(machine)
        * match of.launched {
            Launched::Lanes => 2.0,
            _ => 1.0 + of.writes,
        };
    to.own = Estimate::default();
    to.reads.clear();
    to.shared.insert(to.term.clone(), cost);
    Some(())
}
