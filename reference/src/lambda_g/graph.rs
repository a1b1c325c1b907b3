//! The cost graph of a run while it grows (figs. 4 to 6): what the rules compose, they write from left to right.
//!
//! The empty graph is the unit of `⊕` (L7). Where it stands behind an edge, the edge leads to what follows (L66). So
//! there is a *link*: how the next vertex is to be joined to what was written.

use super::trace::{Access, Trace};
use super::values::{HEAP, SPARE, grow};
use crate::cost::graph::Graph;

/// How the next vertex is joined to the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    /// They are one.
    Fused,
    /// By an edge of weight 1, if there is a next one.
    Unit,
    /// By an edge of this weight, which is there also if nothing follows: an access of memory.
    Memory(u64),
}

/// A part of a graph that is in series with the others.
#[derive(Clone, Debug)]
enum Part {
    /// So many edges of this weight, each to a new vertex.
    Edges { count: u64, weight: u64 },
    /// An edge of this weight to a vertex at which the number of live words changes, or to the fork of parallel graphs;
    /// without an edge this is the first part.
    Marked { weight: Option<u64>, words: Words, branches: Option<Vec<Graph>> },
}

/// By how much the number of live words changes in the step of a vertex, and behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Words {
    now: i64,
    behind: i64,
}

/// `δ`, and of an access of the device which one it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delta {
    pub(super) weight: u64,
    pub(super) access: Option<Access>,
}

impl From<u64> for Delta {
    fn from(weight: u64) -> Self {
        Delta { weight, access: None }
    }
}

/// What is wanted of a run beside its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Nothing.
    Nothing,
    /// The graph, for the time that it takes.
    Time,
    /// The graph with the words that are live at each vertex: larger by one part for each value.
    Space,
    /// How many bytes that graph would take, which is not made.
    Size,
}

/// A graph of which the last vertex is known.
#[derive(Debug)]
struct Series {
    parts: Vec<Part>,
    link: Link,
    /// How many vertices were asked for. None were, if the graph is empty.
    written: u64,
    /// Of a graph that is only measured: how many parts were let go.
    gone: Option<u64>,
}

/// Most parts that are held of a graph that is only measured.
const HELD: usize = 64;

impl Series {
    fn new(wanted: Wanted) -> Self {
        let gone = (wanted == Wanted::Size).then_some(0);
        Self { parts: Vec::new(), link: Link::Fused, written: 0, gone }
    }

    fn push(&mut self, part: Part) {
        grow(&mut self.parts);
        self.parts.push(part);
        if let Some(gone) = &mut self.gone
            && self.parts.len() > HELD
        {
            *gone += self.parts.drain(..HELD / 2).count() as u64;
        }
    }

    fn edge(&mut self, weight: u64) {
        match self.parts.last_mut() {
            Some(Part::Edges { count, weight: same }) if *same == weight => *count += 1,
            _ => self.push(Part::Edges { count: 1, weight }),
        }
    }

    /// The edge to what comes next, whether that is there or not.
    fn settle(&mut self) {
        if let Link::Memory(weight) = std::mem::replace(&mut self.link, Link::Fused) {
            self.edge(weight);
        }
    }

    /// `[u]`: is there an edge of weight 1 to it, which is no access?
    fn vertex(&mut self) -> bool {
        let unit = self.is_unit();
        let link = std::mem::replace(&mut self.link, Link::Fused);
        if self.written > 0 {
            match link {
                Link::Fused => {}
                Link::Unit => self.edge(1),
                Link::Memory(weight) => self.edge(weight),
            }
        }
        self.written += 1;
        unit
    }

    /// Is the next vertex at an edge of weight 1 that is no access?
    fn is_unit(&self) -> bool {
        self.written > 0 && self.link == Link::Unit
    }

    /// Roughly what it takes, in bytes, while its graph is made too.
    fn bytes(&self) -> u64 {
        let part = size_of::<Part>() + size_of::<Part>() / SPARE;
        self.parts() * part as u64 + self.graph_bytes()
    }

    /// Roughly what its graph takes, where each part may change the words.
    fn graph_bytes(&self) -> u64 {
        let part = size_of::<(u64, Graph)>() + size_of::<Graph>() + HEAP / 2;
        self.parts() * part as u64 + HEAP as u64
    }

    fn parts(&self) -> u64 {
        self.gone.unwrap_or(0) + self.parts.len() as u64 + 1
    }

    /// Takes the last vertex back: the weight of the edge to it, if there is one, and what is said of it.
    fn unwritten(&mut self) -> (Option<u64>, Words) {
        match self.parts.pop() {
            None => (None, Words::default()),
            Some(Part::Edges { count, weight }) => {
                if count > 1 {
                    self.parts.push(Part::Edges { count: count - 1, weight });
                }
                (Some(weight), Words::default())
            }
            Some(Part::Marked { weight, words, branches: None }) => (weight, words),
            Some(Part::Marked { .. }) => unreachable!("an edge follows each join"),
        }
    }

    /// At the last vertex the number of live words changes.
    fn mark(&mut self, now: i64, behind: i64) {
        let (weight, mut words) = self.unwritten();
        words.now += now;
        words.behind += behind;
        self.push(Part::Marked { weight, words, branches: None });
    }

    /// `⨂ᵢ cᵢ`
    fn parallel(&mut self, branches: Vec<Graph>) {
        let link = std::mem::replace(&mut self.link, Link::Fused);
        let (weight, words) = match link {
            _ if self.written == 0 => (None, Words::default()),
            Link::Unit => (Some(1), Words::default()),
            Link::Memory(weight) => (Some(weight), Words::default()),
            // The last vertex is the fork.
            Link::Fused => self.unwritten(),
        };
        self.push(Part::Marked { weight, words, branches: Some(branches) });
        self.written += 1;
    }

    fn graph(mut self) -> Graph {
        self.settle();
        let mut serial: Vec<(u64, Graph)> = Vec::with_capacity(self.parts.len() + 1);
        for part in self.parts {
            match part {
                Part::Edges { count, weight } if serial.is_empty() => {
                    serial.push((0, Graph::Chain { edges: count, weight }));
                }
                Part::Edges { count, weight } => {
                    serial.push((weight, Graph::Chain { edges: count - 1, weight }));
                }
                Part::Marked { weight, words, branches } => {
                    if weight.is_some() && serial.is_empty() {
                        serial.push((0, Graph::VERTEX));
                    }
                    let graph = branches.map_or(Graph::VERTEX, Graph::Parallel);
                    let graph = match words {
                        Words { now: 0, behind: 0 } => graph,
                        Words { now, behind } => Graph::Words { now, behind, of: Box::new(graph) },
                    };
                    serial.push((weight.unwrap_or(0), graph));
                }
            }
        }
        match serial.len() {
            0 => Graph::VERTEX,
            1 => serial.remove(0).1,
            _ => {
                serial.shrink_to_fit();
                Graph::Serial(serial)
            }
        }
    }
}

/// How much was written: tells whether the graph of a part is empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(u64);

/// What writes the graph of a run.
pub(super) struct Writer {
    series: Series,
    wanted: Wanted,
    /// Bytes of graphs of branches, and the most bytes of a graph that is only measured.
    joined: u64,
    most: u64,
    /// What the device does, in `umm` and `cal`.
    trace: Option<Trace>,
}

impl Writer {
    /// Nothing written. A writer of which no graph is wanted keeps nothing.
    pub(super) fn new(wanted: Wanted) -> Self {
        Self { series: Series::new(wanted), wanted, joined: 0, most: 0, trace: None }
    }

    /// Is a graph wanted?
    fn is_wanted(&self) -> bool {
        self.wanted != Wanted::Nothing
    }

    /// Roughly what the graph takes so far, in bytes, but for what is around the branch that is written.
    pub(super) fn bytes(&self) -> u64 {
        if matches!(self.wanted, Wanted::Nothing | Wanted::Size) {
            return 0;
        }
        let traced = self.trace.as_ref().map_or(0, Trace::bytes);
        self.joined + self.series.bytes() + traced
    }

    /// The number of live words changes in the step of the last vertex, and once more behind it.
    pub(super) fn words(&mut self, now: i64, behind: i64) {
        if matches!(self.wanted, Wanted::Space | Wanted::Size) {
            self.series.mark(now, behind);
        }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark(self.series.written)
    }

    /// Was nothing written since?
    pub(super) fn is_empty(&self, mark: Mark) -> bool {
        self.series.written == mark.0
    }

    /// `[u]`
    pub(super) fn vertex(&mut self) {
        if self.is_wanted() && self.series.vertex() {
            self.traced(|trace| trace.executes(1));
        }
    }

    /// `c ⊕ …`, where `c` was written since.
    pub(super) fn then(&mut self, mark: Mark) {
        if self.is_wanted() && !self.is_empty(mark) {
            self.series.settle();
            self.series.link = Link::Unit;
        }
    }

    /// `c` and what follows, fused, where `c` was written since (L66).
    pub(super) fn fuse(&mut self, mark: Mark) {
        if self.is_wanted() && !self.is_empty(mark) && self.series.link == Link::Unit {
            self.series.link = Link::Fused;
        }
    }

    /// `c ⊕_δ …`, where `c` was written since: an access of memory, of which the edge is there also if nothing follows.
    pub(super) fn access(&mut self, mark: Mark, Delta { weight, access }: Delta) {
        if !self.is_wanted() {
            return;
        }
        if self.is_empty(mark) {
            self.vertex();
        }
        self.series.settle();
        self.series.link = Link::Memory(weight);
        if let Some(access) = access {
            self.traced(|trace| trace.access(access));
        }
    }

    /// `c ⊕_δ [u]`, where `c` was written since.
    pub(super) fn edge(&mut self, mark: Mark, delta: Delta) {
        self.access(mark, delta);
        self.vertex();
    }

    /// What the device does is traced from here on.
    pub(super) fn traces(&mut self, trace: Trace) {
        self.trace = matches!(self.wanted, Wanted::Time | Wanted::Space).then_some(trace);
    }

    /// What the device did, if it was traced.
    pub(super) fn take_trace(&mut self) -> Option<Trace> {
        self.trace.take()
    }

    /// Is it traced?
    pub(super) fn is_traced(&self) -> bool {
        self.trace.is_some()
    }

    /// Tells the trace, if there is one.
    pub(super) fn traced(&mut self, tell: impl FnOnce(&mut Trace)) {
        if let Some(trace) = &mut self.trace {
            tell(trace);
        }
    }

    /// Branches of the device follow: the edge to their fork belongs to what is before them.
    pub(super) fn fork(&mut self) {
        if self.series.is_unit() {
            self.traced(|trace| trace.executes(1));
        }
    }

    /// Begins a branch; what was written before is given back at its end.
    pub(super) fn branch(&mut self) -> Outer {
        Outer(std::mem::replace(&mut self.series, Series::new(self.wanted)))
    }

    /// Ends a branch: its graph, if it is wanted.
    pub(super) fn join(&mut self, outer: Outer) -> Option<Graph> {
        let series = std::mem::replace(&mut self.series, outer.0);
        self.joined += series.graph_bytes();
        self.most = self.most.max(self.joined);
        matches!(self.wanted, Wanted::Time | Wanted::Space).then(|| series.graph())
    }

    /// Bytes of the graphs of branches.
    pub(super) fn joined(&self) -> u64 {
        self.joined
    }

    /// What was joined since the graphs of branches took so many bytes is dropped: the device box of an `on` is one edge.
    pub(super) fn drops_to(&mut self, joined: u64) {
        self.joined = joined;
    }

    /// The most bytes of a graph that is only measured, or those of one that is made.
    pub(super) fn size(&self) -> u64 {
        let now = self.joined + self.series.bytes();
        match self.wanted {
            Wanted::Nothing => 0,
            Wanted::Size => self.most.max(now),
            Wanted::Time | Wanted::Space => now,
        }
    }

    /// Are graphs of branches kept?
    pub(super) fn keeps_graphs(&self) -> bool {
        matches!(self.wanted, Wanted::Time | Wanted::Space)
    }

    /// `⨂ᵢ cᵢ`
    pub(super) fn parallel(&mut self, branches: Vec<Graph>) {
        if self.is_wanted() {
            self.series.parallel(branches);
        }
    }

    /// `⨂ᵢ cᵢ` of several phases of the device, one after the other.
    pub(super) fn phases(&mut self, phases: [Vec<Graph>; 3]) {
        for branches in phases {
            self.parallel(branches);
            self.series.link = Link::Memory(0);
        }
        self.series.link = Link::Fused;
    }

    /// The whole graph, if it is wanted.
    pub(super) fn finish(self) -> Graph {
        match self.wanted {
            Wanted::Time | Wanted::Space => self.series.graph(),
            Wanted::Nothing | Wanted::Size => Graph::VERTEX,
        }
    }
}

/// What was written around a branch.
#[derive(Debug)]
pub(super) struct Outer(Series);
