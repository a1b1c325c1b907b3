//! What the threads of a launch did, and how those of a warp go together.
//!
//! A thread is a path of edges (section 6.4): one for each statement, of weight 1, and one for each access. In
//! [`Mode::Paper`](super::Mode::Paper) threads are aligned by the number of the edge. Otherwise those at the least
//! *dynamic position* go together (L69): the rounds of the loops around the access, then its place in the text. So both
//! sides of a branch count where a warp parts, and it meets again behind them.

use super::sample::{Part, Share};
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
    /// The round that a thread came to last from here, or [`ROOT`].
    next: u32,
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
        let root = Node { around: ROOT, site: launch, round: 0, depth: 0, next: ROOT };
        Self { nodes: vec![root], known: FxHashMap::default() }
    }

    fn node(&mut self, around: u32, site: At, round: u64) -> u32 {
        let depth = self.nodes[around as usize].depth + 1;
        *self.known.entry((around, site, round)).or_insert_with(|| {
            self.nodes.push(Node { around, site, round, depth, next: ROOT });
            self.nodes.len() as u32 - 1
        })
    }

    /// The round of this number of the loop that the position is a round of. Threads mostly go where the one before went.
    #[inline]
    fn round(&mut self, at: u32, round: u64) -> u32 {
        let Node { around, site, next, .. } = self.nodes[at as usize];
        if next != ROOT && self.nodes[next as usize].round == round {
            return next;
        }
        let next = self.node(around, site, round);
        self.nodes[at as usize].next = next;
        next
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
    /// Where it stands: a [`Node`].
    at: u32,
    /// Statements executed before it, since the access before.
    units: u32,
    /// For how many unit edges these stand.
    edges: u64,
    /// The statement.
    pub(super) site: At,
    /// The word, counted from the start of the memory.
    pub(super) address: u64,
    /// For how many accesses it stands: more than one in loops of which only some rounds are executed.
    pub(super) times: u64,
    /// How many accesses of the statement were before it, at this position.
    ordinal: u32,
    /// For how many rounds of the innermost loop it stands.
    pub(super) of_loop: u32,
    /// Are rounds left out between the access before and this one?
    pub(super) behind_gap: bool,
    pub(super) space: Space,
}

impl Event {
    /// Are both at the same position?
    fn meets(&self, other: &Event) -> bool {
        (self.at, self.site, self.ordinal) == (other.at, other.site, other.ordinal)
    }
}

/// A loop, an inner kernel or a call that a thread is in.
#[derive(Clone, Copy, Debug)]
struct Level {
    part: Part,
    /// For how many rounds one of the thread around it stands.
    around: u64,
    /// What loops in it may execute.
    inside: Share,
    /// What those beside it may.
    beside: Share,
}

/// A thread, and what it did since the last barrier.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    pub(super) events: Vec<Event>,
    /// Statements executed after the last access, and for how many unit edges they stand.
    tail: (u32, u64),
    /// The position that it is at, and rounds that are left out before the next one.
    at: u32,
    skipped: u64,
    /// Were rounds left out since the last access?
    gap: bool,
    /// For how many rounds of the innermost loop what it does stands.
    of_loop: u64,
    levels: Vec<Level>,
    /// For how many rounds of the loops around it what it does stands.
    pub(super) times: u64,
    share: Share,
    /// Edges up to the last barrier.
    before: u64,
}

impl Thread {
    pub(super) fn new(share: Share) -> Self {
        Self {
            events: Vec::new(),
            tail: (0, 0),
            at: ROOT,
            skipped: 0,
            gap: false,
            of_loop: 1,
            levels: Vec::new(),
            times: 1,
            share,
            before: 0,
        }
    }

    /// Makes it another thread, at its start.
    pub(super) fn starts(&mut self, share: Share) {
        self.events.clear();
        self.levels.clear();
        let (events, levels) = (std::mem::take(&mut self.events), std::mem::take(&mut self.levels));
        *self = Self { events, levels, ..Self::new(share) };
    }

    /// It has executed so many statements more.
    #[inline]
    pub(super) fn executes(&mut self, statements: u64) {
        let (executed, edges) = &mut self.tail;
        *executed = executed.saturating_add(u32::try_from(statements).unwrap_or(u32::MAX));
        *edges = edges.saturating_add(statements.saturating_mul(self.times));
    }

    #[inline]
    pub(super) fn access(&mut self, site: At, space: Space, address: u64) {
        let (at, (units, edges)) = (self.at, std::mem::take(&mut self.tail));
        let ordinal = match self.events.last() {
            Some(last) if (last.at, last.site) == (at, site) => last.ordinal + 1,
            _ => 0,
        };
        let of_loop = u32::try_from(self.of_loop).unwrap_or(u32::MAX);
        let (times, behind_gap) = (self.times, std::mem::take(&mut self.gap));
        self.events.push(Event {
            at,
            units,
            edges,
            site,
            address,
            times,
            ordinal,
            of_loop,
            behind_gap,
            space,
        });
    }

    /// It comes to a loop, of which so many rounds may be left out if a number of loops is nested in it.
    pub(super) fn enter(
        &mut self,
        positions: &mut Positions,
        site: At,
        sampled: Option<(u64, u32)>,
    ) {
        self.at = positions.node(self.at, site, 0);
        let (around, beside) = (self.times, self.share);
        let (part, inside) = match sampled {
            None => (Part::WHOLE, beside),
            Some((count, height)) => beside.of(count, height),
        };
        self.levels.push(Level { part, around, inside, beside });
    }

    /// The first round from this one on that is executed.
    #[inline]
    pub(super) fn next_round(&mut self, number: u64) -> u64 {
        let Some(level) = self.levels.last() else { return number };
        let next = level.part.next(number);
        self.skipped = next - number;
        self.gap |= next > number;
        next
    }

    pub(super) fn round(&mut self, positions: &mut Positions) {
        let round = positions.nodes[self.at as usize].round;
        let round = round + 1 + std::mem::take(&mut self.skipped);
        self.at = positions.round(self.at, round);
        if let Some(level) = self.levels.last() {
            self.of_loop = level.part.weight(round - 1);
            self.times = level.around.saturating_mul(self.of_loop);
            self.share = level.inside;
        }
    }

    pub(super) fn leave(&mut self, positions: &Positions) {
        self.at = positions.nodes[self.at as usize].around;
        self.skipped = 0;
        if let Some(level) = self.levels.pop() {
            (self.times, self.share) = (level.around, level.beside);
            self.of_loop = 1;
        }
    }

    /// Edges since the last barrier.
    pub(super) fn edges(&self) -> u64 {
        let of = |event: &Event| event.edges.saturating_add(event.times);
        self.events.iter().map(of).fold(self.tail.1, u64::saturating_add)
    }

    /// All edges.
    pub(super) fn length(&self) -> u64 {
        self.before.saturating_add(self.edges())
    }

    /// What was done is over: the thread goes on behind a barrier.
    pub(super) fn passes(&mut self) {
        self.before = self.length();
        self.events.clear();
        self.tail = (0, 0);
    }

    /// The number of the edge of each access, since the last barrier. Edges that are not executed have no numbers.
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
    /// How many unit edges are before it, since the last step, and for how many they stand.
    pub(super) units: (u64, u64),
    /// One access of each thread that takes part.
    pub(super) accesses: &'a [Event],
}

/// The steps of a warp, in order; the answer is the edges behind the last of them.
pub(super) fn steps(
    threads: &[Thread],
    positions: &Positions,
    mut visit: impl FnMut(Step<'_>),
) -> (u64, u64) {
    let mut next = vec![0; threads.len()];
    let mut taken: Vec<Event> = Vec::with_capacity(threads.len());
    let mut edge: u64 = 0;
    loop {
        let mut least: Option<&Event> = None;
        // Mostly all threads are at one position.
        let mut all = true;
        for (thread, at) in threads.iter().zip(&next) {
            let Some(event) = thread.events.get(*at) else { continue };
            match least {
                None => least = Some(event),
                Some(first) if first.meets(event) => {}
                Some(first) => {
                    all = false;
                    if positions.compare(event, first).is_lt() {
                        least = Some(event);
                    }
                }
            }
        }
        let Some(least) = least else { break };
        taken.clear();
        let mut units = (0, 0);
        for (thread, at) in threads.iter().zip(&mut next) {
            if let Some(event) = thread.events.get(*at)
                && (all || event.meets(least))
            {
                *at += 1;
                units = (event.units.max(units.0), event.edges.max(units.1));
                taken.push(*event);
            }
        }
        let units = (u64::from(units.0), units.1);
        edge += units.0;
        visit(Step { edge, units, accesses: &taken });
        edge += 1;
    }
    let most = threads.iter().map(|thread| thread.tail);
    most.fold((0, 0), |most, tail| (u64::from(tail.0).max(most.0), tail.1.max(most.1)))
}
