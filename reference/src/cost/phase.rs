//! Phases of a device box (L68): threads side by side, told one after the other by a room whose runs launch no kernels.

use super::counts::Accesses;
use super::device_box::DeviceBox;
use super::machine::{Machine, Times};
use super::sample::{Choice, Share};
use super::trace::{At, Positions, Thread};
use crate::kit::tap::Space;
use crate::kit::text::Span;

/// Most positions that are kept from one warp to the next.
const MOST: usize = 1 << 20;

/// Threads side by side, in warps and in groups of [`Machine::warps`] warps, as many of which run at once as the device
/// has threads for.
///
/// A *site* says where in the text an access is. Threads of a warp that are not at one position go on in the order of
/// their sites, by start and then by end.
pub struct Phase {
    device: DeviceBox,
    positions: Positions,
    /// Threads of a group, and of a warp.
    group: u64,
    width: u64,
    /// The running warp: how many of these are its threads; the others only have room.
    threads: Vec<Thread>,
    running: u64,
    /// Threads that were started.
    started: u64,
    /// Roughly how many events are held.
    held: u64,
}

/// What a phase takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// How long, in each mode.
    pub times: Times,
    /// Its accesses.
    pub accesses: Accesses,
    /// How often as many groups as the device takes ran at once.
    pub rounds: u64,
    /// Steps of warps in which some threads wait for others of their warp.
    pub parted: u64,
}

impl Phase {
    /// One without threads.
    pub fn new(machine: &Machine) -> Self {
        let group = machine.width.saturating_mul(machine.warps);
        let at_once = (machine.threads / group).max(1);
        Self {
            device: DeviceBox::new(machine, Choice::Whole(at_once)),
            positions: Positions::new(At::of(Span::default())),
            group,
            width: machine.width,
            threads: Vec::new(),
            running: 0,
            started: 0,
            held: 0,
        }
    }

    /// The next thread starts, and the one before is over.
    pub fn thread(&mut self) {
        if self.running == self.width {
            self.warp_ends();
        }
        if self.started.is_multiple_of(self.group) {
            self.device.group_starts(self.started / self.group);
        }
        let share = Share::new(None);
        match self.threads.get_mut(self.running as usize) {
            Some(thread) => thread.starts(share),
            None => self.threads.push(Thread::new(share)),
        }
        self.running += 1;
        self.started += 1;
    }

    /// So many threads were started.
    pub fn started(&self) -> u64 {
        self.started
    }

    /// The running thread goes on by so many edges of weight 1.
    pub fn executes(&mut self, edges: u64) {
        self.own(|own, _| own.executes(edges));
    }

    /// It accesses a word.
    pub fn access(&mut self, site: Span, space: Space, address: u64) {
        self.own(|own, _| own.access(At::of(site), space, address));
        self.held += 1;
    }

    /// Threads part behind this place, or meet again: they come from this side, counted from 1, or are not parted yet.
    pub fn parts(&mut self, site: Span, side: u32) {
        self.held += u64::from(self.own(|own, positions| own.parts(positions, At::of(site), side)));
    }

    /// It goes into a call or a loop.
    pub fn enter(&mut self, site: Span) {
        let entered = self.own(|own, positions| own.enter(positions, At::of(site), None));
        self.held += u64::from(entered);
    }

    /// Another round starts of the innermost loop.
    pub fn round(&mut self) {
        self.held += u64::from(self.own(Thread::round));
    }

    /// It leaves the innermost call or loop.
    pub fn leave(&mut self) {
        self.held += u64::from(self.own(|own, positions| own.leave(positions)));
    }

    /// Roughly what is held, in bytes.
    pub fn bytes(&self) -> u64 {
        let lines = self.device.held() + self.device.steps();
        128 * (self.held + (lines + self.positions.count()) as u64)
    }

    /// All threads are over.
    pub fn ends(mut self) -> Spent {
        self.warp_ends();
        if !self.started.is_multiple_of(self.group) {
            self.device.group_ends();
        }
        let priced = self.device.ends();
        Spent {
            times: priced.times,
            accesses: priced.accesses,
            rounds: priced.rounds,
            parted: priced.parted,
        }
    }

    fn own<T: Default>(&mut self, what: impl FnOnce(&mut Thread, &mut Positions) -> T) -> T {
        let Self { threads, positions, running, .. } = self;
        let own = running.checked_sub(1).and_then(|own| threads.get_mut(own as usize));
        own.map_or_else(T::default, |own| what(own, positions))
    }

    fn warp_ends(&mut self) {
        if self.running == 0 {
            return;
        }
        let warp = &mut self.threads[..self.running as usize];
        warp.iter_mut().for_each(|thread| thread.ends(&self.positions));
        self.device.warp(warp, &self.positions);
        self.device.warp_ends(warp);
        (self.running, self.held) = (0, 0);
        if self.started.is_multiple_of(self.group) {
            self.device.group_ends();
        }
        if self.positions.count() > MOST {
            self.positions = Positions::new(At::of(Span::default()));
        }
    }
}

impl std::ops::AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        self.times += other.times;
        self.accesses += other.accesses;
        self.rounds += other.rounds;
        self.parted += other.parted;
    }
}

impl std::fmt::Debug for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Phase").field("started", &self.started).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> Machine {
        Machine { width: 4, warps: 2, threads: 16, latency: 10, ..Machine::default() }
    }

    /// Requests of all warps that run at once are one behind the other; 40 threads run in three rounds.
    #[test]
    fn threads_run_in_rounds_of_groups() {
        let mut phase = Phase::new(&machine());
        for number in 0..40 {
            phase.thread();
            phase.executes(1);
            phase.access(Span::nth(1), Space::Global, number);
        }
        let spent = phase.ends();
        assert_eq!((spent.rounds, spent.parted), (3, 0));
        assert_eq!(spent.times.umm, 2 * (1 + 4 + 9) + (1 + 2 + 9));
        assert_eq!(Phase::new(&machine()).ends(), Spent::default());
    }

    /// Threads of a warp that part at a branch go one after the other, and meet behind it.
    #[test]
    fn threads_part_and_meet() {
        let mut phase = Phase::new(&machine());
        for number in 0..4 {
            phase.thread();
            phase.parts(Span::nth(1), 0);
            let side = number as u32 % 2;
            phase.enter(Span::nth(2 + side));
            phase.access(Span::nth(9), Space::Global, number);
            phase.leave();
            phase.parts(Span::nth(5), 1 + side);
            phase.access(Span::nth(6), Space::Global, number);
        }
        let spent = phase.ends();
        assert_eq!((spent.times.umm, spent.parted), (3 * 10, 2));
    }
}
