//! The judgement of operations: one arm each.

use super::{Failure, Invocation, Return, Running};
use crate::spirv::rules::Rule;
use crate::spirv::syntax::{At, Call, NONE, Op, Space};
use crate::spirv::values::Slot;

/// Why an invocation stopped for now.
pub(super) enum Stopped {
    /// It has returned.
    Done,
    /// It waits at the barrier that is this operation.
    Waiting(usize),
}

/// Most operations of failed arithmetic that are kept, for reports and the coverage.
const MAX_PARTIAL: usize = 64;

/// The worse of two: undefined if one of them is.
#[inline]
fn both(a: Slot, b: Slot) -> u32 {
    a.origin.max(b.origin)
}

pub(super) fn fail(
    rule: Rule,
    premise: &'static str,
    at: usize,
    text: impl Into<String>,
    origin: u32,
) -> Box<Failure> {
    Box::new(Failure { rule, premise, at, text: text.into(), origin })
}

impl Running<'_> {
    /// `OpLoopMerge`
    ///
    /// ```text
    /// the launch has fuel for the instructions of the block  (fuel)
    /// ──────────────────────────────────────────────────────────────
    /// the block is entered
    /// ```
    #[inline]
    fn enter(&mut self, block: u32, at: usize) -> Result<usize, Box<Failure>> {
        let entered = &self.module.blocks[block as usize];
        let Some(left) = self.fuel.checked_sub(u64::from(entered.cost)) else {
            return Err(fail(Rule::Loop, "fuel", at, "the launch does not end within its fuel", 0));
        };
        self.fuel = left;
        self.counts[block as usize] += 1;
        Ok(entered.start as usize)
    }

    /// Runs an invocation until it is done or waits.
    pub(super) fn run(&mut self, invocation: &mut Invocation) -> Result<Stopped, Box<Failure>> {
        let module = self.module;
        if invocation.next == NONE as usize {
            let entry = &module.functions[module.entry as usize];
            invocation.next = self.enter(entry.entry, 0)?;
        }
        let mut next = invocation.next;
        let mut frame = invocation.frame;
        macro_rules! slot {
            ($at:expr) => {
                invocation.registers[frame + $at as usize]
            };
        }
        macro_rules! range {
            ($at:expr, $count:expr) => {
                frame + $at as usize..frame + $at as usize + $count as usize
            };
        }
        loop {
            let at = next;
            next += 1;
            match module.code[at] {
                Op::Binary { f, to, a, b } => {
                    let (a, b) = (slot!(a), slot!(b));
                    slot!(to) = Slot { bits: f(a.bits, b.bits), origin: both(a, b) };
                }
                Op::Unary { f, to, a } => {
                    let a = slot!(a);
                    slot!(to) = Slot { bits: f(a.bits), origin: a.origin };
                }
                Op::And { to, a, b } => {
                    slot!(to) = absorbing(slot!(a), slot!(b), 0, |a, b| a & b);
                }
                Op::Or { to, a, b, wide, truth } => {
                    let ones = match (truth, wide) {
                        (true, _) => 1,
                        (false, true) => u64::MAX,
                        (false, false) => u64::from(u32::MAX),
                    };
                    slot!(to) = absorbing(slot!(a), slot!(b), ones, |a, b| a | b);
                }
                Op::Partial(number) => {
                    let partial = &module.partials[number as usize];
                    let operands = partial.operands.map(|operand| slot!(operand));
                    let origin = operands.iter().map(|slot| slot.origin).max().unwrap_or(0);
                    let (bits, premise) = (partial.f)(operands.map(|slot| slot.bits));
                    if premise == 0 || origin > 0 {
                        slot!(partial.to) = Slot { bits, origin };
                    } else {
                        slot!(partial.to) = Slot { bits, origin: at as u32 + 1 };
                        self.undefined(at, partial.rule, premise);
                    }
                }
                Op::Copy { to, from, count: 1 } => slot!(to) = slot!(from),
                Op::Copy { to, from, count } => {
                    let to = frame + to as usize;
                    invocation.registers.copy_within(range!(from, count), to);
                }
                Op::Select { to, condition, a, b, count, step } => {
                    for i in 0..count {
                        let condition = slot!(condition + i * step);
                        let chosen = if condition.bits != 0 { slot!(a + i) } else { slot!(b + i) };
                        slot!(to + i) = Slot { origin: both(condition, chosen), ..chosen };
                    }
                }
                Op::Undefine { to, count } => {
                    for slot in &mut invocation.registers[range!(to, count)] {
                        *slot = Slot { bits: 0, origin: at as u32 + 1 };
                    }
                }
                Op::Extract { to, vector, index, count } => {
                    let index = slot!(index);
                    slot!(to) = match self.component(index, count, at) {
                        Ok(k) => slot!(vector + k),
                        Err(undefined) => undefined,
                    };
                }
                Op::Insert { to, vector, index, value, count } => {
                    let index = slot!(index);
                    for i in 0..count {
                        slot!(to + i) = slot!(vector + i);
                    }
                    match self.component(index, count, at) {
                        Ok(k) => slot!(to + k) = slot!(value),
                        Err(undefined) => {
                            invocation.registers[range!(to, count)].fill(undefined);
                        }
                    }
                }
                Op::Variable { to, offset, count, init } => {
                    let place = invocation.memory + offset as usize;
                    slot!(to) = Slot::new(place as u64);
                    let variable = &mut invocation.own[place..place + count as usize];
                    match init {
                        NONE => variable.fill(Slot::UNWRITTEN),
                        _ => variable.copy_from_slice(&invocation.registers[range!(init, count)]),
                    }
                }
                Op::Offset { to, base, by } => {
                    let base = slot!(base);
                    slot!(to) = Slot { bits: base.bits + u64::from(by), ..base };
                }
                Op::Element { to, base, index, count, stride } => {
                    let index = slot!(index);
                    let k = element(index, count.into(), "bounds", at)?;
                    let base = slot!(base);
                    slot!(to) = Slot { bits: base.bits + k * u64::from(stride), ..base };
                }
                Op::RuntimeElement { to, base, index, stride } => {
                    let (base, index) = (slot!(base), slot!(index));
                    let count = match self.robust {
                        false => self.elements(base, 0, stride).into(),
                        true => u64::MAX,
                    };
                    let k = element(index, count, "length", at)?;
                    slot!(to) = further(base, k * u64::from(stride));
                }
                Op::Length { to, base, offset, stride } => {
                    let base = slot!(base);
                    let length = self.elements(base, offset, stride);
                    slot!(to) = Slot { bits: length.into(), ..base };
                }
                Op::LoadWord { to, pointer } => {
                    slot!(to) = Slot::new(self.read_word(slot!(pointer), 0, at)?.into());
                }
                Op::StoreWord { pointer, from } => {
                    self.write_word(slot!(pointer), 0, slot!(from), at)?;
                }
                Op::LoadOwn { to, pointer, count } => {
                    let place = self.place_of(slot!(pointer), count, &invocation.own, at)?;
                    for i in 0..count as usize {
                        let value = invocation.own[place + i];
                        if value.origin == u32::MAX {
                            return Err(unwritten(at));
                        }
                        slot!(to as usize + i) = value;
                    }
                }
                Op::StoreOwn { pointer, from, count } => {
                    let place = self.place_of(slot!(pointer), count, &invocation.own, at)?;
                    invocation.own[place..place + count as usize]
                        .copy_from_slice(&invocation.registers[range!(from, count)]);
                }
                Op::LoadGroup { to, pointer, count } => {
                    let pointer = slot!(pointer);
                    self.load_group(pointer, &mut invocation.registers[range!(to, count)], at)?;
                }
                Op::StoreGroup { pointer, from, count } => {
                    let pointer = slot!(pointer);
                    self.store_group(pointer, &invocation.registers[range!(from, count)], at)?;
                }
                Op::LoadLaid { to, pointer, layout } => {
                    let pointer = slot!(pointer);
                    let to = &mut invocation.registers[frame + to as usize..];
                    self.load_laid(pointer, to, layout, at)?;
                }
                Op::StoreLaid { pointer, from, layout } => {
                    let pointer = slot!(pointer);
                    let from = &invocation.registers[frame + from as usize..];
                    self.store_laid(pointer, from, layout, at)?;
                }
                Op::Atomic(number) => {
                    let atomic = &module.atomics[number as usize];
                    let operand = |operand: At| match operand {
                        NONE => Slot::new(0),
                        _ => slot!(operand),
                    };
                    let pointer = slot!(atomic.pointer);
                    let (value, comparator) = (operand(atomic.value), operand(atomic.comparator));
                    let old = match atomic.space {
                        Space::Own => {
                            let text = "memory of one invocation";
                            return Err(fail(Rule::Atomic, "inside", at, text, 0));
                        }
                        _ => self.atomic(atomic, pointer, value, comparator, at)?,
                    };
                    if atomic.to != NONE {
                        slot!(atomic.to) = Slot::new(old);
                    }
                }
                Op::Jump { block } => next = self.enter(block, at)?,
                Op::Branch { condition, yes, no } => {
                    let condition = slot!(condition);
                    if condition.origin > 0 {
                        return Err(undefined(Rule::Branch, "condition", condition, at));
                    }
                    next = self.enter(if condition.bits != 0 { yes } else { no }, at)?;
                }
                Op::Switch(number) => {
                    let switch = &module.switches[number as usize];
                    let selector = slot!(switch.selector);
                    if selector.origin > 0 {
                        return Err(undefined(Rule::Switch, "selector", selector, at));
                    }
                    let case = switch.cases.iter().find(|(k, _)| *k == selector.bits);
                    next = self.enter(case.map_or(switch.default, |(_, block)| *block), at)?;
                }
                Op::Call(number) => {
                    invocation.next = next;
                    next = self.call(invocation, &module.calls[number as usize], at)?;
                    frame = invocation.frame;
                }
                Op::Return { from, count } => {
                    let Some(to) = invocation.calls.pop() else { return Ok(Stopped::Done) };
                    let target = to.frame + to.to as usize;
                    invocation.registers.copy_within(range!(from, count), target);
                    frame = to.frame;
                    next = to.next;
                    (invocation.frame, invocation.memory) = (to.frame, to.memory);
                    invocation.function = to.function;
                }
                Op::Barrier { .. } | Op::Subgroup(_) => {
                    invocation.next = next;
                    return Ok(Stopped::Waiting(at));
                }
                Op::Unreachable => {
                    let text = "an invocation reaches what it must not reach";
                    return Err(fail(Rule::Unreachable, "reached", at, text, 0));
                }
            }
        }
    }

    /// A premise of arithmetic failed: its result is undefined, which need not matter.
    #[cold]
    pub(super) fn undefined(&mut self, at: usize, rule: Rule, premise: u8) {
        let failed = (at, rule, premise);
        if self.partial.len() < MAX_PARTIAL && !self.partial.contains(&failed) {
            self.partial.push(failed);
        }
    }

    /// The component of a vector; one that is not there is an undefined value.
    fn component(&mut self, index: Slot, count: u32, at: usize) -> Result<u32, Slot> {
        if index.origin > 0 {
            return Err(index);
        }
        if index.bits >= u64::from(count) {
            self.undefined(at, Rule::Dynamic, 1);
            return Err(Slot { bits: 0, origin: at as u32 + 1 });
        }
        Ok(index.bits as u32)
    }

    /// `OpFunctionCall`: a frame behind the caller's, with constants and arguments.
    fn call(
        &mut self,
        invocation: &mut Invocation,
        call: &Call,
        at: usize,
    ) -> Result<usize, Box<Failure>> {
        let module = self.module;
        let caller = &module.functions[invocation.function as usize];
        let callee = &module.functions[call.function as usize];
        invocation.calls.push(Return {
            next: invocation.next,
            frame: invocation.frame,
            function: invocation.function,
            memory: invocation.memory,
            to: call.to,
        });
        let frame = invocation.frame + caller.frame.len();
        invocation.registers[frame..frame + callee.frame.len()].copy_from_slice(&callee.frame);
        for ((from, count), to) in call.arguments.iter().zip(&callee.params) {
            let from = invocation.frame + *from as usize;
            let range = from..from + *count as usize;
            invocation.registers.copy_within(range, frame + *to as usize);
        }
        invocation.memory += caller.memory as usize;
        invocation.frame = frame;
        invocation.function = call.function;
        self.enter(callee.entry, at)
    }
}

/// An operator of which one operand decides: whatever the other is, if this one is `absorbing`.
#[inline]
fn absorbing(a: Slot, b: Slot, absorbing: u64, f: fn(u64, u64) -> u64) -> Slot {
    if both(a, b) == 0 {
        return Slot::new(f(a.bits, b.bits));
    }
    let decides = |slot: Slot| slot.origin == 0 && slot.bits == absorbing;
    if decides(a) || decides(b) {
        return Slot::new(absorbing);
    }
    Slot { bits: f(a.bits, b.bits), origin: both(a, b) }
}

/// A pointer so many words further, in the same buffer.
#[inline]
fn further(base: Slot, words: u64) -> Slot {
    let word = u64::from(base.bits as u32).saturating_add(words).min(u32::MAX.into());
    Slot { bits: base.bits >> 32 << 32 | word, ..base }
}

/// `OpAccessChain`
///
/// ```text
/// the index is defined  (defined)      0 ≤ index < elements  (bounds)
/// ───────────────────────────────────────────────────────────────────
/// a pointer to the element
/// ```
///
/// The second premise is called `length` where the array ends with its buffer.
#[inline]
fn element(index: Slot, count: u64, premise: &'static str, at: usize) -> Result<u64, Box<Failure>> {
    if index.origin > 0 {
        return Err(undefined(Rule::AccessChain, "index", index, at));
    }
    if index.bits >= count {
        let text = format!("index {} of an array of {count}", index.bits as u32 as i32);
        return Err(fail(Rule::AccessChain, premise, at, text, 0));
    }
    Ok(index.bits)
}

#[cold]
pub(super) fn undefined(rule: Rule, what: &str, slot: Slot, at: usize) -> Box<Failure> {
    fail(rule, "defined", at, format!("the {what} is undefined"), slot.origin)
}

/// `OpLoad` of what nothing wrote.
#[cold]
pub(super) fn unwritten(at: usize) -> Box<Failure> {
    fail(Rule::Load, "written", at, "nothing wrote the memory that is read", 0)
}
