//! Forcing push arrays: by a thread, one element after the other, or by a group, whose threads step
//! together.

use super::code::Node;
use super::machine::{Control, Frame, Job, Machine, Sequential, Target};
use super::{Run, atom};
use crate::fcl::rules::{LEVEL, Rule};
use crate::fcl::syntax::Level;
use crate::fcl::values::Id;
use crate::fcl::values::{Cells, Env, Pull, Thunk, Val};
use crate::kit::outcome::{Cause, Stuck, holds};
use crate::kit::run::{Eval, Evaluator, Stop};
use crate::kit::text::Span;
use std::mem;
use std::rc::Rc;

/// A thread of a group, and the element that it was given.
#[derive(Debug, Default)]
pub(super) struct Lane {
    machine: Machine,
    /// The value of its element, once it has one.
    val: Option<Val>,
    /// Where it goes, in a chunk of `interleave`.
    target: Option<i32>,
}

/// Threads that step together, at most. None sees what another one does, so that a machine of more of them
/// comes to the same.
const TOGETHER: u64 = 1 << 16;

impl Run<'_> {
    /// `force v`, or what a rule forces.
    pub(super) fn force(&mut self, array: Val, span: Span) -> Eval {
        let push = match array {
            Val::Push(push) => push,
            Val::Delayed(delayed) => return self.force_delayed(delayed, span),
            other => unreachable!("typing promises a push array, not {other:?}"),
        };
        let elements = &push.elements;
        let rule = match self.is_done(elements) {
            true => Rule::EForceDone,
            false if self.place.level == 0 => Rule::EForceThread,
            false => Rule::EForceGroup,
        };
        if !self.place.respects(push.level, self.state.recorder) {
            return self.stuck_level(rule, push.level, span);
        }
        let count = elements.len();
        self.has_length(count)?;
        let job = Job { elements: Some(Rc::clone(elements)), count, target: self.target() };
        match (rule, &job.target) {
            (Rule::EForceDone, None) => {
                let cells = self.cells_of(elements)?;
                self.e_force_done(cells)
            }
            _ if self.place.level == 0 => self.e_force_thread(job),
            _ => {
                let mut cells = Cells::new(&self.ledger);
                self.e_force_group(&job, &mut cells)?;
                self.e_force_done(Rc::new(Pull::Cells(cells)))
            }
        }
    }

    /// Are all elements base values?
    fn is_done(&self, elements: &Pull) -> bool {
        match elements {
            Pull::Cells(_) => true,
            Pull::Literal { first, count, .. } => {
                (0..*count).all(|at| self.code.is_base(self.code.part(first + at)))
            }
            other => other.len() == 0,
        }
    }

    /// Elements that are base values.
    fn cells_of(&mut self, elements: &Rc<Pull>) -> Eval<Rc<Pull>> {
        if let Pull::Cells(_) = **elements {
            return Ok(Rc::clone(elements));
        }
        let count = elements.len();
        let mut cells = Cells::new(&self.ledger);
        if let Pull::Literal { first, .. } = **elements {
            self.charge(count as u64)?;
            for at in 0..count as u32 {
                let val = self.base(self.code.part(first + at))?;
                cells.push(val, count as usize)?;
            }
        }
        Ok(Rc::new(Pull::Cells(cells)))
    }

    /// The base value that an expression is.
    fn base(&self, id: Id) -> Eval<Val> {
        match self.code.node(id) {
            Node::Pair(a, b) => Ok(Val::pair([self.base(a)?, self.base(b)?])?),
            node => Ok(atom(node, &Env::default())?.expect("the others are no base values")),
        }
    }

    /// The level of the array is another one than that of the location.
    #[cold]
    pub(super) fn stuck_level(&mut self, rule: Rule, level: u32, span: Span) -> Eval {
        // Of a chunk, the force of the whole is stuck, for its level is one above that of its chunks.
        let (mut rule, mut level, mut place) = (rule, level, self.place);
        let mut thread = self.thread();
        let suspended = self.suspended.iter().rev().filter(|_| self.element.is_none());
        let frames = std::iter::once(&self.machine).chain(suspended);
        for frame in frames.flat_map(|machine| machine.frames.iter().rev()) {
            let Frame::Chunk(chunks) = frame else { break };
            rule = chunks.delayed.rule();
            level += 1;
            place = chunks.place;
            thread.pop();
        }
        self.place = place;
        self.notes(rule, |_| format!("force […]<{}>", Level::written(level)));
        let operands = [level.into(), place.level.into()];
        Err(self.state.stuck(rule, span, LEVEL, thread, &operands))
    }

    /// `E-FORCE-DONE` (39)
    ///
    /// ```text
    /// loc ▷ γ                                                                     (level)
    /// ─────────────────────────────────────────
    /// force [bv₁, …, bvₙ]<γ> ↪ [bv₁, …, bvₙ]
    /// ```
    fn e_force_done(&mut self, cells: Rc<Pull>) -> Eval {
        let level = self.place.level;
        let cells = Val::Pull(cells);
        self.opens(Rule::EForceDone, |told| {
            format!("force {}<{}>", told.val(&cells), Level::written(level))
        })?;
        self.gives(cells)
    }

    /// `E-FORCE-THREAD` (40), for each element in turn
    ///
    /// ```text
    /// Thread(t) ▷ γ                                                               (level)
    /// eᵢ ↪ e'ᵢ  at Thread(t)
    /// ─────────────────────────────────────────────────────────────────────────────────
    /// force [bv₁, …, eᵢ, …, eₙ]<γ> ↪ force [bv₁, …, e'ᵢ, …, eₙ]<γ>  at Thread(t)
    /// ```
    fn e_force_thread(&mut self, job: Job) -> Eval {
        let (cells, targets) = (Cells::new(&self.ledger), Vec::new());
        self.next_of(Box::new(Sequential { job, at: 0, val: None, cells, targets }))
    }

    /// Goes on with an element, if there is one.
    fn next_of(&mut self, force: Box<Sequential>) -> Eval {
        let Sequential { job, at, .. } = &*force;
        let (at, count) = (*at, job.count);
        if at == count {
            let Sequential { cells, targets, .. } = *force;
            self.gives_targets(&targets);
            return self.e_force_done(Rc::new(Pull::Cells(cells)));
        }
        self.opens(Rule::EForceThread, |_| format!("force […]<0>, element {} of {count}", at + 1))?;
        self.closes()?;
        let elements = job.elements.clone().expect("a chunk of a warp is not delayed");
        self.push(Frame::Sequential(force))?;
        self.element(&elements, at)
    }

    /// An element of a sequential force has a value, or a target has one.
    pub(super) fn sequential(&mut self, mut force: Box<Sequential>, val: Val) -> Eval<bool> {
        let count = force.job.count as usize;
        match (force.job.target.clone(), force.val.take()) {
            (Some(target), None) => {
                let at = force.at;
                force.val = Some(val);
                self.push(Frame::Sequential(force))?;
                self.asks(&target, at)?;
                return Ok(false);
            }
            (Some(target), Some(element)) => {
                let place = val.int();
                self.push(Frame::Sequential(force))?;
                self.is_target(&target, place)?;
                let Some(Frame::Sequential(top)) = self.machine.frames.pop() else {
                    unreachable!("just pushed")
                };
                force = top;
                force.targets.push(place);
                force.cells.push(element, count)?;
            }
            (None, _) => force.cells.push(val, count)?,
        }
        force.at += 1;
        self.next_of(force)?;
        Ok(true)
    }

    /// `E-FORCE-GROUP` (41), one application a round: the elements are dealt to the threads of the
    /// location, as many as there are at once (reading 11). Values stay. A thread that is stuck stops, the others
    /// go on, and the lowest of them is told.
    ///
    /// ```text
    /// Group({loc, …}) ▷ γ                                                         (level)
    /// eᵢ ↪ e'ᵢ  at a thread of the group, for all i whose eᵢ is no value
    /// ─────────────────────────────────────────────────────────────────────
    /// force [e₁, …, eₙ]<γ> ↪ force [e'₁, …, e'ₙ]<γ>  at Group({loc, …})
    /// ```
    pub(super) fn e_force_group(&mut self, job: &Job, cells: &mut Cells) -> Eval {
        let outer = mem::take(&mut self.machine);
        let around = self.around.len();
        outer.path(&mut self.around);
        let place = self.place;
        let threads = place.threads().min(TOGETHER) as i32;
        let mut targets = Vec::new();
        let mut first = 0;
        let mut ended = Ok(());
        while first < job.count && ended.is_ok() {
            let size = threads.min(job.count - first);
            let dealt = self.deal(job, first, size);
            let dealt = dealt.and_then(|live| self.rounds(job, first, size, live));
            self.place = place;
            self.element = None;
            ended = dealt.and_then(|()| self.collect(job, size, cells, &mut targets));
            first += size;
        }
        self.around.truncate(around);
        self.machine = outer;
        ended?;
        self.gives_targets(&targets);
        Ok(())
    }

    /// Gives so many threads an element each: those whose element is no value.
    fn deal(&mut self, job: &Job, first: i32, size: i32) -> Eval<Vec<i32>> {
        let missing = (size as usize).saturating_sub(self.lanes.len());
        self.takes((missing * size_of::<Lane>()) as u64)?;
        self.lanes.extend((0..missing).map(|_| Lane::default()));
        self.charge(size as u64)?;
        self.state.meter.stats.threads += size as u64;
        let mut live = Vec::with_capacity(size as usize);
        for k in 0..size {
            self.element = Some(first + k);
            (self.lanes[k as usize].val, self.lanes[k as usize].target) = (None, None);
            self.machine = mem::take(&mut self.lanes[k as usize].machine);
            self.machine.clear();
            let begun = match (&job.elements, &job.target) {
                (Some(elements), _) => self.element(elements, first + k),
                (None, Some(target)) => {
                    self.lanes[k as usize].val = Some(Val::Int(0));
                    self.asks(target, first + k)
                }
                (None, None) => unreachable!("a job has elements, or targets"),
            };
            let goes_on = begun.and_then(|()| self.goes_on(job, k as usize, first + k));
            self.lanes[k as usize].machine = mem::take(&mut self.machine);
            if goes_on? {
                live.push(k);
            }
        }
        Ok(live)
    }

    /// Rounds until all threads are done or stuck.
    fn rounds(&mut self, job: &Job, first: i32, size: i32, mut live: Vec<i32>) -> Eval {
        let place = self.place;
        let mut lowest: Option<(i32, Stuck)> = None;
        let mut round = 0;
        while !live.is_empty() {
            round += 1;
            self.place = place;
            self.element = None;
            let (from, to) = (first + 1, first + size);
            self.notes(Rule::EForceGroup, |_| {
                let level = Level::written(place.level);
                format!("force […]<{level}>, elements {from} to {to}, round {round}")
            });
            let mut stopped = None;
            live.retain(|&k| {
                if stopped.is_some() {
                    return false;
                }
                self.element = Some(first + k);
                self.place = place.thread(k as u64);
                mem::swap(&mut self.machine, &mut self.lanes[k as usize].machine);
                let stepped = self.step_lane(job, k as usize, first + k);
                let stepped = stepped.map_err(|stop| self.noted(stop));
                mem::swap(&mut self.machine, &mut self.lanes[k as usize].machine);
                match stepped {
                    Ok(steps) => steps,
                    Err(stop) => {
                        self.lanes[k as usize].machine.clear();
                        match *stop {
                            Stop::Stuck(stuck) => {
                                self.state.recorder.leave(String::new);
                                if lowest.as_ref().is_none_or(|(least, _)| k < *least) {
                                    lowest = Some((k, stuck));
                                }
                            }
                            other => stopped = Some(other),
                        }
                        false
                    }
                }
            });
            if let Some(stop) = stopped {
                return Err(Box::new(stop));
            }
            self.state.recorder.leave(String::new);
        }
        match lowest {
            Some((_, stuck)) => Err(stuck.into()),
            None => Ok(()),
        }
    }

    /// A step of a thread: false if it has none left.
    #[inline]
    fn step_lane(&mut self, job: &Job, lane: usize, at: i32) -> Eval<bool> {
        self.step()?;
        self.goes_on(job, lane, at)
    }

    /// Has the thread steps left? When it has the value of its element, that may be its target.
    #[inline]
    fn goes_on(&mut self, job: &Job, lane: usize, at: i32) -> Eval<bool> {
        if let Control::Eval(id, env) = &self.machine.control
            && let Some(val) = atom(self.code.node(*id), env)?
        {
            self.machine.control = Control::Return(val);
        }
        if !self.machine.frames.is_empty() || !matches!(self.machine.control, Control::Return(_)) {
            return Ok(true);
        }
        let Control::Return(val) = mem::take(&mut self.machine.control) else {
            unreachable!("just looked at")
        };
        match (&job.target, &self.lanes[lane].val) {
            (Some(target), None) => {
                self.lanes[lane].val = Some(val);
                self.asks(target, at)?;
                return Ok(true);
            }
            (Some(target), Some(_)) => {
                let place = val.int();
                self.is_target(target, place)?;
                self.lanes[lane].target = Some(place);
            }
            (None, _) => self.lanes[lane].val = Some(val),
        }
        let rounds = &mut self.state.meter.stats.rounds;
        *rounds = (*rounds).max(mem::take(&mut self.machine.rounds));
        Ok(false)
    }

    /// What the threads have come to.
    fn collect(&mut self, job: &Job, size: i32, cells: &mut Cells, to: &mut Vec<i32>) -> Eval {
        for lane in &mut self.lanes[..size as usize] {
            let val = lane.val.take().expect("each thread has ended");
            if job.elements.is_some() {
                cells.push(val, job.count as usize)?;
            }
            to.extend(lane.target.take());
        }
        Ok(())
    }

    /// Where the elements of the chunk that is forced go, if an `interleave` asks.
    fn target(&self) -> Option<Target> {
        match self.machine.frames.last() {
            Some(Frame::Chunk(chunks)) => chunks.target(),
            _ => None,
        }
    }

    /// What is evaluated next is the target `g (i, j)`.
    fn asks(&mut self, target: &Target, j: i32) -> Eval {
        let pair = Val::pair([Val::Int(target.chunk), Val::Int(j)])?;
        self.push(Frame::To(pair, target.span))?;
        let order: &Thunk = &target.order;
        self.eval(order)
    }

    /// A target is a place of the result.
    fn is_target(&mut self, target: &Target, place: i32) -> Eval {
        let operands = [place.into(), target.all.into()];
        if holds(Cause::OutsideBlock, &operands) {
            return Ok(());
        }
        self.notes(Rule::EForceInterleave, |_| format!("target {place} of {}", target.all));
        self.require(Rule::EForceInterleave, target.span, Cause::OutsideBlock, operands)
    }

    /// Targets of a chunk go to the `interleave` that asked for them.
    fn gives_targets(&mut self, targets: &[i32]) {
        if let Some(Frame::Chunk(chunks)) = self.machine.frames.last_mut() {
            chunks.targets.extend_from_slice(targets);
        }
    }
}

impl Machine {
    /// It is done, though it was not to its end.
    pub(super) fn clear(&mut self) {
        self.control = Control::default();
        self.frames.clear();
        self.operands.clear();
    }
}
