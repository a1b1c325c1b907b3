//! What a term costs before it is run.
//!
//! A cost is estimated from the term alone: loops multiply, a store is paid once however often
//! it is read, and what a warp reads is counted in lines, by how the offset grows from one thread to
//! the next. An array that the other side wrote is brought once. The estimate keeps candidates; who
//! searches prices their plans.

use super::groups::{self, Read};
use super::plan::strides;
use reference::axes::index::Index;
use reference::axes::syntax::{Head, Kind, Level, Name, Place, Term};
use reference::axes::types::{self, Scope};
use reference::cost::Machine;
use std::collections::BTreeMap;

/// What is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Operations and accesses of all threads.
    pub work: f64,
    /// Accesses of the longest thread of each launch, in each round of threads that run at once, one
    /// after the other.
    pub depth: f64,
    /// Lines that warps ask for.
    pub traffic: f64,
    /// Words that stores take.
    pub space: f64,
    /// Launches.
    pub launches: f64,
    /// Operations and accesses of the host.
    pub host: f64,
    /// Time for what is brought from one side to the other.
    pub moved: f64,
}

impl Estimate {
    pub(super) fn plus(self, other: Estimate) -> Estimate {
        Estimate {
            work: self.work + other.work,
            depth: self.depth + other.depth,
            traffic: self.traffic + other.traffic,
            space: self.space + other.space,
            launches: self.launches + other.launches,
            host: self.host + other.host,
            moved: self.moved + other.moved,
        }
    }

    /// So many rounds, one after the other.
    pub(super) fn times(self, n: f64) -> Estimate {
        Estimate {
            work: self.work * n,
            depth: self.depth * n,
            traffic: self.traffic * n,
            host: self.host * n,
            launches: self.launches * n,
            ..self
        }
    }

    /// So many at once.
    pub(super) fn wide(self, n: f64) -> Estimate {
        Estimate { work: self.work * n, traffic: self.traffic * n, ..self }
    }

    /// The time that the memory takes: each access of the longest thread waits, each line is served.
    pub fn time(self, machine: &Machine) -> f64 {
        self.depth * machine.latency as f64 + self.traffic + self.host + self.moved + self.launches
    }

    /// Is it nowhere worse?
    fn covers(self, other: Estimate) -> bool {
        let parts = |of: Estimate| {
            [of.work, of.depth, of.traffic, of.space, of.launches, of.host, of.moved]
        };
        parts(self).iter().zip(parts(other)).all(|(a, b)| *a <= b)
    }
}

/// Is there a launch in a tensor, and which builds around may join it?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Launched {
    None,
    /// Lanes, groups and grids.
    Lanes,
    /// Groups and grids.
    Groups,
    /// Grids.
    Open,
    Closed,
}

/// What is paid once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Once {
    Made,
    ToDevice,
    ToHost,
}

/// An array that somebody reads, where it is not known yet who.
#[derive(Clone, Copy, Debug)]
struct Source {
    words: f64,
    /// Was it written by a launch?
    on_device: bool,
}

/// A term and what it costs.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) term: Term,
    pub(super) launched: Launched,
    /// What loops around it multiply.
    pub(super) own: Estimate,
    once: BTreeMap<(Term, Once), Estimate>,
    /// What a work group pays once, and each of its groups.
    pub(super) shared: BTreeMap<Term, Estimate>,
    /// Is there something in it that only work groups run?
    has_groups: bool,
    /// The same, but not in arrays that other launches make.
    pub(super) grouped: bool,
    sources: BTreeMap<Term, Source>,
    /// Threads of an open launch.
    pub(super) threads: f64,
    /// The axis of neighbouring threads.
    pub(super) lane: Option<Name>,
    /// How the axes of the tensor are computed from those of its loops.
    pub(super) axes: BTreeMap<Name, Index>,
    /// Reads that no lane is known for yet.
    pub(super) reads: Vec<Read>,
    /// How often an element is written, summed over the elements.
    pub(super) writes: f64,
}

/// What candidates are made for.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) scope: &'a Scope,
    pub(super) machine: &'a Machine,
    /// Is an array paid for wherever it is read, as if nothing were shared?
    pub(super) as_tree: bool,
}

impl Candidate {
    fn leaf(term: Term) -> Candidate {
        Candidate {
            term,
            launched: Launched::None,
            own: Estimate::default(),
            once: BTreeMap::new(),
            shared: BTreeMap::new(),
            has_groups: false,
            grouped: false,
            sources: BTreeMap::new(),
            threads: 1.0,
            lane: None,
            axes: BTreeMap::new(),
            reads: Vec::new(),
            writes: 1.0,
        }
    }

    /// The same costs, said of another term.
    pub(super) fn called(self, term: Term) -> Candidate {
        Candidate { term, ..self }
    }

    /// All that it costs, as far as it is known.
    pub(super) fn total(&self, around: Around<'_>) -> Estimate {
        self.own(around).plus(self.shared()).plus(self.once())
    }

    /// What is paid once, however often it is evaluated.
    fn once(&self) -> Estimate {
        self.once.values().fold(Estimate::default(), |sum, once| sum.plus(*once))
    }

    /// What each work group pays.
    fn shared(&self) -> Estimate {
        self.shared.values().fold(Estimate::default(), |sum, store| sum.plus(*store))
    }

    /// Is it nowhere worse, however often it is evaluated?
    pub(super) fn covers(&self, other: &Candidate, around: Around<'_>) -> bool {
        self.own(around).covers(other.own(around))
            && self.shared().covers(other.shared())
            && self.once().covers(other.once())
    }

    /// What tells apart candidates of which each may be best in its place: whether an outer loop can
    /// join the launch, how many arrays are made first, and whether work groups do something together:
    /// an array of a group pays off where its lanes stand around it.
    pub(super) fn kind(&self) -> (Launched, usize, bool, bool) {
        let made = self.once.keys().filter(|(_, once)| *once == Once::Made);
        (
            self.launched,
            made.take(2).count(),
            self.has_groups || self.grouped,
            self.shared.is_empty(),
        )
    }

    /// What loops around it multiply.
    fn own(&self, around: Around<'_>) -> Estimate {
        let reads: f64 = self.reads.iter().map(|read| read.alone(around.machine)).sum();
        let rounds = self.rounds(around.machine);
        Estimate { traffic: self.own.traffic + reads, depth: self.own.depth * rounds, ..self.own }
    }

    /// How often the device is full with the threads of an open launch.
    fn rounds(&self, machine: &Machine) -> f64 {
        match self.launched {
            Launched::Lanes | Launched::Groups | Launched::Open => {
                (self.threads / machine.threads as f64).ceil().max(1.0)
            }
            Launched::None | Launched::Closed => 1.0,
        }
    }

    /// A loop over threads around what one of them does, or around a launch.
    fn launch(&mut self, of: &Candidate, axis: &Name, n: f64, around: Around<'_>) {
        if of.launched == Launched::None {
            self.close(axis, around);
            self.own.launches += 1.0;
        }
        self.own = self.own.wide(n);
        self.threads = of.threads * n;
        self.launched = Launched::Open;
    }

    /// Counts its reads, now that it is known which threads are neighbours.
    pub(super) fn close(&mut self, lane: &Name, around: Around<'_>) {
        for read in std::mem::take(&mut self.reads) {
            let offset = read.offset.as_ref();
            self.own.traffic += read.count
                * match read.grouped {
                    true => groups::conflicts(offset, lane, around.machine),
                    false => lines(offset, lane, around.machine),
                };
        }
        self.fetches(around);
        self.lane = Some(lane.clone());
    }

    /// Brings what it reads to the device.
    pub(super) fn fetches(&mut self, around: Around<'_>) {
        for (array, source) in std::mem::take(&mut self.sources) {
            if !source.on_device {
                self.brings(array, Once::ToDevice, source.words, around);
            }
        }
    }

    /// Pays for a transfer.
    fn brings(&mut self, array: Term, way: Once, words: f64, around: Around<'_>) {
        let by =
            if way == Once::ToDevice { around.machine.to_device } else { around.machine.to_host };
        let moved = by.base as f64 + words / by.words_per_unit;
        self.once.insert((array, way), Estimate { moved, ..Estimate::default() });
    }

    /// A loop around a candidate, by one thread or by the host.
    fn repeat(&mut self, of: &Candidate, axis: &Name, n: f64, around: Around<'_>) {
        groups::repeat(self, axis, n);
        self.reads.iter_mut().for_each(|read| read.count *= n);
        if of.launched == Launched::Lanes {
            self.launched = Launched::Lanes;
        } else if of.launched != Launched::None {
            self.own.depth *= of.rounds(around.machine);
            self.launched = Launched::Closed;
        }
        self.own = self.own.times(n);
    }

    /// What it costs to have it in memory, in this layout, and what is paid once for it.
    fn written(mut self, layout: &[&Candidate], around: Around<'_>) -> Option<Candidate> {
        let axes: Vec<&Name> = layout.iter().filter_map(|axis| axis.term.as_axis()).collect();
        let sizes: Vec<u32> =
            axes.iter().map(|axis| around.scope.size(axis)).collect::<Option<_>>()?;
        let mut offset = Some(Index::number(0));
        for (axis, stride) in axes.iter().zip(strides(&sizes)) {
            offset = offset.zip(self.axes.get(*axis)).and_then(|(sum, at)| sum.plus(at, stride));
        }
        self.own.work += self.writes;
        match self.launched {
            Launched::None | Launched::Lanes if self.grouped => {
                // One group.
                groups::more(&mut self, 1.0, around);
                self.launched = Launched::Open;
            }
            Launched::Groups => self.launched = Launched::Open,
            _ => {}
        }
        self.own = self.own.plus(self.shared());
        self.shared.clear();
        match self.launched {
            Launched::Open => {
                let share = match &self.lane {
                    Some(lane) => lines(offset.as_ref(), lane, around.machine),
                    None => 1.0,
                };
                self.own.traffic += self.writes * share;
                self.own.depth += self.writes / self.threads.max(1.0);
                self.own.depth *= self.rounds(around.machine);
                self.launched = Launched::Closed;
            }
            Launched::None => {
                self.own.host += self.own.work;
                self.own.depth = 0.0;
            }
            // The host only launches.
            Launched::Closed | Launched::Lanes | Launched::Groups => {}
        }
        for (array, source) in std::mem::take(&mut self.sources) {
            if source.on_device {
                self.brings(array, Once::ToHost, source.words, around);
            }
        }
        self.reads.clear();
        self.has_groups |= self.grouped;
        self.grouped = false;
        Some(self)
    }
}

/// How many lines a thread's share of an access is.
fn lines(offset: Option<&Index>, lane: &Name, machine: &Machine) -> f64 {
    let Some(offset) = offset else { return 1.0 };
    let width = machine.width as f64;
    let value = |at: i64| offset.value(&|name| Some(if name == lane { at } else { 0 }));
    match (value(0), value(1)) {
        (Some(a), Some(b)) if a == b => 1.0 / width,
        (Some(a), Some(b)) => ((a - b).abs() as f64 / width).clamp(1.0 / width, 1.0),
        _ => 1.0,
    }
}

/// A term from its leaves on. `None` if a plan cannot say it.
pub(super) fn of_term(term: &Term, around: Around<'_>) -> Option<Candidate> {
    let args: Vec<Candidate> =
        term.args.iter().map(|arg| of_term(arg, around)).collect::<Option<_>>()?;
    over(&term.head, &args.iter().collect::<Vec<_>>(), around)
}

/// Adds what is paid once, or as often as it is there.
fn pay<T: Clone + Ord>(
    to: &mut BTreeMap<T, Estimate>,
    costs: &BTreeMap<T, Estimate>,
    as_tree: bool,
) {
    for (what, cost) in costs {
        match to.get_mut(what).filter(|_| as_tree) {
            Some(before) => *before = before.plus(*cost),
            None => {
                to.insert(what.clone(), *cost);
            }
        }
    }
}

/// A node over candidates for its arguments. `None` if a plan cannot say it.
pub(super) fn over(head: &Head, args: &[&Candidate], around: Around<'_>) -> Option<Candidate> {
    let scope = around.scope;
    let term = Term::new(head.clone(), args.iter().map(|arg| arg.term.clone()).collect::<Vec<_>>());
    let mut to = Candidate::leaf(term);
    for arg in args {
        to.own = to.own.plus(arg.own);
        pay(&mut to.once, &arg.once, around.as_tree);
        pay(&mut to.shared, &arg.shared, around.as_tree);
        to.has_groups |= arg.has_groups;
        to.grouped |= arg.grouped;
        to.sources.extend(arg.sources.iter().map(|(array, source)| (array.clone(), *source)));
        to.reads.extend(arg.reads.iter().cloned());
    }
    match head {
        Head::Apply | Head::If => {
            to.own.work += 1.0;
            if *head == Head::If && !args[1].axes.is_empty() {
                to.axes.clone_from(&args[1].axes);
                to.writes = args[1].writes.max(args[2].writes);
                let rounds = args.iter().map(|arg| arg.rounds(around.machine));
                to.own.depth *= rounds.fold(1.0, f64::max);
                to.launched = match (args[1].launched, args[2].launched) {
                    (Launched::None, Launched::None) => Launched::None,
                    _ => Launched::Closed,
                };
            }
        }
        Head::Get => {
            let sizes = sizes(&args[0].term, scope)?;
            let place = groups::place(&args[0].term).unwrap_or(Place::Glob);
            let mut offset = Some(Index::number(0));
            for (at, stride) in args[1..].iter().zip(groups::strides_in(place, &sizes)) {
                offset = offset.zip(at.term.as_index()).and_then(|(sum, at)| sum.plus(&at, stride));
            }
            to.own.work += 1.0;
            let grouped = place != Place::Glob;
            match place {
                Place::Priv => {}
                Place::Group { .. } => {
                    to.own.depth += groups::depth(around.machine);
                    to.reads.push(Read { count: 1.0, offset, grouped });
                }
                Place::Glob => {
                    to.own.depth += 1.0;
                    to.reads.push(Read { count: 1.0, offset, grouped });
                    let words = sizes.iter().map(|size| f64::from(*size)).product();
                    let on_device = args[0].launched != Launched::None;
                    to.sources.insert(args[0].term.clone(), Source { words, on_device });
                }
            }
        }
        Head::Build => {
            let (axis, n) = to.term.binds().map(|(axis, n)| (axis.clone(), f64::from(n)))?;
            let of = args[3];
            to.axes.clone_from(&of.axes);
            to.axes.insert(axis.clone(), Index::axis(&axis));
            to.writes = of.writes * n;
            to.lane.clone_from(&of.lane);
            to.threads = of.threads;
            let Head::Level(level) = args[0].term.head else { return None };
            match (level, of.launched) {
                (Level::Grid, Launched::Closed) => return None,
                (Level::Grid, _) if of.grouped => {
                    groups::more(&mut to, n, around);
                    to.launched = Launched::Open;
                }
                (Level::Grid, _) => to.launch(of, &axis, n, around),
                (Level::Group | Level::Lane, _) => {
                    groups::build(&mut to, of, level, &axis, n, around)?;
                }
                (Level::Seq | Level::Vec, Launched::Lanes | Launched::Groups) => return None,
                (Level::Seq | Level::Vec, Launched::Open) if of.grouped => return None,
                (Level::Seq | Level::Vec, _) => to.repeat(of, &axis, n, around),
            }
        }
        Head::Red => {
            let (axis, n) = to.term.binds().map(|(axis, n)| (axis.clone(), f64::from(n)))?;
            let of = args[3];
            if of.grouped && of.launched == Launched::Open || of.launched == Launched::Groups {
                return None;
            }
            to.axes.clone_from(&of.axes);
            to.lane.clone_from(&of.lane);
            to.threads = of.threads;
            to.own.work += 1.0;
            // Accumulators of a tensor are in memory: each round reads them and writes them.
            to.writes = if of.axes.is_empty() { 1.0 } else { 2.0 * n * of.writes };
            to.repeat(of, &axis, n, around);
        }
        Head::Seq => {
            let (axis, n) = to.term.binds().map(|(axis, n)| (axis.clone(), f64::from(n)))?;
            groups::repeat(&mut to, &axis, n);
            to.own = args[3].own.plus(args[4].own.times(n));
            to.reads.clone_from(&args[3].reads);
            to.reads.extend(args[4].reads.iter().map(|read| read.times(n)));
        }
        Head::Merge => {
            let of = args[3];
            let name = |nth: usize| args[nth].term.as_axis();
            to.axes.clone_from(&of.axes);
            let (outer, inner) = (to.axes.remove(name(1)?)?, to.axes.remove(name(2)?)?);
            let both = inner.plus(&outer, i64::from(scope.size(name(2)?)?))?;
            to.axes.insert(name(0)?.clone(), both);
            to.writes = of.writes;
            to.lane.clone_from(&of.lane);
            to.threads = of.threads;
            to.launched = of.launched;
        }
        Head::Keep => {
            let of = args[0];
            let term = to.term;
            to = Candidate { term, ..of.clone() };
        }
        Head::Store if groups::place(&to.term) != Some(Place::Glob) => {
            groups::store(&mut to, args, around)?;
        }
        Head::Store => {
            let closed = |name: &Name| scope.params.contains_key(name);
            if !types::free(&to.term).iter().all(closed) {
                return None;
            }
            let term = to.term;
            let mut of = args[1].clone().written(&args[2..], around)?;
            of.own.space += args[2..].iter().try_fold(1.0, |words, axis| {
                Some(words * f64::from(scope.size(axis.term.as_axis()?)?))
            })?;
            let launched = of.launched;
            to = Candidate::leaf(term.clone());
            to.has_groups = of.has_groups;
            to.once = of.once;
            to.once.insert((term, Once::Made), of.own);
            // Who reads it asks whether a launch wrote it.
            to.launched = launched;
        }
        Head::Out => {
            let term = to.term;
            let of = args[0].clone().written(&args[1..], around)?;
            to = Candidate { term, launched: Launched::None, ..of };
        }
        _ => {}
    }
    if *head == Head::Get {
        to.launched = Launched::None;
    }
    Some(to)
}

/// The sizes of an array.
fn sizes(array: &Term, scope: &Scope) -> Option<Vec<u32>> {
    match &array.head {
        Head::Array(name) => match scope.params.get(name)? {
            Kind::Array(sizes) => Some(sizes.clone()),
            Kind::Int(_) => None,
        },
        Head::Store => array.args[2..].iter().map(|axis| scope.size(axis.as_axis()?)).collect(),
        _ => None,
    }
}
