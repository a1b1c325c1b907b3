//! Graphs vertex by vertex, as schedules walk them.

use super::graph::{Graph, Greedy, Scheduled};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Vertices in the sequential order, left before right, with their edges.
#[derive(Default)]
pub(super) struct Flat {
    /// Where each edge leads, and its weight; two at most from one vertex.
    pub(super) next: Vec<[(u32, u64); 2]>,
    /// Edges that lead into each vertex.
    into: Vec<u8>,
    /// Vertices at which the number of live words changes, in order: by how much in their step, and behind it.
    words: Vec<(u32, i64, i64)>,
}

/// No edge.
pub(super) const NONE: (u32, u64) = (u32::MAX, 0);

impl Flat {
    pub(super) fn of(graph: &Graph) -> Self {
        let mut flat = Self::default();
        flat.add(graph);
        flat.words.sort_unstable();
        flat
    }

    /// How the number of live words changes at a vertex.
    pub(super) fn change(&self, vertex: u32) -> (i64, i64) {
        let first = self.words.partition_point(|(at, ..)| *at < vertex);
        let here = self.words[first..].iter().take_while(|(at, ..)| *at == vertex);
        here.fold((0, 0), |(now, behind), (_, more, later)| (now + more, behind + later))
    }

    fn vertex(&mut self) -> u32 {
        self.next.push([NONE; 2]);
        self.into.push(0);
        self.next.len() as u32 - 1
    }

    fn edge(&mut self, from: u32, weight: u64, to: u32) {
        let [first, second] = &mut self.next[from as usize];
        *(if *first == NONE { first } else { second }) = (to, weight);
        self.into[to as usize] += 1;
    }

    /// Adds a graph: its first and its last vertex.
    fn add(&mut self, graph: &Graph) -> (u32, u32) {
        match graph {
            Graph::Chain { edges, weight } => {
                let first = self.vertex();
                let last = (0..*edges).fold(first, |last, _| {
                    let next = self.vertex();
                    self.edge(last, *weight, next);
                    next
                });
                (first, last)
            }
            Graph::Serial(parts) => {
                let mut ends: Option<(u32, u32)> = None;
                for (weight, part) in parts {
                    let (first, last) = self.add(part);
                    ends = Some(match ends {
                        None => (first, last),
                        Some((start, end)) => {
                            self.edge(end, *weight, first);
                            (start, last)
                        }
                    });
                }
                ends.unwrap_or_else(|| self.add(&Graph::VERTEX))
            }
            Graph::Parallel(parts) => self.parallel(parts),
            Graph::Words { now, behind, of } => {
                let ends = self.add(of);
                self.words.push((ends.0, *now, *behind));
                ends
            }
        }
    }

    fn parallel(&mut self, parts: &[Graph]) -> (u32, u32) {
        let Some((last, before)) = parts.split_last() else { return self.add(&Graph::VERTEX) };
        let mut open = Vec::with_capacity(before.len());
        for part in before {
            let fork = self.vertex();
            if let Some(&(outer, _)) = open.last() {
                self.edge(outer, 1, fork);
            }
            let (first, end) = self.add(part);
            self.edge(fork, 1, first);
            open.push((fork, end));
        }
        let (first, mut end) = self.add(last);
        let mut start = first;
        if let Some(&(outer, _)) = open.last() {
            self.edge(outer, 1, first);
        }
        for (fork, left) in open.into_iter().rev() {
            let join = self.vertex();
            self.edge(left, 1, join);
            self.edge(end, 1, join);
            (start, end) = (fork, join);
        }
        (start, end)
    }

    /// Of each set of vertices that may have run, the least and the most time that its last step may end at. What a step
    /// takes depends on its vertices alone: the heaviest edge into them (eq. 5).
    pub(super) fn fastest_and_slowest(&self, processors: u64) -> (u64, u64) {
        let count = self.next.len();
        let (mut before, mut heaviest) = (vec![0_usize; count], vec![0_u64; count]);
        for (from, edges) in self.next.iter().enumerate() {
            for &(to, weight) in edges.iter().filter(|(to, _)| *to != NONE.0) {
                before[to as usize] |= 1 << from;
                heaviest[to as usize] = weight.max(heaviest[to as usize]);
            }
        }
        let all = (1_usize << count) - 1;
        let mut times = vec![None; all + 1];
        times[0] = Some((0, 0));
        for done in 0..all {
            let Some((least, most)): Option<(u64, u64)> = times[done] else { continue };
            for step in 1..=all {
                let chosen = (0..count).filter(|at| step >> at & 1 == 1);
                let ready = |at: usize| done >> at & 1 == 0 && before[at] & !done == 0;
                if u64::from(step.count_ones()) > processors || !chosen.clone().all(ready) {
                    continue;
                }
                let time = chosen.map(|at| heaviest[at]).max().unwrap_or(0);
                let (first, last) = times[done | step].unwrap_or((u64::MAX, 0));
                times[done | step] = Some((first.min(least + time), last.max(most + time)));
            }
        }
        times[all].unwrap_or((0, 0))
    }

    /// What the schedule takes, and the most words that are live in a step of it. `taken` is told each step.
    pub(super) fn schedule(
        self,
        processors: u64,
        greedy: Greedy,
        mut taken: impl FnMut(&[u32]),
    ) -> (Scheduled, u64) {
        let mut stepped = Stepped::new(self);
        let mut ready = BinaryHeap::from([Reverse((0, 0))]);
        let mut step = Vec::new();
        while !ready.is_empty() {
            step.clear();
            while (step.len() as u64) < processors
                && let Some(Reverse((_, vertex))) = ready.pop()
            {
                step.push(vertex);
            }
            taken(&step);
            let since = match greedy {
                Greedy::DepthFirst => 0,
                Greedy::BreadthFirst => stepped.scheduled.steps + 1,
            };
            stepped.step(&step, |vertex| ready.push(Reverse((since, vertex))));
        }
        stepped.ends()
    }
}

/// A schedule that runs, step by step.
pub(super) struct Stepped {
    flat: Flat,
    /// The heaviest edge into each vertex from one that has run.
    heaviest: Vec<u64>,
    live: i64,
    most: i64,
    scheduled: Scheduled,
}

impl Stepped {
    /// Nothing has run.
    pub(super) fn new(flat: Flat) -> Self {
        let heaviest = vec![0; flat.next.len()];
        Self { flat, heaviest, live: 0, most: 0, scheduled: Scheduled { steps: 0, time: 0 } }
    }

    /// Have all vertices run from which edges lead to this one?
    pub(super) fn is_ready(&self, vertex: u32) -> bool {
        self.flat.into[vertex as usize] == 0
    }

    /// The vertices from which edges lead to this one.
    pub(super) fn before(&self, vertex: u32) -> impl Iterator<Item = usize> {
        let edges = self.flat.next.iter().enumerate();
        let leads = move |edges: &[(u32, u64); 2]| edges.iter().any(|(to, _)| *to == vertex);
        edges.filter(move |(_, edges)| leads(edges)).map(|(from, _)| from)
    }

    /// These vertices run at once. `ready` is told which are ready behind them.
    pub(super) fn step(&mut self, step: &[u32], mut ready: impl FnMut(u32)) {
        let Self { flat, heaviest, live, most, scheduled } = self;
        if step.is_empty() {
            return;
        }
        scheduled.steps += 1;
        scheduled.time += step.iter().map(|vertex| heaviest[*vertex as usize]).max().unwrap_or(0);
        if !flat.words.is_empty() {
            let changes = step.iter().map(|vertex| flat.change(*vertex));
            let (now, behind) = changes.fold((0, 0), |(a, b), (c, d)| (a + c, b + d));
            *live += now;
            *most = (*live).max(*most);
            *live += behind;
        }
        for vertex in step {
            for (to, weight) in flat.next[*vertex as usize] {
                if to == NONE.0 {
                    continue;
                }
                let at = to as usize;
                heaviest[at] = weight.max(heaviest[at]);
                flat.into[at] -= 1;
                if flat.into[at] == 0 {
                    ready(to);
                }
            }
        }
    }

    /// What the steps take, and the most words that were live in one.
    pub(super) fn ends(self) -> (Scheduled, u64) {
        (self.scheduled, u64::try_from(self.most).unwrap_or(0))
    }
}
