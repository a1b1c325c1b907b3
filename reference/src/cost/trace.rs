//! What the threads of a launch did, and how those of a warp go together.
//!
//! A thread is a path of edges (section 6.4): one for each statement, of weight 1, and one for each access. In
//! [`Mode::Paper`](super::Mode::Paper) threads are aligned by the number of the edge. Otherwise those at the least
//! *dynamic position* go together (L69): the rounds of the loops around the access, then its place in the text. So both
//! sides of a branch count where a warp parts, and it meets again behind them.

use crate::kit::tap::Space;
use crate::kit::text::Span;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// A statement, ordered by its place in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct At(u64);

impl At {
    pub(super) fn of(site: Span) -> Self {
        At(u64::from(site.start) << 32 | u64::from(site.end))
    }

    pub(super) fn span(self) -> Span {
        Span { start: (self.0 >> 32) as u32, end: self.0 as u32 }
    }

    /// Behind all statements.
    const LAST: At = At(u64::MAX);
}

/// A loop, an inner kernel or a call that threads are in, and its round.
#[derive(Clone, Copy, Debug)]
struct Node {
    around: u32,
    site: At,
    round: u64,
    depth: u32,
}

/// The dynamic positions of a launch, shared by all of its threads.
#[derive(Debug)]
pub(super) struct Positions {
    nodes: Vec<Node>,
    known: FxHashMap<(u32, At, u64), u32>,
}

/// Outside of all loops.
const ROOT: u32 = 0;

impl Positions {
    /// Those of a launch of this kernel.
    pub(super) fn new(launch: At) -> Self {
        let root = Node { around: ROOT, site: launch, round: 0, depth: 0 };
        Self { nodes: vec![root], known: FxHashMap::default() }
    }

    fn node(&mut self, around: u32, site: At, round: u64) -> u32 {
        let depth = self.nodes[around as usize].depth + 1;
        *self.known.entry((around, site, round)).or_insert_with(|| {
            self.nodes.push(Node { around, site, round, depth });
            self.nodes.len() as u32 - 1
        })
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.nodes.len()
    }

    /// What is first, by rounds from the outside, then by place in the text.
    fn compare(&self, a: &Event, b: &Event) -> Ordering {
        let own = |event: &Event| (self.place(event), event.ordinal.into());
        if a.at == b.at {
            return own(a).cmp(&own(b));
        }
        let (mut left, mut right) = (a.at, b.at);
        // The keys with which they leave what they have in common.
        let (mut of_left, mut of_right): ((At, u64), (At, u64)) = (own(a), own(b));
        while left != right {
            let [l, r] = [left, right].map(|at| self.nodes[at as usize]);
            if l.depth >= r.depth {
                (of_left, left) = ((l.site, l.round), l.around);
            }
            if r.depth >= l.depth {
                (of_right, right) = ((r.site, r.round), r.around);
            }
        }
        of_left.cmp(&of_right)
    }

    /// Where an access stands in the round that it is in. What a kernel or a loop does itself in a round comes behind
    /// what is inside of it: a kernel stores the result of a thread.
    fn place(&self, event: &Event) -> At {
        if self.nodes[event.at as usize].site == event.site { At::LAST } else { event.site }
    }
}

/// An access of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    /// Unit edges before it, since the access before.
    units: u32,
    /// Where it stands: a [`Node`].
    at: u32,
    /// The statement.
    pub(super) site: At,
    /// How many accesses of the statement were before it, at this position.
    ordinal: u32,
    pub(super) space: Space,
    /// The word, counted from the start of the memory.
    pub(super) address: u64,
}

/// A thread, and what it did since the last barrier.
#[derive(Clone, Debug, Default)]
pub(super) struct Thread {
    pub(super) events: Vec<Event>,
    /// Unit edges after the last access.
    pub(super) tail: u32,
    /// The position that it is at.
    at: u32,
    /// Edges up to the last barrier.
    before: u64,
}

impl Thread {
    /// It has executed so many statements more.
    pub(super) fn executes(&mut self, statements: u64) {
        self.tail = self.tail.saturating_add(u32::try_from(statements).unwrap_or(u32::MAX));
    }

    pub(super) fn access(&mut self, site: At, space: Space, address: u64) {
        let (at, units) = (self.at, std::mem::take(&mut self.tail));
        let ordinal = match self.events.last() {
            Some(last) if (last.at, last.site) == (at, site) => last.ordinal + 1,
            _ => 0,
        };
        self.events.push(Event { units, at, site, ordinal, space, address });
    }

    pub(super) fn enter(&mut self, positions: &mut Positions, site: At) {
        self.at = positions.node(self.at, site, 0);
    }

    pub(super) fn round(&mut self, positions: &mut Positions) {
        let Node { around, site, round, .. } = positions.nodes[self.at as usize];
        self.at = positions.node(around, site, round + 1);
    }

    pub(super) fn leave(&mut self, positions: &Positions) {
        self.at = positions.nodes[self.at as usize].around;
    }

    /// Edges since the last barrier.
    pub(super) fn edges(&self) -> u64 {
        let units = self.events.iter().map(|event| u64::from(event.units)).sum::<u64>();
        units + self.events.len() as u64 + u64::from(self.tail)
    }

    /// All edges.
    pub(super) fn length(&self) -> u64 {
        self.before + self.edges()
    }

    /// What was done is over: the thread goes on behind a barrier.
    pub(super) fn passes(&mut self) {
        self.before += self.edges();
        self.events.clear();
        self.tail = 0;
    }

    /// The number of the edge of each access, since the last barrier.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (u64, &Event)> {
        let mut edge = 0;
        self.events.iter().map(move |event| {
            edge += u64::from(event.units) + 1;
            (edge - 1, event)
        })
    }
}

/// A step of a warp: some of its threads access memory, in one statement.
pub(super) struct Step<'a> {
    /// The number of the edge.
    pub(super) edge: u64,
    /// One access of each thread that takes part.
    pub(super) accesses: &'a [Event],
}

/// The steps of a warp, in order; the answer is how many edges it has.
pub(super) fn steps(
    threads: &[Thread],
    positions: &Positions,
    mut visit: impl FnMut(Step<'_>),
) -> u64 {
    let mut next = vec![0; threads.len()];
    let mut taken: Vec<Event> = Vec::with_capacity(threads.len());
    let mut edge: u64 = 0;
    loop {
        let mut least: Option<Event> = None;
        for (thread, at) in threads.iter().zip(&next) {
            if let Some(event) = thread.events.get(*at)
                && least.is_none_or(|least| positions.compare(event, &least).is_lt())
            {
                least = Some(*event);
            }
        }
        let Some(least) = least else { break };
        taken.clear();
        let mut units = 0;
        for (thread, at) in threads.iter().zip(&mut next) {
            if let Some(event) = thread.events.get(*at)
                && positions.compare(event, &least).is_eq()
            {
                *at += 1;
                units = event.units.max(units);
                taken.push(*event);
            }
        }
        edge += u64::from(units);
        visit(Step { edge, accesses: &taken });
        edge += 1;
    }
    edge + threads.iter().map(|thread| u64::from(thread.tail)).max().unwrap_or(0)
}
