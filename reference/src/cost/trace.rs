//! What the threads of a launch did, and how those of a warp go together.
//!
//! A thread is a path of edges (section 6.4): one for each statement, of weight 1, and one for each access. In
//! [`Mode::Paper`](super::Mode::Paper) threads are aligned by the number of the edge. Otherwise those at the least
//! *dynamic position* go together (L69): the rounds of the loops around the edge, then its place in the text. So both
//! sides of a branch count where a warp parts, and it meets again behind them.
//!
//! Edges without an access are held in *runs*: those between two places where threads may part or meet. All threads that
//! come to the same access have executed the same run before it, and the same one behind it, so it holds both. A run
//! without an access beside it has an entry and a position of its own.

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

    /// The round of this number of the loop that the position is a round of, if a thread has come to it.
    fn later(&self, at: u32, rounds: u32) -> u32 {
        let Node { around, site, round, .. } = self.nodes[at as usize];
        self.known.get(&(around, site, round + u64::from(rounds))).copied().unwrap_or(at)
    }

    /// Is one the round behind the other, of the same loop?
    fn follows(&self, next: u32, before: u32, rounds: u32) -> bool {
        let [next, before] = [next, before].map(|at| self.nodes[at as usize]);
        (next.around, next.site) == (before.around, before.site)
            && next.round == before.round + u64::from(rounds)
    }

    /// What is first, by rounds from the outside, then by place in the text. Of one statement, runs are before accesses
    /// and rounds.
    fn compare(&self, a: &Event, b: &Event) -> Ordering {
        let own = |event: &Event| (self.place(event), event.is_access(), event.ordinal.into());
        if a.at == b.at {
            return own(a).cmp(&own(b));
        }
        let (mut left, mut right) = (a.at, b.at);
        // The keys with which they leave what they have in common.
        let (mut of_left, mut of_right): ((At, bool, u64), (At, bool, u64)) = (own(a), own(b));
        while left != right {
            let [l, r] = [left, right].map(|at| self.nodes[at as usize]);
            if l.depth >= r.depth {
                (of_left, left) = ((l.site, true, l.round), l.around);
            }
            if r.depth >= l.depth {
                (of_right, right) = ((r.site, true, r.round), r.around);
            }
        }
        of_left.cmp(&of_right)
    }

    /// Where an access or a run stands in the round that it is in. What a kernel or a loop does itself in a round comes behind
    /// what is inside of it: a kernel stores the result of a thread.
    fn place(&self, event: &Event) -> At {
        if self.nodes[event.at as usize].site == event.site { At::LAST } else { event.site }
    }
}

/// An access of a thread and the runs beside it, or a run that has no access beside it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    /// Where it stands: a [`Node`].
    at: u32,
    /// Statements executed before it, since the event before or since threads could part or meet.
    before: u32,
    /// Statements executed behind it, up to where threads may part or meet.
    after: u32,
    /// How many accesses of the statement were before it, at this position; of a run behind a branch, which side it
    /// ends.
    ordinal: u32,
    /// For how many rounds of the innermost loop it stands.
    pub(super) of_loop: u32,
    /// Of a run that ends a round: of how many rounds, one after the other, it is all there is. Else 1.
    rounds: u32,
    /// The statement; of a run, which one ends it.
    pub(super) site: At,
    /// The word, counted from the start of the memory.
    pub(super) address: u64,
    /// For how many accesses it stands, and each of the statements beside it: more than one in loops of which only some
    /// rounds are executed.
    pub(super) times: u64,
    /// Are rounds left out between the access before and this one?
    pub(super) behind_gap: bool,
    /// Which memory it accesses, if it is an access.
    space: Option<Space>,
}

impl Event {
    /// Are both at the same position?
    fn meets(&self, other: &Event) -> bool {
        (self.at, self.site, self.ordinal, self.is_access())
            == (other.at, other.site, other.ordinal, other.is_access())
    }

    fn is_access(&self) -> bool {
        self.space.is_some()
    }

    /// So many statements as they are executed, and for how many they stand.
    fn units(&self, statements: u32) -> (u64, u64) {
        let statements = u64::from(statements) * u64::from(self.rounds);
        (statements, statements.saturating_mul(self.times))
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
    events: Vec<Event>,
    /// Statements executed since the last event, or since threads could part or meet, if that was later.
    tail: u32,
    /// Was the last event an access, behind which threads could neither part nor meet?
    straight: bool,
    /// The last access: its position, statement and ordinal.
    last: (u32, At, u32),
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
            tail: 0,
            straight: false,
            last: NOWHERE,
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
        self.tail = self.tail.saturating_add(u32::try_from(statements).unwrap_or(u32::MAX));
    }

    /// Threads may part or meet here: in this statement, at this side of a branch. What it executed since the last such
    /// place is over. Is that one more event that it holds?
    #[inline]
    pub(super) fn parts(&mut self, positions: &Positions, site: At, side: u32) -> bool {
        let (before, straight) = (std::mem::take(&mut self.tail), self.straight);
        self.straight = false;
        if before == 0 {
            return false;
        }
        let at = self.at;
        match self.events.last_mut() {
            Some(last) if straight => {
                last.after = before;
                return false;
            }
            Some(last)
                if site == At::LAST
                    && !last.is_access()
                    && (last.site, last.before, last.times) == (site, before, self.times)
                    && positions.follows(at, last.at, last.rounds) =>
            {
                last.rounds += 1;
                return false;
            }
            _ => {}
        }
        self.events.push(Event {
            at,
            before,
            after: 0,
            ordinal: side,
            of_loop: 1,
            rounds: 1,
            site,
            address: 0,
            times: self.times,
            behind_gap: false,
            space: None,
        });
        true
    }

    #[inline]
    pub(super) fn access(&mut self, site: At, space: Space, address: u64) {
        let (at, before) = (self.at, std::mem::take(&mut self.tail));
        let ordinal = match self.last {
            (last_at, last_site, ordinal) if (last_at, last_site) == (at, site) => ordinal + 1,
            _ => 0,
        };
        self.last = (at, site, ordinal);
        self.straight = true;
        let of_loop = u32::try_from(self.of_loop).unwrap_or(u32::MAX);
        let (times, behind_gap) = (self.times, std::mem::take(&mut self.gap));
        self.events.push(Event {
            at,
            before,
            after: 0,
            ordinal,
            of_loop,
            rounds: 1,
            site,
            address,
            times,
            behind_gap,
            space: Some(space),
        });
    }

    /// It comes to a loop, of which so many rounds may be left out if a number of loops is nested in it. As of
    /// [`Thread::parts`], is that one more event? So are the next two.
    pub(super) fn enter(
        &mut self,
        positions: &mut Positions,
        site: At,
        sampled: Option<(u64, u32)>,
    ) -> bool {
        let more = self.parts(positions, site, 0);
        self.at = positions.node(self.at, site, 0);
        let (around, beside) = (self.times, self.share);
        let (part, inside) = match sampled {
            None => (Part::WHOLE, beside),
            Some((count, height)) => beside.of(count, height),
        };
        self.levels.push(Level { part, around, inside, beside });
        more
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

    pub(super) fn round(&mut self, positions: &mut Positions) -> bool {
        let more = self.parts(positions, At::LAST, 0);
        let round = positions.nodes[self.at as usize].round;
        let round = round + 1 + std::mem::take(&mut self.skipped);
        self.at = positions.round(self.at, round);
        if let Some(level) = self.levels.last() {
            self.of_loop = level.part.weight(round - 1);
            self.times = level.around.saturating_mul(self.of_loop);
            self.share = level.inside;
        }
        more
    }

    pub(super) fn leave(&mut self, positions: &Positions) -> bool {
        let more = self.parts(positions, At::LAST, 0);
        self.at = positions.nodes[self.at as usize].around;
        self.skipped = 0;
        if let Some(level) = self.levels.pop() {
            (self.times, self.share) = (level.around, level.beside);
            self.of_loop = 1;
        }
        more
    }

    /// It comes to a barrier, or to its end.
    pub(super) fn ends(&mut self, positions: &Positions) {
        self.parts(positions, At::LAST, 0);
    }

    /// Edges since the last barrier.
    pub(super) fn edges(&self) -> u64 {
        let of = |event: &Event| {
            let units = event.units(event.before).1.saturating_add(event.units(event.after).1);
            units.saturating_add(if event.is_access() { event.times } else { 0 })
        };
        self.events.iter().map(of).fold(0, u64::saturating_add)
    }

    /// All edges.
    pub(super) fn length(&self) -> u64 {
        self.before.saturating_add(self.edges())
    }

    /// What was done is over: the thread goes on behind a barrier.
    pub(super) fn passes(&mut self) {
        self.before = self.length();
        self.events.clear();
        (self.tail, self.straight, self.last) = (0, false, NOWHERE);
    }

    /// The number of the edge of each access since the last barrier, and its memory. Edges that are not executed have no
    /// numbers.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (u64, Space, &Event)> {
        let mut edge = 0;
        self.events.iter().filter_map(move |event| {
            edge += event.units(event.before).0;
            let access = event.space.map(|space| (edge, space, event));
            edge += u64::from(event.is_access()) + event.units(event.after).0;
            access
        })
    }
}

/// Before the first access.
const NOWHERE: (u32, At, u32) = (u32::MAX, At::LAST, 0);

/// A step of a warp: some of its threads go together. They access memory in one statement, or have only a run in common.
pub(super) struct Step<'a> {
    /// Do all threads take part that have not come to their end?
    pub(super) all: bool,
    /// The number of its first edge.
    pub(super) edge: u64,
    /// How many unit edges come first, and for how many they stand.
    pub(super) before: (u64, u64),
    /// One access of each thread that takes part, and to which memory: one edge.
    pub(super) accesses: Option<(Space, &'a [Event])>,
    /// How many unit edges are behind it, and for how many they stand.
    pub(super) after: (u64, u64),
}

/// Where a thread stands: its next event, and of that one how many rounds are over.
#[derive(Clone, Copy, Default)]
struct Next {
    event: usize,
    rounds: u32,
}

impl Next {
    #[inline]
    fn of(self, thread: &Thread, positions: &Positions) -> Option<Event> {
        let event = *thread.events.get(self.event)?;
        Some(match self.rounds {
            0 => event,
            over => {
                Event { at: positions.later(event.at, over), rounds: event.rounds - over, ..event }
            }
        })
    }
}

/// The steps of a warp, in order; the answer is how many edges they have.
pub(super) fn steps(
    threads: &[Thread],
    positions: &Positions,
    mut visit: impl FnMut(Step<'_>),
) -> u64 {
    let mut next = vec![Next::default(); threads.len()];
    let mut taken: Vec<Event> = Vec::with_capacity(threads.len());
    let mut edge: u64 = 0;
    loop {
        let mut least: Option<Event> = None;
        // Mostly all threads are at one position.
        let mut all = true;
        let mut rounds = u32::MAX;
        for (thread, at) in threads.iter().zip(&next) {
            let Some(event) = at.of(thread, positions) else { continue };
            rounds = event.rounds.min(rounds);
            match &least {
                None => least = Some(event),
                Some(first) if first.meets(&event) => {}
                Some(first) => {
                    all = false;
                    if positions.compare(&event, first).is_lt() {
                        least = Some(event);
                    }
                }
            }
        }
        let Some(least) = least else { return edge };
        // Rounds are one step only where all threads make them.
        let rounds = if all { rounds } else { 1 };
        taken.clear();
        let (mut before, mut after) = ((0, 0), (0, 0));
        let most = |a: (u64, u64), b: (u64, u64)| (a.0.max(b.0), a.1.max(b.1));
        for (thread, at) in threads.iter().zip(&mut next) {
            if let Some(event) = at.of(thread, positions)
                && (all || event.meets(&least))
            {
                *at = match event.rounds - rounds {
                    0 => Next { event: at.event + 1, rounds: 0 },
                    _ => Next { rounds: at.rounds + rounds, ..*at },
                };
                let event = Event { rounds, ..event };
                before = most(before, event.units(event.before));
                after = most(after, event.units(event.after));
                taken.push(event);
            }
        }
        let accesses = least.space.map(|space| (space, &taken[..]));
        let more = before.0 + u64::from(accesses.is_some()) + after.0;
        visit(Step { all, edge, before, accesses, after });
        edge += more;
    }
}
