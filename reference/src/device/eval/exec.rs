//! Runs the flat code of one invocation until it ends, waits at a barrier, or gets stuck.

use super::code::{Atomic, Check, Code, NONE, OPEN, Op, ROUNDS, Reg, Target};
use crate::device::rules::Rule;
use crate::device::scalar::{self, Cell, from_words, int, words};
use crate::device::syntax::{AtomicOp, Sc, Scope};
use crate::kit::groups::{Access, Conflict, Shadow, Who};
use crate::kit::outcome::{Cause, Site, holds};
use crate::kit::scalar::BinOp;

/// Where an invocation is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// At its end.
    End,
    /// At the barrier before this instruction.
    Barrier(Scope, u32),
    /// Stuck.
    Stuck(Failure),
    /// Out of fuel.
    Fuel,
}

/// A premise that failed in an invocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) site: Site,
    pub(super) rule: Rule,
    /// Behind the number of the invocation.
    pub(super) path: Vec<i32>,
    pub(super) operands: Vec<i64>,
}

/// Where a conflict was seen.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cells {
    /// A word of the arena.
    Arena(usize),
    /// A cell of the group's memory.
    Group(usize),
}

/// A conflict of an access by `who`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raced {
    pub(super) at: Cells,
    pub(super) who: Who,
    pub(super) wrote: bool,
    pub(super) conflict: Conflict,
}

/// What an invocation works on besides its frame.
pub(super) struct Memory<'m> {
    pub(super) arena: &'m mut [u32],
    pub(super) shadow: &'m mut Shadow,
    pub(super) group: &'m mut [Cell],
    pub(super) group_shadow: &'m mut Shadow,
    pub(super) fuel: &'m mut u64,
    pub(super) counts: &'m mut [u64],
    /// Conflicts, at most one for each invocation and each kind of memory until it stops.
    pub(super) raced: &'m mut Vec<Raced>,
}

/// The two times of an invocation: barriers of the arena's memory and of the group's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    pub(super) arena: Who,
    pub(super) group: Who,
}

/// Conflicts that one invocation reports before it waits or ends.
const MAX_RACED: usize = 64;

impl Memory<'_> {
    /// Runs from instruction `pc`.
    pub(super) fn run(&mut self, code: &Code, frame: &mut [Cell], pc: u32, times: Times) -> Step {
        let mut pc = pc as usize;
        loop {
            let op = code.ops[pc];
            pc += 1;
            let outside = |frame: &[Cell], index: Cell, length: Cell, rule: Rule| {
                let span = code.spans[pc - 1];
                Step::Stuck(Failure {
                    site: Site { span, cause: Cause::OutsideBlock },
                    rule,
                    path: iterations(code, pc - 1, frame),
                    operands: vec![index as i64, length as i64],
                })
            };
            match op {
                Op::Count { counter, cost } => {
                    self.counts[counter as usize] += 1;
                    let Some(left) = self.fuel.checked_sub(cost.into()) else { return Step::Fuel };
                    *self.fuel = left;
                }
                Op::Round { counter } => {
                    self.counts[counter as usize] += 1;
                    frame[ROUNDS as usize] += 1;
                }
                Op::Const { dst, value } => frame[dst as usize] = value,
                Op::Copy { dst, src } => frame[dst as usize] = frame[src as usize],
                Op::CopyAll { dst, src, n } => {
                    frame.copy_within(src as usize..(src + n) as usize, dst as usize);
                }
                Op::Zero { dst, n } => frame[dst as usize..(dst + n) as usize].fill(0),
                Op::Un { f, dst, a } => frame[dst as usize] = f(frame[a as usize]),
                Op::Bin { f, dst, a, b } => {
                    frame[dst as usize] = f(frame[a as usize], frame[b as usize]);
                }
                Op::Watch { open, a, b } => {
                    frame[OPEN as usize] |= Cell::from(open(frame[a as usize], frame[b as usize]));
                }
                Op::AddI32 { dst, a, b } => {
                    let sum = (frame[a as usize] as i32).wrapping_add(frame[b as usize] as i32);
                    frame[dst as usize] = int(sum.into());
                }
                Op::SubI32 { dst, a, b } => {
                    let sum = (frame[a as usize] as i32).wrapping_sub(frame[b as usize] as i32);
                    frame[dst as usize] = int(sum.into());
                }
                Op::MulI32 { dst, a, b } => {
                    let product = (frame[a as usize] as i32).wrapping_mul(frame[b as usize] as i32);
                    frame[dst as usize] = int(product.into());
                }
                Op::AddU32 { dst, a, b } => {
                    let sum = (frame[a as usize] as u32).wrapping_add(frame[b as usize] as u32);
                    frame[dst as usize] = sum.into();
                }
                Op::Less { dst, a, b } => {
                    let less = (frame[a as usize] as i64) < frame[b as usize] as i64;
                    frame[dst as usize] = less.into();
                }
                Op::LessEqual { dst, a, b } => {
                    let less = frame[a as usize] as i64 <= frame[b as usize] as i64;
                    frame[dst as usize] = less.into();
                }
                Op::Equal { dst, a, b } => {
                    frame[dst as usize] = (frame[a as usize] == frame[b as usize]).into();
                }
                Op::Divide { op, sc, dst, a, b } => {
                    let (a, b) = (frame[a as usize], frame[b as usize]);
                    match scalar::divide(op, sc, a, b) {
                        Some(result) => frame[dst as usize] = result,
                        None => return division(code, pc - 1, frame, a),
                    }
                }
                Op::Select { dst, c, a, b, n } => {
                    let src = if frame[c as usize] != 0 { a } else { b };
                    frame.copy_within(src as usize..(src + n) as usize, dst as usize);
                }
                Op::Index { dst, from, index, length, stride } => {
                    let index = frame[index as usize];
                    if index >= length.into() {
                        return outside(frame, index, length.into(), Rule::At);
                    }
                    let from = if from == NONE { 0 } else { frame[from as usize] };
                    frame[dst as usize] = from + index * Cell::from(stride);
                }
                Op::Offset { dst, a, k } => frame[dst as usize] = frame[a as usize] + Cell::from(k),
                Op::LoadFrame { dst, base, at, n } => {
                    let from = address(frame, base, at);
                    frame.copy_within(from..from + n as usize, dst as usize);
                }
                Op::StoreFrame { src, base, at, n } => {
                    let to = address(frame, base, at);
                    frame.copy_within(src as usize..(src + n) as usize, to);
                }
                Op::LoadGroup { dst, base, at, n } => {
                    let from = address(frame, base, at);
                    for i in 0..n as usize {
                        self.of_group(Access::Read, from + i, times);
                        frame[dst as usize + i] = self.group[from + i];
                    }
                }
                Op::StoreGroup { src, base, at, n } => {
                    let to = address(frame, base, at);
                    for i in 0..n as usize {
                        self.of_group(Access::Write, to + i, times);
                        self.group[to + i] = frame[src as usize + i];
                    }
                }
                Op::LoadElement { sc, dst, block, index } => {
                    let (index, length) = (frame[index as usize], frame[block as usize + 1]);
                    match self.word(sc, frame[block as usize], index, length) {
                        Some(at) => frame[dst as usize] = self.load(sc, at, times),
                        None => return outside(frame, index, length, Rule::Element),
                    }
                }
                Op::StoreElement { sc, src, block, index } => {
                    let (index, length) = (frame[index as usize], frame[block as usize + 1]);
                    match self.word(sc, frame[block as usize], index, length) {
                        Some(at) => self.store(sc, at, frame[src as usize], times),
                        None => return outside(frame, index, length, Rule::Element),
                    }
                }
                Op::WordAddress { sc, dst, block, index } => {
                    let (index, length) = (frame[index as usize], frame[block as usize + 1]);
                    match self.word(sc, frame[block as usize], index, length) {
                        Some(at) => frame[dst as usize] = at as Cell,
                        None => return outside(frame, index, length, Rule::Element),
                    }
                }
                Op::LoadWord { sc, dst, at } => {
                    frame[dst as usize] = self.load(sc, frame[at as usize] as usize, times);
                }
                Op::StoreWord { sc, src, at } => {
                    self.store(sc, frame[at as usize] as usize, frame[src as usize], times);
                }
                Op::Atomic { number } => self.atomic(&code.atomics[number as usize], frame, times),
                Op::Check { number } => {
                    if let Some(failure) = check(&code.checks[number as usize], frame) {
                        return Step::Stuck(failure);
                    }
                }
                Op::Jump { to } => pc = to as usize,
                Op::JumpUnless { c, to } => {
                    if frame[c as usize] == 0 {
                        pc = to as usize;
                    }
                }
                Op::Enter { back, to } => {
                    frame[back as usize] = pc as Cell;
                    pc = to as usize;
                }
                Op::Leave { back } => pc = frame[back as usize] as usize,
                Op::Barrier { scope } => return Step::Barrier(scope, pc as u32),
                Op::End => return Step::End,
            }
        }
    }

    /// The word of an element, if the index lies in the block, and the block in the arena.
    #[inline]
    fn word(&self, sc: Sc, base: Cell, index: Cell, length: Cell) -> Option<usize> {
        if index >= length {
            return None;
        }
        let at = base as usize + index as usize * sc.words() as usize;
        (base != 0 && at + (sc.words() as usize) <= self.arena.len()).then_some(at)
    }

    #[inline]
    fn load(&mut self, sc: Sc, at: usize, times: Times) -> Cell {
        self.of_arena(Access::Read, at, times);
        if sc == Sc::I64 {
            return from_words(sc, self.arena[at], self.arena[at + 1]);
        }
        from_words(sc, self.arena[at], 0)
    }

    #[inline]
    fn store(&mut self, sc: Sc, at: usize, cell: Cell, times: Times) {
        self.of_arena(Access::Write, at, times);
        let [low, high] = words(sc, cell);
        self.arena[at] = low;
        if sc == Sc::I64 {
            self.arena[at + 1] = high;
        }
    }

    /// Notes an access of the arena, an i64 by its first word.
    #[inline]
    fn of_arena(&mut self, access: Access, at: usize, times: Times) {
        if let Some(conflict) = self.shadow.access(access, at, times.arena) {
            self.race(access, Cells::Arena(at), times.arena, conflict);
        }
    }

    #[inline]
    fn of_group(&mut self, access: Access, at: usize, times: Times) {
        if let Some(conflict) = self.group_shadow.access(access, at, times.group) {
            self.race(access, Cells::Group(at), times.group, conflict);
        }
    }

    #[cold]
    fn race(&mut self, access: Access, at: Cells, who: Who, conflict: Conflict) {
        if self.raced.len() < MAX_RACED {
            let wrote = matches!(access, Access::Write | Access::AtomicWrite);
            self.raced.push(Raced { at, who, wrote, conflict });
        }
    }

    /// `D-ATOMIC`: reads and writes without another access between.
    fn atomic(&mut self, atomic: &Atomic, frame: &mut [Cell], times: Times) {
        let operand = |i: usize| frame[atomic.operands[i] as usize];
        let access = match atomic.op {
            AtomicOp::Load => Access::AtomicRead,
            _ => Access::AtomicWrite,
        };
        let (sc, target) = (atomic.sc, atomic.target);
        let old = match target {
            Target::Group { base, at } => {
                let at = address(frame, base, at);
                self.of_group(access, at, times);
                self.group[at]
            }
            Target::Word { at } => {
                let at = frame[at as usize] as usize;
                self.of_arena(access, at, times);
                from_words(sc, self.arena[at], 0)
            }
        };
        let by = |op: BinOp| {
            let f = scalar::binary(op, sc).expect("validated: atomics are integers");
            Some(f(old, operand(0)))
        };
        let new = match atomic.op {
            AtomicOp::Load => None,
            AtomicOp::Store | AtomicOp::Exchange => Some(operand(0)),
            AtomicOp::Add => by(BinOp::Add),
            AtomicOp::Min => by(BinOp::Min),
            AtomicOp::Max => by(BinOp::Max),
            AtomicOp::And => by(BinOp::And),
            AtomicOp::Or => by(BinOp::Or),
            AtomicOp::Xor => by(BinOp::Xor),
            AtomicOp::CompareExchange => (old == operand(0)).then(|| operand(1)),
        };
        if let Some(new) = new {
            match target {
                Target::Group { base, at } => self.group[address(frame, base, at)] = new,
                Target::Word { at } => self.arena[frame[at as usize] as usize] = words(sc, new)[0],
            }
        }
        if atomic.into != NONE {
            frame[atomic.into as usize] = old;
        }
    }
}

#[inline]
fn address(frame: &[Cell], base: u32, at: Reg) -> usize {
    base as usize + if at == NONE { 0 } else { frame[at as usize] as usize }
}

#[cold]
fn division(code: &Code, at: usize, frame: &[Cell], dividend: Cell) -> Step {
    Step::Stuck(Failure {
        site: Site { span: code.spans[at], cause: Cause::DivisionByZero },
        rule: Rule::Bin,
        path: iterations(code, at, frame),
        operands: vec![dividend as i64, 0],
    })
}

/// The iterations of the nested parallel loops around instruction `at`, outermost first: in a
/// function behind those of its call.
#[cold]
fn iterations(code: &Code, at: usize, frame: &[Cell]) -> Vec<i32> {
    let mut path = Vec::new();
    let mut at = at;
    loop {
        let within = &code.loops[code.within[at] as usize];
        path.extend(within.iterations.iter().rev().map(|reg| frame[*reg as usize] as i32));
        if within.back == NONE {
            path.reverse();
            return path;
        }
        at = frame[within.back as usize] as usize - 1;
    }
}

/// `D-CHECK`
///
/// ```text
/// E ⊢ eᵢ ⇓ vᵢ      holds(cause of the site, v̄)  (the cause)
/// ─────────────────────────────────────────────────────
/// M; E ⊢ check site(e₁, …) at path ⇓ M; E
/// ```
fn check(check: &Check, frame: &[Cell]) -> Option<Failure> {
    let mut operands = [0; 4];
    let operands = &mut operands[..check.operands.len()];
    for (operand, reg) in operands.iter_mut().zip(&check.operands) {
        *operand = frame[*reg as usize] as i64;
    }
    if holds(check.site.cause, operands) {
        return None;
    }
    Some(Failure {
        site: check.site,
        rule: Rule::Check,
        path: check.path.iter().map(|reg| frame[*reg as usize] as i32).collect(),
        operands: operands.to_vec(),
    })
}
