//! Runs that never end: what is left of them comes back to a state in which it was.
//!
//! ```text
//! an invocation, or a group from barrier to barrier, comes back to a state in which it and all memory was
//! it executes no atomic operation meanwhile, or none that changes a word, and nobody else goes on
//! ───────────────────────────────────────────────────────────────────────────────────────────────────────
//! it never ends, in whatever order the invocations go on
//! ```
//!
//! What others do shows in the values of atomic operations only, and in plain memory behind barriers: other accesses race. If no
//! word changes, these values are the same in any order.

use super::exec::Stopped;
use super::together::UnderWay;
use super::{Failure, Invocation, Running, State};
use crate::kit::faults::WrongJudge;
use crate::spirv::rules::Rule;
use crate::spirv::syntax::Op;
use crate::spirv::values::{Repeats, Slot};
use std::slice;

/// How many blocks an invocation executes at most until the state is there again.
const BLOCKS: usize = 1 << 14;

/// Instructions that an invocation executes at most up to a barrier, and all of them at least.
const TURN: u64 = 1 << 12;
const ALL: u64 = 1 << 22;

/// Words of memory that are kept and compared at most, all in all.
const WORDS: u64 = 1 << 28;

/// How often the groups under way are looked at until atomic operations have changed nothing.
const PASSES: usize = 4;

/// The invocations of a group and all memory, and how many atomic operations there were, and how many that changed a word.
struct Kept {
    invocations: Vec<Invocation>,
    group: Vec<Slot>,
    buffers: Vec<Vec<u32>>,
    atomics: [u64; 2],
}

/// A way back to a state.
#[derive(Clone, Copy)]
struct Cycle {
    /// The first operation on it that has a line.
    at: usize,
    /// The invocation, if it is the way of a single one.
    invocation: Option<u32>,
    /// Are there atomic operations on it, and such that change a word?
    asks: bool,
    changes: bool,
}

/// What came of a group that was let go on.
enum Settled {
    Done,
    Comes(Cycle),
    /// Neither was seen.
    Open,
}

impl Running<'_> {
    /// Executes an invocation. If there is no fuel, it can go on from where it stopped.
    pub(super) fn go(&mut self, invocation: &mut Invocation) -> Result<Stopped, Box<Failure>> {
        let mut ended = self.run(invocation);
        if let Err(failure) = &mut ended
            && failure.rule == Rule::Loop
        {
            invocation.next = self.blocks[self.stopped as usize].start as usize;
            let has_line = self.module.sites.get(failure.at).is_some_and(|site| site.line > 0);
            let line = self.line_behind(invocation.next).filter(|_| !has_line);
            failure.at = line.map_or(failure.at, |(_, at)| at);
        }
        ended
    }

    /// Is a run that ended so asked whether it ever would end? That takes time, so only where it also goes on behind bad reads.
    pub(super) fn is_asked<T>(&self, ended: &Result<T, Box<Failure>>) -> bool {
        is_out_of_fuel(ended) && self.strictness.goes_on() && !self.wrong(WrongJudge::RepeatsUnseen)
    }

    /// Notes whether the invocation at hand comes back to where it is, of a group without barriers.
    pub(super) fn invocation_repeats(&mut self, invocation: &mut Invocation) {
        self.keeping_what_stopped(|running| {
            let cycle = running.comes_back(invocation)?;
            Some((cycle, running.is_settled(&cycle, true)))
        });
    }

    /// Notes whether the group at hand comes back to a state. `others` says whether there are other groups.
    pub(super) fn group_repeats(&mut self, invocations: &mut [Invocation], others: bool) {
        self.keeping_what_stopped(|running| match running.settle(invocations, &mut ALL.clone()) {
            // In another order the invocations may change words otherwise.
            Settled::Comes(Cycle { invocation: None, changes: true, .. }) => None,
            Settled::Comes(cycle) => Some((cycle, running.is_settled(&cycle, others))),
            Settled::Done | Settled::Open => None,
        });
    }

    /// Notes whether one of the groups under way, or all of them, come back to a state. `others` says whether there are groups
    /// that wait to begin.
    pub(super) fn groups_repeat(&mut self, groups: &mut [UnderWay], others: bool) {
        self.keeping_what_stopped(|running| {
            running.all_come_back(groups, others).map(|cycle| (cycle, true))
        });
    }

    /// Notes whether an invocation of a group under way comes back to where it is, while no other one is let go on.
    pub(super) fn one_repeats(&mut self, group: &mut UnderWay, at: usize) {
        self.exchange(group);
        let number = group.ready[at] as usize;
        self.invocation_repeats(&mut group.invocations[number]);
        self.exchange(group);
    }

    fn all_come_back(&mut self, groups: &mut [UnderWay], others: bool) -> Option<Cycle> {
        let mut fuel = ALL;
        for _ in 0..PASSES {
            let changed = self.changed;
            let mut cycles = Vec::new();
            let mut open = others;
            for group in &mut *groups {
                self.exchange(group);
                let settled = self.settle(&mut group.invocations, &mut fuel);
                self.exchange(group);
                match settled {
                    Settled::Comes(cycle) if self.is_settled(&cycle, true) => return Some(cycle),
                    Settled::Comes(cycle) => cycles.push(cycle),
                    Settled::Open => open = true,
                    Settled::Done => {}
                }
            }
            if open && !self.wrong(WrongJudge::OthersForgotten) {
                return None;
            }
            if changed == self.changed {
                let first = cycles.first().copied()?;
                let alone = if cycles.len() == 1 { first.invocation } else { None };
                return Some(Cycle { invocation: alone, ..first });
            }
        }
        None
    }

    /// Does it go on alike for ever, whatever others do? Else it does so if they do not go on.
    fn is_settled(&self, cycle: &Cycle, others: bool) -> bool {
        let same = !cycle.asks || !(others || cycle.changes);
        self.alone || same || self.wrong(WrongJudge::OthersForgotten)
    }

    /// What is told of the failure stays of the invocation that had no fuel.
    fn keeping_what_stopped(&mut self, look: impl FnOnce(&mut Self) -> Option<(Cycle, bool)>) {
        let kept = (self.invocation, self.last_atomic);
        self.looks_at = WORDS;
        let cycle = look(self);
        (self.invocation, self.last_atomic) = kept;
        self.repeats = cycle.map(|(Cycle { at, invocation, .. }, settled)| {
            let place = self.place(at);
            Repeats { place, invocation, settled }
        });
    }

    /// The group at hand goes on from barrier to barrier, with this fuel.
    fn settle(&mut self, invocations: &mut [Invocation], fuel: &mut u64) -> Settled {
        let mut kept: Option<Kept> = None;
        for phase in 0usize.. {
            let mut running = Vec::new();
            for (number, invocation) in invocations.iter_mut().enumerate() {
                self.invocation = self.first.wrapping_add(number as u32);
                match self.comes_to_rest(invocation, fuel) {
                    Some(true) => {}
                    Some(false) => running.push(number),
                    None => return Settled::Open,
                }
            }
            if !running.is_empty() {
                return self.all_spin(invocations, &running);
            }
            if let Some(kept) = &kept
                && let Some(at) = invocations.iter().find_map(|it| it.state.barrier())
                && let Some(cycle) = self.since(kept, invocations, at)
            {
                return Settled::Comes(cycle);
            }
            // Brent, "An improved Monte Carlo factorization algorithm": what is kept is as old as the way may be long.
            if phase == 0 || phase.is_power_of_two() {
                match self.kept(invocations) {
                    Some(now) => kept = Some(now),
                    None => return Settled::Open,
                }
            }
            match self.go_on(invocations) {
                Ok(true) => {}
                Ok(false) => return Settled::Done,
                Err(_) => return Settled::Open,
            }
        }
        Settled::Open
    }

    /// An invocation goes on. Does it come to a barrier or its end, with what fuel there is for it? None if it fails, or no
    /// fuel is left at all.
    fn comes_to_rest(&mut self, invocation: &mut Invocation, fuel: &mut u64) -> Option<bool> {
        self.fuel = TURN.min(*fuel);
        *fuel -= self.fuel;
        while invocation.state == State::Ready {
            invocation.state = match self.go(invocation) {
                Ok(Stopped::Done) => State::Done,
                Ok(Stopped::Waiting(at)) => State::Waiting(at),
                Ok(Stopped::Left) => State::Ready,
                Err(failure) if failure.rule == Rule::Loop => {
                    return (*fuel > 0).then_some(false);
                }
                Err(_) => return None,
            };
        }
        *fuel += self.fuel;
        Some(true)
    }

    /// Do all of these come back to where they are? The others of the group wait or are done.
    fn all_spin(&mut self, invocations: &mut [Invocation], spinning: &[usize]) -> Settled {
        let mut all: Option<Cycle> = None;
        for number in spinning {
            self.invocation = self.first.wrapping_add(*number as u32);
            let Some(cycle) = self.comes_back(&mut invocations[*number]) else {
                return Settled::Open;
            };
            // It needs nobody else.
            if !cycle.asks {
                return Settled::Comes(cycle);
            }
            all = Some(match all {
                Some(all) => {
                    Cycle { invocation: None, changes: all.changes || cycle.changes, ..all }
                }
                None => cycle,
            });
        }
        // Where some wait for others of their subgroup, a device may let them go on.
        let at_subgroup = |it: &Invocation| match it.state {
            State::Waiting(at) => matches!(self.module.code[at], Op::Subgroup(_)),
            _ => false,
        };
        match all.filter(|_| !invocations.iter().any(at_subgroup)) {
            Some(cycle) => Settled::Comes(cycle),
            None => Settled::Open,
        }
    }

    /// Executes block by block. Of two equal states of the invocation and of all memory the second leads to a third.
    fn comes_back(&mut self, invocation: &mut Invocation) -> Option<Cycle> {
        let before = self.kept(slice::from_ref(invocation))?;
        let mut first: Option<(u32, usize)> = None;
        for _ in 0..BLOCKS {
            self.fuel = 0;
            let line = self.line_behind(invocation.next);
            first = first.into_iter().chain(line).min();
            match self.go(invocation) {
                Ok(Stopped::Left) => {}
                ended if is_out_of_fuel(&ended) => {}
                _ => return None,
            }
            let at = first.map_or(invocation.next, |(_, at)| at);
            if let Some(cycle) = self.since(&before, slice::from_ref(invocation), at) {
                return Some(Cycle { invocation: Some(self.invocation), ..cycle });
            }
        }
        None
    }

    /// What is compared later, unless so much was that it takes too long.
    fn kept(&mut self, invocations: &[Invocation]) -> Option<Kept> {
        self.looks_at()?;
        Some(Kept {
            invocations: invocations.to_vec(),
            group: self.group.clone(),
            buffers: self.buffers.iter().map(|buffer| buffer.words.clone()).collect(),
            atomics: [self.atomics, self.changed],
        })
    }

    /// All memory is kept, or compared.
    fn looks_at(&mut self) -> Option<()> {
        let words: usize = self.buffers.iter().map(|buffer| buffer.words.len()).sum();
        self.looks_at = self.looks_at.checked_sub((words + self.group.len()) as u64)?;
        Some(())
    }

    /// The way back to what was kept, if this is the same.
    fn since(&mut self, kept: &Kept, invocations: &[Invocation], at: usize) -> Option<Cycle> {
        if !kept.invocations.iter().zip(invocations).all(|(a, b)| is_same(a, b)) {
            return None;
        }
        self.looks_at()?;
        let same = *self.group == kept.group
            && self.buffers.iter().map(|buffer| &buffer.words).eq(&kept.buffers);
        let [atomics, changed] = kept.atomics;
        let (asks, changes) = (self.atomics != atomics, self.changed != changed);
        same.then_some(Cycle { at, invocation: None, asks, changes })
    }

    /// The first operation of a block that has a line, and that.
    fn line_behind(&self, start: usize) -> Option<(u32, usize)> {
        let ends = |op: &Op| matches!(op, Op::Jump { .. } | Op::Branch { .. } | Op::Switch(_));
        let length = self.module.code[start..].iter().position(ends)?;
        let lines = (start..=start + length).map(|at| (self.module.sites[at].line, at));
        lines.into_iter().find(|(line, _)| *line > 0)
    }
}

fn is_out_of_fuel<T>(ended: &Result<T, Box<Failure>>) -> bool {
    ended.as_ref().is_err_and(|failure| failure.rule == Rule::Loop)
}

/// Do both go on alike?
fn is_same(a: &Invocation, b: &Invocation) -> bool {
    let calls = |of: &Invocation| -> Vec<usize> { of.calls.iter().map(|call| call.next).collect() };
    (a.next, a.state, a.frame) == (b.next, b.state, b.frame)
        && a.memory == b.memory
        && a.registers == b.registers
        && a.own == b.own
        && calls(a) == calls(b)
}
