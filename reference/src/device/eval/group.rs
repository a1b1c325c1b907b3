//! Work groups: whose step is the next, and what a barrier waits for.

use super::code::Code;
use super::memory::Shared;
use super::step::Thread;
use super::values::{Failure, Frame, Halt as Stop, Invocation, State, Times};
use crate::device::host::Halt;
use crate::device::rules::Rule;
use crate::device::scalar::{Cell, int};
use crate::device::syntax::Scope;
use crate::kit::groups::{Shadow, Who};
use crate::kit::outcome::{Broken, Why};
use crate::kit::schedule::{Schedule, Step};
use std::mem::swap;

/// The failure that is told, and its invocation: the one of the lowest work group, of these the one with the least order,
/// and of these the one of the lowest invocation. Orders are compared lexicographically, and what has none has the empty one.
pub(super) type Lowest = Option<(u32, Failure)>;

/// A group that runs.
pub(super) struct Group<'g, 'm, 'p> {
    pub(super) code: &'g Code<'p>,
    pub(super) shared: &'g mut Shared<'m, 'p>,
    pub(super) schedule: &'g mut dyn Schedule,
    pub(super) lowest: &'g mut Lowest,
    /// Most rounds of one invocation.
    pub(super) rounds: &'g mut u64,
    /// Barriers of the arena's memory and of the group's that it has passed.
    pub(super) epochs: [u32; 2],
}

/// A group that has started, while another one makes a step.
struct Started<'p> {
    number: u32,
    invocations: Vec<Invocation<'p>>,
    /// How many of them can make a step.
    ready: usize,
    /// The memory of the group, with its accesses.
    memory: Vec<Cell>,
    shadow: Shadow,
    epochs: [u32; 2],
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
    ///
    /// The next step may be one of another group ([`together`](Self::together)).
    pub(super) fn run(
        &mut self,
        number: u32,
        invocations: &mut [Invocation<'p>],
    ) -> Result<(), Halt> {
        self.shared.number = number;
        self.epochs = [0, 0];
        self.shared.recorder.enter(Rule::Group, || number.to_string());
        let ran = self.alone(invocations);
        self.shared.recorder.leave(String::new);
        ran
    }

    fn alone(&mut self, invocations: &mut [Invocation<'p>]) -> Result<(), Halt> {
        self.shared.group.fill(0);
        self.shared.group_shadow.start(self.shared.group.len());
        let size = self.size();
        if !self.code.barriers {
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
            for local in self.schedule.order(size.into()).numbers(size) {
                self.turn(&mut invocations[local as usize])?;
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

    /// Groups with these numbers, at most so many at a time. As long as an invocation of these can make a step, the one that
    /// the schedule chooses of those that can makes one.
    pub(super) fn together(
        &mut self,
        mut numbers: impl Iterator<Item = u32>,
        most: usize,
        one: &Invocation<'p>,
    ) -> Result<(), Halt> {
        let mut ready: Vec<(usize, u32)> = Vec::new();
        let mut started: Vec<Started<'p>> = Vec::new();
        for number in numbers.by_ref().take(most) {
            started.push(Started {
                number,
                invocations: vec![one.clone(); self.code.group as usize],
                ready: 0,
                memory: vec![0; self.code.workgroup as usize],
                shadow: Shadow::default(),
                epochs: [0, 0],
            });
        }
        for (at, group) in started.iter_mut().enumerate() {
            self.swap(group);
            self.begin(group);
            self.choose_from(group, at, &mut ready);
            self.swap(group);
        }
        while !ready.is_empty() {
            let chosen = self.schedule.next(ready.len());
            let (at, local) = ready[chosen];
            let group = &mut started[at];
            self.swap(group);
            if !self.steps(&mut group.invocations[local as usize])? {
                ready.swap_remove(chosen);
                group.ready -= 1;
            }
            if group.ready == 0 {
                let size = self.size() as usize;
                if self.barrier(&mut group.invocations[..size])? {
                    self.choose_from(group, at, &mut ready);
                } else if let Some(number) = numbers.next() {
                    // The place of a group that has ended is another's.
                    self.shared.number = number;
                    self.begin(group);
                    self.choose_from(group, at, &mut ready);
                }
            }
            self.swap(group);
        }
        Ok(())
    }

    /// What stands for the group that makes steps is that of another one from now on, whose place takes what stood there.
    fn swap(&mut self, group: &mut Started<'p>) {
        swap(&mut self.shared.number, &mut group.number);
        swap(&mut self.shared.group, &mut group.memory);
        swap(self.shared.group_shadow, &mut group.shadow);
        swap(&mut self.epochs, &mut group.epochs);
    }

    /// The group that makes steps starts.
    fn begin(&mut self, group: &mut Started<'p>) {
        let number = self.shared.number;
        self.shared.recorder.enter(Rule::Group, || number.to_string());
        self.shared.recorder.leave(String::new);
        self.shared.group.fill(0);
        self.shared.group_shadow.start(self.shared.group.len());
        self.epochs = [0, 0];
        for (local, invocation) in (0..self.size()).zip(&mut group.invocations) {
            self.start(invocation, local);
        }
    }

    /// The invocations of the group that can make a step are among those of which the schedule chooses.
    fn choose_from(&mut self, group: &mut Started<'p>, at: usize, ready: &mut Vec<(usize, u32)>) {
        let (size, before) = (self.size(), ready.len());
        let order = self.schedule.order(size.into()).numbers(size);
        let is_ready = |local: &u32| group.invocations[*local as usize].is_ready();
        ready.extend(order.filter(is_ready).map(|local| (at, local)));
        group.ready = ready.len() - before;
    }

    /// An invocation makes steps until the schedule asks for another one; can it make one more?
    fn steps(&mut self, own: &mut Invocation<'p>) -> Result<bool, Halt> {
        self.shared.tells(|tap, clock| tap.thread(own.global.into(), clock));
        loop {
            self.shared.step = Step::Plain;
            let failed = self.thread(own).advance();
            self.note(own, failed)?;
            if !own.is_ready() || !self.schedule.stays(self.shared.step) {
                return Ok(own.is_ready());
            }
        }
    }

    fn note(
        &mut self,
        own: &Invocation<'p>,
        failed: Result<Option<Failure>, Box<Stop>>,
    ) -> Result<(), Halt> {
        *self.rounds = own.rounds.max(*self.rounds);
        // A failed premise is a state of the invocation, so what is left is the fuel.
        let Ok(failed) = failed else { return Err(Halt::Unknown(Why::Fuel)) };
        let Some(failure) = failed else { return Ok(()) };
        let size = self.code.group;
        let is_told = match &*self.lowest {
            None => true,
            Some((other, lowest)) => {
                let place = |global: u32| (global / size, global);
                let [(group, number), (its_group, its_number)] = [own.global, *other].map(place);
                (group, &failure.order, number) < (its_group, &lowest.order, its_number)
            }
        };
        if is_told {
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
