//! Device boxes (section 6.4): the threads of a launch in warps, the warps in work groups, and as many work groups at a
//! time as the device takes (L26, L68). Priced group by group, so that a launch of any size takes the memory of the
//! groups that run at once.

use super::machine::{Machine, Times};
use super::trace::{At, Event, Positions, Thread, steps};
use crate::kit::tap::Space;
use rustc_hash::FxHashMap;
use serde::Serialize;

/// What is counted of the accesses of a statement, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Accesses {
    /// Accesses of global memory, by threads.
    pub global: u64,
    /// Requests to global memory: address groups, one for each that a warp accesses in a step.
    pub requests: u64,
    /// Lines that were not at hand.
    pub misses: u64,
    /// Accesses of group memory, by threads.
    pub group: u64,
    /// Requests to group memory: for each step of a warp the most words that it accesses of one bank.
    pub group_requests: u64,
    /// Steps of warps in which some of their threads access memory.
    pub steps: u64,
}

impl std::ops::AddAssign for Accesses {
    fn add_assign(&mut self, other: Self) {
        self.global += other.global;
        self.requests += other.requests;
        self.misses += other.misses;
        self.group += other.group;
        self.group_requests += other.group_requests;
        self.steps += other.steps;
    }
}

/// What a statement of a kernel costs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Part {
    pub(super) accesses: Accesses,
    /// Its part of the time of the steps that it takes part in, in `umm`.
    pub(super) time: f64,
}

/// What a launch costs.
#[derive(Clone, Debug, Default)]
pub(super) struct Priced {
    pub(super) warps: u64,
    pub(super) groups: u64,
    /// Times that a number of groups run at once.
    pub(super) rounds: u64,
    /// Edges of all threads, and of the longest.
    pub(super) work: u64,
    pub(super) longest: u64,
    pub(super) accesses: Accesses,
    pub(super) times: Times,
    pub(super) parts: FxHashMap<At, Part>,
}

/// A device box that is being priced.
pub(super) struct DeviceBox {
    width: u64,
    latency: u64,
    group_latency: u64,
    lines: usize,
    prices: super::machine::Calibrated,
    /// Work groups that run at once.
    at_once: u64,
    round: Round,
    priced: Priced,
}

/// The work groups that run at once, and the one of them that is being priced.
#[derive(Default)]
struct Round {
    groups: u64,
    /// The steps of all of them.
    steps: Vec<Loads>,
    /// Which statement made so many requests in a step, to which memory.
    made: FxHashMap<(u64, At, Space), u64>,
    /// The longest of the groups in `paper`.
    longest: u64,
    group: Group,
}

/// The work group that is being priced.
#[derive(Default)]
struct Group {
    warps: u64,
    /// Requests to its memory, by step.
    requests: FxHashMap<u64, u64>,
    /// The step behind the last barrier, and the last step that a warp has reached since.
    start: u64,
    reached: u64,
    /// Lines that were requested since, in which step and by which statement.
    lines: Vec<(u64, At, u64)>,
    /// In `paper`, since the last barrier: what the edge of each number that is an access takes, and how many edges the
    /// longest thread has.
    weights: FxHashMap<u64, u64>,
    edges: u64,
    /// How long it takes in `paper`, up to the last barrier.
    paper: u64,
}

/// What a step of a round has to wait for.
#[derive(Clone, Copy, Debug, Default)]
struct Loads {
    /// Some warp goes along an edge without an access.
    unit: bool,
    requests: u64,
    /// The most of one work group.
    group_requests: u64,
}

impl DeviceBox {
    /// A box of groups of so many threads.
    pub(super) fn new(machine: &Machine, group: u64) -> Self {
        Self {
            width: machine.width,
            latency: machine.latency,
            group_latency: machine.group_latency,
            lines: machine.lines as usize,
            prices: machine.calibrated,
            at_once: (machine.threads / group.next_multiple_of(machine.width)).max(1),
            round: Round::default(),
            priced: Priced { parts: FxHashMap::default(), ..Priced::default() },
        }
    }

    /// What the threads of a warp did up to a barrier or to their end.
    pub(super) fn warp(&mut self, threads: &[Thread], positions: &Positions) {
        self.paper(threads);
        let start = self.round.group.start;
        let mut addresses = Vec::new();
        let mut edge = start;
        let edges = steps(threads, positions, |step| {
            let at = start + step.edge;
            self.units(edge, at);
            edge = at + 1;
            self.step(at, step.accesses, &mut addresses);
        });
        self.units(edge, start + edges);
        self.round.group.reached = self.round.group.reached.max(start + edges);
    }

    /// All warps of the group have come to a barrier, and wait for the last.
    pub(super) fn barrier(&mut self) {
        let group = &mut self.round.group;
        group.start = group.reached;
        let accesses = group.weights.len() as u64;
        let weights: u64 = group.weights.drain().map(|(_, weight)| weight).sum();
        group.paper += weights + (std::mem::take(&mut group.edges) - accesses);
        let lines = std::mem::take(&mut group.lines);
        self.misses(lines);
    }

    /// How many lines are held of the running group.
    pub(super) fn held(&self) -> usize {
        self.round.group.lines.len()
    }

    /// Edges without an access, of a warp.
    fn units(&mut self, from: u64, to: u64) {
        let steps = &mut self.round.steps;
        if (steps.len() as u64) < to {
            steps.resize(to as usize, Loads::default());
        }
        steps[from as usize..(to.max(from)) as usize].iter_mut().for_each(|step| step.unit = true);
    }

    /// A step of a warp in which it accesses memory.
    fn step(&mut self, at: u64, accesses: &[Event], addresses: &mut Vec<u64>) {
        if self.round.steps.len() as u64 <= at {
            self.round.steps.resize(at as usize + 1, Loads::default());
        }
        let Event { site, space, .. } = accesses[0];
        let width = self.width;
        addresses.clear();
        match space {
            Space::Global => addresses.extend(accesses.iter().map(|event| event.address / width)),
            Space::Group => addresses.extend(accesses.iter().map(|event| event.address)),
        }
        addresses.sort_unstable();
        addresses.dedup();
        let part = self.priced.parts.entry(site).or_default();
        part.accesses.steps += 1;
        let requests = match space {
            Space::Global => {
                let requests = addresses.len() as u64;
                self.round.steps[at as usize].requests += requests;
                part.accesses.global += accesses.len() as u64;
                part.accesses.requests += requests;
                let lines = addresses.iter().map(|line| (at, site, *line));
                self.round.group.lines.extend(lines);
                requests
            }
            Space::Group => {
                let requests = most_of_a_bank(addresses, width);
                *self.round.group.requests.entry(at).or_default() += requests;
                part.accesses.group += accesses.len() as u64;
                part.accesses.group_requests += requests;
                requests
            }
        };
        *self.round.made.entry((at, site, space)).or_default() += requests;
    }

    /// Which of the lines that a group requests are not at hand, if its warps go in step.
    fn misses(&mut self, mut requested: Vec<(u64, At, u64)>) {
        requested.sort_by_key(|(edge, ..)| *edge);
        let mut at_hand: Vec<u64> = Vec::with_capacity(self.lines);
        for (_, site, line) in requested {
            let found = at_hand.iter().rposition(|other| *other == line);
            match found {
                Some(at) => at_hand[at..].rotate_left(1),
                None => {
                    self.priced.parts.entry(site).or_default().accesses.misses += 1;
                    match at_hand.len() < self.lines {
                        true => at_hand.push(line),
                        false if self.lines == 0 => {}
                        false => {
                            at_hand.rotate_left(1);
                            at_hand[self.lines - 1] = line;
                        }
                    }
                }
            }
        }
    }

    /// `Δ` of fig. 7 in `paper`: edge by edge the longest of any thread of the group (L36). A conflict in group memory
    /// makes it 2; in global memory none is ever seen (L31).
    fn paper(&mut self, threads: &[Thread]) {
        let Group { weights, edges, .. } = &mut self.round.group;
        let mut banks: FxHashMap<(u64, u64), u64> = FxHashMap::default();
        for thread in threads {
            *edges = thread.edges().max(*edges);
            for (edge, event) in thread.numbered() {
                let weight = match event.space {
                    Space::Global => self.latency,
                    Space::Group => {
                        let bank = banks.entry((edge, event.address % self.width));
                        let conflicts = *bank.or_insert(event.address) != event.address;
                        if conflicts { self.group_latency.max(2) } else { self.group_latency }
                    }
                };
                let heaviest = weights.entry(edge).or_default();
                *heaviest = weight.max(*heaviest);
            }
        }
    }

    /// The threads of a warp are over.
    pub(super) fn warp_ends(&mut self, threads: &[Thread]) {
        for thread in threads {
            self.priced.work += thread.length();
            self.priced.longest = self.priced.longest.max(thread.length());
        }
        self.round.group.warps += 1;
    }

    /// The running group is over: the next one is another.
    pub(super) fn group_ends(&mut self) {
        self.barrier();
        let round = &mut self.round;
        let group = std::mem::take(&mut round.group);
        for (at, requests) in group.requests {
            let most = &mut round.steps[at as usize].group_requests;
            *most = requests.max(*most);
        }
        round.longest = round.longest.max(group.paper);
        round.groups += 1;
        self.priced.groups += 1;
        self.priced.warps += group.warps;
        if round.groups == self.at_once {
            self.round_ends();
        }
    }

    fn round_ends(&mut self) {
        let Round { groups, steps, made, longest, .. } = std::mem::take(&mut self.round);
        if groups == 0 {
            return;
        }
        let umm = |step: &Loads| self.latencies(step).into_iter().max().unwrap_or(0);
        let umm: u64 = steps.iter().map(umm).sum();
        self.priced.rounds += 1;
        self.priced.times.paper += longest;
        self.priced.times.umm += umm;
        let mut cal = 0.0;
        for step in &steps {
            let Loads { unit, requests, group_requests } = *step;
            let global = match requests {
                0 => 0.0,
                _ => self.prices.request * requests as f64 + self.prices.wait,
            };
            let group = self.prices.group_request * group_requests as f64;
            let unit = if unit { self.prices.unit } else { 0.0 };
            cal += global.max(group).max(unit);
        }
        self.priced.times.cal += cal;
        let mut made: Vec<_> = made.into_iter().collect();
        made.sort_unstable_by_key(|(of, _)| *of);
        for ((at, site, space), requests) in made {
            let step = &steps[at as usize];
            let [global, group, _] = self.latencies(step);
            let time = match space {
                Space::Global => global as f64 * requests as f64 / step.requests as f64,
                // Of several groups only the slowest counts: all of them share what it takes.
                Space::Group if global == 0 => group as f64 / self.at_once.min(groups) as f64,
                Space::Group => 0.0,
            };
            self.priced.parts.entry(site).or_default().time += time;
        }
    }

    /// How long a step takes for global memory, for group memory, and for what is no access.
    fn latencies(&self, step: &Loads) -> [u64; 3] {
        let pipelined = |requests: u64, latency: u64| match requests {
            0 => 0,
            _ => requests + latency - 1,
        };
        [
            pipelined(step.requests, self.latency),
            pipelined(step.group_requests, self.group_latency),
            step.unit.into(),
        ]
    }

    /// The launch is over.
    pub(super) fn ends(mut self) -> Priced {
        self.round_ends();
        let priced = &mut self.priced;
        for part in priced.parts.values() {
            priced.accesses += part.accesses;
        }
        let misses = self.prices.miss * priced.accesses.misses as f64;
        priced.times.cal += self.prices.launch + misses;
        self.priced
    }
}

/// Of different words in ascending order: the most that lie in one of so many banks (L29, L31).
fn most_of_a_bank(words: &[u64], banks: u64) -> u64 {
    let mut of: FxHashMap<u64, u64> = FxHashMap::default();
    for word in words {
        *of.entry(word % banks).or_default() += 1;
    }
    of.into_values().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::text::Span;

    const SMALL: u64 = 4;

    fn machine() -> Machine {
        Machine { width: SMALL, warps: 2, threads: 16, latency: 10, lines: 3, ..Machine::default() }
    }

    /// Threads that each access the words that `of` says, one after the other.
    fn threads(n: u64, space: Space, of: impl Fn(u64) -> Vec<u64>) -> Vec<Thread> {
        let thread = |number| {
            let mut thread = Thread::default();
            for (at, word) in of(number).into_iter().enumerate() {
                thread.executes(1);
                thread.access(At::of(Span::nth(at as u32)), space, word);
            }
            thread
        };
        (0..n).map(thread).collect()
    }

    fn priced(threads: &[Thread], group: u64) -> Priced {
        let mut device = DeviceBox::new(&machine(), group);
        for threads in threads.chunks(group as usize) {
            for warp in threads.chunks(SMALL as usize) {
                device.warp(warp, &Positions::new(At::of(Span::default())));
                device.warp_ends(warp);
            }
            device.group_ends();
        }
        device.ends()
    }

    /// 16 threads, four warps: one unit edge, then one access each. A coalesced access takes four requests, one of
    /// stride 4 sixteen: requests + l - 1.
    #[test]
    fn requests_are_those_of_address_groups() {
        let coalesced = priced(&threads(16, Space::Global, |i| vec![i]), 8);
        assert_eq!((coalesced.warps, coalesced.groups, coalesced.rounds), (4, 2, 1));
        assert_eq!((coalesced.times.paper, coalesced.times.umm), (1 + 10, 1 + 4 + 9));
        let strided = priced(&threads(16, Space::Global, |i| vec![4 * i]), 8);
        assert_eq!((strided.times.paper, strided.times.umm), (1 + 10, 1 + 16 + 9));
        let broadcast = priced(&threads(16, Space::Global, |_| vec![7]), 8);
        assert_eq!((broadcast.accesses.global, broadcast.accesses.requests), (16, 4));
        // Each of the two groups has to get the line.
        assert_eq!(broadcast.accesses.misses, 2);
    }

    /// The device takes 16 threads at once: 40 threads run in three rounds, the last one half full.
    #[test]
    fn groups_run_in_rounds() {
        let all = priced(&threads(40, Space::Global, |i| vec![i]), 8);
        assert_eq!((all.warps, all.groups, all.rounds), (10, 5, 3));
        assert_eq!(all.times.paper, 3 * (1 + 10));
        assert_eq!(all.times.umm, 2 * (1 + 4 + 9) + (1 + 2 + 9));
        assert_eq!((all.work, all.longest), (80, 2));
    }

    /// Words of one bank are one after the other, equal words and words of other banks together.
    #[test]
    fn conflicts_of_banks_count_in_group_memory() {
        for (stride, most) in [(0, 1), (1, 1), (2, 2), (3, 1), (4, 4)] {
            let one = priced(&threads(4, Space::Group, |i| vec![stride * i]), 4);
            assert_eq!(one.accesses.group_requests, most, "stride {stride}");
            assert_eq!(one.times.umm, 1 + most);
            assert_eq!(one.times.paper, 1 + most.min(2));
        }
    }

    /// In `paper` threads are aligned by number, so both sides of a branch cost no more than the longer one; in `umm`
    /// the sides follow one another.
    #[test]
    fn sides_of_a_branch_follow_one_another_in_umm() {
        let mut all = threads(4, Space::Global, |i| vec![i]);
        for (number, thread) in all.iter_mut().enumerate() {
            let side = Span::nth(10 + number as u32 % 2);
            thread.access(At::of(side), Space::Global, 100 + number as u64);
        }
        let parted = priced(&all, 4);
        assert_eq!((parted.times.paper, parted.times.umm), (1 + 2 * 10, 1 + 3 * 10));
    }

    /// Three lines are at hand; a fourth drives the first one out.
    #[test]
    fn the_line_that_was_used_least_recently_goes() {
        let lines = |of: &[u64]| of.iter().map(|line| line * SMALL).collect::<Vec<_>>();
        let misses =
            |of: &[u64]| priced(&threads(1, Space::Global, |_| lines(of)), 4).accesses.misses;
        assert_eq!(misses(&[0, 1, 2, 0, 1, 2]), 3);
        assert_eq!(misses(&[0, 1, 2, 3, 0]), 5);
        assert_eq!(misses(&[0, 1, 2, 0, 3, 0]), 4);
    }
}
