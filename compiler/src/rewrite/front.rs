//! What a term costs before it is run, and the best terms of each class.
//!
//! A cost is estimated from the term alone: loops multiply, a store is paid once however often
//! it is read, and what a warp reads is counted in lines, by how the offset grows from one thread to
//! the next. The estimate keeps candidates; who searches prices their plans.

use super::node::Graph;
use super::plan::strides;
use super::search::Searched;
use egg::Id;
use reference::axes::index::Index;
use reference::axes::syntax::{Head, Kind, Level, Name, Term};
use reference::axes::types::{self, Scope};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Operations and accesses of all threads.
    pub work: f64,
    /// Accesses that come one after the other.
    pub depth: f64,
    /// Lines that warps ask for.
    pub traffic: f64,
    /// Words that stores take.
    pub space: f64,
    /// Launches.
    pub launches: f64,
}

impl Estimate {
    fn plus(self, other: Estimate) -> Estimate {
        Estimate {
            work: self.work + other.work,
            depth: self.depth + other.depth,
            traffic: self.traffic + other.traffic,
            space: self.space + other.space,
            launches: self.launches + other.launches,
        }
    }

    fn times(self, n: f64, depth: f64) -> Estimate {
        Estimate {
            work: self.work * n,
            depth: self.depth * depth,
            traffic: self.traffic * n,
            space: self.space,
            launches: self.launches,
        }
    }

    /// The time that the memory takes: each access of the longest thread waits, each line is served.
    pub fn time(self) -> f64 {
        LATENCY * (self.depth + LAUNCH * self.launches) + self.traffic
    }

    fn parts(self) -> [f64; 5] {
        [self.work, self.depth, self.traffic, self.space, self.launches]
    }

    /// Is it nowhere worse?
    fn covers(self, other: Estimate) -> bool {
        self.parts().iter().zip(other.parts()).all(|(a, b)| *a <= b)
    }
}

/// What an access waits.
const LATENCY: f64 = 400.0;
/// What a launch waits, in accesses.
const LAUNCH: f64 = 4.0;
/// Threads of a warp, and words of a line.
const WARP: f64 = 32.0;

/// Is there a launch in a tensor, and may an outer `grid` join it?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Launched {
    None,
    Open,
    Closed,
}

/// A term and what it costs.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) term: Term,
    /// What loops around it multiply.
    own: Estimate,
    /// What is paid once.
    stores: BTreeMap<Term, Estimate>,
    launched: Launched,
    /// The axis of neighbouring threads.
    lane: Option<Name>,
    /// How the axes of the tensor are computed from those of its loops.
    axes: BTreeMap<Name, Index>,
    /// Reads that no lane is known for yet: how many, and the offset.
    reads: Vec<(f64, Option<Index>)>,
    /// How often an element is written.
    writes: f64,
}

impl Candidate {
    fn leaf(term: Term) -> Candidate {
        Candidate {
            term,
            own: Estimate::default(),
            stores: BTreeMap::new(),
            launched: Launched::None,
            lane: None,
            axes: BTreeMap::new(),
            reads: Vec::new(),
            writes: 1.0,
        }
    }

    /// All that it costs, as far as it is known.
    pub(super) fn total(&self) -> Estimate {
        let reads: f64 = self.reads.iter().map(|(count, _)| count).sum();
        let own = Estimate { traffic: self.own.traffic + reads, ..self.own };
        self.stores.values().fold(own, |sum, store| sum.plus(*store))
    }

    /// Counts its reads, now that it is known which threads are neighbours.
    fn close(&mut self, lane: &Name, scope: &Scope) {
        for (count, offset) in std::mem::take(&mut self.reads) {
            self.own.traffic += count * lines(offset.as_ref(), lane, scope);
        }
        self.lane = Some(lane.clone());
    }
}

/// How many lines a thread's share of an access is.
fn lines(offset: Option<&Index>, lane: &Name, _: &Scope) -> f64 {
    let Some(offset) = offset else { return 1.0 };
    let value = |at: i64| offset.value(&|name| Some(if name == lane { at } else { 0 }));
    match (value(0), value(1)) {
        (Some(a), Some(b)) if a == b => 1.0 / WARP,
        (Some(a), Some(b)) => ((a - b).abs() as f64 / WARP).clamp(1.0 / WARP, 1.0),
        _ => 1.0,
    }
}

/// A node over candidates for its arguments. `None` if a plan cannot say it.
fn over(head: &Head, args: &[&Candidate], scope: &Scope) -> Option<Candidate> {
    let term = Term::new(head.clone(), args.iter().map(|arg| arg.term.clone()).collect::<Vec<_>>());
    let mut to = Candidate::leaf(term);
    for arg in args {
        to.own = to.own.plus(arg.own);
        to.stores.extend(arg.stores.iter().map(|(term, cost)| (term.clone(), *cost)));
        to.reads.extend(arg.reads.iter().cloned());
    }
    match head {
        Head::Apply | Head::If => {
            to.own.work += 1.0;
            if *head == Head::If && !args[1].axes.is_empty() {
                to.axes.clone_from(&args[1].axes);
                to.writes = args[1].writes.max(args[2].writes);
                to.launched = match (args[1].launched, args[2].launched) {
                    (Launched::None, Launched::None) => Launched::None,
                    _ => Launched::Closed,
                };
            }
        }
        Head::Get => {
            let sizes = sizes(&args[0].term, scope)?;
            let mut offset = Some(Index::number(0));
            for (at, stride) in args[1..].iter().zip(strides(&sizes)) {
                offset = offset.zip(at.term.as_index()).and_then(|(sum, at)| sum.plus(&at, stride));
            }
            to.own.work += 1.0;
            to.own.depth += 1.0;
            to.reads.push((1.0, offset));
        }
        Head::Build => {
            let (axis, n) = to.term.binds().map(|(axis, n)| (axis.clone(), f64::from(n)))?;
            let of = args[3];
            to.axes.clone_from(&of.axes);
            to.axes.insert(axis.clone(), Index::axis(&axis));
            to.writes = of.writes * n;
            to.lane.clone_from(&of.lane);
            let Head::Level(level) = args[0].term.head else { return None };
            match (level, of.launched) {
                (Level::Grid, Launched::None) => {
                    to.close(&axis, scope);
                    to.own = to.own.times(n, 1.0);
                    to.own.launches += 1.0;
                    to.launched = Launched::Open;
                }
                (Level::Grid, Launched::Open) => {
                    to.own = to.own.times(n, 1.0);
                    to.launched = Launched::Open;
                }
                (Level::Grid, Launched::Closed) => return None,
                (Level::Seq, _) => repeat(&mut to, of, n),
            }
        }
        Head::Red => {
            let (_, n) = to.term.binds()?;
            let n = f64::from(n);
            let of = args[3];
            to.axes.clone_from(&of.axes);
            to.lane.clone_from(&of.lane);
            to.own.work += 1.0;
            // Accumulators of a tensor are in memory: each round reads them and writes them.
            to.writes = if of.axes.is_empty() { 1.0 } else { 2.0 * n * of.writes };
            repeat(&mut to, of, n);
        }
        Head::Seq => {
            let (_, n) = to.term.binds()?;
            let n = f64::from(n);
            to.own = args[3].own.plus(args[4].own.times(n, n));
            to.reads.clone_from(&args[3].reads);
            to.reads.extend(args[4].reads.iter().map(|(count, at)| (count * n, at.clone())));
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
            to.launched = of.launched;
        }
        Head::Keep => {
            let of = args[0];
            let term = to.term;
            to = Candidate { term, ..of.clone() };
        }
        Head::Store => {
            let closed = |name: &Name| scope.params.contains_key(name);
            if !types::free(&to.term).iter().all(closed) {
                return None;
            }
            let cost = written(args[1], &args[2..], scope)?;
            to.own = Estimate::default();
            to.reads.clear();
            to.stores.insert(to.term.clone(), cost);
        }
        Head::Out => {
            to.own = written(args[0], &args[1..], scope)?;
            // Results take space as the program itself asks for it.
            to.own.space = 0.0;
            to.reads.clear();
        }
        _ => {}
    }
    Some(to)
}

/// A loop around a candidate, by one thread or by the host.
fn repeat(to: &mut Candidate, of: &Candidate, n: f64) {
    to.own = to.own.times(n, n);
    to.reads.iter_mut().for_each(|(count, _)| *count *= n);
    if of.launched != Launched::None {
        to.own.launches *= n;
        to.launched = Launched::Closed;
    }
}

/// What it costs to have a tensor in memory, in this layout.
fn written(of: &Candidate, layout: &[&Candidate], scope: &Scope) -> Option<Estimate> {
    let axes: Vec<&Name> = layout.iter().filter_map(|axis| axis.term.as_axis()).collect();
    let sizes: Vec<u32> = axes.iter().map(|axis| scope.size(axis)).collect::<Option<_>>()?;
    let mut offset = Some(Index::number(0));
    for (axis, stride) in axes.iter().zip(strides(&sizes)) {
        offset = offset.zip(of.axes.get(*axis)).and_then(|(sum, at)| sum.plus(at, stride));
    }
    let mut cost = of.own;
    let share = match &of.lane {
        Some(lane) => lines(offset.as_ref(), lane, scope),
        // The host writes, and whatever it writes goes to the device again.
        None => 1.0,
    };
    cost.traffic += of.reads.iter().map(|(count, _)| count).sum::<f64>();
    cost.traffic += of.writes * share;
    cost.work += of.writes;
    let words: f64 = sizes.iter().map(|size| f64::from(*size)).product();
    cost.depth +=
        if of.launched == Launched::None { of.writes } else { of.writes / words.max(1.0) };
    cost.space += words;
    Some(cost)
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

/// The best terms of each class.
pub(super) struct Fronts {
    of: FxHashMap<Id, Vec<Candidate>>,
}

/// How often all classes are gone through. A cheapest term never contains its own class, so as many
/// rounds as the e-graph is deep are enough.
const ROUNDS: usize = 64;

impl Fronts {
    /// The fronts of an e-graph, with at most `keep` terms a class of each kind of launch.
    pub(super) fn new(searched: &Searched, keep: usize) -> Fronts {
        let graph = &searched.graph;
        let scope = searched.scope();
        let mut ids: Vec<Id> = graph.classes().map(|class| class.id).collect();
        ids.sort_unstable();
        let mut fronts = Fronts { of: FxHashMap::default() };
        let mut changed: FxHashMap<Id, usize> = FxHashMap::default();
        for round in 1..=ROUNDS {
            let mut any = false;
            for id in &ids {
                let mut front = fronts.of.get(id).cloned().unwrap_or_default();
                let mut better = false;
                for node in &graph[*id].nodes {
                    let args: Vec<Id> = node.args.iter().map(|arg| graph.find(*arg)).collect();
                    let recent = |arg: &Id| changed.get(arg).is_some_and(|at| *at + 1 >= round);
                    if round > 1 && !args.iter().any(recent) || args.contains(id) {
                        continue;
                    }
                    for made in fronts.nodes(&node.head, &args, scope) {
                        better |= enter(&mut front, made, keep);
                    }
                }
                if better {
                    any = true;
                    changed.insert(*id, round);
                    fronts.of.insert(*id, front);
                }
            }
            if !any {
                break;
            }
        }
        fronts
    }

    /// A node over each choice for its arguments.
    fn nodes(&self, head: &Head, args: &[Id], scope: &Scope) -> Vec<Candidate> {
        let empty = Vec::new();
        let choices: Vec<&Vec<Candidate>> =
            args.iter().map(|arg| self.of.get(arg).unwrap_or(&empty)).collect();
        let mut made = Vec::new();
        let mut at = vec![0; args.len()];
        if choices.iter().any(|of| of.is_empty()) {
            return made;
        }
        loop {
            let chosen: Vec<&Candidate> =
                choices.iter().zip(&at).map(|(of, nth)| &of[*nth]).collect();
            made.extend(over(head, &chosen, scope));
            let Some(next) = (0..at.len()).find(|nth| at[*nth] + 1 < choices[*nth].len()) else {
                return made;
            };
            at[next] += 1;
            at[..next].fill(0);
        }
    }

    /// The best terms of a class, the cheapest first.
    pub(super) fn best(&self, graph: &Graph, class: Id) -> &[Candidate] {
        self.of.get(&graph.find(class)).map_or(&[], Vec::as_slice)
    }
}

/// Takes a candidate into a front, if it is not worse than one that is there. Did it?
fn enter(front: &mut Vec<Candidate>, new: Candidate, keep: usize) -> bool {
    let cost = new.total();
    let same = |old: &Candidate| old.launched == new.launched;
    for old in front.iter().filter(|old| same(old)) {
        let there = old.total();
        if old.term == new.term || there.covers(cost) && there != cost {
            return false;
        }
    }
    let ties = front.iter().filter(|old| same(old) && old.total() == cost).count();
    if ties >= TIES {
        return false;
    }
    front.retain(|old| {
        let there = old.total();
        old.launched != new.launched || !cost.covers(there) || there == cost
    });
    let launched = new.launched;
    front.push(new);
    front.sort_by(|a, b| {
        let (a, b) = ((a.total().time(), &a.term), (b.total().time(), &b.term));
        a.0.total_cmp(&b.0).then_with(|| a.1.cmp(b.1))
    });
    let kind: Vec<usize> =
        (0..front.len()).filter(|nth| front[*nth].launched == launched).collect();
    let Some(last) = kind.get(keep) else { return true };
    front.remove(*last);
    true
}

/// How many terms of the very same cost a class keeps: what is around them may tell them apart.
const TIES: usize = 4;
