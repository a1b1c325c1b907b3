//! Schedules that preempt: several work groups are under way at once, and behind each atomic operation any invocation of
//! theirs may go on.

use super::{Failure, Invocation, Running, State, group_id};
use crate::kit::faults::WrongJudge;
use crate::kit::groups::Shadow;
use crate::spirv::syntax::Module;
use crate::spirv::values::{Launch, Slot};

/// The number of work groups under way at first, and the greatest one that it may grow to.
const FIRST: u64 = 8;
const MOST: u64 = 1 << 8;

/// The slots that several groups under way take together at most.
const SLOTS: u64 = 1 << 20;

/// After so many turns of each invocation without the end of a group, the number of groups is doubled: those under way may
/// wait for a group that has not begun.
const PATIENCE: usize = 64;

/// A work group under way. What [`Running`] has of the group at hand is exchanged with it.
pub(super) struct UnderWay {
    first: u32,
    epochs: [u32; 2],
    memory: Vec<Slot>,
    shadow: Shadow,
    pub(super) invocations: Vec<Invocation>,
    /// Those that can go on.
    pub(super) ready: Vec<u32>,
}

/// How a work group went on.
enum Went {
    /// By an invocation.
    On,
    /// Past a barrier.
    Passed,
    /// To its end.
    Done,
}

impl Module {
    /// How many of its work groups are under way at once under a schedule that preempts: at first, and at most.
    pub(in crate::spirv) fn groups_at_once(&self) -> [u64; 2] {
        let size: u64 = self.size.iter().map(|size| u64::from(*size)).product();
        let each = self.own.len() as u64 + u64::from(self.depth.0);
        let slots = each.saturating_mul(size).saturating_add(self.group.len() as u64);
        [FIRST, MOST].map(|most| (SLOTS / slots.max(1)).clamp(1, most))
    }
}

impl Running<'_> {
    /// Runs all work groups, which start in the order of the schedule.
    pub(super) fn together(
        &mut self,
        launch: &Launch,
        count: u32,
        spare: &mut Vec<Invocation>,
    ) -> Result<(), Box<Failure>> {
        let [mut most, limit] = self.module.groups_at_once().map(|groups| groups as usize);
        let limit = if count as usize <= limit { limit } else { most };
        let mut turns = 0;
        let mut waiting = self.schedule.order(count.into()).numbers(count);
        let mut groups: Vec<UnderWay> = Vec::new();
        loop {
            while groups.len() < most
                && let Some(group) = waiting.next()
            {
                let begun = self.begin(group, launch, spare);
                groups.push(begun);
            }
            let ready: usize = groups.iter().map(|group| group.ready.len()).sum();
            if ready == 0 {
                return Ok(());
            }
            self.alone = ready == 1 && groups.len() == 1 && waiting.size_hint().0 == 0;
            turns += 1;
            if turns > PATIENCE * ready && !self.wrong(WrongJudge::EightGroups) {
                (most, turns) = (limit.min(2 * most), 0);
            }
            let mut at = self.schedule.next(ready);
            let mut number = 0;
            while at >= groups[number].ready.len() {
                at -= groups[number].ready.len();
                number += 1;
            }
            let group = &mut groups[number];
            self.exchange(group);
            let going_on = self.step(group, at);
            self.exchange(group);
            if let Ok(Went::Passed) = going_on {
                let before = groups[..number].iter().map(|group| group.ready.len()).sum();
                self.schedule.passes(before);
            }
            if self.is_asked(&going_on) {
                match self.schedule.starves() {
                    true => self.one_repeats(&mut groups[number], at),
                    false => self.groups_repeat(&mut groups, waiting.size_hint().0 > 0),
                }
            }
            if let Went::Done = going_on? {
                turns = 0;
                let done = groups.remove(number);
                spare.extend(done.invocations);
            }
        }
    }

    /// A work group at its start.
    fn begin(&mut self, group: u32, launch: &Launch, spare: &mut Vec<Invocation>) -> UnderWay {
        let id = group_id(group, launch.groups);
        let mut invocations = Vec::with_capacity(self.size as usize);
        for number in 0..self.size {
            let mut invocation = spare.pop().unwrap_or_default();
            self.frame(&mut invocation);
            self.prepare(&mut invocation, number, id, launch.groups);
            invocations.push(invocation);
        }
        let mut shadow = Shadow::default();
        shadow.start(self.module.group.len());
        UnderWay {
            first: group.wrapping_mul(self.size),
            epochs: [0, 0],
            memory: self.module.group.clone(),
            shadow,
            invocations,
            ready: self.schedule.order(self.size.into()).numbers(self.size).collect(),
        }
    }

    /// One of its invocations goes on, and if that was the last one that could, all of them.
    fn step(&mut self, group: &mut UnderWay, at: usize) -> Result<Went, Box<Failure>> {
        let UnderWay { invocations, ready, .. } = group;
        self.turn(invocations, ready[at])?;
        if invocations[ready[at] as usize].state != State::Ready {
            ready.swap_remove(at);
        }
        if !ready.is_empty() {
            return Ok(Went::On);
        }
        if !self.go_on(invocations)? {
            return Ok(Went::Done);
        }
        let order = self.schedule.order(self.size.into()).numbers(self.size);
        ready.extend(order.filter(|n| invocations[*n as usize].state == State::Ready));
        Ok(Went::Passed)
    }

    /// What is at hand of a group goes where the group is kept, and the other way round.
    pub(super) fn exchange(&mut self, group: &mut UnderWay) {
        std::mem::swap(&mut self.first, &mut group.first);
        std::mem::swap(&mut self.epochs, &mut group.epochs);
        std::mem::swap(self.group, &mut group.memory);
        std::mem::swap(self.group_shadow, &mut group.shadow);
    }
}
