//! Device boxes (section 6.4): the threads of a launch in warps, the warps in work groups, and as many work groups at a
//! time as the device takes (L26, L68). Priced group by group, so that a launch of any size takes the memory of the
//! groups that run at once.

use super::counts::{Accesses, Counted, Priced};
use super::lines::Lines;
use super::machine::Machine;
use super::sample::{Choice, Chosen};
use super::trace::{At, Event, Positions, Thread, steps};
use crate::kit::tap::Space;
use rustc_hash::FxHashMap;

/// A device box that is being priced.
pub(super) struct DeviceBox {
    width: u64,
    latency: u64,
    group_latency: u64,
    lines: Lines,
    prices: super::machine::Calibrated,
    choice: Choice,
    round: Round,
    priced: Priced,
    /// Room for the lines or words of a step.
    addresses: Vec<u64>,
}

/// The work groups that run at once, and the one of them that is being priced.
#[derive(Default)]
struct Round {
    /// Which of the rounds it is, and for how many it stands.
    number: u64,
    stands: u64,
    groups: u64,
    /// The steps of all of them.
    steps: Vec<Loads>,
    /// Which statement made so many requests in a step, to which memory, where it is not the first to do so.
    made: FxHashMap<(u64, At, Space), u64>,
    /// The longest of the groups in `paper`.
    longest: u64,
    group: Group,
}

/// The work group that is being priced.
#[derive(Default)]
struct Group {
    /// For how many groups it stands, and for how many in all rounds.
    stands: u64,
    stands_in_all: u64,
    warps: u64,
    /// Requests to its memory, by step, and in how many steps.
    requests: FxHashMap<u64, (u64, u64)>,
    /// The step behind the last barrier, and the last step that a warp has reached since.
    start: u64,
    reached: u64,
    /// Lines that were requested since, and by which steps.
    lines: Vec<u64>,
    requested: Vec<Requested>,
    /// In `paper`, since the last barrier: what the edge of each number that is an access takes and for how many edges it
    /// stands, and how many edges the longest thread has.
    weights: Vec<(u64, u64)>,
    edges: u64,
    /// How long it takes in `paper`, up to the last barrier.
    paper: u64,
}

/// What a step of a warp requests.
#[derive(Clone, Copy, Debug)]
struct Requested {
    edge: u64,
    site: At,
    /// Where its lines are, and how many.
    first: u32,
    lines: u32,
    /// For how many steps it stands, and for how many of the innermost loop.
    times: u64,
    of_loop: u32,
    /// Are rounds left out before it?
    behind_gap: bool,
}

/// What a step of a round has to wait for.
#[derive(Clone, Copy, Debug, Default)]
struct Loads {
    /// For how many edges without an access it stands.
    units: u64,
    /// For how many steps it stands in which some warp waits for global memory, and the requests of all of them.
    times: u64,
    requests: u64,
    /// The same for group memory, of the work group that makes most.
    group_times: u64,
    group_requests: u64,
    /// The first statement that made some of these requests, and how many.
    made: Option<(At, Space, u64)>,
}

impl DeviceBox {
    /// A box of groups of which these are executed.
    pub(super) fn new(machine: &Machine, choice: Choice) -> Self {
        let mut new = Self {
            width: machine.width,
            latency: machine.latency,
            group_latency: machine.group_latency,
            lines: Lines::new(machine.lines as usize),
            prices: machine.calibrated,
            choice,
            round: Round::default(),
            priced: Priced { parts: FxHashMap::default(), ..Priced::default() },
            addresses: Vec::new(),
        };
        new.group_starts(0);
        new
    }

    /// The first group from this one on that is executed.
    pub(super) fn next_group(&self, group: u64) -> u64 {
        self.choice.next(group)
    }

    /// What follows is of this group.
    pub(super) fn group_starts(&mut self, number: u64) {
        let Chosen { round, rounds, groups, .. } = self.choice.of(number);
        if round != self.round.number {
            self.round_ends();
        }
        self.round.number = round;
        self.round.stands = rounds;
        self.round.group.stands = groups;
        self.round.group.stands_in_all = groups.saturating_mul(rounds);
    }

    /// For how many groups the running one stands.
    pub(super) fn stands_in_all(&self) -> u64 {
        self.round.group.stands_in_all
    }

    /// What the threads of a warp did up to a barrier or to their end.
    pub(super) fn warp(&mut self, threads: &[Thread], positions: &Positions) {
        self.paper(threads);
        let start = self.round.group.start;
        let mut parted = 0;
        let edges = steps(threads, positions, |step| {
            parted += u64::from(!step.all);
            let mut at = start + step.edge;
            self.units(at, step.before);
            at += step.before.0;
            if let Some((space, accesses)) = step.accesses {
                self.step(at, space, accesses);
                at += 1;
            }
            self.units(at, step.after);
        });
        self.priced.parted += parted * self.stands_in_all();
        self.round.group.reached = self.round.group.reached.max(start + edges);
    }

    /// All warps of the group have come to a barrier, and wait for the last.
    pub(super) fn barrier(&mut self) {
        self.priced.barriers = self.priced.barriers.saturating_add(self.stands_in_all());
        self.phase_ends();
    }

    /// What the warps of the group did up to a barrier, or to their end, is all there.
    pub(super) fn phase_ends(&mut self) {
        let group = &mut self.round.group;
        group.start = group.reached;
        let (mut time, mut edges) = (0_u64, 0_u64);
        for (weight, times) in group.weights.drain(..) {
            time = time.saturating_add(weight);
            edges = edges.saturating_add(times);
        }
        let units = std::mem::take(&mut group.edges).saturating_sub(edges);
        group.paper = group.paper.saturating_add(time).saturating_add(units);
        self.misses();
    }

    /// How many lines are held of the running group.
    pub(super) fn held(&self) -> usize {
        self.round.group.lines.len()
    }

    /// How many steps are held.
    pub(super) fn steps(&self) -> usize {
        self.round.steps.len()
    }

    /// So many edges without an access, of a warp, from this one on, and for how many they stand.
    fn units(&mut self, from: u64, (units, stands): (u64, u64)) {
        let steps = &mut self.round.steps;
        let to = from + units;
        if (steps.len() as u64) < to {
            steps.resize(to as usize, Loads::default());
        }
        let (each, more) = (stands / units.max(1), stands % units.max(1));
        for (nth, step) in (0..).zip(&mut steps[from as usize..to as usize]) {
            step.units = step.units.max(each + u64::from(nth < more));
        }
    }

    /// A step of a warp in which it accesses memory.
    fn step(&mut self, at: u64, space: Space, events: &[Event]) {
        if self.round.steps.len() as u64 <= at {
            self.round.steps.resize(at as usize + 1, Loads::default());
        }
        let Event { site, of_loop, behind_gap, .. } = events[0];
        let addresses = &mut self.addresses;
        let unit = if space == Space::Global { self.width } else { 1 };
        addresses.clear();
        let (mut times, mut accesses, mut ascending) = (0, 0_u64, true);
        for event in events {
            let line = event.address / unit;
            times = event.times.max(times);
            accesses = accesses.saturating_add(event.times);
            match addresses.last() {
                Some(last) if *last == line => continue,
                Some(last) => ascending &= *last < line,
                None => {}
            }
            addresses.push(line);
        }
        if !ascending {
            addresses.sort_unstable();
            addresses.dedup();
        }
        let group = &mut self.round.group;
        let all = group.stands_in_all;
        self.priced.executed.accesses += events.len() as u64;
        let part = self.priced.parts.entry(site).or_default();
        let mut own = Accesses { steps: times, ..Accesses::default() };
        let loads = &mut self.round.steps[at as usize];
        let requests = match space {
            Space::Global => {
                let requests = (addresses.len() as u64).saturating_mul(times);
                own.global = accesses;
                own.requests = requests;
                let (first, lines) = (group.lines.len() as u32, addresses.len() as u32);
                let edge = at;
                let new = Requested { edge, site, first, lines, times, of_loop, behind_gap };
                group.requested.push(new);
                group.lines.extend_from_slice(addresses);
                let requests = requests.saturating_mul(group.stands);
                loads.times = loads.times.max(times);
                loads.requests = loads.requests.saturating_add(requests);
                requests
            }
            Space::Group => {
                let requests = most_of_a_bank(addresses, self.width).saturating_mul(times);
                let (most, made) = group.requests.entry(at).or_default();
                *most = times.max(*most);
                *made = made.saturating_add(requests);
                own.group = accesses;
                own.group_requests = requests;
                own.conflicts = requests.saturating_sub(times);
                requests.saturating_mul(group.stands)
            }
        };
        part.accesses += own.times(all);
        match &mut loads.made {
            None => loads.made = Some((site, space, requests)),
            Some((by, to, made)) if (*by, *to) == (site, space) => *made += requests,
            Some(_) => *self.round.made.entry((at, site, space)).or_default() += requests,
        }
    }

    /// Which of the lines that a group requests are not at hand, if its warps go in step. Rounds that are left out bring as many
    /// lines each as those before them did, which drive others out.
    fn misses(&mut self) {
        let group = &mut self.round.group;
        let all = group.stands_in_all;
        group.requested.sort_by_key(|of| of.edge);
        self.lines.clear();
        let mut left_out = 0;
        for of in group.requested.drain(..) {
            if of.behind_gap {
                self.lines.uses_others(std::mem::take(&mut left_out));
            }
            let first = of.first as usize;
            let own = &group.lines[first..first + of.lines as usize];
            let missed = own.iter().filter(|line| !self.lines.uses(**line)).count() as u64;
            if missed > 0 {
                left_out += missed * (u64::from(of.of_loop) - 1);
                let part = self.priced.parts.entry(of.site).or_default();
                part.accesses.misses += missed * of.times.saturating_mul(all);
            }
        }
        group.lines.clear();
    }

    /// `Δ` of fig. 7 in `paper`: edge by edge the longest of any thread of the group (L36). A conflict in group memory
    /// makes it 2; in global memory none is ever seen (L31).
    fn paper(&mut self, threads: &[Thread]) {
        let Group { weights, edges, .. } = &mut self.round.group;
        let mut banks: FxHashMap<(u64, u64), u64> = FxHashMap::default();
        for thread in threads {
            *edges = thread.edges().max(*edges);
            for (edge, space, event) in thread.numbered() {
                let weight = match space {
                    Space::Global => self.latency,
                    Space::Group => {
                        let bank = banks.entry((edge, event.address % self.width));
                        let conflicts = *bank.or_insert(event.address) != event.address;
                        if conflicts { self.group_latency.max(2) } else { self.group_latency }
                    }
                };
                let at = edge as usize;
                if weights.len() <= at {
                    weights.resize(at + 1, (0, 0));
                }
                let (heaviest, times) = &mut weights[at];
                *heaviest = weight.saturating_mul(event.times).max(*heaviest);
                *times = event.times.max(*times);
            }
        }
    }

    /// The threads of a warp are over.
    pub(super) fn warp_ends(&mut self, threads: &[Thread]) {
        let all = self.round.group.stands_in_all;
        for thread in threads {
            let own = thread.length().saturating_mul(all);
            self.priced.work = self.priced.work.saturating_add(own);
            self.priced.longest = self.priced.longest.max(thread.length());
        }
        self.round.group.warps += 1;
    }

    /// The running group is over: the next one is another.
    pub(super) fn group_ends(&mut self) {
        self.phase_ends();
        let round = &mut self.round;
        let mut group = std::mem::take(&mut round.group);
        for (at, (times, requests)) in group.requests.drain() {
            let step = &mut round.steps[at as usize];
            if requests > step.group_requests {
                (step.group_times, step.group_requests) = (times, requests);
            }
        }
        round.longest = round.longest.max(group.paper);
        round.groups += group.stands;
        self.priced.groups += group.stands_in_all;
        self.priced.warps += group.warps * group.stands_in_all;
        self.priced.executed.warps += group.warps;
        let Group { lines, requested, weights, .. } = group;
        round.group = Group { lines, requested, weights, ..Group::default() };
    }

    fn round_ends(&mut self) {
        let round = std::mem::take(&mut self.round);
        let Round { groups, steps, made, longest, stands, .. } = round;
        self.round.group = round.group;
        if groups == 0 {
            return;
        }
        let umm = |step: &Loads| self.latencies(step).into_iter().max().unwrap_or(0);
        let umm = steps.iter().map(umm).fold(0, u64::saturating_add);
        self.priced.rounds += stands;
        let times = &mut self.priced.times;
        times.paper = times.paper.saturating_add(longest.saturating_mul(stands));
        times.umm = times.umm.saturating_add(umm.saturating_mul(stands));
        let mut cal = 0.0;
        let mut counted = Counted::default();
        for step in &steps {
            match *step {
                Loads { requests: 0, group_requests: 0, units, .. } => counted.units += units,
                Loads { requests: 0, group_requests, .. } => {
                    counted.group_requests += group_requests
                }
                Loads { requests, times, .. } => {
                    counted.requests += requests;
                    counted.waits += times;
                }
            }
            let Loads { units, times, requests, group_requests, .. } = *step;
            let global = self.prices.request * requests as f64 + self.prices.wait * times as f64;
            let group = self.prices.group_request * group_requests as f64;
            let unit = self.prices.unit * units as f64;
            cal += global.max(group).max(unit);
        }
        self.priced.times.cal += cal * stands as f64;
        let all = &mut self.priced.counted;
        all.requests += counted.requests.saturating_mul(stands);
        all.waits += counted.waits.saturating_mul(stands);
        all.group_requests += counted.group_requests.saturating_mul(stands);
        all.units += counted.units.saturating_mul(stands);
        let mut more: Vec<_> = made.into_iter().collect();
        more.sort_unstable_by_key(|(of, _)| *of);
        let first = steps.iter().filter_map(|step| Some((step, step.made?)));
        let more = more
            .into_iter()
            .map(|((at, site, space), requests)| (&steps[at as usize], (site, space, requests)));
        for (step, (site, space, requests)) in first.chain(more) {
            let [global, group, _] = self.latencies(step);
            let time = match space {
                Space::Global => global as f64 * requests as f64 / step.requests as f64,
                // Of several groups only the slowest counts: all of them share what it takes.
                Space::Group if global == 0 => group as f64 / groups as f64,
                Space::Group => 0.0,
            };
            self.priced.parts.entry(site).or_default().time += time * stands as f64;
        }
    }

    /// How long a step takes for global memory, for group memory, and for what is no access.
    fn latencies(&self, step: &Loads) -> [u64; 3] {
        let pipelined = |requests: u64, times: u64, latency: u64| {
            requests.saturating_add(times.saturating_mul(latency - 1))
        };
        [
            pipelined(step.requests, step.times, self.latency),
            pipelined(step.group_requests, step.group_times, self.group_latency),
            step.units,
        ]
    }

    /// The launch is over. What the launch itself takes is not in it.
    pub(super) fn ends(mut self) -> Priced {
        self.round_ends();
        let priced = &mut self.priced;
        for part in priced.parts.values() {
            priced.accesses += part.accesses;
        }
        priced.counted.misses = priced.accesses.misses;
        priced.times.cal += self.prices.miss * priced.accesses.misses as f64;
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
    use super::super::sample::Share;
    use super::*;
    use crate::kit::text::Span;

    const SMALL: u64 = 4;

    fn machine() -> Machine {
        Machine { width: SMALL, warps: 2, threads: 16, latency: 10, lines: 3, ..Machine::default() }
    }

    /// Threads that each access the words that `of` says, one after the other.
    fn threads(n: u64, space: Space, of: impl Fn(u64) -> Vec<u64>) -> Vec<Thread> {
        let thread = |number| {
            let mut thread = Thread::new(Share::new(None));
            for (at, word) in of(number).into_iter().enumerate() {
                thread.executes(1);
                thread.access(At::of(Span::nth(at as u32)), space, word);
            }
            thread
        };
        (0..n).map(thread).collect()
    }

    fn priced(threads: &[Thread], group: u64) -> Priced {
        let machine = machine();
        let at_once = machine.threads / group;
        let mut device = DeviceBox::new(&machine, Choice::Whole(at_once));
        for (number, threads) in (0..).zip(threads.chunks(group as usize)) {
            device.group_starts(number);
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
