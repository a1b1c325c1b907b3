//! Forcing delayed arrays: `concat` and `interleave`.

use super::Run;
use super::machine::{Chunks, Frame, Job, Part, Target};
use crate::fcl::rules::{GROWTH, LENGTH, Rule, TAKEN};
use crate::fcl::values::{Cells, Delayed, Pull, Val};
use crate::kit::outcome::{Cause, Stuck, holds};
use crate::kit::run::{Eval, Evaluator, Stop};
use crate::kit::schedule::Permutation;
use crate::kit::text::Span;
use std::mem;
use std::rc::Rc;

/// The level that is told of chunks which a thread is to put together. They stay unevaluated, so no more is seen than that it
/// is above a thread's.
pub const UNSEEN: u32 = 1;

impl Delayed {
    /// The rule by which it is forced.
    pub(super) fn rule(&self) -> Rule {
        match self.order {
            None => Rule::EForceConcat,
            Some(_) => Rule::EForceInterleave,
        }
    }
}

impl Chunks {
    /// Where the elements of the present chunk go.
    pub(super) fn target(&self) -> Option<Target> {
        let order = self.delayed.order.clone()?;
        let all = self.m * self.chunks.len();
        Some(Target { order, chunk: self.at, all, span: self.delayed.span })
    }
}

impl Run<'_> {
    /// `E-FORCE-CONCAT` (42): a chunk is evaluated and forced at a member of the group, which are dealt in
    /// turn.
    ///
    /// ```text
    /// Group({loc₁, …}) ▷ γ                                                        (level)
    /// e₁ ↪* m ≥ 0  at Group({loc₁, …})                                             (size)
    /// e₂ ↪* [e'₁, …, e'ₙ]  at Group({loc₁, …})
    /// e'ᵢ ↪* vᵢ  at locᵢ, of length m                                            (length)
    /// force vᵢ ↪* [bvᵢ₁, …, bvᵢₘ]  at locᵢ                       for i = 1, …, n
    /// ──────────────────────────────────────────────────────────────────────────────────
    /// force (concatDelay e₁ e₂) ↪ [bv₁₁, …, bv₁ₘ, …, bvₙ₁, …, bvₙₘ]  at Group({loc₁, …})
    /// ```
    ///
    /// `E-FORCE-INTERLEAVE` (extension): the same, and
    ///
    /// ```text
    /// 0 ≤ g (i, j) < m * n                                                       (inside)
    /// all g (i, j) are different                                                  (taken)
    /// ──────────────────────────────────────────────────────────────────────────────────
    /// force (interleaveDelay e₁ g e₂) ↪ [bv, …]  where bv₍ᵢ₊₁₎₍ⱼ₊₁₎ stands at g (i, j)
    /// ```
    pub(super) fn force_delayed(&mut self, delayed: Rc<Delayed>, span: Span) -> Eval {
        let rule = delayed.rule();
        if self.place.level == 0 {
            return self.stuck_level(rule, UNSEEN, span);
        }
        self.opens(rule, |_| match rule {
            Rule::EForceConcat => "force (concatDelay … …)".to_owned(),
            _ => "force (interleaveDelay … … …)".to_owned(),
        })?;
        self.push(Frame::Size(Rc::clone(&delayed), span))?;
        self.eval(&delayed.size)
    }

    /// `m` is known.
    pub(super) fn sized(&mut self, delayed: Rc<Delayed>, m: i32, span: Span) -> Eval {
        self.require(delayed.rule(), delayed.span, Cause::NegativeSize, [m.into()])?;
        self.push(Frame::Chunks(Rc::clone(&delayed), m, span))?;
        self.eval(&delayed.chunks)
    }

    /// The chunks are known.
    pub(super) fn begin_chunks(
        &mut self,
        delayed: Rc<Delayed>,
        m: i32,
        chunks: Rc<Pull>,
        span: Span,
    ) -> Eval {
        let all = self.product(m, chunks.len())?;
        self.has_length(all)?;
        let cells = Cells::new(&self.ledger);
        let (place, end) = (self.place, chunks.len());
        let chunks = Chunks {
            delayed,
            m,
            place,
            chunks,
            at: 0,
            end,
            is_part: false,
            is_forced: false,
            cells,
            targets: Vec::new(),
            span,
        };
        let order = self.schedule.order(end as u64);
        if order.is_forward() {
            return self.next_chunk(Box::new(chunks));
        }
        self.suspend();
        let parts = self.parts(&chunks, &order);
        self.goes_on_with_suspended();
        self.place = place;
        self.put_together(chunks, parts?)
    }

    /// A machine is to step that knows nothing of the present one.
    fn suspend(&mut self) {
        self.machine.path(&mut self.around);
        self.suspended.push(mem::take(&mut self.machine));
    }

    /// The one before steps again.
    fn goes_on_with_suspended(&mut self) {
        self.machine = self.suspended.pop().expect("it was suspended");
        let mut path = Vec::new();
        self.machine.path(&mut path);
        self.around.truncate(self.around.len() - path.len());
    }

    /// The chunks, each evaluated and forced by itself, in this order. Where one is stuck, those before it may be too.
    fn parts(&mut self, chunks: &Chunks, order: &Permutation) -> Eval<Vec<Part>> {
        let mut parts = Vec::new();
        parts.resize_with(chunks.end as usize, || None);
        let mut lowest: Option<(i32, Stuck)> = None;
        for turn in 0..chunks.end as u64 {
            let at = order.at(turn) as i32;
            if lowest.as_ref().is_some_and(|(least, _)| *least < at) {
                continue;
            }
            match self.alone(chunks, at) {
                Ok(part) => parts[at as usize] = Some(part),
                Err(stop) => match *stop {
                    Stop::Stuck(stuck) => {
                        self.state.recorder.leave(String::new);
                        lowest = Some((at, stuck));
                    }
                    other => return Err(Box::new(other)),
                },
            }
            self.machine.clear();
        }
        match lowest {
            Some((_, stuck)) => Err(stuck.into()),
            None => Ok(parts.into_iter().flatten().collect()),
        }
    }

    /// The chunk of this number, evaluated and forced.
    fn alone(&mut self, chunks: &Chunks, at: i32) -> Eval<Part> {
        let Chunks { delayed, m, place, chunks, span, .. } = chunks;
        let one = Chunks {
            delayed: Rc::clone(delayed),
            m: *m,
            place: *place,
            chunks: Rc::clone(chunks),
            at,
            end: at + 1,
            is_part: true,
            is_forced: false,
            cells: Cells::new(&self.ledger),
            targets: Vec::new(),
            span: *span,
        };
        self.next_chunk(Box::new(one))?;
        self.value()?;
        Ok(self.part.take().expect("a chunk has ended"))
    }

    /// All chunks are forced, by themselves.
    fn put_together(&mut self, mut chunks: Chunks, parts: Vec<Part>) -> Eval {
        let all = chunks.m as usize * chunks.end as usize;
        for Part { cells, targets } in parts {
            self.charge(cells.len() as u64)?;
            chunks.cells.append(&cells, all)?;
            chunks.targets.extend(targets);
        }
        self.join(chunks)
    }

    /// The length of what is forced is known: a chunk has the length that its array says, and an array
    /// of a loop is no longer than the first one.
    pub(super) fn has_length(&mut self, length: i32) -> Eval {
        match self.machine.frames.last() {
            Some(Frame::Chunk(chunks)) => {
                let (rule, span, m) = (chunks.delayed.rule(), chunks.delayed.span, chunks.m);
                self.require(rule, span, LENGTH, [length.into(), m.into()])
            }
            Some(Frame::Loop(rounds)) => {
                let (first, span) = (rounds.first.unwrap_or(length), rounds.span);
                let operands = [length.into(), first.into()];
                if holds(GROWTH, &operands) {
                    return Ok(());
                }
                self.notes(Rule::EWhileStep, |_| format!("while … with {length} of {first}"));
                self.require(Rule::EWhileStep, span, GROWTH, operands)
            }
            _ => Ok(()),
        }
    }

    /// Goes on with a chunk, if there is one.
    fn next_chunk(&mut self, chunks: Box<Chunks>) -> Eval {
        self.place = chunks.place;
        if chunks.at == chunks.end {
            return match chunks.is_part {
                true => {
                    let Chunks { cells, targets, .. } = *chunks;
                    self.part = Some(Part { cells, targets });
                    Ok(())
                }
                false => self.join(*chunks),
            };
        }
        self.place = chunks.place.member(chunks.at as u64).expect("a thread forces no chunks");
        let (array, at) = (Rc::clone(&chunks.chunks), chunks.at);
        self.charge(1)?;
        self.push(Frame::Chunk(chunks))?;
        self.element(&array, at)
    }

    /// A chunk is evaluated, or forced.
    pub(super) fn chunk(&mut self, mut chunks: Box<Chunks>, val: Val) -> Eval<bool> {
        if !chunks.is_forced {
            let span = chunks.span;
            chunks.is_forced = true;
            self.push(Frame::Chunk(chunks))?;
            self.force(val, span)?;
            return Ok(true);
        }
        let forced = val.pull();
        let Pull::Cells(forced) = &*forced else { unreachable!("E-FORCE-DONE gives base values") };
        let all = match chunks.is_part {
            true => chunks.m as usize,
            false => chunks.m as usize * chunks.end as usize,
        };
        self.charge(forced.fuel())?;
        chunks.cells.append(forced, all)?;
        if let Some(target) = chunks.target()
            && chunks.targets.len() < chunks.cells.len()
        {
            // The chunk was delayed: its threads say now where its elements go.
            let count = chunks.m;
            self.push(Frame::Chunk(chunks))?;
            let job = Job { elements: None, count, target: Some(target) };
            let mut none = Cells::new(&self.ledger);
            self.e_force_group(&job, &mut none)?;
            let Some(Frame::Chunk(top)) = self.machine.frames.pop() else {
                unreachable!("just pushed")
            };
            chunks = top;
        }
        chunks.is_forced = false;
        chunks.at += 1;
        self.next_chunk(chunks)?;
        Ok(true)
    }

    /// All chunks are forced.
    fn join(&mut self, chunks: Chunks) -> Eval {
        let Chunks { delayed, m, mut cells, targets, .. } = chunks;
        if delayed.order.is_some() {
            self.are_different(&delayed, m, &targets)?;
            let permuted = cells.permuted(&targets)?;
            drop(mem::replace(&mut cells, permuted));
        }
        self.gives(Val::Pull(Rc::new(Pull::Cells(cells))))
    }

    /// No two elements have one target.
    fn are_different(&mut self, delayed: &Delayed, m: i32, targets: &[i32]) -> Eval {
        self.charge(targets.len() as u64)?;
        let mut taken = vec![false; targets.len()];
        for (at, target) in targets.iter().enumerate() {
            if mem::replace(&mut taken[*target as usize], true) {
                let mut thread = self.thread();
                thread.extend([at / m as usize, at % m as usize].map(|place| place as i32 + 1));
                let (rule, span) = (Rule::EForceInterleave, delayed.span);
                return Err(self.state.stuck(rule, span, TAKEN, thread, &[(*target).into()]));
            }
        }
        Ok(())
    }
}
