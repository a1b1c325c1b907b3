//! A work group: whose step is the next, and what a barrier waits for.

use super::code::Code;
use super::memory::Shared;
use super::step::Thread;
use super::values::{Failure, Frame, Halt as Stop, Invocation, State, Times};
use crate::device::host::Halt;
use crate::device::scalar::int;
use crate::device::syntax::Scope;
use crate::kit::groups::Who;
use crate::kit::outcome::{Broken, Why};
use crate::kit::schedule::{Schedule, Step};

/// The lowest invocation that got stuck.
pub(super) type Lowest = Option<(u32, Failure)>;

/// A group that runs.
pub(super) struct Group<'g, 'm, 'p> {
    pub(super) code: &'g Code<'p>,
    pub(super) shared: &'g mut Shared<'m, 'p>,
    pub(super) schedule: &'g mut dyn Schedule,
    /// Of the schedule: is an invocation left where it could go on?
    pub(super) preempts: bool,
    pub(super) lowest: &'g mut Lowest,
    /// Most rounds of one invocation.
    pub(super) rounds: &'g mut u64,
    /// Barriers of the arena's memory and of the group's that it has passed.
    pub(super) epochs: [u32; 2],
}

impl<'m, 'p> Group<'_, 'm, 'p> {
    /// `D-GROUP`
    ///
    /// ```text
    /// M, zeroed work-group memory ⊢ the invocations l = 0, …, s - 1 by small steps, each of them with
    ///     zeroed private variables, the next step by any that does not wait ⇓ M'
    /// ─────────────────────────────────────────────────────────────────────────
    /// M ⊢ group g of k ⇓ M'
    /// ```
    pub(super) fn run(&mut self, invocations: &mut [Invocation<'p>]) -> Result<(), Halt> {
        self.shared.group.fill(0);
        self.shared.group_shadow.start(self.shared.group.len());
        let size = self.size();
        if !self.preempts && !self.code.barriers {
            let only = &mut invocations[0];
            for local in self.schedule.order(size.into()).numbers(size) {
                self.start(only, local);
                self.turn(only)?;
            }
            return Ok(());
        }
        let invocations = &mut invocations[..size as usize];
        for (local, invocation) in (0..).zip(&mut *invocations) {
            self.start(invocation, local);
        }
        loop {
            let order = self.schedule.order(size.into()).numbers(size);
            if self.preempts {
                self.steps(invocations, order)?;
            } else {
                for local in order {
                    self.turn(&mut invocations[local as usize])?;
                }
            }
            if !self.barrier(invocations)? {
                return Ok(());
            }
        }
    }

    /// How many invocations of the group run.
    fn size(&self) -> u32 {
        match self.code.iteration {
            Some(_) => {
                self.code.group.min(self.shared.invocations - self.shared.number * self.code.group)
            }
            None => self.code.group,
        }
    }

    /// Puts an invocation at its start.
    fn start(&mut self, own: &mut Invocation<'p>, local: u32) {
        own.local = local;
        own.global = self.shared.number * self.code.group + local;
        own.rounds = 0;
        own.state = State::Ready;
        own.frames.clear();
        own.frames.push(Frame::Seq(self.code.body));
        let (first, cells) = self.code.private;
        own.cells[first as usize..(first + cells) as usize].fill(0);
        if let Some(x) = self.code.iteration {
            own.cells[self.code.slot(x).at as usize] = int(i64::from(own.global) + 1);
        }
    }

    fn thread<'t>(&'t mut self, own: &'t mut Invocation<'p>) -> Thread<'t, 'm, 'p> {
        let first = self.shared.number * self.code.group;
        let [arena, group] = self.epochs.map(|epoch| Who {
            invocation: own.global,
            group: first,
            size: self.code.group,
            epoch,
        });
        let times = Times { arena, group };
        self.shared.span = self.code.span;
        Thread { code: self.code, own, shared: self.shared, times }
    }

    /// An invocation makes all steps that it can.
    fn turn(&mut self, own: &mut Invocation<'p>) -> Result<(), Halt> {
        self.shared.tells(|tap, clock| tap.thread(own.global.into(), clock));
        let failed = self.thread(own).run();
        self.note(own, failed)
    }

    /// As long as any can make a step, the one that the schedule chooses of those that can makes one.
    fn steps(
        &mut self,
        invocations: &mut [Invocation<'p>],
        order: impl Iterator<Item = u32>,
    ) -> Result<(), Halt> {
        let is_ready = |own: &Invocation<'_>| matches!(own.state, State::Ready);
        let order = order.map(|local| local as usize);
        let mut ready: Vec<usize> = order.filter(|at| is_ready(&invocations[*at])).collect();
        while !ready.is_empty() {
            let at = self.schedule.next(ready.len());
            let own = &mut invocations[ready[at]];
            self.shared.tells(|tap, clock| tap.thread(own.global.into(), clock));
            loop {
                self.shared.step = Step::Plain;
                let failed = self.thread(own).advance();
                self.note(own, failed)?;
                if !is_ready(own) {
                    ready.swap_remove(at);
                    break;
                }
                if !self.schedule.stays(self.shared.step) {
                    break;
                }
            }
        }
        Ok(())
    }

    fn note(
        &mut self,
        own: &Invocation<'p>,
        failed: Result<Option<Failure>, Box<Stop>>,
    ) -> Result<(), Halt> {
        *self.rounds = own.rounds.max(*self.rounds);
        // A failed premise is a state of the invocation, so what is left is the fuel.
        let Ok(failed) = failed else { return Err(Halt::Unknown(Why::Fuel)) };
        if let Some(failure) = failed
            && self.lowest.as_ref().is_none_or(|(other, _)| own.global < *other)
        {
            *self.lowest = Some((own.global, failure));
        }
        Ok(())
    }

    /// The conclusion of `D-BARRIER`: every invocation that is not stuck waits at one barrier, and
    /// goes on. Or all have ended: then there is none.
    fn barrier(&mut self, invocations: &mut [Invocation<'p>]) -> Result<bool, Halt> {
        let mut barrier = None;
        let mut ended = false;
        for own in &*invocations {
            match own.state {
                State::Waits(scope, stm) => {
                    if barrier.is_some_and(|(_, other)| !std::ptr::eq(other, stm)) {
                        return Err(self.diverged(own));
                    }
                    barrier = Some((scope, stm));
                }
                State::Ended => ended = true,
                State::Stuck => {}
                State::Ready => unreachable!("all steps that can be made were made"),
            }
        }
        let Some((scope, _)) = barrier else { return Ok(false) };
        for own in invocations {
            if let State::Waits(..) = own.state {
                if ended {
                    return Err(self.diverged(own));
                }
                own.state = State::Ready;
            }
        }
        self.epochs[usize::from(scope == Scope::Workgroup)] += 1;
        self.shared.tells(|tap, clock| tap.barrier(clock));
        Ok(true)
    }

    /// What validation excludes: a barrier that only some invocations of a group reach.
    fn diverged(&self, own: &Invocation<'_>) -> Halt {
        let (local, number) = (own.local, self.shared.number);
        let text = format!("invocation {local} of work group {number} waits at a barrier alone");
        Halt::Broken(Broken::Panic(text))
    }
}
